//! The protocol of an agent: its requests, and the reading of its responses.

use super::stream::Read;
use crate::event::RunInput;

/// The media type of event streams.
pub(super) const EVENT_STREAM: &str = "text/event-stream";

/// The protocol of an agent.
///
/// A protocol belongs to an agent. Nothing else knows which one is spoken: the session takes run
/// inputs and events, a transport bodies and bytes. A protocol that an application does not name is
/// not linked.
///
/// ```
/// use assistant_core::wire::{Needs, Protocol, agui::AgUi};
///
/// assert_eq!(AgUi::default().needs(), Needs::default());
/// ```
pub trait Protocol {
    /// Returns what a session must do for agents of this protocol.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// Returns the request of a run.
    fn request(&self, input: &RunInput) -> Request;

    /// Returns a decoder for the response to it.
    fn decoder(&self, input: &RunInput) -> Box<dyn Read>;
}

/// Session options that a protocol requires: see [`crate::protocol::adapt`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Needs {
    /// The history is written as UI messages.
    #[cfg(feature = "ui-stream")]
    pub ui_history: bool,
    /// True if an answer that a reload cut is resumed; `None` where the protocol does not decide.
    pub takes_up: Option<bool>,
    /// The agent asks for a call again if it is not answered.
    pub asks_again: bool,
}

/// A request, as a transport sends it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Request {
    /// A `POST` to the agent's address.
    Post {
        /// The body, which is JSON.
        body: String,
        /// The media type that is accepted: anything else is no answer. `None` leaves it to the decoder.
        accept: Option<&'static str>,
    },
    /// A `GET` to the agent's address with something behind it. Status 204 says that there is
    /// nothing to read on ([`StreamEnd::Nothing`](crate::session::StreamEnd::Nothing)).
    Get {
        /// The rest of the address, from its `/` on.
        path: String,
    },
    /// Nothing can be sent: the protocol has no way to read an answer on.
    Nothing,
}
