//! The state of the page and the tab: unload, visibility, and the conversation of the tab.

use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{Event, Storage};

use crate::{store::Store, ui::browser};

/// A listener for unload and visibility, which is removed when it is dropped.
pub(super) struct PageLifecycle {
    listener: Closure<dyn FnMut(Event)>,
}

impl PageLifecycle {
    const EVENTS: [&'static str; 2] = ["pagehide", "visibilitychange"];

    /// Calls back with `true` when the page is unloaded, and with `false` when it is hidden or
    /// shown.
    pub(super) fn listen(call: impl Fn(bool) + 'static) -> Option<Self> {
        let window = browser()?;
        let listener = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            call(event.type_() == "pagehide");
        });
        for event in Self::EVENTS {
            let listener = listener.as_ref().unchecked_ref();
            // Adding a listener to the window cannot fail.
            let _ = window.add_event_listener_with_callback(event, listener);
        }
        Some(Self { listener })
    }
}

impl Drop for PageLifecycle {
    fn drop(&mut self) {
        let Some(window) = browser() else { return };
        for event in Self::EVENTS {
            let listener = self.listener.as_ref().unchecked_ref();
            // A listener that was added can be removed.
            let _ = window.remove_event_listener_with_callback(event, listener);
        }
    }
}

pub(super) fn is_hidden() -> bool {
    let document = browser().and_then(|window| window.document());
    document.is_some_and(|document| document.hidden())
}

fn key_of(store: &dyn Store) -> Option<String> {
    Some(format!("leptos-assistant/{}", store.shared_as()?))
}

/// Returns the session storage of this tab, if the browser allows it.
fn session_storage() -> Option<Storage> {
    browser()?.session_storage().ok().flatten()
}

/// Returns the conversation that this tab had before a reload.
pub(super) fn remembered(store: &dyn Store) -> Option<String> {
    session_storage()?.get_item(&key_of(store)?).ok().flatten()
}

/// Remembers the conversation of this tab, if the browser allows it.
pub(super) fn remember(store: &dyn Store, thread_id: &str) {
    if let (Some(storage), Some(key)) = (session_storage(), key_of(store)) {
        // Without storage the tab starts over after a reload.
        let _ = storage.set_item(&key, thread_id);
    }
}

fn mark_of(store: &dyn Store, thread_id: &str) -> Option<String> {
    Some(format!("{}/{thread_id}", key_of(store)?))
}

/// Records that this tab owned the conversation when its page was unloaded. This is recorded only
/// on unload, because a duplicated tab copies the session storage and must not take over the
/// conversation.
pub(super) fn mark_owner(store: &dyn Store, thread_id: &str) {
    if let (Some(storage), Some(mark)) = (session_storage(), mark_of(store, thread_id)) {
        // Without it, another window may own the conversation after this one reloads.
        let _ = storage.set_item(&mark, "");
    }
}

/// Returns true if this tab owned the conversation until it was reloaded and now has the focus. The
/// tab then takes the conversation back from a window that has taken over meanwhile.
pub(super) fn should_take_back(store: &dyn Store, thread_id: &str) -> bool {
    let (Some(storage), Some(mark)) = (session_storage(), mark_of(store, thread_id)) else {
        return false;
    };
    let acted = storage.get_item(&mark).ok().flatten().is_some();
    // The mark is valid once.
    let _ = storage.remove_item(&mark);
    let document = browser().and_then(|window| window.document());
    acted && document.is_some_and(|document| document.has_focus().unwrap_or(false))
}
