//! The agent of a page: its address, protocol and headers.

#[cfg(feature = "full")]
use leptos_assistant::agent::UiStream;
use leptos_assistant::agent::{Agent, HttpAgent};
use wasm_bindgen::{JsError, JsValue};

use crate::look::get;

/// Reads the options of a page. `npm/chat.js` has already refused protocols that the module does
/// not support.
pub(crate) fn of(
    url: String,
    headers: &js_sys::Array,
    options: &JsValue,
) -> Result<Box<dyn Agent>, JsError> {
    let headers = pairs(headers);
    let all = move || headers.clone();
    match get(options, "protocol").as_string().as_deref() {
        None | Some("ag-ui") => Ok(Box::new(HttpAgent::new(url).headers(all))),
        #[cfg(feature = "full")]
        Some("ui-stream") => {
            let resumes = get(options, "resumes").is_truthy();
            let protocol = UiStream {
                resumes,
                ..UiStream::default()
            };
            Ok(Box::new(
                HttpAgent::with_protocol(url, protocol).headers(all),
            ))
        }
        #[cfg(feature = "full")]
        Some("completions") => {
            let model = get(options, "model").as_string().unwrap_or_default();
            let agent = HttpAgent::completions(url, model);
            Ok(Box::new(agent.headers(all)))
        }
        Some(_) => Err(JsError::new("This module does not speak the protocol")),
    }
}

fn pairs(headers: &js_sys::Array) -> Vec<(String, String)> {
    let pair = |pair: JsValue| {
        let pair = js_sys::Array::from(&pair);
        Some((pair.get(0).as_string()?, pair.get(1).as_string()?))
    };
    headers.iter().filter_map(pair).collect()
}
