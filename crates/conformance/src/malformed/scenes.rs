//! Valid example streams, each with an event under test that has a value for every known field.

mod rest;

use serde_json::{Value, json};

use super::with;
use crate::order::{run_finished, run_started};

/// A stream with one event under test.
pub(super) struct Scene {
    pub(super) name: &'static str,
    before: Vec<Value>,
    pub(super) subject: Value,
    after: Vec<Value>,
}

impl Scene {
    /// Returns the stream with another event in place of the event under test.
    pub(super) fn with(&self, subject: Value) -> Value {
        let mut stream = self.before.clone();
        stream.push(subject);
        stream.extend_from_slice(&self.after);
        json!({"stream": stream, "input": null})
    }
}

/// Creates an example: a run with the event under test, and the events before and after it.
fn scene(name: &'static str, before: Value, subject: Value, after: Value) -> Scene {
    let list = |value: Value| match value {
        Value::Array(items) => items,
        _ => Vec::new(),
    };
    let mut whole = vec![run_started()];
    whole.extend(list(before));
    let mut rest = list(after);
    rest.push(run_finished());
    Scene {
        name,
        before: whole,
        subject,
        after: rest,
    }
}

/// Adds the optional fields that every event may have.
fn base(event: Value) -> Value {
    with(
        event,
        json!({"timestamp": 1, "rawEvent": {"z": null}, "metadata": {"k": null, "l": {"m": 1}}}),
    )
}

/// Adds the id of a subagent.
fn tagged(event: Value) -> Value {
    with(event, json!({"subagentRunId": "s"}))
}

pub(super) fn all() -> Vec<Scene> {
    let mut scenes = text();
    scenes.extend(calls());
    scenes.extend(reasoning());
    scenes.extend(subagents());
    scenes.extend(rest::state());
    scenes.extend(rest::runs());
    scenes.extend(rest::messages());
    scenes
}

fn text() -> Vec<Scene> {
    let start = json!({"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "user", "name": "N", "subagentRunId": "s"});
    let content = json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "x", "subagentRunId": "s"});
    let end = json!({"type": "TEXT_MESSAGE_END", "messageId": "m", "subagentRunId": "s"});
    let chunk = json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "role": "user", "name": "N", "delta": "x", "subagentRunId": "s"});
    vec![
        scene(
            "text start",
            json!([]),
            base(tagged(start.clone())),
            json!([content, end]),
        ),
        scene(
            "text content",
            json!([start]),
            tagged(content.clone()),
            json!([end]),
        ),
        scene("text end", json!([start, content]), tagged(end), json!([])),
        scene(
            "text chunk",
            json!([]),
            base(tagged(chunk.clone())),
            json!([{"type": "TEXT_MESSAGE_CHUNK", "delta": "y"}]),
        ),
        scene(
            "text chunk that goes on",
            json!([chunk]),
            tagged(chunk.clone()),
            json!([]),
        ),
    ]
}

fn calls() -> Vec<Scene> {
    let message = json!({"type": "TEXT_MESSAGE_START", "messageId": "m", "subagentRunId": "s"});
    let message_end = json!({"type": "TEXT_MESSAGE_END", "messageId": "m"});
    let start = json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f", "parentMessageId": "m", "subagentRunId": "s"});
    let args =
        json!({"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{}", "subagentRunId": "s"});
    let end = json!({"type": "TOOL_CALL_END", "toolCallId": "c", "subagentRunId": "s"});
    let chunk = json!({"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "f", "parentMessageId": "m", "delta": "{}", "subagentRunId": "s"});
    let result = json!({"type": "TOOL_CALL_RESULT", "messageId": "t", "toolCallId": "c", "content": "ok", "role": "tool"});
    let parts = with(result.clone(), json!({"content": parts()}));
    vec![
        scene(
            "call start",
            json!([message]),
            tagged(start.clone()),
            json!([args, end, message_end]),
        ),
        scene(
            "call arguments",
            json!([start]),
            tagged(args.clone()),
            json!([end]),
        ),
        scene(
            "call end",
            json!([start, args]),
            tagged(end.clone()),
            json!([]),
        ),
        scene(
            "call chunk",
            json!([]),
            tagged(chunk.clone()),
            json!([{"type": "TOOL_CALL_CHUNK", "delta": " "}]),
        ),
        scene(
            "call chunk that goes on",
            json!([chunk]),
            base(tagged(chunk.clone())),
            json!([]),
        ),
        scene("result", json!([start, end]), tagged(result), json!([])),
        scene("result of parts", json!([start, end]), parts, json!([])),
    ]
}

fn reasoning() -> Vec<Scene> {
    let open = json!({"type": "REASONING_START", "messageId": "r", "subagentRunId": "s"});
    let start = json!({"type": "REASONING_MESSAGE_START", "messageId": "r", "role": "reasoning", "subagentRunId": "s"});
    let content = json!({"type": "REASONING_MESSAGE_CONTENT", "messageId": "r", "delta": "h", "subagentRunId": "s"});
    let end = json!({"type": "REASONING_MESSAGE_END", "messageId": "r", "subagentRunId": "s"});
    let close = json!({"type": "REASONING_END", "messageId": "r", "subagentRunId": "s"});
    let chunk = json!({"type": "REASONING_MESSAGE_CHUNK", "messageId": "r", "delta": "h", "subagentRunId": "s"});
    let value = |subtype: &str, id: &str| {
        tagged(
            json!({"type": "REASONING_ENCRYPTED_VALUE", "subtype": subtype, "entityId": id, "encryptedValue": "E"}),
        )
    };
    let call = json!({"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "f", "subagentRunId": "s"});
    vec![
        scene(
            "span start",
            json!([]),
            tagged(open.clone()),
            json!([close]),
        ),
        scene("span end", json!([open]), tagged(close), json!([])),
        scene(
            "reasoning start",
            json!([]),
            tagged(start.clone()),
            json!([content, end]),
        ),
        scene(
            "reasoning content",
            json!([start]),
            tagged(content),
            json!([end]),
        ),
        scene("reasoning end", json!([start]), tagged(end), json!([])),
        scene(
            "reasoning chunk",
            json!([]),
            tagged(chunk.clone()),
            json!([{"type": "REASONING_MESSAGE_CHUNK", "delta": "i"}]),
        ),
        scene(
            "encrypted value of a message",
            json!([chunk]),
            value("message", "r"),
            json!([]),
        ),
        scene(
            "encrypted value of a call",
            json!([call]),
            value("tool-call", "c"),
            json!([]),
        ),
    ]
}

fn subagents() -> Vec<Scene> {
    let parent = json!({"type": "SUBAGENT_STARTED", "subagentRunId": "p", "name": "n"});
    let parent_end = json!({"type": "SUBAGENT_FINISHED", "subagentRunId": "p"});
    let start = json!({"type": "SUBAGENT_STARTED", "subagentRunId": "s", "name": "n", "description": "d", "parentSubagentRunId": "p", "parentToolCallId": "c", "parentMessageId": "m"});
    let finish = |outcome: Value| json!({"type": "SUBAGENT_FINISHED", "subagentRunId": "s", "result": {"a": null}, "outcome": outcome});
    let failure =
        json!({"type": "SUBAGENT_ERROR", "subagentRunId": "s", "message": "no", "code": "c"});
    vec![
        scene(
            "subagent start",
            json!([parent]),
            base(start.clone()),
            json!([finish(json!({"type": "success"})), parent_end]),
        ),
        scene(
            "subagent finish",
            json!([parent, start]),
            finish(json!({"type": "success"})),
            json!([parent_end]),
        ),
        scene(
            "subagent suspended",
            json!([parent, start]),
            finish(json!({"type": "suspended", "interruptIds": ["i", "j"]})),
            json!([parent_end]),
        ),
        scene(
            "subagent error",
            json!([parent, start]),
            failure,
            json!([parent_end]),
        ),
    ]
}

/// Returns content parts of each kind, with sources of each kind.
fn parts() -> Value {
    let media = |kind: &str, source: Value| json!({"type": kind, "id": "p", "source": source, "metadata": {"k": null}});
    json!([
        {"type": "text", "id": "p", "text": "x", "metadata": {"k": null}},
        media("image", json!({"type": "url", "value": "http://x/y", "mimeType": "image/png"})),
        media("audio", json!({"type": "data", "value": "QQ==", "mimeType": "audio/wav"})),
        media("video", json!({"type": "file", "value": "h", "provider": "o", "mimeType": "video/mp4"})),
        media("document", json!({"type": "url", "value": "http://x/z"})),
    ])
}
