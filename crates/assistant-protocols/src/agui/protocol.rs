//! Implements [`Protocol`] for AG-UI.

use super::{DecoderOptions, Reader, run_input_text};
use crate::{
    protocol::{EVENT_STREAM, Protocol, Request},
    stream::Read,
};
use assistant_core::{event::RunInput, limits::Limits};

/// The AG-UI 1.0 protocol.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AgUi(DecoderOptions);

impl AgUi {
    /// Creates the protocol with options for its decoder.
    #[must_use]
    pub const fn new(options: DecoderOptions) -> Self {
        Self(options)
    }
}

impl Protocol for AgUi {
    fn request(&self, input: &RunInput) -> Request {
        if input.resumes {
            return Request::Nothing;
        }
        Request::Post {
            body: run_input_text(input),
            accept: Some(EVENT_STREAM),
        }
    }

    fn decoder(&self, _: &RunInput, limits: &Limits) -> Box<dyn Read> {
        Box::new(Reader::new(self.0).with_limits(limits))
    }
}
