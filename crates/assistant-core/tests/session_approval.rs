//! Approvals: questions, effects of decisions, and voided decisions.

use assistant_core::{
    action::{Policy, RegistrationId},
    conversation::{Change, Decider, Phase},
    event::MessageBody,
    session::{FinishReason, Input, Refusal, SessionOptions, Verdict},
};
use serde_json::{Value, json};

use crate::support::*;

/// A call `c` of an asking action `f`, with its run ended.
fn with_pending_call() -> Driver {
    pending_call_with(SessionOptions::default(), "{\"city\":\"Rome\"}")
}

fn pending_call_with(options: SessionOptions, arguments: &str) -> Driver {
    let mut driver = Driver::with(options);
    driver.register(asking("f"));
    driver.register(action("g"));
    driver.send("hi");
    driver.plays(calls("c", "f", arguments));
    driver
}

#[test]
fn the_user_is_asked_after_the_arguments_and_no_handler_starts() {
    let mut driver = Driver::new();
    driver.register(asking("f"));
    driver.send("hi");
    driver.event(started());
    driver.events([start("c", "f"), args("c", "{\"x\":1}")]);
    assert_eq!(driver.phase("c"), Phase::InputStreaming);
    let output = driver.event(end("c"));
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    assert!(output.changes.contains(&Change::Call(driver.key("c"))));
    assert!(output.effects.is_empty());
    driver.event(finished());
    driver.close();
    assert!(driver.commits.is_empty());
    assert!(driver.session.waits_for_person() && driver.session.is_busy());
    assert_eq!(driver.runs.len(), 1);
}

#[test]
fn approval_runs_the_handler_once() {
    let mut driver = with_pending_call();
    driver.manual_commits = true;
    assert_eq!(driver.approve("c"), None);
    assert_eq!(driver.phase("c"), Phase::ApprovalResponded);
    let commit = driver.commits[0].0;
    driver.input(Input::Committed {
        commit,
        outcome: Ok(()),
    });
    assert_eq!(driver.phase("c"), Phase::Running);
    driver.returns("c", json!("sunny"));
    assert_eq!(
        (driver.phase("c"), driver.starts("c")),
        (Phase::OutputAvailable, 1)
    );
    assert_eq!(request(&driver)[2], "tool:c=\"sunny\"");
}

#[test]
fn a_decision_during_the_run_takes_effect_at_its_end() {
    let mut driver = Driver::new();
    driver.register(asking("f"));
    driver.send("hi");
    driver.event(started());
    driver.events(calls("c", "f", "{}"));
    driver.events(calls("d", "f", "{}"));
    assert_eq!(driver.approve("c"), None);
    assert_eq!(driver.deny("d", None), None);
    assert!(driver.commits.is_empty());
    assert_eq!(driver.phase("d"), Phase::ApprovalResponded);
    driver.event(finished());
    driver.close();
    assert_eq!(
        (driver.starts("c"), driver.phase("d")),
        (1, Phase::OutputDenied)
    );
}

#[test]
fn a_denial_runs_no_handler_and_is_sent_to_the_model() {
    let mut driver = with_pending_call();
    assert_eq!(driver.deny("c", None), None);
    assert_eq!(
        (driver.phase("c"), driver.answer("c").as_str()),
        (Phase::OutputDenied, "\"denied\"")
    );
    let mut driver = with_pending_call();
    driver.deny("c", Some("too risky"));
    assert_eq!(
        driver.answer("c"),
        r#"{"status":"denied","reason":"too risky"}"#
    );
    assert_eq!(driver.call("c").result().unwrap().error(), None);
    let mut driver = with_pending_call();
    driver.host.denial = Some(json!("Nothing was sent to Rome."));
    driver.deny("c", None);
    assert_eq!(driver.answer("c"), "\"Nothing was sent to Rome.\"");
    assert_eq!((driver.invocations.len(), driver.runs.len()), (0, 2));
    driver.says("fine");
    assert_eq!(driver.session.summary().finish(), Some(FinishReason::Stop));
}

#[test]
fn a_call_is_decided_once() {
    let mut driver = with_pending_call();
    driver.approve("c");
    let before = driver.session.conversation().export();
    assert_eq!(driver.approve("c"), Some(Refusal::AlreadyResolved));
    assert_eq!(driver.deny("c", None), Some(Refusal::AlreadyResolved));
    assert_eq!(driver.session.conversation().export(), before);
    driver.returns("c", json!(1));
    assert_eq!(driver.deny("c", None), Some(Refusal::AlreadyResolved));
    assert_eq!(driver.starts("c"), 1);
    let mut other = Driver::new();
    other.send("hi");
    other.plays(["a", "b", "c"].map(|id| calls(id, "f", "{}")).concat());
    let call = other.key("c");
    let (shown, verdict) = (other.shown(call), Verdict::Approve { args: None });
    let output = driver.input(Input::Decide {
        call,
        shown,
        verdict,
        by: Decider::Person,
    });
    assert_eq!(output.refused, Some(Refusal::AlreadyResolved));
}

#[test]
fn the_run_continues_once_every_call_has_a_result() {
    let mut driver = Driver::new();
    driver.register(asking("f"));
    driver.send("hi");
    driver.event(started());
    driver.events(calls("c", "f", "{}"));
    driver.events(calls("d", "f", "{}"));
    driver.event(finished());
    driver.close();
    driver.approve("d");
    driver.returns("d", json!(2));
    assert_eq!(driver.runs.len(), 1);
    driver.deny("c", None);
    assert_eq!(driver.runs.len(), 2);
    assert_eq!(
        request(&driver)[1..],
        ["assistant=[c,d]", "tool:c=\"denied\"", "tool:d=2"]
    );
}

#[test]
fn the_history_is_the_same_with_and_without_an_approval() {
    let history = |spec, approve: bool| {
        let mut driver = Driver::new();
        driver.register(spec);
        driver.send("hi");
        driver.event(started());
        driver.events(says("m", "Let me check"));
        driver.events(calls("c", "f", "{\"city\": \"Rome\"}"));
        driver.event(finished());
        driver.close();
        if approve {
            driver.approve("c");
        }
        driver.returns("c", json!("sunny"));
        let mut messages = driver.request().messages.clone();
        for message in &mut messages {
            message.id.clear();
        }
        messages
    };
    assert_eq!(history(action("f"), false), history(asking("f"), true));
}

#[test]
fn results_and_later_text_keep_their_order_after_an_approval() {
    for outcome in [true, false] {
        let mut driver = Driver::new();
        driver.register(asking("f"));
        driver.send("hi");
        driver.event(started());
        driver.events(says("m", "Let me check"));
        driver.events(calls("c", "f", "{}"));
        driver.event(finished());
        driver.close();
        driver.approve("c");
        match outcome {
            true => driver.returns("c", json!("ok")),
            false => driver.handler_ends("c", Err(assistant_core::action::ToolError::new("boom"))),
        };
        driver.says("final");
        let received = sketch(&driver.session.conversation().received_messages());
        let answer = if outcome {
            "tool:c=\"ok\""
        } else {
            "tool:c={\"error\":\"boom\"}"
        };
        assert_eq!(
            received[1..],
            ["assistant=Let me check[c]", answer, "assistant=final[]"]
        );
        assert!(!driver.session.is_busy());
    }
}

#[test]
fn a_pending_approval_survives_export_and_import() {
    let paused = with_pending_call();
    let snapshot = paused.session.conversation().export();
    let mut driver = Driver::new();
    driver.register(asking("f"));
    let thread_id = "thread".to_owned();
    let output = driver.input(Input::Load {
        thread_id,
        snapshot,
    });
    assert_eq!(output.refused, None);
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    assert!(driver.session.waits_for_person());
    driver.approve("c");
    assert_eq!(*driver.invocation("c").args(), json!({"city": "Rome"}));
    driver.returns("c", json!("sunny"));
    assert_eq!(
        request(&driver),
        ["user=hi", "assistant=[c]", "tool:c=\"sunny\""]
    );
}

#[test]
fn a_call_that_ran_before_a_reload_is_not_run_again() {
    let mut running = with_pending_call();
    running.approve("c");
    let snapshot = running.session.conversation().export();
    let mut driver = Driver::new();
    driver.register(action("f"));
    let thread_id = "thread".to_owned();
    driver.input(Input::Load {
        thread_id,
        snapshot,
    });
    assert_eq!(driver.starts("c"), 0);
    assert_eq!(
        driver.answer("c"),
        r#"{"error":"cancelled","reason":"interrupted"}"#
    );
    assert!(!driver.session.is_busy());
}

#[test]
fn the_hosts_approval_rule_can_answer_at_once_or_later() {
    let ask = |answer: Option<bool>| {
        let mut driver = Driver::new();
        driver.host.ask = answer;
        let spec = action("f").with_approval(Policy::Ask);
        let id = driver.register(spec);
        driver.send("hi");
        driver.plays(calls("c", "f", "{\"amount\":500}"));
        (driver, id)
    };
    let (driver, _) = ask(Some(false));
    assert_eq!(driver.starts("c"), 1);
    assert_eq!(driver.host.tickets[0].1, json!({"amount": 500}));
    let (driver, _) = ask(Some(true));
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);

    for (answer, phase) in [(false, Phase::Running), (true, Phase::ApprovalRequested)] {
        let (mut driver, _) = ask(None);
        assert_eq!(driver.phase("c"), Phase::InputAvailable);
        assert!(driver.session.is_busy());
        let ticket = driver.host.tickets[0].0;
        driver.input(Input::PolicyAnswer {
            ticket,
            ask: answer,
        });
        assert_eq!(driver.phase("c"), phase);
        driver.input(Input::PolicyAnswer {
            ticket,
            ask: !answer,
        });
        assert_eq!(driver.phase("c"), phase);
    }
    // The component with the rule has been removed, so the rule would never answer.
    let (mut driver, id) = ask(None);
    driver.unregister(id);
    assert_eq!(driver.answer("c"), "{\"error\":\"Action f not found\"}");
    assert_eq!(driver.runs.len(), 2);
}

#[test]
fn a_message_during_a_pending_approval_is_refused_or_denies_it() {
    let mut driver = with_pending_call();
    assert_eq!(driver.send("new").refused, Some(Refusal::ApprovalsPending));
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);

    let options = SessionOptions::default().auto_deny(true);
    let mut driver = pending_call_with(options, "{}");
    assert_eq!(driver.send(" ").refused, Some(Refusal::EmptyMessage));
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    assert_eq!(driver.send("new").refused, None);
    let denied = r#"tool:c={"status":"denied","reason":"auto-denied: new message"}"#;
    assert_eq!(
        request(&driver),
        ["user=hi", "assistant=[c]", denied, "user=new"]
    );
    assert_eq!(driver.runs.len(), 2);
    assert_eq!(driver.phase("c"), Phase::OutputDenied);
}

#[test]
fn a_message_denies_no_approval_while_a_handler_runs() {
    let mut driver = Driver::with(SessionOptions::default().auto_deny(true));
    driver.register(asking("f"));
    driver.register(action("g"));
    driver.send("hi");
    driver.event(started());
    driver.events(calls("c", "f", "{}"));
    driver.events(calls("running", "g", "{}"));
    driver.event(finished());
    driver.close();
    assert_eq!(driver.phase("running"), Phase::Running);
    assert_eq!(driver.send("new").refused, Some(Refusal::ApprovalsPending));
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    driver.returns("running", json!(1));
    assert_eq!(driver.send("new").refused, None);
    assert_eq!(driver.phase("c"), Phase::OutputDenied);
}

/// The agent may already have run the call.
#[test]
fn a_message_that_denies_an_approval_leaves_a_call_of_the_agent_open() {
    let mut driver = Driver::with(SessionOptions::default().auto_deny(true));
    driver.register(asking("f"));
    driver.send("hi");
    driver.event(started());
    driver.events(calls("c", "f", "{}"));
    driver.events(calls("theirs", "lookup", "{}"));
    driver.event(finished());
    driver.close();
    assert_eq!(driver.phase("theirs"), Phase::Running);
    assert_eq!(driver.send("new").refused, None);
    assert_eq!(driver.phase("c"), Phase::OutputDenied);
    assert_eq!(driver.phase("theirs"), Phase::Running);
    driver.plays([result("t", "theirs", "found")]);
    assert_eq!(driver.answer("theirs"), "found");
}

#[test]
fn edited_arguments_are_validated_run_and_stored_with_the_original() {
    let spec = asking("f")
        .with_parameters(json!({"type": "object", "properties": {"city": {"type": "string"}}}));
    let mut driver = Driver::new();
    driver.register(spec);
    driver.send("hi");
    driver.plays(calls("c", "f", "{\"city\":\"Rome\"}"));
    let edit = |args: Value| Verdict::Approve { args: Some(args) };
    let refused = driver.decide("c", edit(json!({"city": 7})));
    assert!(matches!(refused, Some(Refusal::InvalidEdit(_))));
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    assert_eq!(driver.decide("c", edit(json!({"city": "Oslo"}))), None);
    assert_eq!(*driver.invocation("c").args(), json!({"city": "Oslo"}));
    let call = driver.call("c");
    assert_eq!(call.args(), Some(&json!({"city": "Rome"})));
    assert_eq!(call.edited_args(), Some(&json!({"city": "Oslo"})));
    driver.returns("c", json!(1));
    assert_eq!(driver.request().messages.len(), 3);
}

#[test]
fn changed_arguments_or_a_changed_name_void_the_approval_and_edit() {
    for again in [
        vec![start("c", "f"), args("c", " "), end("c")],
        vec![start("c", "h"), end("c")],
    ] {
        let mut driver = Driver::new();
        driver.register(asking("f"));
        driver.register(asking("h"));
        driver.send("hi");
        driver.event(started());
        driver.events(calls("c", "f", "{\"x\":1}"));
        let verdict = Verdict::Approve {
            args: Some(json!({"x": 9})),
        };
        assert_eq!(driver.decide("c", verdict), None);
        driver.events(again);
        assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
        assert_eq!(driver.call("c").edited_args(), None);
        driver.event(finished());
        driver.close();
        assert!(driver.commits.is_empty());
        driver.approve("c");
        assert_eq!(*driver.invocation("c").args(), json!({"x": 1}));
    }
}

#[test]
fn a_schema_changed_after_the_question_rejects_the_call() {
    let mut driver = with_pending_call();
    let spec = asking("f").with_parameters(json!({"type": "object", "required": ["country"]}));
    driver.register_as(RegistrationId::new(1), spec);
    driver.approve("c");
    assert_eq!(driver.starts("c"), 0);
    assert!(driver.answer("c").contains("/country"));
}

#[test]
fn a_reregistered_action_keeps_the_pending_approval() {
    let mut driver = with_pending_call();
    driver.unregister(RegistrationId::new(1));
    driver.register_as(RegistrationId::new(50), asking("f"));
    driver.approve("c");
    assert_eq!(
        driver.invocation("c").registration(),
        RegistrationId::new(50)
    );
}

#[test]
fn a_removed_action_is_not_run_after_approval() {
    let mut driver = with_pending_call();
    driver.unregister(RegistrationId::new(1));
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    driver.approve("c");
    assert_eq!(driver.starts("c"), 0);
    assert_eq!(driver.answer("c"), "{\"error\":\"Action f not found\"}");
    assert_eq!(driver.runs.len(), 2);
}

#[test]
fn arguments_with_duplicate_fields_are_refused() {
    let mut driver = Driver::new();
    driver.register(asking("f"));
    driver.register(action("g"));
    driver.send("hi");
    driver.event(started());
    driver.events(calls("c", "f", r#"{"to":"alice","to":"mallory"}"#));
    driver.events(calls("d", "g", r#"{"a":[{"b":1,"b":2}]}"#));
    finish_run(&mut driver);
    assert_eq!((driver.starts("c"), driver.starts("d")), (0, 0));
    assert_eq!(driver.phase("c"), Phase::OutputError);
    assert!(driver.answer("c").contains("name a field twice"));
    assert!(driver.answer("d").contains("name a field twice"));
}

#[test]
fn the_request_has_the_edited_arguments_and_the_original_ones() {
    let mut driver = Driver::new();
    driver.register(asking("f"));
    driver.send("hi");
    driver.plays(calls("c", "f", "{\"x\":1}"));
    let verdict = Verdict::Approve {
        args: Some(json!({"x": 2})),
    };
    assert_eq!(driver.decide("c", verdict), None);
    driver.returns("c", json!("done"));
    let MessageBody::Assistant { tool_calls, .. } = &driver.request().messages[1].body else {
        panic!("{:?}", driver.request().messages);
    };
    assert_eq!(tool_calls[0].arguments, "{\"x\":2}");
    let metadata = tool_calls[0].metadata.as_ref().unwrap();
    assert_eq!(metadata["originalArguments"], "{\"x\":1}");
    // A server that repeats its input changes nothing.
    let repeated = driver.request().messages.clone();
    driver.event(started());
    driver.event(snapshot(repeated));
    assert_eq!(driver.call("c").args_text(), "{\"x\":1}");
    assert_eq!(driver.call("c").edited_args(), Some(&json!({"x": 2})));
    assert_eq!(driver.phase("c"), Phase::OutputAvailable);
}
