//! Inserts counts into labels.

/// Replaces `{count}` in a label with a number.
pub(super) fn insert_count(label: &str, count: usize) -> String {
    insert_count_text(label, &count.to_string())
}

/// Replaces `{count}` in a label with a text.
pub(super) fn insert_count_text(label: &str, count: &str) -> String {
    label.replace("{count}", count)
}
