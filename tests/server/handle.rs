use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
    thread,
};

use leptos::prelude::*;
use leptos_assistant::{
    Assistant, Refusal, SessionOptions, ToolAction, ToolCallView, ToolTarget,
    agent::{Script, ScriptedAgent},
};
use serde_json::{Value, json};

fn assistant() -> Assistant {
    let agent = ScriptedAgent::new(|_| Script::new().text("Hello"));
    Assistant::new(agent, SessionOptions::default())
}

#[test]
fn an_assistant_on_a_server_refuses_to_send_and_execute() {
    let assistant = assistant();
    assert_eq!(assistant.send("Hello"), Err(Refusal::Ended));
    assert_eq!(assistant.retry(), Err(Refusal::Ended));
    let executed =
        pin!(assistant.execute("rename", json!({}))).poll(&mut Context::from_waker(Waker::noop()));
    assert!(
        matches!(executed, Poll::Ready(Err(_))),
        "nobody waits for ever"
    );
}

#[test]
fn registration_state_and_import_are_inert_on_a_server() {
    let assistant = assistant();
    let action = ToolAction::new("rename", "Renames").handler(|| "done");
    let registered = assistant.register(action).unwrap();
    let again = ToolAction::new("rename", "Renames").handler(|| "done again");
    let again = assistant.register(again).unwrap();
    let drawn = assistant.render_tools(ToolTarget::All, |_: ToolCallView<Value>| "card");
    assistant.set_state(json!({"visits": 1}));
    assistant.update_state(|state| *state = json!({"visits": 2}));
    assistant.import(json!({"messages": []})).unwrap();
    drop((registered, again, drawn));
    assert!(!assistant.activity().get_untracked().is_busy());
    assert_eq!(
        assistant.export()["messages"]
            .as_array()
            .map(Vec::len)
            .unwrap_or_default(),
        0
    );
}

/// A server continues a page on any free thread.
#[test]
fn a_handle_may_be_dropped_on_another_thread() {
    let handle = thread::spawn(assistant).join().unwrap();
    let own = assistant();
    thread::spawn(move || drop(own)).join().unwrap();
    drop(handle);
    // State that was left on this thread is dropped now.
    drop(assistant());
}
