//! The way of a response that is a stream of JSON frames: from its bytes to a [`Decode`].
//!
//! Framing is [`SseDecoder`]'s. What is no event stream at all is recognised by its first
//! character: a server may answer with a whole JSON document, or with a page.

use std::fmt;

use serde::de::IgnoredAny;
use serde_json::Value;

use super::{
    fault::ProtocolError,
    sse::SseDecoder,
    stream::{End, Ending, Read, Sink},
};
use crate::event::Diagnostic;

/// How much of a body that is no event stream is kept.
const BODY_LIMIT: usize = 10 * 1024 * 1024;

/// The meaning of frames in one protocol.
pub trait Decode {
    /// Reads the data of one frame.
    ///
    /// # Errors
    /// If the frame breaks the protocol, so that nothing after it can be read.
    fn frame(&mut self, data: &str, sink: &mut dyn Sink) -> Result<(), ProtocolError>;

    /// Reads a response that is one JSON document instead of a stream.
    ///
    /// # Errors
    /// If the protocol has no such response.
    fn document(&mut self, text: &str, sink: &mut dyn Sink) -> Result<(), ProtocolError> {
        let _ = sink;
        let message = error_text(text).unwrap_or_else(|| {
            "The server answered with a JSON document instead of an event stream.".to_owned()
        });
        Err(ProtocolError::new("not-a-stream", message))
    }

    /// Returns whether a last frame lacks nothing but its blank line.
    fn is_whole(&self, data: &str) -> bool {
        data.trim() == "[DONE]" || serde_json::from_str::<IgnoredAny>(data).is_ok()
    }

    /// Ends the response: gives what was held back, and says how it ended.
    fn finish(&mut self, sink: &mut dyn Sink) -> End;
}

/// The error that a document reports, if it does.
fn error_text(text: &str) -> Option<String> {
    let document: Value = serde_json::from_str(text).ok()?;
    let error = document.get("error").unwrap_or(&document);
    let message = error.get("message").unwrap_or(error);
    message.as_str().map(str::to_owned)
}

/// The kind of a response, by its first character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Unknown,
    Frames,
    Document,
}

/// Reads one response of any protocol whose frames are JSON.
#[derive(Clone)]
pub struct FrameReader<D> {
    sse: SseDecoder,
    pub(super) decoder: D,
    kind: Kind,
    body: Vec<u8>,
    error: Option<ProtocolError>,
}

// Not all that it holds: behind a `dyn Read` that would be linked with everything an event can be.
impl<D> fmt::Debug for FrameReader<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrameReader").finish_non_exhaustive()
    }
}

impl<D: Decode> FrameReader<D> {
    /// Returns a reader at the start of a response. Its frames are cut by `sse`, which may have a limit
    /// of its own.
    pub(super) fn with(sse: SseDecoder, decoder: D) -> Self {
        Self {
            sse,
            decoder,
            kind: Kind::Unknown,
            body: Vec::new(),
            error: None,
        }
    }

    /// Ends the response because of something that the caller found. An earlier failure stays.
    pub fn fail(&mut self, error: ProtocolError) {
        self.error.get_or_insert(error);
    }

    /// Returns whether reading on is of no use: the response broke the protocol or a limit.
    #[must_use]
    pub const fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    fn sniff(&mut self, bytes: &[u8]) {
        // A byte order mark may be cut, too.
        let is_blank = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, 0xEF | 0xBB | 0xBF);
        match bytes.iter().find(|byte| !is_blank(**byte)) {
            None => {}
            Some(b'{' | b'[') => self.kind = Kind::Document,
            Some(b'<') => self.fail(ProtocolError::new(
                "not-a-stream",
                "The server answered with a page (HTML) instead of an event stream.",
            )),
            Some(_) => self.kind = Kind::Frames,
        }
    }

    /// Reads the next bytes, cut anywhere. After a failure it does nothing.
    pub fn push(&mut self, bytes: &[u8], sink: &mut dyn Sink) {
        if self.error.is_some() {
            return;
        }
        if self.kind == Kind::Unknown {
            self.sniff(bytes);
            // Blanks wait until it is known what they belong to.
            self.body.extend_from_slice(bytes);
            if self.kind == Kind::Frames {
                let held = std::mem::take(&mut self.body);
                self.read_frames(&held, sink);
            }
            return self.check_body();
        }
        if self.kind == Kind::Document {
            self.body.extend_from_slice(bytes);
            return self.check_body();
        }
        self.read_frames(bytes, sink);
    }

    fn check_body(&mut self) {
        if self.body.len() > BODY_LIMIT {
            self.body.clear();
            self.fail(ProtocolError::new("limit", "The response is too large."));
        }
    }

    fn read_frames(&mut self, bytes: &[u8], sink: &mut dyn Sink) {
        let Self {
            sse,
            decoder,
            error,
            ..
        } = self;
        let framed = sse.read(bytes, &mut |frame| {
            if error.is_none() {
                *error = decoder.frame(&frame.data, sink).err();
            }
        });
        if let Err(error) = framed {
            self.fail(ProtocolError::new("limit", error.to_string()));
        }
    }

    /// Ends the response: reads a last frame that lacks nothing but its blank line, gives what was
    /// held back for frames that do not come, and says how it ended.
    pub fn finish(mut self, sink: &mut dyn Sink) -> Ending {
        let mut mid_frame = false;
        if self.kind == Kind::Document && self.error.is_none() {
            let text = String::from_utf8_lossy(&self.body).into_owned();
            let read = self
                .decoder
                .document(text.trim_start_matches('\u{feff}'), sink);
            self.error = read.err();
        } else if self.error.is_none() && self.sse.is_mid_frame() {
            let decoder = &mut self.decoder;
            let last = self.sse.finish();
            let last = last.filter(|frame| decoder.is_whole(&frame.data));
            mid_frame = last.is_none();
            match last {
                Some(frame) => self.error = decoder.frame(&frame.data, sink).err(),
                None => sink.diagnostic(Diagnostic::new(
                    "cut-frame",
                    "The response ended in the middle of a frame, which was dropped.",
                )),
            }
        }
        let end = self.decoder.finish(sink);
        Ending {
            end: match self.error {
                Some(_) => End::Failed,
                None => end,
            },
            error: self.error,
            mid_frame,
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

    fn finish(self: Box<Self>, sink: &mut dyn Sink) -> Ending {
        Self::finish(*self, sink)
    }
}
