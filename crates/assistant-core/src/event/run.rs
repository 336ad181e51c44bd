//! What a run is started with and how it ends.

use serde_json::Value;

use super::{Message, Object};

/// The input of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunInput {
    /// The conversation's id.
    pub thread_id: String,
    /// This run's id, fresh for each.
    pub run_id: String,
    /// The run that this one continues, if the host says so.
    pub parent_run_id: Option<String>,
    /// Whether an answer that is under way is to be read on, instead of asking for one.
    pub takes_up: bool,
    /// Shared state.
    pub state: Value,
    /// The history, in request order: each tool result right after its call.
    pub messages: Vec<Message>,
    /// The history in the agent's own form, if the session was told to write one.
    pub history: Option<Box<Value>>,
    /// The tools of the page that the agent may call.
    pub tools: Vec<Tool>,
    /// The context that the page gives the agent.
    pub context: Vec<ContextItem>,
    /// Whatever the host passes through.
    pub forwarded_props: Value,
    /// Answers to open interrupts.
    pub resume: Vec<ResumeEntry>,
}

impl RunInput {
    /// The field of the forwarded properties in which a host gives the answer its id.
    pub const ANSWER_ID: &str = "assistantMessageId";

    /// The id that the host gives the answer, for protocols that leave it to the client. One that
    /// is taken is none.
    #[must_use]
    pub fn answer_id(&self) -> Option<&str> {
        let given = self.forwarded_props.get(Self::ANSWER_ID)?.as_str()?;
        let is_taken = self.messages.iter().any(|message| message.id == given);
        (!given.is_empty() && !is_taken).then_some(given)
    }
}

/// A tool as the agent sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Unique name.
    pub name: String,
    /// The description for the model.
    pub description: String,
    /// JSON Schema of its arguments; absent means none.
    pub parameters: Option<Value>,
    /// Open metadata.
    pub metadata: Option<Object>,
}

/// A piece of context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextItem {
    /// The description.
    pub description: String,
    /// The text.
    pub value: String,
}

/// The answer to one interrupt.
#[derive(Debug, Clone, PartialEq)]
pub struct ResumeEntry {
    /// The id of the interrupt.
    pub interrupt_id: String,
    /// Answered or given up.
    pub status: ResumeStatus,
    /// The answer.
    pub payload: Option<Value>,
    /// Open metadata.
    pub metadata: Option<Object>,
}

/// The kind of an interrupt's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResumeStatus {
    /// With an answer.
    Resolved,
    /// Given up.
    Cancelled,
}

/// The outcome of a finished run.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Done, perhaps with calls left for the page to answer.
    Success {
        /// The producer's own list; `None` if it gave none.
        pending_tool_call_ids: Option<Vec<String>>,
    },
    /// Waiting for a person.
    Interrupt {
        /// What it waits for, at least one.
        interrupts: Vec<Interrupt>,
    },
    /// Stopped on purpose; neither success nor failure.
    Cancelled,
}

/// A question that an agent waits to have answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Interrupt {
    /// Its id.
    pub id: String,
    /// Why, an open word.
    pub reason: String,
    /// A sentence for the person.
    pub message: Option<String>,
    /// The tool call it gates.
    pub tool_call_id: Option<String>,
    /// JSON Schema of the answer. Patterns in it are never evaluated (rule "interrupts").
    pub response_schema: Option<Object>,
    /// When it ends, ISO 8601 by convention.
    pub expires_at: Option<String>,
    /// The subagent run that waits.
    pub subagent_run_id: Option<String>,
    /// Open metadata.
    pub metadata: Option<Object>,
}

/// Tokens used, per provider and model. Absent is unknown, not zero.
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
