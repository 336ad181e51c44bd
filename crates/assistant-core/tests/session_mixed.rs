//! Runs with calls of the agent and of the page: the order and origin of results.

use std::collections::BTreeSet;

use assistant_core::{
    action::ToolOutcome,
    conversation::Phase,
    event::Outcome,
    session::{AgentTraits, FinishReason, Input, NoticeKind, SessionOptions, StopCondition},
};
use serde_json::json;

use crate::support::*;

/// The agent calls its own tool `c`, and one of the page, `d`.
fn mixed() -> Driver {
    let mut driver = with([action("g")]);
    driver.events(calls("c", "theirs", "{}"));
    driver.events(calls("d", "g", "{}"));
    driver
}

#[test]
fn an_agent_may_run_its_own_tool_after_the_results_of_the_page() {
    let mut driver = mixed();
    finish_run(&mut driver);
    assert_eq!(driver.phase("c"), Phase::Running);
    assert_eq!(driver.session.running_tools(), ["theirs", "g"]);
    driver.returns("d", json!(1));
    assert_eq!(request(&driver), ["user=hi", "assistant=[c,d]", "tool:d=1"]);
    driver.event(started());
    driver.event(result("r", "c", "packed"));
    driver.events(says("m2", "It is packed"));
    finish_run(&mut driver);
    assert_eq!(
        (driver.phase("c"), driver.answer("c").as_str()),
        (Phase::OutputAvailable, "packed")
    );
    driver.send("thanks");
    assert_eq!(request(&driver)[2..4], ["tool:c=packed", "tool:d=1"]);
}

#[test]
fn a_remote_call_stays_open_for_one_run_only() {
    let mut driver = mixed();
    finish_run(&mut driver);
    driver.returns("d", json!(1));
    driver.event(started());
    driver.events(calls("e", "g", "{}"));
    finish_run(&mut driver);
    assert_eq!(driver.phase("c"), Phase::Skipped);
    driver.returns("e", json!(2));
    let sent = request(&driver);
    assert!(
        sent.contains(&r#"tool:c={"error":"Action theirs not found"}"#.to_owned()),
        "{sent:?}"
    );
    driver.says("done");
    assert_eq!(driver.runs.len(), 3);
}

#[test]
fn an_unknown_tool_is_skipped_once_the_agent_continues() {
    let mut driver = mixed();
    finish_run(&mut driver);
    driver.returns("d", json!(1));
    driver.says("done");
    assert_eq!(driver.phase("c"), Phase::Skipped, "nothing has failed");
    assert_eq!(driver.runs.len(), 2, "the agent continued without it");
    driver.send("thanks");
    let sent = &driver.request().messages;
    assert_answered(sent, &BTreeSet::new());
}

#[test]
fn a_retry_answers_every_call_after_a_provider_error() {
    let mut driver = mixed();
    finish_run(&mut driver);
    driver.returns("d", json!(1));
    driver.event(started());
    driver.event(run_error("400: a call has no answer"));
    driver.close();
    assert_eq!(driver.notices(), [NoticeKind::RunError]);
    driver.input(Input::Retry);
    assert_answered(&driver.request().messages, &BTreeSet::new());
}

#[test]
fn a_call_that_the_agent_reports_as_pending_is_answered_at_once() {
    let mut driver = mixed();
    let pending_tool_call_ids = Some(vec!["c".to_owned(), "d".to_owned()]);
    driver.event(ended_with(Some(Outcome::Success {
        pending_tool_call_ids,
    })));
    driver.close();
    driver.returns("d", json!(1));
    assert_eq!(
        request(&driver)[2],
        r#"tool:c={"error":"Action theirs not found"}"#
    );
}

#[test]
fn an_unknown_tool_alone_in_its_run_fails_and_starts_no_run() {
    let mut driver = with([action("g")]);
    driver.events(calls("c", "theirs", "{}"));
    driver.events(says("m", "It runs in the background"));
    finish_run(&mut driver);
    assert_eq!(driver.phase("c"), Phase::OutputError);
    assert_eq!((driver.runs.len(), driver.notices()), (1, Vec::new()));
    assert_eq!(driver.session.summary().finish(), Some(FinishReason::Stop));
    driver.send("and now?");
    assert_eq!(
        request(&driver)[2],
        r#"tool:c={"error":"Action theirs not found"}"#
    );
}

#[test]
fn a_run_with_only_an_unknown_tool_offers_continue() {
    let mut driver = with([action("g")]);
    driver.events(calls("c", "theirs", "{}"));
    finish_run(&mut driver);
    assert_eq!(
        (driver.runs.len(), driver.notices()),
        (1, vec![NoticeKind::NoAnswer])
    );
    assert_eq!(driver.input(Input::Continue).refused, None);
    assert_eq!(
        request(&driver)[2],
        r#"tool:c={"error":"Action theirs not found"}"#
    );
}

/// A model endpoint runs no tools, and refuses a request with an unanswered call.
#[test]
fn unknown_tools_fail_at_once_if_the_agent_runs_none() {
    for beside in [true, false] {
        let traits = AgentTraits::default().with_runs_tools(false);
        let options = SessionOptions::default().with_agent(traits);
        let mut driver = Driver::with(options);
        driver.register(action("g"));
        driver.send("hi");
        driver.event(started());
        driver.events(calls("c", "theirs", "{}"));
        if beside {
            driver.events(calls("d", "g", "{}"));
        }
        finish_run(&mut driver);
        assert_eq!(driver.phase("c"), Phase::OutputError);
        if beside {
            driver.returns("d", json!(1));
        }
        assert_eq!(driver.runs.len(), 2);
        assert_eq!(
            request(&driver)[2],
            r#"tool:c={"error":"Action theirs not found"}"#
        );
        assert_answered(&driver.request().messages, &BTreeSet::new());
    }
}

#[test]
fn an_unknown_tool_fails_when_no_run_follows() {
    let limit = (
        StopCondition::RunCount(1),
        ToolOutcome::Continue(json!(1)),
        FinishReason::Limit,
    );
    let handler = (
        StopCondition::RunCount(9),
        ToolOutcome::StopLoop(json!(1)),
        FinishReason::StopLoop,
    );
    for (stop_when, outcome, reason) in [limit, handler] {
        let mut driver = Driver::with(SessionOptions::default().stop_when(stop_when));
        driver.register(action("g"));
        driver.send("hi");
        driver.event(started());
        driver.events(calls("c", "theirs", "{}"));
        driver.events(calls("d", "g", "{}"));
        finish_run(&mut driver);
        driver.handler_ends("d", Ok(outcome));
        assert_eq!(driver.session.summary().finish(), Some(reason));
        assert_eq!(driver.phase("c"), Phase::OutputError, "{reason:?}");
        assert!(driver.session.running_tools().is_empty());
    }
}

#[test]
fn a_remote_call_beside_an_interrupt_waits_for_the_resumed_run() {
    let mut driver = with([]);
    driver.events(calls("c", "theirs", "{}"));
    driver.events(calls("d", "pay", "{}"));
    driver.event(interrupted(vec![approval_interrupt("int", "d")]));
    driver.close();
    assert_eq!(
        (driver.phase("c"), driver.phase("d")),
        (Phase::Running, Phase::ApprovalRequested)
    );
    driver.approve("d");
    assert_eq!(driver.runs.len(), 2);
    driver.plays([result("r1", "c", "packed"), result("r2", "d", "paid")]);
    assert_eq!(
        (driver.phase("c"), driver.phase("d")),
        (Phase::OutputAvailable, Phase::OutputAvailable)
    );
}

#[test]
fn an_agent_may_interrupt_a_remote_call_in_a_later_run() {
    let mut driver = mixed();
    finish_run(&mut driver);
    driver.returns("d", json!(1));
    driver.event(started());
    driver.event(interrupted(vec![approval_interrupt("int", "c")]));
    driver.close();
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    driver.approve("c");
    driver.plays([result("r", "c", "packed")]);
    assert_eq!(driver.phase("c"), Phase::OutputAvailable);
}

/// Ending the loop concerns runs that follow results; an answer of the user is still sent.
#[test]
fn an_approval_is_sent_although_a_handler_ends_the_loop() {
    let mut driver = Driver::new();
    driver.register(action("f"));
    driver.send("hi");
    driver.event(started());
    driver.events([calls("c", "theirs", "{}"), calls("d", "f", "{}")].concat());
    driver.event(interrupted(vec![approval_interrupt("int", "c")]));
    driver.close();
    assert_eq!(driver.approve("c"), None);
    driver.handler_ends("d", Ok(ToolOutcome::StopLoop(json!("enough"))));
    assert_eq!(driver.runs.len(), 2);
    let answers = &driver.request().resume;
    assert_eq!(answers[0].payload, Some(json!({"approved": true})));
    driver.plays([vec![result("t", "c", "1")], says("n", "done")].concat());
    assert_eq!(driver.runs.len(), 2, "and nothing follows from it");
}

/// Some agents identify their question by its metadata.
#[test]
fn an_answer_returns_the_metadata_of_its_interrupt() {
    for decide in [true, false] {
        let along = json!({"ticket": [1, "x"]});
        let mut asked = approval_interrupt("int", "c");
        asked.metadata = along.as_object().cloned();
        let mut driver = Driver::new();
        driver.send("hi");
        driver.event(started());
        driver.events(calls("c", "theirs", "{}"));
        driver.event(interrupted(vec![asked]));
        driver.close();
        match decide {
            true => assert_eq!(driver.approve("c"), None),
            false => assert_eq!(driver.deny("c", None), None),
        }
        let back = driver.request().resume[0].metadata.clone();
        assert_eq!(back, along.as_object().cloned());
    }
}

/// agent-framework asks by an interrupt about a call, and by a call of `confirm_changes` that names
/// the first. No tool runs for that one.
#[test]
fn a_call_that_carried_a_question_is_not_sent_with_an_invented_result() {
    let mut driver = with([]);
    driver.events(calls("c", "refund_order", r#"{"order":"A-17"}"#));
    let args = r#"{"function_name":"refund_order","function_call_id":"c"}"#;
    driver.events(calls("k", "confirm_changes", args));
    driver.event(interrupted(vec![approval_interrupt("int", "c")]));
    driver.close();
    assert_eq!(driver.approve("c"), None);
    driver.plays([vec![result("r", "c", "paid")], says("m", "Done")].concat());
    assert_eq!(driver.phase("k"), Phase::Skipped);
    driver.send("thanks");
    let sent = request(&driver);
    assert_eq!(sent[1..3], ["assistant=Done[c]", "tool:c=paid"]);
    assert!(
        sent.iter()
            .all(|message| !message.contains("confirm_changes"))
    );
    assert!(sent.iter().all(|message| !message.starts_with("tool:k")));
}

#[test]
fn a_skipped_call_is_sent_although_an_argument_equals_the_id_of_another_call() {
    let mut driver = with([]);
    driver.events(calls("1", "refund_order", r#"{"order":"A-17"}"#));
    driver.events(calls("2", "count_orders", r#"{"least":"1"}"#));
    driver.event(interrupted(vec![approval_interrupt("int", "1")]));
    driver.close();
    assert_eq!(driver.approve("1"), None);
    driver.plays([vec![result("r", "1", "paid")], says("m", "Done")].concat());
    assert_eq!(driver.phase("2"), Phase::Skipped);
    driver.send("thanks");
    let sent = request(&driver);
    assert!(
        sent.iter().any(|message| message.starts_with("tool:2")),
        "{sent:?}"
    );
}
