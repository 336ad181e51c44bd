//! Defines the feedback of a user on an answer.

/// The user's feedback on an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Feedback {
    /// The id that agents use for the last message of the answer.
    pub message_id: String,
    /// True for positive feedback, false for negative feedback; `None` withdraws earlier feedback.
    pub positive: Option<bool>,
}
