//! Converts messages to plain text, block by block.

#[cfg(feature = "markdown")]
use assistant_core::text::markdown::{Kind, Markdown, Node};

use crate::ui::Labels;

/// A reader of a growing text, which returns each block once the block is complete.
#[derive(Default)]
pub(super) struct BlockReader {
    #[cfg(feature = "markdown")]
    markdown: Markdown,
    #[cfg(feature = "markdown")]
    blocks: Vec<Node>,
    announced: usize,
}

#[cfg(feature = "markdown")]
impl BlockReader {
    /// Returns the plain text of each block that was completed since the last call; if `open` is
    /// false, of each remaining block. Empty blocks are omitted.
    pub(super) fn read(&mut self, text: &str, open: bool, labels: &Labels) -> Vec<String> {
        let changes = self.markdown.advance(text, open);
        self.blocks.truncate(changes.from);
        self.blocks.extend(changes.blocks);
        for (place, node) in changes.revised {
            if let Some(block) = self.blocks.get_mut(place) {
                *block = node;
            }
        }
        let end = if open {
            changes.finished
        } else {
            self.blocks.len()
        };
        let fresh = self.blocks.get(self.announced..end).unwrap_or_default();
        self.announced = self.announced.max(end);
        let words = fresh.iter().map(|block| {
            let mut words = String::new();
            push_plain_text(block, labels, &mut words);
            words.trim().to_owned()
        });
        words.filter(|words| !words.is_empty()).collect()
    }
}

#[cfg(not(feature = "markdown"))]
impl BlockReader {
    /// Returns each paragraph that was completed since the last call; if `open` is false, each
    /// remaining paragraph. Empty paragraphs are omitted.
    pub(super) fn read(&mut self, text: &str, open: bool, _: &Labels) -> Vec<String> {
        let blocks: Vec<&str> = text.split("\n\n").collect();
        let end = blocks.len() - usize::from(open);
        let fresh = blocks.get(self.announced..end).unwrap_or_default();
        self.announced = self.announced.max(end);
        let words = fresh.iter().map(|block| block.trim().to_owned());
        words.filter(|words| !words.is_empty()).collect()
    }
}

/// Appends the plain text of a node to `words`. A code block is replaced by its line count; rules
/// and footnote references are omitted.
#[cfg(feature = "markdown")]
fn push_plain_text(node: &Node, labels: &Labels, words: &mut String) {
    match &node.kind {
        Kind::Text(text) | Kind::Code(text) | Kind::Html(text) => words.push_str(text),
        Kind::Math { tex, .. } => words.push_str(tex),
        Kind::SoftBreak | Kind::HardBreak => words.push(' '),
        Kind::CodeBlock { text, .. } => {
            let lines = text.lines().count().to_string();
            words.push_str(&labels.speech_code.replace("{count}", &lines));
        }
        Kind::Rule | Kind::FootnoteReference(_) => {}
        _ => node
            .children
            .iter()
            .for_each(|child| push_plain_text(child, labels, words)),
    }
    let end = match node.kind {
        Kind::Cell(_) => ", ",
        Kind::Item(_) | Kind::TableHead | Kind::TableRow => ". ",
        Kind::Paragraph | Kind::Heading(_) => " ",
        _ => return,
    };
    let trimmed = words.trim_end_matches([' ', ',']).len();
    words.truncate(trimmed);
    words.push_str(if words.ends_with(['.', '!', '?', ':']) {
        " "
    } else {
        end
    });
}
