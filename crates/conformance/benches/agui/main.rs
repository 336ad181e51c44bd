//! Measures the cost of an event on the production path, from the bytes of a response through the
//! reader into a session, and compares it with parsing the same bytes into an enum with
//! `serde_json`. The results are ratios within one run, since absolute times depend on the machine.
//!
//! `cargo xtask bench`, or `cargo bench -p conformance --bench agui`.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a benchmark talks to its terminal"
)]

mod chat;

use std::cell::Cell;
use std::hint::black_box;
use std::rc::Rc;
use std::time::{Duration, Instant};

use assistant_core::conversation::Change;
use assistant_protocols::agui::{Decoder, DecoderOptions, End, Reader};
use serde::Deserialize;
use serde_json::{Value, json};

use chat::Chat;

const EVENTS: usize = 100_000;
const ROUNDS: usize = 15;
/// The number of events per measurement, small enough that most measurements are undisturbed. The
/// fastest round of each block counts, because other activity of the machine only adds time.
const BLOCK: usize = 500;

/// A hand-written enum of the benchmark's events, as the baseline.
#[derive(Deserialize)]
#[serde(
    tag = "type",
    rename_all = "SCREAMING_SNAKE_CASE",
    rename_all_fields = "camelCase"
)]
#[expect(dead_code, reason = "parsed and dropped")]
enum PlainEvent {
    RunStarted {
        thread_id: String,
        run_id: String,
    },
    RunFinished {
        thread_id: String,
        run_id: String,
    },
    TextMessageStart {
        message_id: String,
        role: Option<String>,
    },
    TextMessageContent {
        message_id: String,
        delta: String,
    },
    TextMessageEnd {
        message_id: String,
    },
    ToolCallStart {
        tool_call_id: String,
        tool_call_name: String,
        parent_message_id: Option<String>,
    },
    ToolCallArgs {
        tool_call_id: String,
        delta: String,
    },
    ToolCallEnd {
        tool_call_id: String,
    },
    ToolCallResult {
        message_id: String,
        tool_call_id: String,
        content: String,
    },
    StateDelta {
        delta: Vec<Value>,
    },
}

fn main() {
    let rounds = format!("each block of {BLOCK} events in the fastest of {ROUNDS} rounds");
    let command = "`cargo xtask bench --only native`";
    println!(
        "table decoding: {command}, streams of {} events, {rounds}\n",
        with_commas(EVENTS)
    );
    println!(
        "| events | `serde_json`, ns | decode and verify, ns | ratio | bytes to session, ns | ratio |"
    );
    println!("| --- | --: | --: | --: | --: | --: |");
    for (name, events) in [
        ("text deltas", text_events()),
        ("tool arguments", argument_events()),
        ("mixed", mixed_events()),
    ] {
        compare_decoders(name, &events);
    }
    println!("\ntable lengths: {command}, {rounds}\n");
    println!(
        "| messages in the conversation | text delta, ns | ratio | argument delta, ns | ratio |"
    );
    println!("| --: | --: | --: | --: | --: |");
    measure_long_conversations();
    println!("\ntable observers: {command}, {rounds}\n");
    println!("| observers of every change | text delta, ns | ratio |");
    println!("| --: | --: | --: |");
    measure_observers();
}

/// Measures a text delta from its bytes into a session, without observers and with eight.
fn measure_observers() {
    let events = text_events();
    let blocks: Vec<String> = events
        .chunks(BLOCK)
        .map(|block| block.iter().map(write_frame).collect())
        .collect();
    let counts = [0, 8];
    let mut costs = counts.map(|_| FastestTimes::new());
    let notified = Rc::new(Cell::new(0u64));
    for _ in 0..ROUNDS {
        for (count, cost) in counts.into_iter().zip(&mut costs) {
            let (mut chat, mut reader) = (Chat::new(), Reader::new(DecoderOptions::default()));
            for _ in 0..count {
                let notified = Rc::clone(&notified);
                chat.observers.add(move |change: &Change| {
                    notified.set(notified.get() + u64::from(is_growth(change)));
                });
            }
            cost.measure_round(&blocks, |block| reader.push(block.as_bytes(), &mut chat));
            check_received(reader, chat);
        }
    }
    let deltas = u64::try_from((EVENTS - 2) * ROUNDS * 8).unwrap();
    assert!(notified.get() >= deltas, "{} notifications", notified.get());
    let costs = costs.map(|cost| cost.total_nanos() / EVENTS as f64);
    for (count, cost) in counts.into_iter().zip(costs) {
        println!("| {count} | {cost:.0} | {:.2} |", cost / costs[0]);
    }
}

const fn is_growth(change: &Change) -> bool {
    matches!(change, Change::PartGrew { .. })
}

fn compare_decoders(name: &str, events: &[Value]) {
    let blocks: Vec<String> = events
        .chunks(BLOCK)
        .map(|block| block.iter().map(write_frame).collect())
        .collect();
    let (mut plain, mut decode, mut whole) = (
        FastestTimes::new(),
        FastestTimes::new(),
        FastestTimes::new(),
    );
    // Interleaved, so that a slow moment of the machine affects all of them.
    for _ in 0..ROUNDS {
        plain.measure_round(&blocks, |block| {
            for data in data_of_frames(block) {
                black_box(serde_json::from_str::<PlainEvent>(data).unwrap());
            }
        });
        let mut decoder = Decoder::new(DecoderOptions::default());
        let mut events = Vec::new();
        decode.measure_round(&blocks, |block| {
            for data in data_of_frames(block) {
                decoder.push_frame(data, &mut events).unwrap();
                black_box(&events);
                events.clear();
            }
        });
        let (mut chat, mut reader) = (Chat::new(), Reader::new(DecoderOptions::default()));
        whole.measure_round(&blocks, |block| reader.push(block.as_bytes(), &mut chat));
        check_received(reader, chat);
    }
    let [plain, decode, whole] =
        [plain, decode, whole].map(|all| all.total_nanos() / events.len() as f64);
    println!(
        "| {name} | {plain:.0} | {decode:.0} | {:.2} | {whole:.0} | {:.2} |",
        decode / plain,
        whole / plain
    );
}

/// Checks that the session has received the measured events: the stream has no end, there is an
/// answer, and no limit has ended the run.
fn check_received(reader: Reader, mut chat: Chat) {
    assert_eq!(reader.finish(&mut chat).end, End::Truncated);
    assert!(chat.has_answer() && chat.is_streaming());
}

/// The fastest time of each block in all rounds.
struct FastestTimes(Vec<Duration>);

impl FastestTimes {
    const fn new() -> Self {
        Self(Vec::new())
    }

    fn measure_round(&mut self, blocks: &[String], mut act: impl FnMut(&str)) {
        self.0.resize(blocks.len(), Duration::MAX);
        for (block, fastest) in blocks.iter().zip(&mut self.0) {
            let start = Instant::now();
            act(block);
            *fastest = start.elapsed().min(*fastest);
        }
    }

    /// Returns the total in nanoseconds.
    fn total_nanos(&self) -> f64 {
        self.0.iter().sum::<Duration>().as_secs_f64() * 1e9
    }
}

/// Returns the data of a stream's frames, without a full SSE parser.
fn data_of_frames(stream: &str) -> impl Iterator<Item = &str> {
    stream
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
}

/// Measures an event at the end of conversations of several lengths.
fn measure_long_conversations() {
    let piece = json!({"type": "TOOL_CALL_ARGS", "toolCallId": CALL, "delta": "1,"});
    let blocks = [content_event(), piece].map(|event| vec![write_frame(&event).repeat(BLOCK); 20]);
    let lengths = [10, 1_000, 10_000];
    let mut costs = lengths.map(|_| [FastestTimes::new(), FastestTimes::new()]);
    for _ in 0..ROUNDS {
        for (messages, costs) in lengths.into_iter().zip(&mut costs) {
            let history = history_stream(messages);
            for (blocks, cost) in blocks.iter().zip(costs) {
                let (mut chat, mut reader) = (Chat::new(), Reader::new(DecoderOptions::default()));
                reader.push(history.as_bytes(), &mut chat);
                cost.measure_round(blocks, |block| reader.push(block.as_bytes(), &mut chat));
                check_received(reader, chat);
            }
        }
    }
    let costs = costs.map(|costs| costs.map(|cost| cost.total_nanos() / (20 * BLOCK) as f64));
    let [first_token, first_piece] = costs[0];
    for (messages, [token, piece]) in lengths.into_iter().zip(costs) {
        let messages = with_commas(messages);
        println!(
            "| {messages} | {token:.0} | {:.2} | {piece:.0} | {:.2} |",
            token / first_token,
            piece / first_piece
        );
    }
}

/// Writes a number with commas between its thousands.
fn with_commas(number: usize) -> String {
    match number {
        0..1_000 => number.to_string(),
        _ => format!("{},{:03}", with_commas(number / 1_000), number % 1_000),
    }
}

/// Returns a stream with this number of messages, then an open message and an open call.
fn history_stream(messages: usize) -> String {
    let mut events = vec![json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"})];
    for n in 0..messages {
        let id = format!("m{n}");
        events.push(json!({"type": "TEXT_MESSAGE_START", "messageId": id}));
        events
            .push(json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": "some words"}));
        events.push(json!({"type": "TEXT_MESSAGE_END", "messageId": id}));
    }
    events.push(json!({"type": "TEXT_MESSAGE_START", "messageId": MESSAGE}));
    events.push(json!({"type": "TOOL_CALL_START", "toolCallId": CALL, "toolCallName": "f"}));
    events.iter().map(write_frame).collect()
}

const MESSAGE: &str = "msg_01J8ZQ4T7M3V5K9X2B6N0C1D2E";
const CALL: &str = "call_9fXq2LrTzYwB7sVnKp3Dh1Mc";

fn write_frame(event: &Value) -> String {
    format!("data: {event}\n\n")
}

fn content_event() -> Value {
    json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": MESSAGE, "delta": " token"})
}

fn prepend_run_start(inner: impl IntoIterator<Item = Value>) -> Vec<Value> {
    let mut events = vec![json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"})];
    events.extend(inner);
    events.truncate(EVENTS);
    events
}

fn text_events() -> Vec<Value> {
    let start = json!({"type": "TEXT_MESSAGE_START", "messageId": MESSAGE, "role": "assistant"});
    prepend_run_start(
        [start]
            .into_iter()
            .chain((0..EVENTS).map(|_| content_event())),
    )
}

/// Returns the events of a call with a long list of strings, in deltas of 24 characters.
fn argument_events() -> Vec<Value> {
    let start = json!({"type": "TOOL_CALL_START", "toolCallId": CALL, "toolCallName": "f"});
    let piece = |n| {
        if n == 0 {
            "[\""
        } else {
            "abcdefghijklmnopqrst\",\"a"
        }
    };
    let pieces = (0..EVENTS)
        .map(|n| json!({"type": "TOOL_CALL_ARGS", "toolCallId": CALL, "delta": piece(n)}));
    prepend_run_start([start].into_iter().chain(pieces))
}

/// Returns a mix of events: text, calls with arguments in deltas, results, and state patches.
fn mixed_events() -> Vec<Value> {
    prepend_run_start((0..EVENTS / 40 + 1).flat_map(|turn| {
        let (message, call) = (format!("{MESSAGE}{turn}"), format!("{CALL}{turn}"));
        let mut events = vec![json!({"type": "TEXT_MESSAGE_START", "messageId": message, "role": "assistant"})];
        events.extend((0..24).map(|_| json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": message, "delta": " token"})));
        events.push(json!({"type": "TEXT_MESSAGE_END", "messageId": message}));
        events.push(json!({"type": "TOOL_CALL_START", "toolCallId": call, "toolCallName": "set_counter", "parentMessageId": message}));
        let pieces = ["{\"va", "lue\"", ": 12", "3, \"", "why\"", ": \"be", "cause", " it", " is\"", "}"];
        events.extend(pieces.map(|delta| json!({"type": "TOOL_CALL_ARGS", "toolCallId": call, "delta": delta})));
        events.push(json!({"type": "TOOL_CALL_END", "toolCallId": call}));
        events.push(json!({"type": "TOOL_CALL_RESULT", "messageId": format!("r{turn}"), "toolCallId": call, "content": "{\"ok\":true}"}));
        events.push(json!({"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/turn", "value": turn}]}));
        events
    }))
}
