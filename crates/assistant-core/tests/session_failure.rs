//! Failing runs: preserved data, calls that are not run, and retries.

use assistant_core::{
    conversation::{Cut, Phase},
    event::Outcome,
    session::{
        Failure, FailureKind, FinishReason, Input, NoticeAction, NoticeKind, Refusal, StreamEnd,
    },
};
use serde_json::json;

use crate::support::*;

fn with_tool() -> Driver {
    let mut driver = Driver::new();
    driver.register(action("f"));
    driver
}

/// A failure of a run: its name, the notice, and its cause.
type Fault = (&'static str, NoticeKind, fn(&mut Driver));

/// All failures of a run after one of its calls has ended.
fn failures() -> Vec<Fault> {
    vec![
        ("network", NoticeKind::Network, |d| {
            d.break_off(FailureKind::Network);
        }),
        ("offline", NoticeKind::Offline, |d| {
            d.break_off(FailureKind::Offline);
        }),
        ("request", NoticeKind::Request, |d| {
            d.break_off(FailureKind::Request);
        }),
        ("http", NoticeKind::Http, |d| {
            d.break_off(FailureKind::Http { status: 500 });
        }),
        ("no stream", NoticeKind::Protocol, |d| {
            d.break_off(FailureKind::NotAStream);
        }),
        ("protocol", NoticeKind::Protocol, |d| {
            d.break_off(FailureKind::Protocol);
        }),
        ("truncated", NoticeKind::Truncated, |d| {
            d.close();
        }),
        ("run error", NoticeKind::RunError, |d| {
            d.event(run_error("boom"));
            d.close();
        }),
        ("error after the end", NoticeKind::RunError, |d| {
            d.event(finished());
            d.event(run_error("boom"));
            d.close();
        }),
        ("protocol fault after the end", NoticeKind::Protocol, |d| {
            d.event(finished());
            d.break_off(FailureKind::Protocol);
        }),
    ]
}

#[test]
fn a_failed_run_starts_no_call_and_retry_repeats_its_request() {
    for (name, kind, fail) in failures() {
        let mut driver = with_tool();
        driver.register(asking("ask"));
        driver.send("hi");
        driver.event(started());
        driver.events(says("m", "so far"));
        driver.events(calls("c", "f", "{}"));
        driver.events(calls("d", "ask", "{}"));
        driver.event(start_in("half", "f", Some("m")));
        fail(&mut driver);
        assert_eq!(driver.notices(), [kind], "{name}");
        assert_eq!(
            driver.session.summary().finish(),
            Some(FinishReason::Error),
            "{name}"
        );
        assert!(!driver.session.is_busy(), "{name}");
        assert_eq!(driver.starts("c"), 0, "{name}");
        for id in ["c", "d", "half"] {
            assert_eq!(driver.phase(id), Phase::Cancelled, "{name}");
        }
        let message = driver
            .session
            .conversation()
            .message(&message_id("m"))
            .unwrap();
        assert_eq!(message.text(), "so far", "{name}");

        let mut other = driver.clone();
        assert_eq!(driver.input(Input::Retry).refused, None, "{name}");
        assert_eq!(request(&driver), ["user=hi"], "{name}");
        assert_eq!(driver.notices(), [], "{name}");
        driver.plays(calls("c", "f", "{}"));
        assert_eq!(driver.starts("c"), 1, "{name}");
        driver.returns("c", json!(1));
        assert_eq!(
            request(&driver),
            ["user=hi", "assistant=[c]", "tool:c=1"],
            "{name}"
        );
        assert_eq!(
            driver.input(Input::Retry).refused,
            Some(Refusal::NothingToDo),
            "{name}"
        );

        other.send("never mind");
        let sent = &other.request().messages;
        assert_answered(sent, &Default::default());
        assert_eq!(sketch(sent)[1], "assistant=so far[c,d]", "{name}");
    }
}

#[test]
fn a_notice_contains_the_retry_delay_of_the_server() {
    let mut driver = Driver::new();
    driver.send("hi");
    let busy = Failure::new(FailureKind::Http { status: 503 }, "busy");
    for (failure, wait) in [
        (busy.clone().with_retry_after_ms(30_000), Some(30_000)),
        (busy, None),
    ] {
        let run = driver.run();
        driver.input(Input::RunClosed {
            run,
            end: StreamEnd::Failed(failure),
        });
        let [notice] = driver.session.notices() else {
            panic!("one notice")
        };
        assert_eq!(
            (notice.status(), notice.retry_after_ms()),
            (Some(503), wait)
        );
        assert_eq!(notice.action(), Some(NoticeAction::Retry));
        assert_eq!(driver.input(Input::Retry).refused, None);
    }
}

#[test]
fn a_connection_lost_after_run_finished_is_no_failure() {
    let mut driver = with_tool();
    driver.send("hi");
    driver.event(started());
    driver.events(calls("c", "f", "{}"));
    driver.event(finished());
    driver.break_off(FailureKind::Network);
    assert_eq!(driver.starts("c"), 1);
    assert_eq!(driver.notices(), []);
}

#[test]
fn retrying_a_continuation_resends_results_and_runs_nothing_twice() {
    let mut driver = with_tool();
    driver.send("hi");
    driver.plays(calls("c", "f", "{}"));
    driver.returns("c", json!(1));
    let first = request(&driver);
    driver.break_off(FailureKind::Network);
    driver.input(Input::Retry);
    assert_eq!(request(&driver), first);
    driver.event(started());
    driver.events(says("n", "half"));
    driver.close();
    driver.input(Input::Retry);
    assert_eq!(request(&driver), first);
    driver.says("whole");
    assert_eq!(driver.starts("c"), 1);
    assert_eq!(driver.session.summary().runs().len(), 2);
}

#[test]
fn a_cancelled_outcome_is_no_failure() {
    let mut driver = with_tool();
    driver.send("hi");
    driver.event(started());
    driver.events(calls("c", "f", "{}"));
    driver.event(ended_with(Some(Outcome::Cancelled)));
    driver.close();
    assert_eq!(
        (driver.starts("c"), driver.phase("c")),
        (0, Phase::Cancelled)
    );
    assert_eq!(
        driver.session.summary().finish(),
        Some(FinishReason::Cancelled)
    );
    assert_eq!(driver.notices(), [NoticeKind::Cancelled]);
    assert!(driver.session.notices().iter().all(|one| !one.is_failure()));
}

#[test]
fn an_empty_stream_is_reported_apart_from_a_truncated_one() {
    let mut driver = Driver::new();
    driver.send("hi");
    driver.close();
    assert_eq!(driver.notices(), [NoticeKind::Silent]);
    driver.input(Input::Retry);
    driver.event(started());
    driver.close();
    assert_eq!(driver.notices(), [NoticeKind::Truncated]);
}

/// Returns the marks of the messages, in order.
fn marks(driver: &Driver) -> Vec<Option<Cut>> {
    let path = driver.session.conversation().run_path();
    path.map(|message| message.cut()).collect()
}

#[test]
fn a_failed_turn_stays_marked_until_it_is_retried() {
    for (fails, cut) in [
        (
            (|d| {
                d.break_off(FailureKind::Network);
            }) as fn(&mut Driver),
            Cut::BrokenOff,
        ),
        (
            |d| {
                d.event(started());
                d.event(run_error("boom"));
                d.close();
            },
            Cut::Failed,
        ),
    ] {
        let mut driver = with_tool();
        driver.send("hi");
        fails(&mut driver);
        assert_eq!(marks(&driver), [Some(cut)]);

        let mut later = Driver::new();
        assert_eq!(
            later
                .input(Input::Load {
                    thread_id: "thread".to_owned(),
                    snapshot: driver.session.export(),
                })
                .refused,
            None
        );
        assert_eq!(marks(&later), [Some(cut)], "after a reload");

        let mut other = driver.clone();
        other.send("again");
        other.says("Yes.");
        assert_eq!(
            marks(&other),
            [Some(cut), None, None],
            "after more messages"
        );

        driver.input(Input::Retry);
        assert_eq!(marks(&driver), [None]);
        driver.plays(calls("c", "f", "{}"));
        driver.returns("c", json!(1));
        fails(&mut driver);
        assert_eq!(marks(&driver), [None, Some(cut)], "the call's message");
        driver.input(Input::Retry);
        driver.says("Done.");
        assert_eq!(marks(&driver), [None, None, None]);
    }
}
