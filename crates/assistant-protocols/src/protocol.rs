//! Defines the protocol trait, which encodes requests and decodes responses.

use super::stream::Read;
use assistant_core::{
    conversation::Conversation, event::RunInput, limits::Limits, session::AgentTraits,
};
use serde_json::Value;

/// The media type of event streams.
pub(super) const EVENT_STREAM: &str = "text/event-stream";

/// The protocol of an agent.
///
/// Sessions and transports do not depend on the protocol: a session handles run inputs and events,
/// and a transport handles bodies and bytes. A protocol that an application does not use is not
/// linked.
///
/// ```
/// use assistant_core::{
///     event::RunInput, limits::Limits, session::{AgentTraits, SessionOptions},
/// };
/// use assistant_protocols::{AgUi, Protocol, Request, stream::Read};
///
/// /// AG-UI for a server that stores the events of its runs.
/// struct StoredRuns(AgUi);
///
/// impl Protocol for StoredRuns {
///     fn traits(&self) -> AgentTraits {
///         AgentTraits::default().with_resumes(true).with_replays(true)
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
/// let options = SessionOptions::default().with_agent(StoredRuns(AgUi::default()).traits());
/// ```
pub trait Protocol {
    /// Returns the traits of agents that use this protocol, for the options of their session
    /// ([`SessionOptions::with_agent`](assistant_core::session::SessionOptions::with_agent)).
    fn traits(&self) -> AgentTraits {
        AgentTraits::default()
    }

    /// Encodes the history in the protocol's format, for [`RunInput::history`]. Returns `None` if
    /// the protocol sends [`RunInput::messages`] instead.
    ///
    /// This method is called when the session opens the run
    /// ([`Effect::OpenRun`](assistant_core::session::Effect::OpenRun)), before the request is
    /// encoded.
    fn history(&self, conversation: &Conversation) -> Option<Value> {
        let _ = conversation;
        None
    }

    /// Returns the request that starts or resumes a run.
    fn request(&self, input: &RunInput) -> Request;

    /// Creates a decoder for the response to the request for this input. The decoder enforces the
    /// size limits.
    fn decoder(&self, input: &RunInput, limits: &Limits) -> Box<dyn Read>;
}

/// A request that a transport sends.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Request {
    /// A `POST` request to the agent's address.
    Post {
        /// The body as JSON text.
        body: String,
        /// The accepted media type. A response of a different type is a failure. If this field is
        /// `None`, only the decoder checks the response.
        accept: Option<&'static str>,
    },
    /// A `GET` request to the agent's address with a suffix. A response with status 204 means that
    /// there is no answer to resume
    /// ([`StreamEnd::Nothing`](assistant_core::session::StreamEnd::Nothing)).
    Get {
        /// The suffix that is appended to the address. It begins with `/`.
        path: String,
    },
    /// No request is sent, since the protocol cannot resume an answer.
    Nothing,
}
