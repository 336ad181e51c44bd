//! Conversations that were kept elsewhere and are opened again.

use leptos::prelude::*;
use leptos_assistant::{
    AssistantProvider, ChatWindow,
    testing::{MockAgent, mount, settle},
};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::support::chat;

fn list() -> Value {
    json!([
        {"id": "u", "role": "user", "content": "What did I say?"},
        {"id": "a", "role": "assistant", "content": "This."},
    ])
}

/// Rule "export and import": a page begins with a conversation that its host kept
#[wasm_bindgen_test]
async fn a_provider_begins_with_a_conversation() {
    let page = mount(|| {
        view! {
            <AssistantProvider agent=MockAgent::new() initial=list()>
                <ChatWindow />
            </AssistantProvider>
        }
    });
    settle().await;
    assert_eq!(page.text("[data-message-id=u] .la-text"), "What did I say?");
    assert_eq!(page.text("[data-message-id=a] .la-markdown"), "This.");
}

/// Rule "export and import": export and import round trip; what cannot be read changes nothing
#[wasm_bindgen_test]
async fn a_conversation_is_exported_and_imported() {
    let chat = chat(MockAgent::new(), || ()).await;
    chat.assistant.send("one").unwrap();
    chat.idle().await;
    let first = chat.assistant.export();
    let thread = chat.assistant.thread_id().get_untracked();
    chat.assistant.import(list()).unwrap();
    settle().await;
    assert_ne!(chat.assistant.thread_id().get_untracked(), thread);
    assert_eq!(
        chat.page.text("[data-role=user] .la-text"),
        "What did I say?"
    );
    assert!(chat.assistant.import(json!({"version": 99})).is_err());
    settle().await;
    assert_eq!(chat.page.count("[data-message-id]"), 2, "nothing changed");
    chat.assistant.import(first.clone()).unwrap();
    settle().await;
    assert_eq!(chat.page.text("[data-role=user] .la-text"), "one");
    assert_eq!(chat.assistant.thread_id().get_untracked(), thread);
    assert_eq!(chat.assistant.export(), first);
}
