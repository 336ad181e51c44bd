//! Where the blocks of a text begin and what they define, without their content.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Tag};

use super::{
    define::Definitions,
    read::{References, events, note_key, tame},
};
use crate::order::in_order;

/// A block at the top level, without its content.
pub(super) struct Outline {
    pub(super) range: Range<usize>,
    /// What follows the opening fence of a code block.
    pub(super) fenced: Option<String>,
    /// It holds blocks. Where such a block ends is not certain: definitions behind it may be
    /// counted to it.
    container: bool,
    /// It is a footnote. One that stands in another ends that, and begins within its line.
    note: bool,
}

/// The blocks of `text` at the top level, and the labels that it defines for the first time; those
/// of footnotes with a `^`. A definition whose title may still come is left for later while more
/// may come (`open`).
pub(super) fn outline(
    text: &str,
    known: &mut Definitions,
    open: bool,
) -> (Vec<Outline>, Vec<String>) {
    let tamed = tame(text);
    let (mut blocks, mut notes, mut links) = (Vec::new(), Vec::new(), Vec::new());
    let mut found = References::default();
    let mut events = events(tamed.as_deref().unwrap_or(text), known, &mut found);
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
                let container = matches!(
                    tag,
                    Tag::List(_) | Tag::BlockQuote(_) | Tag::FootnoteDefinition(_)
                );
                let note = matches!(tag, Tag::FootnoteDefinition(_));
                if let Tag::FootnoteDefinition(label) = &tag {
                    notes.push(label.to_string());
                }
                if depth == 0 {
                    let fenced = match tag {
                        Tag::CodeBlock(CodeBlockKind::Fenced(info)) => Some(info.into_string()),
                        _ => None,
                    };
                    blocks.push(Outline {
                        range,
                        fenced,
                        container,
                        note,
                    });
                }
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            _ if depth == 0 => blocks.push(Outline {
                range,
                fenced: None,
                container: false,
                note: false,
            }),
            _ => {}
        }
    }
    let settled = match blocks.as_slice() {
        [.., before, last] => start(text, before, last),
        _ => 0,
    };
    let mut defined = Vec::new();
    let begin = |span: usize| i64::try_from(span).unwrap_or(i64::MAX);
    for (span, label, href, title) in in_order(links, |(span, ..)| begin(span.start)) {
        let sure = !open || span.start < settled || complete(text, span.end);
        if sure && known.define_link(&label, &href, &title) {
            defined.push(label);
        }
    }
    for label in notes {
        if known.define_note(&label) {
            defined.push(note_key(&label));
        }
    }
    (blocks, defined)
}

/// Whether the definition that ends at `end` cannot get a title any more: the next line is there,
/// and does not open one.
fn complete(text: &str, end: usize) -> bool {
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
    let before = text.get(..at).unwrap_or_default();
    before.rfind(['\n', '\r']).map_or(0, |end| end + 1)
}

/// Where a block begins that follows another: with its first line, or with the definitions right
/// before it, which belong to the same paragraph as far as the grammar of lines is concerned.
pub(super) fn start(text: &str, before: &Outline, block: &Outline) -> usize {
    let mut start = line_start(text, block.range.start);
    if block.note && block.range.start - start > 3 {
        return block.range.start;
    }
    let mut top = start;
    while top > 0 {
        let above = line_start(text, top - 1);
        if text
            .get(above..top)
            .is_none_or(|line| line.trim_ascii().is_empty())
        {
            break;
        }
        if above >= before.range.end {
            start = above;
        } else if !before.container || above <= before.range.start {
            // Further up there is nothing that could be this block's.
            return start;
        }
        top = above;
    }
    // Behind an empty line, a line without indent is in no container.
    let first = text.get(top..).and_then(|rest| rest.lines().next());
    let defines = first.is_some_and(|line| line.starts_with('[') && line.contains("]:"));
    if defines && top > before.range.start {
        top
    } else {
        start
    }
}

/// Whether there is a line that most probably begins a block at the top level: letters at its very
/// start, behind an empty line.
pub(super) fn may_end(lines: Option<&str>) -> bool {
    lines.unwrap_or_default().split("\n\n").skip(1).any(|rest| {
        rest.starts_with(|first: char| first.is_alphabetic() || first == '#' || first == '`')
    })
}
