//! Decodes the fields of an AG-UI event into an [`Event`].
//!
//! This module checks the fields of each event; [`super::verify`] checks the order of events.
//! Fields are read in the order in which the protocol describes them, so that the first fault found
//! is the fault that the reference client reports. [`assistant_core::json::form`] reads messages,
//! and [`super::run`] reads run input and outcomes.

use serde_json::Value;

use super::{patch, run};
use assistant_core::event::fault::{Notes, ProtocolError, quote};
use assistant_core::event::{Base, Diagnostic, EncryptedEntity, Event, EventKind, Role};
use assistant_core::json::fields::{Context, EventObject, Fault, Fields, Path, Read, word};
use assistant_core::json::form;

/// Decodes one event. Returns `None` for an event whose type or subtype is not part of AG-UI 1.0,
/// and adds a diagnostic. If `strict` is true, `null` is rejected in optional fields.
///
/// # Errors
///
/// Fails if the event has no type or lacks a required field, or if a known field has an
/// invalid value.
pub fn decode_event(
    mut object: EventObject,
    strict: bool,
    notes: &mut Notes,
) -> Result<Option<Event>, ProtocolError> {
    let event_type = object.take_text("type").filter(|text| !text.is_empty());
    let Some(event_type) = event_type else {
        let message = "Invalid event: the frame carries no event type.";
        return Err(ProtocolError::new("invalid-frame", message));
    };
    let mut context = Context::new(&event_type, strict, notes);
    match read_event(Fields::new(object, Path::Root), &mut context) {
        Ok(event) => Ok(Some(event)),
        Err(Fault::Fatal(error)) => Err(error),
        Err(Fault::Unknown) => {
            let event_type = quote(&event_type);
            let message = format!("Dropping unrecognised event '{event_type}'.");
            notes.add(Diagnostic::new("unknown-event", message));
            Ok(None)
        }
    }
}

fn read_event(mut fields: Fields<'_>, context: &mut Context<'_>) -> Read<Event> {
    let f = &mut fields;
    let permits_subagent = is_attributable(context.name());
    let kind = read_kind(f, context);
    if matches!(kind, Err(Fault::Unknown)) {
        return Err(Fault::Unknown);
    }
    // The common fields are read last, because most events have none. A fault in the common fields
    // is reported before other faults, because the protocol describes these fields first.
    let kind_check = f.checked();
    let base = read_base(f, context, permits_subagent);
    f.checked()?;
    let kind = kind?;
    kind_check?;
    // The event is built last, because it is large and expensive to move.
    fields.close(context, ())?;
    Ok(Event { kind, base })
}

/// Returns true if events with this name may have a `subagentRunId`.
fn is_attributable(name: &str) -> bool {
    let is_run_event = name.starts_with("RUN_") || name.starts_with("SUBAGENT_");
    !is_run_event && name != "MESSAGES_SNAPSHOT"
}

#[inline]
fn read_kind(f: &mut Fields<'_>, context: &mut Context<'_>) -> Read<EventKind> {
    Ok(match context.name() {
        "TEXT_MESSAGE_CONTENT" => EventKind::TextMessageContent {
            message_id: f.text(context, "messageId"),
            delta: f.text(context, "delta"),
        },
        "TOOL_CALL_ARGS" => EventKind::ToolCallArgs {
            tool_call_id: f.text(context, "toolCallId"),
            delta: f.text(context, "delta"),
        },
        name if name.starts_with("TEXT_MESSAGE_") => read_text_message(name, f, context)?,
        name if name.starts_with("TOOL_CALL_") => read_tool_call(name, f, context)?,
        name if name.starts_with("REASONING_") => read_reasoning(name, f, context)?,
        name if name.starts_with("SUBAGENT_") => read_subagent(name, f, context)?,
        name if name.starts_with("RUN_") => read_run_event(name, f, context)?,
        "MESSAGES_SNAPSHOT" => EventKind::MessagesSnapshot {
            messages: f.list(context, "messages", form::message),
        },
        name => read_standalone_event(name, f, context)?,
    })
}

fn read_base(f: &mut Fields<'_>, context: &mut Context<'_>, permits_subagent: bool) -> Base {
    // The default is returned early, because most events of streamed text have no optional fields.
    if f.is_empty() {
        return Base::default();
    }
    Base {
        timestamp: f.opt_integer(context, "timestamp", i64::MIN),
        raw_event: f.opt(context, "rawEvent").map(Box::new),
        metadata: f.opt_record(context, "metadata").map(Box::new),
        subagent_run_id: if permits_subagent {
            f.opt_text(context, "subagentRunId")
        } else {
            None
        },
    }
}

fn read_text_message(name: &str, f: &mut Fields<'_>, context: &mut Context<'_>) -> Read<EventKind> {
    Ok(match name {
        "TEXT_MESSAGE_START" => EventKind::TextMessageStart {
            message_id: f.text(context, "messageId"),
            role: f.opt_with(context, "role", read_role),
            name: f.opt_text(context, "name"),
        },
        "TEXT_MESSAGE_END" => EventKind::TextMessageEnd {
            message_id: f.text(context, "messageId"),
        },
        "TEXT_MESSAGE_CHUNK" => EventKind::TextMessageChunk {
            message_id: f.opt_text(context, "messageId"),
            role: f.opt_with(context, "role", read_role),
            delta: f.opt_text(context, "delta"),
            name: f.opt_text(context, "name"),
        },
        _ => return Err(Fault::Unknown),
    })
}

fn read_tool_call(name: &str, f: &mut Fields<'_>, context: &mut Context<'_>) -> Read<EventKind> {
    Ok(match name {
        "TOOL_CALL_START" => EventKind::ToolCallStart {
            tool_call_id: f.text(context, "toolCallId"),
            tool_call_name: f.text(context, "toolCallName"),
            parent_message_id: f.opt_text(context, "parentMessageId"),
        },
        "TOOL_CALL_END" => EventKind::ToolCallEnd {
            tool_call_id: f.text(context, "toolCallId"),
        },
        "TOOL_CALL_CHUNK" => EventKind::ToolCallChunk {
            tool_call_id: f.opt_text(context, "toolCallId"),
            tool_call_name: f.opt_text(context, "toolCallName"),
            parent_message_id: f.opt_text(context, "parentMessageId"),
            delta: f.opt_text(context, "delta"),
        },
        "TOOL_CALL_RESULT" => {
            let message_id = f.text(context, "messageId");
            let tool_call_id = f.text(context, "toolCallId");
            let content = form::content(f, context);
            if f.has("role") && (context.is_strict() || !f.is_null("role")) {
                f.literal(context, "role", "tool");
            }
            f.opt(context, "role");
            EventKind::ToolCallResult {
                message_id,
                tool_call_id,
                content,
            }
        }
        _ => return Err(Fault::Unknown),
    })
}

fn read_reasoning(name: &str, f: &mut Fields<'_>, context: &mut Context<'_>) -> Read<EventKind> {
    Ok(match name {
        "REASONING_START" => EventKind::ReasoningStart {
            message_id: f.text(context, "messageId"),
        },
        "REASONING_END" => EventKind::ReasoningEnd {
            message_id: f.text(context, "messageId"),
        },
        "REASONING_MESSAGE_START" => {
            let message_id = f.text(context, "messageId");
            f.literal(context, "role", "reasoning");
            EventKind::ReasoningMessageStart { message_id }
        }
        "REASONING_MESSAGE_CONTENT" => EventKind::ReasoningMessageContent {
            message_id: f.text(context, "messageId"),
            delta: f.text(context, "delta"),
        },
        "REASONING_MESSAGE_END" => EventKind::ReasoningMessageEnd {
            message_id: f.text(context, "messageId"),
        },
        "REASONING_MESSAGE_CHUNK" => EventKind::ReasoningMessageChunk {
            message_id: f.opt_text(context, "messageId"),
            delta: f.opt_text(context, "delta"),
        },
        "REASONING_ENCRYPTED_VALUE" => EventKind::ReasoningEncryptedValue {
            entity: f.word(
                context,
                "subtype",
                &[
                    ("tool-call", EncryptedEntity::ToolCall),
                    ("message", EncryptedEntity::Message),
                ],
            )?,
            entity_id: f.text(context, "entityId"),
            encrypted_value: f.text(context, "encryptedValue"),
        },
        _ => return Err(Fault::Unknown),
    })
}

fn read_subagent(name: &str, f: &mut Fields<'_>, context: &mut Context<'_>) -> Read<EventKind> {
    Ok(match name {
        "SUBAGENT_STARTED" => EventKind::SubagentStarted {
            subagent_run_id: f.text(context, "subagentRunId"),
            name: f.text(context, "name"),
            description: f.opt_text(context, "description"),
            parent_subagent_run_id: f.opt_text(context, "parentSubagentRunId"),
            parent_tool_call_id: f.opt_text(context, "parentToolCallId"),
            parent_message_id: f.opt_text(context, "parentMessageId"),
        },
        "SUBAGENT_FINISHED" => EventKind::SubagentFinished {
            subagent_run_id: f.text(context, "subagentRunId"),
            result: f.opt(context, "result").map(Box::new),
            outcome: f
                .opt_with(context, "outcome", run::read_subagent_outcome)
                .map(Box::new),
        },
        "SUBAGENT_ERROR" => EventKind::SubagentError {
            subagent_run_id: f.text(context, "subagentRunId"),
            message: f.text(context, "message"),
            code: f.opt_text(context, "code"),
        },
        _ => return Err(Fault::Unknown),
    })
}

fn read_run_event(name: &str, f: &mut Fields<'_>, context: &mut Context<'_>) -> Read<EventKind> {
    Ok(match name {
        "RUN_STARTED" => {
            let thread_id = f.text(context, "threadId");
            let run_id = f.text(context, "runId");
            let protocol_version = f.opt_text(context, "protocolVersion");
            if let Some(version) = &protocol_version {
                run::check_protocol_version(version, context);
            }
            EventKind::RunStarted {
                thread_id,
                run_id,
                protocol_version,
                parent_run_id: f.opt_text(context, "parentRunId"),
                input: f
                    .opt_with(context, "input", run::read_run_input)
                    .map(Box::new),
            }
        }
        "RUN_FINISHED" => EventKind::RunFinished {
            thread_id: f.text(context, "threadId"),
            run_id: f.text(context, "runId"),
            result: f.opt(context, "result").map(Box::new),
            outcome: f.opt_with(context, "outcome", run::read_outcome),
            usage: f
                .opt_list(context, "usage", form::usage)
                .unwrap_or_default(),
        },
        "RUN_ERROR" => EventKind::RunError {
            message: f.text(context, "message"),
            code: f.opt_text(context, "code"),
            usage: f
                .opt_list(context, "usage", form::usage)
                .unwrap_or_default(),
        },
        _ => return Err(Fault::Unknown),
    })
}

fn read_standalone_event(
    name: &str,
    f: &mut Fields<'_>,
    context: &mut Context<'_>,
) -> Read<EventKind> {
    Ok(match name {
        "STEP_STARTED" => EventKind::StepStarted {
            step_name: f.text(context, "stepName"),
        },
        "STEP_FINISHED" => EventKind::StepFinished {
            step_name: f.text(context, "stepName"),
        },
        "STATE_SNAPSHOT" => EventKind::StateSnapshot {
            snapshot: f.any(context, "snapshot"),
        },
        "STATE_DELTA" => EventKind::StateDelta {
            delta: f.list(context, "delta", patch::validate_operation),
        },
        "ACTIVITY_SNAPSHOT" => EventKind::ActivitySnapshot {
            message_id: f.text(context, "messageId"),
            activity_type: f.text(context, "activityType"),
            content: f.record(context, "content"),
            replace: f.opt_bool(context, "replace").unwrap_or(true),
        },
        "ACTIVITY_DELTA" => EventKind::ActivityDelta {
            message_id: f.text(context, "messageId"),
            activity_type: f.text(context, "activityType"),
            patch: f.list(context, "patch", patch::validate_operation),
        },
        "RAW" => EventKind::Raw {
            event: f.any(context, "event"),
            source: f.opt_text(context, "source"),
        },
        "CUSTOM" => EventKind::Custom {
            name: f.text(context, "name"),
            value: f.any(context, "value"),
        },
        _ => return Err(Fault::Unknown),
    })
}

/// Reads the role of a streamed text: developer, system, assistant or user. Any other role is
/// reported as an unknown value.
fn read_role(value: Value, context: &mut Context<'_>, path: Path<'_>) -> Read<Role> {
    let roles = [Role::Developer, Role::System, Role::Assistant, Role::User];
    let words = roles.map(|role| (role.as_str(), role));
    word(Some(&value), context, path, &words)
}
