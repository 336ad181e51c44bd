//! Moves the inbox of a window to the end of the transcript, so that questions follow the messages
//! they refer to. The style sheet sets the condition (`--la-inbox-in-transcript`), so that a custom
//! design can set another condition. In the default design, an inbox that is a direct child of the
//! window always moves, any other inbox only in a window of small height.

use leptos::{html, prelude::*};
use send_wrapper::SendWrapper;
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{Element, Node, ResizeObserver};

use crate::ui::{browser, effect, find, focus};

const INBOX: &str = ".la-inbox";
const CONTENT: &str = ".la-transcript-content";

/// The position of the inbox in the surrounding window.
#[derive(Clone, Copy)]
pub(super) struct InboxPosition {
    inside: RwSignal<bool>,
    /// The number of times that further parts of the window were rendered.
    drawn: RwSignal<u32>,
}

impl InboxPosition {
    pub(super) fn is_in_transcript(self) -> bool {
        self.inside.get()
    }
}

/// Updates the position of the inbox in the surrounding window, after parts of the window were
/// rendered.
pub(super) fn update_inbox_position() {
    if let Some(InboxPosition { drawn, .. }) = use_context() {
        drawn.update(|count| *count = count.wrapping_add(1));
    }
}

/// Provides the position of the inbox by context. Updates the position when the size of the chat
/// changes, or further parts are rendered, until the window is unmounted.
pub(super) fn provide_inbox_position(chat: NodeRef<html::Section>) {
    let (inside, drawn) = (RwSignal::new(false), RwSignal::new(0));
    provide_context(InboxPosition { inside, drawn });
    let placeholder = StoredValue::new_local(None::<SendWrapper<Node>>);
    effect(move |_| {
        // A new observer reports the size at once.
        drawn.track();
        let Some(chat) = chat.get() else {
            return;
        };
        let element: Element = chat.clone().into();
        let changed = Closure::<dyn FnMut()>::new(move || {
            if let Some(now) = move_inbox(&element, placeholder) {
                inside.try_set(now);
            }
        });
        let Ok(observer) = ResizeObserver::new(changed.as_ref().unchecked_ref()) else {
            return;
        };
        observer.observe(&chat);
        let watching = SendWrapper::new((observer, changed));
        on_cleanup(move || watching.0.disconnect());
    });
}

/// Moves the inbox to its position. Returns true if the inbox was moved to the transcript, false if
/// it was moved back, and `None` if it was not moved. An inbox with the focus does not move, so
/// that the user can continue typing.
fn move_inbox(
    chat: &Element,
    placeholder: StoredValue<Option<SendWrapper<Node>>, LocalStorage>,
) -> Option<bool> {
    let (inbox, content) = (find(chat, INBOX)?, find(chat, CONTENT)?);
    let inside = content.contains(Some(&inbox));
    if should_be_in_transcript(&inbox) == inside || focus::has_focus_in(&inbox) {
        return None;
    }
    // None of this fails for elements in the page.
    if inside {
        let before = placeholder.try_update_value(Option::take).flatten();
        if let Some(place) = before
            && let Some(parent) = place.parent_node()
        {
            let _ = parent.replace_child(&inbox, &place);
        }
        return Some(false);
    }
    let mark = document().create_element("span").ok()?;
    if let Some(parent) = inbox.parent_node() {
        mark.set_class_name("la-inbox-place");
        let _ = mark.set_attribute("hidden", "");
        let _ = parent.insert_before(&mark, Some(&inbox));
        placeholder.set_value(Some(SendWrapper::new(mark.into())));
        let _ = content.append_child(&inbox);
    }
    Some(true)
}

fn should_be_in_transcript(inbox: &Element) -> bool {
    let style = browser().and_then(|window| window.get_computed_style(inbox).ok()?);
    let value = style.and_then(|style| style.get_property_value("--la-inbox-in-transcript").ok());
    value.is_some_and(|value| value.trim() == "1")
}
