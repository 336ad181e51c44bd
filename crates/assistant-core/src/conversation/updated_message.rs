//! The state of a message that a server updates. `feed` applies the updates.

/// The updates that a message has received.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct UpdatedMessage {
    /// The time of the newest update; 0 if it is not known.
    pub(super) at: i64,
    /// True while the message is known only from updates of its calls: its role and its parent are
    /// assumed.
    pub(super) assumed: bool,
}
