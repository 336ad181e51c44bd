//! Interrupts in the form of custom events, and their answers.

use assistant_core::{
    event::EventKind,
    session::{Input, Refusal},
};
use serde_json::json;

use crate::support::*;

/// The default of ag-ui-langgraph: a custom event, then an ordinary end.
#[test]
fn a_custom_interrupt_event_is_answered_by_a_command() {
    let mut driver = Driver::new();
    driver.input(Input::SetForwardedProps {
        props: json!({"command": {"goto": "x"}, "own": 1}),
    });
    driver.send("hi");
    let asked = EventKind::Custom {
        name: "on_interrupt".to_owned(),
        value: json!("{\"question\": \"Which colour?\"}"),
    };
    driver.plays([started(), asked, finished()]);
    let open = driver.session.interrupts()[0].clone();
    assert_eq!(open.interrupt().message.as_deref(), Some("Which colour?"));
    assert!(
        driver.session.is_busy(),
        "nothing continues without an answer"
    );
    assert_eq!(
        driver.send("never mind").refused,
        Some(Refusal::InterruptsPending)
    );
    assert_eq!(
        driver.answers(&open.interrupt().id, Some(json!("red"))),
        None
    );
    assert!(driver.request().resume.is_empty());
    assert_eq!(
        driver.request().forwarded_props,
        json!({"command": {"goto": "x", "resume": "red"}, "own": 1})
    );
    driver.plays(
        [started()]
            .into_iter()
            .chain(says("m", "Red it is."))
            .chain([finished()]),
    );
    assert!(driver.session.interrupts().is_empty());
    driver.send("more");
    assert_eq!(
        driver.request().forwarded_props,
        json!({"command": {"goto": "x"}, "own": 1}),
        "answered once"
    );
}

/// A server with both dialects reports an interrupt twice.
#[test]
fn an_interrupt_outcome_replaces_an_equal_custom_event() {
    let mut driver = Driver::new();
    driver.send("hi");
    let asked = EventKind::Custom {
        name: "on_interrupt".to_owned(),
        value: json!("Which colour?"),
    };
    let end = interrupted(vec![interrupt("int", None, json!(null))]);
    driver.plays([started(), asked, end]);
    let ids: Vec<_> = driver
        .session
        .interrupts()
        .iter()
        .map(|o| o.interrupt().id.clone())
        .collect();
    assert_eq!(ids, ["int"]);
}

/// Several answers of the older dialect are distinguished by the ids of their events.
#[test]
fn several_custom_interrupts_are_answered_by_id() {
    let mut driver = Driver::new();
    driver.send("hi");
    let asked = |id: &str| assistant_core::event::Event {
        kind: EventKind::Custom {
            name: "on_interrupt".to_owned(),
            value: json!({"message": id}),
        },
        base: assistant_core::event::Base {
            raw_event: Some(Box::new(json!({"id": id}))),
            ..Default::default()
        },
    };
    driver.event(started());
    driver.event(asked("a"));
    driver.event(asked("b"));
    driver.event(finished());
    driver.close();
    assert_eq!(driver.answers("a", Some(json!(1))), None);
    assert_eq!(driver.answers("b", Some(json!(2))), None);
    assert_eq!(
        driver.request().forwarded_props,
        json!({"command": {"resume": {"a": 1, "b": 2}}})
    );
}
