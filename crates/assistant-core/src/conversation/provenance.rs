//! Determines the author of a message, independent of its role (rule "who wrote a message").
//!
//! The user's messages are those that the user wrote on this page, and those of a record that the
//! application loaded. The author of a message with the role `user` that an agent sent is the
//! agent.

use super::{Author, Message};
use crate::event::{self, Object, Role};

/// The form in which messages that the agent added in the user's role are sent back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum AgentUserMessages {
    /// The messages are sent with the name `assistant`, and with `author: "agent"` in the metadata.
    /// To the AI SDK, whose messages have no names, they are sent as text of the assistant.
    #[default]
    Marked,
    /// The messages are omitted.
    Omitted,
}

/// The name under which messages that the agent added in the user's role are sent.
const AGENT_NAME: &str = "assistant";
/// The key of the author in the metadata.
const AUTHOR_KEY: &str = "author";

impl Author {
    /// Returns the author of an imported message without an author: the record for the user's role,
    /// the agent for all others.
    pub const fn unnamed(role: Role) -> Self {
        match role {
            Role::User => Self::Record,
            _ => Self::Agent,
        }
    }
}

impl Message {
    /// Returns true if the user wrote the message, on this page or in a record that the application
    /// loaded.
    #[must_use]
    pub fn is_from_user(&self) -> bool {
        self.role == Role::User && self.author != Author::Agent
    }

    /// Returns true if the agent added the message in the user's role.
    #[must_use]
    pub fn is_attributed_to_user(&self) -> bool {
        self.role == Role::User && self.author == Author::Agent
    }

    /// Returns the role of the actual author, for views: the assistant for messages that the agent
    /// attributes to the user.
    #[must_use]
    pub fn author_role(&self) -> Role {
        match self.is_attributed_to_user() {
            true => Role::Assistant,
            false => self.role,
        }
    }
}

/// Marks a message in the user's role as written by the agent.
pub(super) fn mark_as_written_by_agent(message: &mut event::Message) {
    message.name = Some(AGENT_NAME.to_owned());
    let metadata = message.metadata.get_or_insert_with(Object::new);
    metadata.insert(AUTHOR_KEY.to_owned(), Author::Agent.as_str().into());
}

impl event::Message {
    /// Returns true if the metadata of a user message names the agent as the author.
    #[must_use]
    pub fn is_marked_as_agents(&self) -> bool {
        let author = self
            .metadata
            .as_ref()
            .and_then(|metadata| metadata.get(AUTHOR_KEY));
        author.and_then(serde_json::Value::as_str) == Some(Author::Agent.as_str())
    }
}
