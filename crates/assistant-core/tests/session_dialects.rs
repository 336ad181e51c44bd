//! One recorded scene of each popular agent (fixtures/agui-servers): the session answers as the
//! recorded page did, and understands the result.

use assistant_core::{
    conversation::Phase,
    event::{MessageBody, Role},
    session::{Input, TreeChange},
};
use assistant_protocols::agui::{Decoder, DecoderOptions};
use serde_json::{Value, json};

use crate::support::*;

fn read_fixture(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/agui-servers");
    std::fs::read_to_string(format!("{folder}/{name}")).unwrap()
}

/// Answers the open run with a recorded response.
fn play_response(driver: &mut Driver, run: &str) {
    let mut decoder = Decoder::new(DecoderOptions::default());
    let stream = read_fixture(&format!("{run}.sse"));
    for line in stream.lines().filter_map(|l| l.strip_prefix("data: ")) {
        let mut events = Vec::new();
        decoder.push_frame(line, &mut events).unwrap();
        for event in events {
            driver.event(event);
        }
    }
    driver.close();
}

/// Returns the answers in a recorded request.
fn recorded_answers(run: &str) -> Value {
    let request: Value =
        serde_json::from_str(&read_fixture(&format!("{run}.request.json"))).unwrap();
    json!([request["resume"], request["forwardedProps"]])
}

/// Returns the answers in the last request.
fn sent_answers(driver: &Driver) -> Value {
    let request = driver.request();
    let entry = |entry: &assistant_core::event::ResumeEntry| {
        let mut written = json!({
            "interruptId": entry.interrupt_id, "status": "resolved", "payload": entry.payload,
        });
        if let Some(metadata) = &entry.metadata {
            written["metadata"] = json!(metadata);
        }
        written
    };
    let entries: Vec<Value> = request.resume.iter().map(entry).collect();
    json!([entries, request.forwarded_props])
}

/// Returns the id of the only call of a tool.
fn only_call_of(driver: &Driver, name: &str) -> String {
    let conversation = driver.session.conversation();
    let mut ids = conversation
        .all_messages()
        .flat_map(|message| conversation.calls_in(message).collect::<Vec<_>>())
        .filter(|call| call.name() == name)
        .map(|call| call.id().to_owned());
    let id = ids.next().unwrap();
    assert_eq!(ids.next(), None, "one call of {name}");
    id
}

#[test]
fn an_approval_is_sent_as_each_agent_expects_it() {
    for (agent, word) in [
        ("ag-ui-js", None),
        ("ag2", None),
        ("strands", None),
        ("crewai", Some("yes")),
    ] {
        let mut driver = Driver::new();
        driver.send("Refund order A-17");
        play_response(&mut driver, &format!("{agent}-approve.run1"));
        let call = only_call_of(&driver, "refund_order");
        let [open] = driver.session.interrupts() else {
            panic!("{agent} asks one question");
        };
        let id = open.interrupt().id.clone();
        let refused = match word {
            // Its answer is a text, so no card takes it.
            Some(word) => {
                assert!(!open.takes_approval(), "{agent}");
                driver.answers(&id, Some(json!(word)))
            }
            None if open.call_key().is_some() => driver.approve(&call),
            None => driver.answers(&id, Some(json!(true))),
        };
        assert_eq!(refused, None, "{agent}");
        let recorded = recorded_answers(&format!("{agent}-approve.run2"));
        assert_eq!(sent_answers(&driver), recorded, "{agent}");
        play_response(&mut driver, &format!("{agent}-approve.run2"));
        assert!(driver.session.interrupts().is_empty(), "{agent}");
        assert!(!driver.session.is_busy(), "{agent}");
        assert_eq!(driver.phase(&call), Phase::OutputAvailable, "{agent}");
        let result = driver.answer(&call);
        assert!(result.contains("refunded"), "{agent}: {result}");
    }
}

#[test]
fn a_tool_of_each_agent_has_its_result() {
    for agent in ["ag-ui-js", "ag2", "agno", "llama-index", "strands"] {
        let mut driver = Driver::new();
        driver.send("Where is order A-17?");
        play_response(&mut driver, &format!("{agent}-backend.run1"));
        let call = only_call_of(&driver, "lookup_order");
        assert_eq!(driver.phase(&call), Phase::OutputAvailable, "{agent}");
        let result = driver.answer(&call);
        assert!(result.contains("packed"), "{agent}: {result}");
        assert!(!driver.session.is_busy(), "{agent}");
    }
}

/// Asserts that the tool of `Pydantic AI` has failed, with its result as the error.
fn assert_failed(driver: &Driver, call: &str) {
    assert_eq!(driver.phase(call), Phase::OutputError);
    let result = driver.call(call).result().unwrap();
    let text = "Tool execution was interrupted by an error.";
    assert_eq!(result.error(), Some(text));
}

/// `Pydantic AI` states the failure of a tool in the encrypted value of the result only.
#[test]
fn a_failed_tool_of_pydantic_ai_is_an_error() {
    let mut driver = Driver::new();
    driver.send("Where is order X-0?");
    play_response(&mut driver, "pydantic-ai-backend-error.run1");
    let call = only_call_of(&driver, "lookup_order");
    assert_failed(&driver, &call);
    driver.send("Are you there?");
    let sent = driver.request().messages.iter();
    let sent: Vec<&str> = sent
        .filter_map(|message| message.encrypted_value.as_deref())
        .collect();
    let value = "{\"pydantic_ai\": {\"outcome\": \"failed\"}}";
    assert_eq!(sent, [value], "the value is sent back");

    let mut listed = driver.session.conversation().received_messages();
    for message in &mut listed {
        if let MessageBody::Tool { error, .. } = &mut message.body {
            *error = None;
        }
    }
    driver.plays([snapshot(listed)]);
    assert_failed(&driver, &call);
}

/// Returns the outcomes of the ends that were recorded.
fn audited_ends(driver: &Driver) -> Vec<String> {
    let entries = driver.audit.iter().flatten().map(|entry| entry.to_value());
    let ends = entries.filter(|entry| entry["event"] == "ended");
    ends.map(|entry| entry["outcome"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_failure_that_is_stated_after_a_result_is_audited_once() {
    let mut driver = Driver::new();
    driver.audit = Some(Vec::new());
    driver.send("Where is order X-0?");
    play_response(&mut driver, "pydantic-ai-backend-error.run1");
    let call = only_call_of(&driver, "lookup_order");
    let ends = ["done", "failed"];
    assert_eq!(audited_ends(&driver), ends);

    let listed = driver.session.conversation().received_messages();
    driver.send("And now?");
    driver.plays([snapshot(listed.clone())]);
    assert_eq!(audited_ends(&driver), ends, "a list repeats it");

    let mut fresh = Driver::new();
    fresh.audit = Some(Vec::new());
    fresh.send("Where is order X-0?");
    let mut succeeded = listed.clone();
    for message in &mut succeeded {
        message.encrypted_value = None;
        if let MessageBody::Tool { error, .. } = &mut message.body {
            *error = None;
        }
    }
    fresh.event(started());
    fresh.event(snapshot(succeeded));
    let known = audited_ends(&fresh).len();
    fresh.event(snapshot(listed));
    assert_failed(&fresh, &call);
    assert_eq!(audited_ends(&fresh)[known..], ends[1..]);
}

/// A list that brings the value first makes a successful result an error; one that repeats it
/// changes nothing, so that the messages stay shared with another branch.
#[test]
fn a_list_states_the_failure_of_a_known_result_once() {
    let mut driver = Driver::new();
    driver.send("Where is order X-0?");
    play_response(&mut driver, "pydantic-ai-backend-error.run1");
    let call = only_call_of(&driver, "lookup_order");
    let without_error = |driver: &Driver| {
        let mut listed = driver.session.conversation().received_messages();
        for message in &mut listed {
            if let MessageBody::Tool { error, .. } = &mut message.body {
                *error = None;
            }
        }
        listed
    };
    let failed = without_error(&driver);

    let mut fresh = Driver::new();
    fresh.send("Where is order X-0?");
    let mut succeeded = failed.clone();
    for message in &mut succeeded {
        message.encrypted_value = None;
    }
    fresh.event(started());
    fresh.event(snapshot(succeeded));
    assert_eq!(fresh.phase(&call), Phase::OutputAvailable);
    fresh.event(snapshot(failed));
    assert_failed(&fresh, &call);

    driver.send("And now?");
    driver.says("It is lost.");
    let path = driver.session.conversation().path();
    let mut answers = path.filter(|message| message.role() == Role::Assistant);
    let message = answers.next_back().unwrap().id().clone();
    drop(answers);
    let change = TreeChange::Regenerate { message };
    assert_eq!(driver.input(Input::Tree { change }).refused, None);
    let count = |driver: &Driver| driver.session.conversation().all_messages().count();
    let before = count(&driver);
    driver.event(started());
    driver.event(snapshot(without_error(&driver)));
    assert_eq!(count(&driver), before, "no message is copied");
    assert_failed(&driver, &call);
}
