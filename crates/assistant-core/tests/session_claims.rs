//! Claims in the journal: each is used once, and a call that did not start under one starts under
//! the next.

use std::collections::HashSet;

use assistant_core::{
    action::{Remember, RememberScope},
    conversation::Phase,
    event::{Content, EventKind, FunctionCall, Message, MessageBody},
    session::{Input, JournalEntry, Verdict},
};
use serde_json::json;

use crate::support::*;

/// A journal that accepts each claim once, as stores do.
#[derive(Clone, Default)]
struct Journal {
    claims: HashSet<String>,
    entries: Vec<JournalEntry>,
    answered: usize,
}

impl Journal {
    /// Answers all open commits in order.
    fn answers(&mut self, driver: &mut Driver) {
        while let Some((commit, entry)) = driver.commits.get(self.answered).cloned() {
            self.answered += 1;
            let outcome = match self.claims.insert(entry.claim()) {
                true => Ok(()),
                false => Err("another tab was first".to_owned()),
            };
            self.entries.extend(outcome.is_ok().then_some(entry));
            driver.input(Input::Committed { commit, outcome });
        }
    }
}

/// The user's message, as repeated by a server.
fn hi() -> Message {
    let content = Content::Text("hi".to_owned());
    Message::new("id1", MessageBody::User { content })
}

/// The message `m`, as listed by a server with other arguments.
fn listed(args: &str) -> Message {
    let body = MessageBody::Assistant {
        content: None,
        tool_calls: vec![FunctionCall::new("c", "f", args)],
    };
    Message::new("m", body)
}

/// An approved call whose start is being written; no commit is answered.
fn approved() -> Driver {
    let mut driver = with([asking("f")]);
    driver.manual_commits = true;
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    assert_eq!(driver.approve("c"), None);
    driver
}

/// Changes the rules of the action.
fn remount(driver: &mut Driver, title: &str) {
    let other = asking("f").with_parameters(json!({"type": "object", "title": title}));
    driver.register(other);
}

#[test]
fn a_call_whose_rules_changed_starts_after_a_new_approval() {
    let (mut driver, mut journal) = (approved(), Journal::default());
    for title in ["one", "two"] {
        remount(&mut driver, title);
        journal.answers(&mut driver);
        let asked = (driver.starts("c"), driver.phase("c"));
        assert_eq!(asked, (0, Phase::ApprovalRequested), "{title}");
        assert_eq!(driver.approve("c"), None);
    }
    journal.answers(&mut driver);
    assert_eq!(driver.starts("c"), 1, "{}", driver.answer("c"));
    assert_eq!(journal.entries.len(), 3);
}

#[test]
fn a_call_that_changed_before_its_start_runs_with_the_new_arguments() {
    let cases: [(&str, Vec<EventKind>); 3] = [
        (
            "listed again",
            vec![snapshot(vec![hi(), listed("{\"x\":1}")])],
        ),
        (
            "announced again",
            vec![start("c", "f"), args("c", "{\"x\":1}"), end("c")],
        ),
        (
            "left out, and back",
            vec![
                snapshot(vec![hi()]),
                snapshot(vec![hi(), listed("{\"x\":1}")]),
            ],
        ),
    ];
    for (what, events) in cases {
        let mut journal = Journal::default();
        let eager = action("f").with_eager(true);
        let mut driver = with([eager]);
        driver.manual_commits = true;
        // Missing arguments are an empty object.
        driver.events(calls("c", "f", ""));
        assert_eq!(driver.commits.len(), 1, "{what}");
        driver.events(events);
        finish_run(&mut driver);
        journal.answers(&mut driver);
        let started: Vec<_> = driver.invocations.iter().map(|one| one.args()).collect();
        let last = json!({"x": 1});
        assert_eq!(started, [&last], "{what}: {}", driver.answer("c"));
    }
}

#[test]
fn a_call_interrupted_before_its_start_starts_after_the_answer() {
    let mut journal = Journal::default();
    let eager = action("f").with_eager(true);
    let mut driver = with([eager]);
    driver.manual_commits = true;
    driver.events(calls("c", "f", "{}"));
    driver.event(interrupted(vec![approval_interrupt("int", "c")]));
    driver.close();
    journal.answers(&mut driver);
    assert_eq!(driver.starts("c"), 0);
    assert_eq!(driver.approve("c"), None);
    driver.plays([]);
    journal.answers(&mut driver);
    assert_eq!(driver.starts("c"), 1, "{}", driver.answer("c"));
}

#[test]
fn a_call_whose_approval_was_revoked_starts_after_a_new_one() {
    let mut journal = Journal::default();
    let mut driver = approved();
    journal.answers(&mut driver);
    driver.returns("c", json!(1));
    let what = Remember::new(RememberScope::Session, false);
    driver.plays(calls("d", "f", "{}"));
    let args = None;
    assert_eq!(driver.decide("d", Verdict::Remember { args, what }), None);
    journal.answers(&mut driver);
    driver.returns("d", json!(1));
    driver.plays(calls("e", "f", "{}"));
    assert_eq!(driver.commits.len(), 3, "it is allowed");
    let id = driver.session.remembered_approvals()[0].id().to_owned();
    driver.input(Input::ForgetApproval { id });
    journal.answers(&mut driver);
    let asked = (driver.starts("e"), driver.phase("e"));
    assert_eq!(asked, (0, Phase::ApprovalRequested));
    assert_eq!(driver.approve("e"), None);
    journal.answers(&mut driver);
    assert_eq!(driver.starts("e"), 1, "{}", driver.answer("e"));
}

#[test]
fn claim_numbers_continue_after_a_reload() {
    let (mut driver, mut journal) = (approved(), Journal::default());
    remount(&mut driver, "other");
    journal.answers(&mut driver);
    let snapshot = driver.session.snapshot();
    for knows in [true, false] {
        let mut next = Driver::new();
        next.manual_commits = true;
        let mut other = asking("f");
        other = other.with_parameters(json!({"type": "object", "title": "other"}));
        next.register(other);
        let (thread_id, snapshot) = ("thread".to_owned(), snapshot.clone());
        let entries = match knows {
            true => journal.entries.clone(),
            // A claim remains for a call that the store could not restore.
            false => Vec::new(),
        };
        next.input(Input::Restore {
            thread_id,
            snapshot,
            journal: entries,
        });
        assert_eq!(next.approve("c"), None);
        let mut claims = journal.clone();
        claims.answered = 0;
        claims.answers(&mut next);
        assert_eq!(next.starts("c"), 1, "{}", next.answer("c"));
    }
}

#[test]
fn a_takeover_after_an_abandoned_start_starts_the_call_once() {
    let (mut left, mut journal) = (approved(), Journal::default());
    remount(&mut left, "other");
    journal.answers(&mut left);
    let snapshot = left.session.snapshot();
    assert_eq!(left.approve("c"), None);
    let mut next = Driver::new();
    next.manual_commits = true;
    let mut other = asking("f");
    other = other.with_parameters(json!({"type": "object", "title": "other"}));
    next.register(other);
    next.input(Input::Restore {
        thread_id: "thread".to_owned(),
        snapshot,
        journal: journal.entries.clone(),
    });
    assert_eq!(next.approve("c"), None);
    let mut of_next = journal.clone();
    of_next.answered = 0;
    of_next.answers(&mut next);
    journal.claims = of_next.claims;
    journal.answers(&mut left);
    assert_eq!((next.starts("c"), left.starts("c")), (1, 0));
}
