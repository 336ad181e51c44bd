//! Detects answers that were cut off, from the reason that a model or server reports.

/// The substrings that indicate a cut-off answer. They are matched against the reason in lower case
/// without separators.
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

/// Returns true if the reported reason means that a limit or a filter cut off the answer. In this
/// case, the text of the answer and the arguments of an unfinished call may be incomplete.
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
