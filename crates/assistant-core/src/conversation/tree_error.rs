//! The errors of operations on the tree, and the direction in which a version is selected.

use std::fmt;

/// The reason why an operation on the tree failed. A failed operation changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TreeError {
    /// No message has this id.
    UnknownMessage,
    /// No message has the id of the parent.
    UnknownParent,
    /// Another message already has this id.
    DuplicateId,
    /// The message would become its own descendant.
    Cycle,
    /// The message was not written by the user, so it cannot be edited as a branch.
    NotUser,
    /// The message was not written by the agent, so it cannot be regenerated.
    NotAssistant,
    /// The message has no previous version or no next version.
    NoSibling,
    /// Nothing was deleted, or the deletion can no longer be undone.
    NothingDeleted,
}

impl TreeError {
    /// Returns a stable code that identifies the error, for programs.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::UnknownMessage => "unknown_message",
            Self::UnknownParent => "unknown_parent",
            Self::DuplicateId => "duplicate_id",
            Self::Cycle => "cycle",
            Self::NotUser => "not_user",
            Self::NotAssistant => "not_assistant",
            Self::NoSibling => "no_sibling",
            Self::NothingDeleted => "nothing_deleted",
        }
    }
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownMessage => "There is no such message.",
            Self::UnknownParent => "There is no such parent message.",
            Self::DuplicateId => "There is a message with this id already.",
            Self::Cycle => "A message cannot be moved below itself.",
            Self::NotUser => "Only messages of the user can be edited as a branch.",
            Self::NotAssistant => "Only an answer can be regenerated.",
            Self::NoSibling => "There is no other version there.",
            Self::NothingDeleted => "There is nothing to bring back.",
        })
    }
}

impl std::error::Error for TreeError {}

/// The direction from a version of a message to another version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sibling {
    /// The previous version.
    Previous,
    /// The next version.
    Next,
}
