//! The examples of state, activities, steps, runs, and the messages of a snapshot.

use serde_json::{Value, json};

use super::{Scene, add_base_fields, add_subagent_id, all_content_parts, create_scene};
use crate::malformed::merge_fields;
use crate::order::{run_finished, run_started};

pub(super) fn state_scenes() -> Vec<Scene> {
    let patch = || {
        json!([
            {"op": "test", "path": "/a", "value": {"b": [1, 2]}},
            {"op": "add", "path": "/a/b/-", "value": null},
            {"op": "replace", "path": "/a/b/0", "value": 7},
            {"op": "copy", "from": "/a/b", "path": "/c"},
            {"op": "move", "from": "/c/1", "path": "/c/0", "extra": {}},
            {"op": "remove", "path": "/a/b/1", "value": 1},
        ])
    };
    let content = json!({"a": {"b": [1, 2]}});
    let snapshot = json!({"type": "STATE_SNAPSHOT", "snapshot": content});
    let activity = json!({"type": "ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "p", "content": content, "replace": true});
    vec![
        create_scene(
            "state",
            json!([]),
            add_subagent_id(snapshot.clone()),
            json!([{"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/x", "value": 1}]}]),
        ),
        create_scene(
            "state patch",
            json!([snapshot]),
            add_subagent_id(json!({"type": "STATE_DELTA", "delta": patch()})),
            json!([]),
        ),
        create_scene(
            "activity",
            json!([]),
            add_subagent_id(activity.clone()),
            json!([]),
        ),
        create_scene(
            "activity again",
            json!([activity]),
            add_subagent_id(merge_fields(
                activity.clone(),
                json!({"content": {"n": 1}, "activityType": "q"}),
            )),
            json!([]),
        ),
        create_scene(
            "activity patch",
            json!([activity]),
            json!({"type": "ACTIVITY_DELTA", "messageId": "a", "activityType": "q", "patch": patch()}),
            json!([]),
        ),
        create_scene(
            "step start",
            json!([]),
            add_subagent_id(json!({"type": "STEP_STARTED", "stepName": "n"})),
            json!([{"type": "STEP_FINISHED", "stepName": "n", "subagentRunId": "s"}]),
        ),
        create_scene(
            "step end",
            json!([{"type": "STEP_STARTED", "stepName": "n", "subagentRunId": "s"}]),
            add_subagent_id(json!({"type": "STEP_FINISHED", "stepName": "n"})),
            json!([]),
        ),
        create_scene(
            "raw",
            json!([]),
            add_subagent_id(json!({"type": "RAW", "event": {"a": null}, "source": "o"})),
            json!([]),
        ),
        create_scene(
            "custom",
            json!([]),
            add_subagent_id(json!({"type": "CUSTOM", "name": "n", "value": {"a": null}})),
            json!([]),
        ),
    ]
}

pub(super) fn run_scenes() -> Vec<Scene> {
    let usage = || {
        json!([{"provider": "p", "model": "m", "inputTokens": 3, "outputTokens": 2, "totalTokens": 5,
            "reasoningTokens": 1, "cachedInputTokens": 1, "cacheWriteInputTokens": 0}, {}])
    };
    let input = json!({
        "threadId": "t", "runId": "r", "protocolVersion": "1.0", "parentRunId": "q",
        "state": {"a": null}, "messages": [{"id": "u", "role": "user", "content": "hi"}],
        "tools": [{"name": "f", "description": "d", "parameters": {"type": "object"}, "metadata": {"k": 1}}],
        "context": [{"description": "d", "value": "v"}],
        "forwardedProps": {"a": null},
        "resume": [
            {"interruptId": "i", "status": "resolved", "payload": {"approved": true}, "metadata": {"k": 1}},
            {"interruptId": "j", "status": "cancelled"},
        ],
    });
    let started = merge_fields(
        add_base_fields(run_started()),
        json!({"protocolVersion": "1.0", "parentRunId": "q", "input": input}),
    );
    let interrupts = json!([
        {"id": "i", "reason": "tool_call", "message": "Sure?", "toolCallId": "c", "responseSchema": {"type": "object"},
            "expiresAt": "2100-01-01T00:00:00Z", "metadata": {"k": null}, "subagentRunId": "s"},
        {"id": "j", "reason": "input"},
    ]);
    let call = json!({"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "f"});
    let finished = |name, outcome: Value| {
        let subject = merge_fields(
            run_finished(),
            json!({"result": {"a": null}, "outcome": outcome}),
        );
        Scene {
            name,
            before: vec![run_started(), call.clone()],
            subject,
            after: Vec::new(),
        }
    };
    vec![
        Scene {
            name: "run start",
            before: Vec::new(),
            subject: started,
            after: vec![run_finished()],
        },
        finished(
            "run success",
            json!({"type": "success", "pendingToolCallIds": ["c", "d"]}),
        ),
        Scene {
            name: "run usage",
            before: vec![run_started()],
            subject: add_base_fields(merge_fields(run_finished(), json!({"usage": usage()}))),
            after: Vec::new(),
        },
        finished(
            "run interrupt",
            json!({"type": "interrupt", "interrupts": interrupts}),
        ),
        finished("run cancelled", json!({"type": "cancelled"})),
        Scene {
            name: "run error",
            before: vec![run_started(), call.clone()],
            subject: add_base_fields(
                json!({"type": "RUN_ERROR", "message": "no", "code": "c", "usage": [{"inputTokens": 1}]}),
            ),
            after: Vec::new(),
        },
    ]
}

pub(super) fn message_scenes() -> Vec<Scene> {
    let common = |message: Value| {
        merge_fields(
            message,
            json!({"subagentRunId": "s", "metadata": {"k": null}}),
        )
    };
    let spoken = |role: &str, content: Value| {
        common(
            json!({"id": role, "role": role, "content": content, "name": "N", "encryptedValue": "E"}),
        )
    };
    let calls = json!([
        {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}, "encryptedValue": "E", "metadata": {"k": 1}},
        {"id": "d", "type": "function", "function": {"name": "g", "arguments": ""}},
    ]);
    let assistant = merge_fields(spoken("assistant", json!("S")), json!({"toolCalls": calls}));
    let tool = common(
        json!({"id": "t", "role": "tool", "toolCallId": "c", "content": "ok", "error": "bad", "encryptedValue": "E"}),
    );
    let kinds = [
        ("developer message", spoken("developer", json!("D"))),
        ("system message", spoken("system", json!("S"))),
        ("user message", spoken("user", json!("U"))),
        (
            "user message of parts",
            json!({"id": "u", "role": "user", "content": all_content_parts()}),
        ),
        ("assistant message", assistant),
        ("tool message", tool),
        (
            "tool message of a part",
            json!({"id": "t", "role": "tool", "toolCallId": "c", "content": [{"type": "text", "text": "ok"}]}),
        ),
        (
            "activity message",
            common(
                json!({"id": "a", "role": "activity", "activityType": "p", "content": {"a": null}}),
            ),
        ),
        (
            "reasoning message",
            common(json!({"id": "r", "role": "reasoning", "content": "h", "encryptedValue": "E"})),
        ),
    ];
    let before = json!([{"type": "TEXT_MESSAGE_CHUNK", "messageId": "before", "delta": "b"}]);
    let none = add_base_fields(json!({"type": "MESSAGES_SNAPSHOT", "messages": []}));
    let empty = create_scene("no messages", before.clone(), none, json!([]));
    kinds
        .into_iter()
        .map(|(name, message)| {
            let subject = json!({"type": "MESSAGES_SNAPSHOT", "messages": [message]});
            create_scene(name, before.clone(), subject, json!([]))
        })
        .chain([empty])
        .collect()
}
