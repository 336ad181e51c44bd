//! Defines the ids of messages and the keys of calls.

use std::{fmt, sync::Arc};

/// The id of a message: an opaque string that is unique in its conversation.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MessageId(Arc<str>);

impl MessageId {
    /// Returns the id as text.
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

/// The key of a tool call, which does not change during the lifetime of the conversation.
///
/// The conversation creates the key when the call first appears, and never reuses the key. The
/// message and the place of a call, and the id that the agent assigned, may change.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallKey(u64);

impl CallKey {
    pub(crate) const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Returns the key as a number for sorting.
    pub(crate) const fn sort_key(&self) -> i64 {
        self.0.cast_signed()
    }

    /// Returns the key as a number that is unique in its conversation, for stores and for ids in a
    /// page.
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
