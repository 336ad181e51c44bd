//! The focus after the focused element was removed.

use leptos::prelude::*;
use leptos_assistant::{
    Assistant, AssistantProvider,
    agent::Script,
    chat::PastConversations,
    store::MemoryStore,
    testing::{MockAgent, mount, settle, until},
    use_assistant,
};
use serde_json::json;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;

use super::support::{Chat, chat, question};

/// Presses a button by keyboard.
fn press(chat: &Chat, selector: &str) {
    let button = chat.page.find(selector).unwrap();
    button.focus().unwrap();
    button.click();
}

async fn has_focus(chat: &Chat, selector: &str) {
    let holds = until(|| {
        let active = web_sys::window()
            .unwrap()
            .document()
            .unwrap()
            .active_element();
        active.is_some_and(|active| active.matches(selector).unwrap())
    });
    assert!(
        holds.await,
        "{selector} has the focus: {}",
        chat.page.root.inner_html()
    );
}

#[wasm_bindgen_test]
async fn an_answered_interrupt_moves_the_focus_to_the_next_or_the_composer() {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let questions = vec![
        question("first", None, schema.clone()),
        question("second", None, schema),
    ];
    let agent = MockAgent::new()
        .answer(Script::new().interrupt(questions))
        .answer(Script::new().text("Thanks."));
    let chat = chat(agent, || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears("[data-interrupt-id=second] button").await;
    chat.reads("[data-interrupt-id=first]").await;
    press(&chat, "[data-interrupt-id=first] button[type=submit]");
    has_focus(&chat, "[data-interrupt-id=second] input").await;
    press(&chat, "[data-interrupt-id=second] button[type=button]");
    has_focus(&chat, ".la-composer-input").await;
    chat.idle().await;
}

#[wasm_bindgen_test]
async fn a_removed_notice_moves_the_focus_to_the_composer() {
    let agent = MockAgent::new()
        .answer(Script::new().text("Half").cut())
        .answer(Script::new().text("Half").cut());
    let chat = chat(agent, || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears("[role=alert]").await;
    press(&chat, "[role=alert] .la-button:first-of-type");
    has_focus(&chat, ".la-composer-input").await;
    chat.appears("[role=alert]").await;
    press(&chat, "[role=alert] .la-button[data-variant=quiet]");
    has_focus(&chat, ".la-composer-input").await;
}

#[wasm_bindgen_test]
async fn editing_arguments_keeps_the_focus_in_the_card() {
    let schema = json!({
        "type": "object",
        "properties": {"approved": {"type": "boolean"}, "editedArgs": {"type": "object"}}
    });
    let agent = MockAgent::new().answer(
        Script::new()
            .call_as("c1", "pay", "{\"amount\":5}")
            .interrupt(vec![question("int", Some("c1"), schema)]),
    );
    let chat = chat(agent, || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-approval-edit").await;
    press(&chat, ".la-approval-more > summary");
    press(&chat, ".la-approval-edit");
    has_focus(&chat, ".la-approval .la-input").await;
    press(&chat, ".la-approval form button[type=button]");
    has_focus(&chat, ".la-approval-edit").await;
    settle().await;
}

/// A deleted, restored or renamed conversation is rendered again, with its buttons.
#[wasm_bindgen_test]
async fn the_list_of_past_conversations_keeps_the_focus() {
    #[component]
    fn Ask() -> impl IntoView {
        let assistant: Assistant = use_assistant()?;
        let ask = move |_| assistant.send("Where is it?").unwrap();
        Some(view! { <button class="ask" on:click=ask></button> })
    }
    let agent = MockAgent::new().answer(Script::new().text("Here."));
    let page = mount(move || {
        view! {
            <AssistantProvider agent store=MemoryStore::default()>
                <Ask />
                <PastConversations />
            </AssistantProvider>
        }
    });
    settle().await;
    page.click(".ask");
    assert!(until(|| page.count(".la-past-open") > 0).await);
    let press = |selector: &str| {
        let button = page.find(selector).unwrap();
        button.focus().unwrap();
        button.click();
    };
    let holds = async |selector: &str| {
        let has = || {
            let active = document().active_element();
            active.is_some_and(|active| active.matches(selector).unwrap())
        };
        assert!(until(has).await, "{selector}: {}", page.root.inner_html());
        settle().await;
        assert!(has(), "{selector} keeps it: {}", page.root.inner_html());
    };
    let rename = "[aria-label=Rename]";
    press(rename);
    holds(".la-past-form input").await;
    let init = web_sys::KeyboardEventInit::new();
    init.set_key("Escape");
    init.set_bubbles(true);
    let event = web_sys::KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init);
    let input = page.find(".la-past-form input").unwrap();
    input.dispatch_event(&event.unwrap()).unwrap();
    holds(rename).await;

    press(rename);
    holds(".la-past-form input").await;
    let input = page.find(".la-past-form input").unwrap();
    let input: web_sys::HtmlInputElement = input.unchecked_into();
    input.set_value("The lost order");
    page.click(".la-past-form button");
    assert!(until(|| page.text(".la-past-title") == "The lost order").await);
    holds(rename).await;

    press("[aria-label=Delete]");
    assert!(until(|| page.count(".la-past-deleted") == 1).await);
    holds(".la-past-deleted + button").await;
    press(".la-past-deleted + button");
    assert!(until(|| page.count(".la-past-deleted") == 0).await);
    holds(".la-past-open").await;
}
