//! Remote calls that an agent holds back by an interrupt without a call id, as the middleware of
//! `LangChain` and Strands does: until the agent has an answer, the page sends nothing else about
//! them.

use assistant_core::{
    action::ToolOutcome,
    conversation::Phase,
    event::{EventKind, ResumeStatus},
    session::{FailureKind, Input, NoticeAction, TreeChange},
};
use serde_json::{Value, json};

use crate::support::*;

fn question(id: &str) -> EventKind {
    interrupted(vec![interrupt(id, None, json!(null))])
}

/// The agent calls its own tool, and asks before running it.
fn asked() -> Driver {
    let mut driver = with([]);
    driver.events(calls("c", "refund", "{\"euros\": 40}"));
    driver.event(question("q"));
    driver.close();
    driver
}

/// The same in the older dialect.
fn asked_by_event() -> Driver {
    let mut driver = with([]);
    driver.events(calls("c", "refund", "{\"euros\": 40}"));
    driver.event(EventKind::Custom {
        name: "on_interrupt".to_owned(),
        value: json!({"action_requests": [{"name": "refund", "args": {"euros": 40}}]}),
    });
    finish_run(&mut driver);
    driver
}

fn restored(before: &Driver) -> Driver {
    let mut after = Driver::new();
    after.host.ids = 1_000;
    let entries = before.commits.iter().map(|(_, entry)| entry);
    let journal = entries.chain(&before.records).cloned().collect();
    let output = after.input(Input::Restore {
        thread_id: "thread".to_owned(),
        snapshot: before.session.snapshot(),
        journal,
    });
    assert_eq!(output.refused, None);
    after
}

fn loaded(before: &Driver) -> Driver {
    let mut after = Driver::new();
    after.host.ids = 1_000;
    let output = after.input(Input::Load {
        thread_id: "thread".to_owned(),
        snapshot: before.session.export(),
    });
    assert_eq!(output.refused, None);
    after
}

/// Answers the open question, and checks the request about the call.
fn approve(driver: &mut Driver) {
    let id = driver.session.interrupts()[0].interrupt().id.clone();
    let payload = json!({"decisions": [{"type": "approve"}]});
    assert_eq!(driver.answers(&id, Some(payload)), None);
    assert_sent_without_result(driver);
}

/// Asserts that the newest request carries the answer, and no result of the call.
fn assert_sent_without_result(driver: &Driver) {
    let sent = driver.request();
    let resumes = !sent.resume.is_empty() || !sent.forwarded_props["command"].is_null();
    assert!(resumes, "{sent:?}");
    assert_eq!(request(driver), ["user=hi", "assistant=[c]"]);
}

fn assert_waits(driver: &Driver) {
    assert_eq!(driver.phase("c"), Phase::Running);
    assert_eq!(driver.call("c").result(), None);
}

#[test]
fn a_call_blocked_by_an_interrupt_still_waits_after_a_reload() {
    for before in [asked(), asked_by_event()] {
        assert_waits(&before);
        for mut after in [restored(&before), loaded(&before)] {
            assert_waits(&after);
            assert_eq!(after.notices(), []);
            approve(&mut after);
            after.plays([result("r", "c", "40 euros went out")]);
            assert_eq!(after.phase("c"), Phase::OutputAvailable);
            assert_eq!(after.answer("c"), "40 euros went out");
        }
        // A second reload.
        let mut after = restored(&restored(&before));
        assert_waits(&after);
        approve(&mut after);
    }
}

#[test]
fn a_rejected_answer_can_be_given_again_without_a_result() {
    let mut driver = asked();
    approve(&mut driver);
    driver.event(started());
    driver.event(run_error("not this way"));
    driver.close();
    assert_waits(&driver);
    approve(&mut driver);
    driver.plays([result("r", "c", "done")]);
    assert_eq!(driver.answer("c"), "done");
}

#[test]
fn a_lost_answer_is_resent_without_a_result() {
    let mut driver = asked();
    approve(&mut driver);
    driver.break_off(FailureKind::Network);
    assert_waits(&driver);
    assert!(!driver.session.is_busy());
    driver.input(Input::Retry);
    assert_sent_without_result(&driver);
    driver.plays([result("r", "c", "done")]);
    assert_eq!(driver.answer("c"), "done");
}

#[test]
fn a_second_interrupt_blocks_the_call_again() {
    let mut driver = asked();
    approve(&mut driver);
    driver.event(started());
    driver.event(question("q2"));
    driver.close();
    assert_waits(&driver);
    let mut driver = restored(&driver);
    approve(&mut driver);
    driver.plays([result("r", "c", "done")]);
    assert_eq!(driver.answer("c"), "done");
}

/// The agent runs the call, whatever the page registers meanwhile.
#[test]
fn an_action_that_registers_during_an_interrupt_starts_no_call_of_the_agent() {
    let before = asked();
    for mut driver in [before.clone(), restored(&before)] {
        driver.register(action("refund"));
        approve(&mut driver);
        assert_eq!(driver.request().tools.len(), 1);
        driver.event(started());
        driver.event(question("q2"));
        driver.close();
        assert_eq!(driver.starts("c"), 0);
        assert_waits(&driver);
        approve(&mut driver);
        driver.plays([result("r", "c", "done")]);
        assert_eq!(driver.answer("c"), "done");
    }
}

#[test]
fn an_archived_conversation_keeps_the_interrupt_and_its_call() {
    let mut driver = asked();
    driver.input(Input::NewThread);
    let (thread_id, snapshot) = driver.archives[0].clone();
    driver.input(Input::Load {
        thread_id,
        snapshot,
    });
    assert_waits(&driver);
    approve(&mut driver);
}

#[test]
fn a_call_that_the_agent_never_ends_gets_a_result() {
    let mut driver = restored(&asked());
    approve(&mut driver);
    driver.says("I left it");
    assert!(driver.call("c").result().is_some());
    assert!(!driver.session.is_busy());
}

#[test]
fn stop_give_up_and_delete_cancel_a_blocked_call() {
    let mut stopped = asked();
    stopped.input(Input::Stop);
    assert_eq!(stopped.phase("c"), Phase::Cancelled);
    stopped.send("never mind");
    let resume = &stopped.request().resume;
    assert_eq!(resume[0].status, ResumeStatus::Cancelled);

    let mut given_up = asked();
    approve(&mut given_up);
    given_up.event(started());
    given_up.event(run_error("no"));
    given_up.close();
    let interrupt_id = "q".to_owned();
    assert_eq!(given_up.input(Input::GiveUp { interrupt_id }).refused, None);
    assert_eq!(given_up.phase("c"), Phase::Cancelled);
    assert!(!given_up.session.is_busy());

    let mut deleted = asked();
    approve(&mut deleted);
    deleted.event(started());
    deleted.events(says("n", "half"));
    let message = message_id("n");
    let change = TreeChange::Delete { message };
    assert_eq!(deleted.input(Input::Tree { change }).refused, None);
    assert_eq!(deleted.phase("c"), Phase::Cancelled);
}

/// Counterparts: without a question the call is not held back, and calls that were started here are
/// not the agent's.
#[test]
fn calls_that_no_interrupt_blocks_do_not_keep_running_after_a_reload() {
    let mut driver = with([]);
    driver.events(calls("c", "refund", "{}"));
    let mut snapshot = driver.session.snapshot();
    snapshot["runs"][0]["succeeded"] = json!(true);
    snapshot["messages"][1]["message"]["parts"][0]["state"] = json!("running");
    let mut after = Driver::new();
    after.input(Input::Restore {
        thread_id: "thread".to_owned(),
        snapshot,
        journal: Vec::new(),
    });
    assert_eq!(after.phase("c"), Phase::Cancelled);

    let mut driver = with([action("pay")]);
    driver.events(calls("c", "refund", "{}"));
    driver.events(calls("d", "pay", "{}"));
    driver.event(question("q"));
    driver.close();
    assert_eq!((driver.starts("d"), driver.phase("c")), (1, Phase::Running));
    let mut later = driver.clone();
    let done = Ok(ToolOutcome::Continue(Value::Null));
    later.handler_ends("d", done);
    let restored = restored(&driver);
    assert_eq!(restored.phase("c"), Phase::Running);
    assert_eq!(
        restored.phase("d"),
        Phase::ApprovalRequested,
        "its outcome is unknown"
    );
    let loaded = loaded(&driver);
    assert_eq!(loaded.phase("c"), Phase::Running);
    assert_eq!(loaded.phase("d"), Phase::Cancelled);
    let offered = loaded
        .session
        .notices()
        .first()
        .and_then(|notice| notice.action());
    assert_ne!(offered, Some(NoticeAction::Retry));
}
