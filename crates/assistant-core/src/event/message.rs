//! Defines the messages that agents and clients exchange, as a flat list with tool results in
//! separate messages.
//!
//! These types are used in run inputs and snapshots. The conversation tree has a separate message
//! type ([`crate::conversation`]).

use super::{Content, Object};

/// The role of a message's author.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The application's developer, who gives instructions.
    Developer,
    /// The system, which gives instructions.
    System,
    /// The user.
    User,
    /// The agent.
    Assistant,
    /// The result of a tool call. Only messages exchanged with agents use this role, because the
    /// conversation tree stores a result in its call.
    Tool,
    /// A structured description of the agent's activity. The description is never sent back to the
    /// agent.
    Activity,
    /// Reasoning of the model.
    Reasoning,
}

impl Role {
    /// Returns the name of the role in AG-UI.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Developer => "developer",
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::Activity => "activity",
            Self::Reasoning => "reasoning",
        }
    }

    /// Parses the name of a role in AG-UI. Returns `None` for other names.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "developer" => Self::Developer,
            "system" => Self::System,
            "user" => Self::User,
            "assistant" => Self::Assistant,
            "tool" => Self::Tool,
            "activity" => Self::Activity,
            "reasoning" => Self::Reasoning,
            _ => return None,
        })
    }
}

/// A message that is exchanged with an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The message's id, an opaque string.
    pub id: String,
    /// The content of the message, which also determines its role.
    pub body: MessageBody,
    /// The name of the author, if known.
    pub name: Option<String>,
    /// Data that the provider encrypted. The data is sent back unchanged.
    pub encrypted_value: Option<String>,
    /// The id of the subagent run to which the message belongs, if any.
    pub subagent_run_id: Option<String>,
    /// Metadata with arbitrary fields.
    pub metadata: Option<Object>,
    /// The unknown fields of the message.
    pub extra: Object,
}

impl Message {
    /// Creates a message without optional fields.
    #[must_use]
    pub fn new(id: impl Into<String>, body: MessageBody) -> Self {
        Self {
            id: id.into(),
            body,
            name: None,
            encrypted_value: None,
            subagent_run_id: None,
            metadata: None,
            extra: Object::new(),
        }
    }

    /// Returns the role of the message, which depends on the variant of the body.
    #[must_use]
    pub const fn role(&self) -> Role {
        match self.body {
            MessageBody::Developer { .. } => Role::Developer,
            MessageBody::System { .. } => Role::System,
            MessageBody::User { .. } => Role::User,
            MessageBody::Assistant { .. } => Role::Assistant,
            MessageBody::Tool { .. } => Role::Tool,
            MessageBody::Activity { .. } => Role::Activity,
            MessageBody::Reasoning { .. } => Role::Reasoning,
        }
    }
}

/// The role-specific content of a message.
#[derive(Debug, Clone, PartialEq)]
#[allow(
    missing_docs,
    reason = "fields carry the names and meanings of the AG-UI 1.0 wire"
)]
pub enum MessageBody {
    Developer {
        content: String,
    },
    System {
        content: String,
    },
    User {
        content: Content,
    },
    Assistant {
        content: Option<String>,
        tool_calls: Vec<FunctionCall>,
    },
    Tool {
        tool_call_id: String,
        content: Content,
        error: Option<String>,
    },
    Activity {
        activity_type: String,
        content: Object,
    },
    Reasoning {
        content: String,
    },
}

/// A tool call in an assistant's message.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionCall {
    /// The call's id.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as text, which may be invalid JSON.
    pub arguments: String,
    /// Data that the provider encrypted. The data is sent back unchanged.
    pub encrypted_value: Option<String>,
    /// Metadata with arbitrary fields.
    pub metadata: Option<Object>,
    /// The unknown fields of the call.
    pub extra: Object,
}

impl FunctionCall {
    /// Creates a call without optional fields.
    #[must_use]
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
            encrypted_value: None,
            metadata: None,
            extra: Object::new(),
        }
    }
}
