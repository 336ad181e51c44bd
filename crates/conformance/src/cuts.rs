//! Generates texts that are split between any UTF-16 code units, as by a JavaScript producer.
//!
//! `serde_json` values cannot contain lone surrogates, so these streams are text, `{"rawSse": …,
//! "input": null}`, unlike those of [`crate::streams`].

use std::fmt::Write as _;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::malformed::merge_fields;
use crate::order::{run_finished, run_started};

/// The placeholder in an event that is replaced with the text of a delta.
const DELTA: &str = "\"%\"";

/// The events of a text: start, first delta, later delta, end.
type TextEvents = [Value; 4];

/// Generates a run with interleaved texts of each kind. The run may end with an error or without an
/// end.
pub fn any_cut_run() -> impl Strategy<Value = Value> {
    let piece = vec(any_code_unit(), 0..4);
    let last = prop_oneof![
        6 => Just(Some(run_finished())),
        1 => Just(Some(json!({"type": "RUN_ERROR", "message": "no"}))),
        1 => Just(None),
    ];
    (vec((0..texts_of_each_kind().len(), piece), 0..40), last).prop_map(|(pieces, last)| {
        let mut text = write_frame(&run_started(), &[]);
        let mut begun = [false; 6];
        for (lane, units) in &pieces {
            let Some((lane, begun)) = texts_of_each_kind().into_iter().zip(&mut begun).nth(*lane)
            else {
                continue;
            };
            let [start, first, later, _] = &lane;
            if !*begun && !start.is_null() {
                text += &write_frame(start, &[]);
            }
            text += &write_frame(if *begun { later } else { first }, units);
            *begun = true;
        }
        let is_finished = last
            .as_ref()
            .is_some_and(|last| last["type"] == "RUN_FINISHED");
        for ([.., end], begun) in texts_of_each_kind().iter().zip(begun) {
            if begun && is_finished && !end.is_null() {
                text += &write_frame(end, &[]);
            }
        }
        text.extend(last.map(|last| write_frame(&last, &[])));
        json!({"rawSse": text, "input": null})
    })
}

/// Generates a UTF-16 code unit, mostly a surrogate of a few pairs, so that neighbors often match.
fn any_code_unit() -> impl Strategy<Value = u16> {
    prop_oneof![
        4 => 0xD83C_u16..0xD83E,
        4 => 0xDDFE_u16..0xDE02,
        2 => 97_u16..100,
        1 => 0xD800_u16..0xE000,
        1 => 0xDB80_u16..0xDB82,
    ]
}

fn texts_of_each_kind() -> [TextEvents; 6] {
    let explicit = |stem: &str, step: &str, field: &str, id: &str, start: Value| {
        let piece = json!({"type": format!("{stem}_{step}"), field: id, "delta": "%"});
        let end = json!({"type": format!("{stem}_END"), field: id});
        [start, piece.clone(), piece, end]
    };
    let chunk = |kind: &str, tag: &str, opener: Value| {
        let later = json!({"type": kind, "subagentRunId": tag, "delta": "%"});
        [
            Value::Null,
            merge_fields(later.clone(), opener),
            later,
            Value::Null,
        ]
    };
    [
        explicit(
            "TEXT_MESSAGE",
            "CONTENT",
            "messageId",
            "m",
            json!({"type": "TEXT_MESSAGE_START", "messageId": "m"}),
        ),
        explicit(
            "REASONING_MESSAGE",
            "CONTENT",
            "messageId",
            "r",
            json!({"type": "REASONING_MESSAGE_START", "messageId": "r", "role": "reasoning"}),
        ),
        explicit(
            "TOOL_CALL",
            "ARGS",
            "toolCallId",
            "c",
            json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"}),
        ),
        chunk("TEXT_MESSAGE_CHUNK", "s", json!({"messageId": "n"})),
        chunk("REASONING_MESSAGE_CHUNK", "o", json!({"messageId": "q"})),
        chunk(
            "TOOL_CALL_CHUNK",
            "p",
            json!({"toolCallId": "d", "toolCallName": "f"}),
        ),
    ]
}

fn write_frame(event: &Value, units: &[u16]) -> String {
    let mut delta = String::from("\"");
    for unit in units {
        // Writing to a string does not fail.
        let _ = write!(delta, "\\u{unit:04x}");
    }
    delta.push('"');
    format!("data: {}\n\n", event.to_string().replace(DELTA, &delta))
}
