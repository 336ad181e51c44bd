//! Moves the inbox of a window to the end of the transcript, so that questions follow the messages
//! they refer to. The style sheet sets the condition (`--la-inbox-in-transcript`), so that a custom
//! design can set a different condition. In the default design, an inbox that is a direct child of
//! the window always moves, and any other inbox moves only in a window of small height.

use leptos::{html, prelude::*};
use send_wrapper::SendWrapper;
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{Element, Node, ResizeObserver};

use crate::ui::{browser, effect, find, focus};

const INBOX_SELECTOR: &str = ".la-inbox";
const CONTENT_SELECTOR: &str = ".la-transcript-content";

/// The position of the inbox in the surrounding window.
#[derive(Clone, Copy)]
pub(super) struct InboxPosition {
    in_transcript: RwSignal<bool>,
    /// The number of times that further parts of the window were rendered.
    draw_count: RwSignal<u32>,
}

impl InboxPosition {
    pub(super) fn is_in_transcript(self) -> bool {
        self.in_transcript.get()
    }
}

/// Updates the position of the inbox in the surrounding window, after parts of the window were
/// rendered.
pub(super) fn update_inbox_position() {
    if let Some(InboxPosition { draw_count, .. }) = use_context() {
        draw_count.update(|count| *count = count.wrapping_add(1));
    }
}

/// Provides the position of the inbox as a context. Updates the position when the size of the chat
/// changes, or further parts are rendered, until the window is unmounted.
pub(super) fn provide_inbox_position(chat: NodeRef<html::Section>) {
    let (in_transcript, draw_count) = (RwSignal::new(false), RwSignal::new(0));
    provide_context(InboxPosition {
        in_transcript,
        draw_count,
    });
    let placeholder = StoredValue::new_local(None::<SendWrapper<Node>>);
    effect(move |_| {
        // The count is tracked, so that rendering further parts creates a new observer, which
        // reports the size immediately.
        draw_count.track();
        let Some(chat) = chat.get() else {
            return;
        };
        let element: Element = chat.clone().into();
        let callback = Closure::<dyn FnMut()>::new(move || {
            if let Some(is_inside) = move_inbox(&element, placeholder) {
                in_transcript.try_set(is_inside);
            }
        });
        let Ok(observer) = ResizeObserver::new(callback.as_ref().unchecked_ref()) else {
            return;
        };
        observer.observe(&chat);
        let observer_with_callback = SendWrapper::new((observer, callback));
        on_cleanup(move || observer_with_callback.0.disconnect());
    });
}

/// Moves the inbox to its position. Returns true if the inbox was moved to the transcript, false if
/// the inbox was moved back, and `None` if the inbox was not moved. An inbox with the focus does
/// not move, so that the user can continue typing.
fn move_inbox(
    chat: &Element,
    placeholder: StoredValue<Option<SendWrapper<Node>>, LocalStorage>,
) -> Option<bool> {
    let (inbox, content) = (find(chat, INBOX_SELECTOR)?, find(chat, CONTENT_SELECTOR)?);
    let is_inside = content.contains(Some(&inbox));
    if should_be_in_transcript(&inbox) == is_inside || focus::has_focus_in(&inbox) {
        return None;
    }
    // The results are ignored, because these calls cannot fail for elements in the page.
    if is_inside {
        let old_placeholder = placeholder.try_update_value(Option::take).flatten();
        if let Some(old_placeholder) = old_placeholder
            && let Some(parent) = old_placeholder.parent_node()
        {
            let _ = parent.replace_child(&inbox, &old_placeholder);
        }
        return Some(false);
    }
    let new_placeholder = document().create_element("span").ok()?;
    if let Some(parent) = inbox.parent_node() {
        new_placeholder.set_class_name("la-inbox-place");
        let _ = new_placeholder.set_attribute("hidden", "");
        let _ = parent.insert_before(&new_placeholder, Some(&inbox));
        placeholder.set_value(Some(SendWrapper::new(new_placeholder.into())));
        let _ = content.append_child(&inbox);
    }
    Some(true)
}

fn should_be_in_transcript(inbox: &Element) -> bool {
    let style = browser().and_then(|window| window.get_computed_style(inbox).ok()?);
    let value = style.and_then(|style| style.get_property_value("--la-inbox-in-transcript").ok());
    value.is_some_and(|value| value.trim() == "1")
}
