//! Reads the open fenced code block at the top level once, line by line.
//!
//! The block may grow to thousands of lines, so no part is read twice. `read` handles code blocks
//! within lists and quotes. A line ends with a line feed, a carriage return or both.

/// An incremental reader of an open code block.
#[derive(Debug)]
pub(super) struct CodeFence {
    mark: u8,
    width: usize,
    indent: usize,
    /// The position up to which code was returned, which is the start of a line unless `midline` is
    /// true.
    at: usize,
    midline: bool,
}

/// The result of [`CodeFence::advance`].
pub(super) struct CodeProgress {
    /// The code that was read since the previous call.
    pub(super) text: String,
    /// The end of the block, which is after its closing fence or at the end of the text. The value
    /// is `None` while the block is open.
    pub(super) end: Option<usize>,
}

impl CodeFence {
    /// Opens a code block whose opening fence begins at `start`, in a line that begins at `line`.
    /// Returns `None` if that line has not ended.
    pub(super) fn open(text: &str, line: usize, start: usize) -> Option<Self> {
        let fence = text.get(start..)?;
        let mark = *fence.as_bytes().first()?;
        let width = fence.bytes().take_while(|&byte| byte == mark).count();
        let (opening, line_break) = first_line(fence, true)?;
        Some(Self {
            mark,
            width,
            indent: start - line,
            at: start + opening.len() + line_break,
            midline: false,
        })
    }

    /// Reads and returns the code after the previous position; `text` is the whole text so far.
    /// Text that may still become the closing fence or part of a line break is held back while more
    /// text may follow (`open`).
    pub(super) fn advance(&mut self, text: &str, open: bool) -> CodeProgress {
        let mut code = String::new();
        let mut end = (!open).then_some(text.len());
        while let Some(rest) = text.get(self.at..).filter(|rest| !rest.is_empty()) {
            let (line, line_break) = first_line(rest, open).unwrap_or((rest, 0));
            let is_complete = line_break > 0;
            if !self.midline {
                if let Some(length) = self.closing_length(rest, is_complete, open) {
                    end = Some(self.at + length);
                    break;
                }
                if open && !is_complete && self.may_close(line) {
                    break;
                }
            }
            // A carriage return at the end of the text is held back, since a line feed may follow.
            let code_line = line.strip_suffix('\r').unwrap_or(line);
            if self.midline {
                code.push_str(code_line);
            } else {
                push_unindented(&mut code, code_line, self.indent);
            }
            self.midline = !is_complete;
            if is_complete {
                code.push('\n');
                self.at += line.len() + line_break;
            } else {
                self.at += code_line.len();
                break;
            }
        }
        CodeProgress { text: code, end }
    }

    /// Returns the length of the closing fence that `rest` begins with, including its line break.
    /// Returns `None` if the line is not a closing fence, or if the line is not complete yet.
    fn closing_length(&self, rest: &str, whole: bool, open: bool) -> Option<usize> {
        let fence = rest.trim_start_matches(' ');
        let after_fence = fence.trim_start_matches(char::from(self.mark));
        let indent = rest.len() - fence.len();
        let width = fence.len() - after_fence.len();
        let after_blanks = after_fence.trim_start_matches(' ');
        // At the end of the text, a line of up to three blanks is not code and ends the block like
        // a closing fence.
        if indent >= 4 || width < self.width && (open || !fence.is_empty()) {
            return None;
        }
        let line_break = if after_blanks.starts_with("\r\n") {
            2
        } else if after_blanks.is_empty() && !open {
            0
        } else if after_blanks.starts_with('\n')
            || after_blanks.starts_with('\r') && (whole || !open || after_blanks.len() > 1)
        {
            1
        } else {
            return None;
        };
        Some(rest.len() - after_blanks.len() + line_break)
    }

    /// Returns true if a partial line may become the closing fence, or if its indentation is not
    /// known yet.
    fn may_close(&self, line: &str) -> bool {
        let fence = line.trim_start_matches([' ', '\t']);
        let rest = fence.trim_start_matches(char::from(self.mark));
        fence.is_empty()
            || line.len() - fence.len() < 4
                && rest.bytes().all(|byte| byte == b' ' || byte == b'\r')
    }
}

/// Returns the first line of `text` and the length of its line break. Returns `None` if the line
/// has not ended. A carriage return at the very end is not a line break yet while more text may
/// follow (`open`).
fn first_line(text: &str, open: bool) -> Option<(&str, usize)> {
    let end = text.find(['\n', '\r'])?;
    let (line, rest) = text.split_at_checked(end)?;
    let line_break = match rest.as_bytes() {
        [b'\r', b'\n', ..] => 2,
        [b'\r'] if open => return None,
        _ => 1,
    };
    Some((line, line_break))
}

/// Appends the line to `code`, after removing up to `indent` columns of blanks from the start of
/// the line. The remainder of a tab becomes spaces.
fn push_unindented(code: &mut String, line: &str, indent: usize) {
    let (mut column, mut rest) = (0, line);
    while column < indent {
        if let Some(after) = rest.strip_prefix(' ') {
            rest = after;
            column += 1;
        } else if let Some(after) = rest.strip_prefix('\t') {
            rest = after;
            column = (column / 4 + 1) * 4;
        } else {
            break;
        }
    }
    code.extend(std::iter::repeat_n(' ', column.saturating_sub(indent)));
    code.push_str(rest);
}
