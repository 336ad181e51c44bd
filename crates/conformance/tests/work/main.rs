//! Checks that work is proportional to the input, and that the cost of an event does not depend on
//! the length of the conversation. Work is measured in allocations, because times are unreliable.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod actions;
mod callouts;
mod lists;
mod observers;
mod protocols;
mod texts;
mod tree;

use assistant_protocols::agui::DecoderOptions;
use assistant_testkit::replay::{Replay, ReplayInput, Stream};
use conformance::counting::{CountingAllocator, Work, measure_work};
use serde_json::{Value, json};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// A function that creates the event with this number.
type MakeEvent = Box<dyn Fn(usize) -> Value>;

/// Measures the work for three inputs, each twice as large as the previous one. Fails if doubling
/// the input costs more than about twice the work.
fn assert_linear_work<T>(what: &str, prepare: impl Fn(usize) -> T, work: impl Fn(T)) {
    let sizes = [1_000, 2_000, 4_000];
    let counted: Vec<Work> = sizes
        .iter()
        .map(|size| {
            let input = prepare(*size);
            measure_work(|| work(input))
        })
        .collect();
    for step in counted.windows(2) {
        let bytes = step[1].bytes as f64 / step[0].bytes as f64;
        let calls = step[1].calls as f64 / step[0].calls.max(1) as f64;
        // A few calls are a doubling buffer, and one more doubling is not a trend.
        let steady = calls < 2.3 || step[1].calls < 100;
        assert!(bytes < 2.3 && steady, "{what}: {counted:?}");
    }
}

fn create_open_run(event: impl Fn(usize) -> Value) -> impl Fn(usize) -> Vec<u8> {
    move |count| {
        let mut bytes = write_frame(&json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}));
        bytes += &write_frame(&json!({"type": "TEXT_MESSAGE_START", "messageId": "m"}));
        bytes += &write_frame(
            &json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"}),
        );
        for n in 0..count {
            bytes += &write_frame(&event(n));
        }
        bytes.into_bytes()
    }
}

fn write_frame(event: &Value) -> String {
    format!("data: {event}\n\n")
}

/// Plays a response in pieces, in tolerant and in strict mode.
fn play(bytes: Vec<u8>) {
    for options in [DecoderOptions::default(), DecoderOptions::strict()] {
        let mut replay = Replay::new();
        let mut stream = replay.stream(ReplayInput::default(), options);
        for piece in bytes.chunks(1_000) {
            stream.push_bytes(piece);
        }
        assert_eq!(stream.finish().error, None);
    }
}

#[test]
fn events_of_a_run_take_linear_work() {
    // 24 characters each: the middle of a long list of words.
    let words = |n: usize| {
        if n == 0 {
            "{\"list\":[\"abcdefghijkl\",\""
        } else {
            "abcdefghijklmnopqrst\",\"a"
        }
    };
    let events: [(&str, MakeEvent); 12] = [
        (
            "text",
            Box::new(
                |_| json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "token "}),
            ),
        ),
        (
            "arguments",
            Box::new(
                move |n| json!({"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": words(n)}),
            ),
        ),
        (
            "text chunks",
            Box::new(
                |_| json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "other", "delta": "token "}),
            ),
        ),
        (
            "messages",
            Box::new(|n| json!({"type": "TEXT_MESSAGE_START", "messageId": format!("m{n:05}")})),
        ),
        (
            "calls",
            Box::new(
                |n| json!({"type": "TOOL_CALL_START", "toolCallId": format!("c{n:05}"), "toolCallName": "f", "parentMessageId": "m"}),
            ),
        ),
        (
            "results",
            Box::new(
                |n| json!({"type": "TOOL_CALL_RESULT", "messageId": format!("t{n:05}"), "toolCallId": "c", "content": "x"}),
            ),
        ),
        (
            "state",
            Box::new(
                |n| json!({"type": "STATE_DELTA", "delta": [{"op": "add", "path": format!("/k{n:05}"), "value": 1}]}),
            ),
        ),
        (
            "activity",
            Box::new(
                |n| json!({"type": "ACTIVITY_SNAPSHOT", "messageId": format!("a{n:05}"), "activityType": "p", "content": {}}),
            ),
        ),
        (
            "steps",
            Box::new(|n| json!({"type": "STEP_STARTED", "stepName": format!("s{n:05}")})),
        ),
        (
            "subagents",
            Box::new(
                |n| json!({"type": "SUBAGENT_STARTED", "subagentRunId": format!("s{n:05}"), "name": "n"}),
            ),
        ),
        (
            "lanes",
            Box::new(
                |n| json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": format!("l{:02}", n % 20), "delta": "x", "subagentRunId": format!("s{:02}", n % 20)}),
            ),
        ),
        (
            "unknown",
            Box::new(|n| json!({"type": format!("UNKNOWN_{n:05}")})),
        ),
    ];
    for (what, event) in events {
        assert_linear_work(what, create_open_run(event), play);
    }
}

/// Plays a conversation with this number of messages in an open run, then a message with an open
/// call.
fn play_long_stream(replay: &mut Replay, messages: usize) -> Stream<'_> {
    let mut stream = replay.stream(ReplayInput::default(), DecoderOptions::default());
    stream.push_value(json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}));
    for n in 0..messages {
        let id = format!("m{n:05}");
        stream.push_value(json!({"type": "TEXT_MESSAGE_START", "messageId": id}));
        stream.push_value(
            json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": "some words"}),
        );
        stream.push_value(json!({"type": "TEXT_MESSAGE_END", "messageId": id}));
    }
    stream.push_value(json!({"type": "TEXT_MESSAGE_START", "messageId": "last"}));
    stream.push_value(json!({"type": "TOOL_CALL_START", "toolCallId": "call", "toolCallName": "f", "parentMessageId": "last"}));
    stream
}

#[test]
fn an_event_costs_the_same_in_a_long_conversation() {
    let arguments = ["{\"a\":\"", "words and", " more", "\",\"b\":[1", ",2"];
    let cost = |messages: usize| -> Vec<Work> {
        let mut replay = Replay::new();
        let mut stream = play_long_stream(&mut replay, messages);
        let events = arguments.iter().flat_map(|delta| {
            [
                json!({"type": "TOOL_CALL_ARGS", "toolCallId": "call", "delta": delta}),
                json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "last", "delta": "token "}),
            ]
        });
        let works = events
            .map(|event| measure_work(|| stream.push_value(event)))
            .collect();
        assert_eq!(stream.finish().error, None);
        works
    };
    let short = cost(10);
    assert!(
        short.iter().all(|work| work.calls > 0),
        "nothing was counted"
    );
    for messages in [100, 1_000, 10_000] {
        assert_eq!(cost(messages), short, "{messages} messages");
    }
}
