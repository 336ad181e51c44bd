//! Limits the amount of parsing per call, and how often the open block is parsed again.
//!
//! For any input and any split, a block ends after [`MAX_BLOCK`] bytes at the latest. The budget
//! for parsing the block again grows only with new text and with calls. A view makes one call per
//! frame.

/// The maximum length of a block. Longer blocks are split, so that no call parses a longer part of
/// an open block.
pub(super) const MAX_BLOCK: usize = 64 << 10;
/// The length up to which an open block is shown in every call.
const ALWAYS_SHOWN_LEN: usize = 512;

/// A budget for parsing text again, in bytes.
#[derive(Debug)]
pub(super) struct ParseBudget {
    credit: usize,
    /// The budget granted per new byte.
    byte: usize,
    /// The budget granted per call.
    call: usize,
}

impl ParseBudget {
    /// The budget for outlining the open block, which has no visible effect by itself.
    pub(super) const OUTLINING: Self = Self::new(2, 64);
    /// The budget for showing the open block.
    pub(super) const SHOWING: Self = Self::new(2, 256);
    /// The budget for parsing finished blocks again.
    pub(super) const REVISING: Self = Self::new(8, 0);

    const fn new(byte: usize, call: usize) -> Self {
        let credit = 0;
        Self { credit, byte, call }
    }

    /// Grants the budget for a call with `new` bytes of text. The total is limited to four blocks.
    /// A call without new text grants nothing.
    pub(super) fn grant_budget(&mut self, new: usize) {
        if new > 0 {
            let granted_bytes = new.saturating_mul(self.byte).saturating_add(self.call);
            self.credit = self.credit.saturating_add(granted_bytes).min(4 * MAX_BLOCK);
        }
    }

    /// Spends the cost of parsing `len` bytes. Returns false if the budget does not suffice.
    pub(super) fn try_spend(&mut self, len: usize) -> bool {
        let remaining = self.credit.checked_sub(len);
        self.credit = remaining.unwrap_or(self.credit);
        remaining.is_some()
    }

    /// Spends the cost of showing `len` bytes. Returns false if the budget does not suffice. A
    /// short block is free.
    pub(super) fn try_spend_on_view(&mut self, len: usize) -> bool {
        len <= ALWAYS_SHOWN_LEN || self.try_spend(len)
    }
}

/// Returns the end of the window to outline from `at`, if the text is too long for a block. The
/// window ends after the last line that fits, or after the last blank if no line fits, or at the
/// limit. Returns `None` if the text is not too long.
pub(super) fn window_end(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    if rest.len() <= MAX_BLOCK {
        return None;
    }
    let window = (0..4).find_map(|less| rest.get(..MAX_BLOCK - less))?;
    let break_index = window.rfind('\n').or_else(|| window.rfind(' '));
    Some(at + break_index.map_or(window.len(), |break_index| break_index + 1))
}

/// Returns true if plain text after the last line of an open paragraph only extends the paragraph,
/// since the last line begins with a letter and therefore is not a heading, item or table.
pub(super) fn is_prose(source: &str) -> bool {
    let line = source.rfind(['\n', '\r']).map_or(0, |end| end + 1);
    source
        .get(line..)
        .is_some_and(|line| line.starts_with(char::is_alphabetic))
}

/// Returns true if the text after `shown`, together with the word that it may continue, has no
/// markup and is not part of an address. Returns false if the word is too long to be examined.
pub(super) fn is_plain_after(text: &str, shown: usize) -> bool {
    let bytes_before = text.as_bytes().get(..shown).unwrap_or_default();
    let word = bytes_before
        .iter()
        .rev()
        .take(MAX_EXAMINED_WORD_LEN)
        .take_while(|byte| !byte.is_ascii_whitespace());
    let word_len = word.count();
    let Some(tail) = text.as_bytes().get(shown - word_len..) else {
        return false;
    };
    let mut previous = b' ';
    word_len < MAX_EXAMINED_WORD_LEN
        && tail.iter().all(|&byte| {
            let is_www_dot = byte == b'.' && previous.eq_ignore_ascii_case(&b'w');
            previous = byte;
            !is_www_dot
                && (byte.is_ascii_alphanumeric()
                    || !byte.is_ascii()
                    || b" ,.;?!'\"-/%+".contains(&byte))
        })
}

/// The length up to which a word is examined. Text with longer words is parsed.
const MAX_EXAMINED_WORD_LEN: usize = 128;
