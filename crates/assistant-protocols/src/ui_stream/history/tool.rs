//! Encodes calls as tool parts of a `UIMessage`, with the type `tool-NAME` or `dynamic-tool`.
//!
//! The state, input and output of a part are derived from the call instead of stored separately.

use serde_json::Value;

use super::{has_stored_flag, put_text, stored_fields, stored_text};
use assistant_core::{
    conversation::{
        Decision, Phase, ToolCall,
        ui_notes::{AS_TEXT, DYNAMIC, IN_PIECES, WIRE_ID},
    },
    event::Object,
};

/// The names of the stored fields that a part contains only in certain states.
const STATE_NOTES: [&str; 3] = ["approval", "inputEncoding", "preliminary"];

/// Returns the id that the agent uses for a call. This id may differ from the call's id in the
/// conversation.
pub(super) fn wire_id(call: &ToolCall) -> &str {
    stored_text(call.extra(), WIRE_ID).unwrap_or(call.id())
}

pub(super) fn is_dynamic(call: &ToolCall) -> bool {
    has_stored_flag(call.extra(), DYNAMIC)
}

/// Returns the AI SDK's name for the state of a call.
pub(super) fn state(call: &ToolCall) -> &'static str {
    let approval = approval(call);
    let is_answered = approval
        .as_ref()
        .is_some_and(|approval| approval.contains_key("approved"));
    let is_denial = || !call.is_settled_here() || (is_answered && is_asked_by_agent(call));
    match call.phase() {
        Phase::OutputError => "output-error",
        Phase::OutputDenied if is_denial() => "output-denied",
        phase if phase.is_final() => "output-available",
        _ if is_preliminary(call) => "output-available",
        _ if is_answered => "approval-responded",
        _ if approval.is_some() => "approval-requested",
        Phase::InputStreaming => "input-streaming",
        _ => "input-available",
    }
}

fn is_asked_by_agent(call: &ToolCall) -> bool {
    let approval = call.approval();
    approval.is_some_and(|approval| approval.interrupt_id().is_some())
}

fn is_preliminary(call: &ToolCall) -> bool {
    call.preliminary().is_some() && has_stored_flag(call.extra(), "preliminary")
}

/// Returns the agent's approval request as it was received, together with the user's answer if the
/// user has answered. Returns `None` if the agent requested no approval.
pub(super) fn approval(call: &ToolCall) -> Option<Object> {
    let mut out = stored_fields(call.extra())?
        .get("approval")?
        .as_object()?
        .clone();
    let decision = call.approval().filter(|_| is_asked_by_agent(call));
    match decision.and_then(|approval| approval.decision()) {
        Some(Decision::Approved) => {
            out.insert("approved".to_owned(), true.into());
        }
        Some(Decision::Denied { reason }) => {
            out.insert("approved".to_owned(), false.into());
            if let Some(reason) = reason {
                put_text(&mut out, "reason", reason);
            }
        }
        None => {}
    }
    Some(out)
}

/// Encodes a call as a part. If the part is for a request, its approval is adapted to the AI SDK's
/// schema ([`repair_approval`]).
pub(super) fn to_value(call: &ToolCall, request: bool) -> Value {
    let mut out = Object::new();
    if is_dynamic(call) {
        put_text(&mut out, "type", "dynamic-tool");
        put_text(&mut out, "toolName", call.name());
    } else {
        put_text(&mut out, "type", &format!("tool-{}", call.name()));
    }
    put_text(&mut out, "toolCallId", wire_id(call));
    let state = state(call);
    put_text(&mut out, "state", state);
    for (key, value) in stored_fields(call.extra()).into_iter().flatten() {
        if !key.starts_with('#') && !STATE_NOTES.contains(&key.as_str()) {
            out.insert(key.clone(), value.clone());
        }
    }
    if let Some(input) = input_value(call) {
        out.insert("input".to_owned(), input);
    }
    write_state_fields(call, state, &mut out);
    if request {
        repair_approval(call, state, &mut out);
    }
    Value::Object(out)
}

/// Adapts the approval of a part to the AI SDK's schema. In the state `output-denied`, the schema
/// requires a denied approval. In a part with an output or an error, the schema permits only a
/// granted approval.
fn repair_approval(call: &ToolCall, state: &str, out: &mut Object) {
    let approved_field = out
        .get("approval")
        .and_then(|approval| approval.get("approved"));
    match state {
        "output-denied" if approved_field != Some(&false.into()) => {
            let approval = out.shift_remove("approval");
            let mut approval = match approval {
                Some(Value::Object(approval)) => approval,
                _ => Object::new(),
            };
            approval.entry("id").or_insert_with(|| wire_id(call).into());
            approval.insert("approved".to_owned(), false.into());
            out.insert("approval".to_owned(), Value::Object(approval));
        }
        "output-available" | "output-error" if approved_field != Some(&true.into()) => {
            out.shift_remove("approval");
        }
        _ => {}
    }
}

fn write_state_fields(call: &ToolCall, state: &str, out: &mut Object) {
    let stored_field = |key: &str| {
        stored_fields(call.extra())
            .and_then(|notes| notes.get(key))
            .cloned()
    };
    let is_open = match state {
        "output-available" => false,
        "output-error" => !call.has_ended() && !is_dynamic(call),
        _ => !call.has_ended(),
    };
    if is_open && has_stored_flag(call.extra(), IN_PIECES) {
        put_text(out, "rawInput", call.args_text());
    }
    if let Some(encoding) = stored_field("inputEncoding").filter(|_| is_open) {
        out.insert("inputEncoding".to_owned(), encoding);
    }
    let is_output = matches!(state, "output-available" | "output-error");
    if let Some(approval) = approval(call) {
        // An approval that is not granted is omitted if the page recorded the result of the call,
        // because the schema permits only a granted approval next to an output or an error.
        let is_granted = approval.get("approved") == Some(&true.into());
        if is_granted || !is_output || !call.is_settled_here() {
            out.insert("approval".to_owned(), Value::Object(approval));
        }
    }
    if state == "output-available" {
        let value = call.result().map(|result| result.value());
        let value = value.or(call.preliminary()).cloned();
        out.insert("output".to_owned(), value.unwrap_or_default());
        if let Some(preliminary) = stored_field("preliminary") {
            out.insert("preliminary".to_owned(), preliminary);
        }
    }
    if state == "output-error" {
        let message = call.error().map(|error| error.message().to_owned());
        let message = message.or_else(|| {
            call.result()
                .and_then(|result| result.error().map(str::to_owned))
        });
        put_text(out, "errorText", &message.unwrap_or_default());
    }
}

/// Returns the arguments of a call, or `None` if the call has no arguments. If the arguments are
/// marked as text, their text is returned. If not, the edited arguments with which the call was
/// started are returned or, if there are none, the arguments that were received so far.
fn input_value(call: &ToolCall) -> Option<Value> {
    let encoding = stored_fields(call.extra()).and_then(|notes| notes.get("inputEncoding"));
    let is_text = encoding == Some(&"text".into()) && !call.has_ended();
    if has_stored_flag(call.extra(), AS_TEXT) || (is_text && !call.args_text().is_empty()) {
        return Some(call.args_text().into());
    }
    let edited_args = call.edited_args().filter(|_| call.was_started());
    edited_args.or_else(|| call.partial_args()).cloned()
}
