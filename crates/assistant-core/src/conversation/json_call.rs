//! Tool calls as JSON: the part `{type: "tool-call", toolCallId, toolName, state, input, …}`.

use serde_json::Value;

use super::{
    Approval, CallError, CallResult, Decision, ErrorKind, FormatError, Origin, Phase, ToolCall,
    json::{error, need_text, put_text, take_object, take_text},
};
use crate::{
    event::{Content, Object},
    wire::agui,
};

pub(super) fn write(call: &ToolCall, out: &mut Object) {
    out.insert("toolCallId".to_owned(), call.id.as_str().into());
    out.insert("toolName".to_owned(), call.name.as_str().into());
    out.insert("state".to_owned(), call.phase.as_str().into());
    let text = call.args_text();
    let says = |args: &Value| -> String { args.to_string() };
    let exact = call.partial_args().filter(|args| says(args) == text);
    if let Some(args) = exact.or(call.args()).filter(|_| !text.is_empty()) {
        out.insert("input".to_owned(), args.clone());
    }
    if exact.is_none() && !text.is_empty() {
        out.insert("argsText".to_owned(), text.into());
    }
    if let Some(args) = &call.edited_args {
        out.insert("editedInput".to_owned(), args.clone());
    }
    if let Some(approval) = &call.approval {
        out.insert("approval".to_owned(), write_approval(approval));
    }
    if let Some(result) = &call.result {
        out.insert("output".to_owned(), result.value.clone());
        if *result != default_result(&call.id, result.value.clone()) {
            out.insert("result".to_owned(), write_result(result));
        }
    }
    if call.unlisted {
        out.insert("unlisted".to_owned(), true.into());
    }
    if let Some(error) = &call.error {
        out.insert("error".to_owned(), write_error(error));
    }
    if call.created_at != 0 {
        out.insert("createdAt".to_owned(), call.created_at.into());
    }
    if let Some(at) = call.ended_at {
        out.insert("endedAt".to_owned(), at.into());
    }
    put_text(out, "origin", call.origin.as_str());
    put_text(out, "encryptedValue", call.encrypted_value.as_deref());
    if !call.metadata.is_empty() {
        out.insert("metadata".to_owned(), Value::Object(call.metadata.clone()));
    }
    out.extend(call.extra.clone());
}

pub(super) fn read(mut from: Object) -> Result<ToolCall, FormatError> {
    let id = need_text(&mut from, "toolCallId", "tool call")?;
    let name = need_text(&mut from, "toolName", "tool call")?;
    let state = need_text(&mut from, "state", "tool call")?;
    let phase = Phase::parse(&state).ok_or_else(|| error("tool call has an unknown 'state'"))?;
    let created_at = from
        .shift_remove("createdAt")
        .and_then(|v| v.as_i64())
        .unwrap_or(0);
    let mut call = ToolCall::new(id, name, created_at);
    let input = from.shift_remove("input");
    let text = take_text(&mut from, "argsText")
        .or_else(|| input.map(|input| input.to_string()))
        .unwrap_or_default();
    call.set_args_text(&text);
    if phase != Phase::InputStreaming {
        call.end_args();
    }
    call.phase = phase;
    call.unlisted = from.shift_remove("unlisted") == Some(Value::Bool(true));
    call.edited_args = from.shift_remove("editedInput");
    call.approval = take_object(&mut from, "approval").map(read_approval);
    call.error = take_object(&mut from, "error").map(read_error);
    let output = from.shift_remove("output");
    let result = take_object(&mut from, "result");
    call.result = match (output, result) {
        (None, None) => None,
        (output, result) => Some(read_result(
            &call.id,
            output.unwrap_or(Value::Null),
            result.unwrap_or_default(),
        )?),
    };
    if call.result.is_some() && !phase.is_final() {
        call.phase = Phase::OutputAvailable;
    }
    if let Some(origin) = take_text(&mut from, "origin") {
        // A word from another version: at the least, nothing of it is run.
        call.origin = Origin::parse(&origin).unwrap_or(Origin::Text);
    }
    call.ended_at = from.shift_remove("endedAt").and_then(|v| v.as_i64());
    call.encrypted_value = take_text(&mut from, "encryptedValue");
    call.metadata = take_object(&mut from, "metadata").unwrap_or_default();
    call.extra = from;
    Ok(call)
}

fn write_approval(approval: &Approval) -> Value {
    let mut out = Object::new();
    match &approval.decision {
        Some(Decision::Approved) => put_text(&mut out, "decision", Some("approved")),
        Some(Decision::Denied { reason }) => {
            put_text(&mut out, "decision", Some("denied"));
            put_text(&mut out, "reason", reason.as_deref());
        }
        None => {}
    }
    put_text(&mut out, "interruptId", approval.interrupt_id.as_deref());
    put_text(&mut out, "toldBy", approval.told.as_deref());
    Value::Object(out)
}

fn read_approval(mut from: Object) -> Approval {
    let decision = match take_text(&mut from, "decision").as_deref() {
        Some("approved") => Some(Decision::Approved),
        Some("denied") => Some(Decision::Denied {
            reason: take_text(&mut from, "reason"),
        }),
        _ => None,
    };
    Approval {
        decision,
        interrupt_id: take_text(&mut from, "interruptId"),
        told: take_text(&mut from, "toldBy"),
    }
}

fn write_error(error: &CallError) -> Value {
    let mut out = Object::new();
    put_text(&mut out, "message", Some(&error.message));
    put_text(&mut out, "kind", Some(error.kind.as_str()));
    if let Some(details) = &error.details {
        out.insert("details".to_owned(), details.clone());
    }
    Value::Object(out)
}

fn read_error(mut from: Object) -> CallError {
    CallError {
        message: take_text(&mut from, "message").unwrap_or_default(),
        kind: ErrorKind::parse(&take_text(&mut from, "kind").unwrap_or_default()),
        details: from.shift_remove("details"),
    }
}

/// What a call with nothing but an `output` was answered.
fn default_result(call: &str, value: Value) -> CallResult {
    CallResult::new(format!("{call}-result"), value.to_string(), value)
}

fn write_result(result: &CallResult) -> Value {
    let mut out = Object::new();
    put_text(&mut out, "messageId", Some(&result.message_id));
    out.insert(
        "content".to_owned(),
        agui::content_to_value(&result.content),
    );
    put_text(&mut out, "error", result.error.as_deref());
    out.insert("sent".to_owned(), result.sent.into());
    put_text(
        &mut out,
        "encryptedValue",
        result.encrypted_value.as_deref(),
    );
    put_text(&mut out, "subagentRunId", result.subagent_run_id.as_deref());
    if let Some(metadata) = &result.metadata {
        out.insert("metadata".to_owned(), Value::Object(metadata.clone()));
    }
    out.extend(result.extra.clone());
    Value::Object(out)
}

fn read_result(call: &str, value: Value, mut from: Object) -> Result<CallResult, FormatError> {
    let content = match from.shift_remove("content") {
        Some(content) => {
            agui::content_from_value(content).map_err(|e| FormatError(e.to_string()))?
        }
        None => Content::Text(value.to_string()),
    };
    Ok(CallResult {
        message_id: take_text(&mut from, "messageId").unwrap_or_else(|| format!("{call}-result")),
        content,
        error: take_text(&mut from, "error"),
        value,
        sent: from.shift_remove("sent") == Some(Value::Bool(true)),
        encrypted_value: take_text(&mut from, "encryptedValue"),
        subagent_run_id: take_text(&mut from, "subagentRunId"),
        metadata: take_object(&mut from, "metadata"),
        extra: from,
    })
}
