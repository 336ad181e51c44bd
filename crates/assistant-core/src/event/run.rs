//! Defines the inputs and outcomes of runs.

use serde_json::Value;

use super::{Message, Object};

/// The input of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunInput {
    /// The conversation's id.
    pub thread_id: String,
    /// The unique id of the run.
    pub run_id: String,
    /// The id of the run that this run continues, if the host sets this id.
    pub parent_run_id: Option<String>,
    /// True if the run resumes reading an answer in progress instead of requesting a new answer.
    pub resumes: bool,
    /// The state shared with the agent.
    pub state: Value,
    /// The messages in request order: each tool result directly follows the message with its call.
    pub messages: Vec<Message>,
    /// The messages in the agent's own format, if its protocol has such a format. The session
    /// leaves this field empty.
    pub history: Option<Box<Value>>,
    /// The tools of the page that the agent may call.
    pub tools: Vec<Tool>,
    /// The descriptions of the page that are sent to the agent.
    pub context: Vec<ContextItem>,
    /// Properties that the host passes to the agent unchanged.
    pub forwarded_props: Value,
    /// The answers to open interrupts.
    pub resume: Vec<ResumeEntry>,
}

impl RunInput {
    /// The name of the forwarded property in which a host sets the id of the answer.
    pub const ANSWER_ID: &str = "assistantMessageId";

    /// Returns the id that the host chose for the answer, for protocols in which the client chooses
    /// this id. Returns `None` if the host set no id or an empty id, or if a message in `messages`
    /// has the id.
    #[must_use]
    pub fn answer_id(&self) -> Option<&str> {
        let id = self.forwarded_props.get(Self::ANSWER_ID)?.as_str()?;
        let is_taken = self.messages.iter().any(|message| message.id == id);
        (!id.is_empty() && !is_taken).then_some(id)
    }
}

/// A tool that is offered to the agent in a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// The name of the tool, which is unique in the request.
    pub name: String,
    /// The description of the tool for the model.
    pub description: String,
    /// The JSON Schema of the arguments. `None` means that the tool has no arguments.
    pub parameters: Option<Value>,
    /// Metadata with arbitrary fields.
    pub metadata: Option<Object>,
}

/// An item of the page's context, with a description and the current text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContextItem {
    /// The description of the text, for the model.
    pub description: String,
    /// The current text.
    pub value: String,
}

impl ContextItem {
    /// Creates an item.
    #[must_use]
    pub fn new(description: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            description: description.into(),
            value: value.into(),
        }
    }
}

/// The answer to one interrupt.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ResumeEntry {
    /// The id of the interrupt.
    pub interrupt_id: String,
    /// The kind of the answer.
    pub status: ResumeStatus,
    /// The value of the answer, if any.
    pub payload: Option<Value>,
    /// Metadata with arbitrary fields.
    pub metadata: Option<Object>,
}

impl ResumeEntry {
    /// Creates an answer without a payload and metadata.
    #[must_use]
    pub fn new(interrupt_id: impl Into<String>, status: ResumeStatus) -> Self {
        Self {
            interrupt_id: interrupt_id.into(),
            status,
            payload: None,
            metadata: None,
        }
    }
}

/// The kind of answer to an interrupt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResumeStatus {
    /// The interrupt was answered.
    Resolved,
    /// The interrupt was cancelled.
    Cancelled,
}

/// The outcome of a finished run.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The run finished. The page may have to return results for calls.
    Success {
        /// The ids of the calls for which the page has to return results, if the producer lists
        /// them.
        pending_tool_call_ids: Option<Vec<String>>,
    },
    /// The run was interrupted and waits for answers.
    Interrupt {
        /// The interrupts that must be answered. The list contains at least one interrupt.
        interrupts: Vec<Interrupt>,
    },
    /// The run was stopped deliberately. It neither succeeded nor failed.
    Cancelled,
}

/// A question that an agent asks before it continues.
#[derive(Debug, Clone, PartialEq)]
pub struct Interrupt {
    /// The interrupt's id.
    pub id: String,
    /// The reason for the question, as a code that the agent defines.
    pub reason: String,
    /// The message for the user, if any.
    pub message: Option<String>,
    /// The id of the tool call that waits for the answer, if any.
    pub tool_call_id: Option<String>,
    /// The JSON Schema of the answer. The patterns in the schema come from the agent and are never
    /// evaluated.
    pub response_schema: Option<Object>,
    /// The time at which the interrupt expires, usually in ISO 8601 format.
    pub expires_at: Option<String>,
    /// The id of the subagent run that waits for the answer, if any.
    pub subagent_run_id: Option<String>,
    /// Metadata with arbitrary fields.
    pub metadata: Option<Object>,
}

/// The token usage of a model from a provider. A missing count is unknown, not zero.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(
    missing_docs,
    reason = "fields carry the names and meanings of the AG-UI 1.0 wire"
)]
pub struct TokenUsage {
    pub provider: Option<String>,
    pub model: Option<String>,
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    pub total_tokens: Option<u64>,
    pub reasoning_tokens: Option<u64>,
    pub cached_input_tokens: Option<u64>,
    pub cache_write_input_tokens: Option<u64>,
}
