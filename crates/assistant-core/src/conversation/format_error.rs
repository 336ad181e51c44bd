//! Defines the error for an invalid stored conversation.

use std::fmt;

use super::TreeError;

/// The reason why a JSON value is not a valid message or conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatError(pub(super) String);

impl FormatError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FormatError {}

/// The error message for a list that contains an id twice.
pub(super) const DUPLICATE_ID: &str = "two messages have the same id";
/// The error message for messages that cannot be reached from a root.
pub(super) const CYCLE: &str = "the parents of messages form a cycle";

impl FormatError {
    /// Returns the tree error, if the format error reports an invalid message tree.
    #[must_use]
    pub fn tree_error(&self) -> Option<TreeError> {
        match self.0.as_str() {
            DUPLICATE_ID => Some(TreeError::DuplicateId),
            CYCLE => Some(TreeError::Cycle),
            _ => None,
        }
    }
}
