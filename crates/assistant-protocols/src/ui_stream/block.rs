//! Defines the open blocks and calls of an AI SDK stream, and joins surrogate pairs that are split
//! across deltas.

use assistant_core::{event::Object, json::surrogates};

/// An open block of text or reasoning.
#[derive(Debug, Clone)]
pub(super) struct OpenTextBlock {
    pub(super) number: u64,
    /// The high surrogate at the end of the last delta, if any, which is held back for the next
    /// delta.
    pub(super) held_surrogate: Option<u16>,
}

/// The streamed arguments of a tool call.
#[derive(Debug, Clone, Default)]
pub(super) struct PartialInput {
    pub(super) name: String,
    pub(super) dynamic: bool,
    /// The text that was received so far.
    pub(super) text: String,
    /// The high surrogate at the end of the last delta, if any.
    pub(super) held_surrogate: Option<u16>,
    /// The fields of the start chunk, which are repeated if the call continues in another step.
    pub(super) notes: Object,
}

/// Returns the delta, with the surrogate in `held` joined to its beginning. If `is_cut` is true,
/// the delta contains marks for lone surrogates: a high surrogate at its end is moved to `held`
/// until the next delta, and other lone surrogates become U+FFFD.
pub(super) fn join_surrogates(delta: String, held: &mut Option<u16>, is_cut: bool) -> String {
    // An empty delta does not separate a surrogate pair.
    if delta.is_empty() || (held.is_none() && !is_cut) {
        return delta;
    }
    let to_surrogate = |c: char| surrogates::surrogate_of_mark(c).filter(|_| is_cut);
    let mut out = String::with_capacity(delta.len() + 4);
    for c in delta.chars() {
        let marked_surrogate = to_surrogate(c);
        let joined_char = match (held.take(), marked_surrogate) {
            (Some(high), Some(low)) if surrogates::is_low(low) => {
                char::decode_utf16([high, low]).next().and_then(Result::ok)
            }
            (Some(_), _) => {
                out.push(surrogates::REPLACED);
                None
            }
            (None, _) => None,
        };
        match (joined_char, marked_surrogate) {
            (Some(joined_char), _) => out.push(joined_char),
            (None, Some(high)) if !surrogates::is_low(high) => *held = Some(high),
            (None, Some(_)) => out.push(surrogates::REPLACED),
            (None, None) => out.push(c),
        }
    }
    out
}
