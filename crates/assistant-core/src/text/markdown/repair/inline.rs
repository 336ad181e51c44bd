//! Repairs open inline markup at the end of a paragraph, heading or cell: emphasis, code, links,
//! images and tags. The text is scanned once.

/// The maximum number of open marks. Further marks are not repaired.
const MAX_OPEN_MARKS: usize = 100;

/// The maximum depth of parentheses within the target of a link, which is the same as in the
/// parser. Without a maximum, the text could be scanned again at each parenthesis.
const MAX_NESTED_PARENTHESES: usize = 33;

/// A repair for the end of a text.
#[derive(Default)]
pub(super) struct EndRepair {
    /// The length of the text that is kept.
    pub(super) keep: usize,
    /// The text to append.
    pub(super) close: String,
}

/// A mark that opens emphasis, a link or an image, and that is not closed yet.
struct OpenMark {
    /// The position of the mark.
    at: usize,
    mark: char,
    /// The number of marks of the run that are still open.
    count: usize,
    /// The start of the content after the mark.
    inside: usize,
    /// True if the run of marks can also close emphasis.
    both: bool,
    /// The original number of marks in the run.
    run: usize,
}

struct InlineScanner<'a> {
    text: &'a str,
    at: usize,
    open: Vec<OpenMark>,
    end: Option<EndRepair>,
}

/// Returns the repair for the end of `text`. `item` is true for the text of a list item.
pub(super) fn repair_end(text: &str, item: bool) -> EndRepair {
    if item && is_task_marker(text) {
        return EndRepair::default();
    }
    let mut scanner = InlineScanner {
        text,
        at: 0,
        open: Vec::new(),
        end: None,
    };
    while scanner.end.is_none() && scanner.scan_next() {}
    scanner.finish()
}

/// Returns true if the text is a GFM task list marker, complete or incomplete.
fn is_task_marker(text: &str) -> bool {
    ["[", "[ ", "[ ]", "[x", "[x]", "[X", "[X]"].contains(&text)
}

fn is_punctuation(char: char) -> bool {
    char.is_ascii_punctuation() || !char.is_alphanumeric() && !char.is_whitespace()
}

impl InlineScanner<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Consumes one character or piece of markup. Returns false at the end of the text.
    fn scan_next(&mut self) -> bool {
        let Some(char) = self.rest().chars().next() else {
            return false;
        };
        match char {
            '\\' => {
                let escaped_len = self.rest().chars().nth(1).map_or(0, char::len_utf8);
                if escaped_len == 0 {
                    self.hide_from(self.at);
                }
                self.at += 1 + escaped_len;
            }
            '`' => self.scan_code(),
            '<' => self.scan_tag(),
            '!' if self.rest().starts_with("![") => self.open_bracket('!', 2),
            '[' => self.open_bracket('[', 1),
            ']' => self.close_bracket(),
            '*' | '_' | '~' => self.scan_emphasis(char),
            _ => self.at += char.len_utf8(),
        }
        true
    }

    /// Ends the scan and hides the text from `keep` on.
    fn hide_from(&mut self, keep: usize) {
        let visible_text = self.text.get(..keep).unwrap_or_default();
        let (keep, close) = (visible_text.trim_end_matches(' ').len(), String::new());
        self.end.get_or_insert(EndRepair { keep, close });
    }

    fn scan_code(&mut self) {
        let start = self.at;
        let width = run_length(self.rest(), '`');
        let mut position = start + width;
        while let Some(distance) = self.text.get(position..).and_then(|rest| rest.find('`')) {
            position += distance;
            let closing_len = run_length(self.text.get(position..).unwrap_or_default(), '`');
            position += closing_len;
            if closing_len == width {
                self.at = position;
                return;
            }
        }
        let content = self.text.get(start + width..).unwrap_or_default();
        let code_text = content.trim_end_matches('`');
        if code_text.trim().is_empty() {
            return self.hide_from(start);
        }
        let closing_marks = content.len() - code_text.len();
        let missing_marks = if closing_marks < width {
            width - closing_marks
        } else {
            width
        };
        let (keep, close) = (self.text.len(), "`".repeat(missing_marks));
        self.end = Some(EndRepair { keep, close });
    }

    fn scan_tag(&mut self) {
        match match_tag(self.rest()) {
            TagMatch::Whole(length) => self.at += length,
            TagMatch::Partial => self.hide_from(self.at),
            TagMatch::None => self.at += 1,
        }
    }

    fn open_bracket(&mut self, mark: char, width: usize) {
        self.push_mark(mark, 1, self.at + width, false);
        self.at += width;
    }

    fn push_mark(&mut self, mark: char, count: usize, inside: usize, both: bool) {
        if self.open.len() >= MAX_OPEN_MARKS {
            return;
        }
        self.open.push(OpenMark {
            at: self.at,
            mark,
            count,
            inside,
            both,
            run: count,
        });
    }

    fn close_bracket(&mut self) {
        self.at += 1;
        let is_bracket = |open: &OpenMark| open.mark == '[' || open.mark == '!';
        let Some(index) = self.open.iter().rposition(is_bracket) else {
            return;
        };
        let Some(bracket) = self.open.drain(index..).next() else {
            return;
        };
        let target = match self.rest().chars().next() {
            Some('(') => target_length(self.rest()),
            Some('[') => self
                .rest()
                .find(']')
                .map(|end| end + 1)
                .or(Some(usize::MAX)),
            _ => return,
        };
        match target {
            // No link target follows the bracket, so nothing is repaired.
            None => {}
            Some(usize::MAX) if bracket.mark == '!' => self.hide_from(bracket.at),
            Some(usize::MAX) => {
                let (keep, close) = (self.at, String::from("()"));
                self.end = Some(EndRepair { keep, close });
            }
            Some(length) => {
                self.at += length;
                if bracket.mark == '[' {
                    // A link cannot contain another link, so the open brackets before this link are
                    // text.
                    self.open.retain(|open| open.mark != '[');
                }
            }
        }
    }

    fn scan_emphasis(&mut self, mark: char) {
        let mut count = run_length(self.rest(), mark);
        let run_end = self.at + count;
        let char_before = self
            .text
            .get(..self.at)
            .and_then(|text| text.chars().next_back());
        let char_after = self
            .text
            .get(run_end..)
            .and_then(|text| text.chars().next());
        let is_before_blank = char_after.is_none_or(char::is_whitespace);
        let is_after_blank = char_before.is_none_or(char::is_whitespace);
        let is_before_punctuation = char_after.is_some_and(is_punctuation);
        let is_after_punctuation = char_before.is_some_and(is_punctuation);
        let is_left_flanking =
            !is_before_blank && (!is_before_punctuation || is_after_blank || is_after_punctuation);
        let is_right_flanking =
            !is_after_blank && (!is_after_punctuation || is_before_blank || is_before_punctuation);
        let (can_open, can_close) = if mark == '_' {
            (
                is_left_flanking && (!is_right_flanking || is_after_punctuation),
                is_right_flanking && (!is_left_flanking || is_before_punctuation),
            )
        } else {
            (is_left_flanking, is_right_flanking)
        };
        if can_close {
            count = self.close_marks(mark, count, can_open);
        }
        if char_after.is_none() && count > 0 {
            // Marks at the end of the text are ambiguous, so they are hidden.
            return self.hide_from(run_end - count);
        }
        // A single mark within a word or a formula is rarely emphasis.
        let is_stray = count == 1
            && char_before.is_some_and(|char_before| {
                "{^$".contains(char_before)
                    || char_before.is_ascii_alphanumeric()
                        && char_after.is_some_and(char::is_alphanumeric)
            });
        let is_valid_run = mark != '~' || count == 2;
        if can_open && count > 0 && is_valid_run && !is_stray {
            self.at = run_end - count;
            self.push_mark(mark, count, run_end, can_close);
        }
        self.at = run_end;
    }

    /// Closes open marks with `count` marks and returns the number of unused marks.
    fn close_marks(&mut self, mark: char, mut count: usize, both: bool) -> usize {
        let run_len = count;
        while count > 0 {
            let is_match = |open: &OpenMark| {
                let is_restricted = (open.both || both) && (open.run + run_len).is_multiple_of(3);
                let is_permitted =
                    !is_restricted || open.run.is_multiple_of(3) && run_len.is_multiple_of(3);
                open.mark == mark && is_permitted && (mark != '~' || open.count == run_len)
            };
            let first_index = self
                .open
                .iter()
                .rposition(|open| open.mark == '[' || open.mark == '!');
            let first_index = first_index.map_or(0, |at| at + 1);
            let candidates = self.open.get(first_index..).unwrap_or_default();
            let Some(index) = candidates
                .iter()
                .rposition(is_match)
                .map(|at| first_index + at)
            else {
                break;
            };
            self.open.truncate(index + 1);
            let Some(open) = self.open.last_mut() else {
                break;
            };
            let used_marks = if open.count >= 2 && count >= 2 { 2 } else { 1 };
            let used_marks = if mark == '~' { count } else { used_marks };
            open.count -= used_marks;
            count -= used_marks;
            if open.count == 0 {
                self.open.pop();
            }
        }
        count
    }

    fn finish(mut self) -> EndRepair {
        let mut end = self.end.take().unwrap_or(EndRepair {
            keep: self.text.len(),
            close: String::new(),
        });
        if let Some(image) = self.open.iter().find(|open| open.mark == '!') {
            end.keep = image.at;
            end.close.clear();
        }
        let mut is_link_closed = end.close == "()";
        while let Some(open) = self.open.pop() {
            if open.at >= end.keep {
                continue;
            }
            let content = self.text.get(open.inside..end.keep).unwrap_or_default();
            if end.close.is_empty()
                && (content.trim().is_empty() || open.mark == '[' && content.starts_with('^'))
            {
                end.keep = open.at;
                continue;
            }
            if open.mark == '[' && is_link_closed {
                continue;
            }
            if end.close.is_empty() {
                let visible_text = self.text.get(..end.keep).unwrap_or_default();
                end.keep = visible_text.trim_end().len();
            }
            if open.mark == '[' {
                is_link_closed = true;
                end.close.push_str("]()");
            } else {
                end.close.extend(std::iter::repeat_n(open.mark, open.count));
            }
        }
        end
    }
}

fn run_length(text: &str, mark: char) -> usize {
    text.len() - text.trim_start_matches(mark).len()
}

enum TagMatch {
    Whole(usize),
    Partial,
    None,
}

/// Determines whether text that begins with `<` is a complete or partial tag, address or comment.
fn match_tag(text: &str) -> TagMatch {
    let name = text.get(1..).unwrap_or_default();
    if name.starts_with("!--") {
        return name
            .find("-->")
            .map_or(TagMatch::Partial, |end| TagMatch::Whole(end + 4));
    }
    let tag_name = name.strip_prefix('/').unwrap_or(name);
    if !tag_name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return TagMatch::None;
    }
    let mut quote: Option<char> = None;
    for (at, char) in name.char_indices() {
        match quote {
            Some(open) if char == open => quote = None,
            Some(_) => {}
            None if char == '>' => return TagMatch::Whole(at + 2),
            None if char == '<' => return TagMatch::None,
            None if char == '"' || char == '\'' => quote = Some(char),
            None if char.is_alphanumeric()
                || char.is_whitespace()
                || "-_/:=.@%?&#+~".contains(char) => {}
            None => return TagMatch::None,
        }
    }
    TagMatch::Partial
}

/// Returns the length of the link target that begins with `(` at the start of `text`. Returns
/// `usize::MAX` if the target is incomplete, and `None` if the text is not a target.
fn target_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote: Option<char> = None;
    let mut is_escaped = false;
    let mut has_blank = false;
    for (at, char) in text.char_indices() {
        if std::mem::take(&mut is_escaped) {
            continue;
        }
        match char {
            '\\' => is_escaped = true,
            // An address in angle brackets cannot contain these characters.
            '<' | '\n' if quote == Some('>') => return None,
            _ if quote.is_some() => {
                if quote == Some(char) {
                    quote = None;
                }
            }
            '"' | '\'' if has_blank => quote = Some(char),
            '<' if at == 1 => quote = Some('>'),
            '(' if depth > MAX_NESTED_PARENTHESES => return None,
            '(' => depth += 1,
            ')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            '\n' if has_blank => return None,
            // If text other than a quoted title follows the address, the parenthesis does not begin
            // a target.
            _ if has_blank && !char.is_whitespace() => return None,
            _ => has_blank = char.is_whitespace() && at > 1,
        }
    }
    Some(usize::MAX)
}
