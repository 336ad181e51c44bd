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

/// Which tool call: its message and its place among the calls of that message (decision D3).
///
/// The id that the agent gave the call is an attribute of the call, not its name: two branches may
/// hold calls with equal ids.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallKey {
    /// The message that made the call.
    pub message: MessageId,
    /// The call's place among the calls of the message, from 0.
    pub ordinal: u32,
}
