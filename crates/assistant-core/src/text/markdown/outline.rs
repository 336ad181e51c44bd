//! Finds the block boundaries and the definitions of a text, and ignores the content of the blocks.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Tag};

use super::{
    define::Definitions,
    read::{References, adapt_to_parser, footnote_key, parse_events},
};
use crate::order::in_order;

/// A block at the top level, without its content.
pub(super) struct BlockOutline {
    pub(super) range: Range<usize>,
    /// The info string of a fenced code block, or `None` for other blocks.
    pub(super) fenced: Option<String>,
    /// The end of the block's content. The range of a list may include definitions after the last
    /// item.
    end: usize,
    /// True for a footnote. A footnote inside another footnote ends the outer footnote, and begins
    /// in the middle of a line.
    note: bool,
}

/// Returns the top-level blocks of `text`, and the labels that the text defines for the first time;
/// labels of footnotes have the prefix `^`. The definitions are added to `known`. While more text
/// may follow (`open`), a definition that may still get a title is postponed.
pub(super) fn outline_blocks(
    text: &str,
    known: &mut Definitions,
    open: bool,
) -> (Vec<BlockOutline>, Vec<String>) {
    let adapted_text = adapt_to_parser(text);
    let mut blocks: Vec<BlockOutline> = Vec::new();
    let (mut notes, mut links) = (Vec::new(), Vec::new());
    let mut references = References::default();
    let text = adapted_text.as_deref().unwrap_or(text);
    let mut events = parse_events(text, known, &mut references);
    for (label, link) in events.reference_definitions().iter() {
        let title = link.title.as_deref().unwrap_or_default();
        links.push((
            link.span.clone(),
            label.to_owned(),
            link.dest.to_string(),
            title.to_owned(),
        ));
    }
    let mut depth = 0_usize;
    for (event, range) in events.by_ref() {
        match event {
            Event::Start(tag) => {
                let is_footnote = matches!(tag, Tag::FootnoteDefinition(_));
                if let Tag::FootnoteDefinition(label) = &tag {
                    notes.push(label.to_string());
                }
                if depth == 1
                    && tag == Tag::Item
                    && let Some(list) = blocks.last_mut()
                {
                    list.end = range.end;
                }
                if depth == 0 {
                    let info = match tag {
                        Tag::CodeBlock(CodeBlockKind::Fenced(info)) => Some(info.into_string()),
                        _ => None,
                    };
                    blocks.push(BlockOutline {
                        end: range.end,
                        range,
                        fenced: info,
                        note: is_footnote,
                    });
                }
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            _ if depth == 0 => blocks.push(BlockOutline {
                end: range.end,
                range,
                fenced: None,
                note: false,
            }),
            _ => {}
        }
    }
    let last_block_start = match blocks.as_slice() {
        [.., previous, last] => block_start(text, previous, last),
        _ => 0,
    };
    let mut new_labels = Vec::new();
    let as_i64 = |span: usize| i64::try_from(span).unwrap_or(i64::MAX);
    for (span, label, href, title) in in_order(links, |(span, ..)| as_i64(span.start)) {
        let is_final =
            !open || span.start < last_block_start || is_complete_definition(text, span.end);
        if is_final && known.define_link(&label, &href, &title) {
            new_labels.push(label);
        }
    }
    for label in notes {
        if known.define_footnote(&label) {
            new_labels.push(footnote_key(&label));
        }
    }
    (blocks, new_labels)
}

/// Returns true if the definition that ends at `end` cannot get a title any more: the next line is
/// complete and does not begin a title.
fn is_complete_definition(text: &str, end: usize) -> bool {
    let rest = text.get(end..).unwrap_or_default();
    let mut lines = rest.split('\n').skip(1);
    match (lines.next(), lines.next()) {
        (Some(next), Some(_)) => !next
            .trim_start_matches([' ', '\t', '>'])
            .starts_with(['"', '\'', '(']),
        _ => false,
    }
}

pub(super) fn line_start(text: &str, at: usize) -> usize {
    let prefix = text.get(..at).unwrap_or_default();
    prefix.rfind(['\n', '\r']).map_or(0, |end| end + 1)
}

/// Returns the end of the line whose line break ends at `next`.
fn line_end(text: &str, next: usize) -> usize {
    let line = text.get(..next).unwrap_or_default();
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line).len()
}

/// Returns the start of `block`, which follows the block `previous`: the start of its first line,
/// or of the link definitions directly above, which the grammar parses as lines of the same
/// paragraph.
pub(super) fn block_start(text: &str, previous: &BlockOutline, block: &BlockOutline) -> usize {
    let mut start = line_start(text, block.range.start);
    if block.note && block.range.start - start > 3 {
        return block.range.start;
    }
    while start > previous.end {
        let start_above = line_start(text, line_end(text, start));
        let line = text.get(start_above..start).unwrap_or_default();
        if start_above < previous.end || line.trim_ascii().is_empty() {
            break;
        }
        start = start_above;
    }
    start
}

/// Returns true if one of the lines probably begins a top-level block, since the line follows an
/// empty line and starts with a letter, `#` or a backtick.
pub(super) fn may_begin_block(lines: Option<&str>) -> bool {
    lines.unwrap_or_default().split("\n\n").skip(1).any(|rest| {
        rest.starts_with(|first: char| first.is_alphabetic() || first == '#' || first == '`')
    })
}
