//! Decodes the bytes of a response into events, diagnostics and an outcome.

use serde_json::json;

use super::{Decoder, ResponseParams};
use crate::{
    frames::{Decode, FrameReader},
    stream::{End, FinishedResponse, Read, Sink},
};
use assistant_core::event::{Diagnostic, fault::ProtocolError};

impl Decode for Decoder {
    fn frame(&mut self, data: &str, sink: &mut dyn Sink) -> Result<(), ProtocolError> {
        self.push_frame(data, sink);
        Ok(())
    }

    fn finish(&mut self, sink: &mut dyn Sink) -> End {
        Self::finish(self, sink)
    }
}

/// A reader for one response in the format of the UI message stream.
///
/// ```
/// use assistant_core::event::{Diagnostic, Event};
/// use assistant_protocols::stream::{End, Sink};
/// use assistant_protocols::ui_stream::{Reader, ResponseParams};
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
/// reader.push(b"data: {\"type\":\"start\"}\n\ndata: {\"type\":\"text-st", &mut log);
/// reader.push(b"art\",\"id\":\"1\"}\n\ndata: {\"type\":\"finish\"}\n\n", &mut log);
/// reader.push(b"data: [DONE]\n\n", &mut log);
/// assert_eq!(reader.finish(&mut log).end, End::Complete);
/// ```
pub type Reader = FrameReader<Decoder>;

impl Reader {
    /// Creates a reader at the start of a response.
    #[must_use]
    pub fn new(start: ResponseParams) -> Self {
        Self::with_decoder(Decoder::new(start))
    }

    /// Returns the id of the answer, which is the server's id as soon as the server has sent one.
    #[must_use]
    pub fn message_id(&self) -> &str {
        self.decoder.message_id()
    }
}

/// A reader for a response in the AI SDK's text protocol, which is one answer of plain text.
#[derive(Debug, Clone)]
pub struct TextReader {
    decoder: Decoder,
    /// The bytes of the last character, if that character is incomplete.
    rest: Vec<u8>,
    began: bool,
}

/// The id of the only text block.
const TEXT_BLOCK_ID: &str = "text-1";

impl TextReader {
    /// Creates a reader at the start of a response.
    #[must_use]
    pub fn new(start: ResponseParams) -> Self {
        Self {
            decoder: Decoder::new(start),
            rest: Vec::new(),
            began: false,
        }
    }

    fn begin_text(&mut self, sink: &mut dyn Sink) {
        if !std::mem::replace(&mut self.began, true) {
            for kind in ["start", "start-step"] {
                self.decoder.push_chunk(json!({"type": kind}), sink);
            }
            let chunk = json!({"type": "text-start", "id": TEXT_BLOCK_ID});
            self.decoder.push_chunk(chunk, sink);
        }
    }

    fn push_text(&mut self, delta: &str, sink: &mut dyn Sink) {
        if !delta.is_empty() {
            self.begin_text(sink);
            let chunk = json!({"type": "text-delta", "id": TEXT_BLOCK_ID, "delta": delta});
            self.decoder.push_chunk(chunk, sink);
        }
    }
}

impl Read for TextReader {
    fn push(&mut self, bytes: &[u8], sink: &mut dyn Sink) {
        self.rest.extend_from_slice(bytes);
        let buffered_bytes = std::mem::take(&mut self.rest);
        let mut text = String::with_capacity(buffered_bytes.len());
        let mut remaining_bytes = buffered_bytes.as_slice();
        loop {
            match std::str::from_utf8(remaining_bytes) {
                Ok(valid_text) => {
                    text.push_str(valid_text);
                    break;
                }
                Err(error) => {
                    let (valid_bytes, invalid_bytes) =
                        remaining_bytes.split_at(error.valid_up_to());
                    text.push_str(&String::from_utf8_lossy(valid_bytes));
                    let Some(invalid_len) = error.error_len() else {
                        // The bytes of the incomplete last character are kept, because the next
                        // bytes may complete it.
                        self.rest = invalid_bytes.to_vec();
                        break;
                    };
                    text.push(char::REPLACEMENT_CHARACTER);
                    remaining_bytes = invalid_bytes.get(invalid_len..).unwrap_or_default();
                }
            }
        }
        self.push_text(&text, sink);
    }

    fn has_failed(&self) -> bool {
        false
    }

    fn finish(mut self: Box<Self>, sink: &mut dyn Sink) -> FinishedResponse {
        if !self.rest.is_empty() {
            self.push_text("\u{FFFD}", sink);
            let message = "The text ended in the middle of a character.";
            sink.diagnostic(Diagnostic::new("cut-text", message));
        }
        if self.began {
            let chunk = json!({"type": "text-end", "id": TEXT_BLOCK_ID});
            self.decoder.push_chunk(chunk, sink);
            for kind in ["finish-step", "finish"] {
                self.decoder.push_chunk(json!({"type": kind}), sink);
            }
        }
        FinishedResponse {
            end: self.decoder.finish(sink),
            error: None,
            mid_frame: false,
        }
    }
}
