//! Reads JSON with lone surrogates. A JavaScript producer writes a lone surrogate if it splits a
//! text within an emoji; JSON permits lone surrogates, a Rust string does not.
//!
//! A lone surrogate is read as U+FFFD. A [`SplitPair`] contains the lone surrogates at both ends of
//! a delta, for [`super::Joiner`]. This code runs only for frames that `serde_json` rejects.

use serde_json::Value;

use assistant_core::json::fields::EventObject;
use assistant_core::{
    event::fault::ProtocolError,
    json::surrogates::{is_low, mark, replace_lone_surrogates, surrogate_of_mark},
};

pub(super) use assistant_core::json::surrogates::REPLACED;

/// A low surrogate at the start and a high surrogate at the end of a frame's `delta`, if they are
/// lone. The text contains U+FFFD instead.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SplitPair {
    pub(crate) low: Option<u16>,
    pub(crate) high: Option<u16>,
}

impl SplitPair {
    /// Parses JSON that may contain lone surrogates. Returns the event, and the surrogates at the
    /// ends of its delta.
    ///
    /// # Errors
    ///
    /// Fails like [`EventObject::parse`], which reads text without lone surrogates.
    pub fn parse(data: &str) -> Result<(EventObject, Self), ProtocolError> {
        let Some(text) = replace_lone_surrogates(data, |_| REPLACED) else {
            return EventObject::parse(data).map(|object| (object, Self::default()));
        };
        let object = EventObject::parse(&text)?;
        let split = match object.get("delta") {
            Some(Value::String(delta)) => Self::from_delta(delta, data).unwrap_or_default(),
            _ => Self::default(),
        };
        Ok((object, split))
    }

    /// Finds the lone surrogates at the ends of a delta: parses the frame again, with a mark for
    /// each surrogate. A mark counts only if the delta contains U+FFFD at the same position, so
    /// mark characters in the text itself have no effect. `None` if neither end is U+FFFD.
    fn from_delta(delta: &str, data: &str) -> Option<Self> {
        if !delta.starts_with(REPLACED) && !delta.ends_with(REPLACED) {
            return None;
        }
        let mut object = EventObject::parse(&replace_lone_surrogates(data, mark)?).ok()?;
        let Some(Value::String(text)) = object.take("delta") else {
            return None;
        };
        let half = |read: Option<char>, mark: Option<char>| {
            surrogate_of_mark(mark?).filter(|_| read == Some(REPLACED))
        };
        let first = half(delta.chars().next(), text.chars().next());
        let last = half(delta.chars().next_back(), text.chars().next_back());
        Some(Self {
            low: first.filter(|unit| is_low(*unit)),
            high: last.filter(|unit| !is_low(*unit)),
        })
    }

    /// Returns true if the delta neither begins with a lone low surrogate nor ends with a lone high
    /// one.
    pub(super) const fn is_empty(self) -> bool {
        self.low.is_none() && self.high.is_none()
    }

    /// Returns the lone low surrogate at the start of the delta, if any.
    #[must_use]
    pub const fn low(&self) -> Option<u16> {
        self.low
    }

    /// Returns the lone high surrogate at the end of the delta, if any.
    #[must_use]
    pub const fn high(&self) -> Option<u16> {
        self.high
    }
}
