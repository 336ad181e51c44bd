//! The focus after the focused element was removed.

use leptos_assistant::{
    agent::Script,
    testing::{MockAgent, settle, until},
};
use serde_json::json;
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
async fn an_answered_question_passes_it_to_the_next_and_the_last_to_the_text_box() {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let asks = vec![
        question("first", None, schema.clone()),
        question("second", None, schema),
    ];
    let agent = MockAgent::new()
        .answer(Script::new().interrupt(asks))
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
async fn a_notice_that_goes_passes_it_to_the_text_box() {
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
async fn edited_arguments_keep_it_in_the_card() {
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
    press(&chat, ".la-approval-edit");
    has_focus(&chat, ".la-approval .la-input").await;
    press(&chat, ".la-approval form button[type=button]");
    has_focus(&chat, ".la-approval-edit").await;
    settle().await;
}
