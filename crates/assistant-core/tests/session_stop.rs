//! Early ends: stop, unmounting, another conversation.

use assistant_core::{
    action::{RegistrationId, ToolOutcome},
    conversation::{Change, Phase},
    event::ResumeStatus,
    session::{FinishReason, Input, JournalEntry, NoticeKind, Refusal},
};
use serde_json::json;

use crate::support::*;

/// Asserts that nothing is in progress, and that late inputs do not change that.
fn assert_all_ended(driver: &mut Driver) {
    assert!(!driver.session.is_busy() && !driver.session.is_streaming());
    assert_eq!(driver.session.conversation().active_calls(), []);
    assert!(driver.session.interrupts().is_empty());
    let before = driver.session.conversation().export();
    let runs = driver.runs.len();
    for invocation in driver.invocations.clone() {
        let outcome = Ok(ToolOutcome::Continue(json!("late")));
        driver.input(Input::Finished {
            invocation: invocation.id(),
            outcome,
        });
    }
    for (commit, _) in driver.commits.clone() {
        driver.input(Input::Committed {
            commit,
            outcome: Ok(()),
        });
    }
    for (timer, _) in driver.timers.clone() {
        driver.input(Input::Timer { timer });
    }
    if !driver.runs.is_empty() {
        driver.event(text_start("late"));
        driver.event(finished());
        driver.close();
    }
    assert_eq!(driver.session.conversation().export(), before);
    assert_eq!(driver.runs.len(), runs);
}

fn working() -> Driver {
    let mut driver = Driver::new();
    driver.register(action("f"));
    driver.register(asking("ask"));
    driver.send("hi");
    driver.event(started());
    driver
}

#[test]
fn stop_during_an_answer_keeps_its_text() {
    let mut driver = working();
    driver.events([text_start("m"), text("m", "half a")]);
    driver.event(start_in("c", "f", Some("m")));
    driver.event(args("c", "{\"x"));
    assert_eq!(driver.input(Input::Stop).refused, None);
    assert_eq!(driver.aborted, [driver.run()]);
    let message = driver
        .session
        .conversation()
        .message(&message_id("m"))
        .unwrap();
    assert_eq!(
        (message.text().as_str(), message.is_streaming()),
        ("half a", false)
    );
    assert_eq!(driver.phase("c"), Phase::Cancelled);
    assert!(driver.call("c").result().is_none());
    assert_eq!(driver.notices(), [NoticeKind::Stopped]);
    assert_eq!(
        driver.session.summary().finish(),
        Some(FinishReason::Stopped)
    );
    assert_all_ended(&mut driver);
    driver.send("more");
    assert_eq!(
        request(&driver),
        ["user=hi", "assistant=half a[]", "user=more"]
    );
}

#[test]
fn stop_cancels_open_calls_and_keeps_finished_results() {
    let mut driver = working();
    driver.manual_commits = true;
    for (id, name) in [("a", "f"), ("b", "f"), ("c", "f"), ("d", "ask")] {
        driver.events(calls(id, name, "{}"));
    }
    driver.event(finished());
    driver.close();
    for (commit, _) in driver.commits.clone().into_iter().take(2) {
        driver.input(Input::Committed {
            commit,
            outcome: Ok(()),
        });
    }
    driver.returns("a", json!("done"));
    driver.input(Input::Stop);
    assert_eq!(driver.cancelled, [driver.invocation("b").id()]);
    assert_eq!(driver.phase("a"), Phase::OutputAvailable);
    for id in ["b", "c", "d"] {
        assert_eq!(driver.phase(id), Phase::Cancelled);
        assert_eq!(driver.answer(id), "{\"error\":\"cancelled\"}");
        assert_eq!(driver.call(id).result().unwrap().error(), None);
    }
    assert_all_ended(&mut driver);
    assert_eq!(driver.approve("d"), Some(Refusal::AlreadyResolved));
    assert_eq!(
        driver.input(Input::Stop).refused,
        Some(Refusal::NothingToDo)
    );
    driver.send("more");
    assert_eq!(request(&driver)[2], "tool:a=\"done\"");
    assert_answered(&driver.request().messages, &Default::default());
}

#[test]
fn stop_cancels_open_interrupts() {
    let mut driver = working();
    driver.events(calls("c", "theirs", "{}"));
    driver.event(interrupted(vec![approval_interrupt("int", "c")]));
    driver.close();
    driver.input(Input::Stop);
    assert!(!driver.session.is_busy());
    driver.send("more");
    let request = driver.request();
    assert_eq!(
        request.resume.len(),
        1,
        "the agent receives the cancellation"
    );
    assert_eq!(request.resume[0].interrupt_id, "int");
    assert_eq!(request.resume[0].status, ResumeStatus::Cancelled);
    assert_answered(&request.messages, &["c".to_owned()].into());
}

#[test]
fn stop_without_activity_is_refused() {
    let mut driver = Driver::new();
    assert_eq!(
        driver.input(Input::Stop).refused,
        Some(Refusal::NothingToDo)
    );
    driver.send("hi");
    driver.says("hello");
    assert_eq!(
        driver.input(Input::Stop).refused,
        Some(Refusal::NothingToDo)
    );
    assert_eq!(driver.notices(), []);
}

#[test]
fn unregistering_an_action_cancels_its_running_handlers() {
    let mut driver = working();
    for (id, name) in [("a", "f"), ("b", "f"), ("d", "ask")] {
        driver.events(calls(id, name, "{}"));
    }
    driver.event(finished());
    driver.close();
    driver.returns("a", json!(1));
    driver.unregister(RegistrationId::new(1));
    assert_eq!(driver.cancelled, [driver.invocation("b").id()]);
    assert_eq!(driver.phase("b"), Phase::Cancelled);
    assert_eq!(
        driver.answer("b"),
        r#"{"error":"cancelled","reason":"unmounted"}"#
    );
    driver.returns("b", json!("late"));
    driver.deny("d", None);
    assert_eq!(driver.runs.len(), 2);
    assert_answered(&driver.request().messages, &Default::default());
}

#[test]
fn disabling_an_action_lets_its_running_handlers_finish() {
    let mut driver = working();
    for (id, name) in [("a", "f"), ("d", "ask")] {
        driver.events(calls(id, name, "{}"));
    }
    driver.event(finished());
    driver.close();
    for (id, name) in [(1, "f"), (2, "ask")] {
        let mut spec = driver
            .session
            .registry()
            .named(name)
            .next()
            .unwrap()
            .spec()
            .clone();
        spec = spec.with_enabled(false);
        driver.register_as(RegistrationId::new(id), spec);
    }
    assert!(driver.cancelled.is_empty());
    driver.returns("a", json!(1));
    assert_eq!(driver.answer("a"), "1");
    // Calls that were asked about meanwhile can be denied, but not run.
    driver.approve("d");
    assert_eq!(driver.starts("d"), 0);
}

#[test]
fn unregistering_between_commit_and_start_runs_nothing() {
    for detached in [true, false] {
        let mut driver = Driver::new();
        let spec = action("f").with_detached(detached);
        let id = driver.register(spec);
        driver.manual_commits = true;
        driver.send("hi");
        driver.plays(calls("c", "f", "{}"));
        driver.unregister(id);
        let commit = driver.commits[0].0;
        driver.input(Input::Committed {
            commit,
            outcome: Ok(()),
        });
        assert_eq!(driver.starts("c"), 0);
        assert!(driver.phase("c").is_final());
        assert_eq!(driver.runs.len(), 2);
    }
}

#[test]
fn a_detached_handler_outlives_its_registration() {
    let mut driver = Driver::new();
    let spec = action("f").with_detached(true);
    let id = driver.register(spec);
    driver.send("hi");
    driver.plays(calls("c", "f", "{}"));
    driver.unregister(id);
    assert_eq!(driver.phase("c"), Phase::Running);
    driver.returns("c", json!(1));
    assert_eq!(request(&driver)[2], "tool:c=1");
}

#[test]
fn a_new_conversation_cancels_open_calls_and_archives_the_old_one() {
    let mut driver = working();
    driver.events(calls("c", "ask", "{}"));
    driver.event(finished());
    driver.close();
    let runs = driver.runs.len();
    let output = driver.input(Input::NewThread);
    assert!(output.changes.contains(&Change::Thread));
    assert_eq!(driver.runs.len(), runs);
    assert_ne!(driver.session.thread_id(), "thread");
    assert_eq!(driver.session.conversation().path().count(), 0);
    assert_eq!(driver.notices(), []);
    assert!(!driver.session.is_busy());
    let JournalEntry::Finished { thread_id, .. } = &driver.records[0] else {
        panic!("not the end of the call");
    };
    assert_eq!(thread_id, "thread");

    let (thread_id, snapshot) = driver.archives[0].clone();
    assert_eq!(thread_id, "thread");
    assert_eq!(
        driver
            .input(Input::Load {
                thread_id,
                snapshot
            })
            .refused,
        None
    );
    assert_eq!(driver.session.thread_id(), "thread");
    assert_eq!(driver.phase("c"), Phase::Cancelled);
    driver.send("back again");
    assert_eq!(driver.request().thread_id, "thread");
    assert_answered(&driver.request().messages, &Default::default());
}

#[test]
fn an_empty_conversation_is_not_archived() {
    let mut driver = Driver::new();
    driver.input(Input::NewThread);
    assert!(driver.archives.is_empty());
}

#[test]
fn a_dismissed_notice_is_removed_with_its_action() {
    let mut driver = working();
    driver.close();
    let notice = driver.session.notices()[0].id();
    driver.input(Input::Dismiss { notice });
    driver.input(Input::Dismiss { notice });
    assert_eq!(driver.notices(), []);
    assert_eq!(
        driver.input(Input::Retry).refused,
        Some(Refusal::NothingToDo)
    );
    assert_eq!(driver.send("again").refused, None);
}
