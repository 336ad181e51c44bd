//! JSON across the border, as text: the browser's own reader and writer do the work.

use serde_json::Value;
use wasm_bindgen::{JsCast, JsError, JsValue};

/// A value from JavaScript; `undefined` is `null`.
pub(crate) fn from_js(value: &JsValue) -> Result<Value, JsError> {
    let text = js_sys::JSON::stringify(value)
        .map_err(|error| JsError::new(&message(&error)))?
        .as_string();
    // Nothing comes out for undefined and for functions.
    text.map_or(Ok(Value::Null), |text| Ok(serde_json::from_str(&text)?))
}

/// A value for JavaScript.
pub(crate) fn to_js(value: &Value) -> Result<JsValue, JsValue> {
    js_sys::JSON::parse(&value.to_string())
}

/// What a thrown value says.
pub(crate) fn message(error: &JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => error.message().into(),
        None => error
            .as_string()
            .unwrap_or_else(|| "The handler failed".to_owned()),
    }
}
