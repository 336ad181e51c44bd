//! The page and the tab around it: whether it is left or hidden, and the conversation that it had.

use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{Event, Storage};

use crate::{store::Store, ui::browser};

/// Listens to the page being left, until it is dropped.
pub(super) struct Leaving {
    listener: Closure<dyn FnMut(Event)>,
}

impl Leaving {
    const EVENTS: [&'static str; 2] = ["pagehide", "visibilitychange"];

    /// Calls back when the page is left or hidden, or shown again; with true if it is left.
    pub(super) fn listen(call: impl Fn(bool) + 'static) -> Option<Self> {
        let window = browser()?;
        let listener = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            call(event.type_() == "pagehide");
        });
        for event in Self::EVENTS {
            let listener = listener.as_ref().unchecked_ref();
            // Listening to the window does not fail.
            let _ = window.add_event_listener_with_callback(event, listener);
        }
        Some(Self { listener })
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        let Some(window) = browser() else { return };
        for event in Self::EVENTS {
            let listener = self.listener.as_ref().unchecked_ref();
            // What is not listened to can be taken away, too.
            let _ = window.remove_event_listener_with_callback(event, listener);
        }
    }
}

/// Returns whether nobody looks at the page.
pub(super) fn is_hidden() -> bool {
    let document = browser().and_then(|window| window.document());
    document.is_some_and(|document| document.hidden())
}

fn key_of(store: &dyn Store) -> Option<String> {
    Some(format!("leptos-assistant/{}", store.shared_as()?))
}

/// Returns what is kept for this tab alone, if the browser keeps it.
fn of_tab() -> Option<Storage> {
    browser()?.session_storage().ok().flatten()
}

/// The conversation that this tab had before it was loaded again.
pub(super) fn remembered(store: &dyn Store) -> Option<String> {
    of_tab()?.get_item(&key_of(store)?).ok().flatten()
}

/// Remembers the conversation of this tab, if the browser lets it.
pub(super) fn remember(store: &dyn Store, thread_id: &str) {
    if let (Some(storage), Some(key)) = (of_tab(), key_of(store)) {
        // A tab that may keep nothing starts over.
        let _ = storage.set_item(&key, thread_id);
    }
}

fn mark_of(store: &dyn Store, thread_id: &str) -> Option<String> {
    Some(format!("{}/{thread_id}", key_of(store)?))
}

/// The page goes while this tab acts on a conversation. Said only then: a copy of an open tab brings
/// along what is kept for it, and must not take anything away.
pub(super) fn leave_mark(store: &dyn Store, thread_id: &str) {
    if let (Some(storage), Some(mark)) = (of_tab(), mark_of(store, thread_id)) {
        // Without it, another window may act on the conversation after this one is loaded again.
        let _ = storage.set_item(&mark, "");
    }
}

/// Returns whether this tab acted on a conversation until it was loaded again and the person is in
/// it: then it takes the conversation back from a window that stepped in meanwhile.
pub(super) fn takes_back(store: &dyn Store, thread_id: &str) -> bool {
    let (Some(storage), Some(mark)) = (of_tab(), mark_of(store, thread_id)) else {
        return false;
    };
    let acted = storage.get_item(&mark).ok().flatten().is_some();
    // It counts once.
    let _ = storage.remove_item(&mark);
    let document = browser().and_then(|window| window.document());
    acted && document.is_some_and(|document| document.has_focus().unwrap_or(false))
}
