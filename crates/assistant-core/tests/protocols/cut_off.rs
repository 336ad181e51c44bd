//! Answers that a limit or a filter cut off: an incomplete call is not run, however it looks.

use assistant_core::{
    conversation::{ErrorKind, Phase},
    event::{EventKind, Outcome},
    session::{Input, SessionOptions},
};
use serde_json::{Value, json};

use super::{Talk, ui_stream::stream, wires::Wire};
use crate::support::*;

/// Finish reasons of models and servers for answers that were cut off.
const CUT: [&str; 12] = [
    "length",
    "content_filter",
    "content-filter",
    "max_tokens",
    "MAX_TOKENS",
    "max_output_tokens",
    "model_length",
    "SAFETY",
    "RECITATION",
    "refusal",
    "model_context_window_exceeded",
    "MALFORMED_FUNCTION_CALL",
];

/// Finish reasons for complete answers.
const WHOLE: [&str; 7] = [
    "tool_calls",
    "tool-calls",
    "stop",
    "tool_use",
    "end_turn",
    "STOP",
    "eos_token",
];

/// A response of a model endpoint that calls `pay` with each of these arguments.
fn completion(args: &[&str], reason: &str) -> Vec<u8> {
    let delta = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let mut chunks: Vec<Value> = Vec::new();
    for (place, args) in args.iter().enumerate() {
        let id = format!("c{place}");
        chunks.push(delta(json!({"tool_calls": [
            {"index": place, "id": id, "function": {"name": "pay", "arguments": ""}}]})));
        chunks.push(delta(json!({"tool_calls": [
            {"index": place, "function": {"arguments": args}}]})));
    }
    chunks.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}));
    stream(&chunks)
}

fn receive_completion(talk: &mut Talk, args: &[&str], reason: &str) {
    talk.driver.register(action("pay"));
    talk.driver.send("hi");
    talk.answer(&completion(args, reason));
}

fn assert_cut_off(driver: &Driver, id: &str, about: &str) {
    assert_eq!(driver.starts(id), 0, "{about}");
    assert_eq!(driver.phase(id), Phase::OutputError, "{about}");
    let error = driver.call(id).error().cloned().unwrap();
    assert_eq!(error.kind(), ErrorKind::InvalidArguments, "{about}");
    assert!(error.message().contains("cut off"), "{about}: {error:?}");
    let answer: Value = serde_json::from_str(&driver.answer(id)).unwrap();
    assert_eq!(answer["error"], error.message(), "{about}");
    // The model is informed, and may call again.
    assert!(
        request(driver).last().unwrap().contains("cut off"),
        "{about}"
    );
}

#[test]
fn a_call_with_incomplete_arguments_of_a_cut_completion_is_not_run() {
    for reason in CUT {
        for args in ["", " ", "{\"euros\": 1", "{", "1"] {
            let mut talk = Talk::new(Wire::Completions.protocol());
            receive_completion(&mut talk, &[args], reason);
            assert_cut_off(&talk.driver, "c0", &format!("{reason} {args:?}"));
        }
    }
}

/// The valid counterpart: an action without parameters is called with empty text.
#[test]
fn a_complete_answer_runs_a_call_without_arguments() {
    for reason in WHOLE {
        let mut talk = Talk::new(Wire::Completions.protocol());
        receive_completion(&mut talk, &[""], reason);
        assert_eq!(talk.driver.starts("c0"), 1, "{reason}");
        assert_eq!(*talk.driver.invocation("c0").args(), json!({}), "{reason}");
    }
}

/// A prefix of an object is never an object, so a call that was closed before the cut is complete.
#[test]
fn a_call_that_is_complete_before_the_cut_runs() {
    let mut talk = Talk::new(Wire::Completions.protocol());
    receive_completion(&mut talk, &["{\"euros\": 1}", "{\"euros\": 2"], "length");
    assert_eq!(talk.driver.starts("c0"), 1);
    assert_eq!(talk.driver.phase("c1"), Phase::OutputError);
    talk.driver.returns("c0", json!("paid"));
    let sent = request(&talk.driver);
    assert!(
        sent[2].contains("paid") && sent[3].contains("cut off"),
        "{sent:?}"
    );
}

#[test]
fn a_cut_call_does_not_start_eagerly() {
    let mut talk = Talk::new(Wire::Completions.protocol());
    talk.driver = Driver::with(SessionOptions::default().eager(true));
    receive_completion(&mut talk, &[""], "length");
    assert_cut_off(&talk.driver, "c0", "eager");
}

#[test]
fn a_cut_call_stays_an_error_after_a_restore() {
    let mut talk = Talk::new(Wire::Completions.protocol());
    talk.driver.register(action("pay"));
    talk.driver.send("hi");
    // The stream is still open, so nothing has been answered.
    talk.begin_answer(&completion(&[""], "length"));
    let mut snapshot = talk.driver.session.snapshot();
    // As if the run were known to have ended.
    snapshot["runs"][0]["succeeded"] = json!(true);
    let mut after = Driver::new();
    after.register(action("pay"));
    after.input(Input::Restore {
        thread_id: "thread".to_owned(),
        snapshot,
        journal: Vec::new(),
    });
    assert_cut_off(&after, "c0", "restored");
}

fn ui(chunks: &[Value], reason: Option<&str>) -> Talk {
    let mut talk = Talk::new(Wire::UiStream.protocol());
    talk.driver.register(action("pay"));
    talk.driver.send("hi");
    let mut all = vec![json!({"type": "start"}), json!({"type": "start-step"})];
    all.extend_from_slice(chunks);
    all.push(json!({"type": "finish-step"}));
    let mut finish = json!({"type": "finish"});
    if let Some(reason) = reason {
        finish["finishReason"] = reason.into();
    }
    all.push(finish);
    talk.answer(&stream(&all));
    talk
}

#[test]
fn a_missing_tool_input_is_an_error_and_not_an_empty_object() {
    let start = json!({"type": "tool-input-start", "toolCallId": "c0", "toolName": "pay"});
    let available = json!({"type": "tool-input-available", "toolCallId": "c0", "toolName": "pay"});
    let other = json!({"type": "tool-call", "toolCallId": "c0", "toolName": "pay"});
    for chunks in [
        vec![available.clone()],
        vec![start.clone(), available.clone()],
        vec![other],
    ] {
        let talk = ui(&chunks, None);
        assert_cut_off(&talk.driver, "c0", &format!("{chunks:?}"));
    }
    // Valid counterparts: an empty object, and streamed arguments.
    let mut empty = available.clone();
    empty["input"] = json!({});
    let delta =
        json!({"type": "tool-input-delta", "toolCallId": "c0", "inputTextDelta": "{\"a\":1}"});
    for (chunks, args) in [
        (vec![empty], json!({})),
        (vec![start, delta, available], json!({"a": 1})),
    ] {
        let talk = ui(&chunks, Some("tool-calls"));
        assert_eq!(*talk.driver.invocation("c0").args(), args);
    }
}

#[test]
fn unended_arguments_of_a_cut_answer_are_answered_with_an_error() {
    let start = json!({"type": "tool-input-start", "toolCallId": "c0", "toolName": "pay"});
    let delta =
        json!({"type": "tool-input-delta", "toolCallId": "c0", "inputTextDelta": "{\"a\":"});
    for reason in ["length", "content-filter"] {
        for chunks in [vec![start.clone()], vec![start.clone(), delta.clone()]] {
            let talk = ui(&chunks, Some(reason));
            assert_cut_off(&talk.driver, "c0", reason);
        }
    }
}

/// An AG-UI agent reports the reason in the result of its run.
fn agui(events: Vec<EventKind>, result: Value) -> Driver {
    let mut driver = with([action("pay")]);
    driver.events(events);
    driver.event(EventKind::RunFinished {
        thread_id: "thread".to_owned(),
        run_id: "run".to_owned(),
        result: Some(Box::new(result)),
        outcome: None::<Outcome>,
        usage: Vec::new(),
    });
    driver.close();
    driver
}

#[test]
fn a_cut_finish_reason_in_an_ag_ui_result_stops_incomplete_calls() {
    for key in ["finishReason", "finish_reason", "stopReason", "stop_reason"] {
        for reason in CUT {
            let report = json!({key: reason});
            let driver = agui(calls("c", "pay", ""), report.clone());
            assert_cut_off(&driver, "c", &report.to_string());
            let unended = vec![start_in("c", "pay", Some("m")), args("c", "{\"a\"")];
            assert_cut_off(&agui(unended, report.clone()), "c", &report.to_string());
            let whole = agui(calls("c", "pay", "{\"a\":1}"), report);
            assert_eq!(whole.starts("c"), 1);
        }
    }
    for report in [
        json!({"finishReason": "stop"}),
        json!("length"),
        json!({"finishReason": 1}),
    ] {
        let driver = agui(calls("c", "pay", ""), report.clone());
        assert_eq!(driver.starts("c"), 1, "{report}");
    }
}

#[test]
fn an_approved_call_is_not_run_if_its_answer_is_cut() {
    let mut driver = with([asking("pay")]);
    driver.events(calls("c", "pay", ""));
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    driver.approve("c");
    driver.event(EventKind::RunFinished {
        thread_id: "thread".to_owned(),
        run_id: "run".to_owned(),
        result: Some(Box::new(json!({"finishReason": "length"}))),
        outcome: None,
        usage: Vec::new(),
    });
    driver.close();
    assert_cut_off(&driver, "c", "approved");
}
