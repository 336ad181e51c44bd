//! Text of violations: bounded text, quoted values, lists and counts.

use core::fmt::{self, Write};

use serde_json::{Map, Value};

/// The longest message, in characters.
pub(super) const MAX_MESSAGE: usize = 300;

/// The longest path that is written out, in characters.
pub(super) const MAX_PATH: usize = 500;

/// The longest quoted value, in characters.
const MAX_VALUE: usize = 60;

/// The maximum number of values in a list.
const MAX_LISTED: usize = 20;

/// A writer that fails after a number of characters, which stops formatting of large values early.
struct Bounded {
    text: String,
    left: usize,
}

impl Write for Bounded {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        for character in piece.chars() {
            let Some(left) = self.left.checked_sub(1) else {
                return Err(fmt::Error);
            };
            self.left = left;
            self.text.push(character);
        }
        Ok(())
    }
}

/// Formats `content`, cut with an ellipsis after `limit` characters.
pub(super) fn bounded(content: fmt::Arguments<'_>, limit: usize) -> String {
    let mut out = Bounded {
        text: String::new(),
        left: limit,
    };
    if out.write_fmt(content).is_err() {
        out.text.push('…');
    }
    out.text
}

/// Formats the value of a keyword if it is a bound, a name, a value or a list of values.
pub(super) fn limit(keyword: &str, value: &Value) -> String {
    match (keyword, value) {
        ("anyOf" | "oneOf", _) => String::new(),
        (_, Value::String(text)) => bounded(format_args!("{text}"), MAX_MESSAGE),
        (_, Value::Array(values)) => bounded(format_args!("{}", Listed(values)), MAX_MESSAGE),
        ("const", value) | (_, value @ Value::Number(_)) => {
            bounded(format_args!("{value}"), MAX_MESSAGE)
        }
        _ => String::new(),
    }
}

/// A value as JSON, truncated if long.
pub(super) struct Shown<'a>(pub(super) &'a Value);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&bounded(format_args!("{}", self.0), MAX_VALUE))
    }
}

/// A property name in quotes, truncated if long.
pub(super) struct Named<'a>(pub(super) &'a str);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", bounded(format_args!("{}", self.0), MAX_VALUE))
    }
}

/// Values separated by commas.
pub(super) struct Listed<'a>(pub(super) &'a [Value]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, value) in self.0.iter().take(MAX_LISTED).enumerate() {
            let comma = if position == 0 { "" } else { ", " };
            write!(f, "{comma}{}", Shown(value))?;
        }
        and_more(f, self.0.len())
    }
}

/// Property names in quotes, separated by commas.
pub(super) struct Keys<'a>(pub(super) &'a Map<String, Value>);

impl fmt::Display for Keys<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, key) in self.0.keys().take(MAX_LISTED).enumerate() {
            let comma = if position == 0 { "" } else { ", " };
            write!(f, "{comma}{}", Named(key))?;
        }
        and_more(f, self.0.len())
    }
}

/// A count with its noun: "1 item", "2 items".
pub(super) struct Count(
    pub(super) u64,
    pub(super) &'static str,
    pub(super) &'static str,
);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {}",
            self.0,
            if self.0 == 1 { self.1 } else { self.2 }
        )
    }
}

fn and_more(f: &mut fmt::Formatter<'_>, total: usize) -> fmt::Result {
    match total.checked_sub(MAX_LISTED) {
        None | Some(0) => Ok(()),
        Some(more) => write!(f, " and {more} more"),
    }
}

/// Appends an escaped step to a JSON Pointer.
pub(super) fn push_key(path: &mut String, step: &dyn fmt::Display) {
    struct Escaped<'a>(&'a mut String);

    impl Write for Escaped<'_> {
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
    // Writing to a `String` cannot fail.
    let _ = write!(Escaped(path), "{step}");
}
