//! Two windows of one assistant on a page: each question is asked in one of them.

use std::collections::HashSet;

use leptos::prelude::*;
use leptos_assistant::{
    Approval, ChatPopup, ChatWindow, ConfirmOptions, SessionOptions, ToolAction, ToolCallView,
    ToolContext, ToolError,
    agent::Script,
    testing::{MockAgent, settle, until},
    use_assistant_action,
};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    interrupts::click,
    support::{Chat, provided, question},
};

const FIRST: &str = "section[aria-label=Side]";
const SECOND: &str = "section[aria-label=Assistant]";

/// Mounts two windows, the first of which is controlled by the signal.
async fn two_windows(
    agent: MockAgent,
    action: impl Fn() -> ToolAction + Send + Sync + 'static,
) -> (Chat, RwSignal<bool>) {
    let shown = RwSignal::new(true);
    let options = SessionOptions::default();
    let chat = provided(agent.clone(), options, move || {
        use_assistant_action(action());
        view! {
            <Show when=move || shown.get()>
                <ChatWindow label="Side" />
            </Show>
            <Show when=|| true>
                <ChatWindow />
            </Show>
        }
    })
    .await;
    (Chat { agent, ..chat }, shown)
}

fn act() -> ToolAction {
    ToolAction::new("act", "").handler(|_: Value| "done")
}

fn calls() -> MockAgent {
    MockAgent::new().answer(Script::new().call("act", &json!({"a": 1})))
}

fn buttons(chat: &Chat, window: &str, card: &str) -> u32 {
    chat.page.count(&format!("{window} {card} button"))
}

/// Asserts that every id reference resolves to exactly one element.
fn assert_unique_ids(chat: &Chat) {
    let all = chat.page.root.query_selector_all("[id]").unwrap();
    let mut ids = HashSet::new();
    for at in 0..all.length() {
        let element: web_sys::Element = wasm_bindgen::JsCast::unchecked_into(all.item(at).unwrap());
        assert!(ids.insert(element.id()), "{} is used twice", element.id());
    }
}

/// Asserts that the window mounted first asks, and that the other refers to it and asks once it is
/// unmounted.
async fn assert_asked_in_one_window(chat: &Chat, shown: RwSignal<bool>, card: &str) {
    chat.appears(&format!("{FIRST} {card}")).await;
    settle().await;
    assert!(buttons(chat, FIRST, card) > 0);
    assert_eq!(chat.page.count(&format!("{SECOND} {card}")), 0);
    let note = chat.page.text(&format!("{SECOND} .la-elsewhere"));
    assert!(note.contains("Side"), "{note}");
    assert_unique_ids(chat);
    shown.set(false);
    chat.appears(&format!("{SECOND} {card}")).await;
    assert_eq!(chat.page.count(".la-elsewhere"), 0);
    assert!(buttons(chat, SECOND, card) > 0);
    settle().await;
}

#[wasm_bindgen_test]
async fn an_approval_is_shown_in_one_window() {
    let actions = || act().approval(Approval::Always);
    let (chat, shown) = two_windows(calls(), actions).await;
    chat.assistant.send("go").unwrap();
    assert_asked_in_one_window(&chat, shown, ".la-approval").await;
    chat.reads(&format!("{SECOND} .la-approval")).await;
    click(&chat, SECOND, "Approve");
    chat.idle().await;
    assert_eq!(chat.results(1), ["\"done\""]);
}

#[wasm_bindgen_test]
async fn a_custom_approval_card_is_shown_in_one_window() {
    let actions = || {
        act().approval(Approval::Always).render_approval(|call: ToolCallView| {
            view! { <div class="own"><button on:click=move |_| drop(call.deny(None))>"No"</button></div> }
        })
    };
    let (chat, shown) = two_windows(calls(), actions).await;
    chat.assistant.send("go").unwrap();
    assert_asked_in_one_window(&chat, shown, ".own").await;
    click(&chat, SECOND, "No");
    chat.idle().await;
    assert!(chat.results(1)[0].contains("denied"));
}

#[wasm_bindgen_test]
async fn an_interrupt_is_shown_in_one_window() {
    let asked = question("q", None, json!({"type": "string"}));
    let agent = MockAgent::new()
        .answer(Script::new().interrupt(vec![asked]))
        .answer(Script::new().text("Well."));
    let (chat, shown) = two_windows(agent, act).await;
    chat.assistant.send("go").unwrap();
    assert_asked_in_one_window(&chat, shown, ".la-question").await;
    click(&chat, SECOND, "Skip");
    chat.idle().await;
    assert_eq!(chat.agent.inputs().len(), 2);
}

#[wasm_bindgen_test]
async fn a_form_of_a_handler_is_shown_in_one_window() {
    let actions = || {
        ToolAction::new("act", "").handler(|_: Value, context: ToolContext| async move {
            let schema = json!({"type": "string"});
            context.ask_with::<String>("Which?", schema).await
        })
    };
    let (chat, shown) = two_windows(calls(), actions).await;
    chat.assistant.send("go").unwrap();
    assert_asked_in_one_window(&chat, shown, ".la-ask").await;
    click(&chat, SECOND, "Skip");
    chat.idle().await;
}

#[wasm_bindgen_test]
async fn a_confirm_dialog_opens_in_one_window() {
    let actions = || {
        ToolAction::new("act", "").handler(|_: Value, context: ToolContext| async move {
            let sure = context.confirm(ConfirmOptions::new("Sure?")).await;
            Ok::<_, ToolError>(sure)
        })
    };
    let (chat, shown) = two_windows(calls(), actions).await;
    chat.assistant.send("go").unwrap();
    chat.appears("dialog[open]").await;
    settle().await;
    assert_eq!(chat.page.count("dialog"), 1);
    assert_eq!(chat.page.count(&format!("{FIRST} dialog")), 1);
    assert_unique_ids(&chat);
    shown.set(false);
    chat.appears(&format!("{SECOND} dialog[open]")).await;
    chat.appears("dialog button[value=confirm]:not([aria-disabled])")
        .await;
    click(&chat, "dialog", "Confirm");
    chat.idle().await;
    assert_eq!(chat.results(1), ["true"]);
}

#[wasm_bindgen_test]
async fn the_other_window_can_take_over_a_question() {
    let actions = || act().approval(Approval::Always);
    let (chat, _shown) = two_windows(calls(), actions).await;
    chat.assistant.send("go").unwrap();
    chat.appears(&format!("{SECOND} .la-elsewhere")).await;
    click(&chat, &format!("{SECOND} .la-elsewhere"), "Ask here");
    chat.appears(&format!("{SECOND} .la-approval")).await;
    assert_eq!(chat.page.count(&format!("{FIRST} .la-approval")), 0);
    let note = chat.page.text(&format!("{FIRST} .la-elsewhere"));
    assert!(note.contains("Assistant"), "{note}");
    click(&chat, SECOND, "Deny");
    chat.idle().await;
    assert_eq!(chat.page.count(".la-elsewhere"), 0);
}

#[wasm_bindgen_test]
async fn only_one_window_announces() {
    let actions = || act().approval(Approval::Always);
    let (chat, shown) = two_windows(calls(), actions).await;
    chat.assistant.send("go").unwrap();
    let announced = |window: &str| chat.page.text(&format!("{window} > .la-announcer"));
    assert!(until(|| announced(FIRST).contains("Approval needed")).await);
    assert_eq!(announced(SECOND), "");
    shown.set(false);
    chat.appears(&format!("{SECOND} .la-approval")).await;
    click(&chat, SECOND, "Deny");
    chat.idle().await;
    assert!(until(|| !announced(SECOND).is_empty()).await, "the answer");
}

/// A closed popup is hidden from assistive technology, so an open window announces instead of it.
#[wasm_bindgen_test]
async fn a_closed_popup_leaves_the_announcements_to_an_open_window() {
    let open = RwSignal::new(false);
    let agent = MockAgent::new()
        .answer(Script::new().text("Read in the window."))
        .answer(Script::new().text("Read in the popup."));
    let chat = provided(agent.clone(), SessionOptions::default(), move || {
        view! {
            <ChatPopup label="Side" open />
            <ChatWindow />
        }
    })
    .await;
    let announced = |window: &str| chat.page.text(&format!("{window} > .la-announcer"));
    chat.assistant.send("go").unwrap();
    assert!(until(|| announced(SECOND).contains("Read in the window.")).await);
    assert_eq!(announced(FIRST), "");
    open.set(true);
    settle().await;
    chat.assistant.send("go").unwrap();
    assert!(until(|| announced(FIRST).contains("Read in the popup.")).await);
    assert!(!announced(SECOND).contains("Read in the popup."));
}
