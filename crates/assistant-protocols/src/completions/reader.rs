//! Decodes the bytes of a response into events, diagnostics and an outcome.

use serde_json::Value;

use super::{Decoder, ResponseParams, decoder::parse_error};
use crate::{
    frames::{Decode, FrameReader},
    stream::{End, Sink},
};
use assistant_core::event::fault::ProtocolError;

impl Decode for Decoder {
    fn frame(&mut self, data: &str, sink: &mut dyn Sink) -> Result<(), ProtocolError> {
        self.push_frame(data, sink);
        Ok(())
    }

    /// Reads the response of a server without streaming. The response is a complete completion or
    /// an error.
    fn document(&mut self, text: &str, sink: &mut dyn Sink) -> Result<(), ProtocolError> {
        let document: Value = serde_json::from_str(text).map_err(|error| {
            let message = format!("The server sent no event stream, and no JSON either ({error}).");
            ProtocolError::new("not-a-stream", message)
        })?;
        let is_supported = document
            .as_object()
            .is_some_and(|object| object.contains_key("choices") || parse_error(object).is_some());
        if !is_supported {
            let message = "The server answered with JSON that is no completion.";
            return Err(ProtocolError::new("not-a-stream", message));
        }
        self.push_chunk(document, sink);
        Ok(())
    }

    fn finish(&mut self, sink: &mut dyn Sink) -> End {
        Self::finish(self, sink)
    }
}

/// A reader for one response in the format of chat completions.
///
/// ```
/// use assistant_core::event::{Diagnostic, Event};
/// use assistant_protocols::completions::{Reader, ResponseParams};
/// use assistant_protocols::stream::{End, Sink};
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
/// let (mut reader, mut log) = (Reader::new(ResponseParams::default()), Log::default());
/// reader.push(b"data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\ndata: [DO", &mut log);
/// reader.push(b"NE]\n\n", &mut log);
/// assert_eq!(reader.finish(&mut log).end, End::Complete);
/// assert_eq!(log.0.len(), 5);
/// ```
pub type Reader = FrameReader<Decoder>;

impl Reader {
    /// Creates a reader at the start of a response.
    #[must_use]
    pub fn new(start: ResponseParams) -> Self {
        Self::with_decoder(Decoder::new(start))
    }
}
