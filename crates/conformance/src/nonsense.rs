//! Strategies for invalid input: bytes, JSON, schemas, and changes of frames.
//!
//! The input resembles valid input and uses the names that the decoders know, since pure noise is
//! rejected at its first byte and tests nothing.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json as object};

/// Generates bytes: fewer than `most` fragments, mostly of event streams.
pub fn any_bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
    let fragments: &[&[u8]] = &[
        b"data:",
        b"data: ",
        b"\n",
        b"\n\n",
        b"\r",
        b"\r\n",
        b":",
        b"id: ",
        b"event:",
        b"retry: 1",
        b"\xEF\xBB\xBF",
        b"\xF0\x9F\x92",
        b"\xA9",
        b"\0",
        b"{",
        b"}",
        b"[",
        b"]",
        b"\"",
        b"\\",
        b"\\u",
        b"\\ud83d",
        b"d83d",
        b",",
        b"1",
        b"-",
        b"e",
        b"1.5",
        b"true",
        b"nul",
        b" ",
        b"a",
        b"[DONE]",
        b"{\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}",
    ];
    let fragment = prop_oneof![
        9 => select(fragments).prop_map(<[u8]>::to_vec),
        1 => any::<u8>().prop_map(|byte| vec![byte]),
    ];
    vec(fragment, 0..most).prop_map(|all| all.concat())
}

/// Generates JSON of any kind, with many names and strings that the decoders know.
pub fn any_json() -> impl Strategy<Value = Value> + Clone {
    let words = &[
        "",
        "a",
        "m1",
        "/a",
        "/a/0",
        "/-",
        "/~1",
        "/~2",
        "#",
        "#/a",
        "$",
        "~",
        "string",
        "object",
        "tool",
        "user",
        "assistant",
        "text",
        "interrupt",
        "add",
        "remove",
        "replace",
        "move",
        "copy",
        "test",
        "ü💩",
        "\u{0}",
    ][..];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        select(&[0, 1, -1, 3, i64::MAX, i64::MIN, 1 << 53][..]).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        select(words).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    let name = select(
        &[
            "",
            "a",
            "b",
            "id",
            "type",
            "role",
            "content",
            "messages",
            "toolCalls",
            "function",
            "delta",
            "metadata",
            "__proto__",
            "0",
            "a/b",
            "~",
        ][..],
    );
    leaf.prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::from),
            vec((name.clone().prop_map(str::to_owned), inner), 0..5)
                .prop_map(|members| members.into_iter().collect()),
        ]
    })
}

/// Generates values that resemble JSON schemas.
pub fn any_schema() -> impl Strategy<Value = Value> {
    let keyword = select(
        &[
            "type",
            "properties",
            "required",
            "items",
            "prefixItems",
            "enum",
            "const",
            "anyOf",
            "oneOf",
            "allOf",
            "not",
            "if",
            "then",
            "else",
            "$ref",
            "$dynamicRef",
            "$id",
            "$anchor",
            "$dynamicAnchor",
            "$defs",
            "minimum",
            "maximum",
            "multipleOf",
            "minLength",
            "maxLength",
            "pattern",
            "uniqueItems",
            "contains",
            "minContains",
            "maxContains",
            "dependentSchemas",
            "dependentRequired",
            "patternProperties",
            "additionalProperties",
            "propertyNames",
            "unevaluatedItems",
            "unevaluatedProperties",
            "a",
            "b",
        ][..],
    );
    let reference = select(
        &[
            "#",
            "#/$defs/a",
            "#/properties/a",
            "#a",
            "a",
            "#/allOf/0",
            "#/%25",
            "http://x/y",
        ][..],
    );
    let leaf = prop_oneof![
        2 => any_json(),
        1 => reference.prop_map(|to| object!({"$ref": to})),
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            3 => vec((keyword.clone().prop_map(str::to_owned), inner.clone()), 0..6)
                .prop_map(|members| members.into_iter().collect::<Value>()),
            1 => vec(inner, 0..4).prop_map(Value::from),
        ]
    })
}

/// A change of a frame. An [`Index`] selects a value or a byte by its relative position in the
/// frame.
#[derive(Debug, Clone)]
pub enum FrameChange {
    /// Replaces a value of the frame's JSON.
    Value(Index, Value),
    /// Removes a field or an element of the frame's JSON, and the nulls beside it.
    Removed(Index),
    /// Replaces a range of bytes.
    Bytes(Index, Index, Vec<u8>),
}

/// Generates any change.
pub fn any_frame_change() -> impl Strategy<Value = FrameChange> {
    let place = any::<Index>;
    prop_oneof![
        5 => (place(), any_json()).prop_map(|(at, value)| FrameChange::Value(at, value)),
        2 => place().prop_map(FrameChange::Removed),
        2 => (place(), place(), any_bytes(3)).prop_map(|(from, to, with)| FrameChange::Bytes(from, to, with)),
    ]
}

/// Returns the bytes of a frame after these changes. Changes of JSON are skipped if the bytes are
/// not JSON any more.
pub fn apply_changes(frame: &str, changes: &[FrameChange]) -> Vec<u8> {
    let mut bytes = frame.as_bytes().to_vec();
    for change in changes {
        if let FrameChange::Bytes(from, to, with) = change {
            let (from, to) = (from.index(bytes.len() + 1), to.index(bytes.len() + 1));
            bytes.splice(from.min(to)..from.max(to), with.iter().copied());
        } else if let Ok(mut json) = serde_json::from_slice::<Value>(&bytes) {
            let mut places = Vec::new();
            list_pointers(&json, String::new(), &mut places);
            let (FrameChange::Value(at, _) | FrameChange::Removed(at)) = change else {
                continue;
            };
            let place = at.get(&places);
            match (change, json.pointer_mut(place)) {
                (FrameChange::Value(_, value), Some(found)) => found.clone_from(value),
                _ => remove_value(&mut json, place),
            }
            bytes = json.to_string().into_bytes();
        }
    }
    bytes
}

fn list_pointers(value: &Value, at: String, places: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                list_pointers(item, format!("{at}/{n}"), places);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                list_pointers(member, format!("{at}/{name}"), places);
            }
        }
        _ => {}
    }
    places.push(at);
}

fn remove_value(json: &mut Value, place: &str) {
    let Some((parent, _)) = place.rsplit_once('/') else {
        return;
    };
    let removed = json.pointer_mut(place).map(Value::take);
    match json.pointer_mut(parent) {
        Some(Value::Object(members)) => members.retain(|_, member| !member.is_null()),
        Some(Value::Array(items)) => items.retain(|item| !item.is_null()),
        _ => drop(removed),
    }
}
