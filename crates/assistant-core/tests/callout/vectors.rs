//! The recorded cases, parsed at once, by characters and in the recorded pieces.

use assistant_core::text::callout::{
    Callout, CalloutOptions, CalloutState, Chunk, Parser, StreamChunk, create_stream_chunks, parse,
    parse_with,
};
use serde_json::{Value, json};

use super::{joined, json, read_pieces, source};

fn group(name: &str) -> Vec<Value> {
    let text = include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../fixtures/markdown_tool/markdown_tool.json"
    ));
    let mut all: Value = serde_json::from_str(text).unwrap();
    serde_json::from_value(all[name].take()).unwrap()
}

fn text<'a>(case: &'a Value, key: &str) -> &'a str {
    case[key].as_str().unwrap()
}

fn events(chunks: &[Chunk], query: &str, output: &str) -> Value {
    let events = create_stream_chunks(chunks, query, output);
    events.iter().map(StreamChunk::to_json).collect()
}

#[test]
fn every_vector_parses_as_recorded() {
    let cases = group("vectors");
    assert!(cases.len() >= 55);
    for case in cases {
        let (id, input) = (text(&case, "id"), text(&case, "input"));
        let chunks = parse(input);
        assert_eq!(json(&chunks), case["chunks"], "{id}: chunks");
        let whole = parse_with(input, CalloutOptions::default());
        assert_eq!(json(&whole), case["coalesced"], "{id}: coalesced");
        let emitted = events(&chunks, text(&case, "user_query"), input);
        assert_eq!(emitted, case["events"], "{id}: events");
        assert_eq!(source(&chunks), input, "{id}: source");
    }
}

#[test]
fn every_vector_parses_the_same_in_pieces() {
    for case in group("vectors") {
        let (id, input) = (text(&case, "id"), text(&case, "input"));
        let characters: Vec<String> = input.chars().map(String::from).collect();
        for count in 1..8 {
            let pieces: Vec<String> = characters.chunks(count).map(<[_]>::concat).collect();
            let chunks = read_pieces(pieces.iter().map(String::as_str), CalloutOptions::default());
            assert_eq!(
                json(&chunks),
                case["coalesced"],
                "{id} in pieces of {count}"
            );
        }
    }
}

fn given(chunk: &Value) -> Chunk {
    if chunk["type"] == "text" {
        return Chunk::Text(text(chunk, "value").to_owned());
    }
    let mut call = Callout::new(text(chunk, "toolName"), text(chunk, "toolCallId"));
    if let Some(state) = chunk["state"].as_str().and_then(CalloutState::parse) {
        call = call.with_state(state);
    }
    if let Some(input) = chunk.get("input") {
        call = call.with_input(input.clone());
    }
    if let Some(output) = chunk.get("output") {
        call = call.with_output(output.clone());
    }
    if let Some(message) = chunk["errorText"].as_str() {
        call = call.with_error_text(message);
    }
    Chunk::Tool(Box::new(call))
}

#[test]
fn stream_events_of_given_chunks_match_the_recording() {
    let cases = group("events_only");
    assert!(cases.len() >= 3);
    for case in cases {
        let chunks: Vec<Chunk> = case["given_chunks"]
            .as_array()
            .unwrap()
            .iter()
            .map(given)
            .collect();
        let emitted = events(&chunks, text(&case, "user_query"), text(&case, "output"));
        assert_eq!(emitted, case["events"], "{}", case["id"]);
    }
}

#[test]
fn a_state_implies_the_outcome_that_a_callout_does_not_contain() {
    let outcome = |state: CalloutState| {
        let call = Callout::new("f", "c").with_state(state);
        let all = events(&[Chunk::Tool(Box::new(call))], "", "");
        // The outcome follows the start of the text and the input, and precedes the end of the text
        // and of the stream.
        let all = all.as_array().unwrap();
        all[2..all.len() - 2].to_vec()
    };
    let error = |text: &str| {
        vec![json!({"type": "tool-output-error", "toolCallId": "c", "errorText": text})]
    };
    assert_eq!(
        outcome(CalloutState::OutputAvailable),
        [json!({"type": "tool-output-available", "toolCallId": "c", "output": null})]
    );
    assert_eq!(
        outcome(CalloutState::OutputError),
        error("An unknown tool error occurred.")
    );
    assert_eq!(
        outcome(CalloutState::OutputDenied),
        error("Tool execution was denied.")
    );
    for state in [
        CalloutState::InputStreaming,
        CalloutState::InputAvailable,
        CalloutState::ApprovalRequested,
        CalloutState::ApprovalResponded,
    ] {
        assert_eq!(outcome(state), [] as [Value; 0], "{}", state.as_str());
    }
}

#[test]
fn the_usage_of_a_stream_is_measured_in_utf_16() {
    let all = events(&[], "a\u{1f600}", "\u{e9}\u{1f600}\u{1f600}");
    let finish = all.as_array().unwrap().last().unwrap();
    assert_eq!(
        finish["usage"],
        json!({"inputTokens": 3, "outputTokens": 5, "totalTokens": 8})
    );
}

#[test]
fn every_push_emits_the_recorded_chunks() {
    let cases = group("streaming");
    assert!(cases.len() >= 6);
    for case in cases {
        let id = text(&case, "id");
        let mut parser = Parser::new(CalloutOptions::default());
        let mut all = Vec::new();
        let pushes = case["pushes"].as_array().unwrap();
        let after = case["after_each_push"].as_array().unwrap();
        for (push, after) in pushes.iter().zip(after) {
            let emitted = parser.push(push.as_str().unwrap());
            assert_eq!(json(&emitted), after["emitted"], "{id}: after {push}");
            let pending = parser.pending().map_or(Value::Null, |pending| {
                json!({
                    "toolCallId": pending.id(),
                    "toolName": pending.name(),
                    "state": "input-streaming",
                })
            });
            assert_eq!(pending, after["pending"], "{id}: pending after {push}");
            all.extend(emitted);
        }
        let rest = parser.finish();
        assert_eq!(
            json(&rest),
            case["after_finish"]["emitted"],
            "{id}: at the end"
        );
        all.extend(rest);
        assert_eq!(json(&joined(all)), case["total_coalesced"], "{id}: all");
    }
}
