//! Calls that the agent runs after a decision in its tool message.

use assistant_core::{
    action::{Availability, Policy},
    conversation::{Decision, ErrorKind, Phase},
    event::{Content, Message, MessageBody},
    session::{
        FailureKind, FinishReason, Input, NoticeKind, Refusal, SessionOptions, StopCondition,
        Verdict,
    },
};
use serde_json::json;

use crate::support::*;

/// A call `c` of a tool `f` that the agent runs after a decision, with its run ended.
fn with_pending_call() -> Driver {
    let mut driver = Driver::new();
    driver.register(remote_action("f"));
    driver.register(action("g"));
    driver.send("hi");
    driver.plays(calls("c", "f", "{}"));
    driver
}

fn tool_message(id: &str, call: &str, content: &str) -> Message {
    let body = MessageBody::Tool {
        tool_call_id: call.to_owned(),
        content: Content::Text(content.to_owned()),
        error: None,
    };
    Message::new(id, body)
}

#[test]
fn an_approval_is_sent_to_the_agent_and_its_result_ends_the_call() {
    let mut driver = with_pending_call();
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    assert_eq!(driver.runs.len(), 1);
    assert_eq!(driver.approve("c"), None);
    assert_eq!(
        request(&driver),
        ["user=hi", "assistant=[c]", "tool:c=approved"]
    );
    assert_eq!(driver.phase("c"), Phase::Running);
    assert_eq!(driver.session.running_tools(), ["f"]);
    assert!(
        driver.call("c").result().is_none(),
        "a decision is no result"
    );
    driver.event(started());
    driver.event(result("r", "c", "sunny"));
    assert_eq!(
        (driver.phase("c"), driver.answer("c")),
        (Phase::OutputAvailable, "sunny".to_owned())
    );
    driver.events(says("m2", "It is sunny"));
    finish_run(&mut driver);
    assert!(driver.invocations.is_empty() && driver.commits.is_empty());
    assert_eq!(driver.session.summary().finish(), Some(FinishReason::Stop));
    driver.send("thanks");
    let sent = request(&driver);
    assert_eq!(sent[..3], ["user=hi", "assistant=[c]", "tool:c=sunny"]);
    assert_eq!(
        sent.iter().filter(|line| line.starts_with("tool:")).count(),
        1
    );
}

#[test]
fn a_remote_call_keeps_its_decision() {
    let mut driver = with_pending_call();
    driver.approve("c");
    driver.plays([result("r", "c", "sunny")]);
    let approval = driver.call("c").approval().cloned().unwrap();
    assert_eq!(approval.decision(), Some(&Decision::Approved));
    assert_eq!(driver.approve("c"), Some(Refusal::AlreadyResolved));
}

#[test]
fn a_denial_is_the_result_of_a_remote_call() {
    for (reason, expected) in [
        (None, "denied"),
        (Some("too far"), r#"{"status":"denied","reason":"too far"}"#),
    ] {
        let mut driver = with_pending_call();
        assert_eq!(driver.deny("c", reason), None);
        assert_eq!(request(&driver)[2], format!("tool:c={expected}"));
        assert_eq!(driver.phase("c"), Phase::OutputDenied);
        driver.event(started());
        driver.event(result("r", "c", "sunny"));
        assert_eq!(
            driver.answer("c"),
            expected,
            "the agent's result is ignored"
        );
    }
}

#[test]
fn a_remote_call_without_approval_is_handed_off_at_once() {
    for (policy, ask) in [(Policy::Never, None), (Policy::Ask, Some(false))] {
        let spec = remote_action("f").with_approval(policy);
        let mut driver = Driver::new();
        driver.host.ask = ask;
        driver.register(spec);
        driver.send("hi");
        driver.plays(calls("c", "f", "{}"));
        assert_eq!(request(&driver)[2], "tool:c=approved");
        assert_eq!(driver.call("c").approval(), None);
    }
}

#[test]
fn a_render_only_remote_tool_asks_without_being_offered() {
    let spec = remote_action("f").with_availability(Availability::RenderOnly);
    let mut driver = with([spec]);
    assert!(driver.request().tools.is_empty());
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    driver.approve("c");
    assert_eq!(request(&driver)[2], "tool:c=approved");
}

#[test]
fn a_result_of_the_agent_before_the_decision_ends_the_call() {
    let mut driver = with([remote_action("f")]);
    driver.events(calls("c", "f", "{}"));
    driver.event(result("r", "c", "sunny"));
    finish_run(&mut driver);
    assert_eq!(driver.phase("c"), Phase::OutputAvailable);
    assert_eq!(driver.approve("c"), Some(Refusal::AlreadyResolved));
    assert_eq!(driver.runs.len(), 1);
}

#[test]
fn edits_of_remote_calls_are_refused_and_invalid_arguments_fail() {
    let mut driver = with_pending_call();
    let verdict = Verdict::Approve {
        args: Some(json!({"x": 1})),
    };
    assert_eq!(driver.decide("c", verdict), Some(Refusal::NoEdits));
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    let spec = remote_action("f").with_parameters(json!({"type": "object", "required": ["city"]}));
    let mut driver = with([spec]);
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    assert_eq!(
        driver.call("c").error().unwrap().kind(),
        ErrorKind::InvalidArguments
    );
}

#[test]
fn all_results_of_a_batch_are_sent_in_one_run() {
    let mut driver = with([remote_action("f"), action("g")]);
    driver.events(calls("c", "f", "{}"));
    driver.events(calls("d", "g", "{}"));
    driver.events(calls("e", "f", "{}"));
    finish_run(&mut driver);
    driver.returns("d", json!(1));
    driver.approve("e");
    assert_eq!(driver.runs.len(), 1);
    driver.deny("c", None);
    assert_eq!(
        request(&driver)[2..],
        ["tool:c=denied", "tool:d=1", "tool:e=approved"]
    );
    assert_eq!(driver.runs.len(), 2);
}

#[test]
fn an_approved_remote_call_without_a_result_fails() {
    let mut driver = with_pending_call();
    driver.approve("c");
    driver.says("I know the weather");
    assert_eq!(driver.phase("c"), Phase::OutputError);
    assert_eq!(
        driver.call("c").error().unwrap().kind(),
        ErrorKind::NoResult
    );
    assert_eq!(driver.runs.len(), 2);
    assert!(!driver.session.is_busy());
    driver.send("thanks");
    assert_eq!(
        request(&driver)[2],
        r#"tool:c={"error":"Action f ended without a result"}"#
    );
}

#[test]
fn an_approval_survives_a_failed_run() {
    let mut driver = with_pending_call();
    driver.approve("c");
    driver.event(started());
    driver.break_off(FailureKind::Network);
    assert_eq!(driver.phase("c"), Phase::ApprovalResponded);
    assert!(!driver.session.is_busy());
    let mut other = driver.clone();
    driver.input(Input::Retry);
    assert_eq!(request(&driver)[2], "tool:c=approved");
    assert_eq!(driver.phase("c"), Phase::Running);
    driver.plays([result("r", "c", "sunny")]);
    assert_eq!(driver.phase("c"), Phase::OutputAvailable);
    other.send("well?");
    assert_eq!(request(&other)[2..], ["tool:c=approved", "user=well?"]);
}

#[test]
fn stop_cancels_a_handed_off_call() {
    let mut driver = with_pending_call();
    driver.approve("c");
    driver.event(started());
    driver.input(Input::Stop);
    assert_eq!(driver.phase("c"), Phase::Cancelled);
    driver.send("again");
    assert_eq!(request(&driver)[2], r#"tool:c={"error":"cancelled"}"#);
}

#[test]
fn the_run_limit_keeps_an_approval_for_continue() {
    let mut driver = Driver::with(SessionOptions::default().stop_when(StopCondition::RunCount(1)));
    driver.register(remote_action("f"));
    driver.send("hi");
    driver.plays(calls("c", "f", "{}"));
    driver.approve("c");
    assert_eq!(driver.notices(), [NoticeKind::RunLimit]);
    assert_eq!(driver.phase("c"), Phase::ApprovalResponded);
    driver.input(Input::Continue);
    assert_eq!(request(&driver)[2], "tool:c=approved");
}

#[test]
fn a_handed_off_call_is_not_restarted() {
    let mut driver = with_pending_call();
    driver.approve("c");
    driver.event(started());
    let output = driver.event(start("c", "f"));
    assert_eq!(output.diagnostics[0].code(), "call-has-started");
    driver.events([args("c", "{}"), end("c")]);
    assert_eq!(driver.phase("c"), Phase::Running);
    driver.event(result("r", "c", "sunny"));
    assert_eq!(driver.phase("c"), Phase::OutputAvailable);
}

#[test]
fn an_approval_echoed_before_its_call_is_not_a_result() {
    let mut driver = with_pending_call();
    driver.approve("c");
    driver.event(started());
    let mut history = driver.session.conversation().received_messages();
    let mut call = history.pop().unwrap();
    call.id = "moved".to_owned();
    history.extend([tool_message("theirs", "c", "approved"), call]);
    driver.event(snapshot(history));
    assert_eq!(driver.phase("c"), Phase::Running);
    driver.event(result("r", "c", "sunny"));
    assert_eq!(driver.answer("c"), "sunny");
}

#[test]
fn an_approval_echoed_for_a_changed_call_is_not_a_result() {
    let mut driver = with_pending_call();
    driver.approve("c");
    let sent = driver.request().messages.clone();
    driver.event(started());
    // The agent turns it into another call, and lists the approval of the previous one.
    let history = sent.into_iter().map(|mut message| {
        if let MessageBody::Assistant { tool_calls, .. } = &mut message.body {
            for call in tool_calls {
                call.name = "g".to_owned();
                call.arguments = r#"{"all":true}"#.to_owned();
            }
        }
        message
    });
    driver.event(snapshot(history.collect()));
    assert_eq!(driver.call("c").name(), "g");
    assert!(driver.call("c").result().is_none());
    finish_run(&mut driver);
    assert_eq!(driver.phase("c"), Phase::Cancelled);
    driver.send("well?");
    assert!(!request(&driver).contains(&"tool:c=approved".to_owned()));
}

#[test]
fn an_approval_echoed_in_a_snapshot_is_not_a_result() {
    let mut driver = with_pending_call();
    driver.approve("c");
    driver.event(started());
    let mut history = driver.session.conversation().received_messages();
    history.push(tool_message("theirs", "c", "approved"));
    driver.event(snapshot(history.clone()));
    assert_eq!(driver.phase("c"), Phase::Running);
    history.push(tool_message("theirs-too", "c", "sunny"));
    driver.event(snapshot(history));
    assert_eq!(
        (driver.phase("c"), driver.answer("c").as_str()),
        (Phase::OutputAvailable, "sunny")
    );
}

#[test]
fn a_stored_decision_is_not_sent_again_after_a_load() {
    let mut driver = with_pending_call();
    let open = driver.session.conversation().export();
    driver.approve("c");
    let handed_off = driver.session.conversation().export();
    let load = |snapshot| Input::Load {
        thread_id: "t2".to_owned(),
        snapshot,
    };
    driver.input(load(handed_off));
    assert_eq!(
        driver.phase("c"),
        Phase::Cancelled,
        "it was handed off to the agent"
    );
    driver.input(load(open));
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    assert_eq!(driver.approve("c"), None);
    assert_eq!(request(&driver)[2], "tool:c=approved");
}

#[test]
fn an_approval_echoed_after_a_reload_is_not_a_result() {
    let mut driver = with_pending_call();
    driver.approve("c");
    let repeated = driver.request().messages.clone();
    driver.event(started());
    driver.event(interrupted(vec![approval_interrupt("i", "c")]));
    driver.close();
    let snapshot_of = driver.session.export();
    driver.input(Input::Load {
        thread_id: "t2".to_owned(),
        snapshot: snapshot_of,
    });
    assert_eq!(driver.deny("c", None), None);
    driver.event(started());
    driver.event(snapshot(repeated));
    assert!(driver.call("c").result().is_none());
    finish_run(&mut driver);
    driver.send("well?");
    assert_eq!(request(&driver)[2], "tool:c=\"denied\"");
}
