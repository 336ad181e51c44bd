//! Describes the view of the open block, and clears values that would flicker in the view.

use super::{
    pace::is_prose,
    tree::{Kind, Node},
};

/// The view of the open block that was returned last.
#[derive(Debug, Default)]
pub(super) struct ShownBlocks {
    /// The number of blocks in the view.
    pub(super) blocks: usize,
    /// The end of the text that the blocks show.
    pub(super) len: usize,
    /// True if text can be appended to the last block.
    pub(super) grows: bool,
    /// True if plain text that follows can be appended to the view without parsing.
    pub(super) plain: bool,
}

impl ShownBlocks {
    /// Creates the description of the `nodes` shown for the open block, whose `source` begins at
    /// `at`. `whole` is true if no part of the source had to be repaired.
    pub(super) fn new(nodes: &[Node], at: usize, source: &str, whole: bool) -> Self {
        let last_paragraph = nodes.last().filter(|node| node.kind == Kind::Paragraph);
        let last_child = last_paragraph.and_then(|node| node.children.last());
        let ends_in_text = matches!(last_child, Some(node) if matches!(node.kind, Kind::Text(_)));
        Self {
            blocks: nodes.len(),
            len: at + source.trim_end_matches(is_blank).len(),
            grows: last_paragraph.is_some(),
            plain: whole && ends_in_text && is_prose(source),
        }
    }
}

/// Returns true for characters that the grammar may drop at the end of a paragraph.
const fn is_blank(char: char) -> bool {
    char.is_ascii_whitespace() || char.is_ascii_control()
}

/// Clears the values that would flicker at the end of an open text: the language of a code block
/// while its first line is incomplete, and the address of an autolink that may still grow.
pub(super) fn clear_partial_values(mut nodes: &mut [Node], source: &str) {
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
