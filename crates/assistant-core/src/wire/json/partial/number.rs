//! A JSON number read one character at a time, shown up to its last valid prefix.
//!
//! The grammar is followed here, the value is `serde_json`'s, so both always agree.

use serde_json::Value;

/// An unfinished number is shown up to this many characters, so that showing it again after each
/// of many small pieces stays cheap. Its end brings the whole of it.
const SHOWN_AT_MOST: usize = 1024;

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

/// What became of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fed {
    /// A digit: the number is whole as it stands.
    Digit,
    /// It belongs to the number, which needs more.
    Other,
    /// A digit where none can be; this is no number.
    Bad,
    /// It does not belong to the number.
    End,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Number {
    part: Part,
    text: String,
    /// How much of the text is a number.
    valid: usize,
    /// How much of the text the last shown value stands for, and whether it stands for it exactly.
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

    /// Whether there is anything to show.
    pub(super) fn has_digits(&self) -> bool {
        self.valid > 0
    }

    /// Whether the text so far is a number.
    pub(super) fn is_whole(&self) -> bool {
        self.has_digits() && self.valid == self.text.len()
    }

    /// Whether the value shown last is the value of the whole text.
    pub(super) fn is_exact(&self) -> bool {
        self.exact && self.shown == self.text.len()
    }

    /// The value of the unfinished number, if it changed.
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

    /// The value of the number now that it has ended; none if it is too large to be one.
    pub(super) fn finish(&self) -> Option<Value> {
        let value = self.read(self.valid);
        if self.is_whole() {
            value
        } else {
            value.or_else(|| Some(self.largest()))
        }
    }

    /// The longest valid prefix within the limit.
    fn longest_shown(&self) -> usize {
        if self.valid <= SHOWN_AT_MOST {
            return self.valid;
        }
        // Whatever ends in a digit here is a number: the grammar was checked on the way.
        let head = self
            .text
            .as_bytes()
            .get(..SHOWN_AT_MOST)
            .unwrap_or_default();
        head.iter()
            .rposition(u8::is_ascii_digit)
            .map_or(0, |last| last + 1)
    }

    fn read(&self, end: usize) -> Option<Value> {
        serde_json::from_str(self.text.get(..end)?).ok()
    }

    /// What stands for a number beyond the range while it may still come back into it.
    fn largest(&self) -> Value {
        Value::from(if self.text.starts_with('-') {
            f64::MIN
        } else {
            f64::MAX
        })
    }
}
