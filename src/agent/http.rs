//! Answers runs over HTTP. Sends a request for each run, and emits events as they arrive.

#[cfg(any(feature = "ui-stream", feature = "completions"))]
mod protocols;
mod request;
mod response;
mod resume;
mod retries;
mod stored_runs;

use std::{future::Future, rc::Rc};

use assistant_core::{
    conversation::Conversation,
    event::RunInput,
    session::{AgentTraits, Failure, StreamEnd},
};
use assistant_protocols::{AgUi, Protocol, Request, agui::DecoderOptions};
use futures_util::future::LocalBoxFuture;
use serde_json::Value;
use web_sys::{AbortSignal, Response};

#[cfg(feature = "completions")]
pub use protocols::CompletionsAgent;
#[cfg(feature = "ui-stream")]
pub use protocols::UiStreamAgent;
pub use request::Credentials;
pub use resume::ResumeMessages;

use super::{Agent, EventSink};
use crate::ui::{is_offline, spawn_local};
use request::{AbortOnDrop, Endpoint};
use resume::AcceptedMessages;
use retries::is_response_lost;
use stored_runs::StoredRuns;

/// The media type of event streams.
const EVENT_STREAM: &str = "text/event-stream";

/// An agent that is reached over HTTP, with AG-UI 1.0 or with the protocol `P`.
///
/// ```
/// use leptos_assistant::agent::{Credentials, HttpAgent};
///
/// // Without this option, the browser sends no cookies to another origin.
/// let agent = HttpAgent::new("https://agent.example.com")
///     .credentials(Credentials::Include)
///     .header("x-tenant", "harbor")
///     .reattach("https://agent.example.com/runs");
/// ```
///
/// The session is configured for the protocol when the assistant is created ([`Agent::traits`]). If
/// an agent with a different protocol is set later
/// ([`Assistant::set_agent`](crate::Assistant::set_agent)), only the format of the requests
/// changes.
pub struct HttpAgent<P = AgUi> {
    endpoint: Endpoint,
    history: AcceptedMessages,
    stored: Option<StoredRuns>,
    protocol: Rc<P>,
}

impl<P> Clone for HttpAgent<P> {
    fn clone(&self) -> Self {
        Self {
            endpoint: self.endpoint.clone(),
            history: self.history.clone(),
            stored: self.stored.clone(),
            protocol: Rc::clone(&self.protocol),
        }
    }
}

impl<P> std::fmt::Debug for HttpAgent<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpAgent")
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}

impl HttpAgent {
    /// Creates an agent at an address, which is absolute or relative to the page.
    pub fn new(url: impl Into<String>) -> Self {
        Self::with_protocol(url, AgUi::default())
    }

    /// Rejects streams that deviate from AG-UI 1.0. By default, the known deviations of servers are
    /// tolerated.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.protocol = Rc::new(AgUi::new(DecoderOptions::strict()));
        self
    }

    /// Sets the address of a server that stores the events of runs, so that a run can be resumed
    /// after a lost connection or a reload (rule "reattaching to a run"). `GET
    /// {url}/{thread}/{run}` returns the events or, if the request has the header `Last-Event-ID`,
    /// only the events after this id. `DELETE` ends the run.
    ///
    /// A run can be resumed after a reload only if the conversation has a store. `examples/relay`
    /// is such a server for any agent.
    #[must_use]
    pub fn reattach(mut self, url: impl Into<String>) -> Self {
        self.stored = Some(StoredRuns::new(&url.into()));
        self
    }

    /// Selects the messages that are sent with a run that only answers an interrupt of the agent.
    #[must_use]
    pub fn resume_messages(mut self, which: ResumeMessages) -> Self {
        self.history.which = which;
        self
    }
}

impl<P: Protocol + 'static> HttpAgent<P> {
    /// Creates an agent with the given protocol at an address, which is absolute or relative to the
    /// page.
    ///
    /// ```
    /// # #[cfg(feature = "ui-stream")] {
    /// use leptos_assistant::{agent::{HttpAgent, UiStream}};
    ///
    /// let protocol = UiStream::default().with_resumes(true);
    /// let agent = HttpAgent::with_protocol("/api/chat", protocol);
    /// # }
    /// ```
    pub fn with_protocol(url: impl Into<String>, protocol: P) -> Self {
        Self {
            endpoint: Endpoint::new(url.into()),
            history: AcceptedMessages::default(),
            stored: None,
            protocol: Rc::new(protocol),
        }
    }

    /// Sends a header with every request. The agent sets `Content-Type` and `Accept` itself. If the
    /// browser refuses a header, the run fails and no request is sent.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.endpoint.add_header(name.into(), value.into());
        self
    }

    /// Sets a function that returns the headers of every request, for tokens that change. These
    /// headers replace those that were set with [`Self::header`] before.
    #[must_use]
    pub fn headers(mut self, headers: impl Fn() -> Vec<(String, String)> + 'static) -> Self {
        self.endpoint.headers = Rc::new(headers);
        self
    }

    /// Sets an asynchronous function that returns headers for every request, in addition to other
    /// headers. The argument of the function is false for the first attempt. If the agent responds
    /// with HTTP 401, the function is called again with true, and the request is repeated with the
    /// new headers. `Err` contains the reason why the run fails; no request is then sent. With
    /// [`reattach`](HttpAgent::reattach), the requests that read or end a run are repeated after
    /// `Err`, as after a lost connection.
    ///
    /// ```
    /// use leptos_assistant::agent::HttpAgent;
    ///
    /// async fn token(renewed: bool) -> Result<String, String> {
    ///     Ok(if renewed { "new".to_owned() } else { "cached".to_owned() })
    /// }
    ///
    /// let agent = HttpAgent::new("/agent").headers_async(|refused| async move {
    ///     Ok(vec![("Authorization".to_owned(), token(refused).await?)])
    /// });
    /// ```
    #[must_use]
    pub fn headers_async<F>(mut self, headers: impl Fn(bool) -> F + 'static) -> Self
    where
        F: Future<Output = Result<Vec<(String, String)>, String>> + 'static,
    {
        self.endpoint.later_headers = Some(Rc::new(move |again| Box::pin(headers(again))));
        self
    }

    /// Selects the credentials of the browser that are sent with requests. The default is
    /// [`Credentials::SameOrigin`].
    #[must_use]
    pub fn credentials(mut self, credentials: Credentials) -> Self {
        self.endpoint.credentials = credentials;
        self
    }
}

impl<P: Protocol + 'static> Agent for HttpAgent<P> {
    fn traits(&self) -> AgentTraits {
        let traits = self.protocol.traits();
        match self.stored {
            Some(_) => traits.with_resumes(true).with_replays(true),
            None => traits,
        }
    }

    fn history(&self, conversation: &Conversation) -> Option<Value> {
        self.protocol.history(conversation)
    }

    fn stop(&self, thread_id: &str, run_id: &str) {
        let Some(stored_runs) = self.stored.clone() else {
            return;
        };
        let endpoint = self.endpoint.clone();
        let (thread_id, run_id) = (thread_id.to_owned(), run_id.to_owned());
        spawn_local(async move {
            stored_runs.stop_run(&endpoint, &thread_id, &run_id).await;
        });
    }

    fn run(&self, mut input: RunInput, events: EventSink) -> LocalBoxFuture<'static, StreamEnd> {
        let (endpoint, history) = (self.endpoint.clone(), self.history.clone());
        let stored_runs = self.stored.clone();
        // The protocol is type-erased, so that the code below is compiled only once for all
        // protocols.
        let protocol: Rc<dyn Protocol> = Rc::<P>::clone(&self.protocol);
        history.select_messages(&mut input);
        Box::pin(async move {
            let stored_runs = stored_runs.as_ref();
            let outcome =
                answer_run(&endpoint, stored_runs, &*protocol, &history, &input, events).await;
            outcome.unwrap_or_else(StreamEnd::Failed)
        })
    }
}

async fn answer_run(
    endpoint: &Endpoint,
    stored_runs: Option<&StoredRuns>,
    protocol: &dyn Protocol,
    history: &AcceptedMessages,
    input: &RunInput,
    events: EventSink,
) -> Result<StreamEnd, Failure> {
    let abort = AbortOnDrop::new()?;
    let signal = abort.signal();
    let new_reader = || protocol.decoder(input, events.limits());
    if let Some(stored_runs) = stored_runs.filter(|_| input.resumes) {
        let reader = new_reader();
        let end = stored_runs.read_run(endpoint, input, None, reader, events, &signal);
        return end.await;
    }
    loop {
        let was_online = !is_offline();
        let failure = match open_run(endpoint, protocol.request(input), &signal).await {
            Ok(None) => return Ok(StreamEnd::Nothing),
            Ok(Some(response)) => {
                history.record_accepted(input);
                let reader = new_reader();
                let Some(stored_runs) = stored_runs else {
                    return Ok(response::read_stream(&response, reader, events).await);
                };
                let first = Some(response);
                let end = stored_runs.read_run(endpoint, input, first, reader, events, &signal);
                return end.await;
            }
            Err(failure) => failure,
        };
        // The server may have started the run although its response was lost. An offline browser
        // has sent nothing.
        let may_have_started = was_online && is_response_lost(failure.kind());
        let Some(stored_runs) = stored_runs.filter(|_| may_have_started) else {
            return Err(failure);
        };
        let went_offline = is_offline();
        let (reader, sink) = (new_reader(), events.clone());
        let end = stored_runs.read_run(endpoint, input, None, reader, sink, &signal);
        let end = end.await?;
        if end != StreamEnd::Nothing {
            history.record_accepted(input);
            return Ok(end);
        }
        // The run is not stored. If the browser went offline, it is online again by now, so the
        // request is repeated.
        if !went_offline {
            return Err(failure);
        }
    }
}

/// Sends the request of a run. Returns the response, or `None` if there is nothing to read.
async fn open_run(
    endpoint: &Endpoint,
    request: Request,
    signal: &AbortSignal,
) -> Result<Option<Response>, Failure> {
    let (response, accept) = match request {
        Request::Post { body, accept } => (endpoint.send("", Some(&body), signal).await?, accept),
        Request::Get { path } => {
            let response = endpoint.send(&path, None, signal).await?;
            if response.status() == 204 {
                return Ok(None);
            }
            (response, Some(EVENT_STREAM))
        }
        _ => return Ok(None),
    };
    response::check_response(&response, accept).await?;
    Ok(Some(response))
}
