//! Deviations of real servers: tolerated with a diagnostic, fatal in strict mode (rule "tolerant
//! in, strict out").

use super::*;

fn start() -> Value {
    json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"})
}

fn finish() -> Value {
    json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"})
}

fn codes(report: &Value) -> Vec<&str> {
    let notes = report["diagnostics"].as_array().unwrap();
    notes
        .iter()
        .map(|note| note["code"].as_str().unwrap())
        .collect()
}

/// Plays the events in both modes; they must be fatal only in strict mode.
fn tolerated(events: &[Value]) -> Value {
    let case = json!({"stream": events});
    assert_eq!(play(&case, true)["outcome"], "failed", "{case}");
    let got = play(&case, false);
    assert_eq!(got["outcome"], "completed", "{}", got["error"]);
    assert!(!codes(&got).is_empty(), "{case}");
    got
}

#[test]
fn optional_fields_that_are_null_are_treated_as_absent() {
    let got = tolerated(&[
        json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r", "parentRunId": null, "timestamp": null}),
        json!({"type": "TEXT_MESSAGE_START", "messageId": "m", "role": null, "name": null, "metadata": null, "subagentRunId": null}),
        json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "n", "delta": "y", "name": null}),
        json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "x", "metadata": null}),
        json!({"type": "TEXT_MESSAGE_END", "messageId": "m", "subagentRunId": null}),
        json!({"type": "MESSAGES_SNAPSHOT", "messages": [
            {"id": "m", "role": "assistant", "content": "x", "toolCalls": null, "name": null, "metadata": null}]}),
        json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "usage": null, "outcome": null}),
    ]);
    assert_eq!(
        got["messages"],
        json!([{"id": "m", "role": "assistant", "content": "x"}])
    );
}

#[test]
fn a_repeated_start_of_an_open_id_changes_nothing() {
    let call = json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"});
    let text = json!({"type": "TEXT_MESSAGE_START", "messageId": "m"});
    let got = tolerated(&[
        start(),
        call.clone(),
        json!({"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{\"a\":"}),
        call,
        json!({"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "1}"}),
        json!({"type": "TOOL_CALL_END", "toolCallId": "c"}),
        text.clone(),
        text,
        json!({"type": "TEXT_MESSAGE_END", "messageId": "m"}),
        finish(),
    ]);
    assert_eq!(
        got["messages"][0]["toolCalls"][0]["function"]["arguments"],
        "{\"a\":1}"
    );
    assert_eq!(
        got["messages"][1],
        json!({"id": "m", "role": "assistant", "content": ""})
    );
    assert_eq!(got["finished"][0]["pendingToolCallIds"], json!(["c"]));
}

#[test]
fn arguments_and_ends_for_unknown_ids_are_ignored() {
    let got = tolerated(&[
        start(),
        json!({"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{}"}),
        json!({"type": "TOOL_CALL_END", "toolCallId": "c"}),
        json!({"type": "TEXT_MESSAGE_END", "messageId": "m"}),
        finish(),
    ]);
    assert_eq!(got["messages"], json!([]));
    assert_eq!(got["finished"][0]["pendingToolCallIds"], json!([]));
}

#[test]
fn events_after_a_run_error_are_ignored_until_the_next_run() {
    let text = json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "x"});
    let got = tolerated(&[
        start(),
        json!({"type": "RUN_ERROR", "message": "boom", "code": "X"}),
        text.clone(),
        finish(),
        start(),
        text,
        finish(),
    ]);
    assert_eq!(got["runErrors"], json!([{"message": "boom", "code": "X"}]));
    assert_eq!(got["finished"].as_array().unwrap().len(), 1);
    assert_eq!(got["messages"][0]["content"], "x");
}

#[test]
fn a_done_mark_is_ignored() {
    let case =
        json!({"rawSse": format!("data: {}\n\ndata: {}\n\ndata: [DONE]\n\n", start(), finish())});
    assert_eq!(play(&case, true)["outcome"], "failed");
    let got = play(&case, false);
    assert_eq!(
        (&got["outcome"], codes(&got)),
        (&json!("completed"), vec!["done-mark"])
    );
}

#[test]
fn events_before_a_fatal_event_are_kept() {
    let case = json!({"stream": [
        start(),
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "kept"},
        {"type": "STATE_SNAPSHOT", "snapshot": {"a": 1}},
        {"type": "TOOL_CALL_START", "toolCallId": 1},
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": " lost"},
        finish(),
    ]});
    for strict in [true, false] {
        let got = play(&case, strict);
        assert_eq!(got["outcome"], "failed");
        assert_eq!(got["messages"][0]["content"], "kept");
        assert_eq!(got["state"], json!({"a": 1}));
        assert_eq!(got["finished"], json!([]));
    }
}
