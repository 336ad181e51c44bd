//! The way of a response that is a stream of JSON frames: from its bytes to a [`Decode`].
//!
//! Framing is [`SseDecoder`]'s. What is no event stream at all is recognised by its first
//! character: a server may answer with a whole JSON document, or with a page.

use super::{
    fault::ProtocolError,
    sse::SseDecoder,
    stream::{End, Ending, Read, Sink},
};
use crate::event::Diagnostic;

/// How much of a body that is no event stream is kept.
const BODY_LIMIT: usize = 10 * 1024 * 1024;

/// What frames mean in one protocol.
pub(crate) trait Decode {
    /// Reads the data of one frame.
    fn frame(&mut self, data: &str, sink: &mut dyn Sink);

    /// Reads a response that is one JSON document instead of a stream.
    ///
    /// # Errors
    /// If the protocol has no such response.
    fn document(&mut self, text: &str, sink: &mut dyn Sink) -> Result<(), ProtocolError>;

    /// Ends the response.
    fn finish(&mut self, sink: &mut dyn Sink) -> End;
}

/// What kind of response this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Unknown,
    Frames,
    Document,
}

/// Reads one response.
#[derive(Debug, Clone)]
pub(crate) struct FrameReader<D> {
    sse: SseDecoder,
    pub(crate) decoder: D,
    kind: Kind,
    body: Vec<u8>,
    error: Option<ProtocolError>,
}

impl<D: Decode> FrameReader<D> {
    pub(crate) fn new(decoder: D) -> Self {
        Self {
            sse: SseDecoder::new(),
            decoder,
            kind: Kind::Unknown,
            body: Vec::new(),
            error: None,
        }
    }

    fn fail(&mut self, code: &'static str, message: impl Into<String>) {
        self.error
            .get_or_insert_with(|| ProtocolError::new(code, message));
    }

    fn sniff(&mut self, bytes: &[u8]) {
        // A byte order mark may be cut, too.
        let is_blank = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, 0xEF | 0xBB | 0xBF);
        match bytes.iter().find(|byte| !is_blank(**byte)) {
            None => {}
            Some(b'{' | b'[') => self.kind = Kind::Document,
            Some(b'<') => self.fail(
                "not-a-stream",
                "The server answered with a page (HTML) instead of an event stream.",
            ),
            Some(_) => self.kind = Kind::Frames,
        }
    }

    pub(crate) fn push(&mut self, bytes: &[u8], sink: &mut dyn Sink) {
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
            self.fail("limit", "The response is too large.");
        }
    }

    fn read_frames(&mut self, bytes: &[u8], sink: &mut dyn Sink) {
        let Self { sse, decoder, .. } = self;
        let framed = sse.read(bytes, &mut |frame| decoder.frame(&frame.data, sink));
        if let Err(error) = framed {
            self.fail("limit", error.to_string());
        }
    }

    pub(crate) fn finish(mut self, sink: &mut dyn Sink) -> Ending {
        let mut mid_frame = false;
        if self.kind == Kind::Document && self.error.is_none() {
            let text = String::from_utf8_lossy(&self.body).into_owned();
            let read = self
                .decoder
                .document(text.trim_start_matches('\u{feff}'), sink);
            self.error = read.err();
        } else if self.error.is_none() && self.sse.is_mid_frame() {
            // Nothing but its blank line may be missing; what is cut is no JSON.
            let last = self.sse.finish().filter(|frame| is_whole(&frame.data));
            mid_frame = last.is_none();
            match last {
                Some(frame) => self.decoder.frame(&frame.data, sink),
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

fn is_whole(data: &str) -> bool {
    data.trim() == "[DONE]" || serde_json::from_str::<serde::de::IgnoredAny>(data).is_ok()
}

impl<D: Decode + std::fmt::Debug> Read for FrameReader<D> {
    fn push(&mut self, bytes: &[u8], sink: &mut dyn Sink) {
        Self::push(self, bytes, sink);
    }

    fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    fn finish(self: Box<Self>, sink: &mut dyn Sink) -> Ending {
        Self::finish(*self, sink)
    }
}
