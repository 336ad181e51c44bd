//! `use_assistant_events`: events for the lifetime of a component.

use std::{cell::RefCell, rc::Rc};

use leptos::prelude::*;
use leptos_assistant::{
    Approval, AssistantEvent, Phase,
    agent::Script,
    conversation::Sibling,
    testing::{MockAgent, settle, until},
    use_assistant_action, use_assistant_events,
};
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{act, calls};
use crate::support::chat;

/// Formats an event in a few words.
fn word(event: &AssistantEvent) -> String {
    match event {
        AssistantEvent::Message { role, .. } => format!("message {}", role.as_str()),
        AssistantEvent::ApprovalAsked { name, .. } => format!("asked {name}"),
        AssistantEvent::CallStarted { name, .. } => format!("started {name}"),
        AssistantEvent::CallEnded { name, phase, .. } => {
            format!("ended {name} {}", *phase == Phase::OutputAvailable)
        }
        AssistantEvent::Error(notice) => format!("error {}", notice.message()),
        _ => "something else".to_owned(),
    }
}

#[component]
fn Listener(events: RwSignal<Vec<String>>) -> impl IntoView {
    use_assistant_events(move |event| events.update(|list| list.push(word(event))));
}

#[wasm_bindgen_test]
async fn message_call_and_error_events_arrive_in_order() {
    let agent = MockAgent::new()
        .answer(calls(json!({})))
        .answer(Script::new().text("Done"))
        .answer(Script::new().error("no more"));
    let events = RwSignal::new(Vec::new());
    let chat = chat(agent, move || {
        use_assistant_action(act().approval(Approval::Always));
        view! { <Listener events /> }
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-approval").await;
    let call = chat.assistant.pending_approvals().get_untracked()[0];
    chat.assistant.approve(&call).unwrap();
    chat.idle().await;
    let count =
        |what: &str| events.with_untracked(|list| list.iter().filter(|w| *w == what).count());
    for (what, times) in [
        ("message user", 1),
        ("asked act", 1),
        ("started act", 1),
        ("ended act true", 1),
        ("message assistant", 2),
    ] {
        assert_eq!(count(what), times, "{what} in {:?}", events.get_untracked());
    }
    let place = |what: &str| events.with_untracked(|list| list.iter().position(|w| w == what));
    assert!(place("asked act") < place("started act"));
    assert!(place("started act") < place("ended act true"));
    chat.assistant.send("more").unwrap();
    chat.idle().await;
    assert!(
        until(|| count("error no more") == 1).await,
        "{:?}",
        events.get_untracked()
    );
}

#[wasm_bindgen_test]
async fn loop_events_arrive_in_order_despite_a_failed_observer() {
    use leptos_assistant::session::LoopEvent;
    let agent = MockAgent::new()
        .answer(Script::new().text("Before"))
        .answer(calls(json!({})))
        .answer(Script::new().text("Done"));
    let chat = chat(agent, || use_assistant_action(act())).await;
    chat.assistant.send("hi").unwrap();
    chat.idle().await;
    let names: Rc<RefCell<Vec<&'static str>>> = Rc::default();
    let log = Rc::clone(&names);
    chat.assistant
        .on_loop_event(|_| Err("the disk is full"))
        .forget();
    let subscription = chat.assistant.on_loop_event(move |event| {
        log.borrow_mut().push(match event {
            LoopEvent::UserMessage { .. } => "user",
            LoopEvent::AssistantMessage { .. } => "assistant",
            LoopEvent::ToolCalls { .. } => "calls",
            LoopEvent::ToolStarted { .. } => "started",
            LoopEvent::ToolExecuted { .. } => "executed",
            LoopEvent::FinalResponse { .. } => "final",
            _ => "other",
        });
    });
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let expected = [
        "user",
        "assistant",
        "calls",
        "started",
        "executed",
        "assistant",
        "final",
    ];
    assert_eq!(*names.borrow(), expected);
    drop(subscription);
}

#[wasm_bindgen_test]
async fn a_listener_gets_no_events_from_before_or_after_its_lifetime() {
    let agent = MockAgent::new()
        .answer(Script::new().text("One"))
        .answer(Script::new().text("Two"))
        .answer(calls(json!({})))
        .answer(Script::new().text("Three"))
        .answer(Script::new().error("gone"));
    let (events, listens) = (RwSignal::new(Vec::new()), RwSignal::new(false));
    let chat = chat(agent, move || {
        use_assistant_action(act());
        view! { <Show when=move || listens.get()><Listener events /></Show> }
    })
    .await;
    chat.assistant.send("one").unwrap();
    chat.idle().await;
    listens.set(true);
    settle().await;
    assert_eq!(events.get_untracked(), [""; 0]);
    chat.assistant.send("two").unwrap();
    chat.idle().await;
    assert_eq!(
        events.get_untracked(),
        ["message user", "message assistant"]
    );
    let old = json!([
        {"id": "u9", "role": "user", "content": "long ago"},
        {"id": "a9", "role": "assistant", "content": "an answer"},
    ]);
    chat.assistant.import(old).unwrap();
    settle().await;
    assert_eq!(
        events.get_untracked().len(),
        2,
        "opened messages are not reported"
    );
    listens.set(false);
    settle().await;
    chat.assistant.send("three").unwrap();
    chat.idle().await;
    chat.assistant.send("four").unwrap();
    chat.idle().await;
    assert_eq!(
        events.get_untracked().len(),
        2,
        "{:?}",
        events.get_untracked()
    );
}

#[wasm_bindgen_test]
async fn other_versions_of_an_opened_conversation_are_not_reported() {
    let agent = MockAgent::new()
        .answer(Script::new().text("One"))
        .answer(Script::new().text("Two"))
        .answer(Script::new().text("Three"));
    let (events, listens) = (RwSignal::new(Vec::new()), RwSignal::new(false));
    let chat = chat(agent, move || {
        view! { <Show when=move || listens.get()><Listener events /></Show> }
    })
    .await;
    let newest = || {
        let id = chat
            .assistant
            .messages()
            .get_untracked()
            .last()
            .unwrap()
            .id()
            .clone();
        let text = chat.assistant.message_text(&id).get_untracked();
        (id, text)
    };
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    chat.assistant.regenerate(&newest().0).unwrap();
    chat.idle().await;
    listens.set(true);
    settle().await;
    let saved = chat.assistant.export();
    for is_imported in [false, true] {
        if is_imported {
            chat.assistant.import(saved.clone()).unwrap();
            settle().await;
        }
        let (id, text) = newest();
        assert_eq!(text, "Two");
        chat.assistant
            .branches()
            .show(&id, Sibling::Previous)
            .unwrap();
        settle().await;
        assert_eq!(newest().1, "One");
        assert_eq!(events.get_untracked(), [""; 0], "imported: {is_imported}");
    }
    chat.assistant.send("more").unwrap();
    chat.idle().await;
    assert_eq!(
        events.get_untracked(),
        ["message user", "message assistant"]
    );
}

#[wasm_bindgen_test]
async fn a_failed_observer_stops_neither_the_others_nor_the_run() {
    let agent = MockAgent::new()
        .answer(calls(json!({})))
        .answer(Script::new().text("Done"));
    let events = RwSignal::new(Vec::new());
    let failures = RwSignal::new(Vec::new());
    let chat = chat(agent, move || {
        use_assistant_action(act());
        use_assistant_events(|_| Err("no disk"));
        view! { <Listener events /> }
    })
    .await;
    let broken = chat.assistant.on_call_event(|_| Err("no network"));
    let silent = chat.assistant.on_diagnostic(|_| Err("no console"));
    let reporting = chat.assistant.on_diagnostic(move |diagnostic| {
        if diagnostic.code() == "observer-failed" {
            failures.update(|list: &mut Vec<String>| list.push(diagnostic.message().to_owned()));
        }
    });
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert!(until(|| events.with_untracked(Vec::len) == 5).await);
    let events = events.get_untracked();
    for what in [
        "message user",
        "message assistant",
        "started act",
        "ended act true",
    ] {
        assert!(
            events.iter().any(|diagnostic| diagnostic == what),
            "{what} in {events:?}"
        );
    }
    // Two events of a call and three messages; two events of a call.
    let count = |what| failures.with_untracked(|all| all.iter().filter(|one| *one == what).count());
    assert_eq!((count("no disk"), count("no network")), (5, 2));
    drop((broken, silent, reporting));
}
