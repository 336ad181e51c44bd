//! Implements [`Protocol`] for the UI message stream.

use super::{Reader, ResponseParams, TextReader, request_body, resume_path, ui_history};
use crate::{
    protocol::{EVENT_STREAM, Protocol, Request},
    stream::Read,
};
use assistant_core::{
    conversation::Conversation, event::RunInput, limits::Limits, session::AgentTraits,
};
use serde_json::Value;

/// The AI SDK's UI message stream protocol or, if [`Self::is_text`] is true, its text protocol.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UiStream {
    pub(crate) text: bool,
    pub(crate) resumes: bool,
    pub(crate) continues: bool,
}

impl UiStream {
    /// Returns true if the server responds with plain text only.
    #[must_use]
    pub const fn is_text(&self) -> bool {
        self.text
    }

    /// Sets [`Self::is_text`].
    #[must_use]
    pub const fn with_text(mut self, text: bool) -> Self {
        self.text = text;
        self
    }

    /// Returns true if the server stores its streams. An answer can then be resumed after a reload
    /// ([`AgentTraits::with_resumes`]).
    #[must_use]
    pub const fn resumes(&self) -> bool {
        self.resumes
    }

    /// Sets [`Self::resumes`].
    #[must_use]
    pub const fn with_resumes(mut self, resumes: bool) -> Self {
        self.resumes = resumes;
        self
    }

    /// Returns true if a resumed stream continues at the point where it was interrupted. If false,
    /// a resumed stream repeats the answer from the beginning.
    #[must_use]
    pub const fn continues(&self) -> bool {
        self.continues
    }

    /// Sets [`Self::continues`].
    #[must_use]
    pub const fn with_continues(mut self, continues: bool) -> Self {
        self.continues = continues;
        self
    }
}

impl Protocol for UiStream {
    fn traits(&self) -> AgentTraits {
        AgentTraits::default().with_resumes(self.resumes)
    }

    fn history(&self, conversation: &Conversation) -> Option<Value> {
        Some(ui_history(conversation))
    }

    fn request(&self, input: &RunInput) -> Request {
        if input.resumes {
            let path = resume_path(&input.thread_id);
            return path.map_or(Request::Nothing, |path| Request::Get { path });
        }
        Request::Post {
            body: request_body(input).to_string(),
            accept: (!self.text).then_some(EVENT_STREAM),
        }
    }

    fn decoder(&self, input: &RunInput, limits: &Limits) -> Box<dyn Read> {
        let mut params = ResponseParams::of(input);
        params.separates = input.resumes;
        params.replays = input.resumes && !self.continues;
        match self.text {
            true => Box::new(TextReader::new(params)),
            false => Box::new(Reader::new(params).with_limits(limits)),
        }
    }
}
