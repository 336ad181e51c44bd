//! Halves of surrogate pairs in JSON: what a producer in JavaScript writes when it cuts a text
//! within an emoji. JSON allows them, a Rust string does not.
//!
//! A half is read as U+FFFD, and a [`SplitPair`] tells of those at the ends of a delta, for
//! [`super::Joiner`] to put together. Runs for frames that `serde_json` refuses, and for no others.

use serde_json::Value;

use super::object::EventObject;
use crate::wire::{
    fault::ProtocolError,
    json::surrogates::{is_low, mark, marked, replaced},
};

pub(super) use crate::wire::json::surrogates::REPLACED;

/// The place where a frame's `delta` was cut within a character; the surrogates stand in it as U+FFFD.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SplitPair {
    /// The second half of a pair, with which the delta begins.
    pub low: Option<u16>,
    /// The first half of a pair, with which it ends.
    pub high: Option<u16>,
}

impl SplitPair {
    /// Parses what is JSON but for lone surrogates.
    ///
    /// # Errors
    /// As [`EventObject::parse`], which says so for what has no such surrogates.
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

    /// Parses the frame once more, with marks for its surrogates. They only say what a U+FFFD at the
    /// same place was, so that it does no harm if the text has such characters of its own.
    fn of(delta: &str, data: &str) -> Option<Self> {
        if !delta.starts_with(REPLACED) && !delta.ends_with(REPLACED) {
            return None;
        }
        let mut object = EventObject::parse(&replaced(data, mark)?).ok()?;
        let Some(Value::String(text)) = object.take("delta") else {
            return None;
        };
        let half = |read: Option<char>, mark: Option<char>| {
            marked(mark?).filter(|_| read == Some(REPLACED))
        };
        let first = half(delta.chars().next(), text.chars().next());
        let last = half(delta.chars().next_back(), text.chars().next_back());
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
