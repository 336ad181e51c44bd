//! A deleted branch that the user restores.

use assistant_core::{
    conversation::{Change, MessageId, Phase, TreeError},
    session::{Input, Output, Refusal, TreeChange},
};
use serde_json::json;

use super::{assert_exports_itself, hi, listed};
use crate::support::*;

fn delete(driver: &mut Driver, message: MessageId) {
    let change = TreeChange::Delete { message };
    assert_eq!(driver.input(Input::Tree { change }).refused, None);
}

fn restore(driver: &mut Driver) -> Output {
    driver.input(Input::Tree {
        change: TreeChange::Restore,
    })
}

fn home(driver: &Driver, call: &str) -> MessageId {
    let conversation = driver.session.conversation();
    conversation
        .message_of_call(&driver.key(call))
        .unwrap()
        .id()
        .clone()
}

/// One call ran, one was denied, and the agent commented on it.
fn commented_results() -> Driver {
    let mut driver = with([action("f"), asking("g")]);
    driver.events([text_start("m")]);
    driver.event(start_in("c", "f", Some("m")));
    driver.events([args("c", "{}"), end("c")]);
    driver.event(start_in("d", "g", Some("m")));
    driver.events([args("d", "{}"), end("d")]);
    finish_run(&mut driver);
    driver.deny("d", None);
    driver.returns("c", json!(1));
    driver.event(started());
    driver.events(says("n", "done"));
    finish_run(&mut driver);
    assert!(!driver.session.is_busy());
    driver
}

#[test]
fn a_restored_branch_is_unchanged_and_runs_nothing() {
    let mut driver = commented_results();
    let (before, keys) = (driver.session.export(), [driver.key("c"), driver.key("d")]);
    let message = home(&driver, "c");
    delete(&mut driver, message.clone());
    let conversation = driver.session.conversation();
    assert_eq!(conversation.last_deleted(), Some((&message, 2)));
    assert_eq!(conversation.call(&keys[0]).map(|_| ()), None);
    let output = restore(&mut driver);
    assert_eq!(output.refused, None);
    assert!(output.effects.is_empty(), "{output:?}");
    assert!(output.changes.contains(&Change::MessageAdded(message)));
    assert_eq!(driver.session.export(), before);
    assert_eq!([driver.key("c"), driver.key("d")], keys);
    assert_eq!(driver.phase("d"), Phase::OutputDenied);
    assert_eq!((driver.starts("c"), driver.starts("d")), (1, 0));
    assert_exports_itself(&driver);
    // An agent that lists both again, the denied one with other arguments, runs neither.
    driver.send("again");
    driver.event(started());
    let calls = [("c", "f", "{}"), ("d", "g", r#"{"x":2}"#)];
    driver.event(snapshot(vec![hi(), listed("m", &calls)]));
    finish_run(&mut driver);
    assert_eq!((driver.starts("c"), driver.starts("d")), (1, 0));
    assert_eq!(driver.phase("d"), Phase::OutputDenied);
}

#[test]
fn a_call_cancelled_by_a_deletion_stays_cancelled() {
    let mut driver = with([asking("f")]);
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    let message = home(&driver, "c");
    delete(&mut driver, message);
    assert!(restore(&mut driver).effects.is_empty());
    assert_eq!(driver.phase("c"), Phase::Cancelled);
    assert_eq!(driver.session.pending_approvals(), []);
    assert!(!driver.session.is_busy());
    driver.send("again");
    assert_eq!(driver.starts("c"), 0);
}

#[test]
fn an_interrupt_of_a_deleted_branch_is_not_restored() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{}"));
    driver.event(interrupted(vec![approval_interrupt("int", "c")]));
    driver.close();
    let message = home(&driver, "c");
    delete(&mut driver, message);
    restore(&mut driver);
    assert_eq!(driver.phase("c"), Phase::OutputDenied);
    assert_eq!(driver.session.interrupts().len(), 0);
    assert!(!driver.session.is_busy());
}

#[test]
fn a_branch_can_be_restored_once_until_the_next_run() {
    let nothing = Some(Refusal::Tree(TreeError::NothingDeleted));
    let mut driver = commented_results();
    assert_eq!(restore(&mut driver).refused, nothing);
    let message = home(&driver, "c");
    delete(&mut driver, message.clone());
    assert_eq!(restore(&mut driver).refused, None);
    assert_eq!(restore(&mut driver).refused, nothing);
    delete(&mut driver, message);
    driver.send("again");
    assert_eq!(driver.session.conversation().last_deleted(), None);
    assert_eq!(restore(&mut driver).refused, nothing);
}
