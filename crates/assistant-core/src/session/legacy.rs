//! Interrupts of agents that speak an older dialect: a custom event `on_interrupt` in a run that
//! finishes as usual, answered through `forwardedProps.command.resume`.

use serde_json::{Value, json};

use super::{OpenInterrupt, Session};
use crate::event::{Interrupt, Object, ResumeStatus};

/// The name of the custom event.
const EVENT: &str = "on_interrupt";

/// The interrupt that a custom event stands for. Its value is what the agent asks, often as JSON
/// in a string.
pub(super) fn interrupt_of(name: &str, value: &Value, id: u64) -> Option<Interrupt> {
    if name != EVENT {
        return None;
    }
    let asked = match value {
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| value.clone()),
        value => value.clone(),
    };
    let text = |key: &str| asked.get(key).and_then(Value::as_str).map(str::to_owned);
    let message = match &asked {
        Value::String(text) => text.clone(),
        _ => text("message")
            .or_else(|| text("question"))
            .unwrap_or_else(|| asked.to_string()),
    };
    Some(Interrupt {
        id: format!("{EVENT}-{id}"),
        reason: text("reason").unwrap_or_else(|| EVENT.to_owned()),
        message: Some(message),
        tool_call_id: None,
        response_schema: None,
        expires_at: None,
        subagent_run_id: None,
        metadata: None,
    })
}

impl Session {
    /// What the host passes through, with the answers to interrupts of the older dialect.
    pub(super) fn props_with_answers(&self) -> Value {
        let mut answers: Vec<Value> = self.interrupts.iter().filter_map(legacy_answer).collect();
        let resume = match answers.len() {
            0 => return self.forwarded_props.clone(),
            1 => answers.pop().unwrap_or_default(),
            _ => Value::Array(answers),
        };
        let mut props = match &self.forwarded_props {
            Value::Object(props) => props.clone(),
            _ => Object::new(),
        };
        let command = props.entry("command").or_insert_with(|| json!({}));
        match command {
            Value::Object(command) => {
                command.insert("resume".to_owned(), resume);
            }
            other => *other = json!({"resume": resume}),
        }
        Value::Object(props)
    }
}

fn legacy_answer(open: &OpenInterrupt) -> Option<Value> {
    let answer = open.answer.as_ref().filter(|_| open.legacy)?;
    Some(match answer.status {
        ResumeStatus::Resolved => answer.payload.clone().unwrap_or_default(),
        // What the adapter of the reference sends to a graph whose interrupt was given up.
        ResumeStatus::Cancelled => {
            json!({"__agui_cancelled__": true, "interrupt_id": answer.interrupt_id})
        }
    })
}
