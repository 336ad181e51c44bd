//! Converts the parts of a `UIMessage` for tools: `tool-NAME` or `dynamic-tool`.
//!
//! The state, input and output of a part derive from the call and are not stored a second time.

use serde_json::Value;

use super::{AS_TEXT, DYNAMIC, IN_PIECES, WIRE_ID, is_noted, noted, noted_text};
use crate::{
    conversation::{
        Author, CallApproval, CallError, CallResult, Decision, ErrorKind, Note, Origin, ToolCall,
        json_fields::{put_text, take_text},
        outcome::{End, Outcome},
        state::{State, StateEvent},
    },
    event::Object,
};

/// The fields that are written in a single state only.
const STATE_NOTES: [&str; 3] = ["approval", "inputEncoding", "preliminary"];

/// Returns the id that the agent uses for a call.
pub(super) fn wire_id(call: &ToolCall) -> &str {
    noted_text(&call.extra, WIRE_ID).unwrap_or(&call.id)
}

pub(super) fn is_dynamic(call: &ToolCall) -> bool {
    is_noted(&call.extra, DYNAMIC)
}

/// Returns the state of a call in the terms of the AI SDK.
pub(super) fn state(call: &ToolCall) -> &'static str {
    let approval = approval(call);
    let answered = approval
        .as_ref()
        .is_some_and(|approval| approval.contains_key("approved"));
    match &call.state {
        State::Ended(done) => match (done.end, done.by) {
            (End::Error, _) => "output-error",
            (End::Denied, Author::Agent | Author::Record) => "output-denied",
            (End::Denied, Author::Page) if answered && is_asked_by_agent(call) => "output-denied",
            _ => "output-available",
        },
        _ if shows_preliminary(call) => "output-available",
        _ if answered => "approval-responded",
        _ if approval.is_some() => "approval-requested",
        State::Streaming(_) => "input-streaming",
        _ => "input-available",
    }
}

fn is_asked_by_agent(call: &ToolCall) -> bool {
    let approval = call.approval();
    approval.is_some_and(|approval| approval.interrupt_id.is_some())
}

fn shows_preliminary(call: &ToolCall) -> bool {
    call.preliminary.is_some() && is_noted(&call.extra, "preliminary")
}

/// Returns the approval request of the agent with the answer of the user, and all other fields.
pub(super) fn approval(call: &ToolCall) -> Option<Object> {
    let mut out = noted(&call.extra)?.get("approval")?.as_object()?.clone();
    let decision = call.approval().filter(|_| is_asked_by_agent(call));
    match decision.and_then(|approval| approval.decision.as_ref()) {
        Some(Decision::Approved) => {
            out.insert("approved".to_owned(), true.into());
        }
        Some(Decision::Denied { reason }) => {
            out.insert("approved".to_owned(), false.into());
            put_text(&mut out, "reason", reason.as_deref());
        }
        None => {}
    }
    Some(out)
}

/// Returns a call as a part. In a request, the part conforms to the AI SDK's schema, regardless of
/// the server's fields.
pub(super) fn to_value(call: &ToolCall, request: bool) -> Value {
    let mut out = Object::new();
    if is_dynamic(call) {
        put_text(&mut out, "type", Some("dynamic-tool"));
        put_text(&mut out, "toolName", Some(&call.name));
    } else {
        put_text(&mut out, "type", Some(&format!("tool-{}", call.name)));
    }
    put_text(&mut out, "toolCallId", Some(wire_id(call)));
    let state = state(call);
    put_text(&mut out, "state", Some(state));
    for (key, value) in noted(&call.extra).into_iter().flatten() {
        if !key.starts_with('#') && !STATE_NOTES.contains(&key.as_str()) {
            out.insert(key.clone(), value.clone());
        }
    }
    if let Some(input) = input(call) {
        out.insert("input".to_owned(), input);
    }
    write_state(call, state, &mut out);
    if request {
        make_valid(call, state, &mut out);
    }
    Value::Object(out)
}

/// Repairs the approval of a part: a denied part requires a denied approval, and a part with output
/// can only have a granted one.
fn make_valid(call: &ToolCall, state: &str, out: &mut Object) {
    let approved = out
        .get("approval")
        .and_then(|approval| approval.get("approved"));
    match state {
        "output-denied" if approved != Some(&false.into()) => {
            let approval = out.shift_remove("approval");
            let mut approval = match approval {
                Some(Value::Object(approval)) => approval,
                _ => Object::new(),
            };
            approval.entry("id").or_insert_with(|| wire_id(call).into());
            approval.insert("approved".to_owned(), false.into());
            out.insert("approval".to_owned(), Value::Object(approval));
        }
        "output-available" | "output-error" if approved != Some(&true.into()) => {
            out.shift_remove("approval");
        }
        _ => {}
    }
}

fn write_state(call: &ToolCall, state: &str, out: &mut Object) {
    let note = |key: &str| noted(&call.extra).and_then(|notes| notes.get(key)).cloned();
    let is_open = match state {
        "output-available" => false,
        "output-error" => !call.has_ended() && !is_dynamic(call),
        _ => !call.has_ended(),
    };
    if is_open && is_noted(&call.extra, IN_PIECES) {
        put_text(out, "rawInput", Some(call.args_text()));
    }
    if let Some(encoding) = note("inputEncoding").filter(|_| is_open) {
        out.insert("inputEncoding".to_owned(), encoding);
    }
    let is_output = matches!(state, "output-available" | "output-error");
    if let Some(approval) = approval(call) {
        // A result of the page can only keep an approval that was granted.
        let granted = approval.get("approved") == Some(&true.into());
        if granted || !is_output || !call.is_settled_here() {
            out.insert("approval".to_owned(), Value::Object(approval));
        }
    }
    if state == "output-available" {
        let value = call.result().map(|result| &result.value);
        let value = value.or(call.preliminary.as_ref()).cloned();
        out.insert("output".to_owned(), value.unwrap_or_default());
        if let Some(preliminary) = note("preliminary") {
            out.insert("preliminary".to_owned(), preliminary);
        }
    }
    if state == "output-error" {
        let message = call.error().map(|error| error.message.clone());
        let message = message.or_else(|| call.result().and_then(|result| result.error.clone()));
        put_text(out, "errorText", Some(&message.unwrap_or_default()));
    }
}

/// Returns the arguments of a call: the effective ones, or the incomplete ones as far as they can
/// be parsed.
fn input(call: &ToolCall) -> Option<Value> {
    let text = noted(&call.extra).and_then(|notes| notes.get("inputEncoding"));
    let is_text = text == Some(&"text".into()) && !call.has_ended();
    if is_noted(&call.extra, AS_TEXT) || (is_text && !call.args_text().is_empty()) {
        return Some(call.args_text().into());
    }
    let edited = call.edited_args().filter(|_| call.was_started());
    edited.or_else(|| call.partial_args()).cloned()
}

/// Reads a call from a tool's part, with the id that the engine gives it. `None` for other parts.
pub(super) fn from_value(part: &Value, now: i64) -> Option<ToolCall> {
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
    call.note(Note::Approval(approval.clone()));
    read_outcome(&mut call, approval, &state, &mut rest);
    // It happened before: no event is emitted.
    call.events.clear();
    if dynamic {
        rest.insert(DYNAMIC.to_owned(), true.into());
    }
    super::note(&mut call.extra, |notes| *notes = rest);
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
            (End::Output, result(output))
        }
        "output-error" => {
            let message = take_text(rest, "errorText").unwrap_or_default();
            error = Some(CallError {
                message: message.clone(),
                kind: ErrorKind::Agent,
                details: None,
            });
            (End::Error, result(message.into()))
        }
        "output-denied" => (End::Denied, result("denied".into())),
        "approval-requested" | "approval-responded" => {
            call.take(StateEvent::Interrupted { card: true });
            call.note(Note::Approval(approval));
            if state == "approval-responded" {
                let (approved, reason) = match decision {
                    Some(Decision::Denied { reason }) => (false, reason),
                    _ => (true, None),
                };
                call.take(StateEvent::InterruptAnswered {
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
    let mut outcome = Outcome::new(end, Author::Record, true);
    outcome.error = error;
    outcome.result = Some(answer);
    call.note(Note::Approval(approval));
    call.take(StateEvent::Settled(Box::new(outcome)));
}
