//! Rule "timing of an answer": an approval counts only while the whole request is visible.

use leptos::prelude::*;
use leptos_assistant::{
    ConfirmOptions, ToolAction, ToolContext,
    agent::Script,
    testing::{MockAgent, settle, until},
    use_assistant_action,
};
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use super::{
    approval::weather,
    support::{Chat, chat},
};

const READY: &str = ".la-approval-approve:not([aria-disabled])";
const COVERED: &str = ".la-cover-text span";
const RAISE: &str = ".la-cover button";

/// Mounts a chat with a pending approval.
async fn pending_approval() -> (Chat, RwSignal<u32>) {
    let args = json!({"city": "Oslo"});
    let (chat, ran) = weather(|| leptos_assistant::Approval::Always, args).await;
    chat.appears(".la-approval").await;
    chat.scrolls_through(".la-approval").await;
    (chat, ran)
}

/// Sets or removes a style.
fn style(chat: &Chat, selector: &str, name: &str, value: Option<&str>) {
    let element: HtmlElement = chat.page.find(selector).unwrap().unchecked_into();
    let style = HtmlElement::style(&element);
    match value {
        Some(value) => style.set_property(name, value).unwrap(),
        None => drop(style.remove_property(name).unwrap()),
    }
}

/// Adds a layer over the whole page.
fn cover(css: &str) -> HtmlElement {
    let layer = document().create_element("div").unwrap();
    let css = format!("position: fixed; inset: 0; z-index: 99; {css}");
    layer.set_attribute("style", &css).unwrap();
    document().body().unwrap().append_child(&layer).unwrap();
    layer.unchecked_into()
}

async fn assert_not_approvable(chat: &Chat, ran: RwSignal<u32>, why: &str) {
    for _ in 0..12 {
        settle().await;
        assert!(chat.page.find(READY).is_none(), "{why}");
    }
    assert!(chat.page.click(".la-approval-approve"));
    settle().await;
    assert_eq!(ran.get_untracked(), 0, "{why}");
}

async fn assert_approvable(chat: &Chat, ran: RwSignal<u32>, why: &str) {
    chat.reads(".la-approval").await;
    assert!(chat.page.click(".la-approval-approve"));
    assert!(until(|| ran.get_untracked() == 1).await, "{why}");
}

#[wasm_bindgen_test]
async fn a_layer_without_pointer_events_blocks_approval() {
    let (chat, ran) = pending_approval().await;
    let layer = cover("pointer-events: none; background: white");
    assert_not_approvable(&chat, ran, "a layer without clicks").await;
    assert!(until(|| chat.page.find(COVERED).is_some()).await);
    layer.remove();
    assert_approvable(&chat, ran, "the layer is gone").await;
    assert!(chat.page.find(COVERED).is_none());
}

#[wasm_bindgen_test]
async fn a_covered_approval_can_be_raised_to_the_top_layer() {
    let (chat, ran) = pending_approval().await;
    let layer = cover("background: white");
    assert!(until(|| chat.page.find(RAISE).is_some()).await);
    assert!(chat.page.click(RAISE));
    let dialog = "dialog.la-on-top[open]";
    assert!(until(|| chat.page.find(dialog).is_some()).await);
    assert!(
        chat.page.find(READY).is_none(),
        "it counts half a second later"
    );
    assert_eq!(chat.page.count(".la-approval"), 1, "it is the same request");
    assert_approvable(&chat, ran, "nothing is above it").await;
    chat.idle().await;
    assert!(chat.page.find(dialog).is_none());
    let focused = document().active_element().unwrap();
    assert!(
        focused.matches(".la-composer-input").unwrap(),
        "{focused:?}"
    );
    layer.remove();
}

#[wasm_bindgen_test]
async fn closing_the_top_layer_returns_the_approval_to_its_place() {
    let (chat, ran) = pending_approval().await;
    let layer = cover("background: white");
    assert!(until(|| chat.page.find(RAISE).is_some()).await);
    assert!(chat.page.click(RAISE));
    assert!(until(|| chat.page.find("dialog.la-on-top[open]").is_some()).await);
    assert!(chat.page.click(".la-on-top > .la-dialog-actions button"));
    assert!(until(|| chat.page.find("dialog").is_none()).await);
    layer.remove();
    assert_approvable(&chat, ran, "it is in its place").await;
}

#[wasm_bindgen_test]
async fn styles_that_hide_part_of_an_approval_block_it() {
    for (selector, name, value) in [
        (".la-approval", "opacity", "0.01"),
        (".la-approval-title", "opacity", "0.2"),
        (".la-approval", "filter", "blur(9px)"),
        (".la-approval .la-code", "clip-path", "inset(0 0 90% 0)"),
        (
            ".la-approval .la-code",
            "mask-image",
            "linear-gradient(transparent, transparent)",
        ),
        (".la-approval .la-code", "visibility", "hidden"),
        (".la-approval .la-code", "display", "none"),
        (".la-approval .la-code", "font-size", "0"),
        (".la-approval .la-code", "color", "transparent"),
        (".la-approval-title", "text-indent", "-9999px"),
        (".la-approval", "transform", "scale(0.05)"),
        (".la-approval", "transform", "rotate(90deg)"),
        (".la-approval", "mix-blend-mode", "difference"),
        (".la-approval", "zoom", "0.1"),
    ] {
        let (chat, ran) = pending_approval().await;
        style(&chat, selector, name, Some(value));
        assert_not_approvable(&chat, ran, &format!("{selector} {name}: {value}")).await;
        style(&chat, selector, name, None);
        assert_approvable(&chat, ran, &format!("without {name}")).await;
    }
}

#[wasm_bindgen_test]
async fn an_invisible_layer_does_not_block_approval() {
    for css in [
        "pointer-events: none",
        "pointer-events: none; opacity: 0; background: white",
        "visibility: hidden; background: white",
    ] {
        let (chat, ran) = pending_approval().await;
        let layer = cover(css);
        assert_approvable(&chat, ran, css).await;
        layer.remove();
    }
}

/// Adds an element in a closed shadow root of the page.
fn in_shadow_root(css: &str) -> web_sys::Element {
    let host = document().create_element("div").unwrap();
    document().body().unwrap().append_child(&host).unwrap();
    let closed = web_sys::ShadowRootInit::new(web_sys::ShadowRootMode::Closed);
    let root = host.attach_shadow(&closed).unwrap();
    let layer = document().create_element("div").unwrap();
    layer.set_attribute("style", css).unwrap();
    root.append_child(&layer).unwrap();
    host
}

#[wasm_bindgen_test]
async fn a_layer_in_a_closed_shadow_root_blocks_approval() {
    let (chat, ran) = pending_approval().await;
    let host = in_shadow_root(
        "position: fixed; inset: 0; z-index: 99; pointer-events: none; background: white",
    );
    assert_not_approvable(&chat, ran, "a layer that no hit test finds").await;
    assert!(until(|| chat.page.find(COVERED).is_some()).await);
    host.remove();
    assert_approvable(&chat, ran, "the layer is gone").await;
}

#[wasm_bindgen_test]
async fn scrolling_past_the_end_of_an_approval_does_not_count_as_reading() {
    let args = json!({"city": "Oslo"});
    let (chat, ran) = weather(|| leptos_assistant::Approval::Always, args).await;
    chat.appears(".la-approval").await;
    style(
        &chat,
        ".la-approval .la-code",
        "max-block-size",
        Some("none"),
    );
    style(
        &chat,
        ".la-approval .la-code",
        "padding-block-start",
        Some("3000px"),
    );
    let part = |selector: &str| chat.page.find(selector).unwrap();
    part(".la-approval-title").scroll_into_view();
    for _ in 0..2 {
        part(".la-approval-end").scroll_into_view();
        for _ in 0..3 {
            settle().await;
        }
        part(".la-approval-title").scroll_into_view();
        for _ in 0..12 {
            settle().await;
            assert!(
                chat.page.find(READY).is_none(),
                "scrolling past the end counted as reading it"
            );
        }
    }
    assert_approvable(&chat, ran, "it was read").await;
}

#[wasm_bindgen_test]
async fn the_box_shadow_of_a_neighbour_does_not_block_approval() {
    let (chat, ran) = pending_approval().await;
    let card = chat.page.find(".la-approval").unwrap();
    let edges = card.get_bounding_client_rect();
    // It ends above the card, and its shadow covers the upper part of it.
    let neighbour = cover(&format!(
        "inset: auto 0 auto 0; top: 0; height: {}px; box-shadow: 0 16px 40px rgb(0 0 0 / 20%); pointer-events: none",
        (edges.top() - 6.0).max(0.0)
    ));
    // Wait until the browser would have reported a hidden request.
    for _ in 0..12 {
        settle().await;
        assert!(chat.page.find(COVERED).is_none());
    }
    assert_approvable(&chat, ran, "a shadow").await;
    neighbour.remove();
}

#[wasm_bindgen_test]
async fn a_covered_confirmation_dialog_cannot_be_confirmed() {
    const CONFIRM: &str = "dialog button[value=confirm]";
    let sure = RwSignal::new(None);
    let agent = MockAgent::new().answer(Script::new().call("erase", &json!({})));
    let chat = chat(agent, move || {
        use_assistant_action(ToolAction::new("erase", "").handler(
            move |_: Value, context: ToolContext| async move {
                let options = ConfirmOptions::new("Sure?").text("Its 12 cards go with it.");
                sure.set(Some(context.confirm(options).await));
            },
        ));
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(CONFIRM).await;
    // Later in the top layer than the dialog.
    let layer =
        cover("margin: 0; border: 0; inline-size: 100%; block-size: 100%; background: white");
    layer.set_attribute("popover", "manual").unwrap();
    layer.show_popover().unwrap();
    assert!(until(|| chat.page.find(COVERED).is_some()).await);
    assert!(chat.page.click(CONFIRM));
    for _ in 0..4 {
        settle().await;
    }
    assert_eq!(sure.get_untracked(), None);
    layer.remove();
    chat.appears(&format!("{CONFIRM}:not([aria-disabled])"))
        .await;
    assert!(chat.page.click(CONFIRM));
    assert!(until(|| sure.get_untracked() == Some(true)).await);
}

#[wasm_bindgen_test]
async fn a_layer_added_after_reading_blocks_approval() {
    let (chat, ran) = pending_approval().await;
    chat.reads(".la-approval").await;
    let layer = cover("background: white");
    // At once, before the browser reports anything.
    assert!(chat.page.click(".la-approval-approve"));
    settle().await;
    assert_eq!(ran.get_untracked(), 0);
    layer.remove();
    assert_approvable(&chat, ran, "the layer is gone").await;
}

#[wasm_bindgen_test]
async fn hit_tests_replace_missing_visibility_reports() {
    let prototype = js_sys::Reflect::get(&window(), &"IntersectionObserverEntry".into()).unwrap();
    let prototype = js_sys::Reflect::get(&prototype, &"prototype".into()).unwrap();
    let prototype: js_sys::Object = prototype.unchecked_into();
    let own = js_sys::Object::get_own_property_descriptor(&prototype, &"isVisible".into());
    js_sys::Reflect::delete_property(&prototype, &"isVisible".into()).unwrap();
    let (chat, ran) = pending_approval().await;
    let layer = cover("pointer-events: none; background: white");
    assert_not_approvable(&chat, ran, "a layer without clicks").await;
    layer.remove();
    assert_approvable(&chat, ran, "the layer is gone").await;
    let (chat, ran) = pending_approval().await;
    for (name, value) in [("opacity", "0.01"), ("filter", "blur(9px)")] {
        style(&chat, ".la-chat", name, Some(value));
        assert_not_approvable(&chat, ran, &format!("around it, {name}: {value}")).await;
        style(&chat, ".la-chat", name, None);
    }
    assert_approvable(&chat, ran, "the styles are gone").await;
    js_sys::Object::define_property(&prototype, &"isVisible".into(), &own.unchecked_into());
}
