//! How an agent is spoken to: what goes out, how what comes back is read, and what a session must
//! do for it.
//!
//! A codec belongs to an agent. Nothing else knows which protocol is spoken: the session sees run
//! inputs and events, a transport sees bodies and bytes. What an application does not use of these
//! is not linked.
//!
//! ```
//! use assistant_core::codec::{AgUi, Codec};
//! use assistant_core::session::SessionOptions;
//!
//! let codec = AgUi::default();
//! let mut options = SessionOptions::default();
//! codec.adapt(&mut options);
//! assert!(options.history.is_none());
//! ```

use std::fmt;

use crate::{
    event::RunInput,
    session::SessionOptions,
    wire::{
        agui::{self, DecoderOptions},
        stream::{Ending, Read, Sink},
    },
};

/// The protocol of an agent: its requests, and readers for its responses.
pub trait Codec: fmt::Debug {
    /// Sets what a session must do for agents of this protocol. To be called before the session is
    /// made.
    fn adapt(&self, options: &mut SessionOptions) {
        let _ = options;
    }

    /// The request of a run.
    fn request(&self, input: &RunInput) -> Request;

    /// A reader for the response to it.
    fn reader(&self, input: &RunInput) -> Box<dyn Read>;
}

/// A request, as a transport sends it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Request {
    /// A `POST` to the agent's address.
    Post {
        /// The body, which is JSON.
        body: String,
        /// The media type that is accepted: anything else is no answer. `None` leaves it to the reader.
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

/// The media type of event streams.
const EVENT_STREAM: &str = "text/event-stream";

/// AG-UI 1.0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AgUi(pub DecoderOptions);

impl Codec for AgUi {
    fn request(&self, input: &RunInput) -> Request {
        if input.takes_up {
            return Request::Nothing;
        }
        Request::Post {
            body: agui::run_input_text(input),
            accept: Some(EVENT_STREAM),
        }
    }

    fn reader(&self, _: &RunInput) -> Box<dyn Read> {
        Box::new(agui::Reader::new(self.0))
    }
}

impl Read for agui::Reader {
    fn push(&mut self, bytes: &[u8], sink: &mut dyn Sink) {
        Self::push(self, bytes, sink);
    }

    fn has_failed(&self) -> bool {
        Self::has_failed(self)
    }

    fn finish(self: Box<Self>, sink: &mut dyn Sink) -> Ending {
        Self::finish(*self, sink)
    }
}

/// The AI SDK's UI message stream, or its text protocol.
#[cfg(feature = "ui-stream")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UiStream {
    /// The server answers with plain text, and with nothing else.
    pub text: bool,
    /// The server keeps its streams: an answer that a reload cut is read on
    /// ([`SessionOptions::takes_up`]).
    pub resumes: bool,
    /// A stream that is taken up goes on where it was cut, instead of repeating the answer from its
    /// beginning.
    pub continues: bool,
}

#[cfg(feature = "ui-stream")]
impl Codec for UiStream {
    fn adapt(&self, options: &mut SessionOptions) {
        options.history = Some(crate::conversation::Conversation::ui_history);
        options.takes_up = self.resumes;
    }

    fn request(&self, input: &RunInput) -> Request {
        use crate::wire::ui_stream;
        if input.takes_up {
            let path = ui_stream::resume_path(&input.thread_id);
            return path.map_or(Request::Nothing, |path| Request::Get { path });
        }
        Request::Post {
            body: ui_stream::request_body(input).to_string(),
            accept: (!self.text).then_some(EVENT_STREAM),
        }
    }

    fn reader(&self, input: &RunInput) -> Box<dyn Read> {
        use crate::wire::ui_stream::{Reader, Start, TextReader};
        let mut start = Start::of(input);
        start.separates = input.takes_up;
        start.replays = input.takes_up && !self.continues;
        match self.text {
            true => Box::new(TextReader::new(start)),
            false => Box::new(Reader::new(start)),
        }
    }
}

/// Chat completions, as `OpenAI` defined them.
#[cfg(feature = "completions")]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completions(pub crate::wire::completions::RequestOptions);

#[cfg(feature = "completions")]
impl Codec for Completions {
    fn adapt(&self, options: &mut SessionOptions) {
        options.asks_again = true;
    }

    fn request(&self, input: &RunInput) -> Request {
        if input.takes_up {
            return Request::Nothing;
        }
        Request::Post {
            body: crate::wire::completions::request_body(input, &self.0).to_string(),
            // A server that does not stream answers with JSON, which is read, too.
            accept: None,
        }
    }

    fn reader(&self, input: &RunInput) -> Box<dyn Read> {
        use crate::wire::completions::{Reader, Start};
        Box::new(Reader::new(Start::of(input)))
    }
}
