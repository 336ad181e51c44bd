//! What a chat shows when the program behind it has ended.
//!
//! After a panic nothing of a WebAssembly program can be relied on: what it was doing stays half
//! done, and it may or may not answer. The library sets no panic hook; an application says in its
//! own what the person should see. Nothing here reads signals or context, which the program may hold.

use leptos::prelude::document;
use wasm_bindgen::JsCast;
use web_sys::Element;

use crate::ui::Labels;

/// Tells in every chat of the page that it has stopped, and offers to load the page again. For
/// panic hooks:
///
/// ```no_run
/// std::panic::set_hook(Box::new(|info| {
///     leptos::logging::error!("{info}");
///     leptos_assistant::chat::show_stopped(&leptos_assistant::Labels::default());
/// }));
/// ```
pub fn show_stopped(labels: &Labels) {
    let Ok(chats) = document().query_selector_all("[data-assistant-chat]:not([data-stopped])")
    else {
        return;
    };
    for place in 0..chats.length() {
        let chat = chats.item(place).and_then(|chat| chat.dyn_into().ok());
        if let Some(chat) = chat {
            // What cannot be shown any more is not shown: there is nobody left to tell.
            let _ = stop(&chat, labels);
        }
    }
}

fn stop(chat: &Element, labels: &Labels) -> Option<()> {
    chat.set_attribute("data-stopped", "").ok()?;
    chat.remove_attribute("data-running").ok()?;
    if let Some(status) = chat.query_selector(".la-chat-status").ok()? {
        status.set_text_content(Some(&labels.stopped));
    }
    let children = chat.children();
    for place in 0..children.length() {
        children.item(place)?.set_attribute("inert", "").ok()?;
    }
    let notice = add(chat, "div", "la-notice la-stopped", "")?;
    notice.set_attribute("data-tone", "error").ok()?;
    notice.set_attribute("role", "alert").ok()?;
    let body = add(&notice, "div", "la-notice-body", "")?;
    add(&body, "p", "la-notice-title", &labels.stopped)?;
    add(&body, "p", "la-notice-text", &labels.stopped_text)?;
    let actions = add(&notice, "div", "la-notice-actions", "")?;
    // A link to the page itself needs no program to follow it.
    let reload = add(&actions, "a", "la-button", &labels.reload)?;
    reload.set_attribute("href", "").ok()?;
    reload.set_attribute("data-size", "small").ok()
}

fn add(parent: &Element, tag: &str, class: &str, text: &str) -> Option<Element> {
    let element = parent.owner_document()?.create_element(tag).ok()?;
    element.set_class_name(class);
    if !text.is_empty() {
        element.set_text_content(Some(text));
    }
    parent.append_child(&element).ok()?;
    Some(element)
}
