//! Listens for the unload and visibility events of the page.

use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::Event;

use super::browser;

/// A listener for the unload and visibility events of the page. Dropping the listener removes it
/// from the window.
#[derive(Debug)]
pub(crate) struct PageLifecycle {
    listener: Closure<dyn FnMut(Event)>,
}

impl PageLifecycle {
    const EVENTS: [&'static str; 2] = ["pagehide", "visibilitychange"];

    /// Calls back with `true` when the page is unloaded, and with `false` when the page is hidden
    /// or shown. Returns `None` on a server.
    pub(crate) fn listen(call: impl Fn(bool) + 'static) -> Option<Self> {
        let window = browser()?;
        let listener = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            call(event.type_() == "pagehide");
        });
        for event in Self::EVENTS {
            let listener = listener.as_ref().unchecked_ref();
            // The error is ignored, because adding a listener to the window cannot fail.
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
            // The error is ignored, because a listener that was added can be removed.
            let _ = window.remove_event_listener_with_callback(event, listener);
        }
    }
}

/// Returns true if the page is hidden.
pub(crate) fn is_hidden() -> bool {
    let document = browser().and_then(|window| window.document());
    document.is_some_and(|document| document.hidden())
}
