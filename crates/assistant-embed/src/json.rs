//! Parses the results of the page's functions. `npm/foreign.js` has converted the results to text,
//! so parsing runs no code of the page.

use leptos_assistant::ToolError;
use serde_json::Value;
use wasm_bindgen::{JsCast, JsValue};

/// Parses the result of a function: `[true, JSON]`, or `[false, reason]` for a failure. `None` and
/// any other result are failures, too.
pub(crate) fn parse_answer(answer: Option<JsValue>) -> Result<Value, ToolError> {
    let pair = answer.and_then(|answer| answer.dyn_into::<js_sys::Array>().ok());
    let Some(pair) = pair else {
        return Err(ToolError::new("The handler failed"));
    };
    let text = pair.get(1).as_string().unwrap_or_default();
    match pair.get(0).is_truthy() {
        // Values that nest too deeply are refused, too.
        true => serde_json::from_str(&text)
            .map_err(|_| ToolError::new("The handler's result is no JSON")),
        false => Err(ToolError::new(text)),
    }
}
