//! A completed text that continues: the calls that were read remain.

use assistant_core::{
    conversation::{MarkdownTools, Origin, Part, Phase},
    event::{Message, MessageBody},
    session::SessionOptions,
};
use serde_json::json;

use crate::support::*;

fn driver(markdown_tools: MarkdownTools) -> Driver {
    let mut driver = Driver::with(SessionOptions::default().markdown_tools(markdown_tools));
    driver.register(action("search"));
    driver.send("hi");
    driver.event(started());
    driver
}

fn shown(driver: &Driver) -> Vec<String> {
    let conversation = driver.session.conversation();
    let message = conversation.path().next_back().unwrap();
    let sketch = |part: &Part| match part {
        Part::Text(part) => part.text().to_owned(),
        Part::Call(key) => {
            let call = conversation.call(key).unwrap();
            format!("[{} {}]", call.name(), call.id())
        }
        part => format!("{part:?}"),
    };
    let parts = message.parts().iter().map(sketch);
    parts.filter(|part| !part.is_empty()).collect()
}

fn origins(driver: &Driver) -> Vec<Origin> {
    let conversation = driver.session.conversation();
    let message = conversation.path().next_back().unwrap();
    let calls = conversation.calls_in(message);
    calls.map(|call| call.origin()).collect()
}

/// Sends a text in two parts, with the message closed and reopened between them.
fn in_two_parts(driver: &mut Driver, first: &str, second: &str) {
    driver.events([text_start("m"), text("m", first), text_end("m")]);
    driver.events([text_start("m"), text("m", second), text_end("m")]);
}

#[test]
fn a_reopened_message_shows_its_text_once() {
    let mut driver = driver(MarkdownTools::Display);
    in_two_parts(
        &mut driver,
        "One, ",
        "two.\n\n> [!tool search a]\n> output: 1\n",
    );
    assert_eq!(shown(&driver), ["One, two.\n\n", "[search a]"]);
}

#[test]
fn callout_ordinals_continue_in_a_reopened_message() {
    let mut driver = driver(MarkdownTools::Display);
    let callout = "> [!tool search]\n> output: 1\n\n";
    in_two_parts(&mut driver, callout, callout);
    assert_eq!(
        shown(&driver),
        ["[search tool-call-1]", "[search tool-call-2]"]
    );
}

#[test]
fn an_open_code_fence_hides_callouts_after_the_message_reopens() {
    let mut driver = driver(MarkdownTools::Intercept);
    in_two_parts(
        &mut driver,
        "An example:\n\n```md\n",
        "> [!tool search a]\n> input: {q: x}\n```\n",
    );
    assert_eq!(origins(&driver), []);
    finish_run(&mut driver);
    assert!(driver.invocations.is_empty());
}

#[test]
fn an_open_code_fence_persists_across_a_tool_call() {
    let mut driver = driver(MarkdownTools::Intercept);
    driver.events([text_start("m"), text("m", "```md\n")]);
    driver.events([start_in("c", "agents", Some("m")), end("c")]);
    driver.event(text("m", "> [!tool search a]\n> input: {q: x}\n```\n"));
    driver.event(text_end("m"));
    assert_eq!(origins(&driver), [Origin::Agent]);
}

#[test]
fn an_open_code_fence_persists_across_a_snapshot() {
    let mut driver = driver(MarkdownTools::Intercept);
    driver.events([text_start("m"), text("m", "```md\n")]);
    let body = |content: &str| MessageBody::Assistant {
        content: Some(content.to_owned()),
        tool_calls: Vec::new(),
    };
    driver.event(snapshot(vec![
        driver.request().messages[0].clone(),
        Message::new("m", body("Other:\n\n```md\n")),
    ]));
    driver.event(text("m", "> [!tool search a]\n> input: {q: x}\n```\n"));
    driver.event(text_end("m"));
    assert_eq!(origins(&driver), []);
}

#[test]
fn a_truncated_callout_is_not_run_and_not_answered() {
    let mut driver = driver(MarkdownTools::Intercept);
    driver.events([
        text_start("m"),
        text("m", "> [!tool search a]\n> input: {path: /tm"),
    ]);
    driver.event(finished());
    driver.close();
    assert!(driver.invocations.is_empty());
    driver.send("and?");
    let tools = driver.request().messages.iter();
    assert_eq!(
        tools
            .filter(|m| matches!(m.body, MessageBody::Tool { .. }))
            .count(),
        0
    );
}

#[test]
fn a_callout_answered_in_the_same_text_is_not_run() {
    let mut driver = driver(MarkdownTools::Intercept);
    driver.events([
        text_start("m"),
        text("m", "> [!tool search a]\n> input: {q: x}\n\n"),
        text("m", "> [!tool search a]\n> output: 5\n\n"),
        text_end("m"),
    ]);
    finish_run(&mut driver);
    assert!(driver.invocations.is_empty());
    let conversation = driver.session.conversation();
    let message = conversation.path().next_back().unwrap();
    let call = conversation.calls_in(message).next().unwrap();
    assert_eq!(call.phase(), Phase::OutputAvailable);
    assert_eq!(*call.result().unwrap().value(), json!(5));
}

#[test]
fn a_generated_id_and_an_equal_explicit_id_get_two_cards() {
    let mut driver = driver(MarkdownTools::Display);
    driver.events([
        text_start("m"),
        text("m", "> [!tool search]\n> output: 1\n\n"),
        text("m", "> [!tool search tool-call-1]\n> output: 2\n\n"),
        text_end("m"),
    ]);
    assert_eq!(shown(&driver).len(), 2);
}
