//! Detects answers that were cut off, by the reason that models and servers report.

/// The substrings by which the reason of a cut-off answer is recognized, in lower case without
/// separators.
const CUT_OFF_SUBSTRINGS: [&str; 14] = [
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

/// Returns true if this reason means that a limit or a filter cut the answer off. The end of the
/// answer's text, and the arguments of an unfinished call, may then be incomplete.
#[must_use]
pub fn is_cut_off(reason: &str) -> bool {
    let normalized_reason: String = reason
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|character| character.to_ascii_lowercase())
        .collect();
    CUT_OFF_SUBSTRINGS
        .iter()
        .any(|part| normalized_reason.contains(part))
}
