//! Formats the text of violations: bounded text, quoted values, lists and counts.

use core::fmt::{self, Write};

use serde_json::{Map, Value};

/// The maximum length of a message, in characters.
pub(super) const MAX_MESSAGE_LEN: usize = 300;

/// The maximum length of a path in a violation, in characters.
pub(super) const MAX_PATH_LEN: usize = 500;

/// The maximum length of a quoted value, in characters.
const MAX_VALUE_LEN: usize = 60;

/// The maximum number of values in a list.
const MAX_LISTED_VALUES: usize = 20;

/// A writer that fails after a number of characters, so that large values are not formatted
/// completely.
struct BoundedWriter {
    text: String,
    remaining: usize,
}

impl Write for BoundedWriter {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        for character in piece.chars() {
            let Some(remaining) = self.remaining.checked_sub(1) else {
                return Err(fmt::Error);
            };
            self.remaining = remaining;
            self.text.push(character);
        }
        Ok(())
    }
}

/// Formats `content`, truncated with an ellipsis after `limit` characters.
pub(super) fn format_bounded(content: fmt::Arguments<'_>, limit: usize) -> String {
    let mut writer = BoundedWriter {
        text: String::new(),
        remaining: limit,
    };
    if writer.write_fmt(content).is_err() {
        writer.text.push('…');
    }
    writer.text
}

/// Formats the value of a keyword if the value is a number, a string or a list, or if the keyword
/// is `const`. The result is empty in all other cases, and for `anyOf` and `oneOf`.
pub(super) fn format_limit(keyword: &str, value: &Value) -> String {
    match (keyword, value) {
        ("anyOf" | "oneOf", _) => String::new(),
        (_, Value::String(text)) => format_bounded(format_args!("{text}"), MAX_MESSAGE_LEN),
        (_, Value::Array(values)) => {
            format_bounded(format_args!("{}", ValueList(values)), MAX_MESSAGE_LEN)
        }
        ("const", value) | (_, value @ Value::Number(_)) => {
            format_bounded(format_args!("{value}"), MAX_MESSAGE_LEN)
        }
        _ => String::new(),
    }
}

/// A value that is formatted as JSON, and is truncated if the JSON text is long.
pub(super) struct TruncatedJson<'a>(pub(super) &'a Value);

impl fmt::Display for TruncatedJson<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format_bounded(format_args!("{}", self.0), MAX_VALUE_LEN))
    }
}

/// A property name in quotes, which is truncated if it is long.
pub(super) struct QuotedName<'a>(pub(super) &'a str);

impl fmt::Display for QuotedName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "\"{}\"",
            format_bounded(format_args!("{}", self.0), MAX_VALUE_LEN)
        )
    }
}

/// The first values of a list, separated by commas and followed by the number of remaining values.
pub(super) struct ValueList<'a>(pub(super) &'a [Value]);

impl fmt::Display for ValueList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, value) in self.0.iter().take(MAX_LISTED_VALUES).enumerate() {
            let comma = if position == 0 { "" } else { ", " };
            write!(f, "{comma}{}", TruncatedJson(value))?;
        }
        write_remaining_count(f, self.0.len())
    }
}

/// The first property names of an object in quotes, separated by commas and followed by the number
/// of remaining names.
pub(super) struct QuotedKeys<'a>(pub(super) &'a Map<String, Value>);

impl fmt::Display for QuotedKeys<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, key) in self.0.keys().take(MAX_LISTED_VALUES).enumerate() {
            let comma = if position == 0 { "" } else { ", " };
            write!(f, "{comma}{}", QuotedName(key))?;
        }
        write_remaining_count(f, self.0.len())
    }
}

/// The words around a count: the verb, and the noun in singular and plural.
pub(super) type CountWords = (&'static str, &'static str, &'static str);

/// A count with its noun, such as "1 item" or "2 items".
pub(super) struct CountWithNoun(
    pub(super) u64,
    pub(super) &'static str,
    pub(super) &'static str,
);

impl fmt::Display for CountWithNoun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {}",
            self.0,
            if self.0 == 1 { self.1 } else { self.2 }
        )
    }
}

fn write_remaining_count(f: &mut fmt::Formatter<'_>, total: usize) -> fmt::Result {
    match total.checked_sub(MAX_LISTED_VALUES) {
        None | Some(0) => Ok(()),
        Some(more) => write!(f, " and {more} more"),
    }
}

/// Appends a step to a JSON Pointer, with `~` and `/` escaped.
pub(super) fn push_pointer_step(path: &mut String, step: &dyn fmt::Display) {
    struct PointerEscaper<'a>(&'a mut String);

    impl Write for PointerEscaper<'_> {
        fn write_str(&mut self, piece: &str) -> fmt::Result {
            for character in piece.chars() {
                match character {
                    '~' => self.0.push_str("~0"),
                    '/' => self.0.push_str("~1"),
                    _ => self.0.push(character),
                }
            }
            Ok(())
        }
    }

    path.push('/');
    // The result is ignored, because writing to a `String` cannot fail.
    let _ = write!(PointerEscaper(path), "{step}");
}
