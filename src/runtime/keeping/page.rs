//! What the page itself says: that it is left, and which conversation this tab had.

use wasm_bindgen::{JsCast, closure::Closure};

use super::Keeping;
use crate::{store::Store, ui::browser};

/// Listens to the page being left, until it is dropped.
pub(super) struct Leaving {
    listener: Closure<dyn FnMut()>,
}

impl Leaving {
    const EVENTS: [&'static str; 2] = ["pagehide", "visibilitychange"];
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

impl Keeping {
    /// Writes what is unsaved when the page is left or hidden, and stands in the queue while it is shown.
    pub(super) fn follow_page(&self) {
        let Some(window) = browser() else { return };
        let me = self.me.clone();
        let listener = Closure::<dyn FnMut()>::new(move || {
            if let Some(keeping) = me.upgrade() {
                keeping.save_now();
                keeping.wait_in_line(&keeping.thread());
            }
        });
        for event in Leaving::EVENTS {
            let listener = listener.as_ref().unchecked_ref();
            // Listening to the window does not fail.
            let _ = window.add_event_listener_with_callback(event, listener);
        }
        self.leaving.replace(Some(Leaving { listener }));
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

/// The conversation that this tab had before it was loaded again.
pub(super) fn remembered(store: &dyn Store) -> Option<String> {
    let storage = browser()?.session_storage().ok().flatten()?;
    storage.get_item(&key_of(store)?).ok().flatten()
}

/// Remembers the conversation of this tab, if the browser lets it.
pub(super) fn remember(store: &dyn Store, thread_id: &str) {
    let storage = browser().and_then(|window| window.session_storage().ok().flatten());
    if let (Some(storage), Some(key)) = (storage, key_of(store)) {
        // A tab that may keep nothing starts over.
        let _ = storage.set_item(&key, thread_id);
    }
}
