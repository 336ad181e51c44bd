//! Classifies a line incrementally: possible header, quote mark, fences.

use super::fence::{Fence, Marks};

/// The case-insensitive start of a header, after the quote mark.
const MARK: &[u8] = b"[!tool";
/// The start of the info string of a code fence, if fences are callouts.
const WORD: &[u8] = b"tool";

/// A line that is being read.
#[derive(Debug, Clone)]
pub(super) struct Line {
    head: Head,
    marks: Marks,
    /// True if the line has a quote mark; `None` while it has only spaces.
    quoted: Option<bool>,
    /// True if code fences are callouts.
    fences: bool,
}

/// The kind of a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The first line of a quote.
    Quote,
    /// The first line of a code fence.
    Fence,
}

/// The progress of a line as a header.
#[derive(Debug, Clone, Copy)]
enum Head {
    /// The position after this many spaces.
    Indent(u8),
    /// The position right after the quote mark.
    Gap,
    /// The position after this many bytes of [`MARK`].
    Mark(usize),
    /// The position after the mark.
    Args,
    /// The position after the closing bracket.
    Closed,
    /// The position after a carriage return at the end.
    Ended,
    /// The position in a run of backticks or tildes.
    Run { mark: char, len: usize },
    /// The position in the spaces after the run, or after this many bytes of [`WORD`].
    Word { mark: char, matched: usize },
    /// The position after the word.
    Info(char),
    /// The line is not a header.
    Plain,
}

impl Line {
    /// Begins a line inside `fence`.
    pub(super) fn new(fence: Option<Fence>, fences: bool) -> Self {
        // A fence outside of containers ends only with its closing fence, so no line in it is a
        // header.
        let shut = fence.is_some_and(|fence| !fence.is_contained());
        Self {
            head: if shut { Head::Plain } else { Head::Indent(0) },
            marks: Marks::new(fence),
            quoted: None,
            fences,
        }
    }

    pub(super) fn push(&mut self, c: char) {
        self.marks.push(c);
        if self.quoted.is_none() && c != ' ' {
            self.quoted = Some(c == '>' && matches!(self.head, Head::Indent(_)));
        }
        self.head = self.next(c);
        if self.quoted.is_none() && !matches!(self.head, Head::Indent(_)) {
            self.quoted = Some(false);
        }
    }

    /// Returns true if the line may still become a header.
    pub(super) const fn may_be_header(&self) -> bool {
        !matches!(self.head, Head::Plain)
    }

    /// Rules out a header because the line is too long.
    pub(super) const fn is_no_header(&mut self) {
        self.head = Head::Plain;
    }

    /// Rules out a header for the rest of the line, unless nothing of the line has been read.
    pub(super) const fn interrupt(&mut self) {
        if !matches!(self.head, Head::Indent(0)) {
            self.head = Head::Plain;
        }
    }

    /// Returns true if the line has a quote mark; `None` while this is unknown.
    pub(super) const fn quoted(&self) -> Option<bool> {
        self.quoted
    }

    /// Returns true if the rest of the line cannot affect fences.
    pub(super) const fn is_settled(&self) -> bool {
        self.marks.is_settled()
    }

    /// Returns the kind of header that the line would be if it ended here.
    pub(super) const fn header(&self) -> Option<Kind> {
        match self.head {
            Head::Closed | Head::Ended => Some(Kind::Quote),
            Head::Word { matched, .. } if matched == WORD.len() => Some(Kind::Fence),
            Head::Info(_) => Some(Kind::Fence),
            _ => None,
        }
    }

    /// Returns the fence that is open after the line.
    pub(super) fn end(&self) -> Option<Fence> {
        self.marks.end()
    }

    fn next(&self, c: char) -> Head {
        match self.head {
            Head::Indent(count) => match c {
                ' ' if count < 3 => Head::Indent(count + 1),
                _ if self.marks.in_fence() => Head::Plain,
                '>' => Head::Gap,
                '`' | '~' if self.fences => Head::Run { mark: c, len: 1 },
                _ => Head::Plain,
            },
            Head::Gap if c == ' ' => Head::Mark(0),
            Head::Gap => matching(0, c),
            Head::Mark(matched) if matched < MARK.len() => matching(matched, c),
            Head::Mark(_) | Head::Args if c == ']' => Head::Closed,
            Head::Mark(_) if is_blank(c) => Head::Args,
            Head::Args => Head::Args,
            Head::Closed if is_blank(c) => Head::Closed,
            Head::Closed if c == '\r' => Head::Ended,
            Head::Run { mark, len } if c == mark => Head::Run { mark, len: len + 1 },
            Head::Run { mark, len } if len >= 3 => word(mark, 0, c),
            Head::Word { mark, matched } => word(mark, matched, c),
            Head::Info(mark) if c != mark || mark == '~' => Head::Info(mark),
            _ => Head::Plain,
        }
    }
}

/// Advances by one character of [`MARK`].
fn matching(matched: usize, c: char) -> Head {
    if is_at(MARK, matched, c) {
        Head::Mark(matched + 1)
    } else {
        Head::Plain
    }
}

/// Advances by one character of a fence's info string.
fn word(mark: char, matched: usize, c: char) -> Head {
    match matched {
        0 if is_blank(c) => Head::Word { mark, matched },
        _ if is_at(WORD, matched, c) => Head::Word {
            mark,
            matched: matched + 1,
        },
        4 if is_blank(c) || c == '\r' => Head::Info(mark),
        _ => Head::Plain,
    }
}

fn is_at(word: &[u8], place: usize, c: char) -> bool {
    word.get(place)
        .is_some_and(|wanted| char::from(*wanted) == c.to_ascii_lowercase())
}

const fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}
