//! Tests of texts that a producer split within a character: surrogate pairs are joined across
//! deltas, and a surrogate without a partner does not affect other text.

use assistant_core::event::Base;
use assistant_protocols::agui::{Joiner, SplitPair};
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const START: &str = r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#;
const END: &str = r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r"}"#;
const ERROR: &str = r#"{"type":"RUN_ERROR","message":"no"}"#;
const TEXTS: [&str; 4] = ["😀", "a😀b👩\u{200d}💻", "😀😀", "né 🇫🇷 {\"k\":\"😀\"}\n"];

/// Returns a text as escapes of all its code units, which JSON permits even for lone surrogates.
fn escape_units(units: &[u16]) -> String {
    units.iter().map(|unit| format!("\\u{unit:04x}")).collect()
}

/// The frames of one kind of streamed text: the first frame, the deltas, and the last frame.
struct TextFrames {
    first: String,
    piece: String,
    next_piece: String,
    last: String,
}

impl TextFrames {
    fn with_events(stem: &str, step: &str, id: &str, more: &str) -> Self {
        let piece = format!(r#"{{"type":"{stem}_{step}",{id},"delta":"%"}}"#);
        Self {
            first: format!(r#"{{"type":"{stem}_START",{id}{more}}}"#),
            next_piece: piece.clone(),
            piece,
            last: format!(r#"{{"type":"{stem}_END",{id}}}"#),
        }
    }

    /// Creates the chunks of a subagent's text. Chunks after the first contain the text's id, or
    /// only the subagent's id.
    fn with_chunks(kind: &str, id: &str, tag: &str, by_id: bool) -> Self {
        let tag = format!(r#""subagentRunId":"{tag}""#);
        let next = if by_id { id } else { &tag };
        Self {
            first: String::new(),
            piece: format!(r#"{{"type":"{kind}_CHUNK",{id},{tag},"delta":"%"}}"#),
            next_piece: format!(r#"{{"type":"{kind}_CHUNK",{next},"delta":"%"}}"#),
            last: String::new(),
        }
    }

    fn delta(&self, number: usize, units: &[u16]) -> String {
        let piece = if number == 0 {
            &self.piece
        } else {
            &self.next_piece
        };
        piece.replace('%', &escape_units(units))
    }

    fn frames(&self, pieces: &[&[u16]]) -> Vec<String> {
        let deltas = pieces.iter().enumerate();
        let deltas = deltas.map(|(number, units)| self.delta(number, units));
        let frames = [START.to_owned(), self.first.clone()]
            .into_iter()
            .chain(deltas);
        frames.chain([self.last.clone(), END.to_owned()]).collect()
    }
}

/// Returns the frames of all kinds of streamed text, with distinct ids.
fn all_text_frames() -> Vec<TextFrames> {
    let text = r#""messageId":"m""#;
    let reasoning = r#""messageId":"h""#;
    let call = r#""toolCallId":"c""#;
    let role = r#","role":"reasoning""#;
    let name = r#","toolCallName":"f""#;
    let mut lanes = vec![
        TextFrames::with_events("TEXT_MESSAGE", "CONTENT", text, ""),
        TextFrames::with_events("REASONING_MESSAGE", "CONTENT", reasoning, role),
        TextFrames::with_events("TOOL_CALL", "ARGS", call, name),
    ];
    for (tag, by_id) in [("i", true), ("n", false)] {
        let chunk = |kind: &str, field: &str, more: &str| {
            let id = format!(r#""{field}":"{kind}{tag}"{more}"#);
            TextFrames::with_chunks(kind, &id, &format!("{kind}{tag}"), by_id)
        };
        lanes.push(chunk("TEXT_MESSAGE", "messageId", ""));
        lanes.push(chunk("REASONING_MESSAGE", "messageId", ""));
        lanes.push(chunk("TOOL_CALL", "toolCallId", name));
    }
    lanes
}

fn play(strict: bool, frames: &[String]) -> Outcome {
    let frames = frames.iter().map(String::as_str);
    decode_frames(strict, frames.filter(|frame| !frame.is_empty()))
}

/// Returns the texts of a stream with their ids, in the order in which they began.
fn collect_texts(events: &[Event]) -> Vec<(String, String)> {
    let mut texts: Vec<(String, String)> = Vec::new();
    for event in events {
        let (EventKind::TextMessageContent {
            message_id: id,
            delta,
        }
        | EventKind::ReasoningMessageContent {
            message_id: id,
            delta,
        }
        | EventKind::ToolCallArgs {
            tool_call_id: id,
            delta,
        }) = &event.kind
        else {
            continue;
        };
        match texts.iter_mut().find(|(known, _)| known == id) {
            Some((_, text)) => text.push_str(delta),
            None => texts.push((id.clone(), delta.clone())),
        }
    }
    texts
}

fn only_text(got: &Outcome) -> String {
    let mut texts = collect_texts(&got.events);
    assert_eq!((got.error(), texts.len()), ("", 1));
    texts.remove(0).1
}

#[test]
fn surrogate_pairs_split_across_deltas_are_joined() {
    for lane in all_text_frames() {
        for text in TEXTS {
            let units: Vec<u16> = text.encode_utf16().collect();
            for at in 0..=units.len() {
                let (head, tail) = units.split_at(at);
                for strict in [true, false] {
                    let got = play(strict, &lane.frames(&[head, tail]));
                    assert_eq!(only_text(&got), text, "{} at {at}", lane.piece);
                }
            }
            let one_by_one: Vec<&[u16]> = units.chunks(1).collect();
            assert_eq!(only_text(&play(true, &lane.frames(&one_by_one))), text);
        }
    }
}

#[test]
fn split_pairs_of_interleaved_texts_do_not_mix() {
    let lanes = all_text_frames();
    let units: Vec<u16> = "😀b💻".encode_utf16().collect();
    let mut frames = vec![START.to_owned()];
    frames.extend(lanes.iter().map(|lane| lane.first.clone()));
    for (number, unit) in units.iter().enumerate() {
        frames.extend(lanes.iter().map(|lane| lane.delta(number, &[*unit])));
    }
    frames.extend(lanes.iter().map(|lane| lane.last.clone()));
    frames.push(END.to_owned());
    let got = play(true, &frames);
    assert_eq!(got.error(), "");
    let texts = collect_texts(&got.events);
    assert_eq!(texts.len(), lanes.len());
    assert!(texts.iter().all(|(_, text)| text == "😀b💻"), "{texts:?}");
}

#[test]
fn an_unpaired_surrogate_is_replaced_in_position() {
    let high = [u16::from(b'a'), 0xD83D];
    // Characters that are used internally as marks are treated like others.
    let marks = "\u{f003d}\u{f0600}";
    let mark: Vec<u16> = marks.encode_utf16().collect();
    for lane in all_text_frames() {
        let decoded = |pieces: &[&[u16]]| only_text(&play(true, &lane.frames(pieces)));
        assert_eq!(decoded(&[&high]), "a\u{fffd}");
        assert_eq!(decoded(&[&high, &[98]]), "a\u{fffd}b");
        assert_eq!(decoded(&[&high, &[], &[0xDE00, 98]]), "a😀b");
        assert_eq!(decoded(&[&high, &high, &[0xDE00]]), "a\u{fffd}a😀");
        assert_eq!(decoded(&[&high, &[0xD83D], &[0xDE00]]), "a\u{fffd}😀");
        assert_eq!(decoded(&[&high, &[0xD83D, 0xDE00]]), "a\u{fffd}😀");
        assert_eq!(decoded(&[&[0xDE00], &high]), "\u{fffd}a\u{fffd}");
        let both = [0xDE00, 0xDE00, 0xD83D];
        assert_eq!(decoded(&[&high, &both, &[0xDE00]]), "a😀\u{fffd}😀");
        let head = [&mark[..], &[0xD83D]].concat();
        let tail = [&[0xDE00], &mark[..]].concat();
        assert_eq!(decoded(&[&head, &tail]), format!("{marks}😀{marks}"));
        assert_eq!(decoded(&[&mark, &[0xDE00]]), format!("{marks}\u{fffd}"));
        assert_eq!(decoded(&[&high, &mark]), format!("a\u{fffd}{marks}"));
    }
}

#[test]
fn a_held_surrogate_is_flushed_when_the_stream_ends_or_fails() {
    for lane in all_text_frames() {
        let open = &lane.frames(&[&[97, 0xD83D]])[..3];
        let with = |more: &str| play(true, &[open, &[more.to_owned()]].concat());
        for more in [
            "",
            ERROR,
            "not JSON",
            r#"{"type":"RUN_STARTED"}"#,
            START,
            END,
        ] {
            assert_eq!(
                collect_texts(&with(more).events)[0].1,
                "a\u{fffd}",
                "{more}"
            );
        }
        let got = with(r#"{"type":"MESSAGES_SNAPSHOT","messages":[]}"#);
        let last = got.events.last().map(|event| event_type(&event.kind));
        assert_eq!(last, Some("MESSAGES_SNAPSHOT"));
        assert_eq!(collect_texts(&got.events)[0].1, "a\u{fffd}");
    }
}

#[test]
fn a_held_surrogate_of_an_unknown_call_is_not_delivered() {
    let frames = [
        START,
        r#"{"type":"TOOL_CALL_ARGS","toolCallId":"zz","delta":"a\ud83d"}"#,
        END,
    ];
    let got = decode_frames(false, frames);
    assert_eq!(got.types(), ["RUN_STARTED", "RUN_FINISHED"]);
    assert_eq!(got.codes(), ["half-pair", "unknown-id", "unknown-id"]);
    let got = decode_frames(true, frames);
    assert_eq!(
        (got.types(), got.outcome()),
        (vec!["RUN_STARTED"], "failed")
    );
}

#[test]
fn held_surrogates_are_bounded_and_the_rest_replaced() {
    let mut frames = vec![START.to_owned()];
    let id = |n: usize| format!(r#""messageId":"{n}""#);
    let lanes: Vec<TextFrames> = (0..300)
        .map(|n| TextFrames::with_events("TEXT_MESSAGE", "CONTENT", &id(n), ""))
        .collect();
    frames.extend(lanes.iter().map(|lane| lane.first.clone()));
    for unit in [0xD83D, 0xDE00] {
        frames.extend(lanes.iter().map(|lane| lane.delta(0, &[unit])));
    }
    let texts = collect_texts(&play(true, &frames).events);
    let (whole, rest): (Vec<_>, Vec<_>) = texts.iter().partition(|(_, text)| text == "😀");
    assert!(whole.len() >= 16 && rest.len() >= 16);
    assert!(rest.iter().all(|(_, text)| text == "\u{fffd}\u{fffd}"));
}

#[test]
fn the_surrogate_joiner_works_on_its_own() {
    let content = |delta: &str| Event {
        kind: EventKind::TextMessageContent {
            message_id: "m".to_owned(),
            delta: delta.to_owned(),
        },
        base: Base::default(),
    };
    let data = r#"{"type":"RAW","delta":"\ude00\ud83d","\udead":1}"#;
    let (mut frame, split) = SplitPair::parse(data).unwrap();
    assert_eq!(frame.text("delta"), Some("\u{fffd}\u{fffd}"));
    assert_eq!(frame.take("\u{fffd}"), Some(json!(1)));
    assert_eq!((split.low(), split.high()), (Some(0xDE00), Some(0xD83D)));
    let (mut joiner, mut out) = (Joiner::new(), Vec::new());
    for text in ["\u{fffd}\u{fffd}", "\u{fffd}\u{fffd}"] {
        joiner.join(content(text), split, &mut out);
    }
    assert!(!joiner.is_idle());
    // A split without a U+FFFD in the text has no effect.
    joiner.join(content("odd"), split, &mut out);
    assert!(joiner.is_idle());
    assert_eq!(collect_texts(&out)[0].1, "\u{fffd}😀\u{fffd}odd");
    assert!(SplitPair::parse("[").is_err());
    assert_eq!(SplitPair::parse("{}").unwrap().1, SplitPair::default());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Checks that pieces are decoded like the whole. The standard library is the oracle.
    #[test]
    fn random_utf16_pieces_decode_like_the_whole(
        units in vec(prop_oneof![
            3 => 0xD83C_u16..0xD83E, 3 => 0xDDFE_u16..0xDE02, 1 => any::<u16>(), 1 => 32_u16..127,
            1 => 0xDB80_u16..0xDB82,
        ], 0..24),
        cuts in vec(any::<prop::sample::Index>(), 0..12),
        lane in 0..9_usize,
        strict in any::<bool>(),
    ) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(units.len() + 1)).collect();
        cuts.extend([0, units.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u16]> = cuts.windows(2).map(|cut| &units[cut[0]..cut[1]]).collect();
        let got = play(strict, &all_text_frames()[lane].frames(&pieces));
        prop_assert_eq!(only_text(&got), String::from_utf16_lossy(&units));
    }
}

#[test]
fn only_lone_surrogates_are_replaced() {
    let delta = |escaped: &str| {
        let frames = [
            r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#.to_owned(),
            format!(r#"{{"type":"RAW","event":"{escaped}"}}"#),
        ];
        let got = decode_frames(true, frames.iter().map(String::as_str));
        let Some(EventKind::Raw { event, .. }) = got.events.get(1).map(|event| &event.kind) else {
            return got.error().to_owned();
        };
        event.as_str().unwrap().to_owned()
    };
    for (escaped, read) in [
        (r"a\ud83d\ud83d\ude00b", "a\u{fffd}\u{1f600}b"),
        (r"\ude00\ud83d", "\u{fffd}\u{fffd}"),
        (r"\uD83D\n", "\u{fffd}\n"),
        (r"\\ud83d\ud83dé", "\\ud83d\u{fffd}é"),
        (r"\ud83d\\ude00", "\u{fffd}\\ude00"),
        (r"\u00e9\ud83d\u00e9", "é\u{fffd}é"),
    ] {
        assert_eq!(delta(escaped), read, "{escaped}");
    }
    for broken in [r"\ud83", r"\ud83d\u", r"\ud83d\x", r"\u+83d"] {
        assert!(delta(broken).contains("not JSON"), "{broken}");
    }
}
