//! The tree of all branches: its two forms, its mounted part, and undoing a deletion.

use leptos::prelude::*;
use leptos_assistant::{
    chat::TreeView,
    testing::{MockAgent, until},
};
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;

use super::support::{Chat, chat};

/// Mounts a tree view of a given size next to the chat.
async fn tree(messages: &[(String, Option<String>)], tip: &str) -> Chat {
    let chat = chat(MockAgent::new(), || {
        view! {
            <style>{leptos_assistant::STYLE}</style>
            <div style="block-size: 400px; inline-size: 600px">
                <TreeView />
            </div>
        }
    })
    .await;
    let entry = |(id, parent): &(String, Option<String>)| {
        json!({
            "parent": parent,
            "message": {"id": id, "role": "user", "parts": [{"type": "text", "text": id}]},
        })
    };
    let messages: Vec<Value> = messages.iter().map(entry).collect();
    let snapshot = json!({"version": 2, "messages": messages, "tip": tip});
    chat.assistant.import(snapshot).unwrap();
    chat.appears(".la-tree-row").await;
    chat
}

fn two_answers() -> Vec<(String, Option<String>)> {
    [
        ("q", None),
        ("a", Some("q")),
        ("a1", Some("a")),
        ("b", Some("q")),
    ]
    .into_iter()
    .map(|(id, parent)| (id.to_owned(), parent.map(str::to_owned)))
    .collect()
}

fn button(chat: &Chat, name: &str) -> web_sys::HtmlElement {
    let found = chat
        .page
        .find(&format!(".la-tree button[aria-label='{name}']"));
    found.unwrap_or_else(|| panic!("no button {name}"))
}

fn box_of(chat: &Chat, text: &str) -> web_sys::DomRect {
    let rows = chat.page.root.query_selector_all(".la-tree-row").unwrap();
    let row = (0..rows.length())
        .map(|at| rows.item(at).unwrap().unchecked_into::<web_sys::Element>())
        .find(|row| {
            let text_of_row = row.query_selector(".la-tree-text").unwrap().unwrap();
            text_of_row.text_content().as_deref() == Some(text)
        });
    row.unwrap().get_bounding_client_rect()
}

fn middle(rect: &web_sys::DomRect) -> f64 {
    rect.left() + rect.width() / 2.0
}

fn press(chat: &Chat, key: &str) {
    let init = web_sys::KeyboardEventInit::new();
    init.set_key(key);
    init.set_bubbles(true);
    init.set_cancelable(true);
    let event = web_sys::KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init);
    let scroller = chat.page.find(".la-tree-scroller").unwrap();
    scroller.dispatch_event(&event.unwrap()).unwrap();
}

async fn drawn(chat: &Chat) {
    button(chat, "Draw as a tree").click();
    chat.appears(".la-tree-way").await;
}

#[wasm_bindgen_test]
async fn the_tree_drawing_has_lines_and_the_keys_of_the_list() {
    let chat = tree(&two_answers(), "a1").await;
    assert_eq!(chat.page.count(".la-tree-way"), 0, "a list first");
    drawn(&chat).await;
    assert_eq!(chat.page.count("[role='tree'] [role='treeitem']"), 4);
    assert_eq!(chat.page.count(".la-tree-way"), 3);
    assert_eq!(chat.page.count(".la-tree-way[data-shown]"), 2, "q - a - a1");
    let (q, a, b) = (box_of(&chat, "q"), box_of(&chat, "a"), box_of(&chat, "b"));
    assert!(a.top() > q.bottom() && (a.top() - b.top()).abs() < 1.0);
    assert!(b.left() > a.right(), "versions are side by side");
    let between = f64::midpoint(middle(&a), middle(&b));
    assert!((middle(&q) - between).abs() < 1.0, "above their middle");
    press(&chat, "Home");
    let at = |text: &'static str| {
        let chat = &chat;
        until(move || chat.page.text(".la-tree-row[data-cursor] .la-tree-text") == text)
    };
    assert!(at("q").await);
    press(&chat, "End");
    assert!(at("b").await);
    press(&chat, "Enter");
    assert!(
        until(|| chat.page.count(".la-tree-way[data-shown]") == 1).await,
        "q - b"
    );
    button(&chat, "Draw as a tree").click();
    assert!(until(|| chat.page.count(".la-tree-way") == 0).await);
    assert!(
        at("b").await,
        "the list continues at the place of the drawing"
    );
}

/// A child is in the direction of the text.
#[wasm_bindgen_test]
async fn the_arrow_keys_of_the_tree_are_mirrored_in_right_to_left_text() {
    let chat = tree(&two_answers(), "a1").await;
    chat.page.root.set_attribute("dir", "rtl").unwrap();
    let current = || chat.page.text(".la-tree-row[data-cursor] .la-tree-text");
    press(&chat, "Home");
    assert!(until(|| current() == "q").await);
    press(&chat, "ArrowLeft");
    assert!(until(|| current() == "a").await, "{}", current());
    press(&chat, "ArrowRight");
    assert!(until(|| current() == "q").await, "{}", current());
    press(&chat, "ArrowRight");
    assert!(
        until(|| chat.page.count(".la-tree-row") == 1).await,
        "folded"
    );
}

#[wasm_bindgen_test]
async fn the_last_message_of_the_shown_branch_is_selected() {
    let chat = tree(&two_answers(), "a1").await;
    let selected = || chat.page.text("[aria-selected=true] .la-tree-text");
    assert_eq!(selected(), "a1");
    press(&chat, "Home");
    press(&chat, "Enter");
    assert!(until(|| selected() == "q").await, "{:?}", selected());
    assert_eq!(chat.page.count("[aria-selected=true]"), 1);
}

#[wasm_bindgen_test]
async fn the_tree_drawing_zooms_by_buttons_keys_and_wheel() {
    let chat = tree(&two_answers(), "a1").await;
    drawn(&chat).await;
    let width = || box_of(&chat, "q").width();
    let before = width();
    button(&chat, "Zoom in").click();
    assert!(until(|| width() > before * 1.2).await);
    press(&chat, "-");
    assert!(until(|| (width() - before).abs() < 1.0).await);
    let wheel = web_sys::WheelEventInit::new();
    wheel.set_ctrl_key(true);
    wheel.set_bubbles(true);
    wheel.set_cancelable(true);
    wheel.set_delta_y(100.0);
    let event = web_sys::WheelEvent::new_with_event_init_dict("wheel", &wheel).unwrap();
    let scroller = chat.page.find(".la-tree-scroller").unwrap();
    scroller.dispatch_event(&event).unwrap();
    assert!(event.default_prevented(), "the page does not zoom");
    assert!(until(|| width() < before * 0.9).await);
    for _ in 0..10 {
        button(&chat, "Zoom in").click();
    }
    let ends = || {
        let disabled = button(&chat, "Zoom in").get_attribute("aria-disabled");
        disabled.as_deref() == Some("true")
    };
    assert!(until(ends).await);
    button(&chat, "Fit").click();
    let inside = || {
        let room = scroller.get_bounding_client_rect();
        let all = [box_of(&chat, "q"), box_of(&chat, "a1"), box_of(&chat, "b")];
        all.iter().all(|one| {
            one.left() >= room.left()
                && one.right() <= room.right()
                && one.bottom() <= room.bottom()
        })
    };
    assert!(until(inside).await);
}

#[wasm_bindgen_test]
async fn a_large_tree_drawing_mounts_only_visible_rows() {
    let name = |at: usize| format!("m{at}");
    let deep = (1..1_000).map(|at| (name(at), Some(name(at - 1))));
    let wide = (1_000..3_000).map(|at| (name(at), Some(name(0))));
    let all: Vec<_> = [(name(0), None)]
        .into_iter()
        .chain(deep)
        .chain(wide)
        .collect();
    let chat = tree(&all, "m2500").await;
    assert!(chat.page.count(".la-tree-row") <= 60);
    drawn(&chat).await;
    let there = |text: &'static str| {
        let chat = &chat;
        until(move || chat.page.text(".la-tree-row[data-cursor] .la-tree-text") == text)
    };
    assert!(there("m2500").await, "what is shown is in view");
    let few = || chat.page.count(".la-tree-row") <= 80 && chat.page.count(".la-tree-way") <= 120;
    assert!(few());
    press(&chat, "Home");
    assert!(there("m0").await, "it came into view");
    assert!(few());
    button(&chat, "Fit").click();
    assert!(there("m0").await);
    assert!(chat.page.count(".la-tree-row") <= 800);
}

#[wasm_bindgen_test]
async fn a_branch_deletion_is_announced_and_can_be_undone() {
    let chat = tree(&two_answers(), "a1").await;
    press(&chat, "Home");
    press(&chat, "ArrowDown");
    press(&chat, "Delete");
    chat.appears("dialog[open]").await;
    chat.page
        .find("dialog button[value='confirm']")
        .unwrap()
        .click();
    assert!(until(|| chat.page.count(".la-tree-row") == 2).await);
    assert!(
        until(|| chat.page.text(".la-tree-undo [aria-live='polite']") == "2 messages deleted.")
            .await
    );
    chat.page.find(".la-tree-undo button").unwrap().click();
    assert!(until(|| chat.page.count(".la-tree-row") == 4).await);
    assert_eq!(chat.page.text(".la-tree-undo [aria-live='polite']"), "");
    let path = chat
        .assistant
        .with_conversation(|all| all.tip().map(ToString::to_string));
    assert_eq!(path.flatten().as_deref(), Some("a1"));
    assert_eq!(
        chat.page.text(".la-tree-row[data-cursor] .la-tree-text"),
        "a"
    );
    let focused = document().active_element().unwrap();
    assert_eq!(focused.get_attribute("role").as_deref(), Some("tree"));
}
