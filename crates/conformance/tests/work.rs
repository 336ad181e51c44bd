//! Twice the input is twice the work, and an event costs the same however long the conversation
//! is. Counted in what is asked of the allocator, because seconds lie.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use std::fmt::Write as _;

use assistant_core::action::schema::{NoPatterns, validate};
use assistant_core::replay::{Replay, ReplayInput, Stream};
use assistant_core::text::callout;
use assistant_core::wire::agui::DecoderOptions;
use assistant_core::wire::json::partial::PartialJson;
use assistant_core::wire::json::patch;
use assistant_core::wire::sse::SseDecoder;
use conformance::counting::{Counting, Work, work_of};
use serde_json::{Value, json};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Makes one of many events, by its number.
type MakeEvent = Box<dyn Fn(usize) -> Value>;
/// Makes so many events, or more.
type MakeEvents = Box<dyn Fn(usize) -> Vec<Value>>;
/// Makes an input of a size.
type MakeText = fn(usize) -> String;

/// Does the work for three sizes, each twice the last; neither step may cost more than about twice.
fn grows_with_its_input<T>(what: &str, prepare: impl Fn(usize) -> T, work: impl Fn(T)) {
    let sizes = [1_000, 2_000, 4_000];
    let counted: Vec<Work> = sizes
        .iter()
        .map(|size| {
            let input = prepare(*size);
            work_of(|| work(input))
        })
        .collect();
    for step in counted.windows(2) {
        let bytes = step[1].bytes as f64 / step[0].bytes as f64;
        let calls = step[1].calls as f64 / step[0].calls.max(1) as f64;
        // A handful of calls is a buffer that doubles, and one doubling more is no trend.
        let steady = calls < 2.3 || step[1].calls < 100;
        assert!(bytes < 2.3 && steady, "{what}: {counted:?}");
    }
}

fn in_run(event: impl Fn(usize) -> Value) -> impl Fn(usize) -> Vec<u8> {
    move |count| {
        let mut bytes = frame(&json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}));
        bytes += &frame(&json!({"type": "TEXT_MESSAGE_START", "messageId": "m"}));
        bytes +=
            &frame(&json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"}));
        for n in 0..count {
            bytes += &frame(&event(n));
        }
        bytes.into_bytes()
    }
}

fn frame(event: &Value) -> String {
    format!("data: {event}\n\n")
}

/// Plays a response that comes in pieces.
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
fn events_of_a_run() {
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
        grows_with_its_input(what, in_run(event), play);
    }
}

#[test]
fn a_snapshot_and_the_same_again() {
    let snapshot = |count: usize| {
        let messages: Value = (0..count)
            .map(|n| match n % 3 {
                0 => json!({"id": format!("u{n:05}"), "role": "user", "content": "hi"}),
                1 => json!({"id": format!("m{n:05}"), "role": "assistant", "toolCalls": [
                    {"id": format!("c{n:05}"), "type": "function", "function": {"name": "f", "arguments": "{}"}}]}),
                _ => json!({"id": format!("t{n:05}"), "role": "tool", "toolCallId": format!("c{:05}", n - 1), "content": "x"}),
            })
            .collect();
        json!({"type": "MESSAGES_SNAPSHOT", "messages": messages})
    };
    let twice = |count| {
        let mut bytes = in_run(|_| Value::Null)(0);
        let snapshot = frame(&snapshot(count));
        bytes.extend([snapshot.as_bytes(), snapshot.as_bytes()].concat());
        bytes
    };
    grows_with_its_input("snapshots", twice, play);
}

/// A list of so many answers, and one that holds none of them.
#[test]
fn a_snapshot_that_drops_what_was_there() {
    let dropped = |count: usize| {
        let message = |n| {
            json!({"id": format!("m{n:05}"), "role": "assistant", "toolCalls": [
                {"id": format!("c{n:05}"), "type": "function", "function": {"name": "f", "arguments": "{}"}}]})
        };
        let all: Value = (0..count).map(message).collect();
        let snapshot =
            |messages| frame(&json!({"type": "MESSAGES_SNAPSHOT", "messages": messages}));
        let mut bytes = in_run(|_| Value::Null)(0);
        bytes.extend([snapshot(all), snapshot(json!([]))].concat().as_bytes());
        bytes
    };
    grows_with_its_input("a snapshot that drops", dropped, play);
}

/// Tool messages before the calls that they answer, which take them out of the path one by one.
#[test]
fn results_before_their_calls() {
    let tool = |n: usize| json!({"id": format!("t{n:05}"), "role": "tool", "toolCallId": format!("c{n:05}"), "content": "x"});
    let call = |n: usize| json!({"id": format!("c{n:05}"), "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let caller = |n: usize, calls: Value| json!({"id": format!("m{n:05}"), "role": "assistant", "toolCalls": calls});
    let snapshot = |list: Value| vec![json!({"type": "MESSAGES_SNAPSHOT", "messages": list})];
    let shapes: [(&str, MakeEvents); 3] = [
        (
            "a list of callers",
            Box::new(move |count| {
                let callers = (0..count).map(|n| caller(n, json!([call(n)])));
                snapshot((0..count).map(tool).chain(callers).collect())
            }),
        ),
        (
            "a list with one caller",
            Box::new(move |count| {
                let caller = caller(0, (0..count).map(call).collect());
                snapshot((0..count).map(tool).chain([caller]).collect())
            }),
        ),
        (
            "events",
            Box::new(move |count| {
                let result = |n| json!({"type": "TOOL_CALL_RESULT", "messageId": format!("t{n:05}"), "toolCallId": format!("c{n:05}"), "content": "x"});
                let start = |n| json!({"type": "TOOL_CALL_START", "toolCallId": format!("c{n:05}"), "toolCallName": "f"});
                (0..count)
                    .map(result)
                    .chain((0..count).map(start))
                    .collect()
            }),
        ),
    ];
    for (what, events) in shapes {
        let path_work = |count| {
            let mut replay = Replay::new();
            let mut stream = replay.stream(ReplayInput::default(), DecoderOptions::default());
            stream.push_value(json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}));
            for event in events(count) {
                stream.push_value(event);
            }
            assert_eq!(stream.finish().error, None);
            replay.conversation().path_work()
        };
        let (one, two) = (path_work(2_000), path_work(4_000));
        assert!(
            two <= one * 23 / 10,
            "{what}: {one} and {two} places of the path"
        );
        grows_with_its_input(
            what,
            |count| {
                let start = json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"});
                let events = [start].into_iter().chain(events(count));
                events
                    .map(|event| frame(&event))
                    .collect::<String>()
                    .into_bytes()
            },
            play,
        );
    }
}

#[test]
fn bytes_into_frames() {
    let shapes: [(&str, MakeText); 4] = [
        ("many frames", |n| {
            "id: 1\nevent: e\ndata: {\"type\":\"X\"}\r\n\r\n".repeat(n)
        }),
        ("one long line", |n| {
            format!("data: {}\n\n", "0123456789".repeat(n))
        }),
        ("one frame of many lines", |n| {
            "data: 0123456789\n".repeat(n)
        }),
        ("nothing but comments", |n| {
            ": keepalive and more\n\n".repeat(n)
        }),
    ];
    for (what, make) in shapes {
        grows_with_its_input(what, make, |text: String| {
            let mut decoder = SseDecoder::new();
            let mut frames = Vec::new();
            for piece in text.as_bytes().chunks(13) {
                decoder.push(piece, &mut frames).unwrap();
            }
            frames.extend(decoder.finish());
        });
    }
}

#[test]
fn partial_json_read_after_every_piece() {
    let shapes: [(&str, MakeText); 6] = [
        ("a long text", |n| format!("\"{}", "0123456789".repeat(n))),
        ("a long text of escapes", |n| {
            format!("\"{}", "\\u00e9\\n".repeat(n))
        }),
        ("a long list", |n| format!("[{}", "1,".repeat(n))),
        ("a long number", |n| format!("[{}", "1".repeat(n))),
        ("many keys", |n| {
            (0..n).fold("{".to_owned(), |mut text, key| {
                write!(text, "\"k{key:05}\":[],").unwrap();
                text
            })
        }),
        ("deep", |n| "[".repeat(n)),
    ];
    for (what, make) in shapes {
        grows_with_its_input(what, make, |text: String| {
            let mut json = PartialJson::new();
            for piece in text.as_bytes().chunks(24) {
                json.push(std::str::from_utf8(piece).unwrap());
                std::hint::black_box(json.value());
            }
        });
    }
}

#[test]
fn callouts_in_pieces() {
    let shapes: [(&str, MakeText); 7] = [
        ("text", |n| "some words\n".repeat(n)),
        ("callouts", |n| {
            "> [!tool a]\n> input: {a: 1}\n> output: x\n\n".repeat(n)
        }),
        ("headers", |n| "> [!tool]\n".repeat(n)),
        ("malformed callouts", |n| "> [!tool]\n> - a\n\n".repeat(n)),
        ("one long callout", |n| {
            format!("> [!tool]\n> input:\n{}", "> - word\n".repeat(n))
        }),
        ("one callout with a long text", |n| {
            format!("> [!tool]\n> input: |\n{}", ">   a line\n".repeat(n))
        }),
        ("aliases", |n| {
            format!(
                "> [!tool]\n> input: &a [b]\n> output:\n{}",
                "> - *a\n".repeat(n)
            )
        }),
    ];
    for (what, make) in shapes {
        grows_with_its_input(what, make, |text: String| {
            let mut parser = callout::Parser::new(callout::CalloutOptions::default());
            for piece in text.as_bytes().chunks(5) {
                std::hint::black_box(parser.push(std::str::from_utf8(piece).unwrap()));
            }
            std::hint::black_box(parser.finish());
        });
    }
}

#[test]
fn patches_and_schemas() {
    let operations = |n: usize| -> Vec<Value> {
        let key = |n| format!("/k{n:05}");
        (0..n)
            .map(|n| json!({"op": "add", "path": key(n), "value": n}))
            .collect()
    };
    grows_with_its_input("a long patch", operations, |patch: Vec<Value>| {
        patch::apply(&mut json!({}), &patch).unwrap();
    });
    let failing = |n| {
        let mut patch = operations(n);
        patch.push(json!({"op": "test", "path": "", "value": 0}));
        patch
    };
    grows_with_its_input(
        "a patch that is taken back",
        failing,
        |patch: Vec<Value>| {
            patch::apply(&mut json!({}), &patch).unwrap_err();
        },
    );
    let schema = json!({"items": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}});
    let items = |n: usize| -> Value { (0..n).map(|n| json!({"a": n})).collect() };
    grows_with_its_input("a long list", items, |items: Value| {
        assert!(validate(&schema, &items, &mut NoPatterns).is_empty());
    });
    let different = json!({"uniqueItems": true});
    grows_with_its_input("a list of different things", items, |items: Value| {
        validate(&different, &items, &mut NoPatterns);
    });
}

#[test]
fn a_patch_costs_the_same_on_a_large_state() {
    let cost = |size: usize| {
        let items: Vec<Value> = (0..size).map(|n| json!({"a": n, "b": "text"})).collect();
        let mut state = json!({"items": items, "now": {"step": 1}, "more": []});
        let patch: Vec<Value> = (0..500)
            .flat_map(|n| {
                [
                    json!({"op": "replace", "path": "/now/step", "value": n}),
                    json!({"op": "add", "path": "/more/-", "value": {"n": n}}),
                    json!({"op": "copy", "from": "/now", "path": "/last"}),
                    json!({"op": "move", "from": "/last", "path": "/before"}),
                ]
            })
            .collect();
        work_of(|| patch::apply(&mut state, &patch).unwrap())
    };
    let small = cost(10);
    assert_eq!(cost(20_000), small);
}

/// A conversation of so many messages, all of the running run, then one more with a call.
fn long_stream(replay: &mut Replay, messages: usize) -> Stream<'_> {
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
        let mut stream = long_stream(&mut replay, messages);
        let events = arguments.iter().flat_map(|delta| {
            [
                json!({"type": "TOOL_CALL_ARGS", "toolCallId": "call", "delta": delta}),
                json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "last", "delta": "token "}),
            ]
        });
        let works = events
            .map(|event| work_of(|| stream.push_value(event)))
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
