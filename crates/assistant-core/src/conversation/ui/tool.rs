//! Reads the parts of a `UIMessage` for tool calls, which have the type `tool-NAME` or
//! `dynamic-tool`.
//!
//! The state, the input and the output of a part become the state, the arguments and the result of
//! the call, and are not stored in `extra` as well.

use serde_json::Value;

use super::{AS_TEXT, DYNAMIC, IN_PIECES};
use crate::{
    conversation::{
        Author, CallApproval, CallDataChange, CallError, CallResult, Decision, ErrorKind, Origin,
        ToolCall, json_fields::take_text, outcome::CallEnd, state::StateEvent,
    },
    event::Object,
};

/// Reads a call with its id from a part for a tool call. Returns `None` for other parts.
pub(super) fn call_from_ui(part: &Value, now: i64) -> Option<ToolCall> {
    let mut fields = part.as_object()?.clone();
    let kind = take_text(&mut fields, "type")?;
    let is_dynamic = kind == "dynamic-tool";
    let name = match kind.strip_prefix("tool-") {
        Some(name) => name.to_owned(),
        None if is_dynamic => take_text(&mut fields, "toolName")?,
        None => return None,
    };
    let id = take_text(&mut fields, "toolCallId")?;
    let state = take_text(&mut fields, "state")?;
    let mut call = ToolCall::new(id, name, now);
    read_input(&mut call, &state, &mut fields);
    if fields.get("providerExecuted") == Some(&true.into()) {
        call.origin = Origin::Provider;
    }
    let approval_fields = fields.get("approval").and_then(Value::as_object).cloned();
    let approval = approval_fields.as_ref().map(read_approval);
    call.apply_data_change(CallDataChange::Approval(approval.clone()));
    read_outcome(&mut call, approval, &state, &mut fields);
    // The events are discarded, because the call was made in the past.
    call.events.clear();
    if is_dynamic {
        fields.insert(DYNAMIC.to_owned(), true.into());
    }
    super::edit_ui_fields(&mut call.extra, |notes| *notes = fields);
    Some(call)
}

fn read_input(call: &mut ToolCall, state: &str, fields: &mut Object) {
    let input = fields.shift_remove("input");
    if state == "input-streaming" {
        let raw_input = take_text(fields, "rawInput");
        if raw_input.is_some() {
            fields.insert(IN_PIECES.to_owned(), true.into());
        }
        let text = raw_input.or_else(|| input.map(|input| input.to_string()));
        return call.push_args(&text.unwrap_or_default());
    }
    match input {
        // The input of a failed call is kept as text, because it could not be parsed.
        Some(Value::String(text)) if state == "output-error" => {
            fields.insert(AS_TEXT.to_owned(), true.into());
            call.push_args(&text);
        }
        Some(input) => call.push_args(&input.to_string()),
        None => {}
    }
    call.end_args();
}

fn read_approval(fields: &Object) -> CallApproval {
    let text_field = |key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
    let decision = match fields.get("approved").and_then(Value::as_bool) {
        Some(true) => Some(Decision::Approved),
        Some(false) => Some(Decision::Denied {
            reason: text_field("reason"),
        }),
        None => None,
    };
    CallApproval {
        decision,
        interrupt_id: text_field("id"),
        ..CallApproval::default()
    }
}

fn read_outcome(
    call: &mut ToolCall,
    approval: Option<CallApproval>,
    state: &str,
    fields: &mut Object,
) {
    let mut error = None;
    let to_result = |value: Value| {
        let content = match &value {
            Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        (content, value)
    };
    let decision = approval
        .as_ref()
        .and_then(|approval| approval.decision.clone());
    let (end, (content, value)) = match state {
        "output-available" => {
            let output = fields.shift_remove("output").unwrap_or_default();
            if fields.get("preliminary") == Some(&true.into()) {
                call.preliminary = Some(output);
                return;
            }
            (CallEnd::Output, to_result(output))
        }
        "output-error" => {
            let message = take_text(fields, "errorText").unwrap_or_default();
            error = Some(CallError::new(ErrorKind::Agent, message.clone()));
            (CallEnd::Error, to_result(message.into()))
        }
        "output-denied" => (CallEnd::Denied, to_result("denied".into())),
        "approval-requested" | "approval-responded" => {
            call.apply_event(StateEvent::Interrupted { card: true });
            call.apply_data_change(CallDataChange::Approval(approval));
            if state == "approval-responded" {
                let (is_approved, reason) = match decision {
                    Some(Decision::Denied { reason }) => (false, reason),
                    _ => (true, None),
                };
                call.apply_event(StateEvent::InterruptAnswered {
                    approved: is_approved,
                    reason,
                    by: None,
                });
            }
            return;
        }
        _ => return,
    };
    let result = CallResult::new(format!("{}-result", call.id), content, value);
    call.settle((end, Author::Record, None), result, error);
}
