//! Formats JSON values for approval cards.

use std::fmt::Write;

use assistant_core::json::canonical::by_name;
use serde_json::Value;

/// The maximum indentation, in levels.
const MAX_LEVELS: usize = 24;

/// Formats a value as indented JSON with sorted keys, so that equal values have equal texts. Line
/// breaks inside of strings stay `\n`, so that no line break pushes text out of sight.
pub(super) fn format_json(value: &Value) -> String {
    let mut out = String::new();
    let mut levels = Vec::new();
    begin_value(value, &mut out, &mut levels);
    while let Some(OpenLevel { entries, end }) = levels.last_mut() {
        let end = *end;
        let Some((key, item, first)) = entries.next() else {
            levels.pop();
            write_line_break(&mut out, levels.len());
            out.push(end);
            continue;
        };
        if !first {
            out.push(',');
        }
        write_line_break(&mut out, levels.len());
        if let Some(key) = key {
            write_scalar(&Value::from(key), &mut out);
            out.push_str(": ");
        }
        begin_value(item, &mut out, &mut levels);
    }
    out
}

/// A list or an object that is being formatted. A stack of these levels replaces recursion.
struct OpenLevel<'a> {
    entries: Box<dyn Iterator<Item = LevelEntry<'a>> + 'a>,
    end: char,
}

/// The key of an entry (`None` in a list), its value, and true if the entry is the first.
type LevelEntry<'a> = (Option<&'a str>, &'a Value, bool);

fn begin_value<'a>(value: &'a Value, out: &mut String, levels: &mut Vec<OpenLevel<'a>>) {
    match value {
        Value::Array(items) if !items.is_empty() => {
            out.push('[');
            let entries = items.iter().enumerate();
            let entries = Box::new(entries.map(|(at, item)| (None, item, at == 0)));
            levels.push(OpenLevel { entries, end: ']' });
        }
        Value::Object(map) if !map.is_empty() => {
            out.push('{');
            let entries = by_name(map).into_iter().enumerate();
            let entries = entries.map(|(at, (key, item))| (Some(key.as_str()), item, at == 0));
            let entries = Box::new(entries);
            levels.push(OpenLevel { entries, end: '}' });
        }
        _ => write_scalar(value, out),
    }
}

fn write_line_break(out: &mut String, levels: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", levels.min(MAX_LEVELS)));
}

/// Writes a text, number, literal, or an empty list or object.
fn write_scalar(value: &Value, out: &mut String) {
    // The error is ignored, because writing to a string cannot fail.
    let _ = write!(out, "{value}");
}

#[cfg(test)]
mod tests {
    use super::format_json;
    use serde_json::{Value, json};

    #[test]
    fn keys_are_sorted_and_line_breaks_stay_escaped() {
        let value = json!({"to": "a\n\n\nb", "amount": [1, {"z": {}, "b": []}], "é": null});
        let text = "{\n  \"amount\": [\n    1,\n    {\n      \"b\": [],\n      \"z\": {}\n    }\n  ],\n  \
                    \"to\": \"a\\n\\n\\nb\",\n  \"é\": null\n}";
        assert_eq!(format_json(&value), text);
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), value);
        assert_eq!(format_json(&json!("x")), "\"x\"");
    }

    #[test]
    fn deep_values_overflow_neither_stack_nor_output() {
        let mut value = json!(1);
        for _ in 0..20_000 {
            value = Value::Array(vec![value]);
        }
        assert!(format_json(&value).len() < 20_000 * 2 * (2 * super::MAX_LEVELS + 2));
        // Dropping a nested value recurses, so the levels are removed one by one.
        while let Value::Array(mut items) = value {
            value = items.pop().unwrap();
        }
    }
}
