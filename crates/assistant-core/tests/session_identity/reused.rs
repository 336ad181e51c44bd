//! A reused wire id: on another branch, or after a list omitted its call.

use assistant_core::{
    conversation::Phase,
    event::{Content, Role},
    session::{FailureKind, Input, NoticeKind, TreeChange},
};
use serde_json::json;

use super::{hi, listed};
use crate::support::*;

/// Branches off another version of the user's last message; the agent answers there.
fn branch_off(driver: &mut Driver) {
    let path = driver.session.conversation().path();
    let message = path.rev().find(|message| message.role() == Role::User);
    let change = TreeChange::Edit {
        message: message.unwrap().id().clone(),
        content: Content::Text("again".to_owned()),
    };
    assert_eq!(driver.input(Input::Tree { change }).refused, None);
    driver.event(started());
}

#[test]
fn a_call_that_ran_on_another_branch_does_not_rerun_when_listed() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    driver.returns("c", json!("done"));
    finish_run(&mut driver);
    branch_off(&mut driver);
    driver.event(snapshot(vec![listed("n", &[("c", "f", "{}")])]));
    finish_run(&mut driver);
    assert_eq!(driver.starts("c"), 1);
    assert_eq!(driver.phase("c"), Phase::OutputAvailable);
    let result = driver.call("c").result().cloned().unwrap();
    assert_eq!(*result.value(), json!("done"));
}

#[test]
fn a_call_denied_on_another_branch_stays_denied_when_listed() {
    let mut driver = with([asking("f")]);
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    driver.deny("c", None);
    finish_run(&mut driver);
    branch_off(&mut driver);
    driver.event(snapshot(vec![listed("n", &[("c", "f", r#"{"x":2}"#)])]));
    finish_run(&mut driver);
    assert_eq!(driver.phase("c"), Phase::OutputDenied);
    assert_eq!(driver.starts("c"), 0);
}

/// A call that continues on one branch keeps a copy on the other, which has ended.
#[test]
fn a_call_that_continues_on_one_branch_is_cancelled_on_the_other() {
    let mut driver = with([]);
    driver.events(calls("c", "theirs", "{}"));
    driver.event(interrupted(vec![approval_interrupt("i", "c")]));
    driver.close();
    driver.approve("c");
    driver.event(started());
    driver.events(says("n", "so"));
    driver.break_off(FailureKind::Network);
    driver.input(Input::Retry);
    driver.event(started());
    let states = |driver: &Driver| {
        let conversation = driver.session.conversation();
        let messages = conversation.all_messages();
        let calls = messages.flat_map(|message| conversation.calls_in(message));
        let mut phases: Vec<_> = calls.map(|call| call.phase().as_str()).collect();
        phases.sort_unstable();
        phases
    };
    assert_eq!(states(&driver).len(), 1);
    driver.event(result("r", "c", "found"));
    assert_eq!(states(&driver), ["cancelled", "output-available"]);
}

#[test]
fn an_id_announced_on_another_branch_is_another_call() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    driver.returns("c", json!(1));
    finish_run(&mut driver);
    branch_off(&mut driver);
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    assert_eq!(driver.starts("c"), 2);
}

#[test]
fn an_omitted_call_runs_when_a_later_run_announces_it() {
    let mut driver = with([asking("f")]);
    driver.events(calls("c", "f", "{}"));
    driver.event(snapshot(vec![hi()]));
    finish_run(&mut driver);
    assert_eq!(driver.starts("c"), 0);
    driver.send("more");
    driver.event(started());
    driver.events(calls("c", "f", r#"{"x":2}"#));
    finish_run(&mut driver);
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    driver.approve("c");
    assert_eq!(driver.starts("c"), 1);
}

#[test]
fn a_reused_id_of_a_finished_call_raises_a_notice() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    driver.returns("c", json!(1));
    driver.event(started());
    driver.event(snapshot(vec![hi()]));
    finish_run(&mut driver);
    driver.send("more");
    driver.event(started());
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    assert_eq!(driver.starts("c"), 1);
    assert!(driver.notices().contains(&NoticeKind::CallIdReused));
}
