//! A session that continues after a reload, from the stored snapshot and journal.

use assistant_core::{
    conversation::Phase,
    session::{Input, JournalEntry, NoticeAction, NoticeKind, Verdict},
};
use serde_json::{Value, json};

use crate::support::*;

/// Reloads the page: a new session with the same actions continues the stored one.
pub(crate) fn reload(
    before: &Driver,
    specs: impl IntoIterator<Item = assistant_core::action::ActionSpec>,
) -> Driver {
    reload_from(before, before.session.snapshot(), specs)
}

fn reload_from(
    before: &Driver,
    snapshot: Value,
    specs: impl IntoIterator<Item = assistant_core::action::ActionSpec>,
) -> Driver {
    let mut after = Driver::new();
    after.host.ids = before.host.ids + 1_000;
    for spec in specs {
        after.register(spec);
    }
    let entries = before.commits.iter().map(|(_, entry)| entry);
    let stored = entries.chain(&before.records).map(JournalEntry::to_value);
    let journal = stored
        .map(|entry| JournalEntry::from_value(&entry).unwrap())
        .collect();
    let output = after.input(Input::Restore {
        thread_id: "thread".to_owned(),
        snapshot,
        journal,
    });
    assert_eq!(output.refused, None);
    after
}

/// An action whose handler was started and has not ended.
fn running_call(spec: assistant_core::action::ActionSpec) -> Driver {
    let mut driver = with([spec]);
    driver.events(calls("c", "f", "{\"x\": 1}"));
    finish_run(&mut driver);
    assert_eq!(driver.phase("c"), Phase::Running);
    driver
}

fn idempotent(name: &str) -> assistant_core::action::ActionSpec {
    action(name).with_idempotent(true)
}

#[test]
fn a_call_with_an_unknown_outcome_needs_approval_after_a_reload() {
    let mut after = reload(&running_call(action("f")), [action("f")]);
    assert_eq!(after.phase("c"), Phase::ApprovalRequested);
    assert!(after.call("c").has_unknown_outcome());
    assert!(after.invocations.is_empty());
    assert_eq!(after.approve("c"), None);
    assert_eq!(after.starts("c"), 1);
    let JournalEntry::Started { attempt, .. } = &after.commits[0].1 else {
        panic!("not the start");
    };
    assert_eq!(*attempt, 1);
    assert!(!after.call("c").has_unknown_outcome());
    after.returns("c", json!("done"));
    assert_eq!(after.runs.len(), 1);
}

#[test]
fn denying_a_call_with_an_unknown_outcome_reports_it_as_unknown() {
    // With and without its action.
    for specs in [vec![action("f")], vec![]] {
        let mut after = reload(&running_call(action("f")), specs);
        assert_eq!(after.deny("c", None), None);
        assert_eq!(after.phase("c"), Phase::OutputDenied);
        let answer: Value = serde_json::from_str(&after.answer("c")).unwrap();
        assert_eq!(answer["status"], "unknown");
        assert!(after.invocations.is_empty());
        assert_eq!(after.runs.len(), 1);
    }
}

#[test]
fn an_idempotent_call_reruns_after_a_reload() {
    let after = reload(&running_call(idempotent("f")), [idempotent("f")]);
    assert_eq!(after.starts("c"), 1);
    assert_eq!(after.phase("c"), Phase::Running);
}

#[test]
fn a_start_that_only_the_journal_has_counts() {
    let mut before = with([action("f")]);
    before.manual_commits = true;
    before.events(calls("c", "f", "{}"));
    finish_run(&mut before);
    let snapshot = before.session.snapshot();
    let after = reload_from(&before, snapshot.clone(), [action("f")]);
    assert_eq!(after.phase("c"), Phase::ApprovalRequested);
    before.commits.clear();
    let after = reload_from(&before, snapshot, [action("f")]);
    assert_eq!(after.starts("c"), 1, "it was not started, so it starts now");
}

#[test]
fn a_result_that_only_the_journal_has_is_sent_without_a_rerun() {
    let mut before = running_call(action("f"));
    let snapshot = before.session.snapshot();
    before.returns("c", json!({"paid": 5}));
    let after = reload_from(&before, snapshot, [action("f")]);
    assert!(after.invocations.is_empty());
    assert_eq!(after.phase("c"), Phase::OutputAvailable);
    assert_eq!(after.answer("c"), r#"{"paid":5}"#);
    assert_eq!(after.notices(), [], "the user does not have to send it");
    assert_eq!(after.runs.len(), 1);
    assert!(request(&after).iter().any(|line| line.contains("paid")));
}

#[test]
fn results_wait_for_open_calls_after_a_reload() {
    let mut before = with([action("f"), asking("g")]);
    before.events(calls("c", "f", "{}"));
    before.events(calls("d", "g", "{}"));
    finish_run(&mut before);
    before.returns("c", json!({"paid": 5}));
    let mut after = reload(&before, [action("f"), asking("g")]);
    assert_eq!(
        (after.runs.len(), after.phase("d")),
        (0, Phase::ApprovalRequested)
    );
    after.deny("d", None);
    assert_eq!(after.runs.len(), 1);
    assert!(request(&after).iter().any(|line| line.contains("paid")));
}

#[test]
fn results_of_a_stopped_loop_are_offered_after_every_reload() {
    let mut before = with([action("f"), action("g")]);
    before.events(calls("c", "f", "{}"));
    before.events(calls("d", "g", "{}"));
    finish_run(&mut before);
    before.returns("c", json!({"paid": 5}));
    before.input(Input::Stop);
    let reloaded = reload(&before, [action("f"), action("g")]);
    assert_eq!(reloaded.notices(), [NoticeKind::ResultsReady]);
    assert!(reloaded.runs.is_empty());
    let mut twice = reload(&reloaded, [action("f"), action("g")]);
    assert_eq!(twice.notices(), [NoticeKind::ResultsReady]);
    assert!(twice.runs.is_empty());
    twice.input(Input::Continue);
    assert!(request(&twice).iter().any(|line| line.contains("paid")));
}

#[test]
fn a_pending_approval_can_be_given_after_a_reload() {
    let mut before = with([asking("f")]);
    before.events(calls("c", "f", "{}"));
    finish_run(&mut before);
    let mut after = reload(&before, [asking("f")]);
    assert_eq!(after.phase("c"), Phase::ApprovalRequested);
    assert!(!after.call("c").has_unknown_outcome());
    assert_eq!(after.approve("c"), None);
    assert_eq!(after.starts("c"), 1);
}

#[test]
fn a_denied_call_stays_denied_after_a_reload() {
    let mut before = with([asking("f"), asking("g")]);
    before.events(calls("c", "f", "{}"));
    before.events(calls("d", "g", "{}"));
    finish_run(&mut before);
    before.deny("c", Some("no"));
    let after = reload(&before, [asking("f"), asking("g")]);
    assert_eq!(after.phase("c"), Phase::OutputDenied);
    assert_eq!(after.phase("d"), Phase::ApprovalRequested);
}

#[test]
fn a_call_whose_action_registers_later_asks_then() {
    let mut after = reload(&running_call(action("f")), []);
    assert!(after.invocations.is_empty());
    after.register(action("f"));
    assert_eq!(after.phase("c"), Phase::ApprovalRequested);
    assert!(after.invocations.is_empty());
    after.approve("c");
    assert_eq!(after.starts("c"), 1);
}

#[test]
fn a_truncated_answer_is_kept_and_can_be_retried_after_a_reload() {
    let mut before = with([]);
    before.event(started());
    before.events([text_start("m"), text("m", "Half of")]);
    let mut after = reload(&before, []);
    assert_eq!(after.notices(), [NoticeKind::Truncated]);
    let notice = &after.session.notices()[0];
    assert_eq!(notice.action(), Some(NoticeAction::Retry));
    let conversation = after.session.conversation();
    let last = conversation.path().last().unwrap();
    assert_eq!(last.text(), "Half of");
    after.input(Input::Retry);
    assert_eq!(after.runs.len(), 1);
    assert!(!request(&after).iter().any(|line| line.contains("Half")));
}

#[test]
fn an_open_interrupt_is_asked_again_after_a_reload() {
    let mut before = with([]);
    before.event(started());
    let form = json!({"type": "object", "properties": {"berth": {"type": "string"}}});
    before.event(interrupted(vec![interrupt("q", None, form)]));
    before.close();
    let mut after = reload(&before, []);
    assert_eq!(after.session.interrupts().len(), 1);
    after.answers("q", Some(json!({"berth": "North"})));
    let resume = &after.request().resume;
    assert_eq!(resume[0].payload, Some(json!({"berth": "North"})));
}

#[test]
fn an_interrupted_call_is_asked_about_again_after_a_reload() {
    let mut before = with([action("f")]);
    before.event(started());
    before.events(calls("c", "f", "{}"));
    before.event(interrupted(vec![approval_interrupt("q", "c")]));
    before.close();
    let mut after = reload(&before, [action("f")]);
    assert_eq!(after.phase("c"), Phase::ApprovalRequested);
    assert!(after.invocations.is_empty());
    assert_eq!(after.decide("c", Verdict::Deny { reason: None }), None);
    assert_eq!(after.request().resume.len(), 1);
    assert!(after.invocations.is_empty());
}

#[test]
fn the_run_count_survives_a_reload() {
    let mut before = with([action("f")]);
    before.events(calls("c", "f", "{}"));
    finish_run(&mut before);
    before.returns("c", json!(1));
    assert_eq!(before.runs.len(), 2);
    let after = reload(&before, [action("f")]);
    assert_eq!(after.session.summary().runs().len(), 2);
}

#[test]
fn queued_messages_survive_a_reload() {
    let mut before = running_call(action("f"));
    before.send("and then?");
    let after = reload(&before, [action("f")]);
    assert_eq!(after.session.queued().len(), before.session.queued().len());
}

#[test]
fn journal_entries_of_unknown_calls_change_nothing() {
    let before = running_call(action("f"));
    let mut other = Driver::new();
    other.register(action("f"));
    let foreign = [
        json!({"kind": "started", "threadId": "thread", "call": 77, "attempt": 0, "toolName": "f", "argsText": "{}"}),
        json!({"kind": "started", "threadId": "another", "call": 1, "attempt": 0, "toolName": "f", "argsText": "{}"}),
        json!({"kind": "finished", "threadId": "thread", "call": 1, "toolName": "g", "state": "output-available", "output": 1}),
    ];
    let journal = foreign.map(|entry| JournalEntry::from_value(&entry).unwrap());
    let output = other.input(Input::Restore {
        thread_id: "thread".to_owned(),
        snapshot: before.session.snapshot(),
        journal: journal.to_vec(),
    });
    let codes: Vec<_> = output.diagnostics.iter().map(|note| note.code()).collect();
    assert_eq!(codes, ["journal-unknown-call"; 2]);
    assert!(other.invocations.is_empty());
}

/// A journal is append-only, so it still contains the calls of the conversation that an import
/// replaced.
#[test]
fn a_call_after_an_import_does_not_get_a_key_of_the_replaced_conversation() {
    let mut replaced = with([asking("pay")]);
    replaced.host.clock = 1_700_000_000_000;
    let older_export = replaced.session.export();
    replaced.events(calls("a", "pay", r#"{"amount":100}"#));
    finish_run(&mut replaced);
    replaced.approve("a");
    replaced.returns("a", json!("paid"));
    let message = json!({"id": "u", "role": "user", "content": "hi"});
    for snapshot in [older_export, json!([message])] {
        let mut imported = replaced.clone();
        imported.host.clock += 1;
        imported.input(Input::Load {
            thread_id: "thread".to_owned(),
            snapshot,
        });
        imported.send("again");
        imported.plays(calls("b", "pay", r#"{"amount":5}"#));
        let after = reload(&imported, [asking("pay")]);
        assert_eq!(after.phase("b"), Phase::ApprovalRequested);
        assert!(!after.call("b").has_unknown_outcome());
        assert_eq!(imported.approve("b"), None);
        let (_, entry) = imported.commits.last().unwrap();
        assert_ne!(entry.claim(), replaced.commits[0].1.claim());
    }
}

/// An earlier session has used the key for a call with other arguments.
#[test]
fn a_result_of_a_call_with_other_arguments_is_not_applied() {
    let mut other = with([asking("pay")]);
    other.events(calls("c", "pay", r#"{"amount":100}"#));
    finish_run(&mut other);
    other.approve("c");
    other.returns("c", json!("paid"));
    let mut before = with([asking("pay")]);
    before.events(calls("c", "pay", r#"{"amount":5}"#));
    finish_run(&mut before);
    let after = reload_from(&other, before.session.snapshot(), [asking("pay")]);
    assert_eq!(after.phase("c"), Phase::ApprovalRequested);
}

#[test]
fn invalid_journal_entries_are_rejected() {
    for entry in [
        json!(null),
        json!({"kind": "started", "threadId": "t", "call": 0, "toolName": "f", "argsText": ""}),
        json!({"kind": "ended", "threadId": "t", "call": 1}),
        json!({"kind": "finished", "threadId": "t", "call": 1, "toolName": "f", "state": "executing", "output": 1}),
        json!({"kind": "finished", "threadId": "t", "call": "1", "toolName": "f", "state": "output-available"}),
    ] {
        assert!(JournalEntry::from_value(&entry).is_err(), "{entry}");
    }
}
