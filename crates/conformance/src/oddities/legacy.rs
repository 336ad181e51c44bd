//! Test cases with events of peers before version 1.0: thinking events, binary parts, nulls.

use serde_json::{Value, json};

use super::{case, run};
use crate::malformed::Case;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = thinking();
    cases.extend(binary());
    cases.extend(nulls());
    cases
}

fn thinking() -> Vec<Case> {
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
    let mut cases = vec![case("thinking", run(words.map(event)))];
    for (index, word) in words.iter().enumerate() {
        let others = words.iter().enumerate().filter(|(at, _)| *at != index);
        let without = run(others.map(|(_, word)| event(word)));
        cases.push(case(format!("thinking without {word}"), without));
        let twice = words.iter().flat_map(|other| {
            let times = if other == word { 2 } else { 1 };
            std::iter::repeat_n(event(other), times)
        });
        cases.push(case(format!("thinking with {word} twice"), run(twice)));
        let mut id = event(word);
        if let Value::Object(id) = &mut id {
            id.insert("messageId".to_owned(), json!("own"));
            id.insert("future".to_owned(), json!(1));
        }
        cases.push(case(format!("{word} with more"), run([id])));
    }
    let bad = json!({"type": "THINKING_TEXT_MESSAGE_CONTENT", "delta": 1});
    let start = event("THINKING_TEXT_MESSAGE_START");
    cases.push(case("thinking a number", run([start.clone(), bad])));
    let none = json!({"type": "THINKING_TEXT_MESSAGE_CONTENT"});
    cases.push(case("thinking nothing", run([start, none])));
    cases.push(case(
        "thinking of the future",
        run([json!({"type": "THINKING_FUTURE"})]),
    ));
    cases
}

fn binary() -> Vec<Case> {
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
            cases.push(case(format!("snapshot of {holder}"), run([snapshot])));
            let started = json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r",
                "input": {"threadId": "t", "runId": "r", "messages": [holder]}});
            let finished = json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"});
            cases.push(case(format!("input of {holder}"), vec![started, finished]));
        }
        let result = json!({"type": "TOOL_CALL_RESULT", "messageId": "t", "toolCallId": "c", "content": parts});
        cases.push(case(format!("result of {parts}"), run([result])));
    }
    cases
}

/// Returns cases that several compatibility rewrites apply to, and cases with nulls that no rewrite
/// removes.
fn nulls() -> Vec<Case> {
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
        case(
            "an end of nulls",
            vec![
                started(json!({"threadId": "t", "runId": "r", "messages": []})),
                finished.clone(),
            ],
        ),
        case("an input of nulls", vec![started(fine), finished.clone()]),
        case(
            "an input with a null tool",
            vec![started(input), finished.clone()],
        ),
        case(
            "an input without messages",
            vec![
                started(json!({"threadId": "t", "runId": "r", "messages": null})),
                finished,
            ],
        ),
        case(
            "a call under null",
            run([
                json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f", "parentMessageId": null, "rawEvent": null}),
                json!({"type": "TOOL_CALL_END", "toolCallId": "c", "rawEvent": null}),
                json!({"type": "TOOL_CALL_CHUNK", "toolCallId": "d", "toolCallName": "f", "parentMessageId": null}),
                json!({"type": "TOOL_CALL_CHUNK", "toolCallId": "d", "parentMessageId": null, "delta": "{}"}),
            ]),
        ),
        case(
            "an unknown event with a null",
            run([json!({"type": "FUTURE", "rawEvent": null})]),
        ),
    ]
}
