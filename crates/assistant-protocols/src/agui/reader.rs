//! The reader of a whole response, from bytes to events, diagnostics and end.

use serde::de::IgnoredAny;
use serde_json::Value;

use super::{Decoder, DecoderOptions, End, ProtocolError, Sink};
use crate::{
    frames::{Decode, FrameReader},
    sse::SseDecoder,
};
use assistant_core::event::Event;

/// A reader for one response.
///
/// ```
/// use assistant_core::event::{Diagnostic, Event};
/// use assistant_protocols::agui::{End, DecoderOptions, Reader, Sink};
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
pub type Reader = FrameReader<Decoder>;

impl Reader {
    /// Creates a reader at the start of a response.
    #[must_use]
    pub fn new(options: DecoderOptions) -> Self {
        Self::with_framing(SseDecoder::new(), options)
    }

    /// Creates a reader with a given decoder of frames, which may have another limit.
    #[must_use]
    pub fn with_framing(sse: SseDecoder, options: DecoderOptions) -> Self {
        Self::with(sse, Decoder::new(options))
    }

    /// Reads an event that is already JSON, as if its frame had arrived. Does nothing after a
    /// failure.
    pub fn push_value(&mut self, event: Value, sink: &mut dyn Sink) {
        if !self.has_failed()
            && let Err(error) = self
                .decoder
                .give(sink, |decoder, out| decoder.push_value(event, out))
        {
            self.fail(error);
        }
    }
}

impl Decode for Decoder {
    fn frame(&mut self, data: &str, sink: &mut dyn Sink) -> Result<(), ProtocolError> {
        self.give(sink, |decoder, out| decoder.push_frame(data, out))
    }

    fn is_whole(&self, data: &str) -> bool {
        !ends_early(data)
    }

    fn finish(&mut self, sink: &mut dyn Sink) -> End {
        // Releasing held events does not fail.
        let _ = self.give(sink, |decoder, out| {
            decoder.flush(out);
            Ok(())
        });
        Self::finish(self)
    }
}

impl Decoder {
    /// Runs a decoding step, and passes its diagnostics and events to a sink, including the events
    /// decoded before an error.
    fn give(
        &mut self,
        sink: &mut dyn Sink,
        step: impl FnOnce(&mut Self, &mut Vec<Event>) -> Result<(), ProtocolError>,
    ) -> Result<(), ProtocolError> {
        let mut events = self.take_memory();
        let result = step(self, &mut events);
        for diagnostic in self.take_diagnostics() {
            sink.diagnostic(diagnostic);
        }
        for event in events.drain(..) {
            sink.event(event);
        }
        self.keep_memory(events);
        result
    }
}

/// Returns true if the JSON is valid up to its end, and incomplete.
fn ends_early(data: &str) -> bool {
    let is_cut = |text: &str| {
        let read = serde_json::from_str::<IgnoredAny>(text);
        read.is_err_and(|error| error.is_eof())
    };
    // A number that ends in its sign, point or exponent is reported as invalid.
    is_cut(data) || is_cut(&format!("{data}0"))
}
