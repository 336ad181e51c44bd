//! The way of a whole response: from its bytes to events, diagnostics and its end.
//!
//! Framing is [`SseDecoder`]'s, what a frame means is [`Decoder`]'s; a [`Reader`] holds one of each
//! and adds what only the response as a whole shows: whether its last frame is all there. It reads
//! no more than it is given, and never waits.

use std::fmt;

use serde::de::IgnoredAny;
use serde_json::Value;

use super::{Decoder, DecoderOptions, End, Ending, ProtocolError, Sink};
use crate::{
    event::{Diagnostic, Event},
    wire::sse::SseDecoder,
};

/// Reads one response.
///
/// ```
/// use assistant_core::event::{Diagnostic, Event};
/// use assistant_core::wire::agui::{End, DecoderOptions, Reader, Sink};
///
/// #[derive(Default)]
/// struct Log(Vec<Event>);
///
/// impl Sink for Log {
///     fn event(&mut self, event: Event) {
///         self.0.push(event);
///     }
///     fn diagnostic(&mut self, _: Diagnostic) {}
/// }
///
/// let (mut reader, mut log) = (Reader::new(DecoderOptions::default()), Log::default());
/// reader.push(b"data: {\"type\":\"RUN_STARTED\",\"thread", &mut log);
/// reader.push(b"Id\":\"t\",\"runId\":\"r\"}\n\ndata: {\"ty", &mut log);
/// let ending = reader.finish(&mut log);
/// assert_eq!(log.0.len(), 1);
/// assert_eq!(ending.end, End::Truncated);
/// assert!(ending.mid_frame);
/// ```
#[derive(Clone)]
pub struct Reader {
    sse: SseDecoder,
    frames: Frames,
}

// Not all that it holds: behind a `dyn Read` that would be linked with everything an event can be.
impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").finish_non_exhaustive()
    }
}

impl Reader {
    /// Returns a reader at the start of a response.
    #[must_use]
    pub fn new(options: DecoderOptions) -> Self {
        Self::with_framing(SseDecoder::new(), options)
    }

    /// Returns a reader whose frames are cut by `sse`, which may have a limit of its own.
    #[must_use]
    pub fn with_framing(sse: SseDecoder, options: DecoderOptions) -> Self {
        Self {
            sse,
            frames: Frames {
                decoder: Decoder::new(options),
                events: Vec::new(),
                error: None,
            },
        }
    }

    /// Reads the next bytes, cut anywhere. After a failure it does nothing.
    pub fn push(&mut self, bytes: &[u8], sink: &mut dyn Sink) {
        if self.has_failed() {
            return;
        }
        let Self { sse, frames } = self;
        let framed = sse.read(bytes, &mut |frame| frames.read(&frame.data, sink));
        if let Err(error) = framed {
            self.fail(ProtocolError::new("limit", error.to_string()));
        }
    }

    /// Reads an event that is already JSON, as if its frame had come. After a failure it does
    /// nothing.
    pub fn push_value(&mut self, event: Value, sink: &mut dyn Sink) {
        if !self.has_failed() {
            self.frames
                .decode(sink, |decoder, out| decoder.push_value(event, out));
        }
    }

    /// Ends the response because of something that the caller found. An earlier failure stays.
    pub fn fail(&mut self, error: ProtocolError) {
        self.frames.error.get_or_insert(error);
    }

    /// Returns whether reading on is of no use: the response broke the protocol or a limit.
    #[must_use]
    pub const fn has_failed(&self) -> bool {
        self.frames.error.is_some()
    }

    /// Ends the response: reads a last frame that lacks nothing but its blank line, gives what was
    /// held back for frames that do not come, and says how it ended.
    pub fn finish(mut self, sink: &mut dyn Sink) -> Ending {
        let mid_frame = !self.has_failed() && self.sse.is_mid_frame() && !self.read_last(sink);
        if mid_frame {
            let message = "The response ended in the middle of a frame, which was dropped.";
            sink.diagnostic(Diagnostic::new("cut-frame", message));
        }
        self.frames.decode(sink, |decoder, out| {
            decoder.flush(out);
            Ok(())
        });
        let Frames { decoder, error, .. } = self.frames;
        let end = match error {
            Some(_) => End::Failed,
            None => decoder.finish(),
        };
        Ending {
            end,
            error,
            mid_frame,
        }
    }

    /// Reads what has come of a last frame; returns whether it was all of it.
    fn read_last(&mut self, sink: &mut dyn Sink) -> bool {
        let Some(frame) = self.sse.finish() else {
            return false;
        };
        if ends_early(&frame.data) {
            return false;
        }
        self.frames.read(&frame.data, sink);
        true
    }
}

/// Returns whether JSON ends before it is complete. What is wrong before its end is not cut but
/// invalid.
fn ends_early(data: &str) -> bool {
    let is_cut = |text: &str| {
        let read = serde_json::from_str::<IgnoredAny>(text);
        read.is_err_and(|error| error.is_eof())
    };
    // A number that ends at its sign, point or exponent passes for an invalid one.
    is_cut(data) || is_cut(&format!("{data}0"))
}

/// The half of a reader that takes frames: apart, so that the other can be read meanwhile.
#[derive(Debug, Clone)]
struct Frames {
    decoder: Decoder,
    /// Filled and emptied with each frame; kept for its memory.
    events: Vec<Event>,
    error: Option<ProtocolError>,
}

impl Frames {
    fn read(&mut self, data: &str, sink: &mut dyn Sink) {
        if self.error.is_none() {
            self.decode(sink, |decoder, out| decoder.push_frame(data, out));
        }
    }

    /// Gives what a step of the decoder brings; events before a fatal one count.
    fn decode(
        &mut self,
        sink: &mut dyn Sink,
        step: impl FnOnce(&mut Decoder, &mut Vec<Event>) -> Result<(), ProtocolError>,
    ) {
        let result = step(&mut self.decoder, &mut self.events);
        for diagnostic in self.decoder.take_diagnostics() {
            sink.diagnostic(diagnostic);
        }
        for event in self.events.drain(..) {
            sink.event(event);
        }
        if let Err(error) = result {
            self.error.get_or_insert(error);
        }
    }
}
