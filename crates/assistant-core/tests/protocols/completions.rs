//! Properties of model endpoints: differences between servers, requests, another run after silence.

use std::fs;

use assistant_core::{
    conversation::{Message, Part, ToolCall},
    event::{Content, ContextItem, EventKind, Role},
    session::{Input, NoticeKind},
};
use assistant_protocols::{
    Completions,
    completions::{Reader, RequestOptions, ResponseParams, request_body},
    stream::{End, FinishedResponse},
};
use serde_json::{Value, json};

use super::{
    Log, Talk,
    wires::{ReplyPart, Wire},
};
use crate::support::action;

fn bytes(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/completions");
    fs::read(format!("{folder}/{name}")).unwrap()
}

/// A summary of a response.
#[derive(Debug, Default, PartialEq)]
struct Summary {
    text: String,
    thought: String,
    calls: Vec<(String, String)>,
    ended: usize,
    finish: Option<String>,
    error: Option<String>,
    tokens: Option<(Option<u64>, Option<u64>, Option<u64>)>,
    dropped: usize,
}

fn read(name: &str) -> (Summary, FinishedResponse) {
    let mut log = Log::default();
    let mut reader = Reader::new(ResponseParams::default());
    reader.push(&bytes(name), &mut log);
    let ending = reader.finish(&mut log);
    let dropped = |note: &&assistant_core::event::Diagnostic| note.code() == "dropped-chunk";
    let mut summary = Summary {
        dropped: log.diagnostics.iter().filter(dropped).count(),
        ..Summary::default()
    };
    let mut ids = Vec::new();
    for event in log.events {
        match event.kind {
            EventKind::TextMessageContent { delta, .. } => summary.text.push_str(&delta),
            EventKind::ReasoningMessageContent { delta, .. } => summary.thought.push_str(&delta),
            EventKind::ToolCallStart {
                tool_call_id,
                tool_call_name,
                ..
            } => {
                ids.push(tool_call_id);
                summary.calls.push((tool_call_name, String::new()));
            }
            EventKind::ToolCallArgs {
                tool_call_id,
                delta,
            } => {
                let place = ids.iter().position(|id| *id == tool_call_id).unwrap();
                summary.calls[place].1.push_str(&delta);
            }
            EventKind::ToolCallEnd { .. } => summary.ended += 1,
            EventKind::RunFinished { result, usage, .. } => {
                let reason =
                    result.and_then(|result| result["finishReason"].as_str().map(str::to_owned));
                summary.finish = Some(reason.unwrap_or_default());
                summary.tokens = usage
                    .first()
                    .map(|usage| (usage.input_tokens, usage.output_tokens, usage.total_tokens));
            }
            EventKind::RunError { message, .. } => summary.error = Some(message),
            _ => {}
        }
    }
    (summary, ending)
}

fn calls(list: &[(&str, &str)]) -> Vec<(String, String)> {
    let own = |(name, args): &(&str, &str)| ((*name).to_owned(), (*args).to_owned());
    list.iter().map(own).collect()
}

const OSLO: (&str, &str) = ("weather", r#"{"city":"Oslo"}"#);
const ROME: (&str, &str) = ("weather", r#"{"city":"Rome"}"#);

#[test]
fn text_reasoning_and_usage_are_read_from_many_servers() {
    for (name, text, thought, tokens) in [
        ("aimock-text.sse", "It is **clear** in Oslo. 🌤", "", None),
        (
            "aimock-think.sse",
            "Oslo.",
            "The capital of Norway, so Oslo.",
            None,
        ),
        (
            "litellm-text.sse",
            "It is **clear** in Oslo. 🌤",
            "",
            Some((0, 0, 0)),
        ),
        (
            "portkey-text.sse",
            "It is **clear** in Oslo. 🌤",
            "",
            Some((0, 0, 0)),
        ),
        (
            "litellm-think.sse",
            "Oslo.",
            "The capital of Norway, so Oslo.",
            Some((0, 0, 0)),
        ),
        (
            "portkey-think.sse",
            "Oslo.",
            "The capital of Norway, so Oslo.",
            Some((0, 0, 0)),
        ),
        ("ollama-text.sse", "Oslo.", "Okay, Oslo.", Some((20, 9, 29))),
        (
            "llamacpp-text.sse",
            "It is clear.",
            "Hm.",
            Some((31, 7, 38)),
        ),
        ("openai-refusal.sse", "I'm sorry, I can't help.", "", None),
    ] {
        let (summary, ending) = read(name);
        assert_eq!(ending.end, End::Complete, "{name}");
        assert_eq!(summary.text, text, "{name}");
        assert_eq!(summary.thought, thought, "{name}");
        // Outside of its strict mode this gateway passes on the reason of the model's own
        // interface.
        let finish = if name == "portkey-think.sse" {
            "end_turn"
        } else {
            "stop"
        };
        assert_eq!(summary.finish.as_deref(), Some(finish), "{name}");
        if let Some((input, output, total)) = tokens {
            assert_eq!(
                summary.tokens,
                Some((Some(input), Some(output), Some(total))),
                "{name}"
            );
        }
        assert_eq!(summary.dropped, 0, "{name}");
    }
}

#[test]
fn calls_are_read_from_many_servers() {
    for (name, expected) in [
        ("aimock-call.sse", vec![OSLO]),
        ("aimock-two.sse", vec![OSLO, ("time", "{}")]),
        ("litellm-call.sse", vec![OSLO]),
        ("litellm-both.sse", vec![OSLO, ROME]),
        ("portkey-call.sse", vec![OSLO]),
        ("portkey-both.sse", vec![OSLO, ROME]),
        ("openai-parallel.sse", vec![OSLO, ROME]),
        ("ollama-calls.sse", vec![OSLO, ROME]),
        ("llamacpp-calls.sse", vec![OSLO]),
        (
            "vllm-calls.sse",
            vec![
                ("weather", r#"{"city": "Oslo"}"#),
                ("weather", r#"{"city": "Rome"}"#),
            ],
        ),
        ("odd-index.sse", vec![OSLO, ("time", r#"{"zone":"UTC"}"#)]),
        (
            "odd-no-index.sse",
            vec![OSLO, ("time", r#"{"zone":"UTC"}"#)],
        ),
        ("odd-repeated.sse", vec![OSLO]),
        ("odd-object.sse", vec![OSLO]),
        ("odd-legacy.sse", vec![OSLO]),
        ("odd-whole.json", vec![OSLO]),
    ] {
        let (summary, ending) = read(name);
        assert_eq!(summary.calls, calls(&expected), "{name}");
        assert_eq!(summary.ended, expected.len(), "{name}");
        assert_eq!(ending.end, End::Complete, "{name}");
        assert_eq!(summary.dropped, 0, "{name}");
    }
    assert_eq!(read("aimock-both.sse").0.text, "Let me see.");
    assert_eq!(read("litellm-both.sse").0.text, "Looking both up.");
    assert_eq!(read("portkey-both.sse").0.text, "Looking both up.");
    // Totals that are repeated with every chunk are not added up.
    assert_eq!(
        read("vllm-calls.sse").0.tokens,
        Some((Some(40), Some(20), Some(60)))
    );
}

#[test]
fn errors_are_read_from_many_servers() {
    for (name, error) in [
        ("aimock-error.json", "Rate limited"),
        ("llamacpp-error.sse", "context shift is disabled"),
        (
            "litellm-error.json",
            "/chat/completions: Invalid model name passed in model=none. Call `/v1/models` to view available models for your key.",
        ),
        (
            "vllm-error.sse",
            "This model's maximum context length is 4096 tokens.",
        ),
    ] {
        let (summary, ending) = read(name);
        assert_eq!(summary.error.as_deref(), Some(error), "{name}");
        assert_eq!(ending.end, End::Complete, "{name}");
    }
}

#[test]
fn malformed_responses_are_reported() {
    let (summary, ending) = read("odd-page.html");
    assert_eq!(summary, Summary::default());
    assert_eq!(ending.end, End::Failed);
    assert_eq!(ending.error.unwrap().code(), "not-a-stream");

    let (summary, ending) = read("odd-cut.sse");
    assert_eq!(
        (summary.text.as_str(), ending.end, ending.mid_frame),
        ("Hal", End::Truncated, true)
    );

    let (summary, _) = read("odd-pieces.sse");
    assert_eq!((summary.text.as_str(), summary.dropped), ("Hi", 5));

    let (summary, _) = read("odd-usage.sse");
    assert_eq!(summary.tokens, Some((None, None, Some(12))));
}

#[test]
fn a_truncated_call_is_answered_with_an_error() {
    let mut talk = Talk::new(Wire::Completions.protocol());
    talk.driver.register(action("weather"));
    talk.driver.send("hi");
    talk.answer(&bytes("openai-length.sse"));
    assert_eq!(talk.driver.starts("call_1"), 0);
    assert!(talk.driver.answer("call_1").contains("were cut off"));
    // Invalid arguments are sent back as JSON, since servers fail on anything else.
    let call = &talk.body()["messages"][1]["tool_calls"][0];
    let args = call["function"]["arguments"].as_str().unwrap();
    assert_eq!(args, r#"{"invalid":"{\"city\":\"Os"}"#);
}

#[test]
fn a_request_carries_the_whole_conversation() {
    let protocol = Completions::new(RequestOptions::default().model("qwen3"));
    let mut talk = Talk::new(Box::new(protocol));
    talk.driver.register(action("weather"));
    talk.driver.input(Input::SetForwardedProps {
        props: json!({"temperature": 0}),
    });
    talk.driver.input(Input::SetContext {
        owner: 1,
        item: Some(ContextItem::new("Page", "harbour")),
    });
    let parts = json!([
        {"type": "text", "text": "look"},
        {"type": "image", "source": {"type": "data", "value": "AAAA", "mimeType": "image/png"}},
        {"type": "audio", "source": {"type": "data", "value": "BB", "mimeType": "audio/mpeg"}},
    ]);
    let content: Content = assistant_core::json::form::content_from_value(parts).unwrap();
    talk.driver.input(Input::Send { content });
    talk.answer(Wire::Completions.response(
        1,
        &[
            ReplyPart::Text("Let me see."),
            ReplyPart::Call("c1", "weather", r#"{"a":1}"#),
        ],
    ));
    talk.driver.returns("c1", json!({"sky": "clear"}));
    let mut body = talk.body();
    let tools = body["tools"].take();
    assert_eq!(tools[0]["function"]["name"], "weather");
    assert_eq!(
        body,
        json!({
            "temperature": 0,
            "model": "qwen3",
            "messages": [
                {"role": "system", "content": "Page: harbour"},
                {"role": "user", "content": [
                    {"type": "text", "text": "look"},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
                    {"type": "input_audio", "input_audio": {"data": "BB", "format": "mp3"}},
                ]},
                {"role": "assistant", "content": "Let me see.", "tool_calls": [
                    {"id": "c1", "type": "function",
                        "function": {"name": "weather", "arguments": "{\"a\":1}"}},
                ]},
                {"role": "tool", "tool_call_id": "c1", "content": "{\"sky\":\"clear\"}"},
            ],
            "tools": null,
            "stream": true,
            "stream_options": {"include_usage": true},
        })
    );
}

#[test]
fn the_host_can_set_the_id_of_the_answer() {
    for wire in [Wire::Completions, Wire::UiStream] {
        let mut talk = Talk::new(wire.protocol());
        talk.driver.register(action("weather"));
        talk.driver.input(Input::SetForwardedProps {
            props: json!({"assistantMessageId": "mine"}),
        });
        talk.driver.send("hi");
        assert_eq!(talk.body().get("assistantMessageId"), None);
        if wire == Wire::Completions {
            let reply = [
                ReplyPart::Text("Hm."),
                ReplyPart::Call("c1", "weather", "{}"),
            ];
            talk.answer(wire.response(1, &reply));
            talk.driver.returns("c1", json!(1));
        }
        // A given id is used once; without one, ids differ.
        let own: &[u8] = match wire {
            Wire::Completions => b"data: {\"choices\":[{\"delta\":{\"content\":\"Yes.\"}}]}\n\ndata: [DONE]\n\n",
            _ => b"data: {\"type\":\"start\"}\n\ndata: {\"type\":\"start-step\"}\n\ndata: {\"type\":\"finish\"}\n\n",
        };
        talk.answer(own);
        let conversation = talk.driver.session.conversation();
        assert!(conversation.message(&"mine".into()).is_some(), "{wire:?}");
        let answers = conversation.path().count() - 1;
        assert_eq!(answers, if wire == Wire::Completions { 2 } else { 1 });
    }
}

#[test]
fn reasoning_is_sent_back_when_enabled() {
    let mut talk = Talk::new(Wire::Completions.protocol());
    talk.driver.send("hi");
    talk.answer(&bytes("ollama-text.sse"));
    talk.driver.send("and now?");
    let input = talk.driver.request();
    let answer = |options: &RequestOptions| request_body(input, options)["messages"][1].clone();
    assert_eq!(
        answer(&RequestOptions::default()),
        json!({"role": "assistant", "content": "Oslo."})
    );
    let options = RequestOptions::default()
        .send_reasoning()
        .no_stream_options();
    assert_eq!(answer(&options)["reasoning_content"], "Okay, Oslo.");
    assert_eq!(
        request_body(input, &options).get("stream_options"),
        None::<&Value>
    );
}

#[test]
fn an_empty_answer_after_a_result_is_retried_once() {
    let mut talk = Talk::new(Wire::Completions.protocol());
    talk.driver.register(action("weather"));
    talk.driver.send("hi");
    talk.answer(Wire::Completions.response(1, &[ReplyPart::Call("c1", "weather", "{}")]));
    talk.driver.returns("c1", json!(1));
    talk.answer(Wire::Completions.response(2, &[]));
    assert_eq!(talk.driver.runs.len(), 3);
    assert_eq!(talk.driver.notices(), []);
    // A second empty answer is reported to the user.
    talk.answer(Wire::Completions.response(3, &[]));
    assert_eq!(talk.driver.runs.len(), 3);
    assert_eq!(talk.driver.notices(), [NoticeKind::NoAnswer]);
}

#[test]
fn an_empty_answer_of_an_ag_ui_agent_is_not_retried() {
    let mut talk = Talk::new(Wire::AgUi.protocol());
    talk.driver.register(action("weather"));
    talk.driver.send("hi");
    talk.answer(Wire::AgUi.response(1, &[ReplyPart::Call("c1", "weather", "{}")]));
    talk.driver.returns("c1", json!(1));
    talk.answer(Wire::AgUi.response(2, &[]));
    assert_eq!(talk.driver.runs.len(), 2);
    assert_eq!(talk.driver.notices(), [NoticeKind::NoAnswer]);
}

#[test]
fn reasoning_is_read_from_the_fields_of_many_servers() {
    let deltas = [
        ("DeepSeek, vLLM", json!({"reasoning_content": "Okay."})),
        ("Ollama, Groq", json!({"reasoning": "Okay."})),
        (
            "an empty field before",
            json!({"reasoning_content": "", "reasoning": "Okay."}),
        ),
        (
            "a field that is null",
            json!({"reasoning_content": null, "thinking": "Okay."}),
        ),
        ("Copilot", json!({"reasoning_text": "Okay."})),
        (
            "OpenRouter, twice the same",
            json!({"reasoning": "Okay.", "reasoning_details": [{"type": "reasoning.text", "text": "Okay."}]}),
        ),
        (
            "OpenRouter, a summary beside encrypted data",
            json!({"reasoning_details": [
                {"type": "reasoning.encrypted", "data": "c2VhbA=="},
                {"type": "reasoning.summary", "summary": "Okay."},
            ]}),
        ),
        (
            "LiteLLM",
            json!({"thinking_blocks": [{"type": "thinking", "thinking": "Okay.", "signature": "s"}]}),
        ),
        (
            "Databricks, Mistral",
            json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Okay."}]}]}),
        ),
    ];
    for (server, delta) in deltas {
        let mut talk = Talk::new(Wire::Completions.protocol());
        talk.driver.send("hi");
        let chunk = |delta: Value| {
            let chunk = json!({"choices": [{"index": 0, "delta": delta}]});
            format!("data: {chunk}\n\n")
        };
        let stream = chunk(delta) + &chunk(json!({"content": "Oslo."})) + "data: [DONE]\n\n";
        talk.answer(stream.as_bytes());
        let conversation = talk.driver.session.conversation();
        let texts = |role| {
            let messages = conversation.path().filter(|message| message.role() == role);
            messages.map(Message::text).collect::<Vec<String>>()
        };
        let thought = conversation.path().flat_map(|message| message.parts());
        let thought = thought.filter_map(|part| match part {
            Part::Reasoning(part) => Some(part.text().to_owned()),
            _ => None,
        });
        assert_eq!(thought.collect::<Vec<_>>(), ["Okay."], "{server}");
        assert_eq!(texts(Role::Assistant).concat(), "Oslo.", "{server}");
    }
}

/// Returns the names and arguments of the calls in chunks with these lists of `tool_calls`.
fn assembled_calls(lists: &[Value]) -> Vec<(String, String)> {
    let mut talk = Talk::new(Wire::Completions.protocol());
    talk.driver.send("hi");
    let mut stream = String::new();
    for list in lists {
        let chunk = json!({"choices": [{"delta": {"tool_calls": list}}]});
        stream += &format!("data: {chunk}\n\n");
    }
    talk.answer((stream + "data: [DONE]\n\n").as_bytes());
    let conversation = talk.driver.session.conversation();
    let calls = conversation
        .path()
        .flat_map(|message| conversation.calls_in(message));
    let fields = |call: &ToolCall| (call.name().to_owned(), call.args_text().to_owned());
    calls.map(fields).collect()
}

#[test]
fn calls_that_share_an_id_are_separate() {
    let (a, b) = (r#"{"p":"a"}"#, r#"{"p":"b"}"#);
    let piece = |index: Value, name: &str, args: &str| {
        let mut piece = json!({"id": "read", "function": {"name": name, "arguments": args}});
        if !index.is_null() {
            piece["index"] = index;
        }
        piece
    };
    let none = Value::Null;
    for (what, lists, expected) in [
        (
            "the index differs",
            vec![json!([
                piece(json!(0), "read", a),
                piece(json!(1), "read", b)
            ])],
            [("read", a), ("read", b)],
        ),
        (
            "no index",
            vec![json!([
                piece(none.clone(), "read", a),
                piece(none.clone(), "read", b)
            ])],
            [("read", a), ("read", b)],
        ),
        (
            "the name differs, and the first call continues",
            vec![
                json!([
                    piece(json!(0), "read", "{\"p\":"),
                    piece(json!(1), "list", b)
                ]),
                json!([{"index": 0, "id": "read", "function": {"arguments": "\"a\"}"}}]),
            ],
            [("read", a), ("list", b)],
        ),
        (
            "the second call is in pieces",
            vec![
                json!([
                    piece(json!(0), "read", a),
                    piece(json!(1), "read", "{\"p\":")
                ]),
                json!([piece(json!(1), "read", "\"b\"}")]),
            ],
            [("read", a), ("read", b)],
        ),
        (
            "the arguments follow in pieces with an index only",
            vec![
                json!([piece(json!(0), "read", "")]),
                json!([{"index": 0, "function": {"arguments": a}}]),
                json!([piece(json!(1), "read", "")]),
                json!([{"index": 1, "function": {"arguments": b}}]),
            ],
            [("read", a), ("read", b)],
        ),
        (
            "both calls begin before their arguments",
            vec![
                json!([piece(json!(0), "read", ""), piece(json!(1), "read", "")]),
                json!([{"index": 0, "id": "read", "function": {"arguments": a}}]),
                json!([{"index": 1, "id": "read", "function": {"arguments": b}}]),
            ],
            [("read", a), ("read", b)],
        ),
        (
            "the last chunk repeats both calls without an index",
            vec![
                json!([piece(json!(0), "read", a)]),
                json!([{"index": 1, "id": "other", "function": {"name": "list", "arguments": b}}]),
                json!([
                    piece(none, "read", a),
                    {"id": "other", "function": {"name": "list", "arguments": b}}
                ]),
            ],
            [("read", a), ("list", b)],
        ),
    ] {
        assert_eq!(assembled_calls(&lists), calls(&expected), "{what}");
    }
    // Pieces of one call, which repeat its id and name at wrong indexes.
    let lists = [json!([
        piece(json!(0), "read", "{\"p\":"),
        piece(json!(1), "read", "\"a\"}"),
        piece(json!(2), "read", ""),
    ])];
    assert_eq!(assembled_calls(&lists), calls(&[("read", a)]));
}

#[test]
fn a_name_in_pieces_is_complete_before_arguments_and_at_the_end() {
    let piece = |index: u64, name: &str, args: &str| json!([{"index": index, "function": {"name": name, "arguments": args}}]);
    let lists = [
        piece(0, "get_", ""),
        piece(0, "weather", ""),
        piece(0, "", "{"),
        piece(0, "", "}"),
        piece(1, "ti", ""),
        piece(1, "me", ""),
    ];
    let expected = calls(&[("get_weather", "{}"), ("time", "")]);
    assert_eq!(assembled_calls(&lists), expected);
}
