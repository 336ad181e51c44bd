//! Session features for stores and tabs: snapshots in parts, read-only followers, and notices of
//! the host.

use std::collections::HashMap;

use assistant_core::{
    action::ToolOutcome,
    conversation::{Change, Decider, Phase},
    event::Content,
    session::{
        Effect, FailureKind, Input, JournalEntry, NoticeKind, Refusal, StreamEnd, Verdict,
        assemble_snapshot,
    },
};
use serde_json::{Value, json};

use crate::support::*;

fn send(text: &str) -> Input {
    let content = Content::Text(text.to_owned());
    Input::Send { content }
}

/// A store that writes only the messages named by changes.
#[derive(Default)]
struct Mirror {
    outline: Value,
    messages: HashMap<String, Value>,
}

impl Mirror {
    fn follow(&mut self, driver: &Driver, changes: &[Change]) {
        for change in changes {
            let id = match change {
                Change::MessageAdded(id)
                | Change::MessageMoved(id)
                | Change::MessageRemoved(id)
                | Change::Message(id)
                | Change::PartAdded { message: id, .. }
                | Change::PartGrew { message: id, .. } => id.clone(),
                Change::Call(key) => match driver.session.conversation().message_of_call(key) {
                    Some(message) => message.id().clone(),
                    None => continue,
                },
                _ => continue,
            };
            match driver.session.snapshot_message(&id) {
                Some(message) => self.messages.insert(id.to_string(), message),
                None => self.messages.remove(id.as_str()),
            };
        }
        self.outline = driver.session.snapshot_outline();
    }

    fn assemble(&self) -> Value {
        let message = |id: &str| self.messages.get(id).cloned();
        assemble_snapshot(self.outline.clone(), message).unwrap()
    }
}

#[test]
fn a_snapshot_can_be_assembled_from_the_reported_changes() {
    let mut driver = Driver::new();
    driver.register(action("f"));
    let mut mirror = Mirror::default();
    let mut play = |driver: &mut Driver, input: Input| {
        let output = driver.input(input);
        mirror.follow(driver, &output.changes);
        assert_eq!(mirror.assemble(), driver.session.snapshot());
    };
    play(&mut driver, send("hello"));
    let run = driver.run();
    let mut events = vec![started()];
    events.extend(says("m", "Some words."));
    events.extend(calls("c", "f", "{\"x\": 1}"));
    events.push(finished());
    for event in events {
        let event = Box::new(event.into());
        play(&mut driver, Input::Event { run, event });
    }
    let end = StreamEnd::Closed;
    play(&mut driver, Input::RunClosed { run, end });
    assert_eq!(driver.phase("c"), Phase::Running);
    let invocation = driver.invocations[0].id();
    let outcome = Ok(ToolOutcome::Continue(json!("done")));
    play(
        &mut driver,
        Input::Finished {
            invocation,
            outcome,
        },
    );
    play(&mut driver, Input::Stop);
    assert!(assemble_snapshot(json!({}), |_| None).is_err());
    let unknown = json!({"messages": [{"id": "nobody"}]});
    assert!(assemble_snapshot(unknown, |_| None).is_err());
}

/// A conversation with a call that runs elsewhere, as another tab sees it.
fn follower() -> (Driver, Driver) {
    let mut owner = with([asking("f")]);
    owner.events(calls("c", "f", "{\"x\": 1}"));
    finish_run(&mut owner);
    assert_eq!(owner.phase("c"), Phase::ApprovalRequested);
    let mut follower = Driver::new();
    follower.host.ids = owner.host.ids + 1_000;
    follower.register(asking("f"));
    let output = follower.input(Input::Follow {
        thread_id: "thread".to_owned(),
        snapshot: owner.session.snapshot(),
    });
    assert_eq!(output.refused, None);
    (owner, follower)
}

/// Rule "one owner": a follower starts, sends and decides nothing.
#[test]
fn a_follower_refuses_every_action() {
    let (owner, mut follower) = follower();
    assert!(follower.session.is_following());
    let call = owner.call("c").key();
    let shown = owner.shown(call);
    let verdict = Verdict::Approve { args: None };
    for input in [
        send("me, too"),
        Input::Retry,
        Input::Continue,
        Input::Decide {
            call,
            shown,
            verdict,
            by: Decider::Person,
        },
        Input::Execute {
            request: 1,
            name: "f".to_owned(),
            args: json!({"x": 1}),
            within: None,
        },
    ] {
        let output = follower.input(input);
        assert_eq!(output.refused, Some(Refusal::Elsewhere));
        assert!(output.effects.is_empty());
    }
    follower.register(action("f"));
    assert!(follower.commits.is_empty() && follower.runs.is_empty());
}

#[test]
fn a_follower_ends_no_call_that_another_tab_runs() {
    let mut owner = Driver::new();
    owner.register(action("f"));
    owner.input(send("hello"));
    owner.plays(calls("c", "f", "{}"));
    assert_eq!(owner.phase("c"), Phase::Running);
    let mut follower = Driver::new();
    follower.register(action("f"));
    follower.audit = Some(Vec::new());
    for _ in 0..2 {
        let output = follower.input(Input::Follow {
            thread_id: "thread".to_owned(),
            snapshot: owner.session.snapshot(),
        });
        assert_eq!(output.refused, None);
        assert!(
            follower.records.is_empty(),
            "showing it again records no end: {:?}",
            follower.records
        );
    }
    assert_eq!(
        follower.input(Input::Stop).refused,
        Some(Refusal::Elsewhere)
    );
    follower.input(Input::Restore {
        thread_id: "thread".to_owned(),
        snapshot: owner.session.snapshot(),
        journal: owner
            .commits
            .iter()
            .map(|(_, entry)| entry.clone())
            .collect(),
    });
    assert!(follower.records.is_empty(), "{:?}", follower.records);
    assert_eq!(
        follower
            .audit
            .unwrap()
            .last()
            .map(|one| one.call_id().to_owned()),
        Some("c".to_owned())
    );
}

#[test]
fn a_follower_continues_after_it_takes_the_conversation_over() {
    let (owner, mut follower) = follower();
    let output = follower.input(Input::Restore {
        thread_id: "thread".to_owned(),
        snapshot: owner.session.snapshot(),
        journal: Vec::<JournalEntry>::new(),
    });
    let ends = |effect: &Effect| matches!(effect, Effect::Record { .. } | Effect::Archive { .. });
    assert!(
        !output.effects.iter().any(ends),
        "a followed conversation is not ended: {:?}",
        output.effects
    );
    assert!(!follower.session.is_following());
    assert_eq!(follower.phase("c"), Phase::ApprovalRequested);
    assert_eq!(follower.approve("c"), None);
    assert_eq!(follower.starts("c"), 1);
}

#[test]
fn a_notice_of_the_host_stays_until_the_host_removes_it() {
    let mut driver = Driver::new();
    let kind = NoticeKind::NotStored;
    let says = |driver: &Driver| -> Vec<String> {
        let notices = driver.session.notices().iter();
        notices.map(|notice| notice.message().to_owned()).collect()
    };
    for message in ["full", "still full"] {
        let message = Some(message.to_owned());
        driver.input(Input::SetNotice { kind, message });
    }
    driver.input(send("hello"));
    assert_eq!(
        says(&driver),
        ["still full"],
        "shown once, and a message does not hide it"
    );
    driver.input(Input::SetNotice {
        kind,
        message: None,
    });
    assert!(says(&driver).is_empty());
}

/// Rule "after a reload": a failed run can still be retried.
#[test]
fn a_failed_run_can_be_retried_after_a_reload() {
    let mut driver = Driver::new();
    driver.input(send("hello"));
    driver.break_off(FailureKind::Network);
    let mut after = Driver::new();
    after.input(Input::Restore {
        thread_id: "thread".to_owned(),
        snapshot: driver.session.snapshot(),
        journal: Vec::new(),
    });
    assert_eq!(after.session.notices().len(), 1);
    assert_eq!(after.input(Input::Retry).refused, None);
    assert_eq!(after.runs.len(), 1);
}
