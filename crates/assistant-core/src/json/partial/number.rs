//! Incremental parsing of a JSON number, shown up to its last valid prefix.
//!
//! The grammar is checked here and the value is parsed by `serde_json`, so both always agree.

use serde_json::Value;

/// The maximum length at which an unfinished number is shown, so that updates after many small
/// pieces stay cheap. A longer number is shown when it is finished.
const MAX_SHOWN: usize = 1024;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
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

/// The result of feeding a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fed {
    /// A digit was read, and the number is complete so far.
    Digit,
    /// The character belongs to the number, which is incomplete.
    Other,
    /// A digit is not permitted here, so the number is invalid.
    Bad,
    /// The character does not belong to the number.
    End,
}

/// An incremental parser of a number.
#[derive(Clone, Debug, Default)]
pub(super) struct Number {
    part: Part,
    text: String,
    /// The length of the valid prefix.
    valid: usize,
    /// The length of the prefix that was shown last.
    shown: usize,
    exact: bool,
}

impl Number {
    pub(super) fn feed(&mut self, ch: char) -> Fed {
        self.part = match (self.part, ch) {
            (Part::Start, '-') => Part::Sign,
            (Part::Start | Part::Sign, '0') => Part::Zero,
            (Part::Start | Part::Sign | Part::Integer, '0'..='9') => Part::Integer,
            (Part::Dot | Part::Fraction, '0'..='9') => Part::Fraction,
            (Part::Exponent | Part::ExponentSign | Part::ExponentDigits, '0'..='9') => {
                Part::ExponentDigits
            }
            (Part::Zero | Part::Broken, '0'..='9') => return Fed::Bad,
            (Part::Zero | Part::Integer, '.') => Part::Dot,
            (Part::Zero | Part::Integer | Part::Fraction, 'e' | 'E') => Part::Exponent,
            (Part::Exponent, '+' | '-') => Part::ExponentSign,
            (_, '.' | 'e' | 'E' | '-') => Part::Broken,
            _ => return Fed::End,
        };
        self.text.push(ch);
        if !ch.is_ascii_digit() {
            return Fed::Other;
        }
        self.valid = self.text.len();
        Fed::Digit
    }

    /// Returns true if the number has a value to show.
    pub(super) fn has_digits(&self) -> bool {
        self.valid > 0
    }

    /// Returns true if the text so far is a number.
    pub(super) fn is_whole(&self) -> bool {
        self.has_digits() && self.valid == self.text.len()
    }

    /// Returns true if the last shown value is that of the whole text.
    pub(super) fn is_exact(&self) -> bool {
        self.exact && self.shown == self.text.len()
    }

    /// Returns the value of the unfinished number, if it changed.
    pub(super) fn show(&mut self) -> Option<Value> {
        let end = self.longest_shown();
        if end == self.shown {
            return None;
        }
        let value = self.read(end);
        self.shown = end;
        self.exact = value.is_some();
        Some(value.unwrap_or_else(|| self.largest()))
    }

    /// Returns the value of the finished number; `None` if the number is too large.
    pub(super) fn finish(&self) -> Option<Value> {
        let value = self.read(self.valid);
        if self.is_whole() {
            value
        } else {
            value.or_else(|| Some(self.largest()))
        }
    }

    /// Returns the length of the longest valid prefix within the limit.
    fn longest_shown(&self) -> usize {
        if self.valid <= MAX_SHOWN {
            return self.valid;
        }
        // A prefix that ends in a digit is a number: the grammar has been checked.
        let head = self.text.as_bytes().get(..MAX_SHOWN).unwrap_or_default();
        head.iter()
            .rposition(u8::is_ascii_digit)
            .map_or(0, |last| last + 1)
    }

    fn read(&self, end: usize) -> Option<Value> {
        serde_json::from_str(self.text.get(..end)?).ok()
    }

    /// Returns the placeholder for a number beyond the range that may still return into it.
    fn largest(&self) -> Value {
        Value::from(if self.text.starts_with('-') {
            f64::MIN
        } else {
            f64::MAX
        })
    }
}
