//! Measures incremental parsing of frames, arguments and callouts, and the application of patches
//! and schemas.

use std::fmt::Write as _;

use assistant_core::action::schema::{NoPatterns, validate};
use assistant_core::json::partial::PartialJson;
use assistant_core::json::patch;
use assistant_core::text::callout;
use assistant_protocols::sse::SseDecoder;

use super::*;

/// A function that creates an input of a size.
type MakeText = fn(usize) -> String;

#[test]
fn decoding_frames_takes_linear_work() {
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
        assert_linear_work(what, make, |text: String| {
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
fn reading_partial_json_after_every_delta_takes_linear_work() {
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
        assert_linear_work(what, make, |text: String| {
            let mut json = PartialJson::new();
            for piece in text.as_bytes().chunks(24) {
                json.push(std::str::from_utf8(piece).unwrap());
                std::hint::black_box(json.value());
            }
        });
    }
}

#[test]
fn parsing_callouts_in_pieces_takes_linear_work() {
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
        assert_linear_work(what, make, |text: String| {
            let mut parser = callout::Parser::new(callout::CalloutOptions::default());
            for piece in text.as_bytes().chunks(5) {
                std::hint::black_box(parser.push(std::str::from_utf8(piece).unwrap()));
            }
            std::hint::black_box(parser.finish());
        });
    }
}

#[test]
fn patches_and_schema_checks_take_linear_work() {
    let operations = |n: usize| -> Vec<Value> {
        let key = |n| format!("/k{n:05}");
        (0..n)
            .map(|n| json!({"op": "add", "path": key(n), "value": n}))
            .collect()
    };
    assert_linear_work("a long patch", operations, |patch: Vec<Value>| {
        patch::apply(&mut json!({}), &patch).unwrap();
    });
    let failing = |n| {
        let mut patch = operations(n);
        patch.push(json!({"op": "test", "path": "", "value": 0}));
        patch
    };
    assert_linear_work(
        "a patch that is taken back",
        failing,
        |patch: Vec<Value>| {
            patch::apply(&mut json!({}), &patch).unwrap_err();
        },
    );
    let schema = json!({"items": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}});
    let items = |n: usize| -> Value { (0..n).map(|n| json!({"a": n})).collect() };
    assert_linear_work("a long list", items, |items: Value| {
        assert!(validate(&schema, &items, &mut NoPatterns).is_empty());
    });
    let different = json!({"uniqueItems": true});
    assert_linear_work("a list of different things", items, |items: Value| {
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
        measure_work(|| patch::apply(&mut state, &patch).unwrap())
    };
    let small = cost(10);
    assert_eq!(cost(20_000), small);
}
