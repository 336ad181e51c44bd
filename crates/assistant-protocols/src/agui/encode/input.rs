//! Encodes run input to JSON, as the body of the request that starts a run.

use serde_json::Value;

use super::super::PROTOCOL_VERSION;
use assistant_core::event::{
    ContextItem, Message, Object, ResumeEntry, ResumeStatus, Role, RunInput, Tool,
};
use assistant_core::json::fields::Writer;
use assistant_core::json::form::message_to_wire_value;

/// Encodes the body of the request for a run. State, tools, context and forwarded properties are
/// always included, because older servers reject a request without them. Activity messages are
/// never included.
#[must_use]
pub fn run_input(input: &RunInput) -> Value {
    encode_input(input, |message| message.role() != Role::Activity)
}

/// Encodes the body of the request for a run as JSON text, like [`run_input`].
#[must_use]
pub fn run_input_text(input: &RunInput) -> String {
    run_input(input).to_string()
}

/// Encodes an input with all its messages, for the `input` field of `RUN_STARTED`.
pub(super) fn encode_echoed_input(input: &RunInput) -> Value {
    encode_input(input, |_| true)
}

fn encode_input(input: &RunInput, keep: fn(&Message) -> bool) -> Value {
    let mut w = Writer::default();
    w.text("threadId", &input.thread_id);
    w.text("runId", &input.run_id);
    w.text("protocolVersion", PROTOCOL_VERSION);
    w.opt_text("parentRunId", input.parent_run_id.as_deref());
    w.put("state", null_to_object(&input.state));
    let messages = input.messages.iter().filter(|message| keep(message));
    w.put(
        "messages",
        Value::Array(messages.map(message_to_wire_value).collect()),
    );
    w.list("tools", &input.tools, tool_to_value);
    w.list("context", &input.context, context_item_to_value);
    w.put("forwardedProps", null_to_object(&input.forwarded_props));
    w.opt_list("resume", &input.resume, resume_entry_to_value);
    w.into_value()
}

/// Returns an empty object for `null`, and any other value unchanged. Neither the state nor the
/// forwarded properties of a request may be `null`.
fn null_to_object(value: &Value) -> Value {
    if value.is_null() {
        Value::Object(Object::new())
    } else {
        value.clone()
    }
}

fn tool_to_value(tool: &Tool) -> Value {
    let mut w = Writer::default();
    w.text("name", &tool.name);
    w.text("description", &tool.description);
    w.opt("parameters", tool.parameters.as_ref());
    w.opt_object("metadata", tool.metadata.as_ref());
    w.into_value()
}

fn context_item_to_value(item: &ContextItem) -> Value {
    let mut w = Writer::default();
    w.text("description", &item.description);
    w.text("value", &item.value);
    w.into_value()
}

fn resume_entry_to_value(entry: &ResumeEntry) -> Value {
    let mut w = Writer::default();
    w.text("interruptId", &entry.interrupt_id);
    w.text(
        "status",
        match entry.status {
            ResumeStatus::Resolved => "resolved",
            ResumeStatus::Cancelled => "cancelled",
        },
    );
    w.opt("payload", entry.payload.as_ref());
    w.opt_object("metadata", entry.metadata.as_ref());
    w.into_value()
}
