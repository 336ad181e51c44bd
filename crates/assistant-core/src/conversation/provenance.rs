//! Determines the author of a message, independent of its role (rule "author of a message").
//!
//! The user is the author of messages with the role `user` that were written on this page or loaded
//! from a record by the application. The agent is the author of a message with the role `user` that
//! the agent sent.

use super::{Author, Message};
use crate::event::{self, Object, Role};

/// The form in which requests contain messages that the agent added with the role `user`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum AgentUserMessages {
    /// The messages are sent with the name `assistant`, and with `author: "agent"` in the metadata.
    /// The AI SDK has no names of authors, so it receives the messages as text of the assistant.
    #[default]
    Marked,
    /// The messages are omitted.
    Omitted,
}

/// The author's name in requests for messages that the agent added with the role `user`.
const AGENT_NAME: &str = "assistant";
/// The metadata field that contains the author.
const AUTHOR_KEY: &str = "author";

impl Author {
    /// Returns the author of an imported message that names no author: the record for the role
    /// `user`, or the agent for all other roles.
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

    /// Returns true if the agent added the message with the role `user`.
    #[must_use]
    pub fn is_attributed_to_user(&self) -> bool {
        self.role == Role::User && self.author == Author::Agent
    }

    /// Returns the role that views show: `Assistant` for messages that the agent added with the
    /// role `user`, or the message's role for all others.
    #[must_use]
    pub fn author_role(&self) -> Role {
        match self.is_attributed_to_user() {
            true => Role::Assistant,
            false => self.role,
        }
    }
}

/// Marks a message with the role `user` as written by the agent.
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
