//! Conversations that were stored elsewhere and are opened again.

use leptos::prelude::*;
use std::time::Duration;

use leptos_assistant::{
    Approval, AssistantProvider, ChatWindow, ToolAction, ToolError,
    agent::Script,
    testing::{FakeClock, MockAgent, mount, settle},
    use_assistant_action,
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

/// Rule "export and import": a page begins with a stored conversation of its host
#[wasm_bindgen_test]
async fn a_provider_shows_its_initial_conversation() {
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

/// Rule "export and import": export and import round trip; an invalid conversation changes nothing
#[wasm_bindgen_test]
async fn an_exported_conversation_can_be_imported() {
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
    let without_last_key = |mut export: Value| {
        export["lastKey"].take();
        export
    };
    assert_eq!(
        without_last_key(chat.assistant.export()),
        without_last_key(first),
        "later calls get keys that no earlier call has"
    );
}

/// Rule "after a reload": a stored question is shown before its component is mounted; it has a
/// grace time to register, then it can be dismissed, and it is approved after mounting
#[wasm_bindgen_test]
async fn a_restored_approval_waits_for_the_component_of_its_action() {
    let here = RwSignal::new(true);
    let agent = MockAgent::new()
        .answer(Script::new().call("pay", &json!({"to": "Ann"})))
        .answer(Script::new().text("Paid."));
    let chat = chat(agent, move || {
        let action = || {
            use_assistant_action(
                ToolAction::new("pay", "")
                    .approval(Approval::Always)
                    .handler(|_: Value| async { Ok::<_, ToolError>("paid") }),
            );
        };
        view! { <Show when=move || here.get()>{action}</Show> }
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-approval").await;
    let stored = chat.assistant.export();
    chat.assistant.new_conversation();
    here.set(false);
    settle().await;
    let clock = FakeClock::at(1_700_000_000_000);
    chat.assistant.import(stored).unwrap();
    chat.appears(".la-approval").await;
    let card = || chat.page.text(".la-approval");
    let buttons = ".la-approval-actions button:not([hidden])";
    assert!(card().contains("Ann"), "{}", card());
    clock.advance(Duration::from_millis(1_900));
    settle().await;
    assert!(!card().contains("no longer on the page"), "{}", card());
    assert_eq!(chat.page.text(buttons), "Deny");
    clock.advance(Duration::from_millis(200));
    settle().await;
    assert!(card().contains("no longer on the page"), "{}", card());
    assert_eq!(chat.page.text(buttons), "Dismiss");
    assert_eq!(chat.agent.inputs().len(), 1, "nothing is sent by itself");
    drop(clock);
    here.set(true);
    chat.reads(".la-approval").await;
    assert!(!card().contains("no longer on the page"), "{}", card());
    assert_eq!(chat.page.text(".la-approval-changed"), "");
    assert_eq!(chat.page.text(buttons), "Approve");
    assert!(chat.page.click(buttons));
    chat.idle().await;
    assert_eq!(chat.results(1), ["\"paid\""]);
}
