//! Defines the protocol trait, which encodes requests and decodes responses.

use super::stream::Read;
use assistant_core::{
    conversation::Conversation, event::RunInput, limits::Limits, session::SessionOptions,
};
use serde_json::Value;

/// The media type of event streams.
pub(super) const EVENT_STREAM: &str = "text/event-stream";

/// The protocol of an agent.
///
/// Only the agent depends on its protocol: the session handles run inputs and events, a transport
/// handles bodies and bytes. A protocol that an application does not use is not linked.
///
/// ```
/// use assistant_core::{event::RunInput, limits::Limits, session::SessionOptions};
/// use assistant_protocols::{AgUi, Needs, Protocol, Request, adapt, stream::Read};
///
/// /// AG-UI of a server that stores the events of its runs.
/// struct StoredRuns(AgUi);
///
/// impl Protocol for StoredRuns {
///     fn needs(&self) -> Needs {
///         Needs::default().with_resumes(true).with_replays(true)
///     }
///     fn request(&self, input: &RunInput) -> Request {
///         match input.resumes {
///             true => Request::Get { path: format!("/runs/{}", input.run_id) },
///             false => self.0.request(input),
///         }
///     }
///     fn decoder(&self, input: &RunInput, limits: &Limits) -> Box<dyn Read> {
///         self.0.decoder(input, limits)
///     }
/// }
///
/// let mut options = SessionOptions::default();
/// adapt(&mut options, &StoredRuns(AgUi::default()));
/// assert!(options.resumes && options.replays);
/// ```
pub trait Protocol {
    /// Returns the session options that agents of this protocol require.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// Writes the history in a format of the protocol, for [`RunInput::history`]; `None` for
    /// protocols that send [`RunInput::messages`].
    ///
    /// Called when the session opens the run
    /// ([`Effect::OpenRun`](assistant_core::session::Effect::OpenRun)), before the request is
    /// encoded.
    fn history(&self, conversation: &Conversation) -> Option<Value> {
        let _ = conversation;
        None
    }

    /// Returns the request that starts or resumes a run.
    fn request(&self, input: &RunInput) -> Request;

    /// Creates a decoder for the response to this input. The decoder enforces the size limits.
    fn decoder(&self, input: &RunInput, limits: &Limits) -> Box<dyn Read>;
}

/// The session options that a protocol requires. [`adapt`] sets them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Needs {
    pub(crate) resumes: Option<bool>,
    pub(crate) replays: bool,
    pub(crate) retries_empty_answers: bool,
    pub(crate) runs_no_tools: bool,
}

impl Needs {
    /// Returns `Some(true)` if an answer can be resumed after a reload, and `Some(false)` if it
    /// cannot; `None` leaves the session's option unchanged.
    #[must_use]
    pub const fn resumes(&self) -> Option<bool> {
        self.resumes
    }

    /// Sets [`Self::resumes`].
    #[must_use]
    pub const fn with_resumes(mut self, resumes: bool) -> Self {
        self.resumes = Some(resumes);
        self
    }

    /// Returns true if a resumed answer begins again with its first event
    /// ([`SessionOptions::replays`](assistant_core::session::SessionOptions::replays)).
    #[must_use]
    pub const fn replays(&self) -> bool {
        self.replays
    }

    /// Sets [`Self::replays`].
    #[must_use]
    pub const fn with_replays(mut self, replays: bool) -> Self {
        self.replays = replays;
        self
    }

    /// Returns true if another run is started when a run ends without an answer to results
    /// ([`SessionOptions::retries_empty_answers`](assistant_core::session::SessionOptions::retries_empty_answers)).
    #[must_use]
    pub const fn retries_empty_answers(&self) -> bool {
        self.retries_empty_answers
    }

    /// Sets [`Self::retries_empty_answers`].
    #[must_use]
    pub const fn with_retries_empty_answers(mut self, retries_empty_answers: bool) -> Self {
        self.retries_empty_answers = retries_empty_answers;
        self
    }

    /// Returns true if the agent runs no tools of its own.
    #[must_use]
    pub const fn runs_no_tools(&self) -> bool {
        self.runs_no_tools
    }

    /// Sets [`Self::runs_no_tools`].
    #[must_use]
    pub const fn with_runs_no_tools(mut self, runs_no_tools: bool) -> Self {
        self.runs_no_tools = runs_no_tools;
        self
    }
}

/// A request for a transport.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Request {
    /// A `POST` to the agent's address.
    Post {
        /// The body, which is JSON.
        body: String,
        /// The accepted media type. A response of another type is a failure. `None` leaves the
        /// check to the decoder.
        accept: Option<&'static str>,
    },
    /// A `GET` to the agent's address with a suffix. Status 204 means that no answer can be resumed
    /// ([`StreamEnd::Nothing`](assistant_core::session::StreamEnd::Nothing)).
    Get {
        /// The suffix of the address, starting with `/`.
        path: String,
    },
    /// No request, since the protocol cannot resume an answer.
    Nothing,
}

/// Sets the session options that a protocol requires. Call this before the session is created.
pub fn adapt<P: Protocol + ?Sized>(options: &mut SessionOptions, protocol: &P) {
    let needs = protocol.needs();
    if let Some(resumes) = needs.resumes {
        options.resumes = resumes;
    }
    options.replays |= needs.replays;
    options.retries_empty_answers |= needs.retries_empty_answers;
    options.agent_runs_tools &= !needs.runs_no_tools;
}
