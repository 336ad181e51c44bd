//! Words with a number in them.

/// A word with a number in place of its `{count}`.
pub(super) fn with_count(word: &str, count: usize) -> String {
    with_text(word, &count.to_string())
}

/// A word with something in place of its `{count}`.
pub(super) fn with_text(word: &str, count: &str) -> String {
    word.replace("{count}", count)
}
