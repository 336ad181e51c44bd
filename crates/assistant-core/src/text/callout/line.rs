//! A line as it is read: whether it may still become a header, and whether it stands in a quote.

use super::fence::{Fence, Marks};

/// What a header begins with, behind the quote mark. Upper and lower case are the same.
const MARK: &[u8] = b"[!tool";
/// What the info of a code fence begins with, if fences are callouts.
const WORD: &[u8] = b"tool";

/// A line as it is read.
#[derive(Debug, Clone)]
pub(super) struct Line {
    head: Head,
    marks: Marks,
    /// Whether it has a quote mark; not known while there are only spaces.
    quoted: Option<bool>,
    /// Whether code fences are callouts.
    fences: bool,
}

/// Which kind of header a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The first line of a quote.
    Quote,
    /// The first line of a code fence.
    Fence,
}

/// How far a line is a header.
#[derive(Debug, Clone, Copy)]
enum Head {
    /// So many spaces.
    Indent(u8),
    /// Right behind the quote mark.
    Gap,
    /// So much of [`MARK`].
    Mark(usize),
    /// Behind the mark.
    Args,
    /// Behind the bracket.
    Closed,
    /// Behind a carriage return at the end.
    Ended,
    /// A run of backticks or tildes.
    Run { mark: char, len: usize },
    /// Spaces behind the run, or so much of [`WORD`].
    Word { mark: char, seen: usize },
    /// Behind the word.
    Info(char),
    /// It is none.
    Plain,
}

impl Line {
    /// A line begins; `fence` is open.
    pub(super) fn new(fence: Option<Fence>, fences: bool) -> Self {
        // In a fence that only its own end ends, no line is a header.
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

    /// Whether it may still become a header.
    pub(super) const fn may_be_header(&self) -> bool {
        !matches!(self.head, Head::Plain)
    }

    /// It is too long for a header.
    pub(super) const fn is_no_header(&mut self) {
        self.head = Head::Plain;
    }

    /// What comes after this belongs to the text, wherever in the line that is.
    pub(super) const fn interrupt(&mut self) {
        if !matches!(self.head, Head::Indent(0)) {
            self.head = Head::Plain;
        }
    }

    /// Whether it has a quote mark, once that is known.
    pub(super) const fn quoted(&self) -> Option<bool> {
        self.quoted
    }

    /// Whether the rest of the line changes nothing about fences.
    pub(super) const fn is_settled(&self) -> bool {
        self.marks.is_settled()
    }

    /// The kind of header that it is, if nothing more comes.
    pub(super) const fn header(&self) -> Option<Kind> {
        match self.head {
            Head::Closed | Head::Ended => Some(Kind::Quote),
            Head::Word { seen, .. } if seen == WORD.len() => Some(Kind::Fence),
            Head::Info(_) => Some(Kind::Fence),
            _ => None,
        }
    }

    /// The fence that is open behind it.
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
            Head::Mark(seen) if seen < MARK.len() => matching(seen, c),
            Head::Mark(_) | Head::Args if c == ']' => Head::Closed,
            Head::Mark(_) if is_blank(c) => Head::Args,
            Head::Args => Head::Args,
            Head::Closed if is_blank(c) => Head::Closed,
            Head::Closed if c == '\r' => Head::Ended,
            Head::Run { mark, len } if c == mark => Head::Run { mark, len: len + 1 },
            Head::Run { mark, len } if len >= 3 => word(mark, 0, c),
            Head::Word { mark, seen } => word(mark, seen, c),
            Head::Info(mark) if c != mark || mark == '~' => Head::Info(mark),
            _ => Head::Plain,
        }
    }
}

/// One more character of [`MARK`].
fn matching(seen: usize, c: char) -> Head {
    if is_at(MARK, seen, c) {
        Head::Mark(seen + 1)
    } else {
        Head::Plain
    }
}

/// One more character of the info of a fence.
fn word(mark: char, seen: usize, c: char) -> Head {
    match seen {
        0 if is_blank(c) => Head::Word { mark, seen },
        _ if is_at(WORD, seen, c) => Head::Word {
            mark,
            seen: seen + 1,
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
