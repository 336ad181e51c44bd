//! Reads JSON with lone surrogates. A JavaScript producer writes a lone surrogate if it splits a
//! text within an emoji. JSON permits lone surrogates, but a Rust string does not.
//!
//! A lone surrogate is read as U+FFFD. A [`SplitPair`] contains the lone surrogates at both ends of
//! a delta, for [`super::Joiner`]. This module runs only for frames that `serde_json` rejects.

use assistant_core::json::fields::EventObject;
use assistant_core::{
    event::fault::ProtocolError,
    json::surrogates::{is_low, mark, replace_lone_surrogates, surrogate_of_mark},
};

pub(super) use assistant_core::json::surrogates::REPLACED;

/// The lone low surrogate at the start of a frame's `delta` and the lone high surrogate at its end,
/// if any. The decoded text contains U+FFFD instead.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SplitPair {
    pub(crate) low: Option<u16>,
    pub(crate) high: Option<u16>,
}

impl SplitPair {
    /// Parses JSON that may contain lone surrogates. Returns the event, and the lone surrogates at
    /// the ends of its delta.
    ///
    /// # Errors
    ///
    /// Fails like [`EventObject::parse`], which parses the text after lone surrogates are replaced.
    pub fn parse(data: &str) -> Result<(EventObject, Self), ProtocolError> {
        let Some(text) = replace_lone_surrogates(data, |_| REPLACED) else {
            return EventObject::parse(data).map(|object| (object, Self::default()));
        };
        let object = EventObject::parse(&text)?;
        let delta = object.text("delta");
        let pair = delta.and_then(|delta| Self::from_delta(delta, data));
        Ok((object, pair.unwrap_or_default()))
    }

    /// Finds the lone surrogates at the ends of a delta. Replaces each lone surrogate with a mark
    /// character and parses the frame again. A mark character counts only if the delta contains
    /// U+FFFD at the same position, so mark characters that the text itself contains have no
    /// effect. Returns `None` if the delta neither begins nor ends with U+FFFD.
    fn from_delta(delta: &str, data: &str) -> Option<Self> {
        if !delta.starts_with(REPLACED) && !delta.ends_with(REPLACED) {
            return None;
        }
        let mut object = EventObject::parse(&replace_lone_surrogates(data, mark)?).ok()?;
        let text = object.take_text("delta")?;
        let to_surrogate = |decoded: Option<char>, mark: Option<char>| {
            surrogate_of_mark(mark?).filter(|_| decoded == Some(REPLACED))
        };
        let first_unit = to_surrogate(delta.chars().next(), text.chars().next());
        let last_unit = to_surrogate(delta.chars().next_back(), text.chars().next_back());
        Some(Self {
            low: first_unit.filter(|unit| is_low(*unit)),
            high: last_unit.filter(|unit| !is_low(*unit)),
        })
    }

    /// Returns true if the delta neither begins with a lone low surrogate nor ends with a lone high
    /// surrogate.
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
