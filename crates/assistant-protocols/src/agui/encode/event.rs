//! Encodes events to JSON, for recordings and test servers.

use serde_json::Value;

use super::input::encode_echoed_input;
use assistant_core::event::{Base, EncryptedEntity, Event, EventKind, Outcome, Role};
use assistant_core::json::fields::Writer;
use assistant_core::json::form::{
    interrupt_to_value, message_to_wire_value, usage_to_value, write_content,
};

/// Returns the value of the `type` member for events of this kind.
#[must_use]
pub const fn event_type(kind: &EventKind) -> &'static str {
    kind.name()
}

/// Encodes an event. An [`EventKind::Extension`], which has no equivalent in the protocol, is
/// encoded for debugging only.
#[must_use]
pub fn event_to_value(event: &Event) -> Value {
    let mut w = Writer::typed(event_type(&event.kind));
    let permits_subagent = match &event.kind {
        EventKind::RunStarted { .. }
        | EventKind::RunFinished { .. }
        | EventKind::RunError { .. } => {
            write_run_event(&mut w, &event.kind);
            false
        }
        EventKind::SubagentStarted { .. }
        | EventKind::SubagentFinished { .. }
        | EventKind::SubagentError { .. } => {
            write_subagent_event(&mut w, &event.kind);
            false
        }
        EventKind::MessagesSnapshot { messages } => {
            w.list("messages", messages, message_to_wire_value);
            false
        }
        kind => {
            write_stream_event(&mut w, kind);
            true
        }
    };
    write_base(&mut w, &event.base, permits_subagent);
    w.into_value()
}

fn write_base(w: &mut Writer, base: &Base, permits_subagent: bool) {
    if let Some(timestamp) = base.timestamp {
        w.put("timestamp", Value::from(timestamp));
    }
    w.opt("rawEvent", base.raw_event.as_deref());
    w.opt_object("metadata", base.metadata.as_deref());
    if permits_subagent {
        w.opt_text("subagentRunId", base.subagent_run_id.as_deref());
    }
}

fn write_run_event(w: &mut Writer, kind: &EventKind) {
    match kind {
        EventKind::RunStarted {
            thread_id,
            run_id,
            protocol_version,
            parent_run_id,
            input,
        } => {
            w.text("threadId", thread_id);
            w.text("runId", run_id);
            w.opt_text("protocolVersion", protocol_version.as_deref());
            w.opt_text("parentRunId", parent_run_id.as_deref());
            if let Some(input) = input {
                w.put("input", encode_echoed_input(input));
            }
        }
        EventKind::RunFinished {
            thread_id,
            run_id,
            result,
            outcome,
            usage,
        } => {
            w.text("threadId", thread_id);
            w.text("runId", run_id);
            w.opt("result", result.as_deref());
            if let Some(outcome) = outcome {
                w.put("outcome", outcome_to_value(outcome));
            }
            w.opt_list("usage", usage, usage_to_value);
        }
        EventKind::RunError {
            message,
            code,
            usage,
        } => {
            w.text("message", message);
            w.opt_text("code", code.as_deref());
            w.opt_list("usage", usage, usage_to_value);
        }
        _ => {}
    }
}

fn write_subagent_event(w: &mut Writer, kind: &EventKind) {
    match kind {
        EventKind::SubagentStarted {
            subagent_run_id,
            name,
            description,
            parent_subagent_run_id,
            parent_tool_call_id,
            parent_message_id,
        } => {
            w.text("subagentRunId", subagent_run_id);
            w.text("name", name);
            w.opt_text("description", description.as_deref());
            w.opt_text("parentSubagentRunId", parent_subagent_run_id.as_deref());
            w.opt_text("parentToolCallId", parent_tool_call_id.as_deref());
            w.opt_text("parentMessageId", parent_message_id.as_deref());
        }
        EventKind::SubagentFinished {
            subagent_run_id,
            result,
            outcome,
        } => {
            w.text("subagentRunId", subagent_run_id);
            w.opt("result", result.as_deref());
            w.opt("outcome", outcome.as_deref());
        }
        EventKind::SubagentError {
            subagent_run_id,
            message,
            code,
        } => {
            w.text("subagentRunId", subagent_run_id);
            w.text("message", message);
            w.opt_text("code", code.as_deref());
        }
        _ => {}
    }
}

/// Writes the fields of an event that may belong to a subagent.
fn write_stream_event(w: &mut Writer, kind: &EventKind) {
    match kind {
        EventKind::StepStarted { step_name } | EventKind::StepFinished { step_name } => {
            w.text("stepName", step_name);
        }
        EventKind::TextMessageStart {
            message_id,
            role,
            name,
        } => {
            w.text("messageId", message_id);
            w.opt_text("role", role.map(Role::as_str));
            w.opt_text("name", name.as_deref());
        }
        EventKind::TextMessageContent { message_id, delta }
        | EventKind::ReasoningMessageContent { message_id, delta } => {
            w.text("messageId", message_id);
            w.text("delta", delta);
        }
        EventKind::TextMessageEnd { message_id }
        | EventKind::ReasoningStart { message_id }
        | EventKind::ReasoningEnd { message_id }
        | EventKind::ReasoningMessageEnd { message_id } => w.text("messageId", message_id),
        EventKind::TextMessageChunk {
            message_id,
            role,
            delta,
            name,
        } => {
            w.opt_text("messageId", message_id.as_deref());
            w.opt_text("role", role.map(Role::as_str));
            w.opt_text("delta", delta.as_deref());
            w.opt_text("name", name.as_deref());
        }
        EventKind::ReasoningMessageStart { message_id } => {
            w.text("messageId", message_id);
            w.text("role", Role::Reasoning.as_str());
        }
        EventKind::ReasoningMessageChunk { message_id, delta } => {
            w.opt_text("messageId", message_id.as_deref());
            w.opt_text("delta", delta.as_deref());
        }
        EventKind::ReasoningEncryptedValue {
            entity,
            entity_id,
            encrypted_value,
        } => {
            let subtype = match entity {
                EncryptedEntity::ToolCall => "tool-call",
                EncryptedEntity::Message => "message",
            };
            w.text("subtype", subtype);
            w.text("entityId", entity_id);
            w.text("encryptedValue", encrypted_value);
        }
        kind => write_tool_or_state_event(w, kind),
    }
}

fn write_tool_or_state_event(w: &mut Writer, kind: &EventKind) {
    match kind {
        EventKind::ToolCallStart {
            tool_call_id,
            tool_call_name,
            parent_message_id,
        } => {
            w.text("toolCallId", tool_call_id);
            w.text("toolCallName", tool_call_name);
            w.opt_text("parentMessageId", parent_message_id.as_deref());
        }
        EventKind::ToolCallArgs {
            tool_call_id,
            delta,
        } => {
            w.text("toolCallId", tool_call_id);
            w.text("delta", delta);
        }
        EventKind::ToolCallEnd { tool_call_id } => w.text("toolCallId", tool_call_id),
        EventKind::ToolCallChunk {
            tool_call_id,
            tool_call_name,
            parent_message_id,
            delta,
        } => {
            w.opt_text("toolCallId", tool_call_id.as_deref());
            w.opt_text("toolCallName", tool_call_name.as_deref());
            w.opt_text("parentMessageId", parent_message_id.as_deref());
            w.opt_text("delta", delta.as_deref());
        }
        EventKind::ToolCallResult {
            message_id,
            tool_call_id,
            content,
        } => {
            w.text("messageId", message_id);
            w.text("toolCallId", tool_call_id);
            write_content(w, content);
        }
        EventKind::StateSnapshot { snapshot } => w.put("snapshot", snapshot.clone()),
        EventKind::StateDelta { delta } => w.put("delta", Value::Array(delta.clone())),
        EventKind::ActivitySnapshot {
            message_id,
            activity_type,
            content,
            replace,
        } => {
            w.text("messageId", message_id);
            w.text("activityType", activity_type);
            w.put("content", Value::Object(content.clone()));
            if !replace {
                w.put("replace", Value::Bool(false));
            }
        }
        EventKind::ActivityDelta {
            message_id,
            activity_type,
            patch,
        } => {
            w.text("messageId", message_id);
            w.text("activityType", activity_type);
            w.put("patch", Value::Array(patch.clone()));
        }
        EventKind::Raw { event, source } => {
            w.put("event", event.clone());
            w.opt_text("source", source.as_deref());
        }
        EventKind::Custom { name, value } => {
            w.text("name", name);
            w.put("value", value.clone());
        }
        EventKind::Extension(extension) => {
            w.text("name", "extension");
            w.put("value", Value::from(format!("{extension:?}")));
        }
        _ => {}
    }
}

fn outcome_to_value(outcome: &Outcome) -> Value {
    match outcome {
        Outcome::Success {
            pending_tool_call_ids,
        } => {
            let mut w = Writer::typed("success");
            if let Some(ids) = pending_tool_call_ids {
                w.put("pendingToolCallIds", Value::from(ids.clone()));
            }
            w.into_value()
        }
        Outcome::Interrupt { interrupts } => {
            let mut w = Writer::typed("interrupt");
            w.list("interrupts", interrupts, interrupt_to_value);
            w.into_value()
        }
        Outcome::Cancelled => Writer::typed("cancelled").into_value(),
    }
}
