//! Defines the events, messages and run inputs of AG-UI 1.0 as Rust types, which the engine uses.
//!
//! Protocols convert their data from and to these types. This module does not depend on any wire
//! format. Names and fields follow AG-UI 1.0. Data that only other protocols define becomes an
//! [`EventKind::Extension`].

mod content;
pub mod end_reason;
mod extension;
pub mod fault;
mod message;
mod run;

pub use content::{Content, ContentPart, PartBody, Source};
pub use extension::{Extension, Settlement};
pub use message::{FunctionCall, Message, MessageBody, Role};
pub use run::{
    ContextItem, Interrupt, Outcome, ResumeEntry, ResumeStatus, RunInput, TokenUsage, Tool,
};

use serde_json::{Map, Value};

/// A JSON object that preserves the order of its keys.
pub type Object = Map<String, Value>;

/// An event of a run, with the optional fields that every event may have.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The type of the event, with its fields.
    pub kind: EventKind,
    /// The optional fields that every event may have.
    pub base: Base,
}

impl EventKind {
    /// Creates a `RunStarted` event with the ids and without optional fields.
    #[must_use]
    pub fn run_started(thread_id: &str, run_id: &str) -> Self {
        Self::RunStarted {
            thread_id: thread_id.to_owned(),
            run_id: run_id.to_owned(),
            protocol_version: None,
            parent_run_id: None,
            input: None,
        }
    }

    /// Returns the name of the event in AG-UI. The name of an extension is `CUSTOM`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::RunStarted { .. } => "RUN_STARTED",
            Self::RunFinished { .. } => "RUN_FINISHED",
            Self::RunError { .. } => "RUN_ERROR",
            Self::StepStarted { .. } => "STEP_STARTED",
            Self::StepFinished { .. } => "STEP_FINISHED",
            Self::TextMessageStart { .. } => "TEXT_MESSAGE_START",
            Self::TextMessageContent { .. } => "TEXT_MESSAGE_CONTENT",
            Self::TextMessageEnd { .. } => "TEXT_MESSAGE_END",
            Self::TextMessageChunk { .. } => "TEXT_MESSAGE_CHUNK",
            Self::ToolCallStart { .. } => "TOOL_CALL_START",
            Self::ToolCallArgs { .. } => "TOOL_CALL_ARGS",
            Self::ToolCallEnd { .. } => "TOOL_CALL_END",
            Self::ToolCallChunk { .. } => "TOOL_CALL_CHUNK",
            Self::ToolCallResult { .. } => "TOOL_CALL_RESULT",
            Self::StateSnapshot { .. } => "STATE_SNAPSHOT",
            Self::StateDelta { .. } => "STATE_DELTA",
            Self::MessagesSnapshot { .. } => "MESSAGES_SNAPSHOT",
            Self::ActivitySnapshot { .. } => "ACTIVITY_SNAPSHOT",
            Self::ActivityDelta { .. } => "ACTIVITY_DELTA",
            Self::ReasoningStart { .. } => "REASONING_START",
            Self::ReasoningEnd { .. } => "REASONING_END",
            Self::ReasoningMessageStart { .. } => "REASONING_MESSAGE_START",
            Self::ReasoningMessageContent { .. } => "REASONING_MESSAGE_CONTENT",
            Self::ReasoningMessageEnd { .. } => "REASONING_MESSAGE_END",
            Self::ReasoningMessageChunk { .. } => "REASONING_MESSAGE_CHUNK",
            Self::ReasoningEncryptedValue { .. } => "REASONING_ENCRYPTED_VALUE",
            Self::SubagentStarted { .. } => "SUBAGENT_STARTED",
            Self::SubagentFinished { .. } => "SUBAGENT_FINISHED",
            Self::SubagentError { .. } => "SUBAGENT_ERROR",
            Self::Raw { .. } => "RAW",
            // An extension is named like a custom event, because AG-UI has no type for it and
            // clients ignore unknown custom events.
            Self::Custom { .. } | Self::Extension(_) => "CUSTOM",
        }
    }
}

impl From<EventKind> for Event {
    fn from(kind: EventKind) -> Self {
        Self {
            kind,
            base: Base::default(),
        }
    }
}

/// The optional fields that every event may have. Large fields are boxed, because they are rarely
/// present and events are moved often.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Base {
    /// The time in milliseconds since 1970, according to the producer's clock. The time is never
    /// used for ordering.
    pub timestamp: Option<i64>,
    /// The provider's original event, for debugging.
    pub raw_event: Option<Box<Value>>,
    /// The metadata with arbitrary fields, which is merged into the metadata of the event's message
    /// or call.
    pub metadata: Option<Box<Object>>,
    /// The id of the subagent run that sent the event, or `None` if the parent agent sent it.
    pub subagent_run_id: Option<String>,
}

/// The type of an event: one of the 31 event types of AG-UI 1.0, or an [`Extension`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[allow(
    missing_docs,
    reason = "fields carry the names and meanings of the AG-UI 1.0 wire"
)]
pub enum EventKind {
    RunStarted {
        thread_id: String,
        run_id: String,
        protocol_version: Option<String>,
        parent_run_id: Option<String>,
        input: Option<Box<RunInput>>,
    },
    RunFinished {
        thread_id: String,
        run_id: String,
        result: Option<Box<Value>>,
        /// The outcome. `None` means success without a list of pending calls.
        outcome: Option<Outcome>,
        usage: Vec<TokenUsage>,
    },
    RunError {
        message: String,
        code: Option<String>,
        usage: Vec<TokenUsage>,
    },
    StepStarted {
        step_name: String,
    },
    StepFinished {
        step_name: String,
    },
    TextMessageStart {
        message_id: String,
        /// The role of the author. `None` means assistant.
        role: Option<Role>,
        name: Option<String>,
    },
    TextMessageContent {
        message_id: String,
        delta: String,
    },
    TextMessageEnd {
        message_id: String,
    },
    TextMessageChunk {
        message_id: Option<String>,
        role: Option<Role>,
        delta: Option<String>,
        name: Option<String>,
    },
    ToolCallStart {
        tool_call_id: String,
        tool_call_name: String,
        parent_message_id: Option<String>,
    },
    ToolCallArgs {
        tool_call_id: String,
        delta: String,
    },
    ToolCallEnd {
        tool_call_id: String,
    },
    ToolCallChunk {
        tool_call_id: Option<String>,
        tool_call_name: Option<String>,
        parent_message_id: Option<String>,
        delta: Option<String>,
    },
    ToolCallResult {
        message_id: String,
        tool_call_id: String,
        content: Content,
    },
    StateSnapshot {
        snapshot: Value,
    },
    StateDelta {
        /// A JSON Patch (RFC 6902) with objects as elements.
        delta: Vec<Value>,
    },
    MessagesSnapshot {
        messages: Vec<Message>,
    },
    ActivitySnapshot {
        message_id: String,
        activity_type: String,
        content: Object,
        /// True if the content of an existing message is replaced, false if it is kept.
        replace: bool,
    },
    ActivityDelta {
        message_id: String,
        activity_type: String,
        /// A JSON Patch (RFC 6902) with objects as elements.
        patch: Vec<Value>,
    },
    ReasoningStart {
        message_id: String,
    },
    ReasoningEnd {
        message_id: String,
    },
    ReasoningMessageStart {
        message_id: String,
    },
    ReasoningMessageContent {
        message_id: String,
        delta: String,
    },
    ReasoningMessageEnd {
        message_id: String,
    },
    ReasoningMessageChunk {
        message_id: Option<String>,
        delta: Option<String>,
    },
    ReasoningEncryptedValue {
        entity: EncryptedEntity,
        entity_id: String,
        encrypted_value: String,
    },
    SubagentStarted {
        subagent_run_id: String,
        name: String,
        description: Option<String>,
        parent_subagent_run_id: Option<String>,
        parent_tool_call_id: Option<String>,
        parent_message_id: Option<String>,
    },
    SubagentFinished {
        subagent_run_id: String,
        result: Option<Box<Value>>,
        /// The outcome as a JSON object, in which `type` is `success` or `suspended`.
        outcome: Option<Box<Value>>,
    },
    SubagentError {
        subagent_run_id: String,
        message: String,
        code: Option<String>,
    },
    Raw {
        event: Value,
        source: Option<String>,
    },
    Custom {
        name: String,
        value: Value,
    },
    /// An event from another protocol that AG-UI cannot express.
    Extension(Box<Extension>),
}

/// The kind of item to which an [`EventKind::ReasoningEncryptedValue`] belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EncryptedEntity {
    /// A tool call, identified by its id.
    ToolCall,
    /// A message, identified by its id.
    Message,
}

/// A report of input that was tolerated, dropped or could not be applied. A diagnostic never ends
/// the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

impl Diagnostic {
    /// Creates a diagnostic with a stable code and a message.
    #[must_use]
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// Returns a stable code for programs, such as `unknown-event`.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.code
    }

    /// Returns a message for developers.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}
