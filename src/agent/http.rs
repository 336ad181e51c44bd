//! An AG-UI agent over HTTP: one POST for each run, events as they stream in.

#[cfg(any(feature = "ui-stream", feature = "completions"))]
mod codec;
mod request;
mod response;

use std::{cell::RefCell, collections::HashSet, rc::Rc};

use assistant_core::{
    event::{Role, RunInput},
    session::{Failure, StreamEnd},
    wire::agui::{self, DecoderOptions},
};
use futures_util::future::LocalBoxFuture;
use web_sys::Response;

#[cfg(any(feature = "ui-stream", feature = "completions"))]
pub use codec::CodecAgent;
#[cfg(feature = "completions")]
pub use codec::CompletionsAgent;
#[cfg(feature = "ui-stream")]
pub use codec::UiStreamAgent;

use super::{Agent, EventSink};
use request::{AbortOnDrop, Endpoint};

/// The media type of event streams.
const EVENT_STREAM: &str = "text/event-stream";

/// An agent that speaks AG-UI 1.0 over HTTP.
///
/// ```
/// use leptos_assistant::agent::HttpAgent;
///
/// let agent = HttpAgent::new("/agent").header("x-tenant", "harbor");
/// ```
#[derive(Clone)]
pub struct HttpAgent {
    endpoint: Endpoint,
    options: DecoderOptions,
    resume: ResumeMessages,
    /// The ids of messages that the agent accepted.
    sent: Rc<RefCell<HashSet<String>>>,
}

/// The messages of a run that only answers a question of the agent.
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
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}

impl HttpAgent {
    /// An agent at an address, absolute or relative to the page.
    ///
    /// ```
    /// use leptos_assistant::agent::HttpAgent;
    ///
    /// let agent = HttpAgent::new("/agent");
    /// ```
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            endpoint: Endpoint::new(url.into()),
            options: DecoderOptions::default(),
            resume: ResumeMessages::All,
            sent: Rc::default(),
        }
    }

    /// Sends a header with every request. `Content-Type` and `Accept` are ours. A run with a header
    /// that the browser refuses fails, and nothing is sent.
    ///
    /// ```
    /// use leptos_assistant::agent::HttpAgent;
    ///
    /// let agent = HttpAgent::new("/agent").header("x-tenant", "harbor");
    /// ```
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.endpoint.add_header(name.into(), value.into());
        self
    }

    /// Asks for the headers with every request, for tokens that change.
    ///
    /// ```
    /// use leptos_assistant::agent::HttpAgent;
    ///
    /// let token = || "fresh".to_owned();
    /// let agent = HttpAgent::new("/agent").headers(move || vec![("Authorization".to_owned(), token())]);
    /// ```
    #[must_use]
    pub fn headers(mut self, headers: impl Fn() -> Vec<(String, String)> + 'static) -> Self {
        self.endpoint.headers = Rc::new(headers);
        self
    }

    /// Holds the agent to the letter of AG-UI 1.0 instead of tolerating what servers are known
    /// to do.
    ///
    /// ```
    /// use leptos_assistant::agent::HttpAgent;
    ///
    /// let agent = HttpAgent::new("/agent").strict();
    /// ```
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.options = DecoderOptions::strict();
        self
    }

    /// Says which messages go along when a run only answers what the agent waits for.
    ///
    /// ```
    /// use leptos_assistant::agent::{HttpAgent, ResumeMessages};
    ///
    /// let agent = HttpAgent::new("/agent").resume_messages(ResumeMessages::New);
    /// ```
    #[must_use]
    pub fn resume_messages(mut self, which: ResumeMessages) -> Self {
        self.resume = which;
        self
    }

    /// Reduces an input to the messages that go along.
    fn select_messages(&self, input: &mut RunInput) {
        let resumes =
            !input.resume.is_empty() || input.forwarded_props.pointer("/command/resume").is_some();
        if !resumes {
            return;
        }
        match self.resume {
            ResumeMessages::All => {}
            ResumeMessages::New => {
                let sent = self.sent.borrow();
                input.messages.retain(|message| {
                    // Its own messages the agent knows without having been sent them.
                    let ours = matches!(message.role(), Role::User | Role::Tool)
                        && !message.is_marked_as_agents();
                    ours && !sent.contains(&message.id)
                });
            }
            ResumeMessages::None => input.messages.clear(),
        }
    }

    /// Sends a run's input. The agent has seen its messages only if it accepts them: what a
    /// request that fails carried goes along with the next.
    async fn open(&self, input: RunInput, abort: &AbortOnDrop) -> Result<Response, Failure> {
        let body = agui::run_input_text(&input);
        let response = self.endpoint.send("", Some(&body), &abort.signal()).await?;
        response::check(&response, Some(EVENT_STREAM)).await?;
        if self.resume == ResumeMessages::New {
            let ids = input.messages.into_iter().map(|message| message.id);
            self.sent.borrow_mut().extend(ids);
        }
        Ok(response)
    }

    async fn answer(&self, input: RunInput, events: &EventSink) -> Result<StreamEnd, Failure> {
        let abort = AbortOnDrop::new()?;
        let response = self.open(input, &abort).await?;
        let reader = Box::new(agui::Reader::new(self.options));
        Ok(response::read(&response, reader, events).await)
    }
}

impl Agent for HttpAgent {
    fn run(&self, mut input: RunInput, events: EventSink) -> LocalBoxFuture<'static, StreamEnd> {
        let agent = self.clone();
        agent.select_messages(&mut input);
        Box::pin(async move {
            agent
                .answer(input, &events)
                .await
                .unwrap_or_else(StreamEnd::Failed)
        })
    }
}
