//! An agent whose runs are stored: lost connections, ids of events, and Stop (rule "reattaching to a
//! run"). The page's `fetch` is replaced; reloads are tested end to end.

use std::{cell::Cell, future::ready, rc::Rc, time::Duration};

use leptos::prelude::*;
use leptos_assistant::{NoticeKind, SessionOptions, agent::HttpAgent};
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    connection::Connection,
    support::{Chat, chat_of},
};
use leptos_assistant::testing::{FakeClock, settle, until};

#[wasm_bindgen(inline_js = "
let before, asked, answers, closing;

export function replace_fetch_by(list) {
  before ??= window.fetch;
  [asked, answers] = [[], list];
  window.fetch = async (request) => {
    const { pathname } = new URL(request.url);
    asked.push([request.method, pathname, request.headers.get('last-event-id')].join(' ').trim());
    const answer = JSON.parse(answers.shift() ?? '{\"status\":404}');
    if (answer.lost) throw new TypeError('no network');
    const headers = { 'content-type': 'text/event-stream', ...answer.headers };
    return new Response(answer.text === undefined ? null : body(answer), { status: answer.status ?? 200, headers });
  };
}

function body({ text, then }) {
  const bytes = new TextEncoder().encode(text);
  let sent = false;
  return new ReadableStream({
    pull(controller) {
      if (!sent) {
        sent = true;
        controller.enqueue(bytes);
      } else if (then === 'breaks') {
        controller.error(new TypeError('network error'));
      } else if (then === 'closes later') {
        return new Promise((close) => (closing = close)).then(() => controller.close());
      } else if (then !== 'hangs') {
        controller.close();
      } else {
        return new Promise(() => {});
      }
    },
  });
}

export const restore_fetch_of = () => { window.fetch = before; };
export const asked_for = () => asked;
export const close_connection = () => closing();
")]
extern "C" {
    fn replace_fetch_by(answers: Vec<String>);
    fn restore_fetch_of();
    fn asked_for() -> Vec<String>;
    fn close_connection();
}

struct Server;

impl Server {
    fn answers(answers: &[Value]) -> Self {
        replace_fetch_by(answers.iter().map(Value::to_string).collect());
        Self
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        restore_fetch_of();
    }
}

fn frames() -> Vec<String> {
    let mut frames = vec![
        json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}),
        json!({"type": "TEXT_MESSAGE_START", "messageId": "m"}),
    ];
    for word in ["one ", "two ", "three "] {
        frames.push(json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": word}));
    }
    frames.push(json!({"type": "TEXT_MESSAGE_END", "messageId": "m"}));
    frames.push(json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}));
    let frames = frames.iter().enumerate();
    frames
        .map(|(at, frame)| format!("id: {at}\ndata: {frame}\n\n"))
        .collect()
}

/// Returns a response of some frames, whose connection closes, breaks or hangs.
fn part(frames: &[String], then: &str) -> Value {
    json!({"text": frames.concat(), "then": then})
}

fn agent() -> HttpAgent {
    HttpAgent::new("/agent").reattach("/runs/?tenant=7")
}

async fn chat() -> Chat {
    chat_with(agent()).await
}

async fn chat_with(agent: HttpAgent) -> Chat {
    chat_of(agent, SessionOptions::default(), || ()).await
}

/// Returns the requests, with the id of the run replaced.
fn asked(chat: &Chat) -> Vec<String> {
    let thread = chat.assistant.thread_id().get_untracked();
    let of = |line: String| {
        let mut parts: Vec<_> = line.split('/').map(str::to_owned).collect();
        if let Some(run) = parts.get_mut(3) {
            let id = run.split(' ').next().unwrap_or_default().to_owned();
            assert!(!id.is_empty());
            *run = run.replacen(&id, "RUN", 1);
        }
        parts.join("/").replace(&thread, "THREAD")
    };
    asked_for().into_iter().map(of).collect()
}

#[wasm_bindgen_test]
async fn a_lost_connection_is_continued_after_the_last_event() {
    let frames = frames();
    let lost = json!({"lost": true});
    let restarting = json!({"status": 503, "text": "restarting"});
    for (then, cut, failure) in [
        ("breaks", 1, &lost),
        ("breaks", 4, &restarting),
        ("closes", 3, &lost),
        ("breaks", 5, &lost),
    ] {
        let _server = Server::answers(&[
            part(&frames[..cut], then),
            failure.clone(),
            part(&frames[cut..], "closes"),
        ]);
        let chat = chat().await;
        chat.assistant.send("go").unwrap();
        chat.idle().await;
        assert!(chat.page.text("[role=log]").contains("one two three"));
        assert!(!chat.page.text("[role=log]").contains("two two"));
        assert!(chat.assistant.notices().get_untracked().is_empty());
        let again = format!("GET /runs/THREAD/RUN {}", cut - 1);
        assert_eq!(asked(&chat), ["POST /agent", &again, &again], "{then}");
    }
}

#[wasm_bindgen_test]
async fn a_busy_server_is_asked_again_when_it_allows() {
    let frames = frames();
    let busy = json!({"status": 429, "headers": {"retry-after": "30"}});
    let _server = Server::answers(&[
        part(&frames[..3], "closes later"),
        busy,
        part(&frames[3..], "closes"),
    ]);
    let clock = FakeClock::at(1_700_000_000_000);
    let chat = chat().await;
    chat.assistant.send("go").unwrap();
    assert!(until(|| asked_for().len() == 1).await);
    settle().await;
    close_connection();
    settle().await;
    clock.advance(Duration::from_secs(1));
    assert!(until(|| asked_for().len() == 2).await);
    settle().await;
    clock.advance(Duration::from_secs(29));
    settle().await;
    assert_eq!(asked_for().len(), 2, "before the allowed time");
    clock.advance(Duration::from_secs(1));
    assert!(until(|| asked_for().len() == 3).await);
    drop(clock);
    chat.idle().await;
    assert!(chat.page.text("[role=log]").contains("one two three"));
    assert!(chat.assistant.notices().get_untracked().is_empty());
}

#[wasm_bindgen_test]
async fn a_server_that_is_busy_for_long_is_not_asked_again() {
    let busy = json!({"status": 503, "headers": {"retry-after": "61"}});
    let _server = Server::answers(&[part(&frames()[..3], "breaks"), busy]);
    let chat = chat().await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let notices = chat.assistant.notices().get_untracked();
    assert_eq!(notices[0].kind(), NoticeKind::Http);
    assert_eq!(notices[0].retry_after_ms(), Some(61_000));
    assert!(until(|| asked_for().len() == 3).await);
    assert_eq!(
        asked(&chat),
        [
            "POST /agent",
            "GET /runs/THREAD/RUN 2",
            "DELETE /runs/THREAD/RUN",
        ]
    );
}

/// A server may start a run long before the agent responds.
#[wasm_bindgen_test]
async fn a_run_whose_response_is_lost_is_read_from_its_server() {
    for failure in [json!({"lost": true}), json!({"status": 504})] {
        let _server = Server::answers(&[failure.clone(), part(&frames(), "closes")]);
        let chat = chat().await;
        chat.assistant.send("go").unwrap();
        chat.idle().await;
        assert_eq!(asked(&chat), ["POST /agent", "GET /runs/THREAD/RUN"]);
        assert!(chat.page.text("[role=log]").contains("one two three"));
        assert!(chat.assistant.notices().get_untracked().is_empty());
    }
}

#[wasm_bindgen_test]
async fn a_run_that_its_server_has_not_started_fails_with_its_response() {
    let _server = Server::answers(&[json!({"status": 504})]);
    let chat = chat().await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let notices = chat.assistant.notices().get_untracked();
    assert_eq!(notices[0].status(), Some(504));
    assert!(until(|| asked_for().len() == 3).await);
    assert_eq!(
        asked(&chat),
        [
            "POST /agent",
            "GET /runs/THREAD/RUN",
            "DELETE /runs/THREAD/RUN",
        ]
    );
}

#[wasm_bindgen_test]
async fn a_request_that_is_lost_offline_is_sent_again_once_online() {
    let lost = json!({"lost": true});
    let _server = Server::answers(&[
        lost.clone(),
        lost,
        json!({"status": 404}),
        part(&frames(), "closes"),
    ]);
    let connection = Rc::new(Connection::offline());
    connection.restore();
    let (page, requests) = (Rc::clone(&connection), Cell::new(0));
    let chat = chat_with(agent().headers_async(move |_| {
        if requests.replace(requests.get() + 1) == 0 {
            page.lose();
        }
        ready(Ok(Vec::new()))
    }))
    .await;
    chat.assistant.send("go").unwrap();
    assert!(until(|| asked_for().len() == 2).await);
    connection.restore();
    chat.idle().await;
    let read = "GET /runs/THREAD/RUN";
    assert_eq!(asked(&chat), ["POST /agent", read, read, "POST /agent"]);
    assert!(chat.page.text("[role=log]").contains("one two three"));
    assert!(chat.assistant.notices().get_untracked().is_empty());
}

/// Applications fetch tokens for the headers over the same network.
#[wasm_bindgen_test]
async fn headers_that_fail_offline_are_a_lost_connection() {
    let _server = Server::answers(&[part(&frames(), "closes")]);
    let connection = Connection::offline();
    let chat = chat_with(agent().headers_async(|_| {
        ready(match window().navigator().on_line() {
            true => Ok(Vec::new()),
            false => Err("no token".to_owned()),
        })
    }))
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let notices = chat.assistant.notices().get_untracked();
    assert_eq!(notices[0].kind(), NoticeKind::Offline);
    assert!(asked_for().is_empty());
    connection.restore();
    assert!(until(|| chat.page.text("[role=log]").contains("one two three")).await);
    chat.idle().await;
    assert!(chat.assistant.notices().get_untracked().is_empty());
    // The run that has failed is ended, too.
    assert!(until(|| asked_for().len() == 2).await);
    assert_eq!(asked(&chat), ["POST /agent", "DELETE /runs/THREAD/RUN"]);
}

#[wasm_bindgen_test]
async fn headers_that_fail_while_a_run_is_read_are_requested_again() {
    let frames = frames();
    let _server = Server::answers(&[part(&frames[..3], "breaks"), part(&frames[3..], "closes")]);
    let requests = Cell::new(0);
    let chat = chat_with(agent().headers_async(move |_| {
        ready(match requests.replace(requests.get() + 1) {
            1 => Err("no token".to_owned()),
            _ => Ok(Vec::new()),
        })
    }))
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(asked(&chat), ["POST /agent", "GET /runs/THREAD/RUN 2"]);
    assert!(chat.page.text("[role=log]").contains("one two three"));
    assert!(chat.assistant.notices().get_untracked().is_empty());
}

#[wasm_bindgen_test]
async fn a_run_that_counts_as_lost_is_ended_before_it_is_retried() {
    let _server = Server::answers(&[
        part(&frames()[..3], "breaks"),
        json!({"status": 500}),
        json!({"status": 204}),
        part(&frames(), "closes"),
    ]);
    let chat = chat().await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert!(until(|| asked_for().len() == 3).await);
    chat.assistant.retry().unwrap();
    chat.idle().await;
    assert_eq!(
        asked(&chat),
        [
            "POST /agent",
            "GET /runs/THREAD/RUN 2",
            "DELETE /runs/THREAD/RUN",
            "POST /agent",
        ]
    );
}

#[wasm_bindgen_test]
async fn stop_is_repeated_until_its_server_responds() {
    let _server = Server::answers(&[
        part(&frames()[..3], "hangs"),
        json!({"lost": true}),
        json!({"status": 503}),
        json!({"status": 204}),
    ]);
    let chat = chat().await;
    chat.assistant.send("go").unwrap();
    assert!(until(|| chat.page.text("[role=log]").contains("one")).await);
    let connection = Connection::offline();
    chat.assistant.stop().unwrap();
    chat.idle().await;
    assert!(until(|| asked_for().len() == 2).await);
    connection.restore();
    assert!(until(|| asked_for().len() == 4).await);
    let stop = "DELETE /runs/THREAD/RUN";
    assert_eq!(asked(&chat), ["POST /agent", stop, stop, stop]);
}

#[wasm_bindgen_test]
async fn stop_ends_the_run_at_its_server() {
    let frames = frames();
    let _server = Server::answers(&[
        part(&frames[..3], "breaks"),
        part(&frames[3..4], "hangs"),
        json!({"status": 204}),
    ]);
    let chat = chat().await;
    chat.assistant.send("go").unwrap();
    assert!(until(|| chat.page.text("[role=log]").contains("two")).await);
    chat.assistant.stop().unwrap();
    chat.idle().await;
    assert!(until(|| asked_for().len() == 3).await);
    assert_eq!(
        asked(&chat),
        [
            "POST /agent",
            "GET /runs/THREAD/RUN 2",
            "DELETE /runs/THREAD/RUN",
        ]
    );
    let notices = chat.assistant.notices().get_untracked();
    assert_eq!(notices[0].kind(), NoticeKind::Stopped);
}

/// Another agent answers later runs only.
#[wasm_bindgen_test]
async fn stop_ends_the_run_at_the_agent_that_answers_it() {
    let _server = Server::answers(&[part(&frames()[..3], "hangs"), json!({"status": 204})]);
    let chat = chat().await;
    chat.assistant.send("go").unwrap();
    assert!(until(|| chat.page.text("[role=log]").contains("one")).await);
    chat.assistant.set_agent(HttpAgent::new("/other"));
    chat.assistant.stop().unwrap();
    chat.idle().await;
    assert!(until(|| asked_for().len() == 2).await);
    assert_eq!(asked(&chat), ["POST /agent", "DELETE /runs/THREAD/RUN"]);
}

#[wasm_bindgen_test]
async fn a_run_that_is_no_longer_stored_has_broken_off() {
    let _server = Server::answers(&[part(&frames()[..4], "breaks")]);
    let chat = chat().await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let notices = chat.assistant.notices().get_untracked();
    assert_eq!(notices[0].kind(), NoticeKind::Truncated);
    assert!(chat.page.text("[role=log]").contains("one two"));
}

/// Gateways close connections without data after a minute, while an agent may think for longer.
#[wasm_bindgen_test]
async fn a_run_is_not_lost_while_its_server_keeps_connections_open() {
    let frames = frames();
    let idle = part(&[String::new()], "closes later");
    let _server = Server::answers(&[
        part(&frames[..3], "closes later"),
        idle.clone(),
        idle.clone(),
        idle,
        part(&frames[3..], "closes"),
    ]);
    let clock = FakeClock::at(1_700_000_000_000);
    let chat = chat().await;
    chat.assistant.send("go").unwrap();
    for connection in 1..=4 {
        assert!(until(|| asked_for().len() == connection).await);
        settle().await;
        clock.advance(Duration::from_secs(60));
        close_connection();
        settle().await;
        clock.advance(Duration::from_secs(1));
    }
    assert!(until(|| asked_for().len() == 5).await);
    drop(clock);
    chat.idle().await;
    assert!(chat.page.text("[role=log]").contains("one two three"));
    assert!(chat.assistant.notices().get_untracked().is_empty());
    let reads = asked(&chat).split_off(1);
    assert!(
        reads.iter().all(|read| read == "GET /runs/THREAD/RUN 2"),
        "{reads:?}"
    );
}

#[wasm_bindgen_test]
async fn a_run_is_lost_if_its_server_closes_each_connection_at_once() {
    let mut answers = vec![part(&frames()[..3], "closes")];
    answers.resize(20, part(&[String::new()], "closes"));
    let _server = Server::answers(&answers);
    let chat = chat().await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert!(asked_for().len() < 10, "{:?}", asked(&chat));
    assert!(chat.page.text("[role=log]").contains("one"));
    let notices = chat.assistant.notices().get_untracked();
    assert_eq!(notices.len(), 1, "one notice: {notices:?}");
}
