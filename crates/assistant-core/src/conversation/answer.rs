//! Defines the decision about a call, the progress of its handler, its result and its error.
//!
//! The module `call` stores these values, and the module `state` defines the states of calls.

use serde_json::Value;

use super::Fingerprint;
use crate::{
    action::Decider,
    event::{Content, Object},
    id::Ticket,
};

/// The question that the user was asked about a call, and the answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallApproval {
    pub(crate) decision: Option<Decision>,
    pub(crate) by: Option<Decider>,
    pub(crate) interrupt_id: Option<String>,
    /// The fingerprint of the card that the user saw when deciding.
    pub(crate) shown: Option<Fingerprint>,
    /// Unknown fields, which are stored unchanged.
    pub(crate) extra: Object,
}

impl CallApproval {
    /// Returns the decider. Returns `None` while the question is open, if the decider is unknown,
    /// or if the decision followed from an event such as a new message.
    #[must_use]
    pub const fn by(&self) -> Option<Decider> {
        self.by
    }

    /// Returns the answer, or `None` while the question is open.
    #[must_use]
    pub const fn decision(&self) -> Option<&Decision> {
        self.decision.as_ref()
    }

    /// Returns the id of the agent's interrupt, if the agent asked the question.
    #[must_use]
    pub fn interrupt_id(&self) -> Option<&str> {
        self.interrupt_id.as_deref()
    }

    /// The text of the tool message that hands an approved call off to the agent.
    pub(crate) const APPROVED_TEXT: &str = "approved";

    /// Returns true if the agent asked the question and the question has been answered.
    pub(crate) const fn is_answer_to_agent(&self) -> bool {
        self.interrupt_id.is_some() && self.decision.is_some()
    }
}

/// A remembered approval under which a call started without a question to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AllowedEarlier {
    pub(crate) id: String,
    pub(crate) at: i64,
    /// The decider that gave the approval.
    pub(crate) by: Decider,
    /// The state of counting this use of the approval, for an approval with a limited number of
    /// uses.
    pub(crate) count: UseCountState,
}

impl AllowedEarlier {
    /// Returns the id of the remembered approval.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the time of the approval, in milliseconds since 1970.
    #[must_use]
    pub const fn at(&self) -> i64 {
        self.at
    }
}

/// The state of counting the use of a remembered approval by a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum UseCountState {
    /// No use is counted, because the number of uses is not limited or counting has not begun.
    #[default]
    No,
    /// The host is counting the use for the call with this fingerprint.
    Asked(Ticket, Fingerprint),
    /// The use has been counted for the call with this fingerprint.
    Taken(Fingerprint),
}

/// The decision of the user or the application about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// The call is approved.
    Approved,
    /// The call is denied.
    Denied {
        /// The reason for the denial, if a reason was given.
        reason: Option<String>,
    },
}

/// The progress that a handler has reported.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    pub(crate) fraction: Option<f64>,
    pub(crate) text: Option<String>,
}

impl Progress {
    /// Returns the completed share from 0 to 1, if the share is known.
    #[must_use]
    pub const fn fraction(&self) -> Option<f64> {
        self.fraction
    }

    /// Returns the handler's description of its current work, if the handler has provided a
    /// description.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Creates a progress report. The share and the description may be missing.
    #[must_use]
    pub const fn new(fraction: Option<f64>, text: Option<String>) -> Self {
        Self { fraction, text }
    }
}

/// The result of a call, in the form that is sent to the agent.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CallResult {
    pub(crate) message_id: String,
    pub(crate) content: Content,
    pub(crate) error: Option<String>,
    pub(crate) value: Value,
    /// An encrypted value of the provider, which is sent back unchanged.
    pub(crate) encrypted_value: Option<String>,
    /// The id of the subagent run that the result belongs to, if the result belongs to a subagent
    /// run.
    pub(crate) subagent_run_id: Option<String>,
    /// Metadata of the tool message, with arbitrary fields.
    pub(crate) metadata: Option<Object>,
    pub(crate) extra: Object,
}

/// Returns the value for renderers: the parsed content if the content is JSON, or else the text of
/// the content.
pub(super) fn parse_content_value(content: &Content) -> Value {
    let text = content.display_text();
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

impl CallResult {
    /// Returns the id of the tool message that contains the result.
    #[must_use]
    pub fn message_id(&self) -> &str {
        &self.message_id
    }

    /// Returns the error field of the tool message. The field is `None` if the call did not fail
    /// (rule "results on the wire").
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Returns the unknown fields of the tool message, which are stored unchanged.
    #[must_use]
    pub const fn extra(&self) -> &Object {
        &self.extra
    }

    /// Returns the content that is sent to the agent. The content is serialised only once.
    #[must_use]
    pub const fn content(&self) -> &Content {
        &self.content
    }

    /// Returns the value of the result, for display.
    #[must_use]
    pub const fn value(&self) -> &Value {
        &self.value
    }

    /// Creates a result with only a message id, content and a value.
    #[must_use]
    pub fn new(message_id: impl Into<String>, content: String, value: Value) -> Self {
        Self {
            message_id: message_id.into(),
            content: Content::Text(content),
            error: None,
            value,
            encrypted_value: None,
            subagent_run_id: None,
            metadata: None,
            extra: Object::new(),
        }
    }
}

/// The values of `outcome` by which Pydantic AI reports a failure.
const FAILURES: [&str; 3] = ["failed", "interrupted", "retried"];

impl CallResult {
    /// Sets the error of a result to its content if the encrypted value states that the tool
    /// failed. An error that is already set is kept. Returns true if the encrypted value states a
    /// failure.
    ///
    /// Tools of Pydantic AI report a failure only in the encrypted value, in clear text (rule
    /// "failures after a result"). The function is called only for results of the agent, including
    /// results that arrive before the encrypted value. The encrypted value is stored and sent back
    /// unchanged.
    pub(super) fn adopt_stated_failure(&mut self) -> bool {
        let has_failed = self
            .encrypted_value
            .as_deref()
            .is_some_and(has_stated_failure);
        if has_failed && self.error.is_none() {
            self.error = Some(self.content.display_text());
        }
        has_failed
    }
}

/// Returns true if an encrypted value is JSON whose `outcome` in `pydantic_ai` reports a failure.
fn has_stated_failure(value: &str) -> bool {
    let value: Option<Value> = serde_json::from_str(value).ok();
    let outcome = value
        .as_ref()
        .and_then(|value| value.pointer("/pydantic_ai/outcome"));
    let outcome = outcome.and_then(Value::as_str);
    outcome.is_some_and(|outcome| FAILURES.contains(&outcome))
}

/// The error of a call that failed.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CallError {
    pub(crate) message: String,
    pub(crate) kind: ErrorKind,
    /// Further details of the failure, if details are known.
    pub(crate) details: Option<Value>,
}

impl CallError {
    /// Returns the error message, which is a sentence for the user and the model.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the kind of failure.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl CallError {
    /// Creates an error without details.
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            kind,
            details: None,
        }
    }
}

/// The kind of a call's failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The arguments are not JSON or violate the schema.
    InvalidArguments,
    /// The arguments satisfy the schema that was offered to the agent, but not the current schema.
    SchemaChanged,
    /// No tool of this name is registered, or the tool was not offered in this run.
    UnknownTool,
    /// The action was removed while the question to the user was open.
    ToolUnavailable,
    /// The action has no handler.
    NoHandler,
    /// The agent was expected to run the call, but the agent's run ended without a result.
    NoResult,
    /// The handler failed.
    Handler,
    /// The handler exceeded its time limit.
    Timeout,
    /// The start of the call could not be recorded, so the handler was not started.
    Journal,
    /// The application does not permit the call.
    Permission,
    /// The rate limit of the action was exceeded.
    RateLimit,
    /// The limit on questions was exceeded, so the user was not asked and the handler was not
    /// started.
    TooManyQuestions,
    /// The agent reported the failure.
    Agent,
}

impl ErrorKind {
    /// Returns the name of the error kind in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidArguments => "invalid_arguments",
            Self::SchemaChanged => "schema_changed",
            Self::UnknownTool => "unknown_tool",
            Self::ToolUnavailable => "tool_unavailable",
            Self::NoHandler => "no_handler",
            Self::NoResult => "no_result",
            Self::Handler => "handler",
            Self::Timeout => "timeout",
            Self::Journal => "journal",
            Self::Permission => "permission",
            Self::RateLimit => "rate_limit",
            Self::TooManyQuestions => "too_many_questions",
            Self::Agent => "agent",
        }
    }

    /// Returns true if the call was refused before its handler started.
    #[must_use]
    pub const fn is_refusal(self) -> bool {
        matches!(
            self,
            Self::InvalidArguments
                | Self::SchemaChanged
                | Self::UnknownTool
                | Self::ToolUnavailable
                | Self::NoHandler
                | Self::Permission
                | Self::RateLimit
                | Self::TooManyQuestions
                | Self::Journal
        )
    }

    /// Parses a name that is used in JSON. Returns [`ErrorKind::Handler`] for an unknown name.
    #[must_use]
    pub fn parse(word: &str) -> Self {
        [
            Self::InvalidArguments,
            Self::SchemaChanged,
            Self::UnknownTool,
            Self::ToolUnavailable,
            Self::NoHandler,
            Self::NoResult,
            Self::Timeout,
            Self::Journal,
            Self::Permission,
            Self::RateLimit,
            Self::TooManyQuestions,
            Self::Agent,
        ]
        .into_iter()
        .find(|kind| kind.as_str() == word)
        .unwrap_or(Self::Handler)
    }
}
