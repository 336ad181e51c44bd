//! Words with a number in them.

use crate::ui::Word;

/// A word with a number in the place of its `{count}`.
pub(super) fn with_count(word: &str, count: usize) -> String {
    with_text(word, &count.to_string())
}

/// A word with something in the place of its `{count}`.
pub(super) fn with_text(word: &str, count: &str) -> String {
    word.replace("{count}", count)
}

/// The word for one, or the word for several.
pub(super) fn counted(one: &Word, several: &Word, count: usize) -> Word {
    if count == 1 {
        one.clone()
    } else {
        with_count(several, count).into()
    }
}
