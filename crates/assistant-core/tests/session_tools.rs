//! Handlers: when they start, how often, in which order, and what becomes of their values.

use assistant_core::{
    action::{ResultEncoding, ToolError, ToolOutcome},
    conversation::{ErrorKind, Phase, Progress},
    event::MessageBody,
    session::{CommitId, Effect, FinishReason, Input, JournalEntry, Options, StreamEnd},
};
use serde_json::{Value, json};

use crate::support::*;

fn with(specs: impl IntoIterator<Item = assistant_core::action::ActionSpec>) -> Driver {
    let mut driver = Driver::new();
    for spec in specs {
        driver.register(spec);
    }
    driver.send("hi");
    driver.event(started());
    driver
}

fn finish_run(driver: &mut Driver) {
    driver.event(finished());
    driver.close();
}

fn eager(name: &str) -> assistant_core::action::ActionSpec {
    let mut spec = action(name);
    spec.eager = true;
    spec
}

#[test]
fn nothing_starts_before_the_run_has_finished() {
    let mut driver = with([action("f")]);
    driver.events([start("c", "f"), args("c", "{\"x\":1}")]);
    assert_eq!(driver.phase("c"), Phase::InputStreaming);
    driver.event(end("c"));
    assert_eq!(driver.phase("c"), Phase::InputAvailable);
    driver.event(finished());
    assert!(driver.commits.is_empty());
    driver.close();
    assert_eq!(driver.starts("c"), 1);
    assert_eq!(driver.invocation("c").args, json!({"x": 1}));
    assert_eq!(driver.phase("c"), Phase::Running);
}

#[test]
fn a_start_is_written_down_first() {
    let mut driver = with([action("f")]);
    driver.manual_commits = true;
    driver.events(calls("c", "f", "{\"x\": 1}"));
    finish_run(&mut driver);
    assert_eq!(driver.starts("c"), 0);
    let (commit, entry) = driver.commits[0].clone();
    let JournalEntry::Started { thread_id, call, name, args_text } = entry else {
        panic!("not the start");
    };
    assert_eq!((thread_id.as_str(), name.as_str(), args_text.as_str()), ("thread", "f", "{\"x\": 1}"));
    assert_eq!(call, driver.key("c"));
    driver.input(Input::Committed { commit: CommitId(commit.0 + 1), outcome: Ok(()) });
    assert_eq!(driver.starts("c"), 0);
    driver.input(Input::Committed { commit, outcome: Ok(()) });
    driver.input(Input::Committed { commit, outcome: Ok(()) });
    assert_eq!(driver.starts("c"), 1);
    driver.returns("c", json!(1));
    let JournalEntry::Finished { phase, result, .. } = driver.records[0].clone() else {
        panic!("not the end");
    };
    assert_eq!((phase, result.value), (Phase::OutputAvailable, json!(1)));
}

#[test]
fn a_start_that_cannot_be_written_down_does_not_happen() {
    let mut driver = with([action("f")]);
    driver.manual_commits = true;
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    let commit = driver.commits[0].0;
    driver.input(Input::Committed { commit, outcome: Err("disk full".to_owned()) });
    assert_eq!(driver.starts("c"), 0);
    assert_eq!(driver.call("c").error.as_ref().unwrap().kind, ErrorKind::Journal);
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
    assert_eq!(request(&driver), ["user=hi", "assistant=[c,d]", "tool:c=\"early\"", "tool:d=2"]);
}

#[test]
fn an_option_makes_every_action_eager() {
    let mut driver = Driver::with(Options { eager: true, ..Options::default() });
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
    assert_eq!((driver.phase("d"), driver.phase("e")), (Phase::OutputError, Phase::OutputError));
}

#[test]
fn a_running_call_is_not_reopened() {
    let mut driver = with([eager("f")]);
    driver.events(calls("c", "f", "{}"));
    let step = driver.event(start("c", "f"));
    assert_eq!(step.diagnostics[0].code, "call-has-started");
    driver.events([args("c", "{}"), end("c")]);
    finish_run(&mut driver);
    driver.returns("c", json!(1));
    assert_eq!(driver.starts("c"), 1);
    assert_eq!(driver.answer("c"), "1");
}

#[test]
fn doubled_events_start_one_handler() {
    let mut driver = with([action("f")]);
    driver.events([start("c", "f"), start("c", "f"), args("c", "{}"), end("c"), end("c")]);
    driver.events([start("c", "f"), end("c"), end("c")]);
    finish_run(&mut driver);
    driver.close();
    assert_eq!(driver.starts("c"), 1);
    assert_eq!(driver.invocation("c").args, json!({}));
}

#[test]
fn a_reopened_call_runs_with_its_last_name_and_arguments() {
    let mut driver = with([action("f"), action("g")]);
    driver.events([start("c", "f"), args("c", "{\"p\":1"), end("c")]);
    driver.events([start("c", "g"), args("c", ",\"q\":2}"), end("c")]);
    finish_run(&mut driver);
    assert_eq!(driver.invocation("c").name, "g");
    assert_eq!(driver.invocation("c").args, json!({"p": 1, "q": 2}));
    assert_eq!(driver.starts("c"), 1);
}

#[test]
fn a_tool_of_the_agent_may_become_one_of_ours() {
    let mut driver = with([action("f")]);
    driver.events([start("c", "theirs"), end("c")]);
    assert_eq!(driver.phase("c"), Phase::Running);
    driver.events([start("c", "f"), end("c")]);
    assert_eq!(driver.phase("c"), Phase::InputAvailable);
    finish_run(&mut driver);
    assert_eq!(driver.starts("c"), 1);
}

#[test]
fn a_call_that_the_agent_answers_itself_is_not_run() {
    let mut driver = with([action("f"), eager("e"), asking("a")]);
    for (id, name) in [("c", "f"), ("d", "e"), ("b", "a")] {
        driver.events(calls(id, name, "{}"));
        driver.event(result(&format!("t-{id}"), id, "theirs"));
    }
    let running = driver.invocation("d").id;
    assert_eq!(driver.cancelled, [running]);
    let outcome = Ok(ToolOutcome::Continue(json!("late")));
    driver.input(Input::Finished { invocation: running, outcome });
    finish_run(&mut driver);
    assert_eq!(driver.invocations.len(), 1);
    for id in ["b", "c", "d"] {
        assert_eq!((driver.answer(id).as_str(), driver.phase(id)), ("theirs", Phase::OutputAvailable));
    }
    assert_eq!(driver.runs.len(), 1);
}

#[test]
fn results_go_out_together_in_call_order() {
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
        ["user=hi", "assistant=[1,2,3]", "tool:1=\"1\"", "tool:2=\"2\"", "tool:3=\"3\"", "assistant=words[]"]
    );
    let received = sketch(&driver.session.conversation().received_messages());
    assert_eq!(received[2..5], ["tool:1=\"1\"", "tool:2=\"2\"", "tool:3=\"3\""]);
}

#[test]
fn an_exclusive_action_never_overlaps_another() {
    let mut alone = action("alone");
    alone.exclusive = true;
    let mut driver = with([action("f"), alone]);
    for (id, name) in [("1", "f"), ("2", "alone"), ("3", "f"), ("4", "alone")] {
        driver.events(calls(id, name, "{}"));
    }
    finish_run(&mut driver);
    let started = |d: &Driver| d.invocations.iter().map(|i| i.call_id.clone()).collect::<Vec<_>>();
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
    let mut driver = Driver::with(Options { sequential: true, ..Options::default() });
    driver.register(action("f"));
    driver.register(asking("ask"));
    driver.send("hi");
    driver.event(started());
    driver.events(calls("1", "f", "{}"));
    driver.events(calls("2", "ask", "{}"));
    driver.events(calls("3", "f", "{}"));
    // Looked at anew, the first call keeps its place.
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

#[test]
fn values_are_sent_as_json_text() {
    for value in [json!("ok"), json!(true), json!([1, "a"]), json!({"b": 1, "a": 2}), json!(null)] {
        let mut driver = with([action("f")]);
        driver.events(calls("c", "f", "{}"));
        finish_run(&mut driver);
        driver.returns("c", value.clone());
        let MessageBody::Tool { content, error, .. } = &driver.request().messages[2].body else {
            panic!("no tool message");
        };
        assert_eq!(content.display_text(), value.to_string());
        assert_eq!(*error, None);
        assert_eq!(driver.call("c").result.as_ref().unwrap().value, value);
    }
}

#[test]
fn the_encoding_is_the_one_the_call_was_started_with() {
    let mut plain = action("f");
    plain.encoding = ResultEncoding::Text;
    plain.detached = true;
    let mut driver = Driver::new();
    let id = driver.register(plain);
    driver.send("hi");
    driver.plays(calls("c", "f", "{}"));
    driver.unregister(id);
    driver.returns("c", json!("raw"));
    assert_eq!(driver.answer("c"), "raw");
}

#[test]
fn an_error_is_told_and_the_chat_goes_on() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    let error = ToolError::new("boom").error_type("limit").suggestion("wait");
    driver.handler_ends("c", Err(error));
    assert_eq!(driver.phase("c"), Phase::OutputError);
    let MessageBody::Tool { content, error, .. } = &driver.request().messages[2].body else {
        panic!("no tool message");
    };
    let told = r#"{"error":"boom","errorType":"limit","suggestion":"wait"}"#;
    assert_eq!((content.display_text().as_str(), error.as_deref()), (told, Some("boom")));
    driver.says("so be it");
    assert_eq!(driver.session.summary().finish, Some(FinishReason::Stop));
}

#[test]
fn a_structured_failure_is_a_result_like_any_other() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    let value = json!({"success": false, "error": "no", "errorType": "x", "suggestion": "y"});
    driver.returns("c", value.clone());
    assert_eq!(driver.phase("c"), Phase::OutputAvailable);
    assert_eq!(driver.answer("c"), value.to_string());
}

#[test]
fn bad_arguments_never_reach_a_handler() {
    let mut strict = asking("f");
    strict.parameters = json!({
        "type": "object",
        "properties": {
            "action": {"type": "string", "pattern": "^[a-z]+$"},
            "importance": {"enum": ["low", "high"]},
        },
        "required": ["action"],
    });
    let cases = [
        ("{}", "/action"),
        ("{\"action\":\"A\"}", "/action"),
        ("{\"action\":\"a\",\"importance\":\"urgent\"}", "/importance"),
        ("{bad", "not valid JSON"),
        ("[1]", "object"),
    ];
    for (text, said) in cases {
        let mut driver = with([strict.clone()]);
        driver.events(calls("c", "f", text));
        assert_eq!(driver.phase("c"), Phase::InputAvailable, "{text}");
        finish_run(&mut driver);
        assert!(driver.invocations.is_empty(), "{text}");
        assert_eq!(driver.phase("c"), Phase::OutputError);
        assert_eq!(driver.call("c").error.as_ref().unwrap().kind, ErrorKind::InvalidArguments);
        let told: Value = serde_json::from_str(&driver.answer("c")).unwrap();
        assert!(told["error"].as_str().unwrap().contains(said), "{told}");
        assert_eq!(driver.runs.len(), 2);
    }
    let mut relaxed = strict;
    relaxed.validate = false;
    relaxed.approval = assistant_core::action::Policy::Never;
    let mut driver = with([relaxed]);
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    assert_eq!(driver.starts("c"), 1);
}

#[test]
fn no_arguments_are_an_empty_object() {
    let mut driver = with([action("f")]);
    driver.events([start("c", "f"), end("c")]);
    finish_run(&mut driver);
    assert_eq!(driver.invocation("c").args, json!({}));
}

#[test]
fn what_has_no_handler_fails_at_once() {
    let mut idle = action("idle");
    idle.has_handler = false;
    let mut driver = with([idle]);
    driver.events(calls("c", "idle", "{}"));
    finish_run(&mut driver);
    assert_eq!(driver.call("c").error.as_ref().unwrap().kind, ErrorKind::NoHandler);
    assert_eq!(driver.answer("c"), "{\"error\":\"Action idle has no handler\"}");
    assert_eq!(driver.runs.len(), 2);
}

#[test]
fn a_silent_handler_is_given_up_after_its_time() {
    let mut slow = action("f");
    slow.timeout_ms = Some(50);
    let mut driver = with([slow, action("g")]);
    driver.events(calls("c", "f", "{}"));
    driver.events(calls("d", "g", "{}"));
    finish_run(&mut driver);
    let (timer, ms) = *driver.timers.last().unwrap();
    assert_eq!(ms, 50);
    driver.input(Input::Timer { timer });
    assert_eq!(driver.call("c").error.as_ref().unwrap().kind, ErrorKind::Timeout);
    assert_eq!(driver.cancelled, [driver.invocation("c").id]);
    let before = driver.session.conversation().export();
    driver.returns("c", json!("late"));
    driver.input(Input::Timer { timer });
    assert_eq!(driver.session.conversation().export(), before);
    driver.returns("d", json!(1));
    assert_eq!(driver.runs.len(), 2);
}

#[test]
fn a_handler_that_ends_twice_has_one_result() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    driver.returns("c", json!(1));
    let step = driver.returns("c", json!(2));
    assert!(step.changes.is_empty() && step.effects.is_empty());
    assert_eq!(driver.answer("c"), "1");
    assert_eq!(driver.runs.len(), 2);
}

#[test]
fn preliminary_results_are_shown_and_only_the_last_is_sent() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    let invocation = driver.invocation("c").id;
    for value in [1, 2] {
        driver.input(Input::Preliminary { invocation, value: json!(value) });
        assert_eq!(driver.call("c").preliminary, Some(json!(value)));
    }
    let progress = Progress { fraction: Some(0.5), text: Some("half".to_owned()) };
    driver.input(Input::Progress { invocation, progress: progress.clone() });
    assert_eq!(driver.call("c").progress, Some(progress));
    driver.returns("c", json!(3));
    let answers: Vec<String> = request(&driver).into_iter().filter(|m| m.starts_with("tool")).collect();
    assert_eq!(answers, ["tool:c=3"]);
    let step = driver.input(Input::Preliminary { invocation, value: json!(4) });
    assert!(step.changes.is_empty());
}

#[test]
fn a_handler_may_end_the_loop() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{}"));
    driver.events(calls("d", "f", "{}"));
    finish_run(&mut driver);
    driver.handler_ends("c", Ok(ToolOutcome::StopLoop(json!("enough"))));
    driver.returns("d", json!(1));
    assert_eq!(driver.runs.len(), 1);
    assert_eq!(driver.session.summary().finish, Some(FinishReason::StopLoop));
    assert!(!driver.session.is_busy());
    driver.send("go on");
    assert_eq!(request(&driver)[2..], ["tool:c=\"enough\"", "tool:d=1", "user=go on"]);
    driver.plays(calls("e", "f", "{}"));
    driver.returns("e", json!(2));
    assert_eq!(driver.runs.len(), 3);
}

#[test]
fn a_call_that_never_ended_is_shown_cancelled_and_not_sent() {
    let mut driver = with([action("f")]);
    driver.events(says("m", ""));
    driver.event(start_in("half", "f", Some("lonely")));
    driver.event(start_in("other", "f", Some("m")));
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    assert_eq!(driver.phase("half"), Phase::Cancelled);
    assert_eq!((driver.starts("half"), driver.starts("other")), (0, 0));
    driver.returns("c", json!(1));
    assert_eq!(request(&driver), ["user=hi", "assistant=[c]", "tool:c=1"]);
}

#[test]
fn what_a_closed_stream_left_open_does_not_run() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{}"));
    let run = driver.run();
    driver.input(Input::RunClosed { run, end: StreamEnd::Closed });
    assert!(driver.commits.is_empty());
    assert_eq!(driver.answer("c"), "{\"error\":\"cancelled\"}");
}

#[test]
fn effects_come_in_the_order_in_which_they_must_be_done() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    driver.returns("c", json!(1));
    let kinds: Vec<&str> = driver.effects.iter().map(|effect| match effect {
        Effect::OpenRun { .. } => "open",
        Effect::Commit { .. } => "commit",
        Effect::Invoke(_) => "invoke",
        Effect::Record { .. } => "record",
        Effect::StartTimer { .. } => "timer",
        _ => "other",
    }).collect();
    assert_eq!(kinds, ["open", "timer", "commit", "invoke", "record", "open"]);
}
