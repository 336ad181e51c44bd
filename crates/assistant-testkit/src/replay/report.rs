//! Defines the report of a replayed stream, and its JSON format.

use serde_json::{Value, json};

use assistant_core::{
    event::{Diagnostic, Interrupt, Message, fault::ProtocolError},
    json::form::{interrupt_to_value, message_to_value},
};
use assistant_protocols::agui::End;

/// The result of replaying a stream.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The end of the stream: a terminal event, a truncation, or a violation of the protocol.
    pub outcome: End,
    /// The violation that ended the stream, if any.
    pub error: Option<ProtocolError>,
    /// The ends of the stream's finished runs.
    pub finished: Vec<Finished>,
    /// The errors that the stream's runs reported.
    pub run_errors: Vec<RunFailure>,
    /// All messages of the conversation after the stream, in the received order.
    pub messages: Vec<Message>,
    /// The shared state after the stream.
    pub state: Value,
    /// The open interrupts of agents after the stream.
    pub pending_interrupts: Vec<Interrupt>,
    /// Diagnostics about input that was tolerated, dropped or could not be applied.
    pub diagnostics: Vec<Diagnostic>,
}

/// The end of a run that finished without an error.
#[derive(Debug, Clone, PartialEq)]
pub enum Finished {
    /// The run finished.
    Success {
        /// The calls that are handed off to the page: those that the agent lists, or those that it
        /// started without a result.
        pending_tool_call_ids: Vec<String>,
    },
    /// The run waits for answers to interrupts.
    Interrupt {
        /// The interrupts.
        interrupts: Vec<Interrupt>,
    },
    /// The agent cancelled the run.
    Cancelled,
}

/// An error that a run reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFailure {
    /// The error message.
    pub message: String,
    /// The agent's error code, if any.
    pub code: Option<String>,
}

impl Report {
    /// Returns the report as one JSON object.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let failures = self.run_errors.iter().map(RunFailure::to_json);
        let notes = self
            .diagnostics
            .iter()
            .map(|note| json!({"code": note.code(), "message": note.message()}));
        json!({
            "outcome": match self.outcome {
                End::Complete => "completed",
                End::Failed => "failed",
                End::Truncated => "truncated",
            },
            "error": self.error.as_ref().map(|error| error.message()),
            "finished": self.finished.iter().map(Finished::to_json).collect::<Value>(),
            "runErrors": failures.collect::<Value>(),
            "messages": self.messages.iter().map(message_to_value).collect::<Value>(),
            "state": self.state,
            "pendingInterrupts": interrupts_to_json(&self.pending_interrupts),
            "diagnostics": notes.collect::<Value>(),
        })
    }
}

impl Finished {
    fn to_json(&self) -> Value {
        match self {
            Self::Success {
                pending_tool_call_ids,
            } => json!({"outcome": "success", "pendingToolCallIds": pending_tool_call_ids}),
            Self::Interrupt { interrupts } => {
                json!({"outcome": "interrupt", "interrupts": interrupts_to_json(interrupts)})
            }
            Self::Cancelled => json!({"outcome": "cancelled"}),
        }
    }
}

impl RunFailure {
    fn to_json(&self) -> Value {
        let mut json = json!({"message": self.message});
        if let (Some(code), Value::Object(json)) = (&self.code, &mut json) {
            json.insert("code".to_owned(), code.as_str().into());
        }
        json
    }
}

fn interrupts_to_json(interrupts: &[Interrupt]) -> Value {
    interrupts.iter().map(interrupt_to_value).collect()
}
