//! Rules "permission", "limits", "cleaned arguments": restrictions of the application on calls,
//! apart from approvals.

use assistant_core::{
    action::{ActionSpec, CallLimits, Remember, RememberScope},
    conversation::{ErrorKind, Phase},
    session::{Answer, Input, Refusal, Verdict},
};
use serde_json::{Value, json};

use crate::support::*;

fn limited(name: &str, limits: CallLimits) -> ActionSpec {
    action(name).with_limits(limits)
}

fn answers(driver: &Driver, id: &str) -> Value {
    serde_json::from_str(&driver.answer(id)).unwrap()
}

/// A call of `f` in an answer of its own, which ends at once if it started.
fn turn(driver: &mut Driver, id: &str) -> bool {
    driver.send("go on");
    driver.plays(calls(id, "f", "{}"));
    let started = driver.starts(id) == 1;
    if started {
        driver.returns(id, json!(1));
    }
    driver.says("ok");
    started
}

#[test]
fn a_rate_limited_call_reports_its_retry_delay() {
    let mut driver = Driver::new();
    driver.register(limited("f", CallLimits::default().calls(2, 60_000)));
    assert!(turn(&mut driver, "a"));
    driver.host.clock = 26_000;
    assert!(turn(&mut driver, "b"));
    assert!(!turn(&mut driver, "c"));
    assert_eq!(driver.phase("c"), Phase::OutputError);
    let answer = answers(&driver, "c");
    assert_eq!(answer["errorType"], "rate_limit");
    assert_eq!(answer["retryAfterMs"], 34_000);
    assert_eq!(
        answer["error"],
        "f may be called 2 times in 60 s: call it again in 34 s"
    );
    let kind = driver.call("c").error().map(|error| error.kind());
    assert_eq!(kind, Some(ErrorKind::RateLimit));
    driver.host.clock = 60_000;
    assert!(turn(&mut driver, "d"), "the first no longer counts");
    assert!(!turn(&mut driver, "e"));
    // A clock that was set back does not extend the wait beyond the window.
    driver.host.clock = -1_000_000;
    assert!(!turn(&mut driver, "f"));
    assert_eq!(answers(&driver, "f")["retryAfterMs"], 60_000);
    driver.host.clock += 60_000;
    assert!(turn(&mut driver, "g"));
}

#[test]
fn calls_over_the_concurrent_or_per_run_limit_fail() {
    let mut driver = with([
        limited("one", CallLimits::default().concurrent(1)),
        limited("two", CallLimits::default().per_run(2)),
    ]);
    for (id, name) in [
        ("a", "one"),
        ("b", "one"),
        ("c", "two"),
        ("d", "two"),
        ("e", "two"),
    ] {
        driver.events(calls(id, name, "{}"));
    }
    finish_run(&mut driver);
    assert_eq!((driver.starts("a"), driver.starts("b")), (1, 0));
    assert!(
        answers(&driver, "b")["error"]
            .as_str()
            .unwrap()
            .contains("running already")
    );
    assert_eq!((driver.starts("d"), driver.starts("e")), (1, 0));
    assert!(
        answers(&driver, "e")["error"]
            .as_str()
            .unwrap()
            .contains("2 times in one answer")
    );
    for id in ["a", "c", "d"] {
        driver.returns(id, json!(1));
    }
    driver.plays([calls("f", "one", "{}"), calls("g", "two", "{}")].concat());
    assert_eq!(
        (driver.starts("f"), driver.starts("g")),
        (1, 1),
        "another answer"
    );
}

#[test]
fn a_call_over_a_limit_is_not_asked_about() {
    let spec = asking("f").with_limits(CallLimits::default().calls(1, 1_000));
    let mut driver = Driver::new();
    driver.register(spec);
    driver.send("hi");
    driver.plays(calls("a", "f", "{}"));
    driver.approve("a");
    driver.returns("a", json!(1));
    driver.says("ok");
    driver.send("hi");
    driver.plays(calls("b", "f", "{}"));
    assert_eq!(driver.phase("b"), Phase::OutputError);
    // If the user was asked about both before the first ran, the second is held back at its start.
    driver.says("ok");
    driver.host.clock += 1_000;
    driver.send("hi");
    driver.plays([calls("c", "f", "{}"), calls("d", "f", "{}")].concat());
    driver.approve("c");
    driver.approve("d");
    assert_eq!((driver.starts("c"), driver.starts("d")), (1, 0));
    assert_eq!(driver.phase("d"), Phase::OutputError);
}

#[test]
fn direct_calls_are_rate_limited_too() {
    let mut driver = Driver::new();
    driver.register(limited("f", CallLimits::default().calls(1, 1_000)));
    for request in 0..2 {
        let (name, args) = ("f".to_owned(), json!({}));
        let within = None;
        driver.input(Input::Execute {
            request,
            name,
            args,
            within,
        });
    }
    assert_eq!(driver.invocations.len(), 1);
    assert!(
        driver.executed[0]
            .1
            .as_ref()
            .unwrap_err()
            .message()
            .contains("1 times in 1 s")
    );
}

#[test]
fn a_forbidden_call_does_not_start_even_if_approved() {
    for needs_approval in [false, true] {
        let mut driver = Driver::new();
        driver.register(if needs_approval {
            asking("f")
        } else {
            action("f")
        });
        driver.host.permission = Some(Answer::Now(Err("Only on weekdays".to_owned())));
        driver.send("hi");
        driver.plays(calls("c", "f", "{}"));
        if needs_approval {
            assert_eq!(driver.approve("c"), None);
        }
        assert_eq!(
            (driver.starts("c"), driver.phase("c")),
            (0, Phase::OutputError)
        );
        let expected = json!({"error": "Only on weekdays", "errorType": "permission"});
        assert_eq!(answers(&driver, "c"), expected);
        assert_eq!(driver.runs.len(), 2, "the agent continues");
    }
}

#[test]
fn a_pending_permission_is_requested_once_and_awaited() {
    let mut driver = Driver::new();
    driver.register(action("f"));
    driver.host.permission = Some(Answer::Later);
    driver.send("hi");
    driver.plays([calls("c", "f", "{}"), calls("d", "f", "{}")].concat());
    assert_eq!((driver.starts("c"), driver.host.permissions.len()), (0, 2));
    // Other inputs meanwhile have no effect.
    driver.input(Input::SetState { state: json!({}) });
    assert_eq!(driver.starts("c"), 0);
    let [c, d] = [0, 1].map(|place| driver.host.permissions[place].0);
    let outcome = Err("not now".to_owned());
    driver.input(Input::PermissionAnswer { ticket: d, outcome });
    driver.input(Input::PermissionAnswer {
        ticket: c,
        outcome: Ok(()),
    });
    assert_eq!(
        (driver.starts("c"), driver.phase("d")),
        (1, Phase::OutputError)
    );
    assert_eq!(driver.host.permissions.len(), 2);
    // A second answer has no effect.
    driver.input(Input::PermissionAnswer {
        ticket: d,
        outcome: Ok(()),
    });
    assert_eq!(driver.starts("d"), 0);
    driver.returns("c", json!(1));
    driver.says("ok");
    // A permission that is never answered does not block anything forever.
    driver.send("hi");
    driver.plays(calls("e", "f", "{}"));
    assert_eq!(driver.input(Input::Stop).refused, None);
    assert_eq!(driver.phase("e"), Phase::Cancelled);
}

/// Rule "permission": right before a start, so an answer from before another call counts no more
#[test]
fn a_call_that_waits_for_an_exclusive_call_is_permitted_again() {
    let mut driver = Driver::new();
    driver.register(action("f").with_exclusive(true));
    driver.host.permission = Some(Answer::Later);
    driver.send("hi");
    driver.plays([calls("c", "f", "{}"), calls("d", "f", "{}")].concat());
    let permit = |driver: &mut Driver, place: usize| {
        let ticket = driver.host.permissions[place].0;
        let outcome = Ok(());
        driver.input(Input::PermissionAnswer { ticket, outcome });
    };
    permit(&mut driver, 0);
    permit(&mut driver, 1);
    assert_eq!((driver.starts("c"), driver.starts("d")), (1, 0));
    assert_eq!(driver.host.permissions.len(), 2);
    driver.returns("c", json!(1));
    assert_eq!(driver.host.permissions.len(), 3, "it is asked again");
    assert_eq!(driver.starts("d"), 0);
    permit(&mut driver, 2);
    assert_eq!(driver.starts("d"), 1);
}

#[test]
fn a_permission_does_not_apply_to_a_changed_call() {
    let mut driver = Driver::new();
    let spec = action("f").with_eager(true);
    driver.register(spec);
    driver.host.permission = Some(Answer::Later);
    driver.send("hi");
    driver.event(started());
    driver.events(calls("c", "f", r#"{"to":"Ann"}"#));
    assert_eq!(driver.host.permissions.len(), 1);
    driver.events(calls("c", "f", r#"{"to":"Bob"}"#));
    let ticket = driver.host.permissions[0].0;
    driver.input(Input::PermissionAnswer {
        ticket,
        outcome: Ok(()),
    });
    assert_eq!(driver.starts("c"), 0);
}

#[test]
fn a_remembered_approval_does_not_replace_a_permission() {
    let mut driver = Driver::new();
    driver.register(asking("f"));
    driver.send("hi");
    driver.plays(calls("a", "f", "{}"));
    let what = Remember::new(RememberScope::Session, true);
    driver.decide("a", Verdict::Remember { args: None, what });
    driver.returns("a", json!(1));
    driver.host.permission = Some(Answer::Now(Err(String::new())));
    driver.plays(calls("b", "f", "{}"));
    assert_eq!(driver.starts("b"), 0);
    assert_eq!(answers(&driver, "b")["error"], "This is not permitted");
}

#[test]
fn a_remote_call_needs_permission_too() {
    let mut driver = Driver::new();
    driver.register(remote_action("f"));
    driver.host.permission = Some(Answer::Now(Err("no".to_owned())));
    driver.send("hi");
    driver.plays(calls("c", "f", "{}"));
    driver.approve("c");
    assert_eq!(driver.phase("c"), Phase::OutputError);
}

#[test]
fn sanitized_arguments_are_shown_and_run() {
    let mut driver = Driver::new();
    let spec = asking("f").with_parameters(
        json!({"type": "object", "properties": {"to": {"type": "string", "maxLength": 3}}}),
    );
    driver.register(spec);
    driver.host.clean = Some(|args| {
        let text = args["to"].as_str()?.trim();
        Some(json!({"to": text}))
    });
    driver.send("hi");
    driver.plays(calls("c", "f", r#"{"to":"  Ann "}"#));
    assert_eq!(
        driver.phase("c"),
        Phase::ApprovalRequested,
        "cleaned, then checked"
    );
    assert_eq!(
        driver.call("c").effective_args(),
        Some(&json!({"to": "Ann"}))
    );
    let edit = |to: &str| Verdict::Approve {
        args: Some(json!({"to": to})),
    };
    // Edited arguments run unchanged, or not at all.
    assert_eq!(driver.decide("c", edit(" Bo")), Some(Refusal::Unclean));
    assert_eq!(driver.approve("c"), None);
    assert_eq!(*driver.invocation("c").args(), json!({"to": "Ann"}));
    assert_eq!(driver.call("c").args(), Some(&json!({"to": "  Ann "})));
    let kept = driver.session.snapshot();
    driver.returns("c", json!(1));
    // The agent receives the arguments that ran.
    let sent = serde_json::to_string(&assistant_protocols::agui::run_input(driver.request()));
    let sent = sent.unwrap();
    assert!(
        sent.contains(r#"{\"to\":\"Ann\"}"#) && sent.contains("originalArguments"),
        "{sent}"
    );
    assert!(kept.to_string().contains("cleanInput"));
}

#[test]
fn a_remembered_approval_applies_to_sanitized_arguments() {
    let mut driver = Driver::new();
    driver.register(asking("f"));
    driver.host.clean = Some(|args| Some(json!({"to": args["to"].as_str()?.trim()})));
    driver.send("hi");
    driver.plays(calls("a", "f", r#"{"to":"Ann"}"#));
    let what = Remember::new(RememberScope::Session, false);
    driver.decide("a", Verdict::Remember { args: None, what });
    driver.returns("a", json!(1));
    driver.plays(calls("b", "f", r#"{"to":" Ann  ","x":1}"#));
    assert_eq!(*driver.invocation("b").args(), json!({"to": "Ann"}));
}
