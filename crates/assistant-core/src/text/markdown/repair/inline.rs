//! Repairs open inline markup at the end of a paragraph, heading or cell: emphasis, code, links,
//! images, tags. The text is walked once.

/// The maximum number of open marks. Further marks are not repaired.
const MAX_OPEN_MARKS: usize = 100;

/// The repair of the end of a text.
#[derive(Default)]
pub(super) struct EndRepair {
    /// The length of the text that is kept.
    pub(super) keep: usize,
    /// The text to append.
    pub(super) close: String,
}

/// An open mark.
struct OpenMark {
    /// The position of the mark.
    at: usize,
    mark: char,
    /// The number of marks of the run that are still open.
    count: usize,
    /// The start of the content after the mark.
    inside: usize,
    /// True if the run of marks can close as well.
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

/// Returns the repair of the end of `text`. `item` is true for the text of a list item.
pub(super) fn repair_end(text: &str, item: bool) -> EndRepair {
    if item && is_task_marker(text) {
        return EndRepair::default();
    }
    let mut walk = InlineScanner {
        text,
        at: 0,
        open: Vec::new(),
        end: None,
    };
    while walk.end.is_none() && walk.scan_next() {}
    walk.finish()
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
                let escaped = self.rest().chars().nth(1).map_or(0, char::len_utf8);
                if escaped == 0 {
                    self.hide_from(self.at);
                }
                self.at += 1 + escaped;
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

    /// Ends the walk and hides the text from `keep` on.
    fn hide_from(&mut self, keep: usize) {
        let kept = self.text.get(..keep).unwrap_or_default();
        let (keep, close) = (kept.trim_end_matches(' ').len(), String::new());
        self.end.get_or_insert(EndRepair { keep, close });
    }

    fn scan_code(&mut self) {
        let start = self.at;
        let width = run_length(self.rest(), '`');
        let mut at = start + width;
        while let Some(next) = self.text.get(at..).and_then(|rest| rest.find('`')) {
            at += next;
            let closing = run_length(self.text.get(at..).unwrap_or_default(), '`');
            at += closing;
            if closing == width {
                self.at = at;
                return;
            }
        }
        let content = self.text.get(start + width..).unwrap_or_default();
        let inner = content.trim_end_matches('`');
        if inner.trim().is_empty() {
            return self.hide_from(start);
        }
        let half = content.len() - inner.len();
        let missing = if half < width { width - half } else { width };
        let (keep, close) = (self.text.len(), "`".repeat(missing));
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
            // Not a link target.
            None => {}
            Some(usize::MAX) if bracket.mark == '!' => self.hide_from(bracket.at),
            Some(usize::MAX) => {
                let (keep, close) = (self.at, String::from("()"));
                self.end = Some(EndRepair { keep, close });
            }
            Some(length) => {
                self.at += length;
                if bracket.mark == '[' {
                    // A link cannot contain a link.
                    self.open.retain(|open| open.mark != '[');
                }
            }
        }
    }

    fn scan_emphasis(&mut self, mark: char) {
        let mut count = run_length(self.rest(), mark);
        let behind = self.at + count;
        let before = self
            .text
            .get(..self.at)
            .and_then(|text| text.chars().next_back());
        let after = self.text.get(behind..).and_then(|text| text.chars().next());
        let after_blank = after.is_none_or(char::is_whitespace);
        let before_blank = before.is_none_or(char::is_whitespace);
        let after_mark = after.is_some_and(is_punctuation);
        let before_mark = before.is_some_and(is_punctuation);
        let left = !after_blank && (!after_mark || before_blank || before_mark);
        let right = !before_blank && (!before_mark || after_blank || after_mark);
        let (opens, closes) = if mark == '_' {
            (
                left && (!right || before_mark),
                right && (!left || after_mark),
            )
        } else {
            (left, right)
        };
        if closes {
            count = self.close_marks(mark, count, opens);
        }
        if after.is_none() && count > 0 {
            // Marks at the end are ambiguous.
            return self.hide_from(behind - count);
        }
        // A single mark within a word or a formula is rarely emphasis.
        let stray = count == 1
            && before.is_some_and(|before| {
                "{^$".contains(before)
                    || before.is_ascii_alphanumeric() && after.is_some_and(char::is_alphanumeric)
            });
        let strikes = mark != '~' || count == 2;
        if opens && count > 0 && strikes && !stray {
            self.at = behind - count;
            self.push_mark(mark, count, behind, closes);
        }
        self.at = behind;
    }

    /// Closes open marks with `count` marks and returns the number of unused marks.
    fn close_marks(&mut self, mark: char, mut count: usize, both: bool) -> usize {
        let run = count;
        while count > 0 {
            let matches = |open: &OpenMark| {
                let thirds = (open.both || both) && (open.run + run).is_multiple_of(3);
                let fits = !thirds || open.run.is_multiple_of(3) && run.is_multiple_of(3);
                open.mark == mark && fits && (mark != '~' || open.count == run)
            };
            let floor = self
                .open
                .iter()
                .rposition(|open| open.mark == '[' || open.mark == '!');
            let floor = floor.map_or(0, |at| at + 1);
            let above = self.open.get(floor..).unwrap_or_default();
            let Some(index) = above.iter().rposition(matches).map(|at| floor + at) else {
                break;
            };
            self.open.truncate(index + 1);
            let Some(open) = self.open.last_mut() else {
                break;
            };
            let used = if open.count >= 2 && count >= 2 { 2 } else { 1 };
            let used = if mark == '~' { count } else { used };
            open.count -= used;
            count -= used;
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
        let mut linked = end.close == "()";
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
            if open.mark == '[' && linked {
                continue;
            }
            if end.close.is_empty() {
                let kept = self.text.get(..end.keep).unwrap_or_default();
                end.keep = kept.trim_end().len();
            }
            if open.mark == '[' {
                linked = true;
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

/// Classifies text that begins with `<`: a tag, an address or a comment, complete or partial, or
/// none of these.
fn match_tag(text: &str) -> TagMatch {
    let name = text.get(1..).unwrap_or_default();
    if name.starts_with("!--") {
        return name
            .find("-->")
            .map_or(TagMatch::Partial, |end| TagMatch::Whole(end + 4));
    }
    let tag = name.strip_prefix('/').unwrap_or(name);
    if !tag.starts_with(|first: char| first.is_ascii_alphabetic()) {
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

/// Returns the length of the link target that begins with `(`; `usize::MAX` if it is incomplete,
/// `None` if it is not a target.
fn target_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote: Option<char> = None;
    let mut escaped = false;
    let mut blank = false;
    for (at, char) in text.char_indices() {
        if std::mem::take(&mut escaped) {
            continue;
        }
        match char {
            '\\' => escaped = true,
            // Searched once: an address cannot contain these.
            '<' | '\n' if quote == Some('>') => return None,
            _ if quote.is_some() => {
                if quote == Some(char) {
                    quote = None;
                }
            }
            '"' | '\'' if blank => quote = Some(char),
            '<' if at == 1 => quote = Some('>'),
            '(' => depth += 1,
            ')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            '\n' if blank => return None,
            // An address and a title with further words are not a target.
            _ if blank && !char.is_whitespace() => return None,
            _ => blank = char.is_whitespace() && at > 1,
        }
    }
    Some(usize::MAX)
}
