//! Determines incrementally whether a line may be a header, has a quote mark, or opens or closes a
//! fence.

use super::fence::{Fence, FenceScanner};

/// The case-insensitive start of a header, after the quote mark.
const HEADER_START: &[u8] = b"[!tool";
/// The case-insensitive first word in the info string of a code fence that is a callout.
const FENCE_WORD: &[u8] = b"tool";

/// An incremental classifier for one line.
#[derive(Debug, Clone)]
pub(super) struct LineClassifier {
    head: HeaderProgress,
    marks: FenceScanner,
    /// True if the line has a quote mark, or `None` while the line has only spaces.
    quoted: Option<bool>,
    /// True if code fences are callouts.
    fences: bool,
}

/// The kind of a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeaderKind {
    /// A quoted line such as `> [!tool …]`.
    Quote,
    /// The first line of a code fence.
    Fence,
}

/// The progress of matching a line against the syntax of a header.
#[derive(Debug, Clone, Copy)]
enum HeaderProgress {
    /// The position after this many spaces.
    Indent(u8),
    /// The position right after the quote mark.
    Gap,
    /// The position after this many bytes of [`HEADER_START`].
    Mark(usize),
    /// The position in the arguments after [`HEADER_START`].
    Args,
    /// The position after the closing bracket.
    Closed,
    /// The position after a carriage return that follows the closing bracket.
    Ended,
    /// The position in a run of backticks or tildes.
    Run { mark: char, len: usize },
    /// The position in the spaces after the run, or after this many bytes of [`FENCE_WORD`].
    Word { mark: char, matched: usize },
    /// The position in the info string after [`FENCE_WORD`], with the mark of the fence.
    Info(char),
    /// The line is not a header.
    Plain,
}

impl LineClassifier {
    /// Creates a classifier for a line inside `fence`, or for a line outside of fences if `fence`
    /// is `None`. `fences` is true if code fences are callouts.
    pub(super) fn new(fence: Option<Fence>, fences: bool) -> Self {
        // A fence outside of containers ends only with its closing fence, so no line in it is a
        // header.
        let cannot_be_header = fence.is_some_and(|fence| !fence.is_contained());
        Self {
            head: if cannot_be_header {
                HeaderProgress::Plain
            } else {
                HeaderProgress::Indent(0)
            },
            marks: FenceScanner::new(fence),
            quoted: None,
            fences,
        }
    }

    pub(super) fn push(&mut self, c: char) {
        self.marks.push(c);
        if self.quoted.is_none() && c != ' ' {
            self.quoted = Some(c == '>' && matches!(self.head, HeaderProgress::Indent(_)));
        }
        self.head = self.next_progress(c);
        if self.quoted.is_none() && !matches!(self.head, HeaderProgress::Indent(_)) {
            self.quoted = Some(false);
        }
    }

    /// Returns true if the line may still become a header.
    pub(super) const fn may_be_header(&self) -> bool {
        !matches!(self.head, HeaderProgress::Plain)
    }

    /// Rules out a header for the rest of the line.
    pub(super) const fn rule_out_header(&mut self) {
        self.head = HeaderProgress::Plain;
    }

    /// Rules out a header for the rest of the line if a part of the line has been read.
    pub(super) const fn rule_out_started_header(&mut self) {
        if !matches!(self.head, HeaderProgress::Indent(0)) {
            self.head = HeaderProgress::Plain;
        }
    }

    /// Returns true if the line has a quote mark, or `None` while the line has only spaces.
    pub(super) const fn has_quote_mark(&self) -> Option<bool> {
        self.quoted
    }

    /// Returns true if the rest of the line cannot affect fences.
    pub(super) const fn is_settled(&self) -> bool {
        self.marks.is_settled()
    }

    /// Returns the kind of the header if the line ends here, or `None` if the line is then not a
    /// header.
    pub(super) const fn header_kind(&self) -> Option<HeaderKind> {
        match self.head {
            HeaderProgress::Closed | HeaderProgress::Ended => Some(HeaderKind::Quote),
            HeaderProgress::Word { matched, .. } if matched == FENCE_WORD.len() => {
                Some(HeaderKind::Fence)
            }
            HeaderProgress::Info(_) => Some(HeaderKind::Fence),
            _ => None,
        }
    }

    /// Returns the fence that is open after the line if the line ends here. Returns `None` if no
    /// fence is open.
    pub(super) fn fence_after_line(&self) -> Option<Fence> {
        self.marks.fence_after_line()
    }

    fn next_progress(&self, c: char) -> HeaderProgress {
        match self.head {
            HeaderProgress::Indent(count) => match c {
                ' ' if count < 3 => HeaderProgress::Indent(count + 1),
                _ if self.marks.is_in_fence() => HeaderProgress::Plain,
                '>' => HeaderProgress::Gap,
                '`' | '~' if self.fences => HeaderProgress::Run { mark: c, len: 1 },
                _ => HeaderProgress::Plain,
            },
            HeaderProgress::Gap if c == ' ' => HeaderProgress::Mark(0),
            HeaderProgress::Gap => match_mark(0, c),
            HeaderProgress::Mark(matched) if matched < HEADER_START.len() => match_mark(matched, c),
            HeaderProgress::Mark(_) | HeaderProgress::Args if c == ']' => HeaderProgress::Closed,
            HeaderProgress::Mark(_) if is_blank(c) => HeaderProgress::Args,
            HeaderProgress::Args => HeaderProgress::Args,
            HeaderProgress::Closed if is_blank(c) => HeaderProgress::Closed,
            HeaderProgress::Closed if c == '\r' => HeaderProgress::Ended,
            HeaderProgress::Run { mark, len } if c == mark => {
                HeaderProgress::Run { mark, len: len + 1 }
            }
            HeaderProgress::Run { mark, len } if len >= 3 => match_word(mark, 0, c),
            HeaderProgress::Word { mark, matched } => match_word(mark, matched, c),
            HeaderProgress::Info(mark) if c != mark || mark == '~' => HeaderProgress::Info(mark),
            _ => HeaderProgress::Plain,
        }
    }
}

/// Returns the progress after `c`. If `c` is not the next character of [`HEADER_START`], the line
/// is not a header.
fn match_mark(matched: usize, c: char) -> HeaderProgress {
    if is_char_at(HEADER_START, matched, c) {
        HeaderProgress::Mark(matched + 1)
    } else {
        HeaderProgress::Plain
    }
}

/// Returns the progress after `c`, a character in the info string of a fence.
fn match_word(mark: char, matched: usize, c: char) -> HeaderProgress {
    match matched {
        0 if is_blank(c) => HeaderProgress::Word { mark, matched },
        _ if is_char_at(FENCE_WORD, matched, c) => HeaderProgress::Word {
            mark,
            matched: matched + 1,
        },
        4 if is_blank(c) || c == '\r' => HeaderProgress::Info(mark),
        _ => HeaderProgress::Plain,
    }
}

fn is_char_at(word: &[u8], index: usize, c: char) -> bool {
    word.get(index)
        .is_some_and(|expected| char::from(*expected) == c.to_ascii_lowercase())
}

const fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}
