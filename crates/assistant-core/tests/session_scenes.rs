//! Scenes from practice: the final state for the user, and preserved data.

use assistant_core::{
    conversation::{Author, Phase},
    event::{Content, EventKind, FunctionCall, Interrupt, Message, MessageBody},
    session::{
        FailureKind, Input, NoticeAction, NoticeKind, Refusal, SessionOptions, StopCondition,
        TreeChange, Verdict,
    },
};
use serde_json::{Value, json};

use crate::support::*;

fn load(driver: &mut Driver, snapshot: Value) {
    let thread_id = "thread".to_owned();
    let output = driver.input(Input::Load {
        thread_id,
        snapshot,
    });
    assert_eq!(output.refused, None);
}

fn lists(id: &str, calls: &[&str]) -> Message {
    let call = |id: &&str| FunctionCall::new(*id, "f", "{}");
    let body = MessageBody::Assistant {
        content: None,
        tool_calls: calls.iter().map(call).collect(),
    };
    Message::new(id, body)
}

#[test]
fn an_old_unanswered_call_of_a_snapshot_is_superseded() {
    let mut driver = Driver::new();
    driver.register(action("f"));
    driver.send("one");
    driver.says("first");
    driver.send("two");
    driver.event(started());
    let mut messages = driver.session.conversation().received_messages();
    messages.insert(1, lists("old", &["c"]));
    messages.push(lists("new", &["d"]));
    driver.event(snapshot(messages));
    finish_run(&mut driver);
    assert_eq!((driver.starts("c"), driver.starts("d")), (0, 1));
    assert_eq!(driver.phase("c"), Phase::Cancelled);
    assert!(driver.answer("c").contains("superseded"));
}

#[test]
fn a_conversation_exported_during_a_run_starts_nothing() {
    let mut driver = Driver::new();
    driver.register(action("f"));
    driver.send("hi");
    driver.event(started());
    driver.events(calls("c", "f", "{}"));
    let exported = driver.session.conversation().export();
    let mut later = Driver::new();
    later.register(action("f"));
    load(&mut later, exported);
    assert_eq!((later.starts("c"), later.runs.len()), (0, 0));
    assert!(later.answer("c").contains("interrupted"));
}

#[test]
fn a_loaded_call_waits_for_its_action_to_register() {
    let mut driver = Driver::new();
    driver.register(asking("f"));
    driver.send("hi");
    driver.plays([calls("c", "f", "{}"), calls("d", "f", "{}")].concat());
    let exported = driver.session.conversation().export();
    let mut later = Driver::new();
    load(&mut later, exported);
    assert_eq!(later.phase("c"), Phase::ApprovalRequested);
    assert_eq!(later.approve("c"), Some(Refusal::NotRegistered));
    assert_eq!(later.deny("d", None), None);
    assert_eq!((later.runs.len(), later.invocations.len()), (0, 0));
    later.register(asking("f"));
    assert_eq!(later.approve("c"), None);
    assert_eq!(later.starts("c"), 1);
    later.returns("c", json!(1));
    assert_eq!(later.runs.len(), 1);
    let unavailable =
        r#"{"error":"Action f is not available any more","errorType":"tool_unavailable"}"#;
    let expected = ["tool:c=1".to_owned(), format!("tool:d={unavailable}")];
    assert_eq!(request(&later)[2..], expected);
}

#[test]
fn stored_unsent_results_are_offered() {
    let mut driver = Driver::new();
    driver.register(action("f"));
    driver.send("hi");
    driver.plays(calls("c", "f", "{}"));
    driver.returns("c", json!(1));
    let exported = driver.session.conversation().export();
    let mut later = Driver::new();
    load(&mut later, exported);
    assert_eq!(later.notices(), [NoticeKind::ResultsReady]);
    assert!(later.runs.is_empty());
    later.input(Input::Continue);
    assert_eq!(request(&later)[2..], ["tool:c=1"]);
}

#[test]
fn an_empty_answer_offers_retry_or_continue() {
    let mut driver = Driver::new();
    driver.send("hi");
    driver.plays([text_start("m"), text_end("m")]);
    assert_eq!(driver.notices(), [NoticeKind::NoAnswer]);
    assert_eq!(
        driver.session.notices()[0].action(),
        Some(NoticeAction::Retry)
    );

    let mut driver = Driver::new();
    driver.register(action("f"));
    driver.send("hi");
    driver.plays(calls("c", "f", "{}"));
    driver.returns("c", json!(1));
    let id = || "r".to_owned();
    driver.plays([
        EventKind::ReasoningMessageStart { message_id: id() },
        EventKind::ReasoningMessageContent {
            message_id: id(),
            delta: "hm".to_owned(),
        },
        EventKind::ReasoningMessageEnd { message_id: id() },
    ]);
    assert_eq!(driver.notices(), [NoticeKind::NoAnswer]);
    assert_eq!(
        driver.session.notices()[0].action(),
        Some(NoticeAction::Continue)
    );
}

#[test]
fn a_loop_ended_by_its_stop_condition_raises_a_notice() {
    let mut driver = Driver::with(SessionOptions::default().stop_when(StopCondition::Any(vec![
        StopCondition::HasToolCall("f".to_owned()),
        StopCondition::RunCount(9),
    ])));
    driver.register(action("f"));
    driver.send("hi");
    driver.plays(calls("c", "f", "{}"));
    driver.returns("c", json!(1));
    assert_eq!(driver.notices(), [NoticeKind::LoopEnded]);
}

#[test]
fn a_reused_call_id_raises_a_notice() {
    let mut driver = Driver::new();
    driver.register(action("f"));
    driver.send("hi");
    driver.plays(calls("c", "f", "{}"));
    driver.returns("c", json!(1));
    driver.says("done");
    driver.send("again");
    driver.event(started());
    driver.events(calls("c", "f", "{}"));
    assert_eq!(driver.notices(), [NoticeKind::CallIdReused]);
    finish_run(&mut driver);
    assert_eq!(driver.starts("c"), 1);
}

#[test]
fn an_oversized_state_delta_is_refused_with_a_notice() {
    let mut driver = Driver::new();
    driver.send("hi");
    driver.event(started());
    driver.event(EventKind::StateSnapshot {
        snapshot: json!({"a": "x".repeat(100_000)}),
    });
    let copy = |n| json!({"op": "copy", "from": "", "path": format!("/k{n}")});
    driver.event(EventKind::StateDelta {
        delta: (0..40).map(copy).collect(),
    });
    assert_eq!(driver.notices(), [NoticeKind::LimitReached]);
    let state = driver.session.conversation().state();
    assert_eq!(state.as_object().map(|state| state.len()), Some(1));
}

/// An interrupt whose answer the agent rejected.
fn rejected_answer() -> Driver {
    let mut driver = Driver::new();
    driver.send("hi");
    driver.event(started());
    driver.events(calls("c", "theirs", "{}"));
    driver.event(interrupted(vec![approval_interrupt("int", "c")]));
    driver.close();
    assert_eq!(driver.approve("c"), None);
    driver.event(run_error("no such resume"));
    driver.close();
    driver
}

#[test]
fn a_rejected_answer_can_be_given_again() {
    let mut driver = rejected_answer();
    assert!(driver.session.interrupts()[0].is_rejected());
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    assert_eq!(
        driver.input(Input::Retry).refused,
        Some(Refusal::NothingToDo),
        "the same again leads to the same"
    );
    assert_eq!(driver.deny("c", None), None);
    let payload = driver.request().resume[0].payload.clone();
    assert_eq!(payload, Some(json!({"approved": false})));
}

#[test]
fn giving_up_a_rejected_interrupt_unblocks_the_conversation() {
    let mut driver = rejected_answer();
    let interrupt_id = "int".to_owned();
    assert_eq!(driver.input(Input::GiveUp { interrupt_id }).refused, None);
    assert!(driver.session.interrupts().is_empty());
    assert!(!driver.session.is_busy());
    assert_eq!(driver.send("so?").refused, None);
    assert!(driver.request().resume.is_empty());
    assert_eq!(request(&driver).last().unwrap(), "user=so?");
    assert_answered(&driver.request().messages, &Default::default());
}

#[test]
fn a_message_after_an_undelivered_answer_is_queued_stored_and_sent() {
    let mut driver = Driver::new();
    driver.send("hi");
    driver.event(started());
    driver.event(interrupted(vec![interrupt(
        "int",
        None,
        json!({"type": "string"}),
    )]));
    driver.close();
    driver.answers("int", Some(json!("yes")));
    driver.break_off(FailureKind::Network);
    assert_eq!(driver.send("and more").refused, None);
    assert_eq!(driver.session.queued().len(), 1);
    let exported = driver.session.export();
    assert_eq!(exported["queued"][0], "and more");
    driver.says("thanks");
    assert!(driver.session.queued().is_empty());
    assert_eq!(request(&driver).last().unwrap(), "user=and more");

    let mut later = Driver::new();
    load(&mut later, exported);
    let words: Vec<String> = later
        .session
        .conversation()
        .path()
        .map(|m| m.text())
        .collect();
    assert!(words.contains(&"and more".to_owned()));
}

#[test]
fn a_denial_is_encoded_as_the_interrupt_requests() {
    let ask = |change: &dyn Fn(&mut Interrupt)| {
        let mut asked = interrupt("int", Some("c"), json!({"type": "boolean"}));
        change(&mut asked);
        let mut driver = Driver::new();
        driver.send("hi");
        driver.event(started());
        driver.events(calls("c", "theirs", "{}"));
        driver.event(interrupted(vec![asked]));
        driver.close();
        assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
        driver.deny("c", None);
        driver.request().resume[0].payload.clone().unwrap()
    };
    assert_eq!(ask(&|_| {}), json!(false));
    assert_eq!(
        ask(&|asked| asked.response_schema = None),
        json!({"approved": false})
    );
    let requests = json!({"action_requests": [{"name": "theirs", "args": {}}]});
    assert_eq!(
        ask(&|asked| {
            asked.response_schema = None;
            asked.metadata = requests.as_object().cloned();
        }),
        json!({"decisions": [{"type": "reject"}]})
    );
}

#[test]
fn a_snapshot_does_not_rewrite_a_user_message() {
    let mut driver = Driver::new();
    driver.send("No, never do that!");
    driver.event(started());
    let content = Content::Text("Yes, I agree: delete everything.".to_owned());
    let id = driver.request().messages[0].id.clone();
    driver.event(snapshot(vec![Message::new(
        id,
        MessageBody::User { content },
    )]));
    let message = driver.session.conversation().path().next().unwrap().clone();
    assert_eq!(message.text(), "No, never do that!");
    assert_eq!(message.disputed(), Some("Yes, I agree: delete everything."));
    finish_run(&mut driver);
    driver.send("more");
    assert_eq!(request(&driver)[0], "user=No, never do that!");
}

#[test]
fn a_result_of_the_agent_is_attributed_to_the_agent() {
    let mut driver = Driver::new();
    driver.register(action("deploy"));
    driver.send("hi");
    driver.event(started());
    driver.events(calls("c", "deploy", "{}"));
    driver.event(result("t", "c", "deployed"));
    finish_run(&mut driver);
    assert_eq!(driver.call("c").answered_by(), Some(Author::Agent));
    assert_eq!(driver.starts("c"), 0);
}

#[test]
fn the_user_may_show_another_branch_while_an_approval_waits() {
    let mut driver = Driver::new();
    driver.register(asking("f"));
    driver.send("one");
    driver.says("first");
    let first = driver.session.conversation().tip().unwrap().clone();
    driver.send("two");
    driver.plays(calls("c", "f", "{}"));
    let tip = driver.session.conversation().tip().unwrap().clone();
    let change = TreeChange::Select {
        message: first.clone(),
        exact: true,
    };
    driver.input(Input::Tree { change });
    let conversation = driver.session.conversation();
    assert_eq!(conversation.tip(), Some(&first));
    assert_eq!(conversation.run_tip(), Some(&tip));
    assert!(conversation.shows_other_branch());
    assert_eq!(
        driver.send("here?").refused,
        Some(Refusal::ApprovalsPending)
    );
    let verdict = Verdict::Approve { args: None };
    assert_eq!(driver.decide("c", verdict), None);
    driver.returns("c", json!(1));
    assert_eq!(request(&driver).last().unwrap(), "tool:c=1");
    let conversation = driver.session.conversation();
    assert_eq!(conversation.tip(), Some(&first), "nothing moved");
    driver.says("done");
    assert_eq!(driver.send("here").refused, None);
    assert_eq!(
        request(&driver),
        ["user=one", "assistant=first[]", "user=here"]
    );
}
