//! Tests of frames, of the order of events, and of tolerated deviations.

use super::*;

#[test]
fn frames_that_are_not_events_are_refused() {
    for (frame, code, words) in [
        ("{", "invalid-json", "not JSON"),
        ("", "invalid-json", "not JSON"),
        (
            "null",
            "invalid-frame",
            "Invalid event: the frame is not a JSON object.",
        ),
        (
            "[]",
            "invalid-frame",
            "Invalid event: the frame is not a JSON object.",
        ),
        (
            "7",
            "invalid-frame",
            "Invalid event: the frame is not a JSON object.",
        ),
        (
            "{}",
            "invalid-frame",
            "Invalid event: the frame carries no event type.",
        ),
        (
            r#"{"type":""}"#,
            "invalid-frame",
            "Invalid event: the frame carries no event type.",
        ),
        (
            r#"{"type":5}"#,
            "invalid-frame",
            "Invalid event: the frame carries no event type.",
        ),
    ] {
        for strict in [true, false] {
            let got = decode_frames(strict, [frame]);
            let error = got.error.as_ref().unwrap();
            assert_eq!(error.code(), code, "{frame}");
            assert!(error.message().contains(words), "{frame}: {error}");
            assert_eq!(got.end, End::Failed);
        }
    }
    assert_eq!(decode_frames(true, ["[DONE]"]).end, End::Failed);
    assert_eq!(decode_frames(false, ["[DONE]"]).codes(), ["done-mark"]);
}

#[test]
fn a_failed_stream_stays_failed_and_keeps_earlier_events() {
    let mut decoder = Decoder::new(DecoderOptions::default());
    let mut events = Vec::new();
    let start = json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"});
    decoder.push_value(start.clone(), &mut events).unwrap();
    let error = decoder.push_value(json!([]), &mut events).unwrap_err();
    assert_eq!(decoder.push_value(start, &mut events).unwrap_err(), error);
    assert_eq!(
        decoder.push_frame("[DONE]", &mut events).unwrap_err(),
        error
    );
    assert_eq!(events.len(), 1);
    assert_eq!(decoder.finish(), End::Failed);
}

#[test]
fn a_stream_without_a_terminal_event_is_truncated() {
    assert_eq!(
        Decoder::new(DecoderOptions::default()).finish(),
        End::Truncated
    );
    let start = json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"});
    let finish = json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"});
    let error = json!({"type": "RUN_ERROR", "message": "x"});
    for (stream, end) in [
        (vec![start.clone()], End::Truncated),
        (vec![start.clone(), finish.clone()], End::Complete),
        (vec![error.clone()], End::Complete),
        (
            vec![start.clone(), finish.clone(), start.clone()],
            End::Truncated,
        ),
        (vec![start.clone(), finish, error, start], End::Truncated),
    ] {
        assert_eq!(decode(true, &stream).end, end, "{stream:?}");
    }
}

/// Checks that each tolerated deviation fails in strict mode, and causes one diagnostic otherwise.
#[test]
fn tolerant_mode_tolerates_exactly_the_known_deviations() {
    let start = json!({"type": "TOOL_CALL_START", "toolCallId": "a", "toolCallName": "f"});
    let end = json!({"type": "TOOL_CALL_END", "toolCallId": "a"});
    let text = json!({"type": "TEXT_MESSAGE_START", "messageId": "m"});
    let text_end = json!({"type": "TEXT_MESSAGE_END", "messageId": "m"});
    for (code, events) in [
        (
            "repeated-start",
            vec![start.clone(), start.clone(), end.clone()],
        ),
        (
            "repeated-start",
            vec![text.clone(), text.clone(), text_end.clone()],
        ),
        ("unknown-id", vec![end.clone()]),
        ("unknown-id", vec![start.clone(), end.clone(), end.clone()]),
        ("unknown-id", vec![text_end.clone()]),
        (
            "unknown-id",
            vec![json!({"type": "TOOL_CALL_ARGS", "toolCallId": "z", "delta": "{}"})],
        ),
        (
            "unknown-id",
            vec![json!({"type": "REASONING_END", "messageId": "z"})],
        ),
        (
            "null-optional",
            vec![json!({"type": "CUSTOM", "name": "n", "value": 1, "timestamp": null})],
        ),
        (
            "null-optional",
            vec![json!({"type": "RAW", "event": 1, "metadata": null})],
        ),
        (
            "null-optional",
            vec![json!({"type": "RAW", "event": 1, "subagentRunId": null})],
        ),
    ] {
        assert_eq!(decode_run(true, &events).outcome(), "failed", "{events:?}");
        let got = decode_run(false, &events);
        assert_eq!(got.outcome(), "completed", "{}", got.error());
        assert_eq!(got.codes(), [code], "{events:?}");
    }
    for events in [
        vec![
            start.clone(),
            json!({"type": "TOOL_CALL_START", "toolCallId": "a", "toolCallName": "g"}),
        ],
        vec![json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "z", "delta": "x"})],
        vec![json!({"type": "STEP_FINISHED", "stepName": "z"})],
        vec![json!({"type": "STEP_STARTED", "stepName": "z"})],
        vec![text.clone()],
        vec![json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": null, "delta": "x"})],
        vec![json!({"type": "CUSTOM", "name": "n", "value": 1, "timestamp": 1.5})],
        vec![
            json!({"type": "CUSTOM", "name": "n", "value": 1, "timestamp": 9_007_199_254_740_992_i64}),
        ],
    ] {
        assert_eq!(decode_run(false, &events).outcome(), "failed", "{events:?}");
    }
}

#[test]
fn events_after_run_error_are_ignored_unless_strict() {
    let stream = [
        json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}),
        json!({"type": "RUN_ERROR", "message": "x"}),
        json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}),
    ];
    let got = decode(false, &stream);
    assert_eq!(
        (got.outcome(), got.codes()),
        ("completed", vec!["after-run-error"])
    );
    assert_eq!(got.types(), ["RUN_STARTED", "RUN_ERROR"]);
    assert_eq!(
        decode(true, &stream).error(),
        "Cannot send event type 'RUN_FINISHED': The run has already errored with 'RUN_ERROR'. No further events can be sent."
    );
}

/// Checks the error message of each rule of the specification that no recorded case violates.
#[test]
fn violations_have_the_error_messages_of_the_reference() {
    let text = |tag: Value| {
        let mut event = json!({"type": "TEXT_MESSAGE_START", "messageId": "m"});
        if !tag.is_null() {
            event["subagentRunId"] = tag;
        }
        event
    };
    let text_end = json!({"type": "TEXT_MESSAGE_END", "messageId": "m"});
    let sub = |id: &str| json!({"type": "SUBAGENT_STARTED", "subagentRunId": id, "name": "n"});
    let sub_end = |id: &str| json!({"type": "SUBAGENT_FINISHED", "subagentRunId": id});
    let step = |kind: &str, tag: &str| json!({"type": kind, "stepName": "s", "subagentRunId": tag});
    let cases: Vec<(&str, Vec<Value>)> = vec![
        (
            "Cannot send 'TEXT_MESSAGE_START' event: A text message with ID 'm' is already in progress. Complete it with 'TEXT_MESSAGE_END' first.",
            vec![text(Value::Null), text(Value::Null)],
        ),
        (
            "Cannot send 'TEXT_MESSAGE_END' event: No active text message found with ID 'm'. A 'TEXT_MESSAGE_START' event must be sent first.",
            vec![text_end.clone()],
        ),
        (
            "Cannot send 'TOOL_CALL_ARGS' event: No active tool call found with ID 'a'. Start a tool call with 'TOOL_CALL_START' first.",
            vec![json!({"type": "TOOL_CALL_ARGS", "toolCallId": "a", "delta": ""})],
        ),
        (
            "Cannot send 'REASONING_START' event: A reasoning span with ID 'x' is already in progress. Complete it with 'REASONING_END' first.",
            vec![json!({"type": "REASONING_START", "messageId": "x"}); 2],
        ),
        (
            "Cannot send 'REASONING_END' event: No active reasoning span found with ID 'x'. A 'REASONING_START' event must be sent first.",
            vec![json!({"type": "REASONING_END", "messageId": "x"})],
        ),
        (
            "Cannot send 'REASONING_MESSAGE_END' event: No active reasoning message found with ID 'x'. Start a reasoning message with 'REASONING_MESSAGE_START' first.",
            vec![json!({"type": "REASONING_MESSAGE_END", "messageId": "x"})],
        ),
        (
            "Cannot send 'TEXT_MESSAGE_CONTENT': subagentRunId 's1' does not match the message 'm' opener's subagent '(the parent agent)'.",
            vec![
                text(Value::Null),
                json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "", "subagentRunId": "s1"}),
            ],
        ),
        (
            "Cannot send 'TEXT_MESSAGE_START': subagentRunId 's2' does not match the message 'm' opener's subagent 's1'.",
            vec![text(json!("s1")), text_end.clone(), text(json!("s2"))],
        ),
        (
            "Cannot send 'ACTIVITY_DELTA': subagentRunId 's2' does not match the activity 'x' opener's subagent 's1'.",
            vec![
                json!({"type": "ACTIVITY_SNAPSHOT", "messageId": "x", "activityType": "a", "content": {}, "subagentRunId": "s1"}),
                json!({"type": "ACTIVITY_DELTA", "messageId": "x", "activityType": "a", "patch": [], "subagentRunId": "s2"}),
            ],
        ),
        (
            "Cannot send 'REASONING_ENCRYPTED_VALUE': subagentRunId 's2' does not match the message 'm' opener's subagent 's1'.",
            vec![
                text(json!("s1")),
                json!({"type": "REASONING_ENCRYPTED_VALUE", "subtype": "message", "entityId": "m", "encryptedValue": "e", "subagentRunId": "s2"}),
            ],
        ),
        (
            "Cannot send 'TOOL_CALL_START': tool call 'c' is owned by '(the parent agent)' but its parent message 'm' is owned by 's1'. A tool call belongs to the message that carries it.",
            vec![
                json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"}),
                json!({"type": "TOOL_CALL_END", "toolCallId": "c"}),
                text(json!("s1")),
                json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f", "parentMessageId": "m"}),
            ],
        ),
        (
            "Step \"s\" is already active for 'STEP_STARTED' in subagent 'q'",
            vec![step("STEP_STARTED", "q"), step("STEP_STARTED", "q")],
        ),
        (
            "Cannot send 'STEP_FINISHED' for step \"s\" attributed to subagent 'p': that step is open under subagent 'q'. A step must be finished by whoever started it.",
            vec![step("STEP_STARTED", "q"), step("STEP_FINISHED", "p")],
        ),
        (
            "Cannot send 'RUN_FINISHED' while steps are still active: s (subagent 'q'), s (subagent 'p')",
            vec![step("STEP_STARTED", "q"), step("STEP_STARTED", "p")],
        ),
        (
            "Cannot send 'SUBAGENT_STARTED': subagent 's' is already active. Finish it with 'SUBAGENT_FINISHED' first.",
            vec![sub("s"), sub("s")],
        ),
        (
            "Cannot send 'SUBAGENT_STARTED': subagent 's' has already finished in this run. Subagent IDs are per-invocation and cannot be reused.",
            vec![sub("s"), sub_end("s"), sub("s")],
        ),
        (
            "Cannot send 'SUBAGENT_STARTED': parentSubagentRunId 'p' has not been started in this run.",
            vec![
                json!({"type": "SUBAGENT_STARTED", "subagentRunId": "s", "name": "n", "parentSubagentRunId": "p"}),
            ],
        ),
        (
            "Cannot send 'SUBAGENT_FINISHED': no active subagent found with ID 's'. A 'SUBAGENT_STARTED' event must be sent first.",
            vec![sub_end("s")],
        ),
        (
            "Ambiguous TEXT_MESSAGE_CHUNK: it carries neither a messageId nor a subagentRunId, but 2 lanes have an open text message. Attribute the chunk to the subagent it belongs to.",
            vec![
                json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "a", "subagentRunId": "s1"}),
                json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "b", "subagentRunId": "s2"}),
                json!({"type": "TEXT_MESSAGE_CHUNK", "delta": "x"}),
            ],
        ),
        (
            "First REASONING_MESSAGE_CHUNK must have a messageId",
            vec![json!({"type": "REASONING_MESSAGE_CHUNK", "delta": "x"})],
        ),
        (
            "First TOOL_CALL_CHUNK must have a toolCallId",
            vec![json!({"type": "TOOL_CALL_CHUNK", "delta": "x"})],
        ),
    ];
    for (sentence, events) in cases {
        assert_eq!(decode_run(true, &events).error(), sentence);
    }
}

#[test]
fn subagent_owners_are_taken_from_a_messages_snapshot() {
    let snapshot = json!({"type": "MESSAGES_SNAPSHOT", "messages": [
        {"id": "m", "role": "assistant", "subagentRunId": "s1", "toolCalls": [
            {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
    ]});
    let reopen = json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f", "subagentRunId": "s2"});
    assert_eq!(
        decode_run(true, &[snapshot, reopen]).error(),
        "Cannot send 'TOOL_CALL_START': subagentRunId 's2' does not match the tool call 'c' opener's subagent 's1'."
    );
}
