//! Finds the open part of an unfinished text by a scan of its lines. The scan covers the part of
//! the grammar that repairs need; the full grammar is in `read`.

/// The open part at the end of a text.
pub(super) enum OpenPart<'a> {
    /// The end of the text needs no repair, since it is code, an empty line or a complete line.
    Done,
    /// The text ends with inlines, which begin at `at`. `item` is true in a list item, and `html`
    /// is true in raw HTML.
    Inline { at: usize, item: bool, html: bool },
    /// The line that begins after `before` is held back, since it would turn the previous paragraph
    /// into a heading or end the table, but may still become a list, a rule or a row.
    Held { before: usize },
    /// The text ends with the head of a table, which ends at `head`. The delimiter row is missing
    /// or incomplete.
    Table {
        head: usize,
        /// The start of the head's last cell.
        cell: usize,
        columns: usize,
        prefix: &'a str,
    },
}

/// The maximum number of container marks examined in a line. The cost of each mark is proportional
/// to the length of the text after it.
const MAX_MARKS: usize = 128;

/// A line without container marks.
struct ContentLine<'a> {
    /// The start of the content.
    at: usize,
    rest: &'a str,
    /// The width of quote marks and blanks before the content, with list marks counted as blanks.
    indent: usize,
    item: bool,
}

/// The open paragraph or HTML block.
struct OpenBlock {
    at: usize,
    item: bool,
    html: bool,
    /// The start of the last line, including its container marks.
    line: usize,
    /// The start of the last line's content, after the container marks.
    row: usize,
    /// The end of the last line.
    end: usize,
    /// The number of columns of the last line if the line can be the head of a table, and 0
    /// otherwise.
    columns: usize,
    /// The number of lines of the block.
    lines: usize,
}

pub(super) fn find_open_part(text: &str) -> OpenPart<'_> {
    let mut fence: Option<(char, usize)> = None;
    let mut open_block: Option<OpenBlock> = None;
    let (mut in_table, mut has_list) = (false, false);
    let mut start = 0;
    for whole in text.split_inclusive('\n') {
        let end = start + whole.len();
        let is_last = end == text.len() && !whole.ends_with('\n');
        let line = strip_container_marks(whole.trim_end_matches(['\n', '\r']), start);
        let line_start = start;
        start = end;
        if let Some((mark, width)) = fence {
            if run_length(line.rest, mark) >= width && has_only_marks(line.rest, &[mark]) {
                fence = None;
            }
            continue;
        }
        let rest = line.rest.trim_end();
        has_list |= line.item;
        if rest.is_empty() {
            if is_last && line.item && open_block.is_some() {
                // The line is held back, since an empty item would not interrupt the paragraph, or
                // would turn the paragraph into a heading.
                return OpenPart::Held {
                    before: line_start.saturating_sub(1),
                };
            }
            (open_block, in_table) = (None, false);
            continue;
        }
        if let Some(mark) = rest.chars().next().filter(|mark| ['`', '~'].contains(mark)) {
            let width = run_length(rest, mark);
            let info = rest.trim_start_matches(mark);
            if width >= 3 && (mark == '~' || !info.contains('`')) {
                (fence, open_block, in_table) = (Some((mark, width)), None, false);
                continue;
            }
        }
        if line.item {
            (open_block, in_table) = (None, false);
        }
        let head = open_block.take();
        if let Some(head) = &head
            && head.columns > 0
            && is_delimiter_row(rest)
        {
            if count_cells(rest) == head.columns {
                in_table = true;
                continue;
            }
            if is_last {
                return create_table_part(text, head);
            }
        }
        if head.is_some() && !line.item && is_underline(rest) {
            if is_last && rest.len() < 3 {
                return OpenPart::Held {
                    before: line_start.saturating_sub(1),
                };
            }
            continue;
        }
        if is_thematic_break(rest) {
            if is_last && rest.len() >= 3 {
                return OpenPart::Done;
            }
            if !is_last {
                continue;
            }
        }
        let hashes = run_length(rest, '#');
        if (1..=6).contains(&hashes)
            && rest
                .get(hashes..)
                .is_some_and(|r| r.starts_with([' ', '\t']))
        {
            if is_last {
                let at = line.at + hashes + 1;
                return OpenPart::Inline {
                    at,
                    item: false,
                    html: false,
                };
            }
            continue;
        }
        if in_table {
            if is_last && rest.chars().all(|c| c == '|' || c.is_whitespace()) {
                // The line is held back, since a line of bars would end the table and begin a
                // paragraph until more of the row arrives.
                return OpenPart::Held {
                    before: line_start.saturating_sub(1),
                };
            }
            if is_last {
                let cell = last_cell_start(line.rest);
                return OpenPart::Inline {
                    at: line.at + cell,
                    item: false,
                    html: false,
                };
            }
            // A complete row needs no repair.
            continue;
        }
        if head.is_none() && line.indent >= 4 && !has_list {
            continue;
        }
        let (at, item, html, lines) = match &head {
            Some(head) => (head.at, head.item, head.html, head.lines + 1),
            None => (line.at, line.item, is_tag(rest), 1),
        };
        open_block = Some(OpenBlock {
            at,
            item,
            html,
            line: line_start,
            row: line.at,
            end: line.at + rest.len(),
            columns: if rest.contains('|') {
                count_cells(rest)
            } else {
                0
            },
            lines,
        });
    }
    match open_block {
        Some(open_block)
            if open_block.lines == 1
                && open_block.columns > 0
                && text
                    .get(open_block.at..)
                    .is_some_and(|head| head.starts_with('|')) =>
        {
            create_table_part(text, &open_block)
        }
        Some(OpenBlock { at, item, html, .. }) => OpenPart::Inline { at, item, html },
        None => OpenPart::Done,
    }
}

fn create_table_part<'a>(text: &'a str, head: &OpenBlock) -> OpenPart<'a> {
    // If only quote marks precede the head, the delimiter row begins with the same marks, so that
    // it is in the same containers.
    let prefix = text.get(head.line..head.row).unwrap_or_default();
    let has_only_quote_marks = prefix.bytes().all(|byte| b" \t>".contains(&byte));
    let row = text.get(head.row..head.end).unwrap_or_default();
    OpenPart::Table {
        head: head.end,
        cell: head.row + last_cell_start(row),
        columns: head.columns,
        prefix: if has_only_quote_marks {
            prefix
        } else {
            blank_prefix(prefix.len())
        },
    }
}

fn blank_prefix(count: usize) -> &'static str {
    "                                "
        .get(..count)
        .unwrap_or_default()
}

/// Removes the container marks of a line that begins at `at`.
fn strip_container_marks(line: &str, mut at: usize) -> ContentLine<'_> {
    let (mut rest, mut indent, mut item) = (line, 0, false);
    let mut depth = 0;
    loop {
        let content = rest.trim_start_matches([' ', '\t']);
        let blank_len = rest.len() - content.len();
        let mark_len = if depth == MAX_MARKS {
            0
        } else if content.starts_with('>') {
            1
        } else if is_thematic_break(content) {
            0
        } else {
            list_mark_length(content)
        };
        at += blank_len + mark_len;
        if mark_len == 0 {
            let indent = indent + blank_len;
            return ContentLine {
                at,
                rest: content,
                indent,
                item,
            };
        }
        item |= !content.starts_with('>');
        depth += 1;
        indent = 0;
        rest = content.get(mark_len..).unwrap_or_default();
    }
}

/// Returns the length of the list mark at the start of a text, or 0 if the text does not begin with
/// a list mark.
fn list_mark_length(text: &str) -> usize {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let marks: &[char] = if digits == 0 {
        &['-', '+', '*']
    } else {
        &['.', ')']
    };
    let Some(after_mark) = text.get(digits..).and_then(|text| text.strip_prefix(marks)) else {
        return 0;
    };
    if digits < 10 && (after_mark.is_empty() && digits > 0 || after_mark.starts_with([' ', '\t'])) {
        digits + 1
    } else {
        0
    }
}

fn run_length(text: &str, mark: char) -> usize {
    text.len() - text.trim_start_matches(mark).len()
}

fn has_only_marks(text: &str, marks: &[char]) -> bool {
    text.trim_end().trim_start_matches(marks).is_empty()
}

fn is_underline(text: &str) -> bool {
    has_only_marks(text, &['-']) || has_only_marks(text, &['='])
}

fn is_thematic_break(text: &str) -> bool {
    ['-', '*', '_']
        .iter()
        .any(|&mark| has_only_marks(text, &[mark, ' ', '\t']) && text.matches(mark).count() >= 3)
}

fn is_delimiter_row(text: &str) -> bool {
    has_only_marks(text, &['|', '-', ':', ' ', '\t'])
}

/// Returns the number of cells in a row.
fn count_cells(row: &str) -> usize {
    let row = row.trim();
    let cells = row.strip_prefix('|').unwrap_or(row);
    let pipes = pipe_positions(cells).count();
    let is_closed = cells.ends_with('|') && !cells.ends_with("\\|");
    (pipes + usize::from(!is_closed)).max(1)
}

fn pipe_positions(row: &str) -> impl Iterator<Item = usize> {
    let mut is_escaped = false;
    row.char_indices().filter_map(move |(at, char)| {
        let is_pipe = char == '|' && !is_escaped;
        is_escaped = char == '\\' && !is_escaped;
        is_pipe.then_some(at)
    })
}

fn last_cell_start(row: &str) -> usize {
    pipe_positions(row).last().map_or(0, |at| at + 1)
}

fn is_tag(text: &str) -> bool {
    text.strip_prefix('<').is_some_and(|rest| {
        rest.starts_with(|first: char| first.is_ascii_alphabetic() || "/!?".contains(first))
    })
}
