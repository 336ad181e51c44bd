//! Parses the input of the request that a recorded stream answers.

use serde_json::Value;

use assistant_core::{
    event::{Interrupt, Message, ResumeEntry, fault::ProtocolError},
    json::form::{interrupt_from_value, message_from_value},
};
use assistant_protocols::agui::resume_entry_from_value;

/// The input of a request: the client's history, its state and its answers. Messages that the
/// conversation already contains are not added again.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReplayInput {
    /// The client's history, in order.
    pub messages: Vec<Message>,
    /// The shared state; `None` leaves the conversation's state unchanged.
    pub state: Option<Value>,
    /// The answers to open interrupts.
    pub resume: Vec<ResumeEntry>,
    /// The open interrupts, which the request must answer.
    pub pending_interrupts: Vec<Interrupt>,
}

impl ReplayInput {
    /// Reads the optional `messages`, `state`, `resume` and `pendingInterrupts` of a run input;
    /// other members are ignored.
    ///
    /// # Errors
    ///
    /// Fails if the value is neither an object nor `null`, or if one of the members has a wrong
    /// value.
    pub fn from_json(mut value: Value) -> Result<Self, ProtocolError> {
        if !value.is_object() && !value.is_null() {
            let message = "Malformed input: it is no object.";
            return Err(ProtocolError::new("malformed", message));
        }
        let mut take = |key: &str| {
            let taken = value.get_mut(key).map(Value::take);
            taken.filter(|value| !value.is_null())
        };
        Ok(Self {
            messages: parse_list(take("messages"), "messages", message_from_value)?,
            state: take("state"),
            resume: parse_list(take("resume"), "resume", resume_entry_from_value)?,
            pending_interrupts: parse_list(
                take("pendingInterrupts"),
                "pendingInterrupts",
                interrupt_from_value,
            )?,
        })
    }
}

fn parse_list<T>(
    value: Option<Value>,
    name: &str,
    read: fn(Value) -> Result<T, ProtocolError>,
) -> Result<Vec<T>, ProtocolError> {
    match value {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => items.into_iter().map(read).collect(),
        Some(_) => {
            let message = format!("Malformed input: '{name}' is no list.");
            Err(ProtocolError::new("malformed", message))
        }
    }
}
