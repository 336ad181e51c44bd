//! Runs: start, end, requests, and the end of the loop.

use assistant_core::{
    conversation::{Change, Conversation, Phase},
    event::{Content, Event, EventKind, TokenUsage},
    session::{
        FinishReason, Input, NoticeAction, NoticeKind, Refusal, SessionOptions, StopCondition,
        StreamEnd,
    },
};
use serde_json::json;

use crate::support::*;

fn with_tool() -> Driver {
    let mut driver = Driver::new();
    driver.register(action("f"));
    driver
}

#[test]
fn a_text_answer_ends_after_one_run() {
    let mut driver = with_tool();
    driver.send("hi");
    assert!(driver.session.is_busy() && driver.session.is_streaming());
    driver.says("hello");
    assert_eq!(driver.runs.len(), 1);
    assert_eq!(driver.session.summary().finish(), Some(FinishReason::Stop));
    assert!(!driver.session.is_busy());
    assert_eq!(driver.notices(), []);
}

#[test]
fn a_call_causes_a_second_run_and_appears_in_the_summary() {
    let mut driver = with_tool();
    driver.send("hi");
    driver.plays(calls("c", "f", "{}"));
    driver.returns("c", json!("ok"));
    driver.says("done");
    let summary = driver.session.summary();
    assert_eq!(summary.runs().len(), 2);
    assert_eq!(summary.runs()[0].tools(), ["f"]);
    assert!(summary.runs()[1].tools().is_empty() && summary.runs()[1].has_text());
    assert_eq!(summary.finish(), Some(FinishReason::Stop));
    let [first, second] = [0, 1].map(|at: usize| summary.runs()[at].run_id().to_owned());
    assert_eq!(
        summary.to_string(),
        format!("run 1 ({first}): called f\nrun 2 ({second}): answered\nended: Stop")
    );
    let sketch = sketch(&driver.session.conversation().received_messages());
    assert_eq!(
        sketch,
        [
            "user=hi",
            "assistant=[c]",
            "tool:c=\"ok\"",
            "assistant=done[]"
        ]
    );
    assert_eq!(driver.invocation("c").iteration(), 0);
}

#[test]
fn an_empty_message_is_refused() {
    let mut driver = Driver::new();
    for content in [Content::Text(" \n".to_owned()), Content::Parts(Vec::new())] {
        let output = driver.input(Input::Send { content });
        assert_eq!(output.refused, Some(Refusal::EmptyMessage));
    }
    assert!(driver.effects.is_empty());
}

#[test]
fn a_message_during_a_run_is_refused() {
    let mut driver = with_tool();
    driver.send("hi");
    assert_eq!(driver.send("more").refused, Some(Refusal::Busy));
    driver.plays(calls("c", "f", "{}"));
    assert_eq!(driver.send("more").refused, Some(Refusal::Busy));
    assert_eq!(driver.runs.len(), 1);
}

#[test]
fn a_request_contains_state_context_and_forwarded_props() {
    let mut driver = Driver::new();
    let item = |value: &str| Some(assistant_core::event::ContextItem::new("page", value));
    driver.input(Input::SetContext {
        owner: 1,
        item: item("one"),
    });
    driver.input(Input::SetContext {
        owner: 2,
        item: item("two"),
    });
    driver.input(Input::SetContext {
        owner: 1,
        item: None,
    });
    driver.input(Input::SetState {
        state: json!({"n": 1}),
    });
    driver.input(Input::SetForwardedProps {
        props: json!({"p": 2}),
    });
    driver.send("hi");
    let input = driver.request().clone();
    assert_eq!(
        (input.thread_id.as_str(), input.parent_run_id),
        ("thread", None)
    );
    assert_eq!(
        input
            .context
            .iter()
            .map(|c| c.value.as_str())
            .collect::<Vec<_>>(),
        ["two"]
    );
    assert_eq!(
        (input.state, input.forwarded_props),
        (json!({"n": 1}), json!({"p": 2}))
    );
    driver.event(started());
    let delta = vec![json!({"op": "replace", "path": "/n", "value": 5})];
    let output = driver.event(EventKind::StateDelta { delta });
    assert!(output.changes.contains(&Change::State));
    assert_eq!(driver.session.conversation().state(), &json!({"n": 5}));
}

#[test]
fn run_and_message_ids_are_unique() {
    let mut driver = with_tool();
    driver.send("hi");
    for n in 0..8 {
        let id = format!("c{n}");
        driver.plays(calls(&id, "f", "{}"));
        driver.returns(&id, json!(n));
    }
    let mut ids: Vec<String> = driver
        .runs
        .iter()
        .map(|(_, input)| input.run_id.clone())
        .collect();
    let messages = driver.session.conversation().request_messages();
    ids.extend(messages.into_iter().map(|message| message.id));
    let count = ids.len();
    ids.sort();
    ids.dedup();
    // All calls share one message.
    assert_eq!(count, ids.len());
}

#[test]
fn the_run_limit_ends_the_loop_and_continue_sends_the_results() {
    let mut driver = Driver::with(SessionOptions::default().stop_when(StopCondition::RunCount(5)));
    driver.register(action("f"));
    driver.send("hi");
    for n in 0..5 {
        let id = format!("c{n}");
        driver.plays(calls(&id, "f", "{}"));
        driver.returns(&id, json!(n));
    }
    assert_eq!(driver.runs.len(), 5);
    assert_eq!(driver.phase("c4"), Phase::OutputAvailable);
    assert_eq!(driver.session.summary().finish(), Some(FinishReason::Limit));
    assert_eq!(driver.notices(), [NoticeKind::RunLimit]);
    let notice = &driver.session.notices()[0];
    assert!(
        notice
            .message()
            .contains("Exceeded maximum tool iterations (5)")
    );
    assert_eq!(notice.limit(), Some(5));
    assert_eq!(notice.action(), Some(NoticeAction::Continue));
    assert!(!driver.session.is_busy());
    assert_eq!(driver.input(Input::Continue).refused, None);
    assert_eq!(driver.runs.len(), 6);
    assert_eq!(request(&driver).last().unwrap(), "tool:c4=4");
    assert_eq!(driver.notices(), []);
    assert_eq!(
        driver.input(Input::Continue).refused,
        Some(Refusal::NothingToDo)
    );
    // The limit counts from the continuation.
    for n in 5..10 {
        assert_eq!(driver.notices(), []);
        let id = format!("c{n}");
        driver.plays(calls(&id, "f", "{}"));
        driver.returns(&id, json!(n));
    }
    assert_eq!(driver.runs.len(), 10);
    assert_eq!(driver.notices(), [NoticeKind::RunLimit]);
}

#[test]
fn stop_conditions_combine() {
    let has = |name: &str| StopCondition::HasToolCall(name.to_owned());
    let ends = |stop_when: StopCondition| {
        let mut driver = Driver::with(SessionOptions::default().stop_when(stop_when));
        driver.register(action("f"));
        driver.send("hi");
        driver.plays(calls("c", "f", "{}"));
        driver.returns("c", json!(1));
        driver.session.summary().finish() == Some(FinishReason::Limit)
    };
    assert!(ends(has("f")));
    assert!(!ends(has("g")));
    assert!(ends(StopCondition::Any(vec![
        has("g"),
        StopCondition::RunCount(1)
    ])));
    assert!(!ends(StopCondition::All(vec![
        has("f"),
        StopCondition::RunCount(2)
    ])));
    // The rule is evaluated by the host.
    assert!(ends(StopCondition::Rule("after one".to_owned())));
    assert!(!ends(StopCondition::Rule("after two".to_owned())));
}

#[test]
fn the_default_run_limit_is_ten() {
    let mut driver = with_tool();
    driver.send("hi");
    for n in 0..10 {
        let id = format!("c{n}");
        driver.plays(calls(&id, "f", "{}"));
        driver.returns(&id, json!(n));
    }
    assert_eq!(driver.runs.len(), 10);
}

#[test]
fn results_left_at_the_run_limit_are_sent_with_the_next_message() {
    let mut driver = Driver::with(SessionOptions::default().stop_when(StopCondition::RunCount(1)));
    driver.register(action("f"));
    driver.send("hi");
    driver.plays(calls("c", "f", "{}"));
    driver.returns("c", json!(1));
    driver.send("more");
    assert_eq!(
        request(&driver),
        ["user=hi", "assistant=[c]", "tool:c=1", "user=more"]
    );
    assert_eq!(driver.session.summary().runs().len(), 1);
}

#[test]
fn a_run_without_an_answer_after_a_call_raises_a_notice() {
    let mut driver = with_tool();
    driver.send("hi");
    driver.plays(calls("c", "f", "{}"));
    driver.returns("c", json!(1));
    driver.plays([]);
    assert_eq!(driver.notices(), [NoticeKind::NoAnswer]);
    assert_eq!(driver.runs.len(), 2);
    driver.input(Input::Continue);
    driver.says("sorry");
    assert_eq!((driver.runs.len(), driver.notices().len()), (3, 0));
}

#[test]
fn an_empty_run_after_a_message_raises_a_notice() {
    let mut driver = Driver::new();
    driver.send("hi");
    driver.plays([]);
    assert_eq!(driver.notices(), [NoticeKind::NoAnswer]);
    driver.input(Input::Retry);
    assert_eq!(request(&driver), ["user=hi"], "asked again");
    driver.plays([EventKind::StateSnapshot {
        snapshot: json!({"a": 1}),
    }]);
    assert!(driver.notices().is_empty(), "a run may act without a text");
}

#[test]
fn a_stream_left_open_after_run_finished_is_closed_by_a_timer() {
    let mut driver = with_tool();
    driver.send("hi");
    driver.event(started());
    driver.events(calls("c", "f", "{}"));
    driver.event(finished());
    assert_eq!(driver.starts("c"), 0);
    let timer = driver.timers[0].0;
    driver.input(Input::Timer { timer });
    assert_eq!(driver.aborted.len(), 1);
    assert_eq!(driver.starts("c"), 1);
    driver.close();
    driver.input(Input::Timer { timer });
    assert_eq!(driver.starts("c"), 1);
}

#[test]
fn several_runs_in_one_stream_end_with_the_last() {
    let mut driver = with_tool();
    driver.send("hi");
    driver.event(started());
    driver.events(calls("c", "f", "{}"));
    driver.event(finished());
    let timer = driver.timers[0].0;
    driver.event(started());
    driver.input(Input::Timer { timer });
    assert_eq!((driver.starts("c"), driver.aborted.len()), (0, 0));
    driver.event(result("t", "c", "mine"));
    driver.event(finished());
    driver.close();
    assert_eq!(
        (driver.starts("c"), driver.answer("c")),
        (0, "mine".to_owned())
    );
}

#[test]
fn events_after_the_end_of_a_run_are_dropped_and_reported() {
    let mut driver = with_tool();
    driver.send("hi");
    driver.event(started());
    driver.event(run_error("boom"));
    for late in calls("c", "f", "{}").into_iter().chain([finished()]) {
        assert_eq!(driver.event(late).diagnostics[0].code(), "event-after-end");
    }
    driver.close();
    assert_eq!(driver.notices(), [NoticeKind::RunError]);
    assert!(driver.session.conversation().call_by_wire_id("c").is_none());
}

#[test]
fn events_of_an_old_run_change_nothing() {
    let mut driver = with_tool();
    driver.send("hi");
    let old = driver.run();
    driver.event(started());
    driver.input(Input::Stop);
    driver.send("again");
    let before = driver.session.conversation().export();
    for kind in says("m", "late")
        .into_iter()
        .chain(calls("c", "f", "{}"))
        .chain([finished()])
    {
        let event = Box::new(Event::from(kind));
        let output = driver.input(Input::Event { run: old, event });
        assert!(output.changes.is_empty() && output.effects.is_empty());
    }
    let output = driver.input(Input::RunClosed {
        run: old,
        end: StreamEnd::Closed,
    });
    assert!(output.changes.is_empty());
    assert_eq!(driver.session.conversation().export(), before);
    assert!(driver.session.is_streaming());
}

#[test]
fn unhandled_events_are_kept_up_to_a_limit() {
    let mut driver = Driver::new();
    driver.send("hi");
    driver.event(started());
    for n in 0..300 {
        let (name, value) = (n.to_string(), json!(n));
        driver.event(EventKind::Custom { name, value });
    }
    assert_eq!(driver.session.side_events().len(), 256);
}

#[test]
fn an_agent_may_run_its_own_tools() {
    let mut driver = Driver::new();
    let shown = action("shown").with_availability(assistant_core::action::Availability::RenderOnly);
    driver.register(shown);
    driver.send("hi");
    driver.event(started());
    assert!(driver.request().tools.is_empty());
    driver.events(calls("a", "shown", "{}"));
    assert_eq!(driver.phase("a"), Phase::Running);
    driver.event(result("t", "a", "{\"n\":1}"));
    assert_eq!(driver.phase("a"), Phase::OutputAvailable);
    driver.event(result("t2", "a", "again"));
    driver.events(calls("b", "shown", "{}"));
    driver.events(calls("c", "invented", "{}"));
    driver.event(finished());
    driver.close();
    assert_eq!(driver.answer("a"), "{\"n\":1}");
    assert_eq!(
        driver.answer("b"),
        "{\"error\":\"Action shown ended without a result\"}"
    );
    assert_eq!(
        driver.answer("c"),
        "{\"error\":\"Action invented not found\"}"
    );
    assert_eq!(driver.phase("c"), Phase::OutputError);
    assert!(driver.invocations.is_empty());
    assert_eq!(driver.runs.len(), 1);
}

/// Rule "usage": the cost of an answer's runs is stored with it, added up, and survives a reload.
#[test]
fn an_answer_has_its_token_usage_and_duration() {
    let usage = |input: Option<u64>, output: u64| TokenUsage {
        model: Some("m".to_owned()),
        input_tokens: input,
        output_tokens: Some(output),
        ..TokenUsage::default()
    };
    let ends = |usage| {
        let mut end = finished();
        if let EventKind::RunFinished {
            usage: reported, ..
        } = &mut end
        {
            reported.push(usage);
        }
        end
    };
    let mut driver = Driver::new();
    driver.send("go");
    driver.host.clock += 1_500;
    driver.events(says("a", "Well."));
    driver.event(ends(usage(Some(100), 20)));
    driver.close();
    let cost = |driver: &Driver| {
        driver
            .session
            .conversation()
            .path()
            .last()
            .unwrap()
            .cost()
            .clone()
    };
    assert_eq!(cost(&driver).total_tokens(), Some(120));
    assert_eq!(cost(&driver).duration_ms(), Some(1_500));
    let copy = Conversation::import(driver.session.conversation().export()).unwrap();
    assert_eq!(*copy.path().last().unwrap().cost(), cost(&driver));
    driver.send("again");
    driver.events(says("b", "Hm."));
    driver.event(ends(usage(None, 5)));
    driver.close();
    assert_eq!(cost(&driver).total_tokens(), None, "the input is not known");
    assert_eq!(cost(&driver).output_tokens(), Some(5));
    assert_eq!(cost(&driver).input_tokens(), None);
    driver.send("once more");
    driver.says("An answer without usage.");
    assert_eq!(cost(&driver).usage(), [], "nothing is estimated");
}

/// Rule "repeated calls"
#[test]
fn repeated_equal_calls_end_the_loop() {
    let options = SessionOptions::default().stop_when(StopCondition::Any(vec![
        StopCondition::RunCount(20),
        StopCondition::RepeatedCalls(3),
    ]));
    let mut driver = Driver::with(options);
    driver.register(action("f"));
    driver.send("hi");
    let mut turn = |id: &str, args: &str| {
        driver.plays(calls(id, "f", args));
        driver.returns(id, json!(1));
        driver.runs.len()
    };
    turn("a", r#"{"page":1}"#);
    turn("b", r#"{"page":2}"#);
    turn("c", r#"{ "page": 2 }"#);
    assert_eq!(
        turn("d", r#"{"page":3}"#),
        5,
        "it continued with other arguments"
    );
    turn("e", r#"{"page":3}"#);
    assert_eq!(turn("f", r#"{ "page":3 }"#), 6, "three times the same");
    assert_eq!(driver.notices(), [NoticeKind::LoopEnded]);
    assert_eq!(driver.session.summary().repeats(), 3);
    assert_eq!(driver.input(Input::Continue).refused, None);
    assert_eq!(driver.runs.len(), 7);
}
