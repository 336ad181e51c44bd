//! Callouts in the text of an assistant: shown as calls, and run only if the host permits it.

use assistant_core::{
    action::RegistrationId,
    conversation::{Change, Conversation, MarkdownTools, Origin, Part, Phase, ToolCall},
    event::{EventKind, MessageBody},
    session::{Input, SessionOptions},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::cases;
use crate::support::{self, *};

const SEARCH: &str = "Looking for cats.\n\n> [!tool search call_1]\n> state: output-available\n> input:\n>   query: cats\n\
                      > output:\n>   found: 2\n\nHere they are!";

fn driver(markdown_tools: MarkdownTools) -> Driver {
    let mut driver = Driver::with(SessionOptions::default().markdown_tools(markdown_tools));
    driver.register(action("search"));
    driver.send("hi");
    driver.event(started());
    driver
}

#[test]
fn tool_fences_are_calls_when_enabled_in_the_session() {
    const FENCE: &str =
        "Before\n\n```tool search call_1\nstate: output-available\noutput: 2\n```\n\nAfter";
    for (markdown_fences, markdown_tools) in [
        (true, MarkdownTools::Display),
        (false, MarkdownTools::Display),
        (true, MarkdownTools::Off),
    ] {
        let mut driver = Driver::with(
            SessionOptions::default()
                .markdown_tools(markdown_tools)
                .markdown_fences(markdown_fences),
        );
        driver.send("hi");
        driver.event(started());
        writes(&mut driver, FENCE, 3);
        driver.event(text_end("m"));
        finish_run(&mut driver);
        let is_call = markdown_fences && markdown_tools == MarkdownTools::Display;
        let live = shown(&driver);
        assert_eq!(live.len(), if is_call { 3 } else { 1 }, "{live:?}");
        let list = json!([{"id": "w", "role": "assistant", "content": FENCE}]);
        driver.input(Input::Load {
            thread_id: "thread".to_owned(),
            snapshot: list,
        });
        assert_eq!(shown(&driver).len(), live.len(), "whole messages, too");
    }
}

/// Sends a text of the agent in pieces of `count` characters; the message stays open.
fn writes(driver: &mut Driver, text: &str, count: usize) {
    driver.event(text_start("m"));
    let characters: Vec<char> = text.chars().collect();
    for piece in characters.chunks(count) {
        driver.event(support::text("m", &piece.iter().collect::<String>()));
    }
}

fn parts(conversation: &Conversation) -> Vec<String> {
    let message = conversation.path().next_back().unwrap();
    let sketch = |part: &Part| match part {
        Part::Text(part) => format!("text {:?}", part.text()),
        Part::Call(key) => {
            let call = conversation.call(key).unwrap();
            let answer = call.result().map(|result| result.value().to_string());
            let answer = answer.unwrap_or_default();
            format!(
                "{} {} {} {answer}",
                call.name(),
                call.id(),
                call.phase().as_str()
            )
        }
        part => format!("{part:?}"),
    };
    message.parts().iter().map(sketch).collect()
}

fn shown(driver: &Driver) -> Vec<String> {
    parts(driver.session.conversation())
}

fn first_call(driver: &Driver) -> Option<&ToolCall> {
    let conversation = driver.session.conversation();
    let message = conversation.path().next_back().unwrap();
    conversation.calls_in(message).next()
}

/// Returns the assistant's text and calls in the next request.
fn sent(driver: &mut Driver) -> (String, usize) {
    if driver.session.is_streaming() {
        finish_run(driver);
    }
    driver.send("and now?");
    let messages = &driver.request().messages;
    let answer = messages.iter().find_map(|message| match &message.body {
        MessageBody::Assistant {
            content,
            tool_calls,
        } => Some((content.clone().unwrap_or_default(), tool_calls.len())),
        _ => None,
    });
    assert!(
        !messages
            .iter()
            .any(|message| matches!(message.body, MessageBody::Tool { .. })),
        "a call that a text reports has no tool message"
    );
    answer.unwrap()
}

#[test]
fn callouts_are_text_by_default() {
    let mut unconfigured = Driver::new();
    unconfigured.send("hi");
    unconfigured.event(started());
    for mut driver in [driver(MarkdownTools::default()), unconfigured] {
        writes(&mut driver, SEARCH, 5);
        driver.event(text_end("m"));
        assert_eq!(shown(&driver), [format!("text {SEARCH:?}")]);
    }
}

#[test]
fn a_displayed_callout_is_a_card_and_never_runs() {
    for count in [1, 2, 5, 1_000] {
        let mut driver = driver(MarkdownTools::Display);
        writes(&mut driver, SEARCH, count);
        driver.event(text_end("m"));
        finish_run(&mut driver);
        assert_eq!(
            shown(&driver),
            [
                "text \"Looking for cats.\\n\\n\"",
                "search call_1 output-available {\"found\":2}",
                "text \"Here they are!\"",
            ],
            "in pieces of {count}"
        );
        let call = first_call(&driver).unwrap();
        assert_eq!(call.args(), Some(&json!({"query": "cats"})));
        assert_eq!(call.origin(), Origin::Text);
        assert!(
            driver
                .session
                .conversation()
                .call_by_wire_id("call_1")
                .is_none()
        );
        assert!(!driver.session.is_busy());
        assert_eq!(driver.invocations.len(), 0);
        assert_eq!(sent(&mut driver), (SEARCH.to_owned(), 0));
    }
}

#[test]
fn a_displayed_callout_without_output_is_not_run_or_asked_about() {
    let mut driver = driver(MarkdownTools::Display);
    driver.register(asking("delete"));
    let text = "> [!tool search a]\n> state: input-available\n\n> [!tool delete b]\n> state: approval-requested\n";
    writes(&mut driver, text, 3);
    finish_run(&mut driver);
    assert_eq!(
        shown(&driver)[1..],
        ["search a input-available ", "delete b input-available "]
    );
    assert_eq!((driver.runs.len(), driver.invocations.len()), (1, 0));
    assert!(!driver.session.waits_for_person());
    assert_eq!(sent(&mut driver).0, text);
}

#[test]
fn a_callout_card_appears_with_its_header_and_is_updated() {
    let mut driver = driver(MarkdownTools::Display);
    writes(&mut driver, "Hi\n> [!tool search]\n> input: {q: x}\n", 1);
    assert_eq!(shown(&driver)[1..], ["search tool-call-1 input-streaming "]);
    let message = driver.session.conversation().path().last().unwrap();
    let key = message.parts().iter().find_map(Part::call_key).unwrap();
    let step = driver.event(text("m", "> id: late\n> output: 1\n\nDone"));
    assert!(step.changes.contains(&Change::Call(key)));
    assert_eq!(
        shown(&driver)[1..],
        ["search late output-available 1", "text \"Done\""]
    );
    let call = driver.session.conversation().call(&key).unwrap();
    assert_eq!(call.args(), Some(&json!({"q": "x"})));
}

#[test]
fn a_card_becomes_text_again_when_its_callout_is_malformed() {
    let text = "Hi\n\n> [!tool search]\n> - a list\n\nbye";
    let mut driver = driver(MarkdownTools::Display);
    writes(&mut driver, text, 1);
    driver.event(text_end("m"));
    assert_eq!(shown(&driver), [format!("text {text:?}")]);
    assert_eq!(sent(&mut driver), (text.to_owned(), 0));
}

#[test]
fn a_session_reports_malformed_callouts_as_diagnostics() {
    let mut driver = driver(MarkdownTools::Display);
    driver.event(text_start("m"));
    let step = driver.event(text("m", "> [!tool]\n> state: done\n> [!tool]\n> x\n\n"));
    let codes: Vec<&str> = step
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.code())
        .collect();
    assert_eq!(codes, ["unknown-state", "callout-is-text"]);
}

#[test]
fn a_repeated_id_updates_the_first_card() {
    for header in ["> [!tool a c1]", "> [!tool a]\n> id: c1"] {
        let text = format!(
            "{header}\n> state: input-available\n> input: {{q: 1}}\n\nworking\n\n{header}\n> output: 2\n"
        );
        for count in [1, 7, 1_000] {
            let mut driver = driver(MarkdownTools::Display);
            writes(&mut driver, &text, count);
            driver.event(text_end("m"));
            let parts = shown(&driver);
            let cards: Vec<&String> = parts.iter().filter(|part| part.starts_with("a ")).collect();
            assert_eq!(cards, ["a c1 output-available 2"], "{header}, {count}");
            assert_eq!(first_call(&driver).unwrap().args(), Some(&json!({"q": 1})));
            assert_eq!(sent(&mut driver).0, text);
        }
        let mut driver =
            Driver::with(SessionOptions::default().markdown_tools(MarkdownTools::Display));
        driver.input(Input::Load {
            thread_id: "thread".to_owned(),
            snapshot: json!([{"id": "w", "role": "assistant", "content": text}]),
        });
        let cards = shown(&driver)
            .into_iter()
            .filter(|part| !part.starts_with("text "));
        assert_eq!(
            cards.collect::<Vec<_>>(),
            ["a c1 output-available 2"],
            "a whole message"
        );
    }
}

#[test]
fn failed_and_denied_callouts_are_shown_as_errors() {
    let mut driver = driver(MarkdownTools::Display);
    let text = "> [!tool a x]\n> error: boom\n> [!tool a y]\n> state: output-denied\n> [!tool a z]\n> state: output-error\n> output: 1";
    writes(&mut driver, text, 4);
    driver.event(text_end("m"));
    let conversation = driver.session.conversation();
    let message = conversation.path().next_back().unwrap();
    let failures: Vec<(Phase, &str)> = conversation
        .calls_in(message)
        .map(|call| (call.phase(), call.error().unwrap().message()))
        .collect();
    assert_eq!(
        failures,
        [
            (Phase::OutputError, "boom"),
            (Phase::OutputDenied, "Tool execution was denied."),
            (Phase::OutputError, "An unknown tool error occurred."),
        ]
    );
}

#[test]
fn a_tool_call_with_the_id_of_a_callout_is_a_separate_call() {
    let mut driver = driver(MarkdownTools::Display);
    writes(&mut driver, "> [!tool search c]\n> output: 1\n", 4);
    driver.events([
        start_in("c", "search", Some("m")),
        EventKind::ToolCallEnd {
            tool_call_id: "c".to_owned(),
        },
    ]);
    driver.event(text("m", "> [!tool search c]\n> output: 2\n"));
    finish_run(&mut driver);
    assert_eq!(driver.starts("c"), 1);
    driver.returns("c", json!("real"));
    let list = driver.session.conversation().request_messages();
    let tools = list
        .iter()
        .filter(|message| matches!(message.body, MessageBody::Tool { .. }));
    assert_eq!(tools.count(), 1);
    assert_eq!(
        shown_at(&driver, 1)[1..],
        [
            "search c output-available 2",
            "search c output-available \"real\""
        ]
    );
}

fn shown_at(driver: &Driver, place: usize) -> Vec<String> {
    let mut conversation = driver.session.conversation().clone();
    let id = conversation.path().nth(place).unwrap().id().clone();
    let export = conversation.export();
    let mut cut = export;
    cut["tip"] = id.as_str().into();
    conversation = Conversation::import(cut).unwrap();
    parts(&conversation)
}

#[test]
fn callouts_are_restored_from_an_export_and_from_a_list() {
    let mut driver = driver(MarkdownTools::Display);
    writes(&mut driver, SEARCH, 5);
    driver.event(text_end("m"));
    finish_run(&mut driver);
    let export = driver.session.conversation().export();
    let back = Conversation::import(export.clone()).unwrap();
    assert_eq!(back.export(), export);
    assert_eq!(parts(&back), shown(&driver));
    let load = |driver: &mut Driver, snapshot: Value| {
        let thread_id = "other".to_owned();
        driver.input(Input::Load {
            thread_id,
            snapshot,
        })
    };
    load(&mut driver, export);
    assert_eq!((driver.runs.len(), driver.invocations.len()), (1, 0));
    assert_eq!(sent(&mut driver), (SEARCH.to_owned(), 0));
    // A server stores only the text.
    driver.input(Input::Stop);
    let list = json!([{"id": "u", "role": "user", "content": "hi"}, {"id": "m", "role": "assistant", "content": SEARCH}]);
    load(&mut driver, list);
    assert_eq!(
        shown(&driver)[1],
        "search call_1 output-available {\"found\":2}"
    );
    assert_eq!(sent(&mut driver), (SEARCH.to_owned(), 0));
}

#[test]
fn a_snapshot_replaces_the_text_and_updates_its_cards() {
    let mut driver = driver(MarkdownTools::Display);
    writes(&mut driver, SEARCH, 5);
    driver.event(text_end("m"));
    let before = shown(&driver);
    let snapshot = |content: &str| {
        let list = json!([
            {"id": "id1", "role": "user", "content": "hi"},
            {"id": "m", "role": "assistant", "content": content},
        ]);
        let messages = list.as_array().unwrap().iter().cloned();
        let messages = messages
            .map(|message| assistant_core::json::form::message_from_value(message).unwrap());
        EventKind::MessagesSnapshot {
            messages: messages.collect(),
        }
    };
    driver.event(snapshot(SEARCH));
    assert_eq!(shown(&driver), before);
    driver.event(snapshot("> [!tool a b]\n> output: 1\n\nother"));
    assert_eq!(shown(&driver), ["a b output-available 1", "text \"other\""]);
    driver.event(snapshot("plain"));
    assert_eq!(shown(&driver), ["text \"plain\""]);
    driver.event(text("m", "\n> [!tool a b]\n"));
    assert_eq!(shown(&driver)[1..], ["a b input-streaming "]);
    assert_eq!(
        driver
            .session
            .conversation()
            .path()
            .next_back()
            .unwrap()
            .written(),
        "plain\n> [!tool a b]\n"
    );
}

#[test]
fn an_intercepted_callout_runs_after_its_run_ends() {
    let mut driver = driver(MarkdownTools::Intercept);
    let text = "Looking.\n\n> [!tool search]\n> input:\n>   query: cats\n\n> [!tool search told]\n> output: 1\n";
    writes(&mut driver, text, 3);
    driver.event(text_end("m"));
    assert_eq!(driver.invocations.len(), 0, "not before its run is over");
    finish_run(&mut driver);
    let invocation = driver.invocation("tool-call-1");
    assert_eq!(*invocation.args(), json!({"query": "cats"}));
    assert_eq!(driver.invocations.len(), 1);
    driver.returns("tool-call-1", json!({"found": 2}));
    let sketches = sketch(&driver.request().messages);
    assert_eq!(
        sketches,
        [
            "user=hi",
            &format!("assistant={text}[tool-call-1]"),
            "tool:tool-call-1={\"found\":2}"
        ]
    );
    // The ordinals of the next message start at one, and its call is a different one.
    driver.event(started());
    driver.events(says("n", "> [!tool search]\n> input: {}\n"));
    finish_run(&mut driver);
    assert_eq!(driver.invocations.len(), 2);
    assert_ne!(driver.invocations[1].call_id(), "tool-call-1");
    let export = driver.session.conversation().export();
    assert_eq!(
        Conversation::import(export.clone()).unwrap().export(),
        export
    );
}

#[test]
fn an_intercepted_callout_is_validated_and_asks_for_approval() {
    let mut driver = driver(MarkdownTools::Intercept);
    let spec = asking("delete").with_parameters(
        json!({"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}),
    );
    driver.register_as(RegistrationId::new(77), spec);
    finish_run(&mut driver);
    driver.send("delete it");
    driver.event(started());
    let text = "> [!tool delete good]\n> input: {id: 1}\n> [!tool delete bad]\n> input: {id: one}\n> [!tool unknown x]\n";
    driver.events(says("m", text));
    finish_run(&mut driver);
    assert_eq!(driver.phase("good"), Phase::ApprovalRequested);
    assert_eq!(driver.phase("bad"), Phase::OutputError);
    assert_eq!(driver.phase("x"), Phase::OutputError);
    assert_eq!(driver.approve("good"), None);
    assert_eq!((driver.starts("good"), driver.invocations.len()), (1, 1));
}

#[test]
fn callouts_of_a_broken_stream_are_not_run() {
    let mut driver = driver(MarkdownTools::Intercept);
    writes(
        &mut driver,
        "> [!tool search c]\n> input: {}\n\n> [!tool search d]\n> inp",
        5,
    );
    driver.close();
    assert_eq!(driver.invocations.len(), 0);
    assert_eq!(driver.phase("c"), Phase::Cancelled);
    let message = driver.session.conversation().path().next_back().unwrap();
    assert!(message.cut().is_some() && !message.is_streaming());
}

proptest! {
    #![proptest_config(cases(500))]

    /// No text of any form runs anything, every text is sent as written, and a stored one is
    /// restored.
    #[test]
    fn random_text_never_runs_a_call_and_is_stored_as_written(text in super::random::text(), count in 1_usize..9) {
        let mut driver = driver(MarkdownTools::Display);
        writes(&mut driver, &text, count);
        driver.event(text_end("m"));
        finish_run(&mut driver);
        prop_assert_eq!(driver.invocations.len(), 0);
        let conversation = driver.session.conversation();
        prop_assert_eq!(conversation.path().next_back().unwrap().written(), &*text);
        let export = conversation.export();
        prop_assert_eq!(Conversation::import(export.clone()).unwrap().export(), export);
        let mut whole = self::driver(MarkdownTools::Display);
        writes(&mut whole, &text, usize::MAX >> 1);
        whole.event(text_end("m"));
        prop_assert_eq!(shown(&driver), shown(&whole));
    }
}
