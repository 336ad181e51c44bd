//! Tells who speaks in a message: its author decides, not its role.
//!
//! A message of the user is one that the user wrote here, or one of a record that the application
//! loaded. An agent that sends a message with the role `user` adds words of its own.

use super::{Author, Message};
use crate::event::{self, Object, Role};

/// The form in which messages that the agent added under the user's role are sent back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum AgentUserMessages {
    /// With the name `assistant`, and with `author: "agent"` in the metadata. The form of the AI SDK
    /// has no names: there they are sent as text of the assistant.
    #[default]
    Marked,
    /// Not at all.
    Omitted,
}

/// The name under which they are sent.
const NAME: &str = "assistant";
/// The key in the metadata that says who wrote a message.
const AUTHOR: &str = "author";

impl Author {
    /// The author of a message of a record that names none: the user is believed to have said what
    /// the application loads, the agent everything else.
    pub(crate) const fn unnamed(role: Role) -> Self {
        match role {
            Role::User => Self::Record,
            _ => Self::Agent,
        }
    }
}

impl Message {
    /// Returns whether the user said it: here, or in a record that the application loaded.
    #[must_use]
    pub fn is_from_user(&self) -> bool {
        self.role == Role::User && self.author != Author::Agent
    }

    /// Returns whether the agent added it as if the user had said it.
    #[must_use]
    pub fn is_attributed_to_user(&self) -> bool {
        self.role == Role::User && self.author == Author::Agent
    }

    /// Returns the role of who really speaks: the assistant's for what the agent attributes to the
    /// user. Views go by this one.
    #[must_use]
    pub fn speaker(&self) -> Role {
        match self.is_attributed_to_user() {
            true => Role::Assistant,
            false => self.role,
        }
    }
}

/// Marks a message of the user's role as the agent's.
pub(super) fn mark(message: &mut event::Message) {
    message.name = Some(NAME.to_owned());
    let metadata = message.metadata.get_or_insert_with(Object::new);
    metadata.insert(AUTHOR.to_owned(), Author::Agent.as_str().into());
}

impl event::Message {
    /// Returns whether a request says of a user message that the agent wrote it.
    #[must_use]
    pub fn is_marked_as_agents(&self) -> bool {
        let author = self.metadata.as_ref().and_then(|all| all.get(AUTHOR));
        author.and_then(serde_json::Value::as_str) == Some(Author::Agent.as_str())
    }
}
