//! Checks a response and reads it: an event stream to its end, an error body up to a limit. The
//! work is divided into slices, between which the page handles input and draws frames.

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

/// The maximum size of an error's body that is read, in bytes.
const MAX_BODY_BYTES: usize = 4 * 1024;
/// The maximum time for reading an error's body.
const BODY_TIMEOUT: Duration = Duration::from_secs(5);
/// The maximum number of characters of an error's body that are shown to the user.
const MAX_BODY_CHARS: usize = 300;
/// The number of bytes that are processed before the clock is read again.
const SLICE_BYTES: u32 = 8 * 1024;
/// The minimum pause after a piece of work that begins a new slice, in milliseconds: during such a
/// pause the page could handle input.
const IDLE_MS: f64 = 4.0;

/// Checks the status of a response and, if `wanted` is given, its media type. The failure contains
/// the start of the error's body, and the delay that the server asks for.
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
            Some(ms) => failure.retry_after_ms(ms),
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

/// Returns true if a `Content-Type` names a media type, regardless of its parameters.
fn is_media_type(kind: &str, wanted: &str) -> bool {
    let essence = kind.split([';', ',']).next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case(wanted)
}

/// Reads the stream to its end and emits each event as soon as it is complete. If the connection
/// breaks, the events so far count, and the session detects that the run has not ended.
pub(super) async fn read_stream(
    response: &Response,
    mut reader: Box<dyn Read>,
    mut events: EventSink,
) -> StreamEnd {
    read_until_break(response, &mut *reader, &mut events).await;
    finish_reader(reader, &mut events)
}

/// Reads a response until the connection ends or breaks, or until the reader fails.
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

/// Finishes the reader of a run's stream. Returns a failure if the stream could not be decoded,
/// otherwise [`StreamEnd::Closed`].
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

/// Returns the delay that a busy server (HTTP 429 or 503) asks for in `Retry-After`, in seconds or
/// as a date, in milliseconds; `None` for any other response, and for a delay that is invalid or
/// over. A server of another origin must list the header in `Access-Control-Expose-Headers`.
fn retry_after_ms(response: &Response) -> Option<u64> {
    if !matches!(response.status(), 429 | 503) {
        return None;
    }
    let value = header(response, "retry-after")?;
    let value = value.trim();
    let ms = if value.bytes().all(|byte| byte.is_ascii_digit()) {
        value.parse::<u64>().ok()?.saturating_mul(1_000)
    } else {
        // An invalid date is NaN, which becomes zero, as a date in the past does.
        (Date::parse(value) - Date::now()) as u64
    };
    (ms > 0).then_some(ms)
}

/// Reads the start of an error's body as text, up to the size and time limits; empty if there is no
/// body.
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
        // A chunk may be large, so only its first bytes are copied.
        bytes.extend(chunk.subarray(0, MAX_BODY_BYTES as u32).to_vec());
    }
    body.cancel();
    let text = String::from_utf8_lossy(&bytes);
    text.trim().chars().take(MAX_BODY_CHARS).collect()
}

/// The body of a response, read chunk by chunk.
struct ResponseBody(ReadableStreamDefaultReader);

impl ResponseBody {
    fn open(response: &Response) -> Option<Self> {
        let reader = response.body()?.get_reader();
        reader.dyn_into().ok().map(Self)
    }

    /// Returns the next chunk; `None` at the end, or if the connection breaks.
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
        // Nothing depends on the result, but an unhandled rejection would be reported to the
        // console.
        spawn_local(async move {
            let _ = JsFuture::from(cancellation).await;
        });
    }
}

/// A measurement of the time spent on work since the page could last handle input.
#[derive(Debug, Default)]
struct WorkSlices {
    worked: f64,
    ended: f64,
}

impl WorkSlices {
    /// Does a piece of work, and waits for the next frame if the slice is used up.
    async fn run_piece(&mut self, piece: impl FnOnce()) {
        let started_at = Date::now();
        // A clock that was set back begins a new slice as well.
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
