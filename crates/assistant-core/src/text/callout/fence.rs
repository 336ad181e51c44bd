//! Tracks the code fences of markdown, since a line inside a fence is not a callout.
//!
//! A fence inside a quote or list item ends with that container at the latest.

/// An open fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fence {
    /// A backtick or a tilde.
    mark: char,
    len: usize,
    /// True if the fence is inside a quote.
    quoted: bool,
    /// The column of the text in the list item that contains the fence, or 0 if the fence is
    /// outside of lists.
    width: usize,
}

impl Fence {
    /// Returns true if the fence is inside a quote or list item, with which the fence ends at the
    /// latest.
    pub(super) const fn is_contained(&self) -> bool {
        self.quoted || self.width > 0
    }
}

/// A scanner for one line, which determines the fence that is open after the line.
#[derive(Debug, Clone)]
pub(super) struct FenceScanner {
    stage: ScanStage,
    /// The fence that contains the line.
    fence: Option<Fence>,
    /// True if the line has a quote mark.
    quoted: bool,
    /// The width of the line's list markers, in columns.
    width: usize,
}

#[derive(Debug, Clone, Copy)]
enum ScanStage {
    /// The position after this many spaces.
    Indent(usize),
    /// The position right after a quote mark.
    Quote,
    /// The position after this many digits that may begin a list marker.
    Number(usize),
    /// The position right after a list marker.
    Bullet,
    /// The position after a list marker and this many spaces.
    Gap(usize),
    /// The position in a run of backticks or tildes.
    Run { mark: char, len: usize },
    /// The position in the info string after the run. `blank` is true if the info string has only
    /// blanks so far.
    Info { mark: char, len: usize, blank: bool },
    /// The rest of the line does not affect fences.
    Plain,
}

impl FenceScanner {
    /// Creates a scanner for a line inside `fence`, or for a line outside of fences if `fence` is
    /// `None`.
    pub(super) const fn new(fence: Option<Fence>) -> Self {
        Self {
            stage: ScanStage::Indent(0),
            fence,
            quoted: false,
            width: 0,
        }
    }

    /// Returns true if the rest of the line cannot affect fences.
    pub(super) const fn is_settled(&self) -> bool {
        matches!(self.stage, ScanStage::Plain)
    }

    /// Returns true if the line so far is inside a fence.
    pub(super) const fn is_in_fence(&self) -> bool {
        self.fence.is_some()
    }

    pub(super) fn push(&mut self, c: char) {
        self.stage = match self.stage {
            ScanStage::Indent(count) if c == ' ' => ScanStage::Indent(count + 1),
            ScanStage::Indent(count) => self.next_stage_after_indent(c, count),
            ScanStage::Quote if c == ' ' => ScanStage::Indent(0),
            ScanStage::Quote => self.next_stage_after_indent(c, 0),
            ScanStage::Number(count) if c.is_ascii_digit() && count < 9 => {
                ScanStage::Number(count + 1)
            }
            ScanStage::Number(count) if matches!(c, '.' | ')') => {
                self.width += count + 1;
                ScanStage::Bullet
            }
            ScanStage::Bullet if c == ' ' => ScanStage::Gap(1),
            ScanStage::Gap(count) if c == ' ' && count < 4 => ScanStage::Gap(count + 1),
            ScanStage::Gap(count) if c != ' ' => {
                self.width += count;
                self.next_stage_after_indent(c, 0)
            }
            ScanStage::Run { mark, len } if c == mark => ScanStage::Run { mark, len: len + 1 },
            ScanStage::Run { mark, len } if len >= 3 => next_info_stage(mark, len, true, c),
            ScanStage::Info { mark, len, blank } => next_info_stage(mark, len, blank, c),
            _ => ScanStage::Plain,
        };
    }

    /// Returns the fence that is open after the line if the line ends here. Returns `None` if no
    /// fence is open.
    pub(super) fn fence_after_line(&self) -> Option<Fence> {
        let (mark, len, blank) = match self.stage {
            ScanStage::Run { mark, len } if len >= 3 => (mark, len, true),
            ScanStage::Info { mark, len, blank } => (mark, len, blank),
            // A blank line without a quote mark ends a quote and the fence in it, but does not end
            // a list item.
            ScanStage::Indent(_) => return self.fence.filter(|fence| !fence.quoted || self.quoted),
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

    /// Returns the stage after `c`, which follows `spaces` spaces. Ends the fence if its container
    /// ends, and records a quote mark or the width of a list marker.
    fn next_stage_after_indent(&mut self, c: char, spaces: usize) -> ScanStage {
        if self
            .fence
            .is_some_and(|fence| self.is_container_end(fence, c, spaces))
        {
            self.fence = None;
        }
        let container_width = self.fence.map_or(0, |fence| fence.width);
        if spaces.saturating_sub(container_width) > 3 {
            return ScanStage::Plain;
        }
        match c {
            '>' if !self.quoted && self.width == 0 => {
                self.quoted = true;
                ScanStage::Quote
            }
            '`' | '~' => ScanStage::Run { mark: c, len: 1 },
            '-' | '*' | '+' if self.fence.is_none() => {
                self.width += spaces + 1;
                ScanStage::Bullet
            }
            '0'..='9' if self.fence.is_none() => {
                self.width += spaces;
                ScanStage::Number(1)
            }
            _ => ScanStage::Plain,
        }
    }

    /// Returns true if the container of a fence ends before `c`.
    fn is_container_end(&self, fence: Fence, c: char, spaces: usize) -> bool {
        if fence.quoted && !self.quoted {
            c != '>' || spaces > 3
        } else {
            spaces < fence.width && c != '\t'
        }
    }
}

fn next_info_stage(mark: char, len: usize, blank: bool, c: char) -> ScanStage {
    match c {
        // The info string of a backtick fence cannot contain backticks, so this line is not a
        // fence.
        '`' if mark == '`' => ScanStage::Plain,
        ' ' | '\t' | '\r' => ScanStage::Info { mark, len, blank },
        _ => ScanStage::Info {
            mark,
            len,
            blank: false,
        },
    }
}
