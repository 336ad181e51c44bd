//! Invalid input is dropped with a diagnostic at any position of a response, and the rest is read
//! without it. A reference client may end the whole stream; this decoder continues.

use assistant_core::limits::Limits;
use assistant_protocols::stream::End;
use serde_json::{Value, json};

use super::{
    Log, Talk,
    normal::{Exceptions, differences, normal},
    ui_stream::stream,
    wires::Wire,
};
use crate::support::action;

/// Returns the final conversation, and the diagnostics of the response.
fn end(wire: Wire, frames: &[String]) -> (Value, Vec<String>) {
    let mut talk = Talk::new(wire.protocol());
    talk.driver.register(action("weather"));
    talk.driver.send("hi");
    let text: String = frames
        .iter()
        .map(|frame| format!("data: {frame}\n\n"))
        .collect();
    talk.answer(text.as_bytes());
    let stored = normal(
        talk.driver.session.export(),
        [wire, wire],
        &Exceptions::read(),
    );
    let codes = talk.diagnostics.iter().map(|note| note.code().to_owned());
    (stored, codes.collect())
}

/// Inserts each of the bad frames at each position of a good response.
fn assert_dropped(wire: Wire, good: &[Value], bad: &[&str]) {
    let good: Vec<String> = good
        .iter()
        .map(Value::to_string)
        .chain(["[DONE]".to_owned()])
        .collect();
    let (plain, codes) = end(wire, &good);
    assert_eq!(codes, [""; 0]);
    for bad in bad {
        for place in 1..good.len() {
            let mut frames = good.clone();
            frames.insert(place, (*bad).to_owned());
            let (stored, codes) = end(wire, &frames);
            let found = differences(&plain, &stored);
            assert!(found.is_empty(), "{bad} at {place}: {found:#?}");
            assert_eq!(codes, ["dropped-chunk"], "{bad} at {place}");
        }
    }
}

#[test]
fn invalid_ui_stream_chunks_are_dropped() {
    let good = [
        json!({"type": "start", "messageId": "a"}),
        json!({"type": "start-step"}),
        json!({"type": "text-start", "id": "1"}),
        json!({"type": "text-delta", "id": "1", "delta": "Let me see."}),
        json!({"type": "text-end", "id": "1"}),
        json!({"type": "tool-input-start", "toolCallId": "c", "toolName": "search"}),
        json!({"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": "{\"q\":1}"}),
        json!({"type": "tool-input-available", "toolCallId": "c", "toolName": "search", "input": {"q": 1}}),
        json!({"type": "tool-output-available", "toolCallId": "c", "output": "found"}),
        json!({"type": "finish-step"}),
        json!({"type": "start-step"}),
        json!({"type": "text-start", "id": "1"}),
        json!({"type": "text-delta", "id": "1", "delta": "Found."}),
        json!({"type": "text-end", "id": "1"}),
        json!({"type": "finish-step"}),
        json!({"type": "finish", "finishReason": "stop"}),
    ];
    let bad = [
        r#"{"type":"from-the-future","deep":[{"er":1}]}"#,
        r#"{"type":"text-dance","id":"1"}"#,
        r#"{"type":"tool-dance","toolCallId":"c"}"#,
        r#"{"type":5}"#,
        r#"{"no":"type"}"#,
        "null",
        "[]",
        "\"text\"",
        "not json",
        r#"{"type":"text-delta","id":"#,
        // No text has begun with this id, or the delta or the id is missing.
        r#"{"type":"text-delta","id":"9","delta":"x"}"#,
        r#"{"type":"text-end","id":"9"}"#,
        r#"{"type":"reasoning-delta","id":"1","delta":"x"}"#,
        r#"{"type":"text-delta","id":"1","delta":7}"#,
        r#"{"type":"text-delta","delta":"x"}"#,
        r#"{"type":"text-start"}"#,
        // No call has begun with this id, or the name is missing.
        r#"{"type":"tool-input-delta","toolCallId":"9","inputTextDelta":"{}"}"#,
        r#"{"type":"tool-input-start","toolCallId":"9"}"#,
        r#"{"type":"tool-input-start","toolName":"search"}"#,
        r#"{"type":"tool-input-available","toolName":"search","input":{}}"#,
        r#"{"type":"tool-output-available","toolCallId":"9","output":1}"#,
        r#"{"type":"tool-output-error","toolCallId":"9","errorText":"no"}"#,
        r#"{"type":"tool-output-denied","toolCallId":"9"}"#,
        r#"{"type":"tool-approval-request","toolCallId":"9","approvalId":"a"}"#,
        r#"{"type":"tool-approval-response","approvalId":"9","approved":true}"#,
        // Parts without required fields.
        r#"{"type":"data-chart"}"#,
        r#"{"type":"source-url","sourceId":"s"}"#,
        r#"{"type":"file","mediaType":"image/png"}"#,
    ];
    assert_dropped(Wire::UiStream, &good, &bad);
}

#[test]
fn invalid_completion_frames_are_dropped() {
    let delta = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let good = [
        delta(json!({"role": "assistant", "content": ""})),
        delta(json!({"content": "Let me see."})),
        delta(
            json!({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "weather", "arguments": ""}}]}),
        ),
        delta(json!({"tool_calls": [{"index": 0, "function": {"arguments": "{\"q\":"}}]})),
        delta(json!({"tool_calls": [{"index": 0, "function": {"arguments": "1}"}}]})),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}),
    ];
    let bad = [
        "not json",
        "[1]",
        "null",
        "\"text\"",
        r#"{"choices":"none"}"#,
        r#"{"choices":[{"index":1,"delta":{"content":"another choice"}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":7,"function":{"arguments":"{}"}}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[5]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":"all"}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":5}}]}"#,
    ];
    assert_dropped(Wire::Completions, &good, &bad);
}

#[test]
fn invalid_usage_is_ignored() {
    let usage_of = |usage: Value| {
        let mut talk = Talk::new(Wire::UiStream.protocol());
        talk.driver.send("hi");
        talk.answer(&stream(&[
            json!({"type": "start"}),
            json!({"type": "start-step"}),
            json!({"type": "text-start", "id": "1"}),
            json!({"type": "text-delta", "id": "1", "delta": "Hi."}),
            json!({"type": "text-end", "id": "1"}),
            json!({"type": "finish", "messageMetadata": {"totalUsage": usage}}),
        ]));
        assert!(talk.driver.notices().is_empty());
        let usage = talk.driver.session.summary().runs()[0]
            .usage()
            .first()
            .cloned();
        usage.map(|usage| (usage.input_tokens, usage.output_tokens, usage.total_tokens))
    };
    let whole = json!({"inputTokens": 3, "outputTokens": 4, "totalTokens": 7});
    assert_eq!(usage_of(whole), Some((Some(3), Some(4), Some(7))));
    let part = json!({"inputTokens": -3, "outputTokens": "4", "totalTokens": 7});
    assert_eq!(usage_of(part), Some((None, None, Some(7))));
    for none in [
        json!({"inputTokens": -1, "outputTokens": 0.5, "totalTokens": 1e40}),
        json!({}),
        json!(null),
        json!("many"),
        json!([1, 2]),
    ] {
        assert_eq!(usage_of(none.clone()), None, "{none}");
    }
}

#[test]
fn an_html_page_or_json_document_is_not_a_stream() {
    let page = b"<!doctype html><title>Log in</title><script>alert(1)</script>".as_slice();
    let document = br#"{"error":{"message":"no such chat"}}"#.as_slice();
    for (wire, bytes, word) in [
        (Wire::UiStream, page, None),
        (Wire::UiStream, document, Some("no such chat")),
        (Wire::Completions, page, None),
        (Wire::AgUi, page, None),
    ] {
        let mut talk = Talk::new(wire.protocol());
        talk.driver.send("hi");
        let mut log = Log::default();
        let mut reader = talk
            .protocol
            .decoder(talk.driver.request(), &Limits::default());
        reader.push(bytes, &mut log);
        let ending = reader.finish(&mut log);
        assert_ne!(ending.end, End::Complete, "{wire:?}");
        assert!(log.events.is_empty(), "{wire:?}");
        talk.answer(bytes);
        assert_eq!(talk.driver.notices().len(), 1, "{wire:?}");
        assert!(!talk.driver.session.is_busy(), "{wire:?}");
        if let Some(word) = word {
            let notice = &talk.driver.session.notices()[0];
            assert!(notice.message().contains(word), "{}", notice.message());
        }
    }
}
