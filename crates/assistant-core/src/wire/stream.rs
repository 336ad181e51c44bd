//! What reading a response gives, whatever the protocol: events, diagnostics and an end.

use super::fault::ProtocolError;
use crate::event::{Diagnostic, Event};

/// The end of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The last run ended, well or with an error of its own.
    Complete,
    /// The last run, if there was one, has no end: its outcome is unknown.
    Truncated,
    /// A violation of the protocol ended it.
    Failed,
}

/// Takes what a reader reads, in its order.
pub trait Sink {
    /// Takes an event.
    fn event(&mut self, event: Event);

    /// Takes word of something that was tolerated or dropped. What concerns a frame comes before
    /// the frame's events.
    fn diagnostic(&mut self, diagnostic: Diagnostic);
}

/// Says how a response ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ending {
    /// The end of the stream.
    pub end: End,
    /// The violation that ended it, if and only if `end` is [`End::Failed`].
    pub error: Option<ProtocolError>,
    /// Whether the response ended in the middle of a frame, which is then dropped. That breaks no
    /// rule of the protocol: the connection broke off, or the server gave up.
    pub mid_frame: bool,
}

/// Reads one response, whatever its protocol.
pub trait Read: std::fmt::Debug {
    /// Reads the next bytes, cut anywhere. After a failure it does nothing.
    fn push(&mut self, bytes: &[u8], sink: &mut dyn Sink);

    /// Returns whether reading on is of no use.
    fn has_failed(&self) -> bool;

    /// Ends the response, and says how it ended.
    fn finish(self: Box<Self>, sink: &mut dyn Sink) -> Ending;
}
