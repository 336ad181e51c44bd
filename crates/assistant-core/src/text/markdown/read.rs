//! Parses a piece of text into blocks and references.
//!
//! The piece is independent of other text, since definitions come from [`Definitions`]. `repair`
//! repairs unfinished markup beforehand, and `stream` determines which blocks are finished.

use pulldown_cmark::{BrokenLink, BrokenLinkCallback, CowStr, OffsetIter, Options, Parser};

use super::{build::TreeBuilder, define::Definitions, tree::Node};

/// The column after which container marks of a line are replaced with blanks. The replacement
/// limits the nesting of containers, since the cost of each line is proportional to the depth.
const MAX_MARK_COLUMN: usize = 256;

/// The maximum size of all expanded references of a text, in bytes. A long address with many
/// references would otherwise exhaust the memory.
const MAX_EXPANSION: usize = 4 << 20;

/// The extensions of the grammar that are enabled.
pub(super) const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_GFM)
    .union(MATH);

/// The option for formulas, which is set only with the `math` feature. Without the feature, dollar
/// signs are text, since they are often prices.
const MATH: Options = if cfg!(feature = "math") {
    Options::ENABLE_MATH
} else {
    Options::empty()
};

/// The undefined references of a text, and the remaining budget for expanding references.
#[derive(Debug)]
pub(super) struct References {
    /// The labels without a definition. Labels of footnotes have the prefix `^`.
    pub(super) missing: Vec<String>,
    /// The number of bytes to which links may still expand.
    expansion: usize,
}

impl Default for References {
    fn default() -> Self {
        Self {
            missing: Vec::new(),
            expansion: MAX_EXPANSION,
        }
    }
}

/// A lookup of labels in [`Definitions`] that records the missing labels.
pub(super) struct DefinitionLookup<'a> {
    known: &'a Definitions,
    found: &'a mut References,
}

impl<'input> BrokenLinkCallback<'input> for DefinitionLookup<'_> {
    fn handle_broken_link(
        &mut self,
        link: BrokenLink<'input>,
    ) -> Option<(CowStr<'input>, CowStr<'input>)> {
        let Some((href, title)) = self.known.link(&link.reference) else {
            self.found.missing.push(link.reference.into_string());
            return None;
        };
        let length = href.len() + title.len();
        self.found.expansion = self.found.expansion.checked_sub(length)?;
        Some((href.to_owned().into(), title.to_owned().into()))
    }
}

pub(super) type ParserEvents<'t, 'a> = OffsetIter<'t, DefinitionLookup<'a>>;

pub(super) fn parse_events<'t, 'a>(
    text: &'t str,
    known: &'a Definitions,
    found: &'a mut References,
) -> ParserEvents<'t, 'a> {
    Parser::new_with_broken_link_callback(text, OPTIONS, Some(DefinitionLookup { known, found }))
        .into_offset_iter()
}

/// Parses `text` into blocks, and records undefined labels and expanded references in `found`.
pub(super) fn parse_blocks(text: &str, known: &Definitions, found: &mut References) -> Vec<Node> {
    let adapted_text = adapt_to_parser(text);
    let text = adapted_text.as_deref().unwrap_or(text);
    // The definitions of footnotes are prepended, since the grammar requires them in the same text
    // as the references.
    let (prefixed_text, prefix_len) = prepend_footnotes(text, known, &mut found.missing);
    let source = prefixed_text.as_deref().unwrap_or(text);
    let mut builder = TreeBuilder::new(known);
    for (event, range) in parse_events(source, known, found) {
        if range.start >= prefix_len {
            builder.push_event(event);
        }
    }
    builder.finish()
}

/// Returns the key for the label of a footnote, which distinguishes the label from the labels of
/// links.
pub(super) fn footnote_key(label: &str) -> String {
    let mut key = String::with_capacity(label.len() + 1);
    key.push('^');
    key.push_str(label);
    key
}

/// Prepends an empty definition for each known footnote that the text may reference, and adds the
/// other footnotes to `missing`. Returns the text, or `None` if nothing is prepended, and the
/// length of the prefix.
fn prepend_footnotes(
    text: &str,
    known: &Definitions,
    missing: &mut Vec<String>,
) -> (Option<String>, usize) {
    let mut prefix = String::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("[^") {
        rest = after;
        let end = after.find([']', '[', '\n', '\r']).unwrap_or(after.len());
        let (label, end) = after.split_at_checked(end).unwrap_or_default();
        if !end.starts_with(']') {
            continue;
        }
        let label = label.trim();
        if let Some(label) = known.footnote_label(label) {
            prefix.push_str("[^");
            prefix.push_str(label);
            prefix.push_str("]:\n");
        } else {
            missing.push(footnote_key(label));
        }
    }
    if prefix.is_empty() {
        return (None, 0);
    }
    // This HTML block ends on its own line, so the text after it is parsed as at the start of a
    // document.
    prefix.push_str("<!-- -->\n");
    let prefix_len = prefix.len();
    prefix.push_str(text);
    (Some(prefix), prefix_len)
}

/// Returns the text adapted to the parser, or `None` if the text needs no change. The marks of
/// containers that are nested too deeply are replaced with blanks, and each carriage return that
/// ends a line by itself is replaced with a line feed. In code and HTML, `pulldown-cmark` 0.13 ends
/// a line only at a line feed, so it drops a line that follows such a carriage return after
/// indented code. The length of the text does not change.
pub(super) fn adapt_to_parser(text: &str) -> Option<String> {
    let mut adapted_bytes: Option<Vec<u8>> = None;
    let mut start = 0;
    let mut in_marks = true;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'\n' | b'\r' => {
                start = at;
                in_marks = true;
                if byte == b'\r' && text.as_bytes().get(at + 1) != Some(&b'\n') {
                    let bytes = adapted_bytes.get_or_insert_with(|| text.as_bytes().to_vec());
                    if let Some(byte) = bytes.get_mut(at) {
                        *byte = b'\n';
                    }
                }
            }
            b' ' | b'\t' => {}
            b'>' | b'-' | b'+' | b'*' | b'0'..=b'9' | b'.' | b')' if in_marks => {
                let next_byte = text.as_bytes().get(at + 1);
                let is_mark = byte == b'>' || !byte.is_ascii_digit() && next_byte == Some(&b' ');
                if is_mark && at - start > MAX_MARK_COLUMN {
                    let bytes = adapted_bytes.get_or_insert_with(|| text.as_bytes().to_vec());
                    if let Some(byte) = bytes.get_mut(at) {
                        *byte = b' ';
                    }
                }
            }
            _ => in_marks = false,
        }
    }
    String::from_utf8(adapted_bytes?).ok()
}
