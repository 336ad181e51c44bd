//! Shows an error in every chat of the page after the program has panicked or trapped.
//!
//! After a panic the state of a WebAssembly program is not reliable: operations were interrupted,
//! and the program may not respond. The library sets no panic hook; an application calls these
//! functions from its own hook. This module reads no signals and no context, because these may be
//! borrowed when the program panics.
//!
//! A trap (stack or memory exhausted) calls no hook: only the browser reports the trap, as an
//! uncaught error.

use js_sys::Reflect;
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{Element, Event};

use crate::ui::{LabelName, Labels, browser};

/// Shows in every chat of the page that the chat has stopped, with a link that reloads the page.
/// The other content of the chat becomes inert. Call this function in a panic hook:
///
/// ```no_run
/// std::panic::set_hook(Box::new(|info| {
///     leptos::logging::error!("{info}");
///     leptos_assistant::chat::show_stopped(&leptos_assistant::Labels::default());
/// }));
/// ```
pub fn show_stopped(labels: &Labels) {
    // A server has no page.
    let document = browser().and_then(|window| window.document());
    let chats = document.and_then(|document| {
        document
            .query_selector_all("[data-assistant-chat]:not([data-stopped])")
            .ok()
    });
    let Some(chats) = chats else {
        return;
    };
    for index in 0..chats.length() {
        let chat = chats.item(index).and_then(|chat| chat.dyn_into().ok());
        if let Some(chat) = chat {
            // The result is ignored, because the program has ended and cannot report an error.
            let _ = mark_stopped(&chat, labels);
        }
    }
}

/// Calls [`show_stopped`] when a trap ends the program. Call this function once in the `main` of an
/// application, in addition to its panic hook.
///
/// The function listens to all uncaught errors of the page, and handles a trap if the stack trace
/// includes this program. After a trap this handler still runs, unless the program has exhausted
/// its stack completely; then only the browser's console reports the trap. The npm package detects
/// traps in JavaScript and does not need this function.
pub fn show_stopped_on_traps(labels: Labels) {
    let Some(window) = browser() else {
        return;
    };
    let own_frame = own_frame_marker(&stack_trace(&js_sys::Error::new("")));
    let on_event = Closure::<dyn Fn(Event)>::new(move |event: Event| {
        // Both properties are read, because an `error` event has the property `error`, and an
        // `unhandledrejection` event has the property `reason`.
        let errors = [
            read_property(&event, "error"),
            read_property(&event, "reason"),
        ];
        if errors.iter().any(|error| is_trap(error, &own_frame)) {
            show_stopped(&labels);
        }
    });
    for kind in ["error", "unhandledrejection"] {
        // The result is ignored, because the call fails only without a listener.
        let _ = window.add_event_listener_with_callback(kind, on_event.as_ref().unchecked_ref());
    }
    on_event.forget();
}

/// Returns true if an error is a trap of a WebAssembly program, and its stack trace includes this
/// program.
fn is_trap(error: &JsValue, own_frame: &str) -> bool {
    let name = read_property(error, "name").as_string().unwrap_or_default();
    // A stack overflow is a `RangeError`, or an `InternalError` in Firefox.
    ["RuntimeError", "RangeError", "InternalError"].contains(&name.as_str())
        && stack_trace(error).contains(own_frame)
}

fn read_property(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap_or_default()
}

fn stack_trace(error: &JsValue) -> String {
    read_property(error, "stack")
        .as_string()
        .unwrap_or_default()
}

/// Returns the text that identifies functions of this program in a stack trace: the address of its
/// module, or a text that all WebAssembly functions have, if the browser omits the address.
fn own_frame_marker(stack: &str) -> String {
    const WASM_FRAME_MARK: &str = ":wasm-function[";
    let marker = stack.split_once(WASM_FRAME_MARK).map(|(before, _)| {
        let start = before.rfind([' ', '(', '@', '\n']).map_or(0, |at| at + 1);
        format!(
            "{}{WASM_FRAME_MARK}",
            before.get(start..).unwrap_or_default()
        )
    });
    marker.unwrap_or_else(|| "wasm-function[".to_owned())
}

fn mark_stopped(chat: &Element, labels: &Labels) -> Option<()> {
    chat.set_attribute("data-stopped", "").ok()?;
    chat.remove_attribute("data-running").ok()?;
    if let Some(status) = chat.query_selector(".la-chat-status").ok()? {
        status.set_text_content(Some(labels.text(LabelName::Stopped)));
    }
    let children = chat.children();
    for index in 0..children.length() {
        children.item(index)?.set_attribute("inert", "").ok()?;
    }
    let notice = append_element(chat, "div", "la-notice la-stopped", "")?;
    notice.set_attribute("data-tone", "error").ok()?;
    notice.set_attribute("role", "alert").ok()?;
    let body = append_element(&notice, "div", "la-notice-body", "")?;
    append_element(
        &body,
        "p",
        "la-notice-title",
        labels.text(LabelName::Stopped),
    )?;
    append_element(
        &body,
        "p",
        "la-notice-text",
        labels.text(LabelName::StoppedText),
    )?;
    let actions = append_element(&notice, "div", "la-notice-actions", "")?;
    // A link to the page itself works without the program.
    let reload_link = append_element(&actions, "a", "la-button", labels.text(LabelName::Reload))?;
    reload_link.set_attribute("href", "").ok()?;
    reload_link.set_attribute("data-size", "small").ok()
}

fn append_element(parent: &Element, tag: &str, class: &str, text: &str) -> Option<Element> {
    let element = parent.owner_document()?.create_element(tag).ok()?;
    element.set_class_name(class);
    if !text.is_empty() {
        element.set_text_content(Some(text));
    }
    parent.append_child(&element).ok()?;
    Some(element)
}

#[cfg(test)]
mod tests {
    use super::own_frame_marker;

    #[test]
    fn stack_frames_of_the_module_are_recognized_by_its_address() {
        for (stack, own) in [
            (
                "Error\n    at glue (http://a.b/app.js:1:2)\n    at app.wasm.f (http://a.b/app_bg.wasm:wasm-function[7]:0x9)",
                "http://a.b/app_bg.wasm:wasm-function[",
            ),
            (
                "glue@http://a.b/app.js:1:2\nf@http://a.b/app_bg.wasm:wasm-function[7]:0x9\n",
                "http://a.b/app_bg.wasm:wasm-function[",
            ),
            ("<?>.wasm-function[f]@[wasm code]", "wasm-function["),
            ("", "wasm-function["),
        ] {
            assert_eq!(own_frame_marker(stack), own);
        }
    }
}
