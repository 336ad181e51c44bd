//! Metadata of a conversation: the duration of reasoning, the reason for an incomplete text, and
//! the steps of the agent.

use assistant_core::{
    conversation::{Conversation, Cut, Part, Span},
    event::EventKind,
    session::{FailureKind, Input},
};
use serde_json::json;

use crate::support::*;

fn reasoning(id: &str, text: &str) -> [EventKind; 2] {
    [
        EventKind::ReasoningMessageStart {
            message_id: id.to_owned(),
        },
        EventKind::ReasoningMessageContent {
            message_id: id.to_owned(),
            delta: text.to_owned(),
        },
    ]
}

fn reasoning_end(id: &str) -> EventKind {
    EventKind::ReasoningMessageEnd {
        message_id: id.to_owned(),
    }
}

fn speaking() -> Driver {
    with([])
}

fn span(conversation: &Conversation, id: &str) -> Option<Span> {
    match conversation.message(&id.into())?.parts().first()? {
        Part::Reasoning(part) => part.span(),
        _ => None,
    }
}

#[test]
fn a_reasoning_part_has_a_duration() {
    let mut driver = speaking();
    driver.host.clock = 1_000;
    driver.events(reasoning("r", "Hm"));
    let open = span(driver.session.conversation(), "r").unwrap();
    assert_eq!(
        (open.started_at(), open.ended_at(), open.duration()),
        (1_000, None, None)
    );
    driver.host.clock = 13_500;
    driver.event(reasoning_end("r"));
    let done = span(driver.session.conversation(), "r").unwrap();
    assert_eq!(done.duration(), Some(12_500));

    let kept = driver.session.conversation().export();
    let again = Conversation::import(kept).unwrap();
    assert_eq!(span(&again, "r"), Some(done));
}

#[test]
fn a_clock_set_back_gives_no_negative_duration() {
    let span = Span::new(10, Some(4));
    assert_eq!(span.duration(), Some(0));
}

#[test]
fn times_and_cuts_round_trip_through_json() {
    for json in [
        json!({"id": "r", "role": "reasoning", "parts": [
            {"type": "reasoning", "text": "Hm", "startedAt": 5, "endedAt": 9, "lang": "en"}]}),
        json!({"id": "r", "role": "reasoning", "parts": [
            {"type": "reasoning", "text": "Hm", "startedAt": 5}]}),
        json!({"id": "r", "role": "reasoning", "parts": [
            {"type": "reasoning", "text": "Hm", "startedAt": "noon"}]}),
        json!({"id": "m", "role": "assistant", "parts": [{"type": "text", "text": "So"}],
            "cut": "stopped"}),
    ] {
        let conversation = Conversation::from_message_json(json.clone()).unwrap();
        let tip = conversation.tip().unwrap();
        assert_eq!(conversation.message_to_json(tip).unwrap(), json);
    }
}

fn cut(driver: &Driver, id: &str) -> Option<Cut> {
    driver.session.conversation().message(&id.into())?.cut()
}

/// Sends a part of a word, then another input; returns the mark of the text.
fn incomplete_text(then: impl FnOnce(&mut Driver)) -> Option<Cut> {
    let mut driver = speaking();
    driver.events([
        text_start("first"),
        text("first", "Whole."),
        text_end("first"),
    ]);
    driver.events([text_start("m"), text("m", "Ha")]);
    then(&mut driver);
    assert_eq!(
        cut(&driver, "first"),
        None,
        "what was complete stays complete"
    );
    cut(&driver, "m")
}

#[test]
fn an_incomplete_text_has_the_reason_for_its_end() {
    let stopped = incomplete_text(|driver| {
        driver.input(Input::Stop);
    });
    assert_eq!(stopped, Some(Cut::Stopped));
    let failed = incomplete_text(|driver| {
        driver.event(run_error("no"));
    });
    assert_eq!(failed, Some(Cut::Failed));
    let broken = incomplete_text(|driver| {
        driver.close();
    });
    assert_eq!(broken, Some(Cut::BrokenOff));
    let lost = incomplete_text(|driver| {
        driver.break_off(FailureKind::Network);
    });
    assert_eq!(lost, Some(Cut::BrokenOff));
    let whole = incomplete_text(|driver| {
        driver.event(text_end("m"));
        finish_run(driver);
    });
    assert_eq!(whole, None);
}

#[test]
fn a_resumed_text_is_no_longer_marked_incomplete() {
    let mut driver = speaking();
    driver.events([text_start("m"), text("m", "Ha")]);
    driver.input(Input::Stop);
    driver.send("go on");
    driver.event(started());
    driver.events([text_start("m"), text("m", "lf")]);
    assert_eq!(cut(&driver, "m"), None);
}

#[test]
fn steps_and_subagents_are_tracked_until_they_finish() {
    let step = |name: &str| EventKind::StepStarted {
        step_name: name.to_owned(),
    };
    let end = |name: &str| EventKind::StepFinished {
        step_name: name.to_owned(),
    };
    let mut driver = speaking();
    driver.events([
        step("plan"),
        end("plan"),
        step("look"),
        step("plan"),
        end("other"),
    ]);
    let steps = |driver: &Driver| -> Vec<(String, bool)> {
        let run = driver.session.summary().runs().last().unwrap();
        let steps = run.steps().iter();
        steps
            .map(|step| (step.name().to_owned(), step.finished()))
            .collect()
    };
    let expected = [("plan", true), ("look", false), ("plan", false)];
    assert_eq!(
        steps(&driver),
        expected.map(|(name, done)| (name.to_owned(), done))
    );
    driver.event(end("plan"));
    assert!(steps(&driver)[2].1, "the newest of that name is done");
    let subagent = |id: &str, name: &str| EventKind::SubagentStarted {
        subagent_run_id: id.to_owned(),
        name: name.to_owned(),
        description: None,
        parent_subagent_run_id: None,
        parent_tool_call_id: None,
        parent_message_id: None,
    };
    driver.event(subagent("sub", "researcher"));
    assert_eq!(steps(&driver)[3], ("researcher".to_owned(), false));
    driver.event(EventKind::SubagentFinished {
        subagent_run_id: "sub".to_owned(),
        result: None,
        outcome: None,
    });
    assert!(steps(&driver)[3].1, "a subagent is a step under its name");
    driver.event(subagent("second", "writer"));
    driver.event(EventKind::SubagentError {
        subagent_run_id: "second".to_owned(),
        message: "out of ink".to_owned(),
        code: None,
    });
    let run = driver.session.summary().runs().last().unwrap();
    let failure = run.steps()[4].failure();
    assert_eq!(failure, Some("out of ink"));
    for number in 0..1_000 {
        driver.event(step(&number.to_string()));
    }
    assert!(
        steps(&driver).len() < 200,
        "a run without end is not kept without end"
    );
}
