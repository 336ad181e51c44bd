//! What is said to the programmer of the page.

use wasm_bindgen::JsValue;

/// Writes an error of the programmer to the console (rule "a hook without a provider").
pub(crate) fn console_error(message: &str) {
    web_sys::console::error_1(&JsValue::from_str(message));
}
