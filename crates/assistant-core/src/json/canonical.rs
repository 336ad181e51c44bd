//! Writes canonical JSON, which is compact and has object keys in code point order.
//!
//! Canonical JSON is used for fingerprints. Display and requests do not use it, because they
//! preserve the order of keys. Numbers keep their notation, so `1` and `1.0` differ. Values may
//! nest to any depth.

use crate::order;
use serde_json::{Map, Value};
use std::fmt::Write;
use std::slice;
use std::vec;

/// Returns `value` as compact JSON with sorted keys.
///
/// ```
/// use assistant_core::json::canonical::canonical;
/// use serde_json::json;
///
/// assert_eq!(canonical(&json!({"b": [1, null], "a": "x"})), r#"{"a":"x","b":[1,null]}"#);
/// ```
#[must_use]
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    let mut open_containers = Vec::new();
    begin_value(value, &mut text, &mut open_containers);
    while let Some((container, is_first)) = open_containers.last_mut() {
        let comma = if std::mem::take(is_first) { "" } else { "," };
        let next_entry = match container {
            Container::Array(items) => items.next().map(|item| (None, item)),
            Container::Object(entries) => entries.next().map(|(key, item)| (Some(key), item)),
        };
        let Some((key, item)) = next_entry else {
            text.push(container.closing_bracket());
            open_containers.pop();
            continue;
        };
        text.push_str(comma);
        if let Some(key) = key {
            write_scalar(&Value::from(key.as_str()), &mut text);
            text.push(':');
        }
        begin_value(item, &mut text, &mut open_containers);
    }
    text
}

/// A container that is being written. A stack of containers replaces recursion, so that deep values
/// cannot overflow the call stack.
enum Container<'a> {
    Array(slice::Iter<'a, Value>),
    Object(vec::IntoIter<(&'a String, &'a Value)>),
}

impl Container<'_> {
    fn closing_bracket(&self) -> char {
        match self {
            Self::Array(_) => ']',
            Self::Object(_) => '}',
        }
    }
}

fn begin_value<'a>(value: &'a Value, out: &mut String, open: &mut Vec<(Container<'a>, bool)>) {
    match value {
        Value::Array(items) => {
            out.push('[');
            open.push((Container::Array(items.iter()), true));
        }
        Value::Object(map) => {
            out.push('{');
            open.push((Container::Object(by_name(map).into_iter()), true));
        }
        _ => write_scalar(value, out),
    }
}

/// Returns the members of an object, sorted by the code points of their names.
#[must_use]
pub fn by_name(map: &Map<String, Value>) -> Vec<(&String, &Value)> {
    order::sort_by_name(map.iter().collect(), |(name, _)| name)
}

fn write_scalar(value: &Value, out: &mut String) {
    // The result is ignored, because writing to a string cannot fail.
    let _ = write!(out, "{value}");
}

#[cfg(test)]
mod tests {
    use super::canonical;
    use serde_json::{Value, json};

    #[test]
    fn canonical_json_sorts_keys_at_every_depth_and_keeps_array_order() {
        let value = json!({"z": {"b": [{"y": 1, "x": 2}, []], "a": {}}, "é": "\"\n", "Z": -1.5});
        assert_eq!(
            canonical(&value),
            r#"{"Z":-1.5,"z":{"a":{},"b":[{"x":2,"y":1},[]]},"é":"\"\n"}"#
        );
    }

    #[test]
    fn canonical_json_parses_to_the_same_value() {
        let value = json!([null, true, 18446744073709551615_u64, {"": [[]]}, "\u{1}\u{2028}"]);
        assert_eq!(
            serde_json::from_str::<Value>(&canonical(&value)).unwrap(),
            value
        );
    }

    #[test]
    fn deep_values_do_not_overflow_the_stack() {
        let mut value = json!(1);
        for _ in 0..100_000 {
            value = Value::Array(vec![value]);
        }
        assert_eq!(canonical(&value).len(), 200_001);
        // The arrays are unwrapped one by one, because `serde_json` drops nested values
        // recursively, which could overflow the stack.
        while let Value::Array(mut items) = value {
            value = items.pop().unwrap();
        }
    }
}
