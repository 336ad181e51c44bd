//! An incremental decoder for server-sent events. It decodes bytes, which may be split at any
//! position, into [`Frame`]s.
//!
//! The decoder follows the WHATWG stream format: LF, CRLF and CR end a line, a byte order mark at
//! the start is dropped, comments and unknown fields are ignored, several `data` lines are joined
//! with LF, and invalid UTF-8 becomes U+FFFD. There are two differences: a last frame without its
//! blank line is returned by [`SseDecoder::finish`], and `id` applies only to the frame that
//! contains it.
//!
//! The decoder does not interpret `data`, never reconnects (`retry` is ignored), and buffers no
//! more than its limit.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

/// The default size limit of an unfinished frame, in bytes.
const DEFAULT_LIMIT: usize = 10 * 1024 * 1024;

/// The largest capacity, in bytes, of a buffer that is reused for the next frame. Larger buffers
/// are freed.
const REUSED_CAPACITY: usize = 64 * 1024;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// A server-sent event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Frame {
    /// The value of the last `event` field, if the frame has one.
    pub event: Option<String>,
    /// The `data` lines, joined with LF.
    pub data: String,
    /// The value of the `id` field, if the frame has one.
    pub id: Option<String>,
}

/// The error for a frame that is larger than the limit. The decoder cannot read any later frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SseError {
    /// The limit in bytes.
    pub limit: usize,
}

impl fmt::Display for SseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a server-sent event is larger than {} bytes", self.limit)
    }
}

impl Error for SseError {}

/// An incremental decoder for the server-sent events of one response.
///
/// ```
/// use assistant_protocols::sse::SseDecoder;
///
/// let mut decoder = SseDecoder::new();
/// let mut frames = Vec::new();
/// decoder.push(b"data: {\"type\":", &mut frames)?;
/// decoder.push(b"\"RUN_STARTED\"}\r\n\r\n", &mut frames)?;
/// assert_eq!(frames[0].data, r#"{"type":"RUN_STARTED"}"#);
/// # Ok::<(), assistant_protocols::sse::SseError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SseDecoder {
    limit: usize,
    /// The incomplete line.
    line: Vec<u8>,
    frame: Frame,
    has_data: bool,
    /// True if the last byte was a CR. An LF that follows the CR does not end another line.
    after_cr: bool,
    first_line: bool,
    failed: bool,
}

impl Default for SseDecoder {
    fn default() -> Self {
        Self::with_limit(DEFAULT_LIMIT)
    }
}

impl SseDecoder {
    /// Creates a decoder with the default size limit of 10 MiB for a frame.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a decoder with a size limit for a frame, in bytes.
    #[must_use]
    pub fn with_limit(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            frame: Frame::default(),
            has_data: false,
            after_cr: false,
            first_line: true,
            failed: false,
        }
    }

    /// Decodes the next bytes and appends the completed frames to `frames`.
    ///
    /// # Errors
    ///
    /// Fails if a frame is larger than the limit. The frames before this frame are in `frames`.
    /// Every later call also fails.
    pub fn push(&mut self, bytes: &[u8], frames: &mut Vec<Frame>) -> Result<(), SseError> {
        self.read(bytes, &mut |frame| frames.push(std::mem::take(frame)))
    }

    /// Decodes the next bytes like [`Self::push`], but passes each completed frame to a callback.
    /// Memory that the callback leaves in the frame is reused for the next frame, which avoids an
    /// allocation for each frame.
    ///
    /// # Errors
    ///
    /// Fails like [`Self::push`].
    pub fn read(&mut self, bytes: &[u8], each: &mut dyn FnMut(&mut Frame)) -> Result<(), SseError> {
        let mut rest = bytes;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(index) = find_line_break(rest) {
            let (line, remainder) = rest.split_at(index);
            self.end_line(line, each)?;
            rest = match remainder {
                [b'\r', b'\n', next_lines @ ..] => next_lines,
                [b'\r'] => {
                    self.after_cr = true;
                    &[]
                }
                [_, next_lines @ ..] => next_lines,
                [] => &[],
            };
        }
        self.check_limit(rest.len())?;
        self.line.extend_from_slice(rest);
        Ok(())
    }

    /// Returns true if a frame has begun and its final blank line is missing. A comment does not
    /// begin a frame.
    #[must_use]
    pub fn is_mid_frame(&self) -> bool {
        let frame = &self.frame;
        let has_fields = self.has_data || frame.event.is_some() || frame.id.is_some();
        has_fields || self.line.first().is_some_and(|&byte| byte != b':')
    }

    /// Ends the stream and returns the last frame if its blank line is missing. Returns `None` if
    /// that frame has no data or the decoder has failed.
    pub fn finish(&mut self) -> Option<Frame> {
        if self.failed {
            return None;
        }
        let line = std::mem::take(&mut self.line);
        self.parse_field(&line);
        let frame = std::mem::take(&mut self.frame);
        std::mem::take(&mut self.has_data).then_some(frame)
    }

    fn end_line(&mut self, tail: &[u8], each: &mut dyn FnMut(&mut Frame)) -> Result<(), SseError> {
        self.check_limit(tail.len())?;
        if self.line.is_empty() {
            return self.handle_line(tail, each);
        }
        let mut line = std::mem::take(&mut self.line);
        line.extend_from_slice(tail);
        self.handle_line(&line, each)?;
        // The buffer is emptied and kept, so that the next line that is split across reads can
        // reuse it.
        line.clear();
        self.line = line;
        Ok(())
    }

    fn handle_line(
        &mut self,
        line: &[u8],
        each: &mut dyn FnMut(&mut Frame),
    ) -> Result<(), SseError> {
        let is_bom = self.first_line && line == BOM;
        if line.is_empty() || is_bom {
            self.first_line = false;
            self.end_frame(each);
        } else {
            self.parse_field(line);
        }
        self.check_limit(0)
    }

    fn parse_field(&mut self, line: &[u8]) {
        let line = match line.strip_prefix(BOM) {
            Some(after) if self.first_line => after,
            _ => line,
        };
        self.first_line = false;
        let mut parts = line.splitn(2, |&byte| byte == b':');
        let name = parts.next().unwrap_or_default();
        let value = parts.next().unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        // `from_utf8` is tried first, because most values are valid UTF-8, which it checks faster
        // than `from_utf8_lossy`.
        let value = std::str::from_utf8(value)
            .map_or_else(|_| String::from_utf8_lossy(value), Cow::Borrowed);
        match name {
            b"data" => {
                if self.has_data {
                    self.frame.data.push('\n');
                }
                self.has_data = true;
                self.frame.data.push_str(&value);
            }
            b"event" => self.frame.event = Some(value.into_owned()),
            b"id" if !value.contains('\0') => self.frame.id = Some(value.into_owned()),
            _ => {}
        }
    }

    /// Passes the frame to the callback. Drops the frame if it has no data.
    fn end_frame(&mut self, each: &mut dyn FnMut(&mut Frame)) {
        if std::mem::take(&mut self.has_data) {
            each(&mut self.frame);
        }
        let mut data = std::mem::take(&mut self.frame).data;
        if data.capacity() <= REUSED_CAPACITY {
            data.clear();
            self.frame.data = data;
        }
    }

    /// Fails if the frame, its unfinished line and `added_len` further bytes are together larger
    /// than the limit, or if an earlier check failed.
    fn check_limit(&mut self, added_len: usize) -> Result<(), SseError> {
        let frame = &self.frame;
        let fields = [Some(&frame.data), frame.event.as_ref(), frame.id.as_ref()];
        let stored_len: usize = fields.iter().flatten().map(|field| field.len()).sum();
        self.failed |= stored_len + self.line.len() + added_len > self.limit;
        if self.failed {
            Err(SseError { limit: self.limit })
        } else {
            Ok(())
        }
    }
}

/// Returns the position of the first line break, if any.
fn find_line_break(bytes: &[u8]) -> Option<usize> {
    memchr::memchr2(b'\n', b'\r', bytes)
}
