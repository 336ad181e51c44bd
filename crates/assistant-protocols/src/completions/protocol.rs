//! Implements [`Protocol`] for chat completions.

use super::{Reader, RequestOptions, ResponseParams, request_body};
use crate::{
    protocol::{Protocol, Request},
    stream::Read,
};
use assistant_core::{event::RunInput, limits::Limits, session::AgentTraits};

/// The protocol of chat completions, as defined by `OpenAI`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completions(RequestOptions);

impl Completions {
    /// Creates the protocol with options for its requests.
    #[must_use]
    pub const fn new(options: RequestOptions) -> Self {
        Self(options)
    }
}

impl Protocol for Completions {
    fn traits(&self) -> AgentTraits {
        AgentTraits::default()
            .with_retries_empty_answers(true)
            .with_runs_tools(false)
    }

    fn request(&self, input: &RunInput) -> Request {
        if input.resumes {
            return Request::Nothing;
        }
        Request::Post {
            body: request_body(input, &self.0).to_string(),
            // The media type is not checked, because a server without streaming responds with JSON,
            // which the decoder also supports.
            accept: None,
        }
    }

    fn decoder(&self, input: &RunInput, limits: &Limits) -> Box<dyn Read> {
        Box::new(Reader::new(ResponseParams::of(input)).with_limits(limits))
    }
}
