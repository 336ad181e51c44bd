use std::{
    cell::Cell,
    future::Future,
    pin::pin,
    rc::Rc,
    task::{Context, Poll, Waker},
    thread,
};

use leptos::prelude::*;
use leptos_assistant::{
    Assistant, AuditSink, Refusal, SessionOptions, Subscription, ToolAction, ToolCallView,
    ToolTarget,
    agent::{Script, ScriptedAgent},
    session::AuditEntry,
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
        "the caller does not wait for ever"
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

/// A sink that owns a value.
struct Owning(Rc<()>);

impl AuditSink for Owning {
    fn write(&self, _: &AuditEntry) -> Result<(), String> {
        drop(Rc::clone(&self.0));
        Ok(())
    }
}

/// Subscribes an observer of each kind, each of which owns a clone of the value.
fn subscribe_all(assistant: &Assistant, owned: &Rc<()>) -> Vec<(&'static str, Subscription)> {
    let log = assistant.start_audit(|_| ());
    let [a, b, c, d] = [(); 4].map(|()| Rc::clone(owned));
    vec![
        (
            "on_diagnostic",
            assistant.on_diagnostic(move |_| drop(Rc::clone(&a))),
        ),
        (
            "on_call_event",
            assistant.on_call_event(move |_| drop(Rc::clone(&b))),
        ),
        (
            "on_loop_event",
            assistant.on_loop_event(move |_| drop(Rc::clone(&c))),
        ),
        ("on_entry", log.on_entry(move |_| drop(Rc::clone(&d)))),
        ("write_to", log.write_to(Owning(Rc::clone(owned)))),
        #[cfg(feature = "records")]
        ("updates", {
            let owned = Rc::clone(owned);
            assistant
                .updates()
                .observe(move |_| drop(Rc::clone(&owned)))
        }),
    ]
}

#[test]
fn a_dropped_subscription_releases_its_observer() {
    let (assistant, owned) = (assistant(), Rc::new(()));
    let subscriptions = subscribe_all(&assistant, &owned);
    for (kind, subscription) in subscriptions {
        let count = Rc::strong_count(&owned);
        drop(subscription);
        assert_eq!(Rc::strong_count(&owned), count - 1, "{kind}");
    }
    assert_eq!(Rc::strong_count(&owned), 1);
}

#[test]
fn a_forgotten_subscription_ends_with_its_assistant() {
    let (assistant, owned) = (assistant(), Rc::new(()));
    let subscriptions = subscribe_all(&assistant, &owned);
    let count = subscriptions.len();
    for (_, subscription) in subscriptions {
        subscription.forget();
    }
    assert_eq!(Rc::strong_count(&owned), 1 + count);
    drop(assistant);
    assert_eq!(Rc::strong_count(&owned), 1);
}

#[test]
fn forgetting_a_subscription_keeps_what_its_closure_owns() {
    let ended = Rc::new(Cell::new(false));
    let inner_ended = Rc::clone(&ended);
    let inner = Subscription::new(move || inner_ended.set(true));
    Subscription::new(move || drop(inner)).forget();
    assert!(!ended.get());
}

#[test]
fn a_subscription_may_outlive_its_assistant() {
    let (assistant, owned) = (assistant(), Rc::new(()));
    let subscriptions = subscribe_all(&assistant, &owned);
    drop(assistant);
    assert_eq!(Rc::strong_count(&owned), 1);
    drop(subscriptions);
}
