//! The word for why an answer ended, as models and servers give it.

/// Parts of the words for an answer that a limit or a filter cut off, in small letters without
/// separators.
const CUT_OFF: [&str; 14] = [
    "blocklist",
    "exceed",
    "filter",
    "incomplete",
    "length",
    "limit",
    "malformed",
    "max",
    "prohibited",
    "recitation",
    "refus",
    "safety",
    "spii",
    "truncat",
];

/// Returns whether an answer that ended for this reason was cut off: its last words, and the
/// arguments of a call that it was writing, are not all that the model meant to say.
pub(crate) fn is_cut_off(reason: &str) -> bool {
    let plain: String = reason
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|character| character.to_ascii_lowercase())
        .collect();
    CUT_OFF.iter().any(|part| plain.contains(part))
}
