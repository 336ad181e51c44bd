//! Rule "editions of an action": a call is checked against the current action, and a call stored
//! under another version is asked about.

use assistant_core::{
    action::{ActionSpec, RegistrationId},
    conversation::{Decider, ErrorKind, Phase},
    session::{Input, JournalEntry},
};
use serde_json::{Value, json};

use crate::support::*;

fn edition(version: &str, required: &[&str]) -> ActionSpec {
    action("f")
        .with_version(version.to_owned())
        .with_parameters(json!({"type": "object", "required": required}))
}

/// Another page that continues the stored session.
fn reload(before: &Driver, snapshot: Value, spec: ActionSpec) -> Driver {
    let mut after = Driver::new();
    after.audit = Some(Vec::new());
    after.host.ids = before.host.ids + 1_000;
    after.register(spec);
    let entries = before.commits.iter().map(|(_, entry)| entry.to_value());
    let journal = entries.map(|entry| JournalEntry::from_value(&entry).unwrap());
    let step = after.input(Input::Restore {
        thread_id: "thread".to_owned(),
        snapshot,
        journal: journal.collect(),
    });
    assert_eq!(step.refused, None);
    after
}

/// A page with a call whose action has not started.
fn stored(spec: ActionSpec) -> (Driver, Value) {
    let mut driver = with([spec]);
    driver.manual_commits = true;
    driver.events(calls("c", "f", "{\"x\":1}"));
    finish_run(&mut driver);
    assert_eq!(driver.commits.len(), 1);
    driver.commits.clear();
    let snapshot = driver.session.snapshot();
    (driver, snapshot)
}

#[test]
fn arguments_for_an_outdated_schema_report_the_new_schema() {
    let mut driver = with([edition("1", &["x"])]);
    driver.events([start("c", "f"), args("c", "{\"x\":1}")]);
    driver.register_as(RegistrationId::new(1), edition("2", &["x", "y"]));
    driver.event(end("c"));
    finish_run(&mut driver);
    assert_eq!(driver.starts("c"), 0);
    let error = driver.call("c").error().cloned().unwrap();
    assert_eq!(error.kind(), ErrorKind::SchemaChanged);
    let answer: Value = serde_json::from_str(&driver.answer("c")).unwrap();
    assert_eq!(answer["errorType"], json!("schema_changed"));
    assert_eq!(
        answer["schema"],
        json!({"type": "object", "required": ["x", "y"]})
    );
    assert!(answer["error"].as_str().unwrap().contains("/y"), "{answer}");
}

#[test]
fn a_call_that_fits_the_changed_schema_runs() {
    let mut driver = with([edition("1", &["x", "y"])]);
    driver.events([start("c", "f"), args("c", "{\"x\":1}")]);
    let now = edition("2", &["x"]);
    driver.register_as(RegistrationId::new(1), now.clone());
    driver.event(end("c"));
    finish_run(&mut driver);
    assert_eq!(driver.starts("c"), 1);
    let JournalEntry::Started { action, .. } = &driver.commits[0].1 else {
        panic!("not a start");
    };
    assert_eq!(*action, Some(now.fingerprint()));
    assert_eq!(driver.call("c").action(), Some(&now.fingerprint()));
}

#[test]
fn invalid_arguments_for_the_known_schema_report_no_schema() {
    let mut driver = with([edition("1", &["y"])]);
    driver.events(calls("c", "f", "{\"x\":1}"));
    finish_run(&mut driver);
    let error = driver.call("c").error().cloned().unwrap();
    assert_eq!(error.kind(), ErrorKind::InvalidArguments);
    assert!(!driver.answer("c").contains("schema\":"));
}

#[test]
fn a_stored_call_continues_with_an_unchanged_action() {
    let (before, snapshot) = stored(edition("1", &["x"]));
    let after = reload(&before, snapshot, edition("1", &["x"]));
    assert_eq!(after.starts("c"), 1);
}

#[test]
fn a_stored_call_whose_action_changed_is_asked_about() {
    for now in [edition("2", &["x"]), edition("1", &[])] {
        let (before, snapshot) = stored(edition("1", &["x"]));
        let mut after = reload(&before, snapshot, now.clone());
        assert_eq!(after.starts("c"), 0);
        assert_eq!(after.phase("c"), Phase::ApprovalRequested);
        assert!(after.call("c").has_changed(), "the card reports it");
        assert_eq!(after.approve("c"), None);
        assert_eq!(after.starts("c"), 1);
        assert_eq!(after.call("c").action(), Some(&now.fingerprint()));
    }
}

#[test]
fn a_stored_call_that_violates_the_changed_schema_fails() {
    let (before, snapshot) = stored(edition("1", &["x"]));
    let after = reload(&before, snapshot, edition("1", &["y"]));
    assert_eq!(after.starts("c"), 0);
    let error = after.call("c").error().cloned().unwrap();
    assert_eq!(error.kind(), ErrorKind::SchemaChanged);
}

#[test]
fn a_changed_idempotent_action_does_not_rerun_automatically() {
    let of = |version| edition(version, &[]).with_idempotent(true);
    for (now, starts) in [("1", 1), ("2", 0)] {
        let mut before = with([of("1")]);
        before.events(calls("c", "f", "{}"));
        let snapshot_before = before.session.snapshot();
        finish_run(&mut before);
        assert_eq!(before.starts("c"), 1);
        assert_ne!(before.session.snapshot(), snapshot_before);
        let after = reload(&before, before.session.snapshot(), of(now));
        assert_eq!(after.starts("c"), starts, "version {now}");
    }
}

#[test]
fn audit_entries_contain_the_fingerprint_and_the_version() {
    let mut driver = with([edition("7", &[])]);
    driver.audit = Some(Vec::new());
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    driver.returns("c", json!(1));
    let entries = driver.audit.take().unwrap();
    assert_eq!(entries.len(), 3, "{entries:?}");
    for entry in entries {
        let record = entry.to_value();
        assert_eq!(record["version"], json!("7"));
        assert_eq!(
            record["action"],
            json!(edition("7", &[]).fingerprint().as_str())
        );
    }
}

#[test]
fn a_new_version_voids_a_decision_on_the_old_card() {
    let ask = |version| edition(version, &[]).with_approval(assistant_core::action::Policy::Always);
    let mut driver = with([ask("1")]);
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    let shown = driver.shown(driver.key("c"));
    driver.register_as(RegistrationId::new(1), ask("2"));
    assert_ne!(
        driver.session.fingerprint(&driver.key("c")),
        Some(shown.clone())
    );
    let call = driver.key("c");
    let verdict = assistant_core::session::Verdict::Approve { args: None };
    let refused = driver.input(Input::Decide {
        call,
        shown,
        verdict,
        by: Decider::Person,
    });
    assert!(refused.refused.is_some());
    assert_eq!(driver.starts("c"), 0);
}
