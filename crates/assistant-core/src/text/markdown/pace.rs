//! How much is read at once, and how often what is open is read again.
//!
//! Whatever is written and however it is cut: a block ends after [`BLOCK`] bytes, and reading it
//! again must be earned by text that came and by calls, of which a view makes one a frame.

/// A block that is longer is split. So no call reads more than this of a block that is open.
pub(super) const BLOCK: usize = 64 << 10;
/// An open block up to this length is shown at every call.
const SHORT: usize = 512;

/// What may be read again, in bytes.
#[derive(Debug)]
pub(super) struct Pace {
    credit: usize,
    /// What a new byte earns.
    byte: usize,
    /// What a call earns.
    call: usize,
}

impl Pace {
    /// For outlining the open block, which shows nothing by itself.
    pub(super) const OUTLINING: Self = Self::new(2, 64);
    /// For showing the open block, which somebody watches.
    pub(super) const SHOWING: Self = Self::new(2, 256);
    /// For reading finished blocks again.
    pub(super) const REVISING: Self = Self::new(8, 0);

    const fn new(byte: usize, call: usize) -> Self {
        let credit = 0;
        Self { credit, byte, call }
    }

    /// Takes note of a call with so many new bytes.
    pub(super) fn earn(&mut self, new: usize) {
        if new > 0 {
            let earned = new.saturating_mul(self.byte).saturating_add(self.call);
            self.credit = self.credit.saturating_add(earned).min(4 * BLOCK);
        }
    }

    /// Spends what reading `len` bytes costs, if there is as much.
    pub(super) fn spend(&mut self, len: usize) -> bool {
        let left = self.credit.checked_sub(len);
        self.credit = left.unwrap_or(self.credit);
        left.is_some()
    }

    /// Spends what showing `len` bytes costs, if there is as much. A short block is free.
    pub(super) fn spend_on_view(&mut self, len: usize) -> bool {
        len <= SHORT || self.spend(len)
    }
}

/// Where a text that begins at `at` is to be outlined up to, if it is too long for one block:
/// behind the last line that fits, or the last blank, or where it must be.
pub(super) fn window(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    if rest.len() <= BLOCK {
        return None;
    }
    let fits = (0..4).find_map(|less| rest.get(..BLOCK - less))?;
    let cut = fits.rfind('\n').or_else(|| fits.rfind(' '));
    Some(at + cut.map_or(fits.len(), |cut| cut + 1))
}

/// The last line of an open paragraph, if whatever plain text follows in it is just more text: it
/// begins with a letter, so it is no heading, item or table.
pub(super) fn is_prose(source: &str) -> bool {
    let line = source.rfind(['\n', '\r']).map_or(0, |end| end + 1);
    source
        .get(line..)
        .is_some_and(|line| line.starts_with(char::is_alphabetic))
}

/// Whether what follows in `text` behind `shown`, together with the word that it may continue, has
/// no marks and is no part of an address.
pub(super) fn is_plain(text: &str, shown: usize) -> bool {
    let before = text.as_bytes().get(..shown).unwrap_or_default();
    let word = before
        .iter()
        .rev()
        .take(WORD)
        .take_while(|byte| !byte.is_ascii_whitespace());
    let length = word.count();
    let Some(tail) = text.as_bytes().get(shown - length..) else {
        return false;
    };
    let mut last = b' ';
    length < WORD
        && tail.iter().all(|&byte| {
            let dot = byte == b'.' && last.eq_ignore_ascii_case(&b'w');
            last = byte;
            !dot && (byte.is_ascii_alphanumeric()
                || !byte.is_ascii()
                || b" ,.;?!'\"-/%+".contains(&byte))
        })
}

/// A longer word is looked at by reading.
const WORD: usize = 128;
