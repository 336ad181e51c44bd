//! Halves of surrogate pairs in JSON: what a producer in JavaScript writes when it cuts a text
//! within an emoji. JSON allows them, a Rust string does not.
//!
//! A half is read as U+FFFD, and a [`SplitPair`] tells of those at the ends of a delta, for
//! [`super::Joiner`] to put together. Runs for frames that `serde_json` refuses, and for no others.

use serde_json::Value;

use super::fault::ProtocolError;
use super::object::EventObject;

/// What a half stands as in a text.
pub(super) const REPLACED: char = char::REPLACEMENT_CHARACTER;
/// One character for each of the 2048 halves, in a plane of private use.
const MARKS: u32 = 0xF_0000;

/// Where the text of a frame's `delta` was cut within a character; the halves stand in it as U+FFFD.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SplitPair {
    /// The second half of a pair, with which the delta begins.
    pub low: Option<u16>,
    /// The first half of a pair, with which it ends.
    pub high: Option<u16>,
}

impl SplitPair {
    /// Parses what is JSON but for halves that stand alone.
    ///
    /// # Errors
    /// As [`EventObject::parse`], which says so for what has no such halves.
    pub fn parse(data: &str) -> Result<(EventObject, Self), ProtocolError> {
        let Some(text) = replaced(data, |_| REPLACED) else {
            return EventObject::parse(data).map(|object| (object, Self::default()));
        };
        let object = EventObject::parse(&text)?;
        let split = match object.get("delta") {
            Some(Value::String(delta)) => Self::of(delta, data).unwrap_or_default(),
            _ => Self::default(),
        };
        Ok((object, split))
    }

    /// Parses the frame once more, with marks for its halves. They only say what a U+FFFD at the
    /// same place was, so that it does no harm if the text has such characters of its own.
    fn of(delta: &str, data: &str) -> Option<Self> {
        if !delta.starts_with(REPLACED) && !delta.ends_with(REPLACED) {
            return None;
        }
        let mut object = EventObject::parse(&replaced(data, mark)?).ok()?;
        let Some(Value::String(marked)) = object.take("delta") else {
            return None;
        };
        let half = |read: Option<char>, marked: Option<char>| {
            let half = u32::from(marked?).checked_sub(MARKS)? + 0xD800;
            u16::try_from(half).ok().filter(|_| read == Some(REPLACED))
        };
        let first = half(delta.chars().next(), marked.chars().next());
        let last = half(delta.chars().next_back(), marked.chars().next_back());
        Some(Self {
            low: first.filter(|unit| is_low(*unit)),
            high: last.filter(|unit| !is_low(*unit)),
        })
    }

    /// Whether it was cut at all.
    pub(super) const fn is_none(self) -> bool {
        self.low.is_none() && self.high.is_none()
    }
}

fn mark(half: u16) -> char {
    let place = u32::from(half).saturating_sub(0xD800);
    char::from_u32(MARKS + place).unwrap_or(REPLACED)
}

/// The JSON with a character for each half that stands alone; nothing if there is none.
fn replaced(json: &str, character: fn(u16) -> char) -> Option<String> {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    let mut found = false;
    while let Some((before, escaped)) = rest.split_once('\\') {
        out.push_str(before);
        rest = escaped;
        let Some(unit) = unit(rest) else {
            // Another escape: what it escapes is no beginning of one.
            let mut chars = rest.chars();
            out.push('\\');
            out.extend(chars.next());
            rest = chars.as_str();
            continue;
        };
        let (digits, after) = rest.split_at_checked(5).unwrap_or((rest, ""));
        let second = after.strip_prefix('\\');
        let second = second.filter(|second| self::unit(second).is_some_and(is_low));
        match (unit, second) {
            (0xD800..=0xDBFF, Some(second)) => {
                let (second, after) = second.split_at_checked(5).unwrap_or((second, ""));
                out.extend(["\\", digits, "\\", second]);
                rest = after;
            }
            (0xD800..=0xDFFF, _) => {
                out.push(character(unit));
                rest = after;
                found = true;
            }
            _ => {
                out.extend(["\\", digits]);
                rest = after;
            }
        }
    }
    out.push_str(rest);
    found.then_some(out)
}

/// The number in `u` and four hexadecimal digits, if that is what stands here.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix('u')?.get(..4)?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    plain
        .then(|| u16::from_str_radix(digits, 16).ok())
        .flatten()
}

const fn is_low(unit: u16) -> bool {
    matches!(unit, 0xDC00..=0xDFFF)
}
