//! Parses and answers interrupts of an older dialect. The agent sends a custom event `on_interrupt`
//! in a run that finishes normally, and receives the answer through
//! `forwardedProps.command.resume`.

use serde_json::{Value, json};

use super::{OpenInterrupt, Session, action_list::ActionList};
use crate::{
    conversation::Conversation,
    event::{Interrupt, Object, ResumeStatus},
};

/// The name of the custom event that contains an interrupt.
const EVENT_NAME: &str = "on_interrupt";

/// Returns the interrupt in a custom event; `None` for a custom event with another name. The
/// event's value is the agent's question, often as JSON in a string.
pub(super) fn parse_interrupt_event(
    name: &str,
    value: &Value,
    raw_event: Option<&Value>,
    number: u64,
) -> Option<Interrupt> {
    if name != EVENT_NAME {
        return None;
    }
    let question = match value {
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| value.clone()),
        value => value.clone(),
    };
    let text = |key: &str| question.get(key).and_then(Value::as_str).map(str::to_owned);
    let actions = question
        .as_object()
        .filter(|question| has_action_list(question));
    let message = match &question {
        Value::String(text) => Some(text.clone()),
        _ => text("message").or_else(|| text("question")),
    };
    // The question itself is the fallback message, unless it has actions, since the actions are
    // shown separately.
    let message = message.or_else(|| actions.is_none().then(|| question.to_string()));
    let id = raw_event
        .and_then(|raw_event| raw_event.get("id"))
        .and_then(Value::as_str)
        .map_or_else(|| format!("{EVENT_NAME}-{number}"), str::to_owned);
    Some(Interrupt {
        id,
        reason: text("reason").unwrap_or_else(|| EVENT_NAME.to_owned()),
        message,
        tool_call_id: text("toolCallId"),
        response_schema: question
            .get("responseSchema")
            .and_then(Value::as_object)
            .cloned(),
        expires_at: text("expiresAt"),
        subagent_run_id: None,
        metadata: actions.cloned(),
    })
}

fn has_action_list(question: &Object) -> bool {
    !ActionList::from_metadata(Some(question))
        .as_slice()
        .is_empty()
}

impl Session {
    /// Returns the forwarded properties with the answers to interrupts of the older dialect.
    pub(super) fn forwarded_props_with_answers(&self) -> Value {
        let interrupts = self.interrupts.list.iter();
        let mut answers: Vec<(String, Value)> = interrupts
            .filter_map(|open| legacy_answer(open, &self.conversation))
            .collect();
        let resume_value = match answers.len() {
            0 => return self.forwarded_props.clone(),
            1 => answers.pop().map(|(_, answer)| answer).unwrap_or_default(),
            // Several answers are sent as an object with the ids as keys.
            _ => Value::Object(answers.into_iter().collect()),
        };
        let mut props = match &self.forwarded_props {
            Value::Object(props) => props.clone(),
            _ => Object::new(),
        };
        let command = props.entry("command").or_insert_with(|| json!({}));
        match command {
            Value::Object(command) => {
                command.insert("resume".to_owned(), resume_value);
            }
            other => *other = json!({"resume": resume_value}),
        }
        Value::Object(props)
    }
}

fn legacy_answer(open: &OpenInterrupt, conversation: &Conversation) -> Option<(String, Value)> {
    let answer = open.legacy.then(|| open.answer_to_send(conversation))??;
    let payload = match answer.status {
        ResumeStatus::Resolved => answer.payload.unwrap_or_default(),
        // The reference adapter sends a cancelled interrupt to a graph in this form.
        ResumeStatus::Cancelled => {
            json!({"__agui_cancelled__": true, "interrupt_id": answer.interrupt_id})
        }
    };
    Some((answer.interrupt_id, payload))
}
