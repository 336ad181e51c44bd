//! Reads the parts of a `UIMessage` for tools: `tool-NAME` or `dynamic-tool`.
//!
//! The state, input and output of a part become those of the call and are not stored a second time.

use serde_json::Value;

use super::{AS_TEXT, DYNAMIC, IN_PIECES};
use crate::{
    conversation::{
        Author, CallApproval, CallError, CallResult, Decision, ErrorKind, Note, Origin, ToolCall,
        json_fields::take_text,
        outcome::{CallEnd, EndedCall},
        state::StateEvent,
    },
    event::Object,
};

/// Reads a call from a tool's part, with the id in the part. `None` for other parts.
pub(super) fn call_from_ui(part: &Value, now: i64) -> Option<ToolCall> {
    let mut rest = part.as_object()?.clone();
    let kind = take_text(&mut rest, "type")?;
    let dynamic = kind == "dynamic-tool";
    let name = match kind.strip_prefix("tool-") {
        Some(name) => name.to_owned(),
        None if dynamic => take_text(&mut rest, "toolName")?,
        None => return None,
    };
    let id = take_text(&mut rest, "toolCallId")?;
    let state = take_text(&mut rest, "state")?;
    let mut call = ToolCall::new(id, name, now);
    read_input(&mut call, &state, &mut rest);
    if rest.get("providerExecuted") == Some(&true.into()) {
        call.origin = Origin::Provider;
    }
    let asked = rest.get("approval").and_then(Value::as_object).cloned();
    let approval = asked.as_ref().map(read_approval);
    call.apply_note(Note::Approval(approval.clone()));
    read_outcome(&mut call, approval, &state, &mut rest);
    // It happened before: no event is emitted.
    call.events.clear();
    if dynamic {
        rest.insert(DYNAMIC.to_owned(), true.into());
    }
    super::edit_ui_fields(&mut call.extra, |notes| *notes = rest);
    Some(call)
}

fn read_input(call: &mut ToolCall, state: &str, rest: &mut Object) {
    let input = rest.shift_remove("input");
    if state == "input-streaming" {
        let raw = take_text(rest, "rawInput");
        if raw.is_some() {
            rest.insert(IN_PIECES.to_owned(), true.into());
        }
        let text = raw.or_else(|| input.map(|input| input.to_string()));
        return call.push_args(&text.unwrap_or_default());
    }
    match input {
        // Input that could not be parsed is kept as text.
        Some(Value::String(text)) if state == "output-error" => {
            rest.insert(AS_TEXT.to_owned(), true.into());
            call.push_args(&text);
        }
        Some(input) => call.push_args(&input.to_string()),
        None => {}
    }
    call.end_args();
}

fn read_approval(asked: &Object) -> CallApproval {
    let text = |key: &str| asked.get(key).and_then(Value::as_str).map(str::to_owned);
    let decision = match asked.get("approved").and_then(Value::as_bool) {
        Some(true) => Some(Decision::Approved),
        Some(false) => Some(Decision::Denied {
            reason: text("reason"),
        }),
        None => None,
    };
    CallApproval {
        decision,
        interrupt_id: text("id"),
        ..CallApproval::default()
    }
}

fn read_outcome(
    call: &mut ToolCall,
    approval: Option<CallApproval>,
    state: &str,
    rest: &mut Object,
) {
    let mut error = None;
    let result = |value: Value| {
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
            let output = rest.shift_remove("output").unwrap_or_default();
            if rest.get("preliminary") == Some(&true.into()) {
                call.preliminary = Some(output);
                return;
            }
            (CallEnd::Output, result(output))
        }
        "output-error" => {
            let message = take_text(rest, "errorText").unwrap_or_default();
            error = Some(CallError::new(ErrorKind::Agent, message.clone()));
            (CallEnd::Error, result(message.into()))
        }
        "output-denied" => (CallEnd::Denied, result("denied".into())),
        "approval-requested" | "approval-responded" => {
            call.apply_event(StateEvent::Interrupted { card: true });
            call.apply_note(Note::Approval(approval));
            if state == "approval-responded" {
                let (approved, reason) = match decision {
                    Some(Decision::Denied { reason }) => (false, reason),
                    _ => (true, None),
                };
                call.apply_event(StateEvent::InterruptAnswered {
                    approved,
                    reason,
                    by: None,
                });
            }
            return;
        }
        _ => return,
    };
    let mut answer = CallResult::new(format!("{}-result", call.id), content, value);
    answer.error = error.as_ref().map(|error| error.message.clone());
    let mut outcome = EndedCall::new(end, Author::Record, true);
    outcome.error = error;
    outcome.result = Some(answer);
    call.apply_note(Note::Approval(approval));
    call.apply_event(StateEvent::Settled(Box::new(outcome)));
}
