//! What is said to the programmer of the page.

use wasm_bindgen::JsValue;

/// Writes to the console what a programmer may not have meant.
pub(crate) fn console_warn(message: &str) {
    web_sys::console::warn_1(&JsValue::from_str(message));
}

/// Writes an error of the programmer to the console (rule "a hook without a provider").
pub(crate) fn console_error(message: &str) {
    web_sys::console::error_1(&JsValue::from_str(message));
}
