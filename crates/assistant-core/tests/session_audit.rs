//! Rule "audit": every attempt is recorded, with any author and any outcome.

use assistant_core::{
    action::{Policy, Remember, RememberScope, ToolError},
    conversation::{AllowedBy, CallEventKind, ErrorKind},
    event::{Content, Message, MessageBody},
    session::{AuditEntry, FailureKind, Input, TreeChange, Verdict},
};
use serde_json::{Value, json};

use crate::support::*;

/// A driver that collects the records of all inputs.
struct Records {
    driver: Driver,
    entries: Vec<AuditEntry>,
}

impl Records {
    fn new(driver: Driver) -> Self {
        let mut driver = driver;
        driver.audit = Some(Vec::new());
        let entries = Vec::new();
        Self { driver, entries }
    }

    fn then(&mut self, act: impl FnOnce(&mut Driver)) -> &mut Self {
        act(&mut self.driver);
        let outputs: Vec<AuditEntry> = self.driver.audit.as_mut().unwrap().drain(..).collect();
        self.entries.extend(outputs);
        self
    }

    /// Returns the events of a call as short labels.
    fn of(&self, id: &str) -> Vec<String> {
        let entries = self.entries.iter().filter(|entry| entry.call_id() == id);
        entries.map(|entry| label(entry.event())).collect()
    }
}

fn label(event: &CallEventKind) -> String {
    match event {
        CallEventKind::Waited => "waited".into(),
        CallEventKind::Asked { by } => format!("asked by {}", by.as_str()),
        CallEventKind::Allowed { by } => match by {
            AllowedBy::Policy => "allowed by policy".into(),
            AllowedBy::Rule => "allowed by rule".into(),
            AllowedBy::Person { edited: true } => "allowed by person, edited".into(),
            AllowedBy::Person { .. } => "allowed by person".into(),
            AllowedBy::PersonToAgent => "allowed to the agent".into(),
            AllowedBy::Earlier { .. } => "allowed earlier".into(),
            other => format!("{other:?}"),
        },
        CallEventKind::Denied { reason, .. } => {
            format!("denied: {}", reason.as_deref().unwrap_or("-"))
        }
        CallEventKind::Remote => "remote".into(),
        CallEventKind::Started { attempt } => format!("started {attempt}"),
        CallEventKind::Voided => "voided".into(),
        CallEventKind::Ended { outcome, by, .. } => {
            format!("{} by {}", outcome.as_str(), by.as_str())
        }
        other => format!("{other:?}"),
    }
}

fn records_of(driver: Driver, act: impl FnOnce(&mut Driver)) -> Records {
    let mut records = Records::new(driver);
    records.then(act);
    records
}

fn driver() -> Driver {
    let mut driver = Driver::new();
    driver.register(action("free"));
    driver.register(asking("pay"));
    let ruled = action("ruled").with_approval(Policy::Ask);
    driver.register(ruled);
    let slow = action("slow")
        .with_timeout_ms(50)
        .with_parameters(json!({"type": "object", "properties": {"n": {"type": "integer"}}}));
    driver.register(slow);
    driver.host.ask = Some(false);
    driver
}

#[test]
fn each_outcome_of_a_call_ends_with_one_audit_entry() {
    let records = records_of(driver(), |driver| {
        driver.send("hi");
        driver.event(started());
        for (id, name, args) in [
            ("a", "free", "{}"),
            ("b", "pay", r#"{"to":"Ann"}"#),
            ("c", "pay", r#"{"to":"Bob"}"#),
            ("d", "slow", r#"{"n":"x"}"#),
            ("e", "ruled", "{}"),
            ("f", "nowhere", "{}"),
            ("g", "slow", r#"{"n":1}"#),
            ("h", "free", "{"),
        ] {
            driver.events(calls(id, name, args));
        }
        finish_run(driver);
        driver.host.clock += 40;
        driver.returns("a", json!(1));
        driver.approve("b");
        driver.handler_ends("b", Err(ToolError::new("no money")));
        driver.deny("c", Some("too much"));
        driver.returns("e", json!(1));
        let timer = driver.timers.last().unwrap().0;
        driver.input(Input::Timer { timer });
        driver.says("ok");
    });
    assert_eq!(
        records.of("a"),
        ["allowed by policy", "started 0", "done by page"]
    );
    let asked = "asked by page";
    assert_eq!(
        records.of("b"),
        [asked, "allowed by person", "started 0", "failed by page"]
    );
    assert_eq!(
        records.of("c"),
        [asked, "denied: too much", "denied by page"]
    );
    assert_eq!(records.of("d"), ["refused by page"]);
    assert_eq!(
        records.of("e"),
        ["allowed by rule", "started 0", "done by page"]
    );
    assert_eq!(records.of("f"), ["remote", "skipped by page"]);
    assert_eq!(
        records.of("g"),
        ["allowed by policy", "started 0", "timed-out by page"]
    );
    assert_eq!(records.of("h"), ["refused by page"]);
    let mut ended = records.entries.iter().rev();
    let ended = ended.find(|entry| entry.call_id() == "a").unwrap();
    assert_eq!((ended.tool(), ended.thread_id()), ("free", "thread"));
    let CallEventKind::Ended { duration_ms, .. } = ended.event() else {
        panic!("{ended:?}");
    };
    assert_eq!(*duration_ms, 40);
    let wrong = records
        .entries
        .iter()
        .find(|entry| entry.call_id() == "d")
        .unwrap();
    assert_eq!(*wrong.args(), json!({"n": "x"}));
    let kind = match wrong.event() {
        CallEventKind::Ended { error, .. } => error.as_ref().map(|(kind, _)| *kind),
        _ => None,
    };
    assert_eq!(kind, Some(ErrorKind::InvalidArguments));
}

#[test]
fn remembered_and_edited_approvals_are_audited() {
    let records = records_of(driver(), |driver| {
        driver.send("hi");
        driver.plays(calls("a", "pay", r#"{"to":"Ann"}"#));
        let what = Remember::new(RememberScope::Session, false);
        let args = Some(json!({"to": "Bob"}));
        assert_eq!(driver.decide("a", Verdict::Remember { args, what }), None);
        driver.returns("a", json!(1));
        driver.plays(calls("b", "pay", r#"{"to":"Bob"}"#));
        driver.returns("b", json!(1));
    });
    assert_eq!(records.of("a")[1], "allowed by person, edited");
    assert_eq!(
        records.of("b"),
        ["allowed earlier", "started 0", "done by page"]
    );
    let id = records.driver.session.remembered_approvals()[0].id();
    let by = records
        .entries
        .iter()
        .find_map(|entry| match entry.event() {
            CallEventKind::Allowed {
                by: AllowedBy::Earlier { id, .. },
            } => Some(id.as_str()),
            _ => None,
        });
    assert_eq!(by, Some(id));
    // The record contains the arguments that ran, not the agent's.
    let ran = records.entries.iter().rfind(|entry| entry.call_id() == "a");
    assert_eq!(*ran.unwrap().args(), json!({"to": "Bob"}));
}

#[test]
fn remote_calls_and_interrupts_are_audited_as_the_agents() {
    let records = records_of(driver(), |driver| {
        driver.send("hi");
        driver.event(started());
        driver.events(calls("theirs", "search", "{}"));
        driver.event(interrupted(vec![approval_interrupt("i", "theirs")]));
        driver.close();
        driver.approve("theirs");
        driver.event(started());
        driver.event(result("r", "theirs", "found"));
        finish_run(driver);
    });
    let all = [
        "remote",
        "asked by agent",
        "allowed to the agent",
        "done by agent",
    ];
    assert_eq!(records.of("theirs"), all);
}

#[test]
fn a_restored_call_that_waits_for_its_action_is_audited() {
    let mut before = driver();
    before.send("hi");
    before.plays(calls("c", "pay", "{}"));
    let snapshot = before.session.snapshot();
    let mut records = Records::new(Driver::new());
    records.then(|driver| {
        driver.host.ids = before.host.ids;
        driver.input(Input::Restore {
            thread_id: "thread".to_owned(),
            snapshot,
            journal: Vec::new(),
        });
    });
    assert_eq!(records.of("c"), ["voided", "waited"]);
    records.then(|driver| {
        driver.register(asking("pay"));
    });
    assert_eq!(
        records.of("c"),
        ["voided", "waited", "voided", "asked by page"]
    );
}

#[test]
fn direct_calls_and_cancelled_calls_are_audited() {
    let mut records = records_of(driver(), |driver| {
        driver.input(Input::Execute {
            request: 1,
            name: "pay".to_owned(),
            args: json!({"to": "Ann"}),
            within: None,
        });
        let call = driver.session.pending_approvals()[0];
        let verdict = Verdict::Deny { reason: None };
        driver.decides(call, verdict);
    });
    assert_eq!(
        records.of(""),
        ["asked by page", "denied: -", "denied by page"]
    );
    records.then(|driver| {
        driver.send("hi");
        driver.plays(calls("a", "free", "{}"));
        driver.input(Input::NewThread);
    });
    assert_eq!(
        records.of("a"),
        ["allowed by policy", "started 0", "cancelled by page"]
    );
    let last = records.entries.last().unwrap();
    assert_eq!(
        last.thread_id(),
        "thread",
        "the conversation that it was in"
    );
}

#[test]
fn a_changed_call_is_audited_as_voided() {
    let records = records_of(driver(), |driver| {
        driver.send("hi");
        driver.event(started());
        driver.events(calls("a", "pay", r#"{"to":"Ann"}"#));
        driver.events(calls("a", "pay", r#"{"to":"Bob"}"#));
        finish_run(driver);
        driver.deny("a", None);
    });
    let asked = "asked by page";
    assert_eq!(records.of("a"), [asked, "voided", "refused by page"]);
}

#[test]
fn omitted_and_deleted_calls_are_audited() {
    let mut records = records_of(driver(), |driver| {
        driver.send("hi");
        driver.event(started());
        driver.events(calls("a", "pay", r#"{"to":"Ann"}"#));
        let content = Content::Text("hi".to_owned());
        let hi = Message::new("id1", MessageBody::User { content });
        driver.event(snapshot(vec![hi]));
    });
    assert_eq!(records.of("a"), ["asked by page", "voided"]);
    records.then(|driver| {
        driver.events(calls("b", "pay", r#"{"to":"Bob"}"#));
        finish_run(driver);
        let conversation = driver.session.conversation();
        let message = conversation.message_of_call(&driver.key("b")).unwrap();
        let message = message.id().clone();
        let change = TreeChange::Delete { message };
        assert_eq!(driver.input(Input::Tree { change }).refused, None);
    });
    assert_eq!(records.of("b"), ["asked by page", "cancelled by page"]);
    for (id, to) in [("a", "Ann"), ("b", "Bob")] {
        let mut entries = records.entries.iter();
        let last = entries.rfind(|entry| entry.call_id() == id);
        assert_eq!(*last.unwrap().args(), json!({"to": to}));
    }
}

#[test]
fn a_copied_call_on_another_branch_is_not_audited() {
    let records = records_of(driver(), |driver| {
        driver.send("hi");
        driver.event(started());
        driver.events(calls("theirs", "search", "{}"));
        driver.event(interrupted(vec![approval_interrupt("i", "theirs")]));
        driver.close();
        driver.approve("theirs");
        driver.event(started());
        driver.events(says("n", "so"));
        driver.break_off(FailureKind::Network);
        driver.input(Input::Retry);
        driver.event(started());
        let before = driver.session.conversation().all_messages().count();
        driver.event(result("r", "theirs", "found"));
        let after = driver.session.conversation().all_messages().count();
        assert_eq!(after, before + 1, "the other branch keeps a copy");
        finish_run(driver);
    });
    let all = [
        "remote",
        "asked by agent",
        "allowed to the agent",
        "done by agent",
    ];
    assert_eq!(records.of("theirs"), all);
}

#[test]
fn a_reason_can_be_removed_from_an_audit_entry() {
    let mut records = records_of(driver(), |driver| {
        driver.send("hi");
        driver.plays(calls("a", "pay", "{}"));
        driver.deny("a", Some("card 4111"));
    });
    for entry in &mut records.entries {
        if let CallEventKind::Denied { reason, .. } = entry.event_mut() {
            assert_eq!(reason.take().as_deref(), Some("card 4111"));
        }
        assert!(!entry.to_value().to_string().contains("4111"));
    }
    assert!(records.of("a").contains(&"denied: -".to_owned()));
}

#[test]
fn an_audit_entry_is_bounded_and_serializes_to_plain_json() {
    let long = format!("{{\"text\":\"{}\"}}", "x".repeat(10_000));
    let records = records_of(driver(), |driver| {
        driver.send("hi");
        driver.plays(calls("a", "pay", &long));
        driver.deny("a", Some(&"y".repeat(5_000)));
    });
    for entry in records.entries {
        let entry = entry.bounded();
        let value = entry.to_value();
        assert!(value.to_string().len() < 8_000);
        assert_eq!(value["args"]["bytes"], 10_011);
    }
    let entry = records_of(driver(), |driver| {
        driver.send("hi");
        driver.plays(calls("a", "free", "{}"));
        driver.host.clock = 7;
        driver.returns("a", json!(1));
    });
    let last = entry.entries.last().unwrap();
    assert_eq!((last.at(), last.version()), (7, None));
    assert!(last.message().is_some() && last.action().is_some());
    let last = last.to_value();
    let expected = json!({
        "at": 7, "threadId": "thread", "messageId": "m-a", "call": 1, "toolCallId": "a",
        "toolName": "free", "args": {}, "event": "ended", "outcome": "done", "by": "page",
        "durationMs": 7,
    });
    let Value::Object(mut shown) = last else {
        panic!()
    };
    // The message of a call without a parent is covered by another rule.
    shown.insert("messageId".to_owned(), "m-a".into());
    let edition = shown.shift_remove("action").unwrap();
    assert_eq!(edition.as_str().unwrap().len(), 32);
    assert_eq!(Value::Object(shown), expected);
}
