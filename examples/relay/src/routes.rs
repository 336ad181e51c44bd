//! Serves the three HTTP endpoints of a relay.

use std::{io, sync::Arc};

use axum::{
    Router,
    body::{Body, Bytes, to_bytes},
    extract::{Path, Request, State, rejection::PathRejection},
    http::{
        HeaderMap, HeaderName, HeaderValue, StatusCode,
        header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER},
    },
    middleware::from_fn_with_state,
    response::{IntoResponse, Response},
    routing::{get, post},
    serve::ListenerExt,
};
use serde::Deserialize;
use tokio::net::TcpListener;

use crate::{
    access,
    relay::{Relay, Reservation, log_failure},
    replay, run,
    store::{RunKey, RunState, StoredRun},
};

const TEXT: [(HeaderName, HeaderValue); 1] = [(
    CONTENT_TYPE,
    HeaderValue::from_static("text/plain; charset=utf-8"),
)];
const STREAM: [(HeaderName, HeaderValue); 3] = [
    (CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    // Asks nginx to pass events on at once.
    (
        HeaderName::from_static("x-accel-buffering"),
        HeaderValue::from_static("no"),
    ),
];
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The thread and the run in a request's path, or the reason why they cannot be parsed.
type RunPath = Result<Path<(String, String)>, PathRejection>;

/// Serves the endpoints of a relay. If `origin` is given, pages of that origin may call them, too.
///
/// # Errors
///
/// Fails if no connection can be accepted.
pub async fn serve(
    listener: TcpListener,
    relay: Arc<Relay>,
    origin: Option<HeaderValue>,
) -> io::Result<()> {
    // Without it each event waits for the receipt of the previous one.
    let listener = listener.tap_io(|connection| drop(connection.set_nodelay(true)));
    axum::serve(listener, routes(relay, origin)).await
}

fn routes(relay: Arc<Relay>, origin: Option<HeaderValue>) -> Router {
    Router::new()
        .route("/", post(start_run))
        .route("/runs/{thread}/{run}", get(read_events).delete(stop_run))
        .layer(from_fn_with_state(origin, access::admit_origin))
        .with_state(relay)
}

/// Starts a run, and responds with its events, or with the status and the reason of a refusal.
async fn start_run(State(relay): State<Arc<Relay>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    // Pages of another origin send other types without a preflight.
    if !is_json(&parts.headers) {
        return refuse(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "The request must be JSON.",
        );
    }
    let Some(owner) = relay.users.owner(&parts.headers) else {
        return refuse_unknown_user();
    };
    let Ok(body) = to_bytes(body, relay.limits.request).await else {
        return refuse(StatusCode::PAYLOAD_TOO_LARGE, "The request is too large.");
    };
    let Some(key) = parse_run_key(&body, relay.limits.id) else {
        return refuse(
            StatusCode::BAD_REQUEST,
            "The request has no valid threadId and runId.",
        );
    };
    match relay.reserve(&key, &owner) {
        Reservation::Free => {}
        Reservation::Exists => return refuse(StatusCode::CONFLICT, run::EXISTS),
        Reservation::TooMany => {
            return refuse_for_now(StatusCode::SERVICE_UNAVAILABLE, "Too many runs are open.");
        }
        Reservation::TooManyOfUser => {
            let message = "Too many of your runs are open.";
            return refuse_for_now(StatusCode::TOO_MANY_REQUESTS, message);
        }
    }
    match run::start(&relay, &key, owner, parts.headers, body).await {
        Ok(()) => replay(relay, key, 0),
        Err(refusal) => refuse(refusal.status, refusal.message),
    }
}

/// Responds with the events of a run after the event in `Last-Event-ID`; with status 204 if the run
/// has ended and has no further events, and with status 400 if there is no such event.
async fn read_events(
    State(relay): State<Arc<Relay>>,
    path: RunPath,
    headers: HeaderMap,
) -> Response {
    let OwnedRun {
        key,
        run,
        has_unstored,
    } = match find_owned_run(&relay, path, &headers).await {
        Ok(found) => found,
        Err(refused) => return refused,
    };
    let events = run.events + usize::from(has_unstored && run.state == RunState::Open);
    let from = match headers.get(LAST_EVENT_ID) {
        None => Some(0),
        Some(id) => parse_position(id).and_then(|last| last.checked_add(1)),
    };
    let Some(from) = from.filter(|from| *from <= events) else {
        return refuse(StatusCode::BAD_REQUEST, "There is no event with this id.");
    };
    let is_over = has_unstored || run.state == RunState::Closed;
    if is_over && from == events {
        return StatusCode::NO_CONTENT.into_response();
    }
    replay(relay, key, from)
}

/// Ends a run, and responds with status 204. The run ends also if the page does not wait.
async fn stop_run(State(relay): State<Arc<Relay>>, path: RunPath, headers: HeaderMap) -> Response {
    let stopped = tokio::spawn(async move {
        match find_owned_run(&relay, path, &headers).await {
            Ok(found) => {
                relay.end(&found.key, "The run was stopped.").await;
                StatusCode::NO_CONTENT.into_response()
            }
            Err(refused) => refused,
        }
    });
    let panicked = |_| StatusCode::INTERNAL_SERVER_ERROR.into_response();
    stopped.await.unwrap_or_else(panicked)
}

/// A run of the user who sent a request.
struct OwnedRun {
    key: RunKey,
    run: StoredRun,
    /// True if the run's end event was not stored yet just before the run was read.
    has_unstored: bool,
}

/// Returns the run in a request's path. Fails with a response: with status 401 if the request does
/// not identify its user, with status 404 if the run does not exist or belongs to another user, and
/// with status 503 if the store fails.
async fn find_owned_run(
    relay: &Relay,
    path: RunPath,
    headers: &HeaderMap,
) -> Result<OwnedRun, Response> {
    let missing = || refuse(StatusCode::NOT_FOUND, "There is no such run.");
    let owner = relay.users.owner(headers).ok_or_else(refuse_unknown_user)?;
    let Path((thread, run)) = path.map_err(|_| missing())?;
    let key = RunKey { thread, run };
    // Looked up before the run: the end may be stored meanwhile.
    let has_unstored = relay.unstored_end(&key).is_some();
    let found = {
        let key = key.clone();
        relay
            .with_reachable_store(move |store| store.run(&key))
            .await
    };
    let found = found.map_err(|error| {
        log_failure(Err(error));
        refuse(StatusCode::SERVICE_UNAVAILABLE, "The runs cannot be read.")
    })?;
    let run = found.filter(|run| run.owner == owner).ok_or_else(missing)?;
    Ok(OwnedRun {
        key,
        run,
        has_unstored,
    })
}

fn replay(relay: Arc<Relay>, key: RunKey, from: usize) -> Response {
    (
        STREAM,
        Body::from_stream(replay::event_stream(relay, key, from)),
    )
        .into_response()
}

fn refuse_unknown_user() -> Response {
    refuse(
        StatusCode::UNAUTHORIZED,
        "The request does not identify its user.",
    )
}

fn refuse(status: StatusCode, message: impl Into<String>) -> Response {
    (status, TEXT, message.into()).into_response()
}

/// Refuses a request that can be repeated after ten seconds.
fn refuse_for_now(status: StatusCode, message: &str) -> Response {
    ([(RETRY_AFTER, "10")], refuse(status, message)).into_response()
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let name = kind
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default();
    name.trim().eq_ignore_ascii_case("application/json")
}

/// Returns the thread and the run in a request's body; `None` if an id is missing, given twice,
/// empty or too long.
fn parse_run_key(body: &Bytes, max: usize) -> Option<RunKey> {
    /// The fields of a request that are parsed. The other fields are skipped, because parsed JSON
    /// needs many times its size.
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Input {
        thread_id: String,
        run_id: String,
    }
    // A list of the fields' values would be read, too.
    let is_object = body.trim_ascii_start().starts_with(b"{");
    let input: Input = serde_json::from_slice(body).ok()?;
    let is_valid = |id: &str| (1..=max).contains(&id.len());
    (is_object && is_valid(&input.thread_id) && is_valid(&input.run_id)).then_some(RunKey {
        thread: input.thread_id,
        run: input.run_id,
    })
}

fn parse_position(id: &HeaderValue) -> Option<usize> {
    id.to_str().ok()?.parse().ok()
}
