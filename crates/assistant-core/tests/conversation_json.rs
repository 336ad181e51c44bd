//! Messages and conversations as JSON: preserved by a round trip, or refused as a whole.

use assistant_core::{
    conversation::{Conversation, Part, Phase},
    session::Input,
};
use serde_json::{Value, json};

use crate::support::*;

/// Creates a session with an open run.
fn with_open_run() -> Driver {
    let mut driver = Driver::new();
    driver.send("hi");
    driver.event(started());
    driver
}

fn round_trip(json: &Value) {
    let conversation = Conversation::from_message_json(json.clone()).unwrap();
    let tip = conversation.tip().unwrap();
    assert_eq!(conversation.message_to_json(tip).unwrap(), *json);
}

#[test]
fn a_message_round_trips_through_json() {
    let json = json!({
        "id": "m", "role": "assistant", "priority": 3,
        "parts": [
            {"type": "text", "text": "Let me check", "lang": "en"},
            {"type": "tool-call", "toolCallId": "c", "toolName": "weather",
             "state": "input-available", "input": {"city": "Oslo"}},
            {"type": "x-new", "a": 1},
            "not even an object",
        ],
    });
    round_trip(&json);
    let conversation = Conversation::from_message_json(json).unwrap();
    let message = conversation.path().next().unwrap();
    assert!(matches!(message.parts()[0], Part::Text(_)));
    let call = conversation.calls_in(message).next().unwrap();
    assert_eq!((call.id(), call.name()), ("c", "weather"));
    assert_eq!(call.phase(), Phase::InputAvailable);
    assert_eq!(call.args(), Some(&json!({"city": "Oslo"})));
    assert!(matches!(message.parts()[2], Part::Unknown(_)));
}

#[test]
fn results_of_any_type_round_trip_through_json() {
    for output in [json!(null), json!("x"), json!([1]), json!({"a": null})] {
        round_trip(&json!({"id": "r", "role": "tool", "parts": [
            {"type": "tool-result", "toolCallId": "c", "toolName": "f", "output": output}]}));
        round_trip(&json!({"id": "m", "role": "assistant", "parts": [
            {"type": "tool-call", "toolCallId": "c", "toolName": "f", "state": "output-available",
             "input": {}, "output": output}]}));
    }
}

#[test]
fn calls_in_every_state_round_trip_through_json() {
    for state in [
        "input-streaming",
        "input-available",
        "approval-requested",
        "approval-responded",
        "running",
        "output-error",
        "output-denied",
        "skipped",
        "cancelled",
    ] {
        for input in [
            json!({"input": {"a": 1}}),
            json!({}),
            json!({"argsText": "{\"a\": "}),
        ] {
            let mut part = json!({"type": "tool-call", "toolCallId": "c", "toolName": "f",
                "state": state, "extraField": [true]});
            part.as_object_mut()
                .unwrap()
                .extend(input.as_object().unwrap().clone());
            round_trip(&json!({"id": "m", "role": "assistant", "parts": [part]}));
        }
    }
}

#[test]
fn malformed_messages_are_refused() {
    for bad in [
        json!(null),
        json!({"id": "m", "role": "assistant"}),
        json!({"id": "m", "role": "king", "parts": []}),
        json!({"role": "user", "parts": []}),
        json!({"id": "m", "role": "user", "parts": [{"type": "text"}]}),
        json!({"id": "m", "role": "user", "parts": [{"type": "tool-call", "toolCallId": "c"}]}),
        json!({"id": "m", "role": "tool", "parts": [{"type": "tool-result", "toolCallId": "c"}]}),
    ] {
        assert!(
            Conversation::from_message_json(bad.clone()).is_err(),
            "{bad}"
        );
    }
}

#[test]
fn a_conversation_round_trips_through_json() {
    let mut driver = with_open_run();
    driver.events(says("m", "x"));
    driver.events(calls("c", "f", "{\"a\": 1}"));
    driver.events([
        result("t", "c", "ok"),
        result("o", "zz", "?"),
        start("half", "f"),
    ]);
    driver.event(args("half", "{\"x"));
    let conversation = driver.session.conversation();
    let json = conversation.export();
    let copy = Conversation::import(json.clone()).unwrap();
    assert_eq!(copy.export(), json);
    assert_eq!(copy.received_messages(), conversation.received_messages());
    assert_eq!(copy.request_messages(), conversation.request_messages());
    assert_eq!(copy.tip(), conversation.tip());
    let text: Value = serde_json::from_str(&json.to_string()).unwrap();
    assert_eq!(Conversation::import(text).unwrap().export(), json);
}

/// Rule "export and import": a server's list can be opened.
#[test]
fn a_message_list_is_imported_as_one_branch() {
    let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let list = json!([
        {"id": "u", "role": "user", "content": "go"},
        {"id": "a", "role": "assistant", "content": "I do.", "toolCalls": [call("c"), call("d")]},
        {"id": "t", "role": "tool", "toolCallId": "c", "content": "ok"},
        {"id": "b", "role": "assistant", "content": "Done."},
    ]);
    let conversation = Conversation::import(list).unwrap();
    let ids: Vec<_> = conversation.path().map(|m| m.id().as_str()).collect();
    assert_eq!(ids, ["u", "a", "b"]);
    let phase = |id: &str| conversation.call_by_wire_id(id).unwrap().1.phase();
    assert_eq!(phase("c"), Phase::OutputAvailable);
    assert_eq!(phase("d"), Phase::Cancelled, "its outcome is unknown");
    assert_eq!(conversation.received_messages().len(), 4);
    let copy = Conversation::import(conversation.export()).unwrap();
    assert_eq!(copy.received_messages(), conversation.received_messages());
    let empty = Conversation::import(json!([])).unwrap();
    assert!(empty.tip().is_none());
}

/// A stored conversation with one call and additional fields.
fn called(more: Value) -> Value {
    let mut call = json!({"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": {}});
    call.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    let message = json!({"id": "m", "role": "assistant", "parts": [call]});
    json!({"version": 2, "messages": [{"parent": null, "message": message}], "tip": "m"})
}

#[test]
fn a_stored_call_keeps_its_lifecycle_within_a_phase() {
    for (state, word) in [
        ("approval-responded", "allowed"),
        ("approval-responded", "denied"),
        ("approval-responded", "handed-off"),
        ("running", "handed-off"),
        ("approval-responded", "interrupt-denied"),
        ("approval-requested", "interrupted"),
        ("input-available", "interrupted"),
    ] {
        let decision = if word.contains("denied") {
            "denied"
        } else {
            "approved"
        };
        let approval = json!({"decision": decision});
        let stored = called(json!({"state": state, "lifecycle": word, "approval": approval}));
        let again = Conversation::import(stored).unwrap().export();
        let call = &again["messages"][0]["message"]["parts"][0];
        assert_eq!(
            (&call["state"], &call["lifecycle"]),
            (&json!(state), &json!(word))
        );
    }
}

#[test]
fn malformed_data_is_refused_and_changes_nothing() {
    let good = with_open_run().session.conversation().export();
    let message = good["messages"][0].clone();
    let mut cases = vec![
        json!(null),
        json!({"version": 1}),
        json!({"version": 1, "messages": []}),
        called(json!({"state": "executing"})),
        called(json!({"state": "running", "lifecycle": "committing"})),
        called(json!({"state": "running", "lifecycle": "ended"})),
        called(json!({"state": "running", "lifecycle": "streaming"})),
        called(json!({"state": "input-streaming", "lifecycle": "allowed"})),
        json!([{"id": "m", "role": "king", "content": ""}]),
        json!([{"role": "user", "content": "no id"}]),
        json!([
            {"id": "m", "role": "user", "content": "a"},
            {"id": "m", "role": "user", "content": "b"},
        ]),
    ];
    let mut with = |key: &str, value: Value| {
        let mut case = good.clone();
        case[key] = value;
        cases.push(case);
    };
    with("version", json!(3));
    with("messages", json!({}));
    with("messages", json!([message, message]));
    with("messages", json!([{"message": {"id": "x"}}]));
    with(
        "messages",
        json!([
            {"parent": "y", "message": {"id": "x", "role": "user", "parts": []}},
            {"parent": "x", "message": {"id": "y", "role": "user", "parts": []}},
        ]),
    );
    for case in cases {
        let mut driver = Driver::new();
        driver.send("mine");
        driver.says("yours");
        let before = driver.session.conversation().export();
        assert!(Conversation::import(case.clone()).is_err(), "{case}");
        let step = driver.input(Input::Load {
            thread_id: "other".to_owned(),
            snapshot: case,
        });
        assert!(step.refused.is_some());
        assert_eq!(driver.session.conversation().export(), before);
        assert_eq!(driver.session.thread_id(), "thread");
    }
}

#[test]
fn invalid_result_references_are_repaired() {
    let mut driver = with_open_run();
    driver.events(calls("c", "f", "{}"));
    driver.event(result("t", "c", "ok"));
    let json = driver.session.conversation().export();
    for refs in [
        json!([]),
        json!([["m", 0], ["m", 0]]),
        json!([["m", 9], ["zz", 0], 7]),
    ] {
        let mut case = json.clone();
        case["messages"][1]["results"] = refs;
        case["leadingResults"] = json!("?");
        let copy = Conversation::import(case).unwrap();
        let messages = sketch(&copy.received_messages());
        assert_eq!(messages, ["user=hi", "assistant=[c]", "tool:c=ok"]);
    }
}

#[test]
fn a_message_between_two_results_of_a_call_survives_import() {
    let mut driver = with_open_run();
    driver.events(calls("c", "f", "{}"));
    driver.event(result("t", "c", "ok"));
    driver.events(says("text", "so far"));
    driver.event(result("t2", "c", "again"));
    let conversation = driver.session.conversation();
    let copy = Conversation::import(conversation.export()).unwrap();
    assert_eq!(copy.received_messages(), conversation.received_messages());
    assert_eq!(copy.export(), conversation.export());
}

#[test]
fn fields_that_a_call_state_does_not_use_are_kept_as_extra() {
    let error = json!({"message": "too early", "kind": "handler"});
    let json = json!({"id": "m", "role": "assistant", "parts": [
        {"type": "tool-call", "toolCallId": "c", "toolName": "f", "state": "input-available",
            "input": {}, "error": error, "endedAt": 7},
        {"type": "tool-call", "toolCallId": "d", "toolName": "f", "state": "input-streaming",
            "approval": {"decision": "approved"}},
    ]});
    let conversation = Conversation::from_message_json(json).unwrap();
    let written = conversation.message_to_json(conversation.tip().unwrap());
    let parts = &written.unwrap()["parts"];
    assert_eq!(parts[0]["extra"], json!({"error": error, "endedAt": 7}));
    assert_eq!(
        parts[1]["extra"],
        json!({"approval": {"decision": "approved"}})
    );
    let again = Conversation::import(conversation.export()).unwrap();
    assert_eq!(again.export(), conversation.export());
}
