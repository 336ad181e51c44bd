//! Parses the JSON text that `npm/foreign.js` writes.

use std::{error::Error, fmt};

use assistant_core::json::surrogates::{REPLACED, replace_lone_surrogates};
use serde_json::Value;

/// The error for a value with more levels than the parser accepts. Other valid JSON is accepted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooDeep;

impl fmt::Display for TooDeep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("The value is nested too deeply")
    }
}

impl Error for TooDeep {}

/// Parses JSON text. A lone surrogate, which a page writes if it cuts a text within an emoji, is
/// read as U+FFFD.
pub(crate) fn parse(text: &str) -> Result<Value, TooDeep> {
    serde_json::from_str(text).or_else(|_| {
        let text = replace_lone_surrogates(text, |_| REPLACED);
        text.and_then(|text| serde_json::from_str(&text).ok())
            .ok_or(TooDeep)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn half_an_emoji_is_replaced() {
        let parsed = parse(r#"[{"title": "Hi \ud83d", "\ude00": "\ud83d\ude00"}]"#);
        assert_eq!(
            parsed,
            Ok(json!([{"title": "Hi \u{fffd}", "\u{fffd}": "\u{1f600}"}]))
        );
    }

    #[test]
    fn a_value_with_too_many_levels_is_refused() {
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(parse(&nested(127)).is_ok());
        assert_eq!(parse(&nested(128)), Err(TooDeep));
    }
}
