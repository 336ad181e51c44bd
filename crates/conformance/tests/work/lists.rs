//! Measures message snapshots, and results that arrive before their calls.

use super::*;
use assistant_testkit::replay::ui_stream::replay_response;

/// A function that creates at least this number of events.
type MakeEvents = Box<dyn Fn(usize) -> Vec<Value>>;

#[test]
fn a_repeated_snapshot_takes_linear_work() {
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
        let mut bytes = create_open_run(|_| Value::Null)(0);
        let snapshot = write_frame(&snapshot(count));
        bytes.extend([snapshot.as_bytes(), snapshot.as_bytes()].concat());
        bytes
    };
    assert_linear_work("snapshots", twice, play);
}

/// Checks a list of answers that is followed by a list that contains none of them.
#[test]
fn a_snapshot_that_drops_all_messages_takes_linear_work() {
    let dropped = |count: usize| {
        let message = |n| {
            json!({"id": format!("m{n:05}"), "role": "assistant", "toolCalls": [
                {"id": format!("c{n:05}"), "type": "function", "function": {"name": "f", "arguments": "{}"}}]})
        };
        let all: Value = (0..count).map(message).collect();
        let snapshot =
            |messages| write_frame(&json!({"type": "MESSAGES_SNAPSHOT", "messages": messages}));
        let mut bytes = create_open_run(|_| Value::Null)(0);
        bytes.extend([snapshot(all), snapshot(json!([]))].concat().as_bytes());
        bytes
    };
    assert_linear_work("a snapshot that drops", dropped, play);
}

/// Checks metadata of the AI SDK: one object that grows with each chunk.
#[test]
fn metadata_in_many_chunks_takes_linear_work() {
    let stream = |count: usize| {
        let grow = |n| {
            let metadata = json!({"notes": {format!("k{n:05}"): "note"}});
            write_frame(&json!({"type": "message-metadata", "messageMetadata": metadata}))
        };
        let mut bytes = write_frame(&json!({"type": "start", "messageId": "m"}));
        bytes += &write_frame(&json!({"type": "start-step"}));
        bytes.extend((0..count).map(grow));
        bytes += &write_frame(&json!({"type": "finish"}));
        bytes + "data: [DONE]\n\n"
    };
    assert_linear_work("metadata", stream, |text: String| {
        let (report, _) = replay_response(&mut Replay::new(), text.as_bytes());
        assert_eq!(report.error, None);
    });
}

/// Checks tool messages that precede the calls that they answer. Each call removes a tool message
/// from the path.
#[test]
fn results_before_their_calls_take_linear_work() {
    let tool = |n: usize| json!({"id": format!("t{n:05}"), "role": "tool", "toolCallId": format!("c{n:05}"), "content": "x"});
    let call = |n: usize| json!({"id": format!("c{n:05}"), "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let caller = |n: usize, calls: Value| json!({"id": format!("m{n:05}"), "role": "assistant", "toolCalls": calls});
    let snapshot = |list: Value| vec![json!({"type": "MESSAGES_SNAPSHOT", "messages": list})];
    let shapes: [(&str, MakeEvents); 4] = [
        (
            "results again and again, in mid-conversation",
            Box::new(move |count| {
                let result = |n| json!({"type": "TOOL_CALL_RESULT", "messageId": format!("r{n:05}"), "toolCallId": "c", "content": "x"});
                let later =
                    json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "later", "delta": "x"});
                let begin =
                    json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"});
                let end = json!({"type": "TOOL_CALL_END", "toolCallId": "c"});
                [begin, end, result(count), later]
                    .into_iter()
                    .chain((0..count).map(result))
                    .collect()
            }),
        ),
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
        assert_linear_work(
            what,
            |count| {
                let start = json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"});
                let events = [start].into_iter().chain(events(count));
                events
                    .map(|event| write_frame(&event))
                    .collect::<String>()
                    .into_bytes()
            },
            play,
        );
    }
}
