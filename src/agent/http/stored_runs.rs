//! Resumes and stops runs that a server stores (rule "reattaching to a run"). A run is resumed
//! after a lost connection or a reload.

use std::{pin::pin, rc::Rc, time::Duration};

use assistant_core::{
    event::{Diagnostic, Event, EventKind, RunInput},
    session::{Failure, StreamEnd},
};
use assistant_protocols::stream::{Read, Sink};
use futures_util::future::{Either, select};
use web_sys::{AbortSignal, Response};

use super::{
    EVENT_STREAM,
    request::{AbortOnDrop, Endpoint, append_path, network_failure, request_failure},
    response,
    retries::retry,
};
use crate::{
    agent::EventSink,
    ui::{now, sleep},
};

/// The pause after each connection, which limits the rate of requests to a server that closes each
/// connection at once.
const PAUSE: Duration = Duration::from_millis(500);
/// The time limit of an attempt to end a run at the server.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum length of an event id that is sent to the server, in bytes. Longer ids are not sent.
const MAX_ID_BYTES: usize = 1_024;
/// The number of consecutive short connections without a new event after which a run counts as
/// lost.
const MAX_IDLE_CONNECTIONS: u32 = 2;
/// The minimum duration, in milliseconds, of a connection that does not count as short although it
/// brings no new event. Gateways close idle connections, while an agent may think for minutes.
const LONG_CONNECTION_MS: i64 = 10_000;

/// The address at which a server stores the events of runs.
#[derive(Debug, Clone)]
pub(super) struct StoredRuns {
    url: Rc<str>,
}

/// The response of a server to the request for the events of a run.
enum StoredEvents {
    More(Response),
    /// The server knows the run, but has no further event, or does not store its events any more.
    Over,
    /// The server does not know the run.
    Unknown,
}

impl StoredRuns {
    pub(super) fn new(url: &str) -> Self {
        Self { url: url.into() }
    }

    /// Returns the endpoint of a run, with the headers and credentials of the agent. Fails if the
    /// id of the thread or of the run cannot be part of an address.
    fn run_endpoint(&self, agent: &Endpoint, thread: &str, run: &str) -> Result<Endpoint, Failure> {
        // These ids are refused, because a browser resolves such path segments and would send the
        // request to a different address.
        if [thread, run]
            .iter()
            .any(|id| matches!(*id, "" | "." | ".."))
        {
            return Err(request_failure(
                "The id of the run cannot be part of an address.",
            ));
        }
        let [thread, run] = [thread, run].map(js_sys::encode_uri_component);
        let path = format!("/{}/{}", String::from(thread), String::from(run));
        Ok(agent.with_url(append_path(&self.url, &path)))
    }

    /// Requests the events of a run after the event with the id `after`, or all events if `after`
    /// is `None`.
    async fn request_events(
        &self,
        agent: &Endpoint,
        input: &RunInput,
        after: Option<String>,
        signal: &AbortSignal,
    ) -> Result<StoredEvents, Failure> {
        let mut endpoint = self.run_endpoint(agent, &input.thread_id, &input.run_id)?;
        // The header is omitted if the id is not a valid header value. The server then sends all
        // events again, and the reader skips those that it has already read.
        if let Some(id) = after.filter(|id| is_header_value(id)) {
            endpoint.add_header("Last-Event-ID".to_owned(), id);
        }
        retry(async || {
            let response = endpoint.send("", None, signal).await?;
            match response.status() {
                404 => return Ok(StoredEvents::Unknown),
                204 | 410 => return Ok(StoredEvents::Over),
                _ => {}
            }
            response::check_response(&response, Some(EVENT_STREAM)).await?;
            Ok(StoredEvents::More(response))
        })
        .await
    }

    /// Reads a run to its end, over as many connections as necessary. Stops earlier if
    /// [`MAX_IDLE_CONNECTIONS`] consecutive short connections bring no new event. `first` is the
    /// response to the request that started the run. If `first` is `None`, the run is read from its
    /// first event.
    pub(super) async fn read_run(
        &self,
        agent: &Endpoint,
        input: &RunInput,
        first: Option<Response>,
        mut reader: Box<dyn Read>,
        events: EventSink,
        signal: &AbortSignal,
    ) -> Result<StreamEnd, Failure> {
        let mut sink = CountingSink::new(events);
        let mut next_response = first;
        let mut idle_connections = 0;
        let mut is_new = true;
        loop {
            let stored_events = match next_response.take() {
                Some(response) => StoredEvents::More(response),
                None => {
                    let after = reader.reconnect();
                    self.request_events(agent, input, after, signal).await?
                }
            };
            let response = match stored_events {
                StoredEvents::More(response) => response,
                StoredEvents::Unknown if is_new => return Ok(StreamEnd::Nothing),
                // Nothing is left of a run that the page had begun to read.
                StoredEvents::Over if is_new && input.resumes => return Ok(StreamEnd::Nothing),
                StoredEvents::Over | StoredEvents::Unknown => return Ok(StreamEnd::Closed),
            };
            is_new = false;
            let (count_before, opened_at) = (sink.count, now());
            response::read_until_break(&response, &mut *reader, &mut sink).await;
            let was_long = now().saturating_sub(opened_at) >= LONG_CONNECTION_MS;
            // A long connection or a new event resets the count. Events that the reader holds back
            // do not count as new until a later event releases them.
            idle_connections = match was_long || sink.count > count_before {
                true => 0,
                false => idle_connections + 1,
            };
            if sink.is_over || reader.has_failed() {
                return Ok(response::finish_reader(reader, &mut sink.events));
            }
            // The reader is not finished here, because it would emit the events that it holds back,
            // and the session would resume the run after these events.
            if idle_connections >= MAX_IDLE_CONNECTIONS {
                return Ok(StreamEnd::Closed);
            }
            sleep(PAUSE).await;
        }
    }

    /// Ends a run at the server. The browser completes a request that was sent even if the page is
    /// closed.
    pub(super) async fn stop_run(&self, agent: &Endpoint, thread: &str, run: &str) {
        let Ok(endpoint) = self.run_endpoint(agent, thread, run) else {
            return;
        };
        // The last failure is not reported, because the run is already over for the page.
        let _ = retry(async || {
            let abort = AbortOnDrop::new()?;
            let signal = abort.signal();
            let request = pin!(endpoint.delete(&signal));
            let timeout = pin!(sleep(STOP_TIMEOUT));
            let Either::Left((response, _)) = select(request, timeout).await else {
                return Err(network_failure("The server did not respond in time."));
            };
            response::check_response(&response?, None).await
        })
        .await;
    }
}

/// Returns true if an event id can be sent to the server in a header.
fn is_header_value(id: &str) -> bool {
    let is_printable = id.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    is_printable && !id.is_empty() && id.trim() == id && id.len() <= MAX_ID_BYTES
}

/// A sink that forwards and counts events, and records whether the run is over.
struct CountingSink {
    events: EventSink,
    count: usize,
    is_over: bool,
}

impl CountingSink {
    const fn new(events: EventSink) -> Self {
        Self {
            events,
            count: 0,
            is_over: false,
        }
    }
}

impl Sink for CountingSink {
    fn event(&mut self, event: Event) {
        self.count += 1;
        match event.kind {
            EventKind::RunStarted { .. } => self.is_over = false,
            EventKind::RunFinished { .. } | EventKind::RunError { .. } => self.is_over = true,
            _ => {}
        }
        self.events.event(event);
    }

    fn diagnostic(&mut self, diagnostic: Diagnostic) {
        self.events.diagnostic(diagnostic);
    }
}
