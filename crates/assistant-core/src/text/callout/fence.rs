//! Code fences, as markdown has them: in one nothing is a callout.
//!
//! A fence may stand in a quote or behind list markers of its line; it then ends with the quote or
//! the item at the latest.

/// A fence that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fence {
    /// A backtick or a tilde.
    mark: char,
    len: usize,
    /// Whether it stands in a quote.
    quoted: bool,
    /// Where the text of its list item begins; 0 outside of lists.
    width: usize,
}

impl Fence {
    /// Whether it ends with the quote or the list item that it stands in.
    pub(super) const fn is_contained(&self) -> bool {
        self.quoted || self.width > 0
    }
}

/// A line as it is read, as far as fences are concerned.
#[derive(Debug, Clone)]
pub(super) struct Marks {
    stage: Stage,
    /// The fence that the line is in.
    fence: Option<Fence>,
    /// Whether the line has a quote mark.
    quoted: bool,
    /// The columns of its list markers.
    width: usize,
}

#[derive(Debug, Clone, Copy)]
enum Stage {
    /// So many spaces.
    Indent(usize),
    /// Right behind a quote mark.
    Quote,
    /// A number that may be a list marker, with so many digits.
    Number(usize),
    /// Right behind a list marker.
    Bullet,
    /// So many spaces behind a list marker.
    Gap(usize),
    /// A run of backticks or tildes.
    Run { mark: char, len: usize },
    /// Behind the run.
    Info { mark: char, len: usize, blank: bool },
    /// The line says nothing about fences.
    Plain,
}

impl Marks {
    /// A line begins; `fence` is open.
    pub(super) const fn new(fence: Option<Fence>) -> Self {
        Self {
            stage: Stage::Indent(0),
            fence,
            quoted: false,
            width: 0,
        }
    }

    /// Whether the rest of the line changes nothing.
    pub(super) const fn is_settled(&self) -> bool {
        matches!(self.stage, Stage::Plain)
    }

    /// Whether what was read of the line stands in a fence.
    pub(super) const fn in_fence(&self) -> bool {
        self.fence.is_some()
    }

    pub(super) fn push(&mut self, c: char) {
        self.stage = match self.stage {
            Stage::Indent(count) if c == ' ' => Stage::Indent(count + 1),
            Stage::Indent(count) => self.after_indent(c, count),
            Stage::Quote if c == ' ' => Stage::Indent(0),
            Stage::Quote => self.after_indent(c, 0),
            Stage::Number(count) if c.is_ascii_digit() && count < 9 => Stage::Number(count + 1),
            Stage::Number(count) if matches!(c, '.' | ')') => {
                self.width += count + 1;
                Stage::Bullet
            }
            Stage::Bullet if c == ' ' => Stage::Gap(1),
            Stage::Gap(count) if c == ' ' && count < 4 => Stage::Gap(count + 1),
            Stage::Gap(count) if c != ' ' => {
                self.width += count;
                self.after_indent(c, 0)
            }
            Stage::Run { mark, len } if c == mark => Stage::Run { mark, len: len + 1 },
            Stage::Run { mark, len } if len >= 3 => info(mark, len, true, c),
            Stage::Info { mark, len, blank } => info(mark, len, blank, c),
            _ => Stage::Plain,
        };
    }

    /// The line is complete: the fence that is open behind it.
    pub(super) fn end(&self) -> Option<Fence> {
        let (mark, len, blank) = match self.stage {
            Stage::Run { mark, len } if len >= 3 => (mark, len, true),
            Stage::Info { mark, len, blank } => (mark, len, blank),
            // A line of blanks ends a quote, but no list item.
            Stage::Indent(_) => return self.fence.filter(|fence| !fence.quoted || self.quoted),
            _ => return self.fence,
        };
        match self.fence {
            None => Some(Fence {
                mark,
                len,
                quoted: self.quoted,
                width: self.width,
            }),
            Some(fence) if fence.mark == mark && len >= fence.len && blank => None,
            open => open,
        }
    }

    /// The first character behind spaces.
    fn after_indent(&mut self, c: char, spaces: usize) -> Stage {
        if self.fence.is_some_and(|fence| self.ends(fence, c, spaces)) {
            self.fence = None;
        }
        let inner = self.fence.map_or(0, |fence| fence.width);
        if spaces.saturating_sub(inner) > 3 {
            return Stage::Plain;
        }
        match c {
            '>' if !self.quoted && self.width == 0 => {
                self.quoted = true;
                Stage::Quote
            }
            '`' | '~' => Stage::Run { mark: c, len: 1 },
            '-' | '*' | '+' if self.fence.is_none() => {
                self.width += spaces + 1;
                Stage::Bullet
            }
            '0'..='9' if self.fence.is_none() => {
                self.width += spaces;
                Stage::Number(1)
            }
            _ => Stage::Plain,
        }
    }

    /// Whether the quote or the list item of a fence ends before a character.
    fn ends(&self, fence: Fence, c: char, spaces: usize) -> bool {
        if fence.quoted && !self.quoted {
            c != '>' || spaces > 3
        } else {
            spaces < fence.width && c != '\t'
        }
    }
}

fn info(mark: char, len: usize, blank: bool, c: char) -> Stage {
    match c {
        // The info of a fence of backticks holds none.
        '`' if mark == '`' => Stage::Plain,
        ' ' | '\t' | '\r' => Stage::Info { mark, len, blank },
        _ => Stage::Info {
            mark,
            len,
            blank: false,
        },
    }
}
