//! What is shown of the open block, and what may be appended to it.

use super::{
    pace::is_prose,
    tree::{Kind, Node},
};

/// The open blocks as they were given last.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub(super) blocks: usize,
    /// Where the text ends that they show.
    pub(super) len: usize,
    /// Whether text can be appended to the last one.
    pub(super) grows: bool,
    /// Whether plain text that follows is shown by appending it.
    pub(super) plain: bool,
}

impl Shown {
    /// What `nodes` show of the open block, whose `source` begins at `at`; the `whole` source, if
    /// nothing of it had to be repaired.
    pub(super) fn of(nodes: &[Node], at: usize, source: &str, whole: bool) -> Self {
        let last = nodes.last().filter(|node| node.kind == Kind::Paragraph);
        let end = last.and_then(|node| node.children.last());
        let ends_in_text = matches!(end, Some(node) if matches!(node.kind, Kind::Text(_)));
        Self {
            blocks: nodes.len(),
            len: at + source.trim_end_matches(is_blank).len(),
            grows: last.is_some(),
            plain: whole && ends_in_text && is_prose(source),
        }
    }
}

/// What the grammar may leave out at the end of a paragraph.
const fn is_blank(char: char) -> bool {
    char.is_ascii_whitespace() || char.is_ascii_control()
}

/// Holds back what would flicker at the end of an open text: half the language of a code block,
/// and half an address that stands bare.
pub(super) fn hold_back(mut nodes: &mut [Node], source: &str) {
    while let Some(node) = nodes.last_mut() {
        match &mut node.kind {
            Kind::CodeBlock { language, text } if text.is_empty() && !source.ends_with('\n') => {
                language.clear();
            }
            Kind::Link { href, .. } => {
                if let Some(Node {
                    kind: Kind::Text(text),
                    ..
                }) = node.children.first()
                    && href.ends_with(text.as_str())
                    && source.ends_with(text.as_str())
                {
                    href.clear();
                }
            }
            _ => {}
        }
        nodes = &mut node.children;
    }
}
