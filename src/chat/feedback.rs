//! Feedback about an answer.

/// A person's opinion of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Feedback {
    /// The last message of the answer, by the id that agents know.
    pub message_id: String,
    /// Whether it was good; `None` takes back what was said before.
    pub positive: Option<bool>,
}
