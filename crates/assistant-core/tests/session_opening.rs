//! Opening of a run: the request is built when the page is ready.

use assistant_core::{
    conversation::Change,
    event::ContextItem,
    session::{AgentTraits, Effect, Input, SessionOptions},
};
use serde_json::json;

use crate::support::*;

#[test]
fn a_request_is_built_from_the_state_at_its_opening() {
    let mut driver = Driver::new();
    driver.manual_opening = true;
    let id = driver.register(action("old"));
    driver.send("hi");
    assert!(driver.runs.is_empty());
    assert!(driver.session.is_streaming());
    let Some(Effect::PrepareRun { run }) = driver.effects.last().cloned() else {
        panic!("nothing was announced");
    };
    driver.unregister(id);
    driver.register(action("new"));
    driver.input(Input::SetState {
        state: json!({"project": "borealis"}),
    });
    driver.input(Input::SetContext {
        owner: 1,
        item: Some(ContextItem::new("project", "borealis")),
    });
    driver.input(Input::OpenRun { run });
    let request = driver.request().clone();
    assert_eq!(request.tools[0].name, "new");
    assert_eq!(request.state["project"], "borealis");
    assert_eq!(request.context[0].value, "borealis");
    // Only once, and only the current run.
    driver.input(Input::OpenRun { run });
    assert_eq!(driver.runs.len(), 1);
    driver.events(calls("c", "new", "{}"));
    finish_run(&mut driver);
    assert_eq!(driver.starts("c"), 1);
}

#[test]
fn a_run_stopped_before_its_opening_sends_nothing() {
    let mut driver = Driver::new();
    driver.manual_opening = true;
    driver.send("hi");
    let Some(Effect::PrepareRun { run }) = driver.effects.last().cloned() else {
        panic!("nothing was announced");
    };
    driver.input(Input::Stop);
    driver.input(Input::OpenRun { run });
    assert!(driver.runs.is_empty());
    assert!(!driver.session.is_busy());
}

/// A reload before the first event resumes the run with this offer.
#[test]
fn the_offer_of_a_run_is_stored_at_its_opening() {
    let traits = AgentTraits::default().with_resumes(true);
    let options = SessionOptions::default().with_agent(traits);
    let mut driver = Driver::with(options);
    driver.manual_opening = true;
    driver.register(action("f"));
    driver.send("hi");
    let Some(Effect::PrepareRun { run }) = driver.effects.last().cloned() else {
        panic!("nothing was announced");
    };
    let stored = |driver: &Driver| driver.session.snapshot()["session"]["offer"].clone();
    assert_eq!(stored(&driver), json!(null));
    let output = driver.input(Input::OpenRun { run });
    assert!(output.changes.contains(&Change::Run), "a store is notified");
    assert!(stored(&driver)["offered"]["f"].is_string());
    driver.says("ok");
    assert_eq!(stored(&driver), json!(null));
}
