//! Tests of the fields of single events, and of retired and unknown forms.

use super::*;

#[test]
fn unknown_fields_and_values_are_removed_and_reported_by_path() {
    let messages = json!([
        {"id": "a", "role": "assistant", "x": 1, "toolCalls": [
            {"id": "c", "type": "function", "function": {"name": "f", "arguments": "", "y": 1}, "constructor": 2}]},
        {"id": "t", "role": "tool", "toolCallId": "c", "name": "z", "content": [
            {"type": "text", "text": "x"}, {"type": "hologram"}, {"type": "image", "source": {"type": "ipfs", "value": "v"}}]},
        {"id": "n", "role": "narrator", "content": ""},
    ]);
    let got = decode_run(
        true,
        &[json!({"type": "MESSAGES_SNAPSHOT", "messages": messages, "a/b~": 0})],
    );
    assert_eq!(got.error(), "");
    let places: Vec<&str> = got
        .notes
        .iter()
        .map(|note| note.message().split('\'').nth(1).unwrap())
        .collect();
    assert_eq!(
        places,
        [
            "/messages/0/toolCalls/0/function/y",
            "/messages/0/toolCalls/0/constructor",
            "/messages/0/x",
            "/messages/1/content/1",
            "/messages/1/content/2",
            "/messages/1/name",
            "/messages/2",
            "/a~1b~0",
        ]
    );
    let EventKind::MessagesSnapshot { messages } = &got.events[1].kind else {
        panic!()
    };
    assert_eq!(messages.len(), 2);
    assert!(messages.iter().all(|message| message.extra.is_empty()));
    let MessageBody::Tool {
        content: Content::Parts(parts),
        ..
    } = &messages[1].body
    else {
        panic!()
    };
    assert_eq!(parts.len(), 1);
}

#[test]
fn diagnostics_are_bounded() {
    let event = json!({"type": "RAW", "event": 0, "x".repeat(10_000): 1, "timestamp": null});
    let got = decode_run(false, &vec![event; 400]);
    assert_eq!(
        got.codes()
            .iter()
            .filter(|code| **code == "null-optional")
            .count(),
        1
    );
    assert_eq!(got.codes().last(), Some(&"left-out"));
    assert!(got.notes.len() < 300 && got.notes.iter().all(|note| note.message().len() < 1000));
}

#[test]
fn json_patch_operations_are_validated() {
    let delta = |op: Value| decode_run(true, &[json!({"type": "STATE_DELTA", "delta": [op]})]);
    for good in [
        json!({"op": "add", "path": "", "value": null}),
        json!({"op": "test", "path": "/a~0b~1c//", "value": 1, "note": "kept"}),
        json!({"op": "move", "path": "/a", "from": "/b"}),
        json!({"op": "remove", "path": "/a"}),
    ] {
        let got = delta(good.clone());
        let EventKind::StateDelta { delta } = &got.events[1].kind else {
            panic!()
        };
        assert_eq!(*delta, [good]);
    }
    for (bad, place) in [
        (json!({"op": "add", "path": "/a"}), "/delta/0/value"),
        (json!({"op": "copy", "path": "/a"}), "/delta/0/from"),
        (json!({"op": "remove", "path": "a"}), "/delta/0/path"),
        (json!({"op": "remove", "path": "/a~2"}), "/delta/0/path"),
        (json!({"op": "remove", "path": "/~"}), "/delta/0/path"),
        (json!({"op": "remove"}), "/delta/0/path"),
        (json!(null), "/delta/0"),
    ] {
        assert!(
            delta(bad.clone()).error().contains(&format!("\"{place}\"")),
            "{bad}"
        );
    }
}

#[test]
fn unknown_variants_are_removed_and_malformed_ones_are_errors() {
    let part = |part: Value| {
        decode_run(
            true,
            &[
                json!({"type": "TOOL_CALL_RESULT", "messageId": "t", "toolCallId": "c", "content": [part]}),
            ],
        )
    };
    for unknown in [
        json!({"text": "x"}),
        json!({"type": null, "text": "x"}),
        json!({"type": 1}),
        json!({"type": "image", "id": 1, "source": {"value": "x"}}),
    ] {
        let got = part(unknown.clone());
        assert_eq!(got.codes(), ["unknown-field"], "{unknown}");
    }
    // The error of a union names the member that the value resembles, and the fault in it.
    assert_eq!(
        part(json!({"type": "text", "text": 1})).error(),
        r#"Malformed TOOL_CALL_RESULT: {"path":"/content","message":"Invalid input","within":{"path":"/content/0/text","message":"Invalid input: expected string, received number"}}"#
    );
    let role = |role: Value| {
        decode_run(
            true,
            &[json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "role": role})],
        )
    };
    assert_eq!(role(json!("narrator")).codes(), ["unknown-field"]);
    assert_eq!(
        role(json!(1)).error(),
        r#"Malformed TEXT_MESSAGE_CHUNK: {"path":"/role","message":"Invalid option: expected one of \"developer\"|\"system\"|\"assistant\"|\"user\""}"#
    );
}

#[test]
fn protocol_versions_are_compared_as_numbers() {
    let codes = |version: &str| {
        let stream = [
            json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r", "protocolVersion": version}),
        ];
        decode(true, &stream).codes().len()
    };
    for (version, notes) in [
        ("1.0", 0),
        ("0.9", 0),
        ("01.00", 0),
        ("0.99999999999999999999999", 0),
        ("1.1", 1),
        ("1.10", 1),
        ("2.0", 1),
        ("99999999999999999999999.0", 1),
        ("1", 1),
        ("1.0.0", 1),
        ("v1.0", 1),
        ("1.", 1),
        ("", 1),
    ] {
        assert_eq!(codes(version), notes, "{version}");
    }
}

#[test]
fn deprecated_events_and_parts_are_upgraded() {
    let got = decode_run(
        true,
        &[
            json!({"type": "THINKING_START", "title": "t"}),
            json!({"type": "THINKING_TEXT_MESSAGE_START"}),
            json!({"type": "THINKING_TEXT_MESSAGE_CONTENT", "delta": "hm"}),
            json!({"type": "THINKING_TEXT_MESSAGE_END"}),
            json!({"type": "THINKING_END"}),
            json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f", "parentMessageId": null}),
            json!({"type": "TOOL_CALL_END", "toolCallId": "c"}),
            json!({"type": "MESSAGES_SNAPSHOT", "messages": [{"id": "u", "role": "user", "content": [
                {"type": "binary", "mimeType": "application/pdf", "data": "AA==", "filename": "a.pdf"},
                {"type": "binary", "mimeType": "audio/ogg", "id": "f-1"},
                {"type": "binary", "mimeType": "audio/ogg"},
            ]}]}),
        ],
    );
    assert_eq!(got.error(), "");
    assert_eq!(
        got.types()[1..6],
        [
            "REASONING_START",
            "REASONING_MESSAGE_START",
            "REASONING_MESSAGE_CONTENT",
            "REASONING_MESSAGE_END",
            "REASONING_END"
        ]
    );
    let ids: Vec<Value> = got.events[1..6]
        .iter()
        .map(|event| event_to_value(event)["messageId"].clone())
        .collect();
    assert_eq!(
        ids,
        [
            "r-thinking-1",
            "r-thinking-2",
            "r-thinking-2",
            "r-thinking-2",
            "r-thinking-1"
        ]
    );
    assert_eq!(
        event_to_value(&got.events[8])["messages"][0]["content"],
        json!([
            {"type": "document", "source": {"type": "data", "value": "AA==", "mimeType": "application/pdf"}, "metadata": {"filename": "a.pdf"}},
        ])
    );
}

#[test]
fn interleaved_chunks_of_subagents_stay_separate() {
    let chunk = |id: Value, tag: Value, delta: &str| {
        let mut event = json!({"type": "TEXT_MESSAGE_CHUNK", "delta": delta});
        for (key, value) in [("messageId", id), ("subagentRunId", tag)] {
            if !value.is_null() {
                event[key] = value;
            }
        }
        event
    };
    let none = || Value::Null;
    let got = decode_run(
        true,
        &[
            chunk(json!("p"), none(), "P"),
            chunk(json!("m"), json!("s"), "A"),
            chunk(none(), none(), "Q"),
            chunk(none(), json!("s"), "B"),
            json!({"type": "CUSTOM", "name": "n", "value": 1, "subagentRunId": "s"}),
            chunk(none(), none(), "R"),
        ],
    );
    assert_eq!(got.error(), "");
    let flow: Vec<(&str, Option<String>)> = got.events[1..]
        .iter()
        .map(|event| (event_type(&event.kind), event.base.subagent_run_id.clone()))
        .collect();
    let s = || Some("s".to_owned());
    assert_eq!(
        flow,
        [
            ("TEXT_MESSAGE_START", None),
            ("TEXT_MESSAGE_CONTENT", None),
            ("TEXT_MESSAGE_START", s()),
            ("TEXT_MESSAGE_CONTENT", s()),
            ("TEXT_MESSAGE_CONTENT", None),
            ("TEXT_MESSAGE_CONTENT", s()),
            ("TEXT_MESSAGE_END", s()),
            ("CUSTOM", s()),
            ("TEXT_MESSAGE_CONTENT", None),
            ("TEXT_MESSAGE_END", None),
            ("RUN_FINISHED", None),
        ]
    );
}

#[test]
fn an_expanded_chunk_keeps_its_metadata_and_raw_event() {
    let got = decode_run(
        true,
        &[
            json!({"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "f", "timestamp": 5, "metadata": {"a": 1}, "rawEvent": 1}),
            json!({"type": "TOOL_CALL_CHUNK", "metadata": {"b": 2}}),
            json!({"type": "TOOL_CALL_CHUNK"}),
        ],
    );
    let written: Vec<Value> = got.events[1..4].iter().map(event_to_value).collect();
    assert_eq!(
        written,
        [
            json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f", "metadata": {"a": 1}}),
            json!({"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "", "rawEvent": 1, "metadata": {"a": 1}}),
            json!({"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "", "metadata": {"b": 2}}),
        ]
    );
    assert_eq!(got.types()[4..], ["TOOL_CALL_END", "RUN_FINISHED"]);
}

#[test]
fn decoder_stages_work_on_their_own() {
    let mut notes = Notes::new();
    let mut frame = EventObject::parse(r#"{"type":"THINKING_TEXT_MESSAGE_START"}"#).unwrap();
    Compat::new().upgrade(&mut frame, &mut notes);
    let event = decode_event(frame, true, &mut notes).unwrap().unwrap();
    let mut out = Vec::new();
    Expander::new().expand(event, &mut out).unwrap();
    assert_eq!(event_type(&out[0].kind), "REASONING_MESSAGE_START");
    let error = Verifier::new(true).check(&out[0]).unwrap_err();
    assert_eq!(error.message(), "First event must be 'RUN_STARTED'");
    let frame = EventObject::parse(r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#).unwrap();
    let started = decode_event(frame, true, &mut notes).unwrap().unwrap();
    assert_eq!(Verifier::new(true).check(&started), Ok(Checked::Pass));
}

#[test]
fn the_first_fault_in_schema_order_is_reported() {
    let snapshot = |message: Value| json!({"type": "MESSAGES_SNAPSHOT", "messages": [message]});
    for (event, place) in [
        (
            json!({"type": "TEXT_MESSAGE_CONTENT", "delta": 1}),
            "/messageId",
        ),
        (
            json!({"type": "TEXT_MESSAGE_CONTENT", "delta": 1, "timestamp": "x"}),
            "/timestamp",
        ),
        (
            json!({"type": "TOOL_CALL_END", "metadata": 1, "subagentRunId": 1}),
            "/metadata",
        ),
        (json!({"type": "RUN_ERROR", "subagentRunId": 1}), "/message"),
        (
            snapshot(json!({"role": "user", "id": "u", "content": 1, "name": 1})),
            "/messages/0/name",
        ),
        (
            snapshot(json!({"role": "user", "id": 1, "subagentRunId": 1})),
            "/messages/0/subagentRunId",
        ),
        (
            snapshot(json!({"role": "tool", "id": "t", "metadata": 1})),
            "/messages/0/content",
        ),
        (
            snapshot(json!({"role": "user", "id": "u", "content": [{"type": "text", "id": 1}]})),
            "/messages/0/content",
        ),
    ] {
        let got = decode_run(true, &[event]);
        let (_, fault) = got.error().split_once(": ").unwrap();
        let fault: Value = serde_json::from_str(fault).unwrap();
        assert_eq!(fault["path"], place, "{fault}");
    }
    // Unknown values are removed, regardless of other faults in them.
    let part = json!({"type": "image", "id": 1, "source": {"type": "ipfs"}});
    let got = decode_run(
        true,
        &[snapshot(
            json!({"role": "user", "id": "u", "content": [part]}),
        )],
    );
    assert_eq!((got.error(), got.codes()), ("", vec!["unknown-field"]));
}

#[test]
fn the_last_of_duplicate_fields_wins() {
    let frame = EventObject::parse(r#"{"type":"RAW","event":1,"event":2}"#).unwrap();
    let event = decode_event(frame, true, &mut Notes::new())
        .unwrap()
        .unwrap();
    assert_eq!(
        event.kind,
        EventKind::Raw {
            event: json!(2),
            source: None
        }
    );
}

#[test]
fn unknown_message_fields_are_stored_but_not_sent() {
    let stored = json!({"id": "a", "role": "assistant", "content": "x", "toolCalls": [
        {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{"}, "encryptedValueType": "k"}],
        "encryptedValue": "e", "encryptedValueType": "k"});
    let message = message_from_value(stored.clone()).unwrap();
    assert_eq!(message.role(), Role::Assistant);
    assert_eq!(message_to_value(&message).to_string(), stored.to_string());
    let mut input = read_input(&json!({"threadId": "t", "runId": "r", "messages": []}));
    input.messages = vec![message];
    assert!(
        !run_input_text(&input).contains("encryptedValueType"),
        "requests are exact"
    );
    assert!(message_from_value(json!({"id": "a", "role": "narrator"})).is_err());
    assert!(message_from_value(json!([])).is_err());
}
