//! Rule "attention": an equal call is not asked about twice in a turn, questions are limited, and
//! everything open can be denied at once.

use assistant_core::{
    action::Policy,
    conversation::{CallEventKind, Decider, ErrorKind, Phase},
    event::{EventKind, ResumeStatus},
    session::{Input, NoticeKind, QuestionLimits, Refusal, SessionOptions, Verdict},
};
use serde_json::{Value, json};

use crate::support::*;

fn limited(per_run: Option<u32>, per_minute: Option<u32>) -> Driver {
    Driver::with(
        SessionOptions::default().questions(
            QuestionLimits::default()
                .per_run(per_run)
                .per_minute(per_minute),
        ),
    )
}

/// Calls of `f`, each with other arguments.
fn flood(range: std::ops::Range<u32>) -> Vec<EventKind> {
    let each = |n: u32| calls(&format!("c{n}"), "f", &format!("{{\"n\":{n}}}"));
    range.flat_map(each).collect()
}

fn answer_value(driver: &Driver, id: &str) -> Value {
    serde_json::from_str(&driver.answer(id)).unwrap_or_default()
}

fn asked(driver: &Driver) -> usize {
    driver.session.pending_approvals().len()
}

#[test]
fn an_equal_call_to_a_denied_one_is_denied_within_the_turn() {
    let mut driver = Driver::new();
    driver.audit = Some(Vec::new());
    driver.register(asking("f"));
    driver.send("hi");
    driver.plays(calls("a", "f", r#"{"to":"Ann","sum":1}"#));
    assert_eq!(driver.deny("a", Some("too much")), None);
    // The same in another notation, then again.
    driver.plays(calls("b", "f", r#"{ "sum": 1, "to": "Ann" }"#));
    assert_eq!(driver.phase("b"), Phase::OutputDenied);
    assert!(driver.call("b").denied_before());
    assert!(!driver.call("a").denied_before());
    assert_eq!(answer_value(&driver, "b")["status"], "denied");
    assert_eq!(answer_value(&driver, "b")["reason"], "too much");
    let words = answer_value(&driver, "b")["message"].clone();
    assert!(
        words.as_str().unwrap().contains("already denied"),
        "{words}"
    );
    let entries = driver.audit.take().unwrap();
    let of_b = entries.iter().filter(|entry| entry.call_id() == "b");
    let of_b: Vec<&CallEventKind> = of_b.map(|entry| entry.event()).collect();
    let reason = Some("too much".to_owned());
    assert_eq!(of_b[0], &CallEventKind::DeniedBefore { reason });
    assert!(
        !of_b
            .iter()
            .any(|event| matches!(event, CallEventKind::Asked { .. }))
    );
    // Other arguments are another question.
    driver.plays(calls("c", "f", r#"{"to":"Ann","sum":2}"#));
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    driver.deny("c", None);
    driver.says("ok");
    // So is the same call after a message of the user.
    driver.send("do it after all");
    driver.plays(calls("d", "f", r#"{"to":"Ann","sum":1}"#));
    assert_eq!(driver.phase("d"), Phase::ApprovalRequested);
}

#[test]
fn an_asynchronous_policy_does_not_ask_again_after_a_denial() {
    let mut driver = Driver::new();
    let spec = asking("f").with_approval(Policy::Ask);
    driver.register(spec);
    driver.send("hi");
    let ask = |driver: &mut Driver, id: &str| {
        driver.plays(calls(id, "f", "{}"));
        let ticket = driver.host.tickets.last().unwrap().0;
        driver.input(Input::PolicyAnswer { ticket, ask: true });
    };
    ask(&mut driver, "a");
    assert_eq!(driver.deny("a", None), None);
    ask(&mut driver, "b");
    assert_eq!(driver.phase("b"), Phase::OutputDenied);
}

#[test]
fn a_new_action_version_is_not_covered_by_an_earlier_denial() {
    let mut driver = Driver::new();
    let id = driver.register(asking("f"));
    driver.send("hi");
    driver.plays(calls("a", "f", "{}"));
    assert_eq!(driver.deny("a", None), None);
    driver.unregister(id);
    let spec = asking("f").with_version("2".to_owned());
    driver.register(spec);
    driver.plays(calls("b", "f", "{}"));
    let phase = driver.phase("b");
    assert_ne!(phase, Phase::OutputDenied, "{phase:?}");
}

#[test]
fn a_direct_call_asks_every_time_despite_earlier_denials() {
    let mut driver = Driver::new();
    driver.register(asking("f"));
    for request in 0..40 {
        let (name, args, within) = ("f".to_owned(), json!({}), None);
        driver.input(Input::Execute {
            request,
            name,
            args,
            within,
        });
        let pending = driver.session.pending_approvals();
        assert_eq!(pending.len(), 1);
        let refused = driver.decides(pending[0], Verdict::Deny { reason: None });
        assert_eq!(refused.refused, None);
    }
}

#[test]
fn an_interrupt_for_an_equal_denied_call_is_denied_automatically() {
    let mut driver = Driver::new();
    driver.send("hi");
    let play = |driver: &mut Driver, number: usize| {
        driver.event(started());
        driver.events(calls(&format!("c{number}"), "theirs", r#"{"n":1}"#));
        let open = approval_interrupt(&format!("i{number}"), &format!("c{number}"));
        driver.event(interrupted(vec![open]));
        driver.close();
    };
    play(&mut driver, 0);
    assert_eq!(driver.phase("c0"), Phase::ApprovalRequested);
    assert_eq!(driver.deny("c0", Some("no")), None);
    // An agent that keeps asking reaches the limit of runs.
    let mut runs = 0;
    for number in 1..40 {
        if driver.session.is_streaming() {
            play(&mut driver, number);
            runs += 1;
        }
        assert_eq!(asked(&driver), 0);
    }
    let entry = &driver.request().resume[0];
    assert_eq!(entry.status, ResumeStatus::Resolved);
    assert_eq!(
        entry.payload,
        Some(json!({"approved": false, "reason": "no"}))
    );
    assert!(runs <= 10, "{runs}");
    assert_eq!(driver.notices(), [NoticeKind::RunLimit]);
}

#[test]
fn questions_per_run_are_limited() {
    let mut driver = limited(Some(3), None);
    driver.register(asking("f"));
    driver.register(action("g"));
    driver.send("hi");
    driver.event(started());
    driver.events(flood(0..10));
    driver.events(calls("free", "g", "{}"));
    driver.event(finished());
    driver.close();
    assert_eq!(asked(&driver), 3);
    assert_eq!(driver.phase("c3"), Phase::OutputError);
    assert_eq!(driver.starts("c3"), 0);
    assert_eq!(
        answer_value(&driver, "c3")["errorType"],
        "too_many_questions"
    );
    let kind = driver.call("c9").error().map(|error| error.kind());
    assert_eq!(kind, Some(ErrorKind::TooManyQuestions));
    assert_eq!(driver.starts("free"), 1, "the user is not asked about it");
    let notices = driver.session.notices();
    assert_eq!(notices.len(), 1, "one for all");
    assert_eq!(notices[0].kind(), NoticeKind::QuestionsHeldBack);
    assert_eq!(notices[0].count(), Some(7));
    // The next run has its own limit.
    for id in ["c0", "c1", "c2"] {
        assert_eq!(driver.deny(id, None), None);
    }
    driver.returns("free", json!(1));
    driver.plays(flood(20..25));
    assert_eq!(asked(&driver), 3);
}

#[test]
fn questions_per_minute_are_limited() {
    let mut driver = limited(None, Some(4));
    driver.register(asking("f"));
    driver.send("hi");
    driver.host.clock = 1_000;
    driver.plays(flood(0..3));
    for id in ["c0", "c1", "c2"] {
        assert_eq!(driver.deny(id, None), None);
    }
    driver.host.clock = 31_000;
    driver.plays(flood(3..6));
    assert_eq!(asked(&driver), 1, "four in a minute, whatever the run");
    assert_eq!(answer_value(&driver, "c4")["retryAfterMs"], 30_000);
    assert_eq!(driver.deny("c3", None), None);
    driver.host.clock = 61_000;
    driver.plays(flood(6..12));
    assert_eq!(asked(&driver), 3);
}

#[test]
fn a_changed_question_counts_once_against_the_limits() {
    let mut driver = limited(Some(1), Some(1));
    let id = driver.register(asking("f"));
    driver.send("hi");
    driver.plays(calls("c", "f", "{}"));
    for n in 0..5 {
        let spec = asking("f").with_version(format!("{n}"));
        driver.register_as(id, spec);
        assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    }
}

#[test]
fn interrupts_above_the_limit_are_held_back_until_shown() {
    let mut driver = limited(Some(2), None);
    driver.send("hi");
    driver.event(started());
    let ids: Vec<String> = (0..5).map(|n| format!("c{n}")).collect();
    for id in &ids {
        driver.events(calls(id, "theirs", "{}"));
    }
    let interrupts = ids
        .iter()
        .map(|id| approval_interrupt(&format!("i{id}"), id));
    driver.event(interrupted(interrupts.collect()));
    driver.close();
    assert_eq!(asked(&driver), 2);
    let held = |driver: &Driver| {
        let open = driver.session.interrupts().iter();
        open.filter(|open| open.is_held_back()).count()
    };
    assert_eq!(held(&driver), 3);
    assert_ne!(driver.phase("c4"), Phase::ApprovalRequested);
    assert_eq!(
        driver.approve("c4"),
        Some(Refusal::AlreadyResolved),
        "it was not shown"
    );
    for id in ["c0", "c1"] {
        assert_eq!(driver.approve(id), None);
    }
    assert!(
        !driver.session.is_streaming(),
        "the others are not answered"
    );
    assert_eq!(driver.input(Input::ShowHeldBack).refused, None);
    assert_eq!((asked(&driver), held(&driver)), (3, 0));
    let again = driver.input(Input::ShowHeldBack).refused;
    assert_eq!(again, Some(Refusal::NothingToDo));
    for id in ["c2", "c3", "c4"] {
        assert_eq!(driver.approve(id), None);
    }
    assert!(driver.session.is_streaming());
    assert_eq!(driver.request().resume.len(), 5);
}

#[test]
fn deny_all_ends_every_question_until_the_next_message() {
    let mut driver = limited(Some(3), None);
    driver.register(asking("f"));
    driver.register(action("g"));
    driver.send("hi");
    driver.event(started());
    driver.events(calls("mine", "f", "{}"));
    driver.events(calls("works", "g", "{}"));
    driver.events(calls("theirs", "theirs", "{}"));
    driver.events(calls("held", "theirs", r#"{"n":1}"#));
    let open = interrupt("question", None, json!({"type": "string"}));
    driver.event(interrupted(vec![
        open,
        approval_interrupt("one", "theirs"),
        approval_interrupt("two", "held"),
    ]));
    driver.close();
    let requests = driver.runs.len();
    assert_eq!(
        driver
            .input(Input::DenyAll {
                by: Decider::Person
            })
            .refused,
        None
    );
    assert_eq!(asked(&driver), 0);
    assert!(!driver.session.is_busy());
    assert_eq!(driver.phase("mine"), Phase::OutputDenied);
    assert_eq!(driver.starts("mine"), 0);
    assert_eq!(driver.cancelled.len(), 1, "what runs is stopped");
    assert_eq!(driver.runs.len(), requests, "the agent does not continue");
    assert_eq!(driver.notices(), [NoticeKind::Stopped]);
    // The next message of the user carries the answers.
    assert_eq!(driver.send("something else").refused, None);
    let resume = &driver.request().resume;
    let of = |id: &str| {
        resume
            .iter()
            .find(|entry| entry.interrupt_id == id)
            .unwrap()
    };
    assert_eq!(of("question").status, ResumeStatus::Cancelled);
    for id in ["one", "two"] {
        assert_eq!(of(id).status, ResumeStatus::Resolved);
        assert_eq!(of(id).payload, Some(json!({"approved": false})));
    }
    // Nothing to deny.
    let mut driver = Driver::new();
    let refused = driver
        .input(Input::DenyAll {
            by: Decider::Person,
        })
        .refused;
    assert_eq!(refused, Some(Refusal::NothingToDo));
}

#[test]
fn a_rejected_denial_of_a_held_back_interrupt_respects_the_limit() {
    let mut driver = limited(Some(1), None);
    driver.register(asking("f"));
    driver.send("hi");
    driver.event(started());
    driver.events(calls("seen", "theirs", "{}"));
    driver.events(calls("held", "theirs", r#"{"n":1}"#));
    driver.event(interrupted(vec![
        approval_interrupt("one", "seen"),
        approval_interrupt("two", "held"),
    ]));
    driver.close();
    assert_eq!(asked(&driver), 1);
    driver.input(Input::DenyAll {
        by: Decider::Person,
    });
    driver.send("something else");
    driver.event(started());
    driver.events(calls("mine", "f", "{}"));
    driver.event(run_error("no"));
    driver.close();
    assert_eq!(driver.phase("seen"), Phase::ApprovalRequested, "once more");
    assert_ne!(driver.phase("held"), Phase::ApprovalRequested);
    let held = |driver: &Driver| {
        let open = driver.session.interrupts().iter();
        open.filter(|open| open.is_held_back()).count()
    };
    assert_eq!(held(&driver), 1);
    assert_eq!(driver.input(Input::ShowHeldBack).refused, None);
    assert_eq!(driver.deny("held", None), None);
}
