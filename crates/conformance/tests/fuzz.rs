//! Passes invalid input to all decoders: they may reject the input, but must not panic, and the
//! guarantees for any input must hold. Use `PROPTEST_CASES=1000000` for a long search.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use std::fs;
use std::sync::LazyLock;

use assistant_core::action::schema::{MAX_VIOLATIONS, NoPatterns, validate};
use assistant_core::conversation::Conversation;
use assistant_core::json::partial::{DocumentState, PartialJson, parse_partial};
use assistant_core::json::patch;
use assistant_protocols::agui::{DecoderOptions, End};
use assistant_protocols::sse::{Frame, SseDecoder};
use assistant_testkit::replay::{Replay, ReplayInput};
use conformance::nonsense::{any_bytes, any_frame_change, any_json, any_schema, apply_changes};
use conformance::property_config;
use conformance::streams::{any_ordered_stream, any_unordered_stream};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json as object};

/// The frames of the recorded streams of real servers, and of the official corpus.
static FRAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/");
    let files = ["agui-captures", "agui-streams"].iter().flat_map(|name| {
        fs::read_dir(format!("{folder}{name}"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
    });
    let mut frames = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        if file.extension().is_some_and(|ending| ending == "sse") {
            frames.extend(
                text.lines()
                    .filter_map(|line| line.strip_prefix("data: "))
                    .map(str::to_owned),
            );
        } else if let Ok(json) = serde_json::from_str::<Value>(&text) {
            frames.extend(
                json["stream"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(Value::to_string),
            );
        }
    }
    frames.sort();
    frames.dedup();
    assert!(frames.len() > 200, "{} frames", frames.len());
    frames
});

/// Splits bytes at these positions, which are shares of the length.
fn split_bytes<'a>(bytes: &'a [u8], cuts: &[Index]) -> Vec<&'a [u8]> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places
        .windows(2)
        .map(|pair| &bytes[pair[0]..pair[1]])
        .collect()
}

fn decode_frames(pieces: &[&[u8]], limit: usize) -> (Vec<Frame>, bool) {
    let mut decoder = SseDecoder::with_limit(limit);
    let mut frames = Vec::new();
    let fits = pieces
        .iter()
        .all(|piece| decoder.push(piece, &mut frames).is_ok());
    frames.extend(decoder.finish());
    (frames, fits)
}

/// Plays bytes in a run with an open message and an open call, and checks the report and the
/// export.
fn play(bytes: &[u8], options: DecoderOptions) -> End {
    const OPENING: [&str; 3] = [
        r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#,
        r#"{"type":"TEXT_MESSAGE_START","messageId":"m1"}"#,
        r#"{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"f","parentMessageId":"m1"}"#,
    ];
    let mut replay = Replay::new();
    let mut stream = replay.stream(ReplayInput::default(), options);
    for event in OPENING {
        stream.push_bytes(format!("data: {event}\n\n").as_bytes());
    }
    stream.push_bytes(bytes);
    let report = stream.finish();
    let text = report.to_json().to_string();
    serde_json::from_str::<Value>(&text).expect("a report is JSON");
    assert_survives_export(replay.conversation());
    report.outcome
}

/// Checks that a conversation survives export and import without loss.
fn assert_survives_export(conversation: &Conversation) {
    let again = |conversation: &Conversation| {
        Conversation::import(conversation.export()).expect("what was exported can be imported")
    };
    let first = again(conversation);
    assert_eq!(first.received_messages(), conversation.received_messages());
    assert_eq!(again(&first).export(), first.export());
}

/// The cases that longer searches have found.
const FOUND: [&str; 2] = [
    r#"{"input":null,"stream":[{"type":"RUN_STARTED","threadId":"t","runId":"r"},{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u1","role":"user","content":""},{"id":"t1","role":"tool","toolCallId":"c1","content":""}]},{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"f","parentMessageId":"m3"},{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m3","role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}]},{"type":"TOOL_CALL_RESULT","messageId":"t1","toolCallId":"c1","content":""},{"type":"TOOL_CALL_END","toolCallId":"c1"},{"type":"RUN_FINISHED","threadId":"t","runId":"r"}]}"#,
    r#"{"input":null,"stream":[{"type":"RUN_STARTED","threadId":"t","runId":"r"},{"type":"TOOL_CALL_RESULT","messageId":"t2","toolCallId":"c1","content":""},{"type":"TOOL_CALL_START","toolCallId":"c3","toolCallName":"f"},{"type":"TOOL_CALL_RESULT","messageId":"t2","toolCallId":"c3","content":""},{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"f","parentMessageId":"m2"},{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m2","role":"assistant","toolCalls":[{"id":"c3","type":"function","function":{"name":"f","arguments":"{}"}}]},{"id":"t2","role":"tool","toolCallId":"c3","content":""}]},{"type":"TOOL_CALL_END","toolCallId":"c1"},{"type":"TOOL_CALL_END","toolCallId":"c3"},{"type":"RUN_FINISHED","threadId":"t","runId":"r"}]}"#,
];

#[test]
fn found_conversations_survive_export_and_import() {
    for case in FOUND {
        play_and_export(&serde_json::from_str(case).unwrap());
    }
}

fn play_and_export(case: &Value) {
    let mut replay = Replay::new();
    let input = ReplayInput::from_json(case["input"].clone()).unwrap_or_default();
    let mut stream = replay.stream(input, DecoderOptions::default());
    for event in case["stream"].as_array().unwrap() {
        stream.push_value(event.clone());
    }
    let _ = stream.finish();
    assert_survives_export(replay.conversation());
}

proptest! {
    #![proptest_config(property_config(500))]

    #[test]
    fn frames_do_not_depend_on_the_splits(
        bytes in any_bytes(40),
        cuts in vec(any::<Index>(), 0..8),
        limit in select(&[1_usize, 7, 30, 10_000][..]),
    ) {
        let (whole, fits) = decode_frames(&[&bytes], limit);
        let (pieces, pieces_fit) = decode_frames(&split_bytes(&bytes, &cuts), limit);
        prop_assert_eq!(fits, pieces_fit);
        prop_assert_eq!(whole, pieces);
    }

    #[test]
    fn any_bytes_end_a_stream_without_a_panic(bytes in any_bytes(60)) {
        play(&bytes, DecoderOptions::default());
        play(&bytes, DecoderOptions::strict());
    }

    #[test]
    fn tolerant_mode_accepts_all_mutated_frames_that_strict_mode_accepts(
        picked in vec((any::<Index>(), vec(any_frame_change(), 0..3)), 1..12),
    ) {
        let mut bytes = Vec::new();
        for (at, changes) in &picked {
            let frame = &FRAMES[at.index(FRAMES.len())];
            bytes.extend_from_slice(b"data: ");
            bytes.extend(apply_changes(frame, changes));
            bytes.extend_from_slice(b"\n\n");
        }
        // Input that strict mode accepts is accepted by tolerant mode.
        let strict = play(&bytes, DecoderOptions::strict());
        let tolerant = play(&bytes, DecoderOptions::default());
        prop_assert!(strict == End::Failed || tolerant != End::Failed);
    }

    #[test]
    fn a_conversation_survives_export_and_import(case in prop_oneof![any_ordered_stream(), any_unordered_stream()]) {
        play_and_export(&case);
    }

    #[test]
    fn a_failed_patch_leaves_the_document_unchanged(
        document in any_json(),
        operations in vec(
            prop_oneof![
                1 => any_json(),
                6 => (
                    select(&["add", "remove", "replace", "move", "copy", "test", "odd"][..]),
                    select(&["", "/", "/a", "/a/0", "/a/-", "/b", "/0", "/-", "/a/a", "/__proto__", "a", "/~", "/01"][..]),
                    select(&["", "/a", "/a/0", "/b", "/0", "/a/a"][..]),
                    any_json(),
                ).prop_map(|(op, path, from, value)| object!({"op": op, "path": path, "from": from, "value": value})),
            ],
            0..8,
        ),
    ) {
        let mut patched = document.clone();
        if patch::apply(&mut patched, &operations).is_err() {
            prop_assert_eq!(patched, document);
        }
    }

    #[test]
    fn partial_json_does_not_depend_on_the_splits(
        bytes in any_bytes(40),
        cuts in vec(any::<Index>(), 0..8),
    ) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let whole = parse_partial(&text);
        let mut json = PartialJson::new();
        let letters: Vec<char> = text.chars().collect();
        let mut places: Vec<usize> = cuts.iter().map(|at| at.index(letters.len() + 1)).collect();
        places.extend([0, letters.len()]);
        places.sort_unstable();
        for pair in places.windows(2) {
            json.push(&letters[pair[0]..pair[1]].iter().collect::<String>());
        }
        prop_assert_eq!(json.state(), whole.state());
        prop_assert_eq!(json.value(), whole.value());
        prop_assert_eq!(whole.value().is_none(), matches!(whole.state(), DocumentState::Empty | DocumentState::Invalid));
    }

    #[test]
    fn json_is_complete_at_its_end_and_never_invalid_before(value in any_json(), at in any::<Index>()) {
        let text = value.to_string();
        let whole = parse_partial(&text);
        prop_assert_eq!(whole.value(), Some(&value));
        let letters: Vec<char> = text.chars().collect();
        let part: String = letters[..at.index(letters.len())].iter().collect();
        prop_assert_ne!(parse_partial(&part).state(), DocumentState::Invalid, "{}", part);
    }

    #[test]
    fn validation_against_any_schema_is_bounded(schema in any_schema(), instance in any_json()) {
        let violations = validate(&schema, &instance, &mut NoPatterns);
        prop_assert!(violations.len() <= MAX_VIOLATIONS);
        // Its own text is an instance as well.
        validate(&schema, &schema, &mut NoPatterns);
        validate(&instance, &schema, &mut NoPatterns);
    }
}
