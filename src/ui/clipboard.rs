//! Writes to the clipboard.

use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

/// The time for which a button shows the outcome of copying, in milliseconds.
pub(crate) const COPY_OUTCOME_MS: u32 = 2_000;

/// Copies a text to the clipboard; returns false on failure. Pages in an insecure context have no
/// clipboard, and a browser may refuse the request.
pub(crate) async fn copy_text(text: &str) -> bool {
    let Some(window) = super::browser() else {
        return false;
    };
    let property = js_sys::Reflect::get(&window.navigator(), &"clipboard".into());
    let clipboard = property.ok().and_then(|property| property.dyn_into().ok());
    let Some(clipboard): Option<web_sys::Clipboard> = clipboard else {
        return false;
    };
    JsFuture::from(clipboard.write_text(text)).await.is_ok()
}
