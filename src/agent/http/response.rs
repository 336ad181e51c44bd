//! Checks and reads responses. An event stream is read to its end, and the body of an error up to a
//! limit. The work is divided into slices, between which the page can handle input and draw frames.

use std::{pin::pin, time::Duration};

use assistant_core::session::{Failure, FailureKind, StreamEnd};
use assistant_protocols::stream::{Read, Sink};
use futures_util::future::{Either, select};
use js_sys::{Date, Promise, Uint8Array};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{ReadableStreamDefaultReader, ReadableStreamReadResult, Response};

use super::request::wait_for_page_unload;
use crate::{
    agent::EventSink,
    ui::{SLICE_MS, next_frame, sleep},
};

/// The maximum number of bytes that are read from the body of an error.
const MAX_BODY_BYTES: usize = 4 * 1024;
/// The maximum time for reading the body of an error.
const BODY_TIMEOUT: Duration = Duration::from_secs(5);
/// The maximum number of characters from the body of an error that are shown to the user.
const MAX_BODY_CHARS: usize = 300;
/// The number of bytes that are processed before the clock is read again.
const SLICE_BYTES: u32 = 8 * 1024;
/// The shortest pause between two pieces of work, in milliseconds, that begins a new slice. During
/// such a pause, the page could handle input.
const IDLE_MS: f64 = 4.0;

/// Checks the status of a response and, if `wanted` is `Some`, its media type. If the status is an
/// error, the failure contains the beginning of the body and the delay that the server asks for.
pub(super) async fn check_response(
    response: &Response,
    wanted: Option<&'static str>,
) -> Result<(), Failure> {
    let status = response.status();
    if !response.ok() {
        let wait = retry_after_ms(response);
        let message = match read_error_text(response).await.as_str() {
            "" => format!("The agent answered with HTTP {status}."),
            body => format!("The agent answered with HTTP {status}: {body}"),
        };
        let failure = Failure::new(FailureKind::Http { status }, message);
        return Err(match wait {
            Some(ms) => failure.with_retry_after_ms(ms),
            None => failure,
        });
    }
    let media_type = header(response, "content-type").unwrap_or_default();
    if !wanted.is_none_or(|wanted| is_media_type(&media_type, wanted)) {
        let message = match media_type.as_str() {
            "" => "The agent sent no event stream.".to_owned(),
            media_type => format!("The agent sent {media_type} instead of an event stream."),
        };
        return Err(Failure::new(FailureKind::NotAStream, message));
    }
    Ok(())
}

/// Returns true if a `Content-Type` header has the wanted media type. Parameters are ignored.
fn is_media_type(kind: &str, wanted: &str) -> bool {
    let essence = kind.split([';', ',']).next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case(wanted)
}

/// Reads the stream to its end and emits each event as soon as the event is complete. If the
/// connection breaks, the events that were received remain valid, and the session detects that the
/// run has not ended.
pub(super) async fn read_stream(
    response: &Response,
    mut reader: Box<dyn Read>,
    mut events: EventSink,
) -> StreamEnd {
    read_until_break(response, &mut *reader, &mut events).await;
    finish_reader(reader, &mut events)
}

/// Reads a response until the connection ends or breaks, or until the reader has failed.
pub(super) async fn read_until_break(
    response: &Response,
    reader: &mut dyn Read,
    sink: &mut dyn Sink,
) {
    if let Some(body) = ResponseBody::open(response) {
        let mut slices = WorkSlices::default();
        while let Some(chunk) = body.next().await {
            let mut start = 0;
            while start < chunk.length() && !reader.has_failed() {
                let end = start.saturating_add(SLICE_BYTES).min(chunk.length());
                let piece = chunk.subarray(start, end).to_vec();
                slices.run_piece(|| reader.push(&piece, sink)).await;
                start = end;
            }
            if reader.has_failed() {
                body.cancel();
                break;
            }
        }
    }
}

/// Finishes the reader of a run's stream. Returns a failure if the stream could not be decoded, and
/// [`StreamEnd::Closed`] if it could.
pub(super) fn finish_reader(reader: Box<dyn Read>, events: &mut EventSink) -> StreamEnd {
    let limits = *events.limits();
    match reader.finish(events).error {
        Some(error) => StreamEnd::Failed(Failure::of_decoder(&error, &limits)),
        None => StreamEnd::Closed,
    }
}

fn header(response: &Response, name: &str) -> Option<String> {
    response.headers().get(name).ok().flatten()
}

/// Returns the delay in milliseconds that a busy server (HTTP 429 or 503) asks for in the
/// `Retry-After` header, which contains seconds or a date. Returns `None` for any other response,
/// and if the delay is invalid or over. A server of a different origin must list the header in
/// `Access-Control-Expose-Headers`.
fn retry_after_ms(response: &Response) -> Option<u64> {
    if !matches!(response.status(), 429 | 503) {
        return None;
    }
    let value = header(response, "retry-after")?;
    let value = value.trim();
    let ms = if value.bytes().all(|byte| byte.is_ascii_digit()) {
        value.parse::<u64>().ok()?.saturating_mul(1_000)
    } else {
        // The cast converts NaN, the result for an invalid date, and a negative number, the result
        // for a date in the past, to zero.
        (Date::parse(value) - Date::now()) as u64
    };
    (ms > 0).then_some(ms)
}

/// Reads the beginning of an error's body as text, up to the size and time limits. Returns an empty
/// text if there is no body.
async fn read_error_text(response: &Response) -> String {
    let Some(body) = ResponseBody::open(response) else {
        return String::new();
    };
    let mut bytes = Vec::new();
    let mut timeout = pin!(sleep(BODY_TIMEOUT));
    while bytes.len() < MAX_BODY_BYTES {
        let Either::Left((Some(chunk), _)) = select(pin!(body.next()), &mut timeout).await else {
            break;
        };
        // Only the first bytes of the chunk are copied, because a chunk may be large.
        bytes.extend(chunk.subarray(0, MAX_BODY_BYTES as u32).to_vec());
    }
    body.cancel();
    let text = String::from_utf8_lossy(&bytes);
    text.trim().chars().take(MAX_BODY_CHARS).collect()
}

/// The body of a response, which is read in chunks.
struct ResponseBody(ReadableStreamDefaultReader);

impl ResponseBody {
    fn open(response: &Response) -> Option<Self> {
        let reader = response.body()?.get_reader();
        reader.dyn_into().ok().map(Self)
    }

    /// Returns the next chunk of the body. Returns `None` at the end of the body, or if the
    /// connection breaks.
    async fn next(&self) -> Option<Uint8Array> {
        let Ok(result) = JsFuture::from(self.0.read()).await else {
            wait_for_page_unload().await;
            return None;
        };
        let result: ReadableStreamReadResult = result.unchecked_into();
        result.get_value().dyn_into().ok()
    }

    /// Cancels the rest of the body.
    fn cancel(&self) {
        let cancellation: Promise = self.0.cancel();
        // The promise is awaited although its result is not used, because an unhandled rejection
        // would be reported to the console.
        spawn_local(async move {
            let _ = JsFuture::from(cancellation).await;
        });
    }
}

/// A measurement of the time that was spent on work since the page last could handle input.
#[derive(Debug, Default)]
struct WorkSlices {
    worked: f64,
    ended: f64,
}

impl WorkSlices {
    /// Does a piece of work, and then waits for the next frame if the time of the slice is used up.
    async fn run_piece(&mut self, piece: impl FnOnce()) {
        let started_at = Date::now();
        // If the pause since the last piece was long enough, or if the clock was set back, a new
        // slice begins.
        if !(0.0..=IDLE_MS).contains(&(started_at - self.ended)) {
            self.worked = 0.0;
        }
        piece();
        self.ended = Date::now();
        self.worked += (self.ended - started_at).max(0.0);
        if self.worked >= SLICE_MS {
            next_frame().await;
            self.worked = 0.0;
            self.ended = Date::now();
        }
    }
}
