//! The protocol trait: encoding of requests and decoding of responses.

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
/// use assistant_protocols::{Needs, Protocol, agui::AgUi};
///
/// assert_eq!(AgUi::default().needs(), Needs::default());
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

    /// Creates a decoder for the response, within the limits of its size.
    fn decoder(&self, input: &RunInput, limits: &Limits) -> Box<dyn Read>;
}

/// The session options that a protocol requires. [`adapt`] sets them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Needs {
    /// True if an answer can be resumed after a reload; `None` leaves the session's option
    /// unchanged.
    pub resumes: Option<bool>,
    /// True if a resumed answer begins again with its first event
    /// ([`SessionOptions::replays`](assistant_core::session::SessionOptions::replays)).
    pub replays: bool,
    /// The value of
    /// [`SessionOptions::asks_again`](assistant_core::session::SessionOptions::asks_again).
    pub asks_again: bool,
    /// True if the agent runs no tools of its own.
    pub runs_no_tools: bool,
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
    options.asks_again |= needs.asks_again;
    options.agent_runs_tools &= !needs.runs_no_tools;
}
