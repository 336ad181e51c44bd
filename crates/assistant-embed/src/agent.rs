//! Creates the agent that a page's options describe: an HTTP agent with its protocol, headers and
//! credentials, or a function of the page. The agent is created on the first run.

use std::{cell::OnceCell, rc::Rc};

#[cfg(feature = "full")]
use assistant_core::conversation::Conversation;
use assistant_core::{
    event::RunInput,
    session::{AgentTraits, StreamEnd},
};
use assistant_protocols::{AgUi, Protocol};
#[cfg(feature = "full")]
use assistant_protocols::{Completions, UiStream};
use futures_util::future::LocalBoxFuture;
use leptos_assistant::agent::{Agent, Credentials, EventSink, Failure, FailureKind, HttpAgent};
use send_wrapper::SendWrapper;
#[cfg(feature = "full")]
use serde_json::Value;
use wasm_bindgen::{JsCast, JsError, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::{function::parse_answer, page_agent::PageAgent, part, window_options::get_property};

/// The agent that a page's options describe. The first run loads the agent's code, which is in the
/// second part of the module.
pub(crate) struct LazyAgent {
    options: SendWrapper<(js_sys::Array, JsValue)>,
    url: String,
    /// The cell for the agent, which is empty until the first run creates the agent.
    created: Rc<OnceCell<Box<dyn Agent>>>,
}

impl LazyAgent {
    pub(crate) fn new(url: String, headers: &js_sys::Array, options: &JsValue) -> Self {
        // The options are copied, since the page may change the object later.
        let options = js_sys::Object::assign(&js_sys::Object::new(), options.unchecked_ref());
        Self {
            options: SendWrapper::new((headers.clone(), options.into())),
            url,
            created: Rc::default(),
        }
    }
}

impl Agent for LazyAgent {
    fn traits(&self) -> AgentTraits {
        match get_property(&self.options.1, "protocol")
            .as_string()
            .as_deref()
        {
            #[cfg(feature = "full")]
            Some("ui-stream") => create_ui_stream(&self.options.1).traits(),
            #[cfg(feature = "full")]
            Some("completions") => Completions::default().traits(),
            // With the option `reattach`, the traits are those that `HttpAgent::reattach` sets. The
            // `HttpAgent` itself is created by the first run.
            _ => match get_property(&self.options.1, "reattach").as_string() {
                Some(_) => AgUi::default()
                    .traits()
                    .with_resumes(true)
                    .with_replays(true),
                None => AgUi::default().traits(),
            },
        }
    }

    #[cfg(feature = "full")]
    fn history(&self, conversation: &Conversation) -> Option<Value> {
        match get_property(&self.options.1, "protocol")
            .as_string()
            .as_deref()
        {
            Some("ui-stream") => create_ui_stream(&self.options.1).history(conversation),
            _ => None,
        }
    }

    fn stop(&self, thread_id: &str, run_id: &str) {
        if let Some(agent) = self.created.get() {
            agent.stop(thread_id, run_id);
        }
    }

    fn run(&self, input: RunInput, events: EventSink) -> LocalBoxFuture<'static, StreamEnd> {
        let (options, url, agent_cell) = (
            self.options.clone(),
            self.url.clone(),
            Rc::clone(&self.created),
        );
        Box::pin(async move {
            if agent_cell.get().is_none() {
                let agent = match part::load().await {
                    Ok(part) => (part.agent)(url, &options.0, &options.1).ok(),
                    Err(_) => None,
                };
                let Some(agent) = agent else {
                    let reason = "the program of the agent could not be loaded";
                    return StreamEnd::Failed(Failure::new(FailureKind::Network, reason));
                };
                // If another run has created the agent in the meantime, that agent is used.
                let _ = agent_cell.set(agent);
            }
            match agent_cell.get() {
                Some(agent) => agent.run(input, events).await,
                None => StreamEnd::Closed,
            }
        })
    }
}

#[cfg(feature = "full")]
fn create_ui_stream(options: &JsValue) -> UiStream {
    UiStream::default().with_resumes(get_property(options, "resumes").is_truthy())
}

/// Creates the agent that the options of a page describe. `npm/chat.js` has already rejected
/// protocols that the module does not support.
pub(crate) fn create_agent(
    url: String,
    headers: &js_sys::Array,
    options: &JsValue,
) -> Result<Box<dyn Agent>, JsError> {
    if let Ok(run_function) = get_property(options, "agent").dyn_into::<js_sys::Function>() {
        return Ok(Box::new(PageAgent::new(run_function)));
    }
    match get_property(options, "protocol").as_string().as_deref() {
        None | Some("ag-ui") => {
            let mut agent = HttpAgent::new(url);
            if let Some(runs_url) = get_property(options, "reattach").as_string() {
                agent = agent.reattach(runs_url);
            }
            Ok(with_request_options(agent, headers, options))
        }
        #[cfg(feature = "full")]
        Some("ui-stream") => {
            let agent = HttpAgent::with_protocol(url, create_ui_stream(options));
            Ok(with_request_options(agent, headers, options))
        }
        #[cfg(feature = "full")]
        Some("completions") => {
            let model = get_property(options, "model")
                .as_string()
                .unwrap_or_default();
            let agent = HttpAgent::completions(url, model);
            Ok(with_request_options(agent, headers, options))
        }
        Some(_) => Err(JsError::new("This module does not speak the protocol")),
    }
}

/// Sets the headers and credentials of an agent's requests.
fn with_request_options<P: Protocol + 'static>(
    agent: HttpAgent<P>,
    headers: &js_sys::Array,
    options: &JsValue,
) -> Box<dyn Agent> {
    let fixed_headers = parse_headers(headers);
    let mut agent = agent.headers(move || fixed_headers.clone());
    if let Ok(headers) = get_property(options, "headers").dyn_into::<js_sys::Function>() {
        agent = agent.headers_async(move |refused| call_page_headers(headers.clone(), refused));
    }
    match get_property(options, "credentials").as_string().as_deref() {
        Some("omit") => Box::new(agent.credentials(Credentials::Omit)),
        Some("include") => Box::new(agent.credentials(Credentials::Include)),
        _ => Box::new(agent),
    }
}

/// Calls the page's function that returns headers. `refused` is true if the server rejected the
/// previous headers. Fails if the function fails or returns a value other than pairs of texts.
async fn call_page_headers(
    headers: js_sys::Function,
    refused: bool,
) -> Result<Vec<(String, String)>, String> {
    crate::wait_if_stopped().await;
    let promise = headers.call1(&JsValue::UNDEFINED, &refused.into());
    let answer = match promise.map(JsCast::dyn_into::<js_sys::Promise>) {
        Ok(Ok(promise)) => JsFuture::from(promise).await.ok(),
        _ => None,
    };
    let pairs = parse_answer(answer).map_err(leptos_assistant::ToolError::into_message)?;
    serde_json::from_value(pairs).map_err(|error| error.to_string())
}

fn parse_headers(headers: &js_sys::Array) -> Vec<(String, String)> {
    let parse_pair = |pair: JsValue| {
        let pair = js_sys::Array::from(&pair);
        Some((pair.get(0).as_string()?, pair.get(1).as_string()?))
    };
    headers.iter().filter_map(parse_pair).collect()
}
