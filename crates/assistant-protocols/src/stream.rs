//! Defines the results of reading a response of any protocol: events, diagnostics and an outcome.

use assistant_core::event::fault::ProtocolError;
use assistant_core::event::{Diagnostic, Event};

/// The outcome of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The last run ended, either successfully or with an error that the agent reported.
    Complete,
    /// The last run did not end, so its outcome is unknown, or no run began.
    Truncated,
    /// The response violated the protocol or a limit, or the caller reported an error.
    Failed,
}

/// Receives the events and diagnostics of a response, in order.
pub trait Sink {
    /// Receives an event.
    fn event(&mut self, event: Event);

    /// Receives a diagnostic about data that was tolerated or dropped.
    fn diagnostic(&mut self, diagnostic: Diagnostic);
}

/// The outcome of a response, and the error that ended it, if any.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FinishedResponse {
    /// The outcome of the stream.
    pub end: End,
    /// The error that ended the response. It is present if and only if `end` is [`End::Failed`].
    pub error: Option<ProtocolError>,
    /// True if the response ended in the middle of a frame, which was dropped. Such an end does not
    /// violate the protocol: the connection was lost, or the server stopped.
    pub mid_frame: bool,
}

/// A reader for one response of any protocol.
pub trait Read: std::fmt::Debug {
    /// Reads the next bytes, which may be split at any position. Does nothing after a failure.
    fn push(&mut self, bytes: &[u8], sink: &mut dyn Sink);

    /// Returns true if the response has failed, so that further bytes are ignored.
    fn has_failed(&self) -> bool;

    /// Prepares to read the rest of the response from another connection. Drops an unfinished
    /// frame, and returns the id of the last event if the events have ids. Events that are received
    /// again are skipped. A reader that cannot continue does nothing and returns `None`.
    fn reconnect(&mut self) -> Option<String> {
        None
    }

    /// Ends the response and returns its outcome.
    fn finish(self: Box<Self>, sink: &mut dyn Sink) -> FinishedResponse;
}
