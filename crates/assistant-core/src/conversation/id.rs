//! Names for things in a conversation.

use std::{fmt, sync::Arc};

/// The id of a message: an opaque string, unique in its conversation.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MessageId(Arc<str>);

impl MessageId {
    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for MessageId {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<String> for MessageId {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl fmt::Debug for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Names a tool call for as long as its conversation lives.
///
/// The conversation mints it when the call first appears and never gives it out again. Message,
/// place and the id that the agent gave are attributes of the call and may change; the key does
/// not. Nothing can be read off it but that two keys are equal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallKey(u64);

impl CallKey {
    pub(crate) const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The key as a number to sort by.
    pub(crate) const fn rank(&self) -> i64 {
        self.0.cast_signed()
    }

    /// The key as a number, for stores and for ids in a page: unique in its conversation.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Debug for CallKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "call#{}", self.0)
    }
}
