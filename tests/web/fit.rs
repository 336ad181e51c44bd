//! Windows of any height, and their tab order.

use leptos::prelude::*;
use leptos_assistant::{
    ChatWindow, ConfirmOptions, STYLE, SessionOptions, ToolAction, ToolContext, ToolError,
    agent::Script,
    testing::{MockAgent, settle, until},
    use_assistant_action,
};
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use super::support::{Chat, chat, provided, question};

/// Mounts a chat in a box of this height, with the style sheet.
async fn boxed(agent: MockAgent, height: RwSignal<u32>) -> Chat {
    provided(agent, SessionOptions::default(), move || {
        view! {
            <style>{STYLE}</style>
            <div
                class="box"
                style:inline-size="320px"
                style:block-size=move || format!("{}px", height.get())
            >
                <ChatWindow />
            </div>
        }
    })
    .await
}

fn asking_agent(count: usize) -> MockAgent {
    let text = json!({"type": "string"});
    let asked = (0..count).map(|number| question(&format!("q{number}"), None, text.clone()));
    let script = Script::new()
        .text("I must know a few things.")
        .interrupt(asked.collect());
    MockAgent::new()
        .answer(script)
        .answer(Script::new().text("Thank you."))
}

const INSIDE: &str = ".la-transcript-content > .la-inbox";
const BELOW: &str = "[data-assistant-chat] > .la-inbox";

/// Rule "interrupts": the questions follow the newest message, and scroll with it.
#[wasm_bindgen_test]
async fn the_inbox_stands_in_the_transcript_at_any_height() {
    let height = RwSignal::new(256);
    let chat = boxed(asking_agent(3), height).await;
    chat.assistant.send("go").unwrap();
    chat.appears(INSIDE).await;
    chat.appears(".la-question").await;
    assert_eq!(chat.page.count(BELOW), 0);
    let list = chat.page.find(".la-transcript-scroller").unwrap();
    assert!(list.client_height() >= 120, "{}", list.client_height());
    // The first question is shown from its top.
    let head = || chat.page.find(".la-question .la-approval-head").unwrap();
    let top = |element: &web_sys::Element| element.get_bounding_client_rect().top();
    let shown = until(|| {
        let distance = top(&head()) - top(&list);
        (-1.0..=40.0).contains(&distance)
    })
    .await;
    assert!(shown, "{} in {}", top(&head()), top(&list));

    height.set(640);
    settle().await;
    assert_eq!(chat.page.count(BELOW), 0);
    assert_eq!(chat.page.count(INSIDE), 1);
    let field = chat.page.find("[data-interrupt-id=q1] input").unwrap();
    let field: HtmlElement = field.dyn_into().unwrap();
    field.focus().unwrap();
    // An on-screen keyboard takes the height: typing continues.
    height.set(256);
    settle().await;
    assert_eq!(chat.page.count(INSIDE), 1);
    assert!(document().active_element().is_some_and(|now| now == *field));
    field.blur().unwrap();
    height.set(250);
    chat.appears(INSIDE).await;
    assert_eq!(chat.page.count("[data-interrupt-id]"), 3, "and all of it");
}

#[wasm_bindgen_test]
async fn tab_leads_through_the_buttons_of_the_newest_turn_and_of_the_one_in_focus() {
    let agent = MockAgent::new()
        .answer(Script::new().text("One."))
        .answer(Script::new().text("Two."));
    let chat = chat(agent, || ()).await;
    for text in ["a", "b"] {
        chat.assistant.send(text).unwrap();
        chat.idle().await;
    }
    let all = chat.page.count(".la-message-bar button");
    let skipped = ".la-message-bar button[tabindex='-1']";
    assert!(all >= 4, "{all}");
    let newest = chat.page.count("[data-newest] .la-message-bar button");
    assert_eq!(chat.page.count(skipped), all - newest);
    let first = chat.page.find(".la-turn").unwrap();
    let first: HtmlElement = first.dyn_into().unwrap();
    first.focus().unwrap();
    settle().await;
    let own = first.query_selector_all(".la-message-bar button").unwrap();
    assert!(own.length() >= 1);
    assert_eq!(chat.page.count(skipped), all - newest - own.length());
    assert!(first.query_selector(skipped).unwrap().is_none());
}

#[wasm_bindgen_test]
async fn new_conversation_is_undone_until_something_is_said() {
    let agent = MockAgent::new()
        .answer(Script::new().text("One."))
        .answer(Script::new().text("Two."));
    let chat = chat(agent, || ()).await;
    chat.assistant.send("a").unwrap();
    chat.idle().await;
    let button = ".la-chat-actions .la-button";
    assert_eq!(chat.page.text(button), "New conversation");
    chat.page.click(button);
    let undoes = until(|| chat.page.text(button) == "Undo").await;
    assert!(undoes, "{}", chat.page.text(button));
    assert_eq!(chat.page.count(".la-message"), 0);
    assert_eq!(chat.page.count(".la-chat-actions [data-icon=undo]"), 1);
    let said = || chat.page.text("[data-speech=status]");
    assert!(until(|| said() == "A new conversation has begun.").await);
    let composer = document().active_element().unwrap();
    assert!(composer.class_list().contains("la-composer-input"));
    chat.page.click(button);
    chat.appears("[data-role=assistant]").await;
    assert!(chat.page.text("[role=log]").contains("One."));
    assert!(until(|| said() == "Back in the previous conversation.").await);
    assert_eq!(chat.page.text(button), "New conversation");
    // A click must not discard messages sent since.
    chat.page.click(button);
    settle().await;
    chat.assistant.send("b").unwrap();
    chat.idle().await;
    assert_eq!(chat.page.text(button), "New conversation");
}

#[wasm_bindgen_test]
async fn a_thread_that_is_loaded_while_a_dialog_is_open_leaves_nothing_open() {
    let agent = MockAgent::new()
        .answer(Script::new().text("Kept."))
        .answer(Script::new().call("drop", &json!({})));
    let ran = RwSignal::new(0);
    let chat = chat(agent, move || {
        use_assistant_action(ToolAction::new("drop", "Drops it").handler(
            move |_: Value, context: ToolContext| async move {
                let sure = context.confirm(ConfirmOptions::new("Sure?")).await;
                ran.update(|count| *count += usize::from(sure));
                Ok::<_, ToolError>(sure)
            },
        ));
    })
    .await;
    chat.assistant.send("a").unwrap();
    chat.idle().await;
    let before = chat.assistant.export();
    chat.assistant.send("b").unwrap();
    chat.appears("dialog[open]").await;
    chat.assistant.import(before).unwrap();
    let gone = until(|| chat.page.find("dialog[open]").is_none()).await;
    assert!(gone, "the dialog goes with what it asked about");
    chat.idle().await;
    assert!(chat.page.text("[role=log]").contains("Kept."));
    assert_eq!(ran.get_untracked(), 0);
    let inert = chat.page.find(".la-composer-input").unwrap();
    let input: HtmlElement = inert.dyn_into().unwrap();
    input.focus().unwrap();
    assert!(document().active_element().is_some_and(|now| now == *input));
}
