//! Calls that a server makes only to ask about another call, as Google ADK does.

use assistant_core::conversation::Phase;
use assistant_protocols::agui::{Decoder, DecoderOptions};
use serde_json::json;

use crate::support::*;

/// Google ADK asks by an interrupt about a call of `adk_request_confirmation`, which repeats the
/// call in question.
const CONFIRMATION: &str = r#"{
    "originalFunctionCall": {"id": "c", "name": "refund_order", "args": {"order": "A-17"}},
    "toolConfirmation": {"hint": "Please approve", "confirmed": false}
}"#;

/// The agent asks about its call `k`, with these arguments, next to `c`.
fn confirmation(args: &str) -> Driver {
    let mut driver = with([]);
    driver.events(calls("c", "refund_order", r#"{"order":"A-17"}"#));
    ask(&mut driver, args);
    driver
}

/// Ends the run with an interrupt about the call `k`, which has these arguments.
fn ask(driver: &mut Driver, args: &str) {
    driver.events(calls("k", "adk_request_confirmation", args));
    driver.event(interrupted(vec![approval_interrupt("int", "k")]));
    driver.close();
}

/// The states of `c` and `k`: true if it waits for the user.
fn asked(driver: &Driver) -> [bool; 2] {
    ["c", "k"].map(|id| driver.phase(id) == Phase::ApprovalRequested)
}

#[test]
fn an_interrupt_about_a_call_that_only_asks_is_shown_with_the_call_in_question() {
    let mut driver = confirmation(CONFIRMATION);
    assert_eq!(asked(&driver), [true, false]);
    assert_eq!(driver.approve("c"), None);
    let resume = &driver.request().resume;
    assert_eq!(resume[0].interrupt_id, "int");
    assert_eq!(resume[0].payload, Some(json!({"approved": true})));
    driver.plays([vec![result("r", "c", "paid")], says("m", "Done")].concat());
    assert_eq!(driver.answer("c"), "paid");
    driver.send("thanks");
    let sent = request(&driver);
    assert_eq!(sent[1..3], ["assistant=Done[c]", "tool:c=paid"]);
    assert!(!sent.concat().contains("adk_request_confirmation"));
}

/// The card shows the arguments of the call, not those of its copy.
#[test]
fn a_call_that_repeats_another_one_inexactly_is_asked_about_itself() {
    for (exact, other) in [
        (r#""A-17""#, r#""B-2""#),
        ("refund_order", "delete_order"),
        (r#""id": "c""#, r#""id": "d""#),
        (r#""id": "c""#, r#""id": "k""#),
    ] {
        let driver = confirmation(&CONFIRMATION.replace(exact, other));
        assert_eq!(asked(&driver), [false, true], "{other}");
    }
}

/// The model may know the id of an earlier call, and writes what it likes in a note.
#[test]
fn a_call_that_does_more_than_ask_is_asked_about_itself() {
    let driver = confirmation(&CONFIRMATION.replace("originalFunctionCall", "note"));
    assert_eq!(
        asked(&driver),
        [false, true],
        "an argument with any content"
    );

    let mut driver = with([remote_action("adk_request_confirmation")]);
    driver.events(calls("c", "refund_order", r#"{"order":"A-17"}"#));
    ask(&mut driver, CONFIRMATION);
    assert_eq!(asked(&driver), [false, true], "an action of the page");

    let mut driver = with([]);
    driver.events(calls("c", "refund_order", r#"{"order":"A-17"}"#));
    driver.event(result("r", "c", "paid"));
    ask(&mut driver, CONFIRMATION);
    assert_eq!(asked(&driver), [false, true], "a call that has ended");
}

#[test]
fn a_denied_call_is_denied_again_if_another_call_asks_about_it() {
    let mut driver = confirmation(CONFIRMATION);
    assert_eq!(driver.deny("c", None), None);
    driver.event(started());
    let again = calls("k2", "adk_request_confirmation", CONFIRMATION);
    driver.events(again);
    driver.event(interrupted(vec![approval_interrupt("int2", "k2")]));
    driver.close();
    let resume = &driver.request().resume;
    assert_eq!(resume[0].interrupt_id, "int2");
    assert_eq!(resume[0].payload, Some(json!({"approved": false})));
}

/// Plays the response of a recorded run.
fn plays_recorded(driver: &mut Driver, run: &str) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/agui-servers");
    let stream = std::fs::read_to_string(format!("{folder}/{run}.sse")).unwrap();
    let mut decoder = Decoder::new(DecoderOptions::default());
    for line in stream.lines().filter_map(|l| l.strip_prefix("data: ")) {
        let mut events = Vec::new();
        decoder.push_frame(line, &mut events).unwrap();
        for event in events {
            driver.event(event);
        }
    }
    driver.close();
}

#[test]
fn a_recorded_confirmation_of_google_adk_is_answered_with_the_call_in_question() {
    for (decision, text) in [(true, "\"refunded\": 40"), (false, "rejected")] {
        let scene = if decision { "approve" } else { "deny" };
        let mut driver = Driver::new();
        driver.send("Refund order A-17");
        plays_recorded(&mut driver, &format!("google-adk-{scene}.run1"));
        let conversation = driver.session.conversation();
        let calls = conversation
            .all_messages()
            .flat_map(|message| conversation.calls_in(message));
        let waiting: Vec<_> = calls
            .filter(|call| call.phase() == Phase::ApprovalRequested)
            .map(|call| (call.name().to_owned(), call.id().to_owned()))
            .collect();
        let [(name, id)] = waiting.as_slice() else {
            panic!("{waiting:?}")
        };
        assert_eq!(name, "refund_order");
        let refused = match decision {
            true => driver.approve(id),
            false => driver.deny(id, None),
        };
        assert_eq!(refused, None);
        let payload = driver.request().resume[0].payload.clone();
        assert_eq!(payload, Some(json!({"approved": decision})));
        plays_recorded(&mut driver, &format!("google-adk-{scene}.run2"));
        assert!(driver.answer(id).contains(text), "{}", driver.answer(id));
        driver.send("Thanks");
        assert!(
            !request(&driver)
                .concat()
                .contains("adk_request_confirmation")
        );
    }
}
