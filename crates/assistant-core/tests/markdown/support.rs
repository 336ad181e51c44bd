//! A view of `Markdown`'s changes, with checks of their guarantees.

use assistant_core::text::markdown::{BlockChanges, Kind, Markdown, Node};

/// The blocks of a view.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub(super) blocks: Vec<Node>,
    pub(super) finished: usize,
}

impl Shown {
    /// Applies changes, and checks that finished blocks change only by revision.
    pub(super) fn take(&mut self, changes: BlockChanges) {
        assert!(changes.from <= self.blocks.len());
        assert!(
            changes.from >= self.finished,
            "a finished block is given again"
        );
        for (index, node) in changes.revised {
            assert!(index < self.finished, "only finished blocks are revised");
            self.blocks[index] = node;
        }
        if let Some(more) = &changes.appended {
            let block = &mut self.blocks[changes.from - 1];
            match &mut block.kind {
                Kind::CodeBlock { text, .. } => text.push_str(more),
                Kind::Paragraph => block.children.push(Node::leaf(Kind::Text(more.clone()))),
                other => panic!("text is appended to {other:?}"),
            }
        }
        self.blocks.truncate(changes.from);
        self.blocks.extend(changes.blocks);
        assert!(changes.finished >= self.finished);
        assert!(changes.finished <= self.blocks.len());
        self.finished = changes.finished;
    }
}

/// Returns the blocks of a text in pieces of these lengths, repeated, and the number of bytes that
/// were parsed.
pub(super) fn streamed(text: &str, pieces: &[usize]) -> (Vec<Node>, u64) {
    let mut markdown = Markdown::new();
    let mut shown = Shown::default();
    let (mut end, mut pieces) = (0, pieces.iter().cycle());
    while end < text.len() {
        end = (end + pieces.next().unwrap().max(&1)).min(text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        shown.take(markdown.advance(text.get(..end).unwrap(), true));
    }
    shown.take(markdown.advance(text, false));
    assert_eq!(shown.finished, shown.blocks.len());
    (shown.blocks, markdown.work())
}
