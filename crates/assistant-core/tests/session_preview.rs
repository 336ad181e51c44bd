//! Rule "preview": the user approves the changes that an action reports.

use assistant_core::{
    action::{ActionSpec, Policy, Remember, RememberScope},
    conversation::{Decider, Fingerprint, Phase},
    session::{Input, Refusal, Verdict},
};
use serde_json::{Value, json};

use crate::support::*;

fn previewing(name: &str) -> ActionSpec {
    asking(name).with_preview(true)
}

/// A call `c` of an action with a pending preview.
fn asked() -> Driver {
    let mut driver = Driver::new();
    driver.register(previewing("f"));
    driver.send("hi");
    driver.plays(calls("c", "f", r#"{"n":1}"#));
    driver
}

/// Answers the newest preview request.
fn says(driver: &mut Driver, value: Result<Value, &str>) -> Option<Refusal> {
    let ticket = driver.previews.last().unwrap().ticket();
    let outcome = value.map_err(str::to_owned);
    driver.input(Input::Previewed { ticket, outcome }).refused
}

fn shown(driver: &Driver) -> Fingerprint {
    driver.shown(driver.key("c"))
}

fn approve_as(driver: &mut Driver, shown: Fingerprint) -> Option<Refusal> {
    let (call, verdict) = (driver.key("c"), Verdict::Approve { args: None });
    driver
        .input(Input::Decide {
            call,
            shown,
            verdict,
            by: Decider::Person,
        })
        .refused
}

#[test]
fn a_preview_is_requested_for_the_card_and_again_on_approval() {
    let mut driver = asked();
    assert_eq!(driver.previews.len(), 1);
    assert_eq!(driver.previews[0].clone().into_args(), json!({"n": 1}));
    assert_eq!(says(&mut driver, Ok(json!("2 files"))), None);
    assert_eq!(driver.call("c").preview(), Some(&Ok(json!("2 files"))));
    let fingerprint = shown(&driver);
    assert_eq!(approve_as(&mut driver, fingerprint), None);
    assert_eq!(
        (driver.previews.len(), driver.starts("c")),
        (2, 0),
        "it is previewed again first"
    );
    assert!(driver.session.is_checking_preview(&driver.key("c")));
    let again = shown(&driver);
    assert_eq!(
        approve_as(&mut driver, again),
        Some(Refusal::AlreadyResolved)
    );
    says(&mut driver, Ok(json!("2 files")));
    assert_eq!((driver.starts("c"), driver.phase("c")), (1, Phase::Running));
    assert!(!driver.call("c").has_changed());
}

#[test]
fn a_changed_preview_voids_the_approval_and_is_shown_again() {
    let mut driver = asked();
    says(&mut driver, Ok(json!("2 files")));
    let fingerprint = shown(&driver);
    approve_as(&mut driver, fingerprint.clone());
    says(&mut driver, Ok(json!("3 files")));
    assert_eq!(
        (driver.starts("c"), driver.phase("c")),
        (0, Phase::ApprovalRequested)
    );
    assert!(driver.call("c").has_changed());
    assert_eq!(driver.call("c").preview(), Some(&Ok(json!("3 files"))));
    // The version that was seen has changed.
    assert_eq!(approve_as(&mut driver, fingerprint), Some(Refusal::Changed));
    let fingerprint = shown(&driver);
    assert_eq!(approve_as(&mut driver, fingerprint), None);
    says(&mut driver, Ok(json!("3 files")));
    assert_eq!(driver.starts("c"), 1);
}

#[test]
fn an_approval_before_the_preview_does_not_start_the_call() {
    let mut driver = asked();
    let (early, fingerprint) = (driver.previews[0].ticket(), shown(&driver));
    assert_eq!(approve_as(&mut driver, fingerprint), None);
    // The first answer is outdated.
    let outcome = Ok(json!("1 file"));
    driver.input(Input::Previewed {
        ticket: early,
        outcome,
    });
    assert_eq!(driver.call("c").preview(), None);
    says(&mut driver, Ok(json!("1 file")));
    assert_eq!(driver.starts("c"), 0, "the user had not seen it");
    assert_eq!(driver.call("c").preview(), Some(&Ok(json!("1 file"))));
    driver.approve("c");
    says(&mut driver, Ok(json!("1 file")));
    assert_eq!(driver.starts("c"), 1);
}

#[test]
fn a_failed_preview_is_shown_and_can_be_approved() {
    let mut driver = asked();
    says(&mut driver, Err("offline"));
    assert_eq!(driver.call("c").preview(), Some(&Err("offline".to_owned())));
    driver.approve("c");
    says(&mut driver, Ok(json!("all of it")));
    assert_eq!(driver.starts("c"), 0);
    driver.approve("c");
    says(&mut driver, Err("offline"));
    assert_eq!(driver.starts("c"), 0);
    driver.approve("c");
    says(&mut driver, Err("offline"));
    assert_eq!(driver.starts("c"), 1);
}

#[test]
fn denying_and_stopping_do_not_wait_for_a_preview() {
    let mut driver = asked();
    assert_eq!(driver.deny("c", None), None);
    assert_eq!(driver.phase("c"), Phase::OutputDenied);
    let mut driver = asked();
    says(&mut driver, Ok(json!(1)));
    driver.approve("c");
    assert_eq!(
        driver.deny("c", None),
        None,
        "the user changed the decision"
    );
    says(&mut driver, Ok(json!(1)));
    assert_eq!(
        (driver.starts("c"), driver.phase("c")),
        (0, Phase::OutputDenied)
    );
    let mut driver = asked();
    driver.approve("c");
    assert_eq!(driver.input(Input::Stop).refused, None);
    says(&mut driver, Ok(json!(1)));
    assert_eq!(
        (driver.starts("c"), driver.phase("c")),
        (0, Phase::Cancelled)
    );
}

#[test]
fn edited_arguments_are_previewed_before_they_are_approved() {
    let mut driver = asked();
    says(&mut driver, Ok(json!("1 file")));
    let args = Some(json!({"n": 2}));
    assert_eq!(driver.decide("c", Verdict::Approve { args }), None);
    assert_eq!(
        driver.previews.last().unwrap().clone().into_args(),
        json!({"n": 2})
    );
    says(&mut driver, Ok(json!("2 files")));
    assert_eq!(
        (driver.starts("c"), driver.phase("c")),
        (0, Phase::ApprovalRequested)
    );
    driver.approve("c");
    says(&mut driver, Ok(json!("2 files")));
    assert_eq!(*driver.invocation("c").args(), json!({"n": 2}));
}

#[test]
fn the_preview_of_a_changed_action_starts_nothing() {
    let mut driver = Driver::new();
    driver.register(previewing("f"));
    driver.send("hi");
    driver.event(started());
    driver.events(calls("c", "f", r#"{"n":1}"#));
    says(&mut driver, Ok(json!("1 file")));
    driver.approve("c");
    let ticket = driver.previews.last().unwrap().ticket();
    driver.unregister(assistant_core::action::RegistrationId::new(1));
    let spec = previewing("f").with_parameters(json!({"type": "object", "title": "other"}));
    driver.register(spec);
    let outcome = Ok(json!("1 file"));
    driver.input(Input::Previewed { ticket, outcome });
    finish_run(&mut driver);
    assert_eq!(
        (driver.starts("c"), driver.phase("c")),
        (0, Phase::ApprovalRequested)
    );
}

#[test]
fn a_policy_question_has_a_preview_and_a_remembered_call_none() {
    let mut driver = Driver::new();
    let spec = previewing("f").with_approval(Policy::Ask);
    driver.register(spec);
    driver.send("hi");
    driver.plays(calls("c", "f", "{}"));
    let (ticket, _) = driver.host.tickets[0];
    driver.input(Input::PolicyAnswer { ticket, ask: true });
    assert_eq!(driver.previews.len(), 1);
    says(&mut driver, Ok(json!(1)));
    let what = Remember::new(RememberScope::Session, true);
    assert_eq!(
        driver.decide("c", Verdict::Remember { args: None, what }),
        None
    );
    assert_eq!(driver.session.remembered_approvals(), []);
    says(&mut driver, Ok(json!(1)));
    assert_eq!(driver.session.remembered_approvals().len(), 1);
    driver.returns("c", json!(1));
    driver.plays(calls("d", "f", "{}"));
    assert_eq!((driver.starts("d"), driver.previews.len()), (1, 2));
}

#[test]
fn a_preview_is_requested_again_after_a_reload() {
    let mut driver = asked();
    says(&mut driver, Ok(json!("1 file")));
    let snapshot = driver.session.snapshot();
    assert!(!snapshot.to_string().contains("1 file"));
    let mut other = Driver::new();
    other.register(previewing("f"));
    let (thread_id, journal) = ("thread".to_owned(), Vec::new());
    other.input(Input::Restore {
        thread_id,
        snapshot,
        journal,
    });
    assert_eq!(
        (other.phase("c"), other.previews.len()),
        (Phase::ApprovalRequested, 1)
    );
}
