//! Decodes frames into events by running all stages in order, and reads a whole response.

use serde::de::IgnoredAny;
use serde_json::Value;

use super::{
    Checked, Compat, End, Expander, Joiner, ProtocolError, Sink, SplitPair, Verifier, decode_event,
};
use crate::frames::{Decode, FrameReader};
use assistant_core::{
    event::{Diagnostic, Event, fault::Notes},
    json::fields::EventObject,
};

/// The options of a decoder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecoderOptions {
    /// True if the known deviations of real servers from AG-UI 1.0 are rejected, for conformance
    /// tests. If false, the deviations are tolerated with a diagnostic. The events of older
    /// versions are accepted in both cases.
    pub strict: bool,
}

impl DecoderOptions {
    /// Returns options for strict decoding.
    #[must_use]
    pub const fn strict() -> Self {
        Self { strict: true }
    }
}

/// A decoder for the frames of one stream.
#[derive(Debug, Clone)]
pub struct Decoder {
    strict: bool,
    compat: Compat,
    expander: Expander,
    joiner: Joiner,
    verifier: Verifier,
    notes: Notes,
    failed: Option<ProtocolError>,
    /// The buffer for the events of a frame. The buffer is reused for each frame.
    memory: Vec<Event>,
}

impl Decoder {
    /// Creates a decoder at the start of a stream.
    #[must_use]
    pub fn new(options: DecoderOptions) -> Self {
        let DecoderOptions { strict } = options;
        Self {
            strict,
            compat: Compat::new(),
            expander: Expander::new(),
            joiner: Joiner::new(),
            verifier: Verifier::new(strict),
            notes: Notes::new(),
            failed: None,
            memory: Vec::new(),
        }
    }

    /// Decodes the data of one frame and appends its events to `out`.
    ///
    /// # Errors
    ///
    /// Fails if the frame is not an event or violates the protocol. Events that are already in
    /// `out` remain valid. After an error, the stream is over, and every later call returns the
    /// same error.
    pub fn push_frame(&mut self, data: &str, out: &mut Vec<Event>) -> Result<(), ProtocolError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        if !self.strict && data.trim() == "[DONE]" {
            let message = "Ignored [DONE]: AG-UI streams have no end mark.";
            self.notes.add(Diagnostic::new("done-mark", message));
            return Ok(());
        }
        let result = match EventObject::parse(data) {
            Ok(object) => self.decode_object(object, SplitPair::default(), out),
            Err(_) => self.decode_with_surrogates(data, out),
        };
        result.or_else(|error| self.fail(error, out))
    }

    /// Decodes a frame that is valid JSON except for lone surrogates.
    fn decode_with_surrogates(
        &mut self,
        data: &str,
        out: &mut Vec<Event>,
    ) -> Result<(), ProtocolError> {
        let (object, split) = SplitPair::parse(data)?;
        let message = "The agent splits a surrogate pair: a lone surrogate becomes U+FFFD, unless the next delta begins with the other.";
        self.notes.add(Diagnostic::new("half-pair", message));
        self.decode_object(object, split, out)
    }

    /// Decodes an event that is already parsed as JSON, like [`Self::push_frame`].
    ///
    /// # Errors
    ///
    /// Fails like [`Self::push_frame`].
    pub fn push_value(&mut self, value: Value, out: &mut Vec<Event>) -> Result<(), ProtocolError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let result = match value {
            Value::Object(object) => self.decode_object(object.into(), SplitPair::default(), out),
            _ => {
                let message = "Invalid event: the frame is not a JSON object.";
                Err(ProtocolError::new("invalid-frame", message))
            }
        };
        result.or_else(|error| self.fail(error, out))
    }

    fn decode_object(
        &mut self,
        mut object: EventObject,
        split: SplitPair,
        out: &mut Vec<Event>,
    ) -> Result<(), ProtocolError> {
        self.compat.upgrade(&mut object, &mut self.notes);
        let Some(event) = decode_event(object, self.strict, &mut self.notes)? else {
            return Ok(());
        };
        // The events are appended to `out` before they are checked, because an event is large and
        // expensive to move.
        let start = out.len();
        let mut result = self.expander.expand(event, out);
        if result.is_err() {
            out.truncate(start);
        }
        if !(self.joiner.is_idle() && split.is_empty()) {
            for event in out.split_off(start) {
                self.joiner.join(event, split, out);
            }
        }
        let mut index = start;
        while let Some(event) = out.get(index) {
            match self.verifier.check(event) {
                Ok(Checked::Pass) => index += 1,
                Ok(Checked::Drop(diagnostic)) => {
                    out.remove(index);
                    self.notes.add(diagnostic);
                }
                Err(error) => {
                    out.truncate(index);
                    result = Err(error);
                }
            }
        }
        result
    }

    fn fail(&mut self, error: ProtocolError, out: &mut Vec<Event>) -> Result<(), ProtocolError> {
        self.failed = Some(error.clone());
        self.flush(out);
        Err(error)
    }

    /// Appends the events that were held back for later frames, unless they violate the protocol.
    /// Must be called after the last frame.
    pub fn flush(&mut self, out: &mut Vec<Event>) {
        if self.joiner.is_idle() {
            return;
        }
        let mut held_events = Vec::new();
        self.joiner.release(&mut held_events);
        held_events.retain(|event| matches!(self.verifier.check(event), Ok(Checked::Pass)));
        out.append(&mut held_events);
    }

    /// Removes and returns the collected diagnostics.
    #[must_use]
    pub fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        self.notes.take()
    }

    /// Returns the outcome of the stream. Must be called after the last frame.
    #[must_use]
    pub fn finish(&self) -> End {
        if self.failed.is_some() {
            End::Failed
        } else if self.verifier.is_complete() {
            End::Complete
        } else {
            End::Truncated
        }
    }
}

/// A reader for one AG-UI response.
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
        Self::with_decoder(Decoder::new(options))
    }

    /// Reads an event that is already parsed as JSON, like the data of a frame. Does nothing after
    /// a failure.
    pub fn push_value(&mut self, event: Value, sink: &mut dyn Sink) {
        if !self.has_failed()
            && let Err(error) = self
                .decoder
                .pass_to_sink(sink, |decoder, out| decoder.push_value(event, out))
        {
            self.fail(error);
        }
    }
}

impl Decode for Decoder {
    fn frame(&mut self, data: &str, sink: &mut dyn Sink) -> Result<(), ProtocolError> {
        self.pass_to_sink(sink, |decoder, out| decoder.push_frame(data, out))
    }

    fn is_whole(&self, data: &str) -> bool {
        !is_cut_short(data)
    }

    fn finish(&mut self, sink: &mut dyn Sink) -> End {
        // The result is ignored, because releasing held events does not fail.
        let _ = self.pass_to_sink(sink, |decoder, out| {
            decoder.flush(out);
            Ok(())
        });
        Self::finish(self)
    }
}

impl Decoder {
    /// Runs a decoding step, and passes its diagnostics and events to a sink, including the events
    /// that were decoded before an error.
    fn pass_to_sink(
        &mut self,
        sink: &mut dyn Sink,
        step: impl FnOnce(&mut Self, &mut Vec<Event>) -> Result<(), ProtocolError>,
    ) -> Result<(), ProtocolError> {
        let mut events = std::mem::take(&mut self.memory);
        let result = step(self, &mut events);
        for diagnostic in self.take_diagnostics() {
            sink.diagnostic(diagnostic);
        }
        for event in events.drain(..) {
            sink.event(event);
        }
        self.memory = events;
        result
    }
}

/// Returns true if the data is an incomplete JSON text.
fn is_cut_short(data: &str) -> bool {
    let is_cut = |text: &str| {
        let result = serde_json::from_str::<IgnoredAny>(text);
        result.is_err_and(|error| error.is_eof())
    };
    // If a text ends after the sign, decimal point or exponent of a number, `serde_json` reports
    // the text as invalid instead of incomplete. The text is therefore also parsed with a digit
    // appended.
    is_cut(data) || is_cut(&format!("{data}0"))
}
