//! The agent of a page: its address, protocol, headers and credentials.

use assistant_core::protocol::Protocol;
#[cfg(feature = "full")]
use assistant_core::protocol::UiStream;
use leptos_assistant::agent::{Agent, Credentials, HttpAgent};
use wasm_bindgen::{JsCast, JsError, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::{json, look::get, page_agent::PageAgent};

/// Reads the options of a page. `npm/chat.js` has already refused protocols that the module does
/// not support.
pub(crate) fn of(
    url: String,
    headers: &js_sys::Array,
    options: &JsValue,
) -> Result<Box<dyn Agent>, JsError> {
    if let Ok(run) = get(options, "agent").dyn_into::<js_sys::Function>() {
        return Ok(Box::new(PageAgent::new(run)));
    }
    match get(options, "protocol").as_string().as_deref() {
        None | Some("ag-ui") => {
            let mut agent = HttpAgent::new(url);
            if let Some(runs) = get(options, "reattach").as_string() {
                agent = agent.reattach(runs);
            }
            Ok(with_requests(agent, headers, options))
        }
        #[cfg(feature = "full")]
        Some("ui-stream") => {
            let resumes = get(options, "resumes").is_truthy();
            let protocol = UiStream {
                resumes,
                ..UiStream::default()
            };
            let agent = HttpAgent::with_protocol(url, protocol);
            Ok(with_requests(agent, headers, options))
        }
        #[cfg(feature = "full")]
        Some("completions") => {
            let model = get(options, "model").as_string().unwrap_or_default();
            let agent = HttpAgent::completions(url, model);
            Ok(with_requests(agent, headers, options))
        }
        Some(_) => Err(JsError::new("This module does not speak the protocol")),
    }
}

/// Sets the headers and credentials of an agent's requests.
fn with_requests<P: Protocol + 'static>(
    agent: HttpAgent<P>,
    headers: &js_sys::Array,
    options: &JsValue,
) -> Box<dyn Agent> {
    let fixed = pairs(headers);
    let mut agent = agent.headers(move || fixed.clone());
    if let Ok(ask) = get(options, "headers").dyn_into::<js_sys::Function>() {
        agent = agent.headers_async(move |refused| asked(ask.clone(), refused));
    }
    match get(options, "credentials").as_string().as_deref() {
        Some("omit") => Box::new(agent.credentials(Credentials::Omit)),
        Some("include") => Box::new(agent.credentials(Credentials::Include)),
        _ => Box::new(agent),
    }
}

/// Asks the page for headers, as wrapped by `npm/foreign.js`.
async fn asked(ask: js_sys::Function, refused: bool) -> Result<Vec<(String, String)>, String> {
    crate::while_going_on().await;
    let promise = ask.call1(&JsValue::UNDEFINED, &refused.into());
    let answer = match promise.map(JsCast::dyn_into::<js_sys::Promise>) {
        Ok(Ok(promise)) => JsFuture::from(promise).await.ok(),
        _ => None,
    };
    let pairs = json::answer(answer).map_err(|error| error.message)?;
    serde_json::from_value(pairs).map_err(|error| error.to_string())
}

fn pairs(headers: &js_sys::Array) -> Vec<(String, String)> {
    let pair = |pair: JsValue| {
        let pair = js_sys::Array::from(&pair);
        Some((pair.get(0).as_string()?, pair.get(1).as_string()?))
    };
    headers.iter().filter_map(pair).collect()
}
