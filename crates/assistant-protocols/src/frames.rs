//! Reads a response that consists of JSON frames or of one JSON document, and passes its content to
//! a [`Decode`].
//!
//! [`SseDecoder`] decodes the framing. A JSON document or a web page that a server sends instead of
//! an event stream is recognized by the first character of the response.

use std::fmt;

use serde::de::IgnoredAny;
use serde_json::Value;

use super::{
    cursor::Cursor,
    sse::SseDecoder,
    stream::{End, FinishedResponse, Read, Sink},
};
use assistant_core::{
    event::{Diagnostic, fault::ProtocolError},
    limits::Limits,
};

/// A decoder for the frames of one protocol.
pub trait Decode {
    /// Reads the data of one frame.
    ///
    /// # Errors
    ///
    /// Fails if the frame violates the protocol. No later frame can then be read.
    fn frame(&mut self, data: &str, sink: &mut dyn Sink) -> Result<(), ProtocolError>;

    /// Reads a response that is a JSON document instead of a stream. The default implementation
    /// fails with the error message in the document, or with a general message if the document
    /// contains none.
    ///
    /// # Errors
    ///
    /// Fails if the protocol does not permit a JSON document as a response, or if the document is
    /// not a valid response.
    fn document(&mut self, text: &str, sink: &mut dyn Sink) -> Result<(), ProtocolError> {
        let _ = sink;
        let message = parse_error_message(text).unwrap_or_else(|| {
            "The server answered with a JSON document instead of an event stream.".to_owned()
        });
        Err(ProtocolError::new("not-a-stream", message))
    }

    /// Returns true if the data of the last frame is complete, although the blank line after the
    /// frame is missing. The default implementation accepts `[DONE]` and valid JSON.
    fn is_whole(&self, data: &str) -> bool {
        data.trim() == "[DONE]" || serde_json::from_str::<IgnoredAny>(data).is_ok()
    }

    /// Ends the response, releases buffered data, and returns the outcome.
    fn finish(&mut self, sink: &mut dyn Sink) -> End;
}

/// Returns the error message in a JSON document. The message is the first value that is present:
/// `error.message`, `error`, `message` or the document itself. Returns `None` if this value is not
/// a string, or if the text is not JSON.
fn parse_error_message(text: &str) -> Option<String> {
    let document: Value = serde_json::from_str(text).ok()?;
    let error = document.get("error").unwrap_or(&document);
    let message = error.get("message").unwrap_or(error);
    message.as_str().map(str::to_owned)
}

/// The kind of a response. It is determined by the first character that is neither whitespace nor
/// the byte order mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ResponseKind {
    Unknown,
    Frames,
    Document,
}

/// A reader for one response of any protocol with JSON frames.
#[derive(Clone)]
pub struct FrameReader<D> {
    sse: SseDecoder,
    pub(super) decoder: D,
    kind: ResponseKind,
    body: Vec<u8>,
    error: Option<ProtocolError>,
    limits: Limits,
    /// The number of bytes of the response that were read, including those of SSE comments.
    read: usize,
    cursor: Cursor,
}

// The fields are omitted, because every `dyn Read` would otherwise link the `Debug` code of all
// events.
impl<D> fmt::Debug for FrameReader<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrameReader").finish_non_exhaustive()
    }
}

impl<D: Decode> FrameReader<D> {
    /// Creates a reader at the start of a response.
    pub(super) fn with_decoder(decoder: D) -> Self {
        Self {
            sse: SseDecoder::new(),
            decoder,
            kind: ResponseKind::Unknown,
            body: Vec::new(),
            error: None,
            limits: Limits::default(),
            read: 0,
            cursor: Cursor::default(),
        }
    }

    /// Sets the size limits of an event and of the whole response. Must be called before the first
    /// byte is read.
    #[must_use]
    pub fn with_limits(mut self, limits: &Limits) -> Self {
        self.sse = SseDecoder::with_limit(limits.event_bytes());
        self.limits = *limits;
        self
    }

    /// Ends the response with an error that the caller reports. If the response has already failed,
    /// the earlier error is kept.
    pub fn fail(&mut self, error: ProtocolError) {
        self.error.get_or_insert(error);
    }

    /// Returns true if the response violated the protocol or a limit, or if the caller reported an
    /// error. Further bytes are then ignored.
    #[must_use]
    pub const fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    fn detect_response_kind(&mut self, bytes: &[u8]) {
        // The bytes of a byte order mark are checked one by one, because they may arrive
        // separately.
        let is_blank = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, 0xEF | 0xBB | 0xBF);
        match bytes.iter().find(|byte| !is_blank(**byte)) {
            None => {}
            Some(b'{' | b'[') => self.kind = ResponseKind::Document,
            Some(b'<') => self.fail(ProtocolError::new(
                "not-a-stream",
                "The server answered with a page (HTML) instead of an event stream.",
            )),
            Some(_) => self.kind = ResponseKind::Frames,
        }
    }

    /// Reads the next bytes, which may be split at any position. Fails the response if it exceeds a
    /// size limit. Does nothing after a failure.
    pub fn push(&mut self, bytes: &[u8], sink: &mut dyn Sink) {
        if self.error.is_some() {
            return;
        }
        let remaining_len = self.limits.run_bytes().saturating_sub(self.read);
        let accepted_bytes = bytes.get(..remaining_len).unwrap_or(bytes);
        self.read += accepted_bytes.len();
        if self.kind == ResponseKind::Unknown {
            self.detect_response_kind(accepted_bytes);
            // The bytes are buffered, because leading whitespace does not determine the kind of the
            // response.
            self.body.extend_from_slice(accepted_bytes);
            if self.kind == ResponseKind::Frames {
                let buffered_bytes = std::mem::take(&mut self.body);
                self.read_frames(&buffered_bytes, sink);
            }
        } else if self.kind == ResponseKind::Frames {
            self.read_frames(accepted_bytes, sink);
        } else {
            self.body.extend_from_slice(accepted_bytes);
        }
        self.check_body_size();
        if accepted_bytes.len() < bytes.len() {
            let limit = self.limits.run_bytes();
            let message = format!("The response is larger than {limit} bytes.");
            self.fail(ProtocolError::new("limit", message));
        }
    }

    fn check_body_size(&mut self) {
        if self.body.len() > self.limits.event_bytes() {
            self.body.clear();
            self.fail(ProtocolError::new(
                "event-limit",
                "The response is too large.",
            ));
        }
    }

    fn read_frames(&mut self, bytes: &[u8], sink: &mut dyn Sink) {
        let Self {
            sse,
            decoder,
            error,
            cursor,
            ..
        } = self;
        let result = sse.read(bytes, &mut |frame| {
            if error.is_none() && cursor.advance(frame.id.take()) {
                *error = decoder.frame(&frame.data, sink).err();
            }
        });
        if let Err(error) = result {
            self.fail(ProtocolError::new("event-limit", error.to_string()));
        }
    }

    /// Ends the response. Reads the JSON document, or a last frame whose data is complete although
    /// no blank line follows, releases buffered data, and returns the outcome.
    pub fn finish(mut self, sink: &mut dyn Sink) -> FinishedResponse {
        let mut is_mid_frame = false;
        if self.kind == ResponseKind::Document && self.error.is_none() {
            let text = String::from_utf8_lossy(&self.body).into_owned();
            let result = self
                .decoder
                .document(text.trim_start_matches('\u{feff}'), sink);
            self.error = result.err();
        } else if self.error.is_none() && self.sse.is_mid_frame() {
            let decoder = &mut self.decoder;
            let last_frame = self.sse.finish();
            let last_frame = last_frame.filter(|frame| decoder.is_whole(&frame.data));
            is_mid_frame = last_frame.is_none();
            match last_frame {
                Some(frame) => self.error = decoder.frame(&frame.data, sink).err(),
                None => sink.diagnostic(Diagnostic::new(
                    "cut-frame",
                    "The response ended in the middle of a frame, which was dropped.",
                )),
            }
        }
        let end = self.decoder.finish(sink);
        FinishedResponse {
            end: match self.error {
                Some(_) => End::Failed,
                None => end,
            },
            error: self.error,
            mid_frame: is_mid_frame,
        }
    }
}

impl<D: Decode> Read for FrameReader<D> {
    fn push(&mut self, bytes: &[u8], sink: &mut dyn Sink) {
        Self::push(self, bytes, sink);
    }

    fn has_failed(&self) -> bool {
        Self::has_failed(self)
    }

    fn reconnect(&mut self) -> Option<String> {
        self.sse = SseDecoder::with_limit(self.limits.event_bytes());
        self.body.clear();
        // The limit applies to each response. A server may repeat events that were read before.
        self.read = 0;
        self.cursor.reconnect()
    }

    fn finish(self: Box<Self>, sink: &mut dyn Sink) -> FinishedResponse {
        Self::finish(*self, sink)
    }
}
