//! Valid example streams, each with an event under test.

mod rest;

use serde_json::{Value, json};

use super::merge_fields;
use crate::order::{run_finished, run_started};

/// A stream with one event under test.
pub(super) struct Scene {
    pub(super) name: &'static str,
    before: Vec<Value>,
    pub(super) subject: Value,
    after: Vec<Value>,
}

impl Scene {
    /// Returns the stream with `subject` instead of the event under test.
    pub(super) fn with_subject(&self, subject: Value) -> Value {
        let mut stream = self.before.clone();
        stream.push(subject);
        stream.extend_from_slice(&self.after);
        json!({"stream": stream, "input": null})
    }
}

/// Creates an example: a run with the event under test, and the events before and after it.
fn create_scene(name: &'static str, before: Value, subject: Value, after: Value) -> Scene {
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
fn add_base_fields(event: Value) -> Value {
    merge_fields(
        event,
        json!({"timestamp": 1, "rawEvent": {"z": null}, "metadata": {"k": null, "l": {"m": 1}}}),
    )
}

/// Adds the id of a subagent.
fn add_subagent_id(event: Value) -> Value {
    merge_fields(event, json!({"subagentRunId": "s"}))
}

pub(super) fn all_scenes() -> Vec<Scene> {
    let mut scenes = text_scenes();
    scenes.extend(call_scenes());
    scenes.extend(reasoning_scenes());
    scenes.extend(subagent_scenes());
    scenes.extend(rest::state_scenes());
    scenes.extend(rest::run_scenes());
    scenes.extend(rest::message_scenes());
    scenes
}

fn text_scenes() -> Vec<Scene> {
    let start = json!({"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "user", "name": "N", "subagentRunId": "s"});
    let content = json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "x", "subagentRunId": "s"});
    let end = json!({"type": "TEXT_MESSAGE_END", "messageId": "m", "subagentRunId": "s"});
    let chunk = json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "role": "user", "name": "N", "delta": "x", "subagentRunId": "s"});
    vec![
        create_scene(
            "text start",
            json!([]),
            add_base_fields(add_subagent_id(start.clone())),
            json!([content, end]),
        ),
        create_scene(
            "text content",
            json!([start]),
            add_subagent_id(content.clone()),
            json!([end]),
        ),
        create_scene(
            "text end",
            json!([start, content]),
            add_subagent_id(end),
            json!([]),
        ),
        create_scene(
            "text chunk",
            json!([]),
            add_base_fields(add_subagent_id(chunk.clone())),
            json!([{"type": "TEXT_MESSAGE_CHUNK", "delta": "y"}]),
        ),
        create_scene(
            "text chunk that continues",
            json!([chunk]),
            add_subagent_id(chunk.clone()),
            json!([]),
        ),
    ]
}

fn call_scenes() -> Vec<Scene> {
    let message = json!({"type": "TEXT_MESSAGE_START", "messageId": "m", "subagentRunId": "s"});
    let message_end = json!({"type": "TEXT_MESSAGE_END", "messageId": "m"});
    let start = json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f", "parentMessageId": "m", "subagentRunId": "s"});
    let args =
        json!({"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{}", "subagentRunId": "s"});
    let end = json!({"type": "TOOL_CALL_END", "toolCallId": "c", "subagentRunId": "s"});
    let chunk = json!({"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "f", "parentMessageId": "m", "delta": "{}", "subagentRunId": "s"});
    let result = json!({"type": "TOOL_CALL_RESULT", "messageId": "t", "toolCallId": "c", "content": "ok", "role": "tool"});
    let parts = merge_fields(result.clone(), json!({"content": all_content_parts()}));
    vec![
        create_scene(
            "call start",
            json!([message]),
            add_subagent_id(start.clone()),
            json!([args, end, message_end]),
        ),
        create_scene(
            "call arguments",
            json!([start]),
            add_subagent_id(args.clone()),
            json!([end]),
        ),
        create_scene(
            "call end",
            json!([start, args]),
            add_subagent_id(end.clone()),
            json!([]),
        ),
        create_scene(
            "call chunk",
            json!([]),
            add_subagent_id(chunk.clone()),
            json!([{"type": "TOOL_CALL_CHUNK", "delta": " "}]),
        ),
        create_scene(
            "call chunk that continues",
            json!([chunk]),
            add_base_fields(add_subagent_id(chunk.clone())),
            json!([]),
        ),
        create_scene(
            "result",
            json!([start, end]),
            add_subagent_id(result),
            json!([]),
        ),
        create_scene("result of parts", json!([start, end]), parts, json!([])),
    ]
}

fn reasoning_scenes() -> Vec<Scene> {
    let open = json!({"type": "REASONING_START", "messageId": "r", "subagentRunId": "s"});
    let start = json!({"type": "REASONING_MESSAGE_START", "messageId": "r", "role": "reasoning", "subagentRunId": "s"});
    let content = json!({"type": "REASONING_MESSAGE_CONTENT", "messageId": "r", "delta": "h", "subagentRunId": "s"});
    let end = json!({"type": "REASONING_MESSAGE_END", "messageId": "r", "subagentRunId": "s"});
    let close = json!({"type": "REASONING_END", "messageId": "r", "subagentRunId": "s"});
    let chunk = json!({"type": "REASONING_MESSAGE_CHUNK", "messageId": "r", "delta": "h", "subagentRunId": "s"});
    let value = |subtype: &str, id: &str| {
        add_subagent_id(
            json!({"type": "REASONING_ENCRYPTED_VALUE", "subtype": subtype, "entityId": id, "encryptedValue": "E"}),
        )
    };
    let call = json!({"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "f", "subagentRunId": "s"});
    vec![
        create_scene(
            "span start",
            json!([]),
            add_subagent_id(open.clone()),
            json!([close]),
        ),
        create_scene("span end", json!([open]), add_subagent_id(close), json!([])),
        create_scene(
            "reasoning start",
            json!([]),
            add_subagent_id(start.clone()),
            json!([content, end]),
        ),
        create_scene(
            "reasoning content",
            json!([start]),
            add_subagent_id(content),
            json!([end]),
        ),
        create_scene(
            "reasoning end",
            json!([start]),
            add_subagent_id(end),
            json!([]),
        ),
        create_scene(
            "reasoning chunk",
            json!([]),
            add_subagent_id(chunk.clone()),
            json!([{"type": "REASONING_MESSAGE_CHUNK", "delta": "i"}]),
        ),
        create_scene(
            "encrypted value of a message",
            json!([chunk]),
            value("message", "r"),
            json!([]),
        ),
        create_scene(
            "encrypted value of a call",
            json!([call]),
            value("tool-call", "c"),
            json!([]),
        ),
    ]
}

fn subagent_scenes() -> Vec<Scene> {
    let parent = json!({"type": "SUBAGENT_STARTED", "subagentRunId": "p", "name": "n"});
    let parent_end = json!({"type": "SUBAGENT_FINISHED", "subagentRunId": "p"});
    let start = json!({"type": "SUBAGENT_STARTED", "subagentRunId": "s", "name": "n", "description": "d", "parentSubagentRunId": "p", "parentToolCallId": "c", "parentMessageId": "m"});
    let finish = |outcome: Value| json!({"type": "SUBAGENT_FINISHED", "subagentRunId": "s", "result": {"a": null}, "outcome": outcome});
    let failure =
        json!({"type": "SUBAGENT_ERROR", "subagentRunId": "s", "message": "no", "code": "c"});
    vec![
        create_scene(
            "subagent start",
            json!([parent]),
            add_base_fields(start.clone()),
            json!([finish(json!({"type": "success"})), parent_end]),
        ),
        create_scene(
            "subagent finish",
            json!([parent, start]),
            finish(json!({"type": "success"})),
            json!([parent_end]),
        ),
        create_scene(
            "subagent suspended",
            json!([parent, start]),
            finish(json!({"type": "suspended", "interruptIds": ["i", "j"]})),
            json!([parent_end]),
        ),
        create_scene(
            "subagent error",
            json!([parent, start]),
            failure,
            json!([parent_end]),
        ),
    ]
}

/// Returns content parts of each kind, with sources of each kind.
fn all_content_parts() -> Value {
    let media = |kind: &str, source: Value| json!({"type": kind, "id": "p", "source": source, "metadata": {"k": null}});
    json!([
        {"type": "text", "id": "p", "text": "x", "metadata": {"k": null}},
        media("image", json!({"type": "url", "value": "http://x/y", "mimeType": "image/png"})),
        media("audio", json!({"type": "data", "value": "QQ==", "mimeType": "audio/wav"})),
        media("video", json!({"type": "file", "value": "h", "provider": "o", "mimeType": "video/mp4"})),
        media("document", json!({"type": "url", "value": "http://x/z"})),
    ])
}
