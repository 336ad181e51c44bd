//! Converts messages to plain text, block by block.

#[cfg(feature = "markdown")]
use assistant_core::text::markdown::{Kind, Markdown, Node};

#[cfg(feature = "markdown")]
use crate::ui::LabelName;
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
    /// Returns the plain text of each block that was completed since the last call. If `open` is
    /// false, also returns the text of each remaining block. Empty blocks are omitted.
    pub(super) fn read(&mut self, text: &str, open: bool, labels: &Labels) -> Vec<String> {
        let changes = self.markdown.advance(text, open);
        self.blocks.truncate(changes.from);
        self.blocks.extend(changes.blocks);
        for (index, node) in changes.revised {
            if let Some(block) = self.blocks.get_mut(index) {
                *block = node;
            }
        }
        let end = if open {
            changes.finished
        } else {
            self.blocks.len()
        };
        let new_blocks = self.blocks.get(self.announced..end).unwrap_or_default();
        self.announced = self.announced.max(end);
        let texts = new_blocks.iter().map(|block| {
            let mut text = String::new();
            push_plain_text(block, labels, &mut text);
            text.trim().to_owned()
        });
        texts.filter(|text| !text.is_empty()).collect()
    }
}

#[cfg(not(feature = "markdown"))]
impl BlockReader {
    /// Returns each paragraph that was completed since the last call. If `open` is false, also
    /// returns each remaining paragraph. Empty paragraphs are omitted.
    pub(super) fn read(&mut self, text: &str, open: bool, _: &Labels) -> Vec<String> {
        let blocks: Vec<&str> = text.split("\n\n").collect();
        let end = blocks.len() - usize::from(open);
        let new_blocks = blocks.get(self.announced..end).unwrap_or_default();
        self.announced = self.announced.max(end);
        let paragraphs = new_blocks.iter().map(|block| block.trim().to_owned());
        paragraphs.filter(|text| !text.is_empty()).collect()
    }
}

/// Appends the plain text of a node to `output`. A code block is replaced by its line count.
/// Horizontal rules and footnote references are omitted.
#[cfg(feature = "markdown")]
fn push_plain_text(node: &Node, labels: &Labels, output: &mut String) {
    match &node.kind {
        Kind::Text(text) | Kind::Code(text) | Kind::Html(text) => output.push_str(text),
        Kind::Math { tex, .. } => output.push_str(tex),
        Kind::SoftBreak | Kind::HardBreak => output.push(' '),
        Kind::CodeBlock { text, .. } => {
            let line_count = text.lines().count();
            output.push_str(&labels.insert_count(labels.text(LabelName::SpeechCode), line_count));
        }
        Kind::Rule | Kind::FootnoteReference(_) => {}
        _ => node
            .children
            .iter()
            .for_each(|child| push_plain_text(child, labels, output)),
    }
    let separator = match node.kind {
        Kind::Cell(_) => ", ",
        Kind::Item(_) | Kind::TableHead | Kind::TableRow => ". ",
        Kind::Paragraph | Kind::Heading(_) => " ",
        _ => return,
    };
    let trimmed_len = output.trim_end_matches([' ', ',']).len();
    output.truncate(trimmed_len);
    output.push_str(if output.ends_with(['.', '!', '?', ':']) {
        " "
    } else {
        separator
    });
}
