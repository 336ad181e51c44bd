//! Runs one request of a page: sends it to the agent, and stores the events of the response.

use std::sync::Arc;

use assistant_protocols::sse::SseDecoder;
use axum::{
    body::Bytes,
    http::{HeaderMap, StatusCode},
};
use reqwest::Response;
use serde::Deserialize;
use tokio::{
    select,
    sync::{oneshot, watch},
    time,
};

use crate::{
    agent::Refusal,
    changes::Change,
    relay::{NOT_STORED, Relay, log_failure},
    store::{RunKey, RunState},
};

/// The error message for a run whose id exists.
pub(crate) const EXISTS: &str = "There is a run with this id.";

/// The error message for a run that cannot be stored at present.
const UNREACHABLE: &str = "The relay cannot reach its store.";

/// The minimum size that an event counts as, in bytes, because each stored event has an overhead.
const MIN_STORED: usize = 100;

/// Starts a reserved run in a task that outlives the page's request. Returns once the agent has
/// accepted or refused the run, or the run was stopped.
pub(crate) async fn start(
    relay: &Arc<Relay>,
    key: &RunKey,
    owner: String,
    headers: HeaderMap,
    body: Bytes,
) -> Result<(), Refusal> {
    let (sender, receiver) = oneshot::channel();
    let (relay, key) = (Arc::clone(relay), key.clone());
    tokio::spawn(async move {
        // Watched first, because the run can be stopped as soon as it is created.
        let changes = relay.watch(&key);
        match create_run(&relay, &key, owner).await {
            Ok(()) => {
                select! {
                    () = forward_run(&relay, &key, headers, body, sender) => {}
                    () = wait_until_closed(&relay, &key, changes) => relay.release(&key),
                }
            }
            Err(refusal) => {
                relay.release(&key);
                let _ = sender.send(Err(refusal));
            }
        }
    });
    receiver.await.unwrap_or(Ok(()))
}

/// Waits until a run is closed, possibly by another relay. Reads the state of the run when changes
/// may have been missed.
async fn wait_until_closed(relay: &Relay, key: &RunKey, mut changes: watch::Receiver<Change>) {
    let mut gaps = 0;
    loop {
        let changed = changes.wait_for(|change| change.is_closed || change.gaps != gaps);
        let Ok(change) = changed.await.map(|change| *change) else {
            return;
        };
        gaps = change.gaps;
        if change.is_closed {
            return;
        }
        let run = {
            let key = key.clone();
            relay.with_reachable_store(move |store| store.run(&key))
        };
        match run.await {
            Ok(Some(run)) if run.state == RunState::Closed => return,
            // A run that does not exist was refused, which is answered elsewhere.
            Ok(_) => {}
            // If the run was closed, the agent's next event is refused, which ends the run.
            Err(error) => log_failure(Err(error)),
        }
    }
}

async fn create_run(relay: &Relay, key: &RunKey, owner: String) -> Result<(), Refusal> {
    let key = key.clone();
    let created = relay.with_store(move |store| store.create(&key, &owner));
    match created.await {
        Ok(true) => Ok(()),
        Ok(false) => Err(Refusal::new(StatusCode::CONFLICT, EXISTS)),
        Err(error) => {
            let (status, message) = match error.is_temporary() {
                true => (StatusCode::SERVICE_UNAVAILABLE, UNREACHABLE),
                false => (StatusCode::INSUFFICIENT_STORAGE, NOT_STORED),
            };
            log_failure(Err(error));
            Err(Refusal::new(status, message))
        }
    }
}

/// Sends the request to the agent, and stores the events of the response until the run ends. Sends
/// the agent's refusal, or its acceptance, to `started`. A run that the agent refuses is removed,
/// and a run that takes too long ends with an error.
async fn forward_run(
    relay: &Relay,
    key: &RunKey,
    headers: HeaderMap,
    body: Bytes,
    started: oneshot::Sender<Result<(), Refusal>>,
) {
    let request = relay.agent.start_run(&headers, body);
    let answer = time::timeout(relay.limits.answer_time, request).await;
    match answer.unwrap_or_else(|_| Err(timeout_refusal())) {
        Ok(response) => {
            let _ = started.send(Ok(()));
            let read = time::timeout(relay.limits.run_time, store_events(relay, key, response));
            let message = read.await.unwrap_or("The run took too long.");
            relay.end(key, message).await;
        }
        Err(refusal) => {
            relay.remove(key).await;
            let _ = started.send(Err(refusal));
        }
    }
}

fn timeout_refusal() -> Refusal {
    Refusal::new(StatusCode::GATEWAY_TIMEOUT, "The agent does not answer.")
}

/// Stores the events of a response until its end, until a limit is exceeded, or until an event
/// cannot be stored. Returns the error message with which the run ends if its last event is not an
/// end.
async fn store_events(relay: &Relay, key: &RunKey, mut response: Response) -> &'static str {
    const EARLY: &str = "The agent ended its response early.";
    let mut decoder = SseDecoder::with_limit(relay.limits.event);
    let (mut position, mut stored) = (0, 0);
    let mut frames = Vec::new();
    loop {
        // A connection that breaks off is the end of the response, too.
        let bytes = response.chunk().await.ok().flatten();
        let decoded = match &bytes {
            Some(bytes) => decoder.push(bytes, &mut frames),
            None => {
                let last = decoder.finish();
                frames.extend(last.filter(|frame| event_type(&frame.data).is_some()));
                Ok(())
            }
        };
        for frame in frames.drain(..) {
            stored += frame.data.len().max(MIN_STORED);
            if stored > relay.limits.run {
                return "The response of the agent is too large.";
            }
            let is_end = is_end(&frame.data);
            if !relay.append(key, position, frame.data, is_end).await {
                // A run that was stopped keeps its own end.
                return NOT_STORED;
            }
            position += 1;
        }
        if decoded.is_err() {
            return "An event of the agent is too large.";
        }
        if bytes.is_none() {
            return EARLY;
        }
    }
}

fn is_end(event: &str) -> bool {
    matches!(
        event_type(event).as_deref(),
        Some("RUN_FINISHED" | "RUN_ERROR")
    )
}

/// Returns the type of an event; `None` if the event is not a JSON object with a type.
fn event_type(event: &str) -> Option<String> {
    /// The field of an event that is parsed. The other fields are skipped, because parsed JSON
    /// needs many times its size.
    #[derive(Deserialize)]
    struct Event {
        r#type: String,
    }
    // A list of the fields' values would be read, too.
    let is_object = event.trim_start().starts_with('{');
    let event: Event = serde_json::from_str(event).ok()?;
    is_object.then_some(event.r#type)
}
