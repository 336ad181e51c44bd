//! An AG-UI agent over HTTP: one POST for each run, events as they stream in.

use std::{cell::RefCell, collections::HashSet, rc::Rc};

use assistant_core::{
    event::{Role, RunInput},
    session::{Failure, FailureKind, StreamEnd},
    wire::{
        agui::{self, Decoder, ProtocolError},
        sse::{Frame, SseDecoder},
    },
};
use futures_util::future::LocalBoxFuture;
use gloo_net::http::{Request, Response};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::{Agent, EventSink};

/// How much of an error's body the person sees, in characters.
const BODY_CHARS: usize = 300;

/// An agent that speaks AG-UI 1.0 over HTTP.
///
/// ```
/// use leptos_assistant::agent::HttpAgent;
///
/// let agent = HttpAgent::new("/agent").header("x-tenant", "harbor");
/// ```
#[derive(Clone)]
pub struct HttpAgent {
    url: String,
    headers: Rc<dyn Fn() -> Vec<(String, String)>>,
    strict: bool,
    resume: ResumeMessages,
    /// The ids of messages that went out.
    sent: Rc<RefCell<HashSet<String>>>,
}

/// Which messages go along when a run only answers what the agent waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ResumeMessages {
    /// The whole history, as with any run.
    #[default]
    All,
    /// Only what the agent has not seen: for servers that keep the history and append.
    New,
    /// None: for servers that refuse messages beside an answer.
    None,
}

impl std::fmt::Debug for HttpAgent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpAgent")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

impl HttpAgent {
    /// An agent at an address, absolute or relative to the page.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            headers: Rc::new(Vec::new),
            strict: false,
            resume: ResumeMessages::All,
            sent: Rc::default(),
        }
    }

    /// Sends a header with every request. `Content-Type` and `Accept` are ours.
    #[must_use]
    pub fn header(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let (name, value) = (name.into(), value.into());
        let before = Rc::clone(&self.headers);
        self.headers(move || {
            let mut headers = before();
            headers.push((name.clone(), value.clone()));
            headers
        })
    }

    /// Asks for the headers anew with every request, for tokens that change.
    #[must_use]
    pub fn headers(mut self, headers: impl Fn() -> Vec<(String, String)> + 'static) -> Self {
        self.headers = Rc::new(headers);
        self
    }

    /// Holds the agent to the letter of AG-UI 1.0 instead of tolerating what servers are known
    /// to do.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Says which messages go along when a run only answers what the agent waits for.
    #[must_use]
    pub fn resume_messages(mut self, which: ResumeMessages) -> Self {
        self.resume = which;
        self
    }

    /// The request's body; the agent has seen its messages from then on.
    fn body(&self, mut input: RunInput) -> String {
        let resumes =
            !input.resume.is_empty() || input.forwarded_props.pointer("/command/resume").is_some();
        let mut sent = self.sent.borrow_mut();
        match self.resume {
            ResumeMessages::New if resumes => input.messages.retain(|message| {
                // Its own messages the agent knows without having been sent them.
                let ours = matches!(message.role(), Role::User | Role::Tool);
                ours && !sent.contains(&message.id)
            }),
            ResumeMessages::None if resumes => input.messages.clear(),
            _ => {}
        }
        sent.extend(input.messages.iter().map(|message| message.id.clone()));
        agui::run_input_text(&input)
    }

    async fn open(self, body: String, signal: &web_sys::AbortSignal) -> Result<Response, Failure> {
        let mut request = Request::post(&self.url).abort_signal(Some(signal));
        for (name, value) in (self.headers)() {
            request = request.header(&name, &value);
        }
        let request = request
            .header("Content-Type", "application/json")
            .header("Accept", "text/event-stream")
            .body(body)
            .map_err(|error| failure(FailureKind::Network, error.to_string()))?;
        let response = request.send().await.map_err(|error| {
            let message = format!("{}: {error}", self.url);
            failure(FailureKind::Network, message)
        })?;
        check(response).await
    }
}

impl Agent for HttpAgent {
    fn run(&self, input: RunInput, events: EventSink) -> LocalBoxFuture<'static, StreamEnd> {
        let agent = self.clone();
        let body = self.body(input);
        Box::pin(async move {
            let Ok(abort) = AbortOnDrop::new() else {
                let message = "This browser cannot stop requests.".to_owned();
                return StreamEnd::Failed(failure(FailureKind::Network, message));
            };
            let strict = agent.strict;
            match agent.open(body, &abort.0.signal()).await {
                Ok(response) => read(response, strict, &events).await,
                Err(failure) => StreamEnd::Failed(failure),
            }
        })
    }
}

/// Ends the request when the run's future is dropped.
struct AbortOnDrop(web_sys::AbortController);

impl AbortOnDrop {
    fn new() -> Result<Self, JsValue> {
        web_sys::AbortController::new().map(Self)
    }
}

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn failure(kind: FailureKind, message: String) -> Failure {
    Failure::new(kind, message)
}

/// Only an event stream is an answer.
async fn check(response: Response) -> Result<Response, Failure> {
    let status = response.status();
    if !response.ok() {
        let body = response.text().await.unwrap_or_default();
        let body: String = body.trim().chars().take(BODY_CHARS).collect();
        let message = match body.as_str() {
            "" => format!("The agent answered with HTTP {status}."),
            body => format!("The agent answered with HTTP {status}: {body}"),
        };
        return Err(failure(FailureKind::Http { status }, message));
    }
    let kind = response.headers().get("content-type").unwrap_or_default();
    if !kind.to_ascii_lowercase().starts_with("text/event-stream") {
        let message = match kind.as_str() {
            "" => "The agent sent no event stream.".to_owned(),
            kind => format!("The agent sent {kind} instead of an event stream."),
        };
        return Err(failure(FailureKind::NotAStream, message));
    }
    Ok(response)
}

/// Reads the stream to its end, saying each event as soon as it is complete.
async fn read(response: Response, strict: bool, events: &EventSink) -> StreamEnd {
    let Some(body) = response.body() else {
        return StreamEnd::Closed;
    };
    let Ok(reader) = body
        .get_reader()
        .dyn_into::<web_sys::ReadableStreamDefaultReader>()
    else {
        return StreamEnd::Closed;
    };
    let mut stream = Stream::new(strict, events);
    loop {
        let Ok(chunk) = JsFuture::from(reader.read()).await else {
            // The connection broke: what came counts, and the session sees that it is not all.
            return stream.end();
        };
        let chunk: web_sys::ReadableStreamReadResult = chunk.unchecked_into();
        if chunk.get_done() == Some(true) {
            return stream.end();
        }
        let bytes = js_sys::Uint8Array::new(&chunk.get_value()).to_vec();
        if let Err(failure) = stream.push(&bytes) {
            stream.flush();
            return StreamEnd::Failed(failure);
        }
    }
}

/// From bytes to events.
struct Stream<'a> {
    sse: SseDecoder,
    decoder: Decoder,
    frames: Vec<Frame>,
    events: &'a EventSink,
}

impl<'a> Stream<'a> {
    fn new(strict: bool, events: &'a EventSink) -> Self {
        let decoder = Decoder::new(if strict {
            agui::Options::strict()
        } else {
            agui::Options::default()
        });
        Self {
            sse: SseDecoder::new(),
            decoder,
            frames: Vec::new(),
            events,
        }
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let pushed = self.sse.push(bytes, &mut self.frames);
        self.deliver()?;
        pushed.map_err(|error| failure(FailureKind::Protocol, error.to_string()))
    }

    fn end(mut self) -> StreamEnd {
        self.frames.extend(self.sse.finish());
        let delivered = self.deliver();
        self.flush();
        delivered.map_or_else(StreamEnd::Failed, |()| StreamEnd::Closed)
    }

    /// Delivers what was held back for frames that do not come.
    fn flush(&mut self) {
        let mut held = Vec::new();
        self.decoder.flush(&mut held);
        for event in held {
            self.events.event(event);
        }
    }

    /// Events before a fatal one stay delivered.
    fn deliver(&mut self) -> Result<(), Failure> {
        let mut list = Vec::new();
        for frame in std::mem::take(&mut self.frames) {
            let pushed = self.decoder.push_frame(&frame.data, &mut list);
            for event in list.drain(..) {
                self.events.event(event);
            }
            for diagnostic in self.decoder.take_diagnostics() {
                self.events.diagnostic(diagnostic);
            }
            pushed.map_err(|error: ProtocolError| {
                failure(FailureKind::Protocol, error.to_string())
            })?;
        }
        Ok(())
    }
}
