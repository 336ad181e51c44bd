//! Subscriptions: each kind of observer is called until its subscription is dropped.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use leptos_assistant::{
    Assistant, AuditLog, AuditSink, Subscription,
    agent::Script,
    session::{AuditEntry, LoopEvent},
    testing::{MockAgent, settle},
    use_assistant_action,
};
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{act, calls};
use crate::support::{Chat, chat};

/// Mounts a chat, each of whose turns causes events of every kind.
async fn eventful_chat() -> Chat {
    let mut agent = MockAgent::new();
    for _ in 0..4 {
        agent = agent
            .answer(calls(json!({})))
            .answer(Script::new().text("Done."));
    }
    let chat = chat(agent, || use_assistant_action(act())).await;
    // Its failures are diagnostics.
    chat.assistant.on_call_event(|_| Err("no disk")).forget();
    chat
}

async fn turn(chat: &Chat) {
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    settle().await;
}

/// A sink that calls a function for each record.
struct CallingSink(Rc<dyn Fn()>);

impl AuditSink for CallingSink {
    fn write(&self, _: &AuditEntry) -> Result<(), String> {
        self.0();
        Ok(())
    }
}

/// A function that subscribes an observer of one kind.
type Subscribe = Rc<dyn Fn(Rc<dyn Fn()>) -> Subscription>;

/// Returns the functions that subscribe observers, with the names of their kinds.
fn kinds(assistant: &Assistant) -> Vec<(&'static str, Subscribe)> {
    let with = |subscribe: fn(&Assistant, Rc<dyn Fn()>) -> Subscription| -> Subscribe {
        let assistant = assistant.clone();
        Rc::new(move |observer| subscribe(&assistant, observer))
    };
    let log = assistant.start_audit(|_| ());
    let with_log = |subscribe: fn(&AuditLog, Rc<dyn Fn()>) -> Subscription| -> Subscribe {
        let log = log.clone();
        Rc::new(move |observer| subscribe(&log, observer))
    };
    vec![
        (
            "on_diagnostic",
            with(|it, observer| it.on_diagnostic(move |_| observer())),
        ),
        (
            "on_call_event",
            with(|it, observer| it.on_call_event(move |_| observer())),
        ),
        (
            "on_loop_event",
            with(|it, observer| it.on_loop_event(move |_| observer())),
        ),
        #[cfg(feature = "records")]
        (
            "updates",
            with(|it, observer| it.updates().observe(move |_| observer())),
        ),
        (
            "on_entry",
            with_log(|log, observer| log.on_entry(move |_| observer())),
        ),
        (
            "write_to",
            with_log(|log, observer| log.write_to(CallingSink(observer))),
        ),
    ]
}

/// Returns a counter, and an observer that counts its calls.
fn counting() -> (Rc<Cell<u32>>, Rc<dyn Fn()>) {
    let count = Rc::new(Cell::new(0));
    let counted = Rc::clone(&count);
    (count, Rc::new(move || counted.set(counted.get() + 1)))
}

#[wasm_bindgen_test]
async fn a_dropped_subscription_ends_its_observer_alone() {
    let chat = eventful_chat().await;
    let mut observed = Vec::new();
    for (kind, subscribe) in kinds(&chat.assistant) {
        let (ended, observer) = counting();
        let subscription = subscribe(observer);
        let (other, observer) = counting();
        let other_subscription = subscribe(observer);
        observed.push((kind, ended, subscription, other, other_subscription));
    }
    turn(&chat).await;
    let mut rest = Vec::new();
    for (kind, ended, subscription, other, other_subscription) in observed {
        let count = ended.get();
        assert!(count > 0, "{kind} is called");
        assert_eq!(other.get(), count, "{kind} is called twice");
        drop(subscription);
        rest.push((kind, ended, other, count, other_subscription));
    }
    turn(&chat).await;
    let mut counts = Vec::new();
    for (kind, ended, other, count, subscription) in rest {
        assert_eq!(ended.get(), count, "{kind} was unsubscribed");
        assert!(other.get() > count, "{kind} is still subscribed");
        counts.push((kind, other.get(), other));
        drop(subscription);
    }
    turn(&chat).await;
    for (kind, count, other) in counts {
        assert_eq!(other.get(), count, "{kind} was unsubscribed later");
    }
}

#[wasm_bindgen_test]
async fn an_observer_may_unsubscribe_itself_and_subscribe_another() {
    let chat = eventful_chat().await;
    let mut observed = Vec::new();
    for (kind, subscribe) in kinds(&chat.assistant) {
        let first = Rc::new(Cell::new(0));
        let (second, successor) = counting();
        let own: Rc<RefCell<Option<Subscription>>> = Rc::default();
        let next: Rc<RefCell<Option<Subscription>>> = Rc::default();
        let observer = {
            let (first, own, next) = (Rc::clone(&first), Rc::clone(&own), Rc::clone(&next));
            let subscribe = Rc::clone(&subscribe);
            move || {
                first.set(first.get() + 1);
                drop(own.borrow_mut().take());
                // Does nothing the second time.
                drop(own.borrow_mut().take());
                *next.borrow_mut() = Some(subscribe(Rc::clone(&successor)));
            }
        };
        *own.borrow_mut() = Some(subscribe(Rc::new(observer)));
        observed.push((kind, first, second, next));
    }
    turn(&chat).await;
    turn(&chat).await;
    let mut counts = Vec::new();
    for (kind, first, second, next) in observed {
        assert_eq!(first.get(), 1, "{kind} unsubscribed itself");
        assert!(second.get() > 0, "{kind} has subscribed another");
        counts.push((kind, second.get(), second));
        drop(next.borrow_mut().take());
    }
    turn(&chat).await;
    for (kind, count, second) in counts {
        assert_eq!(second.get(), count, "the successor of {kind} has ended");
    }
}

/// The events of an unobserved turn are not reported to a later observer.
#[wasm_bindgen_test]
async fn events_between_two_subscriptions_are_not_reported_later() {
    let chat = eventful_chat().await;
    let observe = || {
        let messages = Rc::new(Cell::new(0));
        let counted = Rc::clone(&messages);
        let subscription = chat.assistant.on_loop_event(move |event| {
            let is_message = matches!(
                event,
                LoopEvent::UserMessage { .. } | LoopEvent::AssistantMessage { .. }
            );
            counted.set(counted.get() + u32::from(is_message));
        });
        (messages, subscription)
    };
    let (messages, subscription) = observe();
    turn(&chat).await;
    assert_eq!(messages.get(), 3);
    drop(subscription);
    turn(&chat).await;
    assert_eq!(messages.get(), 3);
    let (messages, subscription) = observe();
    turn(&chat).await;
    assert_eq!(messages.get(), 3);
    drop(chat);
    // Nothing is left to unsubscribe from.
    drop(subscription);
}
