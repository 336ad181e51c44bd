//! An answer of an AI SDK server is resumed after a reload. The server repeats the response to one
//! request, and an answer may consist of several.

use assistant_core::{
    conversation::Phase,
    session::{Failure, FailureKind, Input, NoticeKind, StreamEnd},
};
use assistant_protocols::{UiStream, ui_stream::ui_messages};
use serde_json::{Value, json};

use super::{Request, Talk, ui_stream::stream};
use crate::support::action;

fn talk() -> Talk {
    Talk::new(Box::new(UiStream::default().with_resumes(true)))
}

fn text(id: &str, words: &str) -> [Value; 3] {
    [
        json!({"type": "text-start", "id": id}),
        json!({"type": "text-delta", "id": id, "delta": words}),
        json!({"type": "text-end", "id": id}),
    ]
}

/// Reads the first chunks of a response, and reloads the page.
fn cut_and_reload(talk: &mut Talk, chunks: &[Value]) {
    let text: String = chunks
        .iter()
        .map(|chunk| format!("data: {chunk}\n\n"))
        .collect();
    talk.begin_answer(text.as_bytes());
    talk.reload(&[action("weather")]);
}

/// Returns the parts of the answer in order.
fn parts(talk: &Talk) -> Vec<String> {
    let messages = ui_messages(talk.driver.session.conversation());
    assert_eq!(messages.len(), 2, "{messages:#?}");
    let parts = messages[1]["parts"].as_array().unwrap().iter();
    let short = |part: &Value| match part["type"].as_str().unwrap() {
        "text" => part["text"].as_str().unwrap().to_owned(),
        "step-start" => "-".to_owned(),
        tool => format!("{tool} {}", part["state"].as_str().unwrap()),
    };
    parts.map(short).collect()
}

/// Answers a call of the page, and interrupts the following response after some chunks.
fn second_response(received: usize) {
    let mut talk = talk();
    talk.driver.register(action("weather"));
    talk.driver.send("hi");
    let mut first = vec![
        json!({"type": "start", "messageId": "a1"}),
        json!({"type": "start-step"}),
    ];
    first.extend(text("1", "Let me see."));
    first.extend([
        json!({"type": "tool-input-available", "toolCallId": "c1", "toolName": "weather", "input": {}}),
        json!({"type": "finish-step"}),
        json!({"type": "finish"}),
    ]);
    talk.answer(&stream(&first));
    talk.driver.returns("c1", json!("clear"));
    let mut second = vec![
        json!({"type": "start", "messageId": "a1"}),
        json!({"type": "start-step"}),
    ];
    second.extend(text("1", "It is clear."));
    second.push(json!({"type": "tool-input-available", "toolCallId": "c2", "toolName": "search", "input": {}}));
    second.push(json!({"type": "tool-output-available", "toolCallId": "c2", "output": 1}));
    second.push(json!({"type": "finish-step"}));
    second.push(json!({"type": "start-step"}));
    second.extend(text("1", "And found."));
    second.push(json!({"type": "finish"}));
    cut_and_reload(&mut talk, &second[..received]);
    // Another reload, at the beginning or in the middle.
    cut_and_reload(&mut talk, &second[..received.min(4)]);
    talk.answer(&stream(&second));
    assert_eq!(
        parts(&talk),
        [
            "-",
            "Let me see.",
            "tool-weather output-available",
            "-",
            "It is clear.",
            "tool-search output-available",
            "-",
            "And found.",
        ],
        "after {received} chunks"
    );
    assert_eq!(talk.driver.starts("c1"), 0);
    assert!(!talk.driver.session.is_busy());
    assert_eq!(talk.driver.notices(), []);
}

#[test]
fn an_answer_resumed_after_a_tool_result_keeps_its_earlier_parts() {
    for received in 0..=11 {
        second_response(received);
    }
}

fn decide_payment(talk: &mut Talk, approved: bool) {
    talk.driver.send("hi");
    talk.answer(&stream(&[
        json!({"type": "start", "messageId": "a1"}),
        json!({"type": "start-step"}),
        json!({"type": "tool-input-available", "toolCallId": "c1", "toolName": "pay", "input": {}}),
        json!({"type": "tool-approval-request", "approvalId": "ap", "toolCallId": "c1"}),
        json!({"type": "finish-step"}),
        json!({"type": "finish"}),
    ]));
    match approved {
        true => talk.driver.approve("c1"),
        false => talk.driver.deny("c1", None),
    };
}

#[test]
fn a_decided_call_gets_its_outcome_from_the_resumed_answer() {
    for (approved, received) in [
        (true, 0),
        (true, 1),
        (true, 2),
        (true, 4),
        (false, 0),
        (false, 2),
    ] {
        let mut talk = talk();
        decide_payment(&mut talk, approved);
        let outcome = match approved {
            true => json!({"type": "tool-output-available", "toolCallId": "c1", "output": "paid"}),
            false => json!({"type": "tool-output-denied", "toolCallId": "c1"}),
        };
        let mut second = vec![
            json!({"type": "start", "messageId": "a1"}),
            outcome,
            json!({"type": "start-step"}),
        ];
        second.extend(text("1", "Done."));
        second.push(json!({"type": "finish"}));
        cut_and_reload(&mut talk, &second[..received]);
        assert!(talk.driver.session.is_busy(), "reading resumes");
        talk.answer(&stream(&second));
        let (phase, state) = match approved {
            true => (Phase::OutputAvailable, "tool-pay output-available"),
            false => (Phase::OutputDenied, "tool-pay output-denied"),
        };
        assert_eq!(
            talk.driver.phase("c1"),
            phase,
            "{approved} after {received} chunks"
        );
        assert_eq!(
            parts(&talk),
            ["-", state, "-", "Done."],
            "{approved} after {received} chunks"
        );
        assert!(!talk.driver.session.is_busy());
        assert_eq!(
            talk.driver.runs.len(),
            1,
            "nothing but the rest of the answer was asked for"
        );
        assert_eq!(talk.driver.notices(), []);
    }
}

#[test]
fn an_approved_call_is_cancelled_if_no_answer_can_be_resumed() {
    for (approved, phase) in [(true, Phase::Cancelled), (false, Phase::OutputDenied)] {
        let mut talk = talk();
        decide_payment(&mut talk, approved);
        cut_and_reload(&mut talk, &[json!({"type": "start", "messageId": "a1"})]);
        let run = talk.driver.run();
        talk.driver.input(Input::RunClosed {
            run,
            end: StreamEnd::Nothing,
        });
        assert_eq!(talk.driver.phase("c1"), phase);
        assert!(!talk.driver.session.is_busy());
        assert!(talk.driver.session.interrupts().is_empty());
        assert_eq!(talk.driver.runs.len(), 1, "nothing is sent by itself");
    }
}

/// Reads the first chunks of a response, and breaks the connection.
fn break_connection(talk: &mut Talk, chunks: &[Value]) {
    let text: String = chunks
        .iter()
        .map(|chunk| format!("data: {chunk}\n\n"))
        .collect();
    talk.begin_answer(text.as_bytes());
    close_run(
        talk,
        StreamEnd::Failed(Failure::new(FailureKind::Network, "gone")),
    );
}

fn close_run(talk: &mut Talk, end: StreamEnd) {
    let run = talk.driver.run();
    talk.driver.input(Input::RunClosed { run, end });
}

fn requests_resume(talk: &Talk) -> bool {
    let request = talk.protocol.request(talk.driver.request());
    matches!(request, Request::Get { path } if path.ends_with("/stream"))
}

/// Text, two calls of the page, and more text.
fn with_calls() -> Vec<Value> {
    let mut chunks = vec![
        json!({"type": "start", "messageId": "a1"}),
        json!({"type": "start-step"}),
    ];
    chunks.extend(text("1", "Let me see."));
    for id in ["c1", "c2"] {
        chunks.push(json!({"type": "tool-input-available", "toolCallId": id, "toolName": "weather", "input": {}}));
    }
    chunks.push(json!({"type": "finish-step"}));
    chunks.push(json!({"type": "finish"}));
    chunks
}

#[test]
fn an_answer_cut_by_the_network_is_resumed_and_its_calls_run_once() {
    let chunks = with_calls();
    for received in 1..chunks.len() {
        let mut talk = talk();
        talk.driver.register(action("weather"));
        talk.driver.send("hi");
        break_connection(&mut talk, &chunks[..received]);
        assert!(requests_resume(&talk), "after {received} chunks");
        assert_eq!(talk.driver.notices(), []);
        assert_eq!(talk.driver.starts("c1"), 0, "nothing runs meanwhile");
        talk.answer(&stream(&chunks));
        assert_eq!(
            (talk.driver.starts("c1"), talk.driver.starts("c2")),
            (1, 1),
            "after {received} chunks"
        );
        talk.driver.returns("c1", json!(1));
        talk.driver.returns("c2", json!(2));
        assert_eq!(
            parts(&talk),
            [
                "-",
                "Let me see.",
                "tool-weather output-available",
                "tool-weather output-available"
            ]
        );
        assert!(!requests_resume(&talk), "the results go out");
    }
}

#[test]
fn a_call_received_before_a_reload_runs_once_after_the_answer() {
    let chunks = with_calls();
    for received in 1..chunks.len() {
        let mut talk = talk();
        talk.driver.register(action("weather"));
        talk.driver.send("hi");
        cut_and_reload(&mut talk, &chunks[..received]);
        talk.answer(&stream(&chunks));
        assert_eq!(
            (talk.driver.starts("c1"), talk.driver.starts("c2")),
            (1, 1),
            "after {received} chunks"
        );
    }
}

#[test]
fn retry_resumes_an_answer_after_a_failed_resume() {
    let chunks = with_calls();
    let mut talk = talk();
    talk.driver.register(action("weather"));
    talk.driver.send("hi");
    break_connection(&mut talk, &chunks[..5]);
    assert!(requests_resume(&talk));
    close_run(
        &mut talk,
        StreamEnd::Failed(Failure::new(FailureKind::Network, "still gone")),
    );
    assert_eq!(talk.driver.session.notices()[0].kind(), NoticeKind::Network);
    assert!(!talk.driver.session.is_busy());
    talk.driver.input(Input::Retry);
    assert!(requests_resume(&talk), "the server may have continued it");
    talk.answer(&stream(&chunks));
    assert_eq!((talk.driver.starts("c1"), talk.driver.starts("c2")), (1, 1));
    assert_eq!(talk.driver.notices(), []);
}

#[test]
fn retry_requests_a_lost_answer_again() {
    let chunks = with_calls();
    let mut talk = talk();
    talk.driver.register(action("weather"));
    talk.driver.send("hi");
    break_connection(&mut talk, &chunks[..5]);
    close_run(&mut talk, StreamEnd::Nothing);
    assert_eq!(
        talk.driver.session.notices()[0].kind(),
        NoticeKind::Truncated
    );
    talk.driver.input(Input::Retry);
    assert!(!requests_resume(&talk), "it is known to be lost");
    assert_eq!(talk.body()["messages"].as_array().unwrap().len(), 1);
    // With Retry, a lost answer is requested again at once.
    break_connection(&mut talk, &chunks[..5]);
    close_run(
        &mut talk,
        StreamEnd::Failed(Failure::new(FailureKind::Network, "gone")),
    );
    talk.driver.input(Input::Retry);
    assert!(requests_resume(&talk));
    close_run(&mut talk, StreamEnd::Nothing);
    assert!(talk.driver.session.is_busy() && !requests_resume(&talk));
    assert_eq!(talk.body()["messages"].as_array().unwrap().len(), 1);
    talk.answer(&stream(&chunks));
    assert_eq!((talk.driver.starts("c1"), talk.driver.starts("c2")), (1, 1));
}

#[test]
fn an_answer_is_not_resumed_without_server_support() {
    let mut talk = Talk::new(Box::new(UiStream::default()));
    talk.driver.send("hi");
    break_connection(&mut talk, &with_calls()[..5]);
    assert_eq!(talk.driver.session.notices()[0].kind(), NoticeKind::Network);
    assert!(!talk.driver.session.is_busy());
}
