//! Rule "recorded decider": decisions of the application are recorded as such, and do not apply to
//! actions that only the user may approve.

use assistant_core::{
    action::{ActionSpec, Remember, RememberScope, RememberedApproval},
    conversation::{AllowedBy, CallEventKind, Decider, Phase},
    event::{Interrupt, ResumeStatus},
    session::{ActionDecision, Effect, Input, JournalEntry, Output, Refusal, Verdict},
};
use serde_json::{Value, json};

use crate::support::*;

const YES: Verdict = Verdict::Approve { args: None };

fn only_user(name: &str) -> ActionSpec {
    asking(name).with_only_user_approves(true)
}

/// A driver with records, in which the agent has called `pay` as `c`.
fn asked(spec: ActionSpec) -> Driver {
    let mut driver = Driver::new();
    driver.audit = Some(Vec::new());
    driver.register(spec);
    driver.send("hi");
    driver.plays(calls("c", "pay", "{\"euros\":10}"));
    driver
}

/// The agent asks about its call of `pay` by an interrupt.
fn with_interrupt(spec: ActionSpec, interrupt: Interrupt) -> Driver {
    let mut driver = with([spec]);
    driver.audit = Some(Vec::new());
    driver.events(calls("c", "pay", "{\"euros\":10}"));
    driver.event(interrupted(vec![interrupt]));
    driver.close();
    driver
}

fn decides(driver: &mut Driver, id: &str, verdict: Verdict) -> Output {
    let call = driver.key(id);
    let shown = driver.shown(call);
    driver.input(Input::Decide {
        call,
        shown,
        verdict,
        by: Decider::Application,
    })
}

fn answers(driver: &mut Driver, status: ResumeStatus, payload: Option<Value>) -> Output {
    driver.input(Input::Answer {
        interrupt_id: "q".to_owned(),
        shown: driver.shown_question("q"),
        status,
        payload,
        by: Decider::Application,
    })
}

/// Returns the deciders of allowed and denied calls, in order.
fn recorded(driver: &Driver) -> Vec<Value> {
    let entries = driver.audit.as_ref().unwrap().iter();
    let decisions = entries.filter(|entry| {
        matches!(
            entry.event(),
            CallEventKind::Allowed { .. } | CallEventKind::Denied { .. }
        )
    });
    decisions
        .map(|entry| entry.to_value()["by"].clone())
        .collect()
}

fn events(driver: &Driver) -> Vec<CallEventKind> {
    let entries = driver.audit.as_ref().unwrap().iter();
    entries.map(|entry| entry.event().clone()).collect()
}

/// Asserts that an input was refused, and that nothing has changed.
fn assert_refused(driver: &mut Driver, act: impl FnOnce(&mut Driver) -> Output) {
    let before = (
        driver.session.snapshot(),
        driver.session.interrupts().to_vec(),
        driver.audit.clone(),
    );
    let output = act(driver);
    assert_eq!(output.refused, Some(Refusal::OnlyUser));
    assert!(output.effects.is_empty(), "{:?}", output.effects);
    let after = (
        driver.session.snapshot(),
        driver.session.interrupts().to_vec(),
        driver.audit.clone(),
    );
    assert_eq!(before, after);
}

#[test]
fn an_approval_by_the_application_is_recorded_as_such() {
    let mut driver = asked(asking("pay"));
    assert_eq!(decides(&mut driver, "c", YES).refused, None);
    assert_eq!(driver.starts("c"), 1);
    let by = AllowedBy::Application { edited: false };
    assert!(events(&driver).contains(&CallEventKind::Allowed { by }));
    let with = Verdict::Approve {
        args: Some(json!({"euros": 5})),
    };
    let mut driver = asked(asking("pay"));
    assert_eq!(decides(&mut driver, "c", with).refused, None);
    let by = AllowedBy::Application { edited: true };
    assert!(events(&driver).contains(&CallEventKind::Allowed { by }));
    // A decision of the user is recorded as the user's.
    let mut driver = asked(asking("pay"));
    driver.approve("c");
    assert_eq!(recorded(&driver), ["person"]);
}

#[test]
fn a_denial_is_recorded_with_its_decider() {
    let no = || Verdict::Deny {
        reason: Some("not at night".to_owned()),
    };
    let mut driver = asked(asking("pay"));
    assert_eq!(decides(&mut driver, "c", no()).refused, None);
    assert_eq!(recorded(&driver), ["application"]);
    let mut driver = asked(asking("pay"));
    driver.decide("c", no());
    assert_eq!(recorded(&driver), ["person"]);
    for by in [Decider::Person, Decider::Application] {
        let mut driver = asked(asking("pay"));
        driver.input(Input::DenyAll { by });
        assert_eq!(recorded(&driver), [by.as_str()]);
    }
    // A stop is not a decision about the call.
    let mut driver = with_interrupt(asking("pay"), approval_interrupt("q", "c"));
    driver.input(Input::Stop);
    assert_eq!(recorded(&driver), [Value::Null]);
}

#[test]
fn a_denial_by_the_application_does_not_deny_equal_calls() {
    for by in [Decider::Person, Decider::Application] {
        let mut driver = asked(asking("pay"));
        let call = driver.key("c");
        let shown = driver.shown(call);
        let verdict = Verdict::Deny { reason: None };
        driver.input(Input::Decide {
            call,
            shown,
            verdict,
            by,
        });
        driver.plays(calls("again", "pay", "{\"euros\":10}"));
        assert_eq!(driver.call("again").denied_before(), by == Decider::Person);
    }
}

#[test]
fn an_approval_sent_to_the_agent_is_recorded_as_the_applications() {
    let mut by_card = with_interrupt(asking("pay"), approval_interrupt("q", "c"));
    assert_eq!(decides(&mut by_card, "c", YES).refused, None);
    assert_eq!(recorded(&by_card), ["application-to-agent"]);
    let mut by_answer = with_interrupt(asking("pay"), approval_interrupt("q", "c"));
    let yes = Some(json!({"approved": true}));
    assert_eq!(
        answers(&mut by_answer, ResumeStatus::Resolved, yes).refused,
        None
    );
    assert_eq!(recorded(&by_answer), ["application-to-agent"]);
    let mut of_user = with_interrupt(asking("pay"), approval_interrupt("q", "c"));
    of_user.approve("c");
    assert_eq!(recorded(&of_user), ["person-to-agent"]);
}

#[test]
fn the_decider_is_stored_with_the_call() {
    let mut driver = asked(asking("pay"));
    decides(&mut driver, "c", YES);
    driver.returns("c", json!(1));
    driver.says("done");
    let mut after = Driver::new();
    after.register(asking("pay"));
    after.input(Input::Restore {
        thread_id: "thread".to_owned(),
        snapshot: driver.session.snapshot(),
        journal: driver
            .commits
            .iter()
            .map(|(_, entry)| JournalEntry::from_value(&entry.to_value()).unwrap())
            .collect(),
    });
    let approval = after.call("c").approval().cloned().unwrap();
    assert_eq!(approval.by(), Some(Decider::Application));
    let mut loaded = Driver::new();
    loaded.input(Input::Load {
        thread_id: "other".to_owned(),
        snapshot: driver.session.conversation().export(),
    });
    let approval = loaded.call("c").approval().cloned().unwrap();
    assert_eq!(approval.by(), Some(Decider::Application));
}

#[test]
fn a_stored_grant_by_the_application_is_recorded_as_such() {
    let what = Remember::new(RememberScope::Always, true);
    let mut driver = asked(asking("pay"));
    let verdict = Verdict::Remember { args: None, what };
    let output = decides(&mut driver, "c", verdict);
    let kept = output.effects.iter().find_map(|effect| match effect {
        Effect::StoreApprovals { approvals } => Some(approvals[0].to_value()),
        _ => None,
    });
    let kept = RememberedApproval::from_value(&kept.unwrap()).unwrap();
    assert_eq!(kept.by(), Decider::Application);
    let mut next = Driver::new();
    next.audit = Some(Vec::new());
    next.register(asking("pay"));
    let approvals = vec![kept.clone()];
    next.input(Input::RestoreApprovals { approvals });
    next.send("hi");
    next.plays(calls("c", "pay", "{\"euros\":11}"));
    assert_eq!(next.starts("c"), 1);
    let allowed = next.audit.as_ref().unwrap()[0].to_value();
    assert_eq!(
        (&allowed["by"], &allowed["givenBy"]),
        (&json!("earlier"), &json!("application"))
    );
    let stored = next.session.snapshot().to_string();
    assert!(stored.contains("\"by\":\"application\""), "{stored}");
    // An action that only the user may approve starts only by approvals of the user.
    let mut strict = Driver::new();
    strict.register(only_user("pay"));
    let approvals = vec![kept];
    strict.input(Input::RestoreApprovals { approvals });
    strict.send("hi");
    strict.plays(calls("c", "pay", "{\"euros\":11}"));
    assert_eq!(strict.phase("c"), Phase::ApprovalRequested);
}

#[test]
fn a_grant_by_an_unknown_giver_is_rejected() {
    let mut driver = asked(asking("pay"));
    let what = Remember::new(RememberScope::Always, true);
    driver.decide("c", Verdict::Remember { args: None, what });
    let mut kept = driver.session.remembered_approvals()[0].to_value();
    assert_eq!(kept.get("by"), None);
    assert!(RememberedApproval::from_value(&kept).is_some());
    for by in [json!("nobody"), json!(1), Value::Null] {
        kept["by"] = by;
        assert!(RememberedApproval::from_value(&kept).is_none(), "{kept}");
    }
}

#[test]
fn the_application_cannot_approve_an_action_reserved_for_the_user() {
    let mut driver = asked(only_user("pay"));
    let what = Remember::new(RememberScope::Session, true);
    let args = Some(json!({"euros": 5}));
    for verdict in [
        YES,
        Verdict::Approve { args },
        Verdict::Remember { args: None, what },
    ] {
        assert_refused(&mut driver, |driver| decides(driver, "c", verdict));
    }
    let previewed = only_user("pay").with_preview(true);
    let mut previewed = asked(previewed);
    assert_refused(&mut previewed, |driver| decides(driver, "c", YES));
    assert_eq!(driver.approve("c"), None);
    assert_eq!(driver.starts("c"), 1);
    // A denial runs nothing.
    let mut driver = asked(only_user("pay"));
    let no = Verdict::Deny { reason: None };
    assert_eq!(decides(&mut driver, "c", no).refused, None);
    assert_eq!(driver.phase("c"), Phase::OutputDenied);
}

#[test]
fn an_unchanged_preview_keeps_the_decider_of_the_approval() {
    let spec = asking("pay").with_preview(true);
    let mut driver = asked(spec);
    let say = |driver: &mut Driver, ticket| {
        driver.input(Input::Previewed {
            ticket,
            outcome: Ok(json!("10 less")),
        })
    };
    let ticket_of = |output: &Output| {
        output.effects.iter().find_map(|effect| match effect {
            Effect::Preview(asked) => Some(asked.ticket()),
            _ => None,
        })
    };
    let first = driver.effects.iter().rev().find_map(|effect| match effect {
        Effect::Preview(asked) => Some(asked.ticket()),
        _ => None,
    });
    say(&mut driver, first.unwrap());
    let output = decides(&mut driver, "c", YES);
    assert_eq!(output.refused, None);
    let again = ticket_of(&output).unwrap();
    say(&mut driver, again);
    assert_eq!(driver.starts("c"), 1);
    assert_eq!(recorded(&driver), ["application"]);
}

#[test]
fn the_application_cannot_answer_an_interrupt_reserved_for_the_user() {
    let mut driver = with_interrupt(only_user("pay"), approval_interrupt("q", "c"));
    assert_refused(&mut driver, |driver| decides(driver, "c", YES));
    let yes = Some(json!({"approved": true}));
    assert_refused(&mut driver, |driver| {
        answers(driver, ResumeStatus::Resolved, yes)
    });
    // A cancellation runs nothing.
    let output = answers(&mut driver, ResumeStatus::Cancelled, None);
    assert_eq!(output.refused, None);
    let listed = json!({"action_requests": [
        {"name": "look", "args": {}},
        {"name": "pay", "args": {"euros": 10}},
    ]});
    let question = Interrupt {
        metadata: listed.as_object().cloned(),
        ..interrupt("q", None, Value::Null)
    };
    let mut driver = with_interrupt(only_user("pay"), question);
    let reject = || ActionDecision::Reject { message: None };
    let decide = |driver: &mut Driver, by, decisions| {
        driver.input(Input::DecideActions {
            interrupt_id: "q".to_owned(),
            shown: driver.shown_question("q"),
            decisions,
            by,
        })
    };
    let application = Decider::Application;
    assert_refused(&mut driver, |driver| {
        decide(driver, application, vec![reject(), ActionDecision::Approve])
    });
    let mut denied = driver.clone();
    let output = decide(&mut denied, application, vec![reject(), reject()]);
    assert_eq!(output.refused, None);
    let both = vec![ActionDecision::Approve, ActionDecision::Approve];
    assert_eq!(decide(&mut driver, Decider::Person, both).refused, None);
}
