//! The agent over HTTP: its requests, its handling of responses, and refusals of the browser.
//!
//! No server is involved: the page's `fetch` is replaced.

use std::{cell::Cell, rc::Rc};

use leptos::prelude::*;
use leptos_assistant::{
    NoticeAction, NoticeKind, SessionOptions, ToolAction, ToolError,
    agent::{HttpAgent, ResumeMessages},
    use_assistant_action,
};
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use super::support::{Chat, chat_of};

#[wasm_bindgen(inline_js = "
let before, asked, notes, answers, cancelled;

export function replace_fetch(list) {
  before ??= window.fetch;
  [asked, notes, answers, cancelled] = [[], [], list, 0];
  window.fetch = async (request) => {
    notes.push(['x-note', 'x-more'].map((name) => request.headers.get(name)).join(' '));
    asked.push(await request.text());
    const { body, pieces, ...init } = JSON.parse(answers.shift());
    return new Response(pieces ? endless(pieces) : body, init);
  };
}

function endless(piece) {
  const bytes = new TextEncoder().encode(piece);
  return new ReadableStream({
    pull: (controller) => controller.enqueue(bytes),
    cancel: () => { cancelled += 1; },
  });
}

export const restore_fetch = () => { window.fetch = before; };
export const requests = () => asked;
export const note_headers = () => notes;
export const cancellations = () => cancelled;
export const date_after = (ms) => new Date(Date.now() + ms).toUTCString();
")]
extern "C" {
    fn replace_fetch(answers: Vec<String>);
    fn restore_fetch();
    fn requests() -> Vec<String>;
    fn note_headers() -> Vec<String>;
    fn cancellations() -> u32;
    fn date_after(ms: f64) -> String;
}

/// Replaces the server until it is dropped.
pub struct Server;

impl Server {
    pub fn answers(answers: impl IntoIterator<Item = Value>) -> Self {
        replace_fetch(
            answers
                .into_iter()
                .map(|answer| answer.to_string())
                .collect(),
        );
        Self
    }

    /// Returns the body of a request.
    pub fn body(&self, request: usize) -> Value {
        serde_json::from_str(&requests()[request]).unwrap()
    }

    /// Returns the number of requests.
    pub fn count(&self) -> usize {
        requests().len()
    }

    /// Returns the ids of the messages in a request.
    fn messages(&self, request: usize) -> Vec<String> {
        let body = self.body(request);
        let messages = body["messages"].as_array().unwrap().iter();
        messages
            .map(|message| message["id"].as_str().unwrap().to_owned())
            .collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        restore_fetch();
    }
}

fn agent() -> HttpAgent {
    HttpAgent::new("/agent")
}

async fn chat_with(agent: HttpAgent) -> Chat {
    chat_of(agent, SessionOptions::default(), || {
        use_assistant_action(
            ToolAction::new("measure", "").handler(|_: Value| async { Ok::<_, ToolError>(1.42) }),
        );
    })
    .await
}

pub fn error(status: u16, body: &str, headers: Value) -> Value {
    json!({"status": status, "body": body, "headers": headers})
}

pub fn stream(body: &str) -> Value {
    error(200, body, json!({"content-type": "text/event-stream"}))
}

pub fn events(events: &[Value]) -> String {
    let frame = |event: &Value| format!("data: {event}\n\n");
    events.iter().map(frame).collect()
}

/// Returns the events of a run with a text and an outcome.
fn run(text: &str, more: &[Value], outcome: Value) -> Value {
    let mut all = vec![
        json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}),
        json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": text, "role": "assistant", "delta": text}),
    ];
    all.extend_from_slice(more);
    all.push(json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": outcome}));
    stream(&events(&all))
}

fn success(text: &str) -> Value {
    run(text, &[], json!({"type": "success"}))
}

#[wasm_bindgen_test]
async fn a_header_refused_by_the_browser_is_named_in_a_notice() {
    let server = Server::answers([success("Better.")]);
    for (name, value, what) in [
        ("x-note", "snow \u{2603}", "a character outside Latin-1"),
        ("x-note", "two\nlines", "a line break"),
        ("x note", "fine", "its name is not valid"),
        ("x-n\u{e9}e", "fine", "its name is not valid"),
        ("", "fine", "its name is not valid"),
    ] {
        let chat = chat_with(agent().header(name, value)).await;
        chat.assistant.send("go").unwrap();
        chat.appears("[role=alert]").await;
        let notice = chat.assistant.notices().get_untracked().remove(0);
        assert_eq!(notice.kind(), NoticeKind::Request);
        assert_eq!(notice.action(), Some(NoticeAction::Retry));
        let shown = chat.page.text(".la-notice");
        assert!(
            shown.contains("The request to the assistant could not be sent."),
            "{shown}"
        );
        let start = format!("The request header {name:?} cannot be sent: ");
        assert!(notice.message().starts_with(&start), "{}", notice.message());
        assert!(notice.message().contains(what), "{}", notice.message());
        assert!(!notice.message().contains(value), "a value may be a secret");
        assert!(requests().is_empty(), "nothing is sent");
    }
    let chat = chat_with(agent().header("x-note", "caf\u{e9}")).await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert!(chat.page.text("[role=log]").contains("Better."));
    drop(server);
}

#[wasm_bindgen_test]
async fn a_retry_after_header_sets_the_wait_of_the_notice() {
    let date = date_after(60_000.0);
    let server = Server::answers([
        error(429, "", json!({"retry-after": "30"})),
        error(503, "", json!({"retry-after": date})),
        error(
            503,
            "",
            json!({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}),
        ),
        error(429, "", json!({"retry-after": "soon"})),
        error(429, "", json!({})),
        error(500, "", json!({"retry-after": "30"})),
        success("Better."),
    ]);
    let chat = chat_with(agent()).await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let mut waits = Vec::new();
    while let Some(notice) = chat.assistant.notices().get_untracked().pop() {
        waits.push(notice.retry_after_ms());
        chat.assistant.retry().unwrap();
        chat.idle().await;
    }
    assert_eq!(waits.len(), 6);
    assert_eq!(waits[0], Some(30_000));
    let of_date = waits[1].unwrap();
    assert!((1..=60_000).contains(&of_date), "{of_date}");
    assert_eq!(waits[2..], [None; 4]);
    assert!(chat.page.text("[role=log]").contains("Better."));
    drop(server);
}

#[wasm_bindgen_test]
async fn an_endless_error_body_is_read_up_to_a_limit() {
    let server = Server::answers([
        json!({"status": 500, "pieces": "on fire, ".repeat(40)}),
        error(500, "  out of fuel\n", json!({})),
        error(500, "", json!({})),
    ]);
    let chat = chat_with(agent()).await;
    chat.assistant.send("go").unwrap();
    let mut messages = Vec::new();
    for _ in 0..3 {
        chat.idle().await;
        messages.push(
            chat.assistant
                .notices()
                .get_untracked()
                .remove(0)
                .message()
                .to_owned(),
        );
        let _ = chat.assistant.retry();
    }
    assert!(messages[0].starts_with("The agent answered with HTTP 500: on fire, on"));
    assert!(messages[0].chars().count() < 350, "{}", messages[0]);
    assert_eq!(cancellations(), 1, "the rest of the body is cancelled");
    assert_eq!(messages[1], "The agent answered with HTTP 500: out of fuel");
    assert_eq!(messages[2], "The agent answered with HTTP 500.");
    drop(server);
}

#[wasm_bindgen_test]
async fn a_response_cut_inside_a_frame_is_truncated() {
    let begun = events(&[
        json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}),
        json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "Half an"}),
    ]);
    let server = Server::answers([
        stream(&format!("{begun}data: {{\"type\":\"TEXT_MESS")),
        stream(&format!("{begun}data: {{\"type\":\"TEXT_MESS\n\n")),
    ]);
    let chat = chat_with(agent()).await;
    chat.assistant.send("go").unwrap();
    for kind in [NoticeKind::Truncated, NoticeKind::Protocol] {
        chat.idle().await;
        assert!(chat.page.text("[role=log]").contains("Half an"));
        assert_eq!(chat.assistant.notices().get_untracked()[0].kind(), kind);
        let _ = chat.assistant.retry();
    }
    drop(server);
}

#[wasm_bindgen_test]
async fn a_retry_sends_the_messages_of_the_failed_request_again() {
    let call = [
        json!({"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "measure", "parentMessageId": "First.", "delta": "{}"}),
    ];
    let waits = json!({"type": "interrupt", "interrupts": [{"id": "i", "reason": "input"}]});
    let server = Server::answers([
        run("First.", &call, waits.clone()),
        error(503, "", json!({})),
        run("Second.", &[], waits),
        success("Third."),
    ]);
    let chat = chat_with(agent().resume_messages(ResumeMessages::New)).await;
    chat.assistant.send("go").unwrap();
    chat.appears("[data-interrupt-id=i]").await;
    chat.assistant.answer("i", Some(json!(1))).unwrap();
    chat.appears("[role=alert]").await;
    chat.assistant.retry().unwrap();
    chat.appears("[data-interrupt-id=i]").await;
    let first = server.messages(1);
    assert_eq!(first.len(), 1, "the result, which the agent has not seen");
    assert_eq!(server.messages(2), first, "nor after a request that failed");
    chat.assistant.answer("i", Some(json!(2))).unwrap();
    chat.idle().await;
    assert_eq!(server.messages(3), Vec::<String>::new());
    assert!(chat.page.text("[role=log]").contains("Third."));
    drop(server);
}

#[wasm_bindgen_test]
async fn dynamic_headers_are_read_for_each_request() {
    let server = Server::answers([success("One."), success("Two."), success("Three.")]);
    let count = Rc::new(Cell::new(0));
    let turns = move || {
        count.set(count.get() + 1);
        vec![("x-note".to_owned(), format!("turn {}", count.get()))]
    };
    let chat = chat_with(agent().headers(turns.clone())).await;
    for _ in 0..2 {
        chat.assistant.send("go").unwrap();
        chat.idle().await;
    }
    let more = agent().headers(turns).header("x-more", "and more");
    chat.assistant.set_agent(more);
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(note_headers(), ["turn 1 ", "turn 2 ", "turn 3 and more"]);
    drop(server);
}

#[wasm_bindgen_test]
async fn a_strict_agent_rejects_frames_outside_the_protocol() {
    let loose = || {
        let text = success("Hello.")["body"].as_str().unwrap().to_owned();
        stream(&format!("{text}data: [DONE]\n\n"))
    };
    let server = Server::answers([loose(), loose()]);
    let chat = chat_with(agent()).await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert!(chat.assistant.notices().get_untracked().is_empty());
    chat.assistant.set_agent(agent().strict());
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let notices = chat.assistant.notices().get_untracked();
    assert_eq!(notices[0].kind(), NoticeKind::Protocol);
    drop(server);
}
