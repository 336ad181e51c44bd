//! Parses a JSON number incrementally. An unfinished number has the value of its longest valid
//! prefix.
//!
//! The grammar is checked here, and the checked prefix is parsed by `serde_json`.

use serde_json::Value;

/// The maximum length of the shown prefix of an unfinished number, in bytes. The limit keeps
/// updates after many small pieces cheap. The whole number is shown when it is finished.
const MAX_SHOWN_LEN: usize = 1024;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum NumberPart {
    #[default]
    Start,
    Sign,
    Zero,
    Integer,
    Dot,
    Fraction,
    Exponent,
    ExponentSign,
    ExponentDigits,
    Broken,
}

/// The result of feeding a character to the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FeedResult {
    /// A digit was read, and the number is complete so far.
    Digit,
    /// The character belongs to the number, which is incomplete or no longer valid.
    Other,
    /// A digit is not permitted here, so the number is invalid.
    Bad,
    /// The character does not belong to the number.
    End,
}

/// An incremental parser for a JSON number.
#[derive(Clone, Debug, Default)]
pub(super) struct NumberParser {
    part: NumberPart,
    text: String,
    /// The length of the valid prefix, in bytes.
    valid: usize,
    /// The length of the prefix that was shown last, in bytes.
    shown: usize,
    exact: bool,
}

impl NumberParser {
    pub(super) fn feed_char(&mut self, ch: char) -> FeedResult {
        self.part = match (self.part, ch) {
            (NumberPart::Start, '-') => NumberPart::Sign,
            (NumberPart::Start | NumberPart::Sign, '0') => NumberPart::Zero,
            (NumberPart::Start | NumberPart::Sign | NumberPart::Integer, '0'..='9') => {
                NumberPart::Integer
            }
            (NumberPart::Dot | NumberPart::Fraction, '0'..='9') => NumberPart::Fraction,
            (
                NumberPart::Exponent | NumberPart::ExponentSign | NumberPart::ExponentDigits,
                '0'..='9',
            ) => NumberPart::ExponentDigits,
            (NumberPart::Zero | NumberPart::Broken, '0'..='9') => return FeedResult::Bad,
            (NumberPart::Zero | NumberPart::Integer, '.') => NumberPart::Dot,
            (NumberPart::Zero | NumberPart::Integer | NumberPart::Fraction, 'e' | 'E') => {
                NumberPart::Exponent
            }
            (NumberPart::Exponent, '+' | '-') => NumberPart::ExponentSign,
            (_, '.' | 'e' | 'E' | '-') => NumberPart::Broken,
            _ => return FeedResult::End,
        };
        self.text.push(ch);
        if !ch.is_ascii_digit() {
            return FeedResult::Other;
        }
        self.valid = self.text.len();
        FeedResult::Digit
    }

    /// Returns true if a prefix of the text is a valid number.
    pub(super) fn has_digits(&self) -> bool {
        self.valid > 0
    }

    /// Returns true if the text so far is a valid number.
    pub(super) fn is_whole(&self) -> bool {
        self.has_digits() && self.valid == self.text.len()
    }

    /// Returns true if the last shown value is the exact value of the whole text.
    pub(super) fn is_exact(&self) -> bool {
        self.exact && self.shown == self.text.len()
    }

    /// Updates the shown value of the unfinished number and returns the value; `None` if the length
    /// of the shown prefix has not changed.
    pub(super) fn update_shown_value(&mut self) -> Option<Value> {
        let end = self.longest_shown_length();
        if end == self.shown {
            return None;
        }
        let value = self.parse_prefix(end);
        self.shown = end;
        self.exact = value.is_some();
        Some(value.unwrap_or_else(|| self.overflow_placeholder()))
    }

    /// Returns the value of the finished number, or of its valid prefix if the whole text is not a
    /// valid number. Returns `None` if a valid number is too large.
    pub(super) fn final_value(&self) -> Option<Value> {
        let value = self.parse_prefix(self.valid);
        if self.is_whole() {
            value
        } else {
            value.or_else(|| Some(self.overflow_placeholder()))
        }
    }

    /// Returns the length of the longest valid prefix of at most `MAX_SHOWN_LEN` bytes.
    fn longest_shown_length(&self) -> usize {
        if self.valid <= MAX_SHOWN_LEN {
            return self.valid;
        }
        // The text is cut after the last digit within the limit, since a prefix of checked text
        // that ends in a digit is a valid number.
        let head = self
            .text
            .as_bytes()
            .get(..MAX_SHOWN_LEN)
            .unwrap_or_default();
        head.iter()
            .rposition(u8::is_ascii_digit)
            .map_or(0, |last| last + 1)
    }

    fn parse_prefix(&self, end: usize) -> Option<Value> {
        serde_json::from_str(self.text.get(..end)?).ok()
    }

    /// Returns the value that is shown for a prefix that is too large: the largest finite value
    /// with the sign of the prefix. A later exponent may still make the number small enough.
    fn overflow_placeholder(&self) -> Value {
        Value::from(if self.text.starts_with('-') {
            f64::MIN
        } else {
            f64::MAX
        })
    }
}
