//! Provides access to the browser, if the program runs in a browser.
//!
//! On a server the browser must not be accessed: in a native program, each call into the browser
//! would abort the process. The features of this crate do not distinguish a server from a browser,
//! because one build may have all features.

use web_sys::Window;

/// Returns the browser's window; `None` on a server.
pub(crate) fn browser() -> Option<Window> {
    #[cfg(target_arch = "wasm32")]
    return web_sys::window();
    #[cfg(not(target_arch = "wasm32"))]
    None
}

pub(crate) fn in_browser() -> bool {
    browser().is_some()
}

/// Returns true if the browser reports that it has no connection.
pub(crate) fn is_offline() -> bool {
    browser().is_some_and(|window| !window.navigator().on_line())
}

/// Spawns a task in a browser; drops the task on a server.
pub(crate) fn spawn_local(work: impl Future<Output = ()> + 'static) {
    if in_browser() {
        wasm_bindgen_futures::spawn_local(work);
    }
}
