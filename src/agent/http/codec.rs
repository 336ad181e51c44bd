//! Agents over HTTP that speak another protocol than AG-UI: the codec says what goes out and how what
//! comes back is read.

use std::rc::Rc;

use assistant_core::{
    codec::{Codec, Request},
    event::RunInput,
    session::{Failure, SessionOptions, StreamEnd},
};
use futures_util::future::LocalBoxFuture;

use super::{
    request::{AbortOnDrop, Endpoint},
    response,
};
use crate::agent::{Agent, EventSink};

/// An agent over HTTP, by the codec of its protocol.
///
/// What its protocol needs of a session is set when the assistant is made
/// ([`Agent::adapt`]): an agent of another protocol that is set later
/// ([`Assistant::set_agent`](crate::Assistant::set_agent)) is not served by that.
#[derive(Clone)]
pub struct CodecAgent<C> {
    endpoint: Endpoint,
    codec: Rc<C>,
}

/// A backend of the AI SDK: anything that answers with its UI message stream.
///
/// ```
/// use leptos_assistant::agent::UiStreamAgent;
///
/// let agent = UiStreamAgent::ui_stream("/api/chat").header("x-tenant", "harbor");
/// ```
#[cfg(feature = "ui-stream")]
pub type UiStreamAgent = CodecAgent<assistant_core::codec::UiStream>;

/// A model endpoint that speaks `OpenAI`'s chat completions: the loop of runs and tool results is the
/// session's.
///
/// ```
/// use leptos_assistant::agent::CompletionsAgent;
///
/// // A key in a page is everybody's key: put a server of yours in between.
/// let agent = CompletionsAgent::completions("http://localhost:11434/v1", "qwen3");
/// ```
#[cfg(feature = "completions")]
pub type CompletionsAgent = CodecAgent<assistant_core::codec::Completions>;

impl<C> std::fmt::Debug for CodecAgent<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CodecAgent")
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}

#[cfg(feature = "ui-stream")]
impl UiStreamAgent {
    /// An agent at an address, absolute or relative to the page.
    ///
    /// ```
    /// use leptos_assistant::agent::UiStreamAgent;
    ///
    /// let agent = UiStreamAgent::ui_stream("/api/chat");
    /// ```
    pub fn ui_stream(url: impl Into<String>) -> Self {
        Self::new(url, assistant_core::codec::UiStream::default())
    }
}

#[cfg(feature = "completions")]
impl CompletionsAgent {
    /// A model at an endpoint, by the address before `/chat/completions`. Without a name, the
    /// endpoint chooses the model.
    ///
    /// ```
    /// use leptos_assistant::agent::CompletionsAgent;
    ///
    /// let agent = CompletionsAgent::completions("http://localhost:11434/v1", "small");
    /// ```
    pub fn completions(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        let base: String = base_url.into();
        let model: String = model.into();
        let mut options = assistant_core::wire::completions::RequestOptions::default();
        if !model.is_empty() {
            options = options.model(model);
        }
        let url = super::request::below(&base, "/chat/completions");
        Self::new(url, assistant_core::codec::Completions(options))
    }
}

impl<C: Codec + 'static> CodecAgent<C> {
    /// An agent at an address, absolute or relative to the page, that speaks a protocol.
    ///
    /// ```
    /// # #[cfg(feature = "ui-stream")] {
    /// use leptos_assistant::{agent::CodecAgent, engine::codec::UiStream};
    ///
    /// let agent = CodecAgent::new("/api/chat", UiStream::default());
    /// # }
    /// ```
    pub fn new(url: impl Into<String>, codec: C) -> Self {
        Self {
            endpoint: Endpoint::new(url.into()),
            codec: Rc::new(codec),
        }
    }

    /// Sends a header with every request. `Content-Type` and `Accept` are ours. A run with a header
    /// that the browser refuses fails, and nothing is sent.
    ///
    /// ```
    /// # #[cfg(feature = "ui-stream")] {
    /// use leptos_assistant::agent::UiStreamAgent;
    ///
    /// let agent = UiStreamAgent::ui_stream("/api/chat").header("x-tenant", "harbor");
    /// # }
    /// ```
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.endpoint.add_header(name.into(), value.into());
        self
    }

    /// Asks for the headers with every request, for tokens that change.
    ///
    /// ```
    /// # #[cfg(feature = "ui-stream")] {
    /// use leptos_assistant::agent::UiStreamAgent;
    ///
    /// let token = || "fresh".to_owned();
    /// let agent = UiStreamAgent::ui_stream("/api/chat")
    ///     .headers(move || vec![("Authorization".to_owned(), token())]);
    /// # }
    /// ```
    #[must_use]
    pub fn headers(mut self, headers: impl Fn() -> Vec<(String, String)> + 'static) -> Self {
        self.endpoint.headers = Rc::new(headers);
        self
    }
}

impl<C: Codec + 'static> Agent for CodecAgent<C> {
    fn adapt(&self, options: &mut SessionOptions) {
        self.codec.adapt(options);
    }

    fn run(&self, input: RunInput, events: EventSink) -> LocalBoxFuture<'static, StreamEnd> {
        let endpoint = self.endpoint.clone();
        let codec: Rc<dyn Codec> = Rc::<C>::clone(&self.codec);
        Box::pin(async move {
            let answer = answer(&endpoint, &*codec, &input, &events).await;
            answer.unwrap_or_else(StreamEnd::Failed)
        })
    }
}

async fn answer(
    endpoint: &Endpoint,
    codec: &dyn Codec,
    input: &RunInput,
    events: &EventSink,
) -> Result<StreamEnd, Failure> {
    let abort = AbortOnDrop::new()?;
    let signal = abort.signal();
    let (response, accept) = match codec.request(input) {
        Request::Post { body, accept } => {
            let sent = endpoint.send("", Some(&body), &signal).await;
            (sent?, accept)
        }
        Request::Get { path } => {
            let response = endpoint.send(&path, None, &signal).await?;
            if response.status() == 204 {
                return Ok(StreamEnd::Nothing);
            }
            (response, Some(super::EVENT_STREAM))
        }
        _ => return Ok(StreamEnd::Nothing),
    };
    response::check(&response, accept).await?;
    Ok(response::read(&response, codec.reader(input), events).await)
}
