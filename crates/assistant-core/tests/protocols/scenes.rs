//! Scenes with every protocol, with the same final conversation.

use assistant_core::{
    action::ToolError,
    conversation::Phase,
    session::{Input, NoticeKind},
};
use serde_json::{Value, json};

use super::{
    Talk,
    normal::{Exceptions, differences, normal},
    wires::{ReplyPart, Wire},
};
use crate::support::{action, asking, sketch};

/// Plays a scene with each capable agent, and compares the final conversations: as stored, except
/// for ids, and as requested. Returns the latter.
pub(super) fn same_end(wires: &[Wire], scene: impl Fn(&mut Talk, Wire)) -> Vec<String> {
    let exceptions = Exceptions::read();
    let ends = wires.iter().map(|wire| {
        let mut talk = Talk::new(wire.protocol());
        scene(&mut talk, *wire);
        let session = &talk.driver.session;
        let sketch = sketch(&session.conversation().request_messages());
        (session.export(), sketch)
    });
    let ends: Vec<(Value, Vec<String>)> = ends.collect();
    let (first, expected) = &ends[0];
    for (wire, (end, sketch)) in wires.iter().zip(&ends) {
        assert_eq!(sketch, expected, "{wire:?}");
        let compared = [wires[0], *wire];
        let plain = |stored: &Value| normal(stored.clone(), compared, &exceptions);
        let found = differences(&plain(first), &plain(end));
        assert!(found.is_empty(), "{compared:?}: {found:#?}");
    }
    expected.clone()
}

pub(super) const ARGS: &str = r#"{"city":"Oslo"}"#;

#[test]
fn a_text_answer_is_the_same_with_every_protocol() {
    let end = same_end(&Wire::ALL, |talk, wire| {
        talk.driver.send("hi");
        talk.answer(wire.response(1, &[ReplyPart::Text("Hello ")]));
        assert!(
            talk.driver.notices().is_empty(),
            "{:?}",
            talk.driver.notices()
        );
    });
    assert_eq!(end, ["user=hi", "assistant=Hello []"]);
}

#[test]
fn a_page_tool_runs_and_the_run_continues() {
    let end = same_end(&Wire::ALL, |talk, wire| {
        talk.driver.register(action("weather"));
        talk.driver.send("hi");
        talk.answer(wire.response(
            1,
            &[
                ReplyPart::Text("Let me see."),
                ReplyPart::Call("c1", "weather", ARGS),
            ],
        ));
        talk.driver.returns("c1", json!({"sky": "clear"}));
        assert_eq!(talk.driver.runs.len(), 2);
        talk.answer(wire.response(2, &[ReplyPart::Text("It is clear.")]));
        assert!(!talk.driver.session.is_busy());
    });
    assert_eq!(
        end,
        [
            "user=hi",
            "assistant=Let me see.[c1]",
            r#"tool:c1={"sky":"clear"}"#,
            "assistant=It is clear.[]",
        ]
    );
}

#[test]
fn results_of_concurrent_calls_keep_the_order_of_the_calls() {
    let end = same_end(&Wire::ALL, |talk, wire| {
        talk.driver.register(action("weather"));
        talk.driver.send("hi");
        let calls = [
            ReplyPart::Call("c1", "weather", ARGS),
            ReplyPart::Call("c2", "weather", ARGS),
        ];
        talk.answer(wire.response(1, &calls));
        talk.driver.returns("c2", json!(2));
        assert_eq!(talk.driver.runs.len(), 1);
        talk.driver.returns("c1", json!(1));
        talk.answer(wire.response(2, &[ReplyPart::Text("Done.")]));
    });
    assert_eq!(
        end,
        [
            "user=hi",
            "assistant=[c1,c2]",
            "tool:c1=1",
            "tool:c2=2",
            "assistant=Done.[]"
        ]
    );
}

#[test]
fn an_approved_call_runs_once() {
    let end = same_end(&Wire::ALL, |talk, wire| {
        talk.driver.register(asking("pay"));
        talk.driver.send("hi");
        talk.answer(wire.response(1, &[ReplyPart::Call("c1", "pay", "{}")]));
        assert_eq!(talk.driver.phase("c1"), Phase::ApprovalRequested);
        assert_eq!(talk.driver.approve("c1"), None);
        talk.driver.returns("c1", json!("paid"));
        talk.answer(wire.response(2, &[ReplyPart::Text("Paid.")]));
        assert_eq!(talk.driver.starts("c1"), 1);
    });
    assert_eq!(
        end,
        [
            "user=hi",
            "assistant=[c1]",
            "tool:c1=\"paid\"",
            "assistant=Paid.[]"
        ]
    );
}

#[test]
fn a_denied_call_does_not_run() {
    let end = same_end(&Wire::ALL, |talk, wire| {
        talk.driver.register(asking("pay"));
        talk.driver.send("hi");
        talk.answer(wire.response(1, &[ReplyPart::Call("c1", "pay", "{}")]));
        assert_eq!(talk.driver.deny("c1", Some("too much")), None);
        talk.answer(wire.response(2, &[ReplyPart::Text("All right.")]));
        assert_eq!(talk.driver.starts("c1"), 0);
    });
    assert_eq!(end[2], r#"tool:c1={"status":"denied","reason":"too much"}"#);
}

#[test]
fn a_failed_handler_is_reported_to_the_model() {
    let end = same_end(&Wire::ALL, |talk, wire| {
        talk.driver.register(action("weather"));
        talk.driver.send("hi");
        talk.answer(wire.response(1, &[ReplyPart::Call("c1", "weather", ARGS)]));
        talk.driver
            .handler_ends("c1", Err(ToolError::new("no such city")));
        talk.answer(wire.response(2, &[ReplyPart::Text("I do not know.")]));
    });
    assert_eq!(end[3], "assistant=I do not know.[]");
}

#[test]
fn a_tool_run_by_the_agent_is_not_run_by_the_page() {
    let end = same_end(&Wire::WITH_TOOLS, |talk, wire| {
        talk.driver.send("hi");
        let reply = [
            ReplyPart::Call("c1", "search", ARGS),
            ReplyPart::Result("c1", "found"),
            ReplyPart::Step,
            ReplyPart::Text("Found it."),
        ];
        talk.answer(wire.response(1, &reply));
        assert_eq!(talk.driver.runs.len(), 1);
        assert_eq!(talk.driver.phase("c1"), Phase::OutputAvailable);
    });
    assert_eq!(
        end,
        [
            "user=hi",
            "assistant=[c1]",
            "tool:c1=found",
            "assistant=Found it.[]"
        ]
    );
}

#[test]
fn a_failed_run_runs_no_call_and_keeps_its_text() {
    let end = same_end(&Wire::ALL, |talk, wire| {
        talk.driver.register(action("weather"));
        talk.driver.send("hi");
        let reply = [
            ReplyPart::Text("About to"),
            ReplyPart::Call("c1", "weather", ARGS),
        ];
        talk.answer(wire.failing(1, &reply, "the model exploded"));
        assert_eq!(talk.driver.starts("c1"), 0, "{wire:?}");
        assert_eq!(talk.driver.notices(), [NoticeKind::RunError], "{wire:?}");
        let notice = &talk.driver.session.notices()[0];
        assert_eq!(notice.message(), "the model exploded", "{wire:?}");
    });
    assert_eq!(end, ["user=hi", "assistant=About to[]"]);
}

#[test]
fn a_call_of_an_unknown_tool_is_answered_with_an_error() {
    for wire in Wire::ALL {
        let mut talk = Talk::new(wire.protocol());
        talk.driver.send("hi");
        talk.answer(wire.response(1, &[ReplyPart::Call("c1", "teleport", ARGS)]));
        assert!(talk.driver.invocations.is_empty(), "{wire:?}");
        assert!(talk.driver.answer("c1").contains("teleport"), "{wire:?}");
    }
}

#[test]
fn stop_ends_the_run_and_cancels_its_calls() {
    let end = same_end(&Wire::ALL, |talk, wire| {
        talk.driver.send("hi");
        talk.begin_answer(wire.broken(1, &[ReplyPart::Text("Let me")]));
        talk.driver.input(Input::Stop);
        assert!(!talk.driver.session.is_busy());
    });
    assert_eq!(end, ["user=hi", "assistant=Let me[]"]);
    // Some protocols mark a call as complete at once, others at the end.
    for wire in Wire::ALL {
        let mut talk = Talk::new(wire.protocol());
        talk.driver.register(action("weather"));
        talk.driver.send("hi");
        talk.begin_answer(wire.broken(1, &[ReplyPart::Call("c1", "weather", ARGS)]));
        talk.driver.input(Input::Stop);
        assert_eq!(talk.driver.starts("c1"), 0);
        assert_eq!(talk.driver.phase("c1"), Phase::Cancelled);
    }
}

#[test]
fn a_broken_stream_runs_no_call_and_can_be_retried() {
    let end = same_end(&Wire::ALL, |talk, wire| {
        talk.driver.register(action("weather"));
        talk.driver.send("hi");
        let reply = [
            ReplyPart::Text("Let me"),
            ReplyPart::Call("c1", "weather", ARGS),
        ];
        talk.answer(wire.broken(1, &reply));
        assert_eq!(talk.driver.starts("c1"), 0, "{wire:?}");
        assert_eq!(talk.driver.notices().len(), 1, "{wire:?}");
        assert_eq!(
            talk.driver.session.conversation().path().count(),
            2,
            "{wire:?}"
        );
        // Nothing of the failed attempt remains.
        talk.driver.input(Input::Retry);
        talk.answer(wire.response(2, &[ReplyPart::Text("Here I am.")]));
    });
    assert_eq!(end, ["user=hi", "assistant=Here I am.[]"]);
}

#[test]
fn reused_call_ids_are_separate_calls() {
    for wire in [Wire::UiStream, Wire::Completions] {
        let mut talk = Talk::new(wire.protocol());
        talk.driver.register(action("weather"));
        talk.driver.send("hi");
        for number in 1..=2 {
            talk.answer(wire.response(number, &[ReplyPart::Call("call_0", "weather", ARGS)]));
            let id = talk.driver.invocations.last().unwrap().call_id().to_owned();
            talk.driver.returns(&id, json!(number));
            assert_eq!(talk.driver.invocations.len(), number, "{wire:?}");
        }
        talk.answer(wire.response(3, &[ReplyPart::Text("Done.")]));
        assert!(talk.driver.notices().is_empty(), "{wire:?}");
        let conversation = talk.driver.session.conversation();
        let results: Vec<Value> = conversation
            .path()
            .flat_map(|message| conversation.calls_in(message))
            .map(|call| call.result().unwrap().value().clone())
            .collect();
        assert_eq!(results, [json!(1), json!(2)], "{wire:?}");
    }
}

#[test]
fn the_loop_stops_at_its_run_limit() {
    for wire in Wire::ALL {
        let mut talk = Talk::new(wire.protocol());
        talk.driver.register(action("weather"));
        talk.driver.send("hi");
        for number in 1..=10 {
            let id: &'static str = format!("c{number}").leak();
            talk.answer(wire.response(number, &[ReplyPart::Call(id, "weather", ARGS)]));
            talk.driver.returns(id, json!(number));
        }
        assert_eq!(talk.driver.runs.len(), 10, "{wire:?}");
        assert!(!talk.driver.session.is_busy(), "{wire:?}");
    }
}
