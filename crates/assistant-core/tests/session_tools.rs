//! Handlers: the time, number and order of starts (rules "start of a tool", "order of calls",
//! "exactly once").

use assistant_core::{
    action::ToolOutcome,
    conversation::{ErrorKind, Phase},
    session::{Input, JournalEntry, SessionOptions},
};
use serde_json::json;

use crate::support::*;

fn eager(name: &str) -> assistant_core::action::ActionSpec {
    action(name).with_eager(true)
}

#[test]
fn no_call_starts_before_its_run_has_finished() {
    let mut driver = with([action("f")]);
    driver.events([start("c", "f"), args("c", "{\"x\":1}")]);
    assert_eq!(driver.phase("c"), Phase::InputStreaming);
    driver.event(end("c"));
    assert_eq!(driver.phase("c"), Phase::InputAvailable);
    driver.event(finished());
    assert!(driver.commits.is_empty());
    driver.close();
    assert_eq!(driver.starts("c"), 1);
    assert_eq!(*driver.invocation("c").args(), json!({"x": 1}));
    assert_eq!(driver.phase("c"), Phase::Running);
}

#[test]
fn a_start_is_committed_before_the_handler_runs() {
    let mut driver = with([action("f")]);
    driver.manual_commits = true;
    driver.events(calls("c", "f", "{\"x\": 1}"));
    finish_run(&mut driver);
    assert_eq!(driver.starts("c"), 0);
    let (commit, entry) = driver.commits[0].clone();
    let JournalEntry::Started {
        thread_id,
        call,
        name,
        args_text,
        ..
    } = entry
    else {
        panic!("not the start");
    };
    assert_eq!(
        (thread_id.as_str(), name.as_str(), args_text.as_str()),
        ("thread", "f", "{\"x\": 1}")
    );
    assert_eq!(call, driver.key("c"));
    let mut other = with([action("f")]);
    other.events([calls("c", "f", "{}"), calls("d", "f", "{}")].concat());
    finish_run(&mut other);
    let (unknown, _) = other.commits[1];
    assert_ne!(unknown, commit);
    driver.input(Input::Committed {
        commit: unknown,
        outcome: Ok(()),
    });
    assert_eq!(driver.starts("c"), 0);
    driver.input(Input::Committed {
        commit,
        outcome: Ok(()),
    });
    driver.input(Input::Committed {
        commit,
        outcome: Ok(()),
    });
    assert_eq!(driver.starts("c"), 1);
    driver.returns("c", json!(1));
    let JournalEntry::Finished { phase, result, .. } = driver.records[0].clone() else {
        panic!("not the end");
    };
    assert_eq!((phase, result.value()), (Phase::OutputAvailable, &json!(1)));
}

#[test]
fn a_call_whose_commit_fails_does_not_start() {
    let mut driver = with([action("f")]);
    driver.manual_commits = true;
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    let commit = driver.commits[0].0;
    driver.input(Input::Committed {
        commit,
        outcome: Err("disk full".to_owned()),
    });
    assert_eq!(driver.starts("c"), 0);
    assert_eq!(driver.call("c").error().unwrap().kind(), ErrorKind::Journal);
    assert!(driver.answer("c").contains("disk full"));
    assert_eq!(driver.runs.len(), 2);
}

#[test]
fn an_eager_action_starts_at_the_end_of_its_arguments() {
    let mut driver = with([eager("f"), action("g")]);
    driver.events(calls("c", "f", "{}"));
    driver.events(calls("d", "g", "{}"));
    assert_eq!((driver.starts("c"), driver.starts("d")), (1, 0));
    driver.returns("c", json!("early"));
    assert_eq!(driver.phase("c"), Phase::OutputAvailable);
    assert_eq!(driver.runs.len(), 1);
    finish_run(&mut driver);
    assert_eq!((driver.starts("c"), driver.starts("d")), (1, 1));
    driver.returns("d", json!(2));
    assert_eq!(
        request(&driver),
        ["user=hi", "assistant=[c,d]", "tool:c=\"early\"", "tool:d=2"]
    );
}

#[test]
fn an_option_makes_every_action_eager() {
    let mut driver = Driver::with(SessionOptions::default().eager(true));
    driver.register(action("f"));
    driver.send("hi");
    driver.event(started());
    driver.events(calls("c", "f", "{}"));
    driver.events(calls("d", "unknown", "{}"));
    driver.events(calls("e", "f", "{bad"));
    assert_eq!(driver.starts("c"), 1);
    assert_eq!(driver.phase("d"), Phase::Running);
    assert_eq!(driver.phase("e"), Phase::InputAvailable);
    finish_run(&mut driver);
    assert_eq!(
        (driver.phase("d"), driver.phase("e")),
        (Phase::Running, Phase::OutputError),
        "the agent may run its own in the next run"
    );
}

#[test]
fn a_running_call_is_not_reopened() {
    let mut driver = with([eager("f")]);
    driver.events(calls("c", "f", "{}"));
    let output = driver.event(start("c", "f"));
    assert_eq!(output.diagnostics[0].code(), "call-has-started");
    driver.events([args("c", "{}"), end("c")]);
    finish_run(&mut driver);
    driver.returns("c", json!(1));
    assert_eq!(driver.starts("c"), 1);
    assert_eq!(driver.answer("c"), "1");
}

#[test]
fn doubled_events_start_one_handler() {
    let mut driver = with([action("f")]);
    driver.events([
        start("c", "f"),
        start("c", "f"),
        args("c", "{}"),
        end("c"),
        end("c"),
    ]);
    driver.events([start("c", "f"), end("c"), end("c")]);
    finish_run(&mut driver);
    driver.close();
    assert_eq!(driver.starts("c"), 1);
    assert_eq!(*driver.invocation("c").args(), json!({}));
}

#[test]
fn a_reopened_call_runs_with_its_last_name_and_arguments() {
    let mut driver = with([action("f"), action("g")]);
    driver.events([start("c", "f"), args("c", "{\"p\":1"), end("c")]);
    driver.events([start("c", "g"), args("c", ",\"q\":2}"), end("c")]);
    finish_run(&mut driver);
    assert_eq!(driver.invocation("c").name(), "g");
    assert_eq!(*driver.invocation("c").args(), json!({"p": 1, "q": 2}));
    assert_eq!(driver.starts("c"), 1);
}

#[test]
fn a_reopened_remote_call_can_become_a_local_one() {
    let mut driver = with([action("f")]);
    driver.events([start("c", "theirs"), end("c")]);
    assert_eq!(driver.phase("c"), Phase::Running);
    driver.events([start("c", "f"), end("c")]);
    assert_eq!(driver.phase("c"), Phase::InputAvailable);
    finish_run(&mut driver);
    assert_eq!(driver.starts("c"), 1);
}

#[test]
fn a_call_that_the_agent_answers_is_not_run() {
    let mut driver = with([action("f"), eager("e"), asking("a")]);
    for (id, name) in [("c", "f"), ("d", "e"), ("b", "a")] {
        driver.events(calls(id, name, "{}"));
        driver.event(result(&format!("t-{id}"), id, "theirs"));
    }
    let running = driver.invocation("d").id();
    assert_eq!(driver.cancelled, [running]);
    let outcome = Ok(ToolOutcome::Continue(json!("late")));
    driver.input(Input::Finished {
        invocation: running,
        outcome,
    });
    finish_run(&mut driver);
    assert_eq!(driver.invocations.len(), 1);
    for id in ["b", "c", "d"] {
        assert_eq!(
            (driver.answer(id).as_str(), driver.phase(id)),
            ("theirs", Phase::OutputAvailable)
        );
    }
    assert_eq!(driver.runs.len(), 1);
}

#[test]
fn results_are_sent_together_in_call_order() {
    let mut driver = with([action("f")]);
    for id in ["1", "2", "3"] {
        driver.events(calls(id, "f", "{}"));
    }
    driver.events(says("n", "words"));
    finish_run(&mut driver);
    assert_eq!(driver.invocations.len(), 3);
    for id in ["3", "1", "2"] {
        assert_eq!(driver.runs.len(), 1);
        driver.returns(id, json!(id));
    }
    assert_eq!(driver.runs.len(), 2);
    assert_eq!(
        request(&driver),
        [
            "user=hi",
            "assistant=[1,2,3]",
            "tool:1=\"1\"",
            "tool:2=\"2\"",
            "tool:3=\"3\"",
            "assistant=words[]"
        ]
    );
    let received = sketch(&driver.session.conversation().received_messages());
    assert_eq!(
        received[2..5],
        ["tool:1=\"1\"", "tool:2=\"2\"", "tool:3=\"3\""]
    );
}

#[test]
fn an_exclusive_action_never_overlaps_another() {
    let alone = action("alone").with_exclusive(true);
    let mut driver = with([action("f"), alone]);
    for (id, name) in [("1", "f"), ("2", "alone"), ("3", "f"), ("4", "alone")] {
        driver.events(calls(id, name, "{}"));
    }
    finish_run(&mut driver);
    let started = |d: &Driver| {
        d.invocations
            .iter()
            .map(|i| i.call_id().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(started(&driver), ["1", "3"]);
    driver.returns("1", json!(1));
    assert_eq!(started(&driver), ["1", "3"]);
    driver.returns("3", json!(3));
    assert_eq!(started(&driver), ["1", "3", "2"]);
    driver.returns("2", json!(2));
    assert_eq!(started(&driver), ["1", "3", "2", "4"]);
    driver.returns("4", json!(4));
    assert_eq!(driver.runs.len(), 2);
}

#[test]
fn the_sequential_option_runs_one_after_the_other_in_order() {
    let mut driver = Driver::with(SessionOptions::default().sequential(true));
    driver.register(action("f"));
    driver.register(asking("ask"));
    driver.send("hi");
    driver.event(started());
    driver.events(calls("1", "f", "{}"));
    driver.events(calls("2", "ask", "{}"));
    driver.events(calls("3", "f", "{}"));
    // Checked again, the first call keeps its place.
    driver.events([start("1", "f"), end("1")]);
    finish_run(&mut driver);
    assert_eq!(driver.invocations.len(), 1);
    assert_eq!(driver.starts("1"), 1);
    driver.returns("1", json!(1));
    assert_eq!(driver.invocations.len(), 1);
    driver.approve("2");
    assert_eq!((driver.starts("2"), driver.starts("3")), (1, 0));
    driver.returns("2", json!(2));
    driver.returns("3", json!(3));
    assert_eq!(driver.runs.len(), 2);
}
