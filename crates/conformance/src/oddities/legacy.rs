//! Test cases with events of peers before version 1.0: thinking events, binary parts, nulls.

use serde_json::{Value, json};

use super::{create_case, wrap_in_run};
use crate::malformed::Case;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = thinking_cases();
    cases.extend(binary_cases());
    cases.extend(null_cases());
    cases
}

fn thinking_cases() -> Vec<Case> {
    let words = [
        "THINKING_START",
        "THINKING_TEXT_MESSAGE_START",
        "THINKING_TEXT_MESSAGE_CONTENT",
        "THINKING_TEXT_MESSAGE_END",
        "THINKING_END",
    ];
    let event = |kind: &str| match kind {
        "THINKING_START" => json!({"type": kind, "title": "T"}),
        "THINKING_TEXT_MESSAGE_CONTENT" => json!({"type": kind, "delta": "h", "rawEvent": null}),
        _ => json!({"type": kind}),
    };
    let mut cases = vec![create_case("thinking", wrap_in_run(words.map(event)))];
    for (index, word) in words.iter().enumerate() {
        let others = words.iter().enumerate().filter(|(at, _)| *at != index);
        let without = wrap_in_run(others.map(|(_, word)| event(word)));
        cases.push(create_case(format!("thinking without {word}"), without));
        let twice = words.iter().flat_map(|other| {
            let times = if other == word { 2 } else { 1 };
            std::iter::repeat_n(event(other), times)
        });
        cases.push(create_case(
            format!("thinking with {word} twice"),
            wrap_in_run(twice),
        ));
        let mut id = event(word);
        if let Value::Object(id) = &mut id {
            id.insert("messageId".to_owned(), json!("own"));
            id.insert("future".to_owned(), json!(1));
        }
        cases.push(create_case(format!("{word} with more"), wrap_in_run([id])));
    }
    let bad = json!({"type": "THINKING_TEXT_MESSAGE_CONTENT", "delta": 1});
    let start = event("THINKING_TEXT_MESSAGE_START");
    cases.push(create_case(
        "thinking a number",
        wrap_in_run([start.clone(), bad]),
    ));
    let none = json!({"type": "THINKING_TEXT_MESSAGE_CONTENT"});
    cases.push(create_case("thinking nothing", wrap_in_run([start, none])));
    cases.push(create_case(
        "thinking of the future",
        wrap_in_run([json!({"type": "THINKING_FUTURE"})]),
    ));
    cases
}

fn binary_cases() -> Vec<Case> {
    let modern = json!({"type": "image", "source": {"type": "url", "value": "http://x/y", "mimeType": "image/png"}});
    let parts = [
        json!([{"type": "binary", "mimeType": "image/png", "url": "http://x/y"}]),
        json!([{"type": "binary", "mimeType": "audio/wav", "data": "QQ=="}]),
        json!([{"type": "binary", "mimeType": "video/mp4", "id": "h"}]),
        json!([{"type": "binary", "mimeType": "application/pdf", "data": "QQ==", "url": "http://x/y", "id": "h"}]),
        json!([{"type": "binary", "mimeType": "image", "url": "http://x/y"}]),
        json!([{"type": "binary", "mimeType": "imagery/png", "url": "http://x/y"}]),
        json!([{"type": "binary", "mimeType": "", "url": "http://x/y"}]),
        json!([{"type": "binary", "mimeType": "image/png", "data": "", "url": "http://x/y"}]),
        json!([{"type": "binary", "mimeType": "image/png", "data": null, "url": "http://x/y"}]),
        json!([{"type": "binary", "mimeType": "image/png", "url": ""}]),
        json!([{"type": "binary", "mimeType": "image/png", "url": 1}]),
        json!([{"type": "binary", "mimeType": "image/png"}]),
        json!([{"type": "binary", "url": "http://x/y"}]),
        json!([{"type": "binary", "mimeType": 1, "url": "http://x/y"}]),
        json!([{"type": "binary", "mimeType": "image/png", "url": "http://x/y", "filename": "f.png"}]),
        json!([{"type": "binary", "mimeType": "image/png", "url": "http://x/y", "filename": ""}]),
        json!([{"type": "binary", "mimeType": "image/png", "url": "http://x/y", "filename": 1}]),
        json!([{"type": "binary", "mimeType": "image/png", "url": "http://x/y", "filename": "f", "metadata": {"k": 1}, "future": 1}]),
        json!([{"type": "binary", "mimeType": "image/png", "url": "http://x/y"}, modern]),
        json!([modern, {"type": "binary", "mimeType": "image/png", "url": "http://x/y", "filename": "f"}]),
        json!([modern, modern]),
        json!(["binary", {"type": "text", "text": "x"}]),
        json!([{"type": "image", "source": {"type": "url", "value": "u"}, "metadata": null}, {"type": "binary", "mimeType": "image/png", "url": "u"}]),
    ];
    let mut cases = Vec::new();
    for parts in parts {
        let holders = [
            json!({"id": "u", "role": "user", "content": parts}),
            json!({"id": "t", "role": "tool", "toolCallId": "c", "content": parts}),
            json!({"id": "a", "role": "assistant", "content": parts}),
        ];
        for holder in holders {
            let snapshot = json!({"type": "MESSAGES_SNAPSHOT", "messages": [holder]});
            cases.push(create_case(
                format!("snapshot of {holder}"),
                wrap_in_run([snapshot]),
            ));
            let started = json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r",
                "input": {"threadId": "t", "runId": "r", "messages": [holder]}});
            let finished = json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"});
            cases.push(create_case(
                format!("input of {holder}"),
                vec![started, finished],
            ));
        }
        let result = json!({"type": "TOOL_CALL_RESULT", "messageId": "t", "toolCallId": "c", "content": parts});
        cases.push(create_case(
            format!("result of {parts}"),
            wrap_in_run([result]),
        ));
    }
    cases
}

/// Returns cases that several compatibility rewrites apply to, and cases with nulls that no rewrite
/// removes.
fn null_cases() -> Vec<Case> {
    let finished = json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "result": null, "outcome": null, "rawEvent": null});
    let started = |input: Value| json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r", "rawEvent": null, "input": input});
    let input = json!({"threadId": "t", "runId": "r", "state": null, "forwardedProps": null,
        "tools": [{"name": "f", "description": "d", "parameters": null}, null],
        "resume": [{"interruptId": "i", "status": "resolved", "payload": null}],
        "messages": [{"id": "u", "role": "user", "content": [{"type": "image", "metadata": null, "source": {"type": "url", "value": "u"}}]}]});
    let mut fine = input.clone();
    if let Some(tools) = fine.get_mut("tools").and_then(Value::as_array_mut) {
        tools.pop();
    }
    vec![
        create_case(
            "an end of nulls",
            vec![
                started(json!({"threadId": "t", "runId": "r", "messages": []})),
                finished.clone(),
            ],
        ),
        create_case("an input of nulls", vec![started(fine), finished.clone()]),
        create_case(
            "an input with a null tool",
            vec![started(input), finished.clone()],
        ),
        create_case(
            "an input without messages",
            vec![
                started(json!({"threadId": "t", "runId": "r", "messages": null})),
                finished,
            ],
        ),
        create_case(
            "a call under null",
            wrap_in_run([
                json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f", "parentMessageId": null, "rawEvent": null}),
                json!({"type": "TOOL_CALL_END", "toolCallId": "c", "rawEvent": null}),
                json!({"type": "TOOL_CALL_CHUNK", "toolCallId": "d", "toolCallName": "f", "parentMessageId": null}),
                json!({"type": "TOOL_CALL_CHUNK", "toolCallId": "d", "parentMessageId": null, "delta": "{}"}),
            ]),
        ),
        create_case(
            "an unknown event with a null",
            wrap_in_run([json!({"type": "FUTURE", "rawEvent": null})]),
        ),
    ]
}
