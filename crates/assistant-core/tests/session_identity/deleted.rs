//! Calls that the user deleted and that an agent lists again.

use assistant_core::{
    conversation::{Change, Phase},
    session::{Input, TreeChange},
};
use serde_json::json;

use super::{hi, listed};
use crate::support::*;

#[test]
fn a_deleted_call_does_not_run_again() {
    let mut driver = with([action("f")]);
    driver.events([text_start("m")]);
    driver.event(start_in("c", "f", Some("m")));
    driver.events([args("c", "{}"), end("c")]);
    finish_run(&mut driver);
    driver.returns("c", json!(1));
    assert_eq!(driver.starts("c"), 1);
    finish_run(&mut driver);
    let conversation = driver.session.conversation();
    let message = conversation
        .message_of_call(&driver.key("c"))
        .unwrap()
        .id()
        .clone();
    driver.input(Input::Tree {
        change: TreeChange::Delete { message },
    });
    driver.send("again");
    driver.event(started());
    driver.event(snapshot(vec![
        hi(),
        listed("m", &[("c", "f", r#"{"x":2}"#)]),
    ]));
    finish_run(&mut driver);
    assert_eq!(driver.starts("c"), 1);
}

#[test]
fn a_deleted_call_that_ended_is_redrawn_as_ended_when_it_returns() {
    let mut driver = with([asking("f")]);
    driver.send("go");
    driver.event(started());
    driver.events(calls("c", "f", "{}"));
    let key = driver.key("c");
    let conversation = driver.session.conversation();
    let message = conversation.message_of_call(&key).unwrap().id().clone();
    driver.input(Input::Tree {
        change: TreeChange::Delete { message },
    });
    driver.input(Input::Stop);
    driver.send("again");
    driver.event(started());
    let output = driver.event(start("c", "f"));
    assert_eq!(driver.phase("c"), Phase::Cancelled);
    assert!(output.changes.contains(&Change::Call(key)), "{output:?}");
}
