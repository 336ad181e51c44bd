//! Streamed tool arguments: recorded behavior of existing libraries, and the rules behind it.
//!
//! This parser intentionally differs from the recordings:
//! * A text that may still become anything (empty, blanks, `-`) is `Empty`, where the AI SDK
//!   returns failed-parse and assistant-stream `{}`.
//! * A high surrogate is held back until its low surrogate arrives, where JavaScript shows it
//!   alone; a text with a lone surrogate is never `Complete`, because `serde_json` rejects it.
//! * An invalid escape (`\uZZ`) inside a value makes the text `Invalid`, as in assistant-stream;
//!   the AI SDK does the same for `\x`, but cuts `\uZZ` off.
//! * `1E+` continues as a number; in the AI SDK the plus ends it, so `{"a":1E+3` shows 1.
//! * A number out of range is not a value once it has ended; JavaScript parses it as infinity.
//! * `__proto__` and `constructor` are ordinary keys; Rust has no prototypes to protect.

use assistant_core::json::partial::{DocumentState, FieldState, PartialJson, parse_partial};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Reads the vectors with the parser under test, since they contain lone surrogates, which
/// `serde_json` rejects.
fn vectors(group: &str) -> Vec<Value> {
    let text = include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../fixtures/partial_json/partial_json.json"
    ));
    let mut value = parse_partial(text).into_value().unwrap();
    serde_json::from_value(value[group].take()).unwrap()
}

fn one_by_one(text: &str) -> PartialJson {
    let mut json = PartialJson::new();
    for ch in text.chars() {
        json.push(ch.encode_utf8(&mut [0; 4]));
    }
    json
}

/// Parses a text at once and by characters.
fn read(text: &str) -> PartialJson {
    let whole = parse_partial(text);
    let pieces = one_by_one(text);
    assert_eq!(whole.value(), pieces.value(), "{text}");
    assert_eq!(whole.state(), pieces.state(), "{text}");
    whole
}

fn shown(text: &str) -> Option<Value> {
    read(text).into_value()
}

/// Removes trailing replacement characters, which JavaScript shows for surrogates that are held
/// back here.
fn held_back(value: &Value) -> Value {
    match value {
        Value::String(text) => json!(text.trim_end_matches('\u{fffd}')),
        Value::Array(items) => items.iter().map(held_back).collect(),
        Value::Object(map) => map.iter().map(|(k, v)| (k.clone(), held_back(v))).collect(),
        _ => value.clone(),
    }
}

/// Compares values with numbers by value: the recordings do not distinguish 1 from 1.0.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(l, r)| same(l, r))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, l)| right.get(key).is_some_and(|r| same(l, r)))
        }
        _ => left == right,
    }
}

fn assert_like_ai_sdk(text: &str, state: &str, value: Option<&Value>) {
    let json = read(text);
    let states: &[DocumentState] = match state {
        "successful-parse" => &[DocumentState::Complete],
        "repaired-parse" => &[DocumentState::Partial],
        "failed-parse" => &[DocumentState::Empty, DocumentState::Invalid],
        other => panic!("unknown state {other}"),
    };
    assert!(
        states.contains(&json.state()),
        "{text}: {:?}, recorded {state}",
        json.state()
    );
    match (json.value(), value) {
        (None, None) => {}
        (Some(ours), Some(theirs)) if same(ours, &held_back(theirs)) => {}
        (ours, theirs) => panic!("{text}: {ours:?}, recorded {theirs:?}"),
    }
}

#[test]
fn values_and_states_match_the_ai_sdk() {
    let cases = vectors("ai_sdk_parse");
    assert!(!cases.is_empty());
    for case in cases {
        let (input, state) = (
            case["input"].as_str().unwrap(),
            case["state"].as_str().unwrap(),
        );
        assert_like_ai_sdk(input, state, case.get("value"));
    }
}

#[test]
fn partial_values_match_the_repaired_json_of_the_ai_sdk() {
    for case in vectors("ai_sdk_fix_json") {
        let repaired = serde_json::from_str::<Value>(case["repaired"].as_str().unwrap()).ok();
        let shown = shown(case["input"].as_str().unwrap());
        assert_eq!(shown, repaired, "{case}");
    }
}

#[test]
fn every_prefix_of_a_document_parses_like_in_the_ai_sdk() {
    let documents = vectors("ai_sdk_prefixes");
    assert!(!documents.is_empty());
    for document in documents {
        let text = document["document"].as_str().unwrap();
        let mut json = PartialJson::new();
        for case in document["byPrefixLength"].as_array().unwrap() {
            let length = case[0].as_u64().unwrap().try_into().unwrap();
            let prefix = text.get(..length).unwrap();
            let value = Some(&case[2]).filter(|value| **value != json!("__undefined__"));
            assert_like_ai_sdk(prefix, case[1].as_str().unwrap(), value);
            // The same value, extended from the previous prefix.
            if let Some(last) = prefix.chars().last() {
                json.push(&last.to_string());
            }
            assert_eq!(json.value(), parse_partial(prefix).value());
        }
    }
}

#[test]
fn field_states_match_assistant_stream() {
    let cases = vectors("assistant_stream_objects");
    assert!(!cases.is_empty());
    for case in cases {
        let json = read(case["input"].as_str().unwrap());
        match (json.value(), case.get("value")) {
            (None, None) => assert_eq!(json.state(), DocumentState::Invalid, "{case}"),
            (None, Some(_)) => assert_eq!(json.state(), DocumentState::Empty, "{case}"),
            (Some(ours), Some(theirs)) => assert!(same(ours, &held_back(theirs)), "{case}"),
            (Some(_), None) => panic!("a value for {case}"),
        }
        if let Some(state) = case["meta"]["state"].as_str() {
            assert_eq!(
                json.state() == DocumentState::Complete,
                state == "complete",
                "{case}"
            );
        }
        for field in case["fields"].as_array().unwrap() {
            let path: Vec<String> = field["path"]
                .as_array()
                .unwrap()
                .iter()
                .map(|segment| {
                    segment
                        .as_str()
                        .map_or_else(|| segment.to_string(), str::to_owned)
                })
                .collect();
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            let wanted = match field["state"].as_str().unwrap() {
                "complete" => FieldState::Complete,
                _ => FieldState::Partial,
            };
            assert_eq!(json.field_state(&path), wanted, "{path:?} of {case}");
        }
    }
}

#[test]
fn text_that_has_no_value_yet_is_empty() {
    for text in ["", " \t\r\n", "-"] {
        assert_eq!(read(text).state(), DocumentState::Empty, "{text:?}");
        assert_eq!(read(text).field_state(&[]), FieldState::Partial);
    }
}

#[test]
fn an_invalid_tail_is_cut_off() {
    for (text, value) in [
        (r#"{"a":1} thanks"#, json!({"a": 1})),
        (r#"{"a":1}}"#, json!({"a": 1})),
        (r#"{"a":1,}"#, json!({"a": 1})),
        ("[1,]", json!([1])),
        ("[x", json!([])),
        ("[{]", json!([{}])),
        (r#"{"a":"b" "c":"#, json!({"a": "b"})),
        (r#"{"a":1+"#, json!({"a": 1})),
        (r#"{"k\x"#, json!({})),
        ("[1,,", json!([1])),
        ("1 2", json!(1)),
    ] {
        assert_eq!(read(text).state(), DocumentState::Partial, "{text}");
        assert_eq!(shown(text), Some(value), "{text}");
    }
}

#[test]
fn text_that_cannot_become_json_stays_invalid() {
    for text in [
        "hello",
        "}",
        "\u{feff}{}",
        "\u{a0}1",
        "[1 2",
        "[1 }",
        "[\"a\"}",
        "[1,,2",
        "[x1",
        "{a:1}",
        "{\"a\":1 x,\"b\":2",
        "{\"a\"::1",
        "{\"a\":nu}",
        "nulx",
        "[tx",
        "01",
        "-01",
        "1..2",
        "1-2",
        "12.e5",
        "\"\\x",
        "\"\\uZZ",
        "\"\\u12\"",
        "\"a\nb",
        "{\"k\\x\":1",
        "[1e999]",
        "[-1e999,",
        "{\"a\":-}",
    ] {
        let mut json = read(text);
        assert_eq!(
            (json.state(), json.value()),
            (DocumentState::Invalid, None),
            "{text}"
        );
        assert_eq!(json.field_state(&["a"]), FieldState::Partial);
        json.push("}]1");
        assert_eq!(json.state(), DocumentState::Invalid);
    }
}

#[test]
fn a_high_surrogate_is_held_until_its_low_surrogate() {
    let mut json = PartialJson::new();
    json.push(r#"["x\uD83D"#);
    assert_eq!(json.value(), Some(&json!(["x"])));
    json.push(r"\uDE");
    assert_eq!(json.value(), Some(&json!(["x"])));
    json.push(r"00");
    assert_eq!(json.value(), Some(&json!(["x😀"])));
    json.push("\"]");
    assert_eq!(json.state(), DocumentState::Complete);
}

#[test]
fn lone_surrogates_are_replaced_and_never_complete() {
    for (text, value) in [
        (r#""a\ud83d""#, "a\u{fffd}"),
        (r#""\ud83db""#, "\u{fffd}b"),
        (r#""\ud83d\n""#, "\u{fffd}\n"),
        (r#""\ude00""#, "\u{fffd}"),
        (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
        (r#""\ud83d\u0041""#, "\u{fffd}A"),
    ] {
        assert!(serde_json::from_str::<Value>(text).is_err());
        assert_eq!(shown(text), Some(json!(value)), "{text}");
        assert_eq!(read(text).state(), DocumentState::Partial, "{text}");
    }
    assert_eq!(shown(r#"{"\ud83d":1"#), Some(json!({"\u{fffd}": 1})));
}

#[test]
fn a_repeated_key_takes_the_last_value_and_place() {
    let text = r#"{"a":1,"b":2,"a":{"c":[3]}}"#;
    assert_eq!(
        shown(r#"{"a":1,"b":2,"a":-"#).unwrap().to_string(),
        r#"{"a":1,"b":2}"#
    );
    assert_eq!(
        shown(r#"{"a":1,"b":2,"a":{"c":[3"#).unwrap().to_string(),
        r#"{"b":2,"a":{"c":[3]}}"#
    );
    assert_eq!(shown(text).unwrap().to_string(), r#"{"b":2,"a":{"c":[3]}}"#);
    assert_eq!(shown(text), serde_json::from_str(text).ok());
}

#[test]
fn nesting_has_the_limit_of_serde_json() {
    for (depth, state) in [
        (127, DocumentState::Complete),
        (128, DocumentState::Invalid),
        (200_000, DocumentState::Invalid),
    ] {
        let text = "[".repeat(depth) + &"]".repeat(depth);
        assert_eq!(parse_partial(&text).state(), state, "{depth}");
        assert_eq!(
            serde_json::from_str::<Value>(&text).is_ok(),
            state == DocumentState::Complete
        );
        let text = "{\"a\":".repeat(depth) + "1" + &"}".repeat(depth);
        assert_eq!(one_by_one(&text).state(), state, "{depth}");
    }
}

#[test]
fn long_numbers_are_partial_and_then_exact() {
    let digits = format!("0.{}", "123456789".repeat(1000));
    let json = read(&format!("[{digits}"));
    assert!(json.value().unwrap()[0].as_f64().unwrap() > 0.12);
    let text = format!("[{digits}]");
    assert_eq!(
        read(&text).into_value(),
        serde_json::from_str(&text).unwrap()
    );
    // Too large while incomplete, in range in the end.
    let text = format!("[1{}e-400", "0".repeat(400));
    assert_eq!(
        shown(text.strip_suffix("e-400").unwrap()),
        Some(json!([f64::MAX]))
    );
    assert_eq!(
        shown(&text),
        serde_json::from_str(&format!("{text}]")).unwrap()
    );
}

#[test]
fn a_clone_is_independent() {
    let mut json = parse_partial(r#"{"a":"x"#);
    let copy = json.clone();
    json.push("y");
    assert_eq!(copy.value(), Some(&json!({"a": "x"})));
    assert_eq!(json.value(), Some(&json!({"a": "xy"})));
}

fn document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(".{0,3}", inner, 0..4).prop_map(|map| json!(map)),
        ]
    })
}

/// Texts that resemble JSON, of its tokens and their fragments.
fn near_json() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => prop::sample::select(vec!["{", "}", "[", "]", ",", ":", "\"", "\"a\":", "\"a\"", " "]),
        2 => prop::sample::select(vec!["1", "0", "-", ".5", "e", "E+3", "12", "1e99", "true", "nul", "l", "f"]),
        1 => prop::sample::select(vec!["\\", "\\n", "\\u", "\\ud83d", "\\ude00", "00", "é", "\n", "\u{1}"]),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

/// A document, unchanged or with an insertion or a deletion.
fn damaged() -> impl Strategy<Value = String> {
    (
        document(),
        any::<prop::sample::Index>(),
        prop_oneof![Just(""), Just(","), Just("}"), Just("x"), Just("\"")],
        0..2_usize,
    )
        .prop_map(|(value, at, insert, delete)| {
            let chars: Vec<char> = value.to_string().chars().collect();
            let at = at.index(chars.len());
            let after = &chars[(at + delete).min(chars.len())..];
            chars[..at]
                .iter()
                .copied()
                .chain(insert.chars())
                .chain(after.iter().copied())
                .collect()
        })
}

proptest! {
    #[test]
    fn a_document_is_complete_and_equals_serde_json(value in document(), pretty: bool) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        let text = text.unwrap();
        let json = read(&text);
        prop_assert_eq!(json.state(), DocumentState::Complete);
        let read = serde_json::from_str::<Value>(&text).unwrap();
        prop_assert_eq!(json.value(), Some(&read));
        prop_assert_eq!(json.value().unwrap().to_string(), read.to_string());
    }

    #[test]
    fn a_text_is_complete_exactly_if_serde_json_accepts_it(text in prop_oneof![near_json(), damaged(), ".{0,12}"]) {
        let json = read(&text);
        match serde_json::from_str::<Value>(&text) {
            Ok(value) => {
                prop_assert_eq!(json.state(), DocumentState::Complete);
                prop_assert_eq!(json.value().unwrap().to_string(), value.to_string());
            }
            Err(_) => prop_assert_ne!(json.state(), DocumentState::Complete),
        }
    }

    #[test]
    fn chunked_input_parses_like_the_whole(text in prop_oneof![near_json(), damaged()], cuts in prop::collection::vec(any::<bool>(), 200)) {
        let mut json = PartialJson::new();
        let mut piece = String::new();
        for (ch, cut) in text.chars().zip(cuts.into_iter().cycle()) {
            piece.push(ch);
            if cut {
                json.push(&std::mem::take(&mut piece));
            }
        }
        json.push(&piece);
        let whole = parse_partial(&text);
        prop_assert_eq!(json.state(), whole.state());
        prop_assert_eq!(json.value(), whole.value());
        prop_assert_eq!(json.field_state(&["a"]), whole.field_state(&["a"]));
    }

    #[test]
    fn no_prefix_of_a_document_is_invalid(value in document()) {
        let mut json = PartialJson::new();
        for ch in value.to_string().chars() {
            json.push(&ch.to_string());
            prop_assert_ne!(json.state(), DocumentState::Invalid);
        }
    }
}

/// Without a bound, the time is 1,000 times that of a field that is not repeated.
#[test]
fn a_delta_in_a_repeated_field_does_not_cost_the_length_of_its_name() {
    let name = "k".repeat(200_000);
    let time = |text: &str, expected: Value| {
        let start = std::time::Instant::now();
        let mut json = PartialJson::new();
        json.push(text);
        for _ in 0..2_000 {
            json.push("x");
        }
        let elapsed = start.elapsed().as_secs_f64();
        assert_eq!(json.value(), Some(&expected));
        elapsed
    };
    let expected = json!({&name: ["x".repeat(2_000)], "b": 2});
    let once = time(&format!("{{\"b\":2,\"{name}\":[\""), expected.clone());
    let repeated = format!("{{\"{name}\":1,\"b\":2,\"{name}\":[\"");
    let twice = time(&repeated, expected);
    assert!(twice < 100.0 * once, "{twice} s, once: {once} s");
}
