//! Defines the state of open blocks and calls in an AI SDK stream, and joins surrogate pairs that
//! are split across deltas.

use assistant_core::{event::Object, json::surrogates};

/// An open block of text or reasoning.
#[derive(Debug, Clone)]
pub(super) struct OpenTextBlock {
    pub(super) number: u64,
    /// The high surrogate at the end of the last delta, if there is one. It is held back for the
    /// next delta.
    pub(super) held_surrogate: Option<u16>,
}

/// The streamed arguments of a tool call.
#[derive(Debug, Clone, Default)]
pub(super) struct PartialInput {
    pub(super) name: String,
    pub(super) dynamic: bool,
    /// The text of the arguments that was received so far.
    pub(super) text: String,
    /// The high surrogate at the end of the last delta, if there is one. It is held back for the
    /// next delta.
    pub(super) held_surrogate: Option<u16>,
    /// The fields of the start chunk. They are repeated if the call continues in a later step.
    pub(super) notes: Object,
    /// The length of the name and of the notes as JSON.
    pub(super) start_len: usize,
}

/// Joins the surrogate in `held` to the beginning of the delta, and returns the delta. If `is_cut`
/// is true, the delta contains marks for lone surrogates. A high surrogate at the end of the delta
/// is moved to `held` until the next delta, and other lone surrogates become U+FFFD.
pub(super) fn join_surrogates(delta: String, held: &mut Option<u16>, is_cut: bool) -> String {
    // An empty delta is returned unchanged, because it does not separate the surrogates of a pair.
    // A delta without lone surrogates and without a held surrogate needs no joining.
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
