//! Calls whose action has been removed before the user answers: the agent receives the error that
//! the tool is unavailable, not that they were denied.

use assistant_core::{
    action::RegistrationId,
    conversation::{ErrorKind, Phase},
    session::{Input, Refusal, SessionOptions},
};
use serde_json::json;

use crate::support::*;

const UNAVAILABLE: &str =
    r#"{"error":"Action f is not available any more","errorType":"tool_unavailable"}"#;

/// The user is asked about a call, and its action is removed.
fn removed_action(options: SessionOptions) -> Driver {
    let mut driver = Driver::with(options);
    let id = driver.register(asking("f"));
    driver.send("hi");
    driver.plays(calls("c", "f", "{}"));
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    driver.unregister(id);
    driver
}

fn assert_unavailable(driver: &Driver) {
    assert_eq!(driver.answer("c"), UNAVAILABLE);
    let call = driver.call("c");
    assert_eq!(call.phase(), Phase::OutputError);
    let kind = call.error().map(|error| error.kind());
    assert_eq!(kind, Some(ErrorKind::ToolUnavailable));
    let decision = call.approval().and_then(|a| a.decision());
    assert_eq!(decision, None, "it was not denied");
}

#[test]
fn denying_a_call_of_a_removed_action_reports_it_unavailable() {
    let mut driver = removed_action(SessionOptions::default());
    assert_eq!(driver.deny("c", None), None);
    assert_unavailable(&driver);
    let expected = format!("tool:c={UNAVAILABLE}");
    assert_eq!(request(&driver).last(), Some(&expected));
    assert_eq!(driver.deny("c", None), Some(Refusal::AlreadyResolved));
}

#[test]
fn denying_a_stored_call_without_its_action_reports_it_unavailable() {
    let snapshot = removed_action(SessionOptions::default()).session.export();
    let mut driver = Driver::new();
    let thread_id = "thread".to_owned();
    driver.input(Input::Load {
        thread_id,
        snapshot,
    });
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    assert_eq!(driver.deny("c", None), None);
    assert_unavailable(&driver);
}

#[test]
fn auto_deny_reports_a_call_of_a_removed_action_as_unavailable() {
    let mut driver = removed_action(SessionOptions::default().auto_deny(true));
    assert_eq!(driver.send("more").refused, None);
    assert_unavailable(&driver);
}

#[test]
fn an_explicit_or_earlier_denial_stays_a_denial() {
    let mut driver = removed_action(SessionOptions::default());
    assert_eq!(driver.deny("c", Some("no")), None);
    assert_eq!(driver.answer("c"), r#"{"status":"denied","reason":"no"}"#);
    assert_eq!(driver.phase("c"), Phase::OutputDenied);

    let mut driver = Driver::new();
    let id = driver.register(asking("f"));
    driver.send("hi");
    driver.plays([calls("c", "f", "{}"), calls("d", "f", "{}")].concat());
    assert_eq!(driver.deny("c", None), None);
    driver.unregister(id);
    assert_eq!(driver.deny("d", None), None);
    assert_eq!(driver.answer("c"), "\"denied\"");
    assert_eq!(driver.answer("d"), UNAVAILABLE);
}

#[test]
fn a_call_can_be_approved_after_its_action_registers_again() {
    let mut driver = removed_action(SessionOptions::default());
    driver.register_as(RegistrationId::new(7), asking("f"));
    assert_eq!(driver.approve("c"), None);
    driver.returns("c", json!(1));
    assert_eq!(driver.answer("c"), "1");
}
