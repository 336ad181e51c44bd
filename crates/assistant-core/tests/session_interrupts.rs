//! Interrupts: blocked calls, answers, and the run that carries them (rule "interrupts").

use assistant_core::{
    conversation::{Decision, Phase},
    event::{Interrupt, ResumeStatus, RunInput},
    session::{FailureKind, FinishReason, Input, NoticeKind, Refusal, Verdict},
};
use serde_json::{Value, json};

use crate::support::*;

/// Calls `c` (interrupted by the agent) and `d` (not), with their run ended.
fn interrupted_call(name: &str) -> Driver {
    interrupted_call_by(approval_interrupt("int", "c"), name)
}

fn interrupted_call_by(question: Interrupt, name: &str) -> Driver {
    let mut driver = Driver::new();
    driver.register(action("f"));
    driver.register(asking("ask"));
    driver.send("hi");
    driver.event(started());
    driver.events(calls("c", name, "{\"x\":1}"));
    driver.events(calls("d", "f", "{}"));
    driver.event(interrupted(vec![question]));
    driver.close();
    driver
}

fn resume(input: &RunInput) -> Vec<(String, Option<Value>)> {
    let entries = input.resume.iter();
    entries
        .map(|entry| (entry.interrupt_id.clone(), entry.payload.clone()))
        .collect()
}

#[test]
fn an_interrupted_call_runs_remotely_after_its_answer_is_sent() {
    for name in ["f", "ask", "theirs"] {
        let mut driver = interrupted_call(name);
        assert_eq!((driver.starts("c"), driver.starts("d")), (0, 1));
        assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
        let interrupt = &driver.session.interrupts()[0];
        assert_eq!(interrupt.call_key(), Some(driver.key("c")));
        assert_eq!(driver.approve("c"), None);
        assert_eq!(driver.approve("c"), Some(Refusal::AlreadyResolved));
        assert_eq!((driver.starts("c"), driver.runs.len()), (0, 1));
        driver.returns("d", json!(1));
        assert_eq!(
            resume(driver.request()),
            [("int".to_owned(), Some(json!({"approved": true})))]
        );
        assert_eq!(request(&driver)[1..], ["assistant=[c,d]", "tool:d=1"]);
        assert_eq!(driver.phase("c"), Phase::Running);
        driver.event(started());
        driver.event(result("t", "c", "theirs"));
        driver.events(says("n", "done"));
        driver.event(finished());
        driver.close();
        assert_eq!(
            (driver.starts("c"), driver.phase("c")),
            (0, Phase::OutputAvailable)
        );
        assert!(driver.session.interrupts().is_empty());
        assert_eq!(driver.runs.len(), 2);
        assert!(!driver.session.is_busy());
    }
}

#[test]
fn an_answer_to_an_interrupt_does_not_replace_the_local_approval() {
    let schema = json!({
        "type": "object",
        "properties": {"approved": {"type": "boolean"}, "editedArgs": {"type": "object"}},
    });
    let mut driver = interrupted_call_by(interrupt("int", Some("c"), schema), "ask");
    let verdict = Verdict::Approve {
        args: Some(json!({"x": 2})),
    };
    driver.decide("c", verdict);
    driver.returns("d", json!(1));
    let payload = json!({"approved": true, "editedArgs": {"x": 2}});
    assert_eq!(resume(driver.request())[0].1, Some(payload));
    driver.plays([]);
    assert_eq!(driver.starts("c"), 0);
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    assert_eq!(driver.approve("c"), None);
    assert_eq!(*driver.invocation("c").args(), json!({"x": 2}));
    driver.returns("c", json!(1));
    // If the page needs no approval, the agent's question is the only one.
    let mut driver = interrupted_call("f");
    driver.approve("c");
    driver.returns("d", json!(1));
    driver.plays([]);
    assert_eq!(driver.starts("c"), 1);
}

#[test]
fn a_denied_interrupt_denies_its_call_without_a_result_of_the_agent() {
    let mut driver = interrupted_call("theirs");
    driver.deny("c", Some("no"));
    driver.returns("d", json!(1));
    let payload = json!({"approved": false, "reason": "no"});
    assert_eq!(resume(driver.request())[0].1, Some(payload));
    driver.says("as you like");
    assert_eq!(driver.phase("c"), Phase::OutputDenied);
    assert_eq!(driver.runs.len(), 2);
    driver.send("more");
    assert_answered(&driver.request().messages, &Default::default());

    let mut driver = interrupted_call("theirs");
    driver.deny("c", None);
    driver.returns("d", json!(1));
    driver.event(started());
    driver.event(result("t", "c", "was denied"));
    driver.event(finished());
    driver.close();
    assert_eq!(
        (driver.phase("c"), driver.answer("c").as_str()),
        (Phase::OutputDenied, "was denied")
    );
}

#[test]
fn a_failed_resume_keeps_the_answer_and_the_interrupt() {
    let mut driver = interrupted_call("f");
    driver.approve("c");
    driver.returns("d", json!(1));
    let first = driver.request().clone();
    driver.break_off(FailureKind::Network);
    assert_eq!(driver.phase("c"), Phase::ApprovalResponded);
    assert_eq!(driver.notices(), [NoticeKind::Network]);
    assert!(!driver.session.is_busy());

    let mut other = driver.clone();
    driver.input(Input::Retry);
    assert_eq!(driver.request().messages, first.messages);
    assert_eq!(driver.request().resume, first.resume);
    assert_eq!(driver.starts("c"), 0);

    assert_eq!(other.send("hello?").refused, None);
    assert_eq!(other.request().resume, first.resume);
}

#[test]
fn nothing_is_sent_before_every_interrupt_is_answered() {
    let mut driver = Driver::new();
    driver.send("hi");
    driver.event(started());
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer", "pattern": "("}}, "required": ["n"]});
    let open = vec![
        interrupt("a", None, schema),
        interrupt("b", None, json!(null)),
    ];
    driver.event(interrupted(open));
    driver.close();
    assert_eq!(
        driver.session.summary().finish(),
        Some(FinishReason::Interrupt)
    );
    assert!(driver.session.waits_for_person());
    assert_eq!(driver.send("x").refused, Some(Refusal::InterruptsPending));
    let refused = driver.answers("a", Some(json!({"n": "x"})));
    assert!(matches!(refused, Some(Refusal::InvalidEdit(_))));
    assert_eq!(driver.answers("a", Some(json!({"n": 3}))), None);
    assert_eq!(driver.runs.len(), 1);
    assert_eq!(driver.answers("a", None), Some(Refusal::AlreadyResolved));
    assert_eq!(driver.answers("z", None), Some(Refusal::AlreadyResolved));
    driver.answers("b", None);
    assert_eq!(driver.runs.len(), 2);
    assert_eq!(
        resume(driver.request()),
        [
            ("a".to_owned(), Some(json!({"n": 3}))),
            ("b".to_owned(), None)
        ]
    );
    assert_eq!(driver.session.interrupts().len(), 2);
    driver.says("thanks");
    assert!(driver.session.interrupts().is_empty());
}

#[test]
fn an_interrupt_without_a_boolean_schema_blocks_its_call() {
    let mut driver = Driver::new();
    driver.register(asking("f"));
    driver.send("hi");
    driver.event(started());
    driver.events(calls("c", "f", "{}"));
    driver.approve("c");
    driver.event(interrupted(vec![interrupt(
        "int",
        Some("c"),
        json!({"type": "string"}),
    )]));
    driver.close();
    assert_eq!(driver.starts("c"), 0);
    assert_eq!(driver.phase("c"), Phase::InputAvailable);
    assert_eq!(driver.session.interrupts()[0].call_key(), None);
    assert_eq!(driver.approve("c"), Some(Refusal::AlreadyResolved));
}

#[test]
fn an_interrupt_does_not_block_a_started_eager_call() {
    let mut driver = Driver::new();
    let eager = action("f").with_eager(true);
    driver.register(eager);
    driver.send("hi");
    driver.event(started());
    driver.events(calls("c", "f", "{}"));
    driver.event(interrupted(vec![approval_interrupt("int", "c")]));
    driver.close();
    assert_eq!(driver.session.interrupts()[0].call_key(), None);
    driver.returns("c", json!(1));
    driver.answers("int", None);
    assert_eq!((driver.starts("c"), driver.runs.len()), (1, 2));
    assert_eq!(request(&driver)[2], "tool:c=1");
}

#[test]
fn an_answer_by_interrupt_id_decides_the_card_of_its_call() {
    let mut driver = interrupted_call("theirs");
    driver.returns("d", json!(1));
    driver.answers("int", Some(json!({"approved": false, "reason": "no"})));
    let reason = Some("no".to_owned());
    let approval = driver.call("c").approval().cloned().unwrap();
    assert_eq!(approval.decision(), Some(&Decision::Denied { reason }));
    assert_eq!(driver.runs.len(), 2);
}

#[test]
fn an_interrupt_does_not_change_an_answered_call() {
    let mut driver = Driver::new();
    driver.send("hi");
    driver.event(started());
    driver.events(calls("c", "theirs", "{}"));
    driver.event(result("t", "c", "ok"));
    driver.event(interrupted(vec![approval_interrupt("int", "c")]));
    driver.close();
    assert_eq!(driver.phase("c"), Phase::OutputAvailable);
    assert_eq!(driver.session.interrupts()[0].call_key(), None);
}

#[test]
fn a_later_run_of_the_stream_does_not_lift_an_interrupt() {
    let mut driver = Driver::new();
    driver.register(action("f"));
    driver.send("hi");
    driver.event(started());
    driver.events(calls("c", "f", "{}"));
    driver.event(interrupted(vec![approval_interrupt("int", "c")]));
    driver.event(started());
    driver.event(finished());
    driver.close();
    assert_eq!(driver.starts("c"), 0);
    assert_eq!(driver.session.interrupts().len(), 1);
}

#[test]
fn a_repeated_interrupt_is_answered_with_the_earlier_denial() {
    let mut driver = interrupted_call("theirs");
    driver.returns("d", json!(1));
    driver.deny("c", None);
    driver.event(started());
    driver.event(interrupted(vec![approval_interrupt("int", "c")]));
    driver.close();
    assert_eq!(driver.phase("c"), Phase::OutputDenied);
    // It is answered with the earlier denial of the user.
    let payload = json!({"approved": true});
    let late = driver.answers("int", Some(payload));
    assert_eq!(late, Some(Refusal::AlreadyResolved));
    let denied = Some(json!({"approved": false}));
    assert_eq!(resume(driver.request())[0].1, denied);
    assert_eq!(driver.phase("c"), Phase::OutputDenied);
}

#[test]
fn an_agent_may_interrupt_an_approved_call_again() {
    let mut driver = interrupted_call("theirs");
    driver.returns("d", json!(1));
    driver.approve("c");
    driver.event(started());
    driver.event(interrupted(vec![approval_interrupt("int", "c")]));
    driver.close();
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    assert_eq!(driver.approve("c"), None);
    assert_eq!(
        resume(driver.request())[0].1,
        Some(json!({"approved": true}))
    );
}

#[test]
fn an_interrupted_call_does_not_run_after_a_reload() {
    let snapshot = interrupted_call("f").session.conversation().export();
    let mut driver = Driver::new();
    driver.register(action("f"));
    driver.input(Input::Load {
        thread_id: "thread".to_owned(),
        snapshot,
    });
    assert_eq!(driver.starts("c"), 0);
    assert_eq!(driver.phase("c"), Phase::Cancelled);
}

#[test]
fn a_denied_interrupt_is_answered_with_its_reason_after_a_reload() {
    let mut before = interrupted_call("theirs");
    before.deny("c", Some("no"));
    let mut driver = Driver::new();
    driver.register(action("f"));
    driver.input(Input::Restore {
        thread_id: "thread".to_owned(),
        snapshot: before.session.snapshot(),
        journal: Vec::new(),
    });
    driver.input(Input::Stop);
    driver.send("more");
    let request = driver.request();
    assert_eq!(
        resume(request),
        [(
            "int".to_owned(),
            Some(json!({"approved": false, "reason": "no"}))
        )]
    );
}

#[test]
fn an_expired_interrupt_can_only_be_cancelled() {
    let mut driver = Driver::new();
    driver.send("hi");
    let mut late = interrupt("late", None, json!(null));
    late.expires_at = Some("1970-01-01T00:00:00Z".to_owned());
    let mut odd = interrupt("odd", None, json!(null));
    odd.expires_at = Some("whenever".to_owned());
    driver.plays([started(), interrupted(vec![late, odd])]);
    assert_eq!(
        driver.answers("late", Some(json!(1))),
        Some(Refusal::Expired)
    );
    assert_eq!(driver.answers("odd", Some(json!(1))), None);
    assert_eq!(driver.answers("late", None), None);
    let statuses: Vec<_> = driver.request().resume.iter().map(|e| e.status).collect();
    assert_eq!(statuses, [ResumeStatus::Cancelled, ResumeStatus::Resolved]);
}

#[test]
fn denying_an_expired_approval_cancels_its_interrupt() {
    let mut driver = Driver::new();
    driver.send("hi");
    driver.event(started());
    driver.events(calls("c", "theirs", "{}"));
    let mut late = approval_interrupt("int", "c");
    late.expires_at = Some("1970-01-01T00:00:00Z".to_owned());
    driver.event(interrupted(vec![late]));
    driver.close();
    assert_eq!(driver.approve("c"), Some(Refusal::Expired));
    let verdict = Verdict::Deny { reason: None };
    assert_eq!(driver.decide("c", verdict), None);
    let sent = &driver.request().resume[0];
    assert_eq!(
        (sent.status, sent.payload.clone()),
        (ResumeStatus::Cancelled, None)
    );
}

/// Servers do not accept a message and an answer in one run.
#[test]
fn a_message_after_a_stop_is_sent_after_the_cancellation() {
    let mut driver = Driver::new();
    driver.send("hi");
    driver.plays([
        started(),
        interrupted(vec![interrupt("int", None, json!(null))]),
    ]);
    driver.input(Input::Stop);
    assert_eq!(driver.send("something else").refused, None);
    assert_eq!(driver.request().resume.len(), 1);
    assert_eq!(request(&driver), ["user=hi"]);
    driver.break_off(FailureKind::Network);
    assert_eq!(driver.runs.len(), 2, "nothing is sent after a failure");
    driver.input(Input::Retry);
    assert_eq!(driver.request().resume.len(), 1);
    driver.plays([started(), finished()]);
    assert!(driver.request().resume.is_empty());
    assert_eq!(
        request(&driver).last().map(String::as_str),
        Some("user=something else")
    );
}

/// A denial remains when the agent announces the call again (as ag-ui-langgraph does).
#[test]
fn a_denied_call_that_is_announced_again_stays_denied() {
    let mut driver = interrupted_call("theirs");
    driver.returns("d", json!(1));
    assert_eq!(driver.deny("c", None), None);
    driver.event(started());
    driver.event(start("c", "theirs"));
    driver.event(args("c", ""));
    driver.event(end("c"));
    driver.event(result("t", "c", "refused"));
    driver.event(finished());
    driver.close();
    assert_eq!(driver.phase("c"), Phase::OutputDenied);
}

#[test]
fn stop_keeps_the_approval_of_a_call_that_the_agent_runs() {
    let mut driver = interrupted_call("f");
    driver.approve("c");
    if driver.runs.len() == 1 {
        driver.returns("d", json!(1));
    }
    assert_eq!(driver.phase("c"), Phase::Running);
    driver.input(Input::Stop);
    assert_eq!(driver.phase("c"), Phase::ApprovalResponded);
    driver.send("go on");
    assert_eq!(driver.request().resume.len(), 1, "the answer is not lost");
    assert_eq!(driver.phase("c"), Phase::Running);
}
