//! Access to the browser, where there is one.
//!
//! On a server nothing of the browser may be touched: natively each call into it would end the
//! process. The features of this crate do not tell, since one build may have all of them.

use web_sys::Window;

/// The browser's window; `None` on a server.
pub(crate) fn browser() -> Option<Window> {
    #[cfg(target_arch = "wasm32")]
    return web_sys::window();
    #[cfg(not(target_arch = "wasm32"))]
    None
}

/// Whether there is a browser.
pub(crate) fn in_browser() -> bool {
    browser().is_some()
}

/// Lets something run beside the page. On a server it is dropped.
pub(crate) fn spawn_local(work: impl Future<Output = ()> + 'static) {
    if in_browser() {
        wasm_bindgen_futures::spawn_local(work);
    }
}
