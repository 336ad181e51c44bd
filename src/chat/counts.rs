//! Inserts counts into labels.

/// Replaces `{count}` in a label with a number.
pub(super) fn insert_count(word: &str, count: usize) -> String {
    insert_count_text(word, &count.to_string())
}

/// Replaces `{count}` in a label with a text.
pub(super) fn insert_count_text(word: &str, count: &str) -> String {
    word.replace("{count}", count)
}
