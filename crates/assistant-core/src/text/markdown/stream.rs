//! Parses a growing text incrementally, and tracks its finished, open and changed blocks.
//!
//! Markdown is parsed line by line, and only the last block can change with the next line.
//! Therefore, the text is outlined at complete lines; all blocks but the last are finished, and are
//! parsed again only if a later definition affects them. The last block is parsed again as it
//! grows, as often as `pace` permits; an open code block is never parsed again. Plain words at the
//! end of a paragraph are appended without parsing. A block that grows too long is split. The order
//! in which blocks are finished depends only on the text, not on the pieces in which it arrived.

use std::{borrow::Cow, ops::Range};

use super::{
    build::create_code_block,
    define::{Definitions, UnresolvedRanges},
    fence::CodeFence,
    outline::{BlockOutline, block_start, line_start, may_begin_block, outline_blocks},
    pace::{ParseBudget, is_plain_after, window_end},
    read::{References, adapt_to_parser, parse_blocks},
    repair::repair,
    shown::{ShownBlocks, clear_partial_values},
    tree::{Kind, Node},
};

/// The length above which a paragraph is extended with unparsed text until it is parsed again.
const MIN_EXTENDED_LEN: usize = 8 << 10;

/// An incremental parser for a growing text. It keeps no copy of the text.
#[derive(Debug)]
pub struct Markdown {
    /// The length of the text so far.
    len: usize,
    /// The end of the complete lines.
    lines: usize,
    ended: bool,
    known: Definitions,
    waiting: UnresolvedRanges,
    found: References,
    /// The number of finished blocks.
    finished: usize,
    /// The start of the open block.
    at: usize,
    /// The position up to which lines are outlined.
    outlined: usize,
    /// True if lines of the open block looked like the end of the block but did not end it.
    misled: bool,
    /// The open block, if it is fenced code.
    code: Option<CodeFence>,
    shown: ShownBlocks,
    /// The budgets for outlining and showing the open block, and for revising finished blocks.
    outlining: ParseBudget,
    showing: ParseBudget,
    revising: ParseBudget,
    work: u64,
}

impl Default for Markdown {
    fn default() -> Self {
        Self {
            len: 0,
            lines: 0,
            ended: false,
            known: Definitions::default(),
            waiting: UnresolvedRanges::default(),
            found: References::default(),
            finished: 0,
            at: 0,
            outlined: 0,
            misled: false,
            code: None,
            shown: ShownBlocks::default(),
            outlining: ParseBudget::OUTLINING,
            showing: ParseBudget::SHOWING,
            revising: ParseBudget::REVISING,
            work: 0,
        }
    }
}

/// The changes to the blocks after more text was parsed.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct BlockChanges {
    /// Finished blocks that changed, by index, because a later definition gave a link its address
    /// or added a footnote. These changes must be applied first.
    pub revised: Vec<(usize, Node)>,
    /// Text to append to block `from - 1`, which is an open code block or paragraph. The text must
    /// be appended after `revised` was applied.
    pub appended: Option<String>,
    /// The number of leading blocks that `blocks` does not replace.
    pub from: usize,
    /// All blocks from `from` on, which replace the previous blocks.
    pub blocks: Vec<Node>,
    /// The number of finished blocks. Only `revised` changes these blocks.
    pub finished: usize,
}

/// Returns true if a text may contain definitions, which apply to all blocks, or fenced code, which
/// is read without the grammar. The blocks of any other text can be parsed together.
fn needs_outline(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.windows(2).any(|pair| pair == b"]:")
        || bytes
            .windows(3)
            .any(|mark| mark == b"```" || mark == b"~~~")
}

/// Parses a whole text into its blocks.
#[must_use]
pub fn parse(text: &str) -> Vec<Node> {
    Markdown::new().advance(text, false).blocks
}

impl Markdown {
    /// Creates a parser for a new text.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of bytes parsed so far, including repeated parsing, for tests and
    /// measurements.
    #[doc(hidden)]
    #[must_use]
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Parses `text`, which is the whole text so far, and returns the changes. If `text` is shorter
    /// than before, or becomes longer after its end, the text is parsed from its start. `open` is
    /// true while more text may follow.
    #[must_use]
    pub fn advance(&mut self, text: &str, open: bool) -> BlockChanges {
        if text.len() < self.len || self.ended && text.len() > self.len {
            *self = Self::default();
        }
        let mut changes = BlockChanges::default();
        if self.ended {
            changes.from = self.finished;
        } else {
            let old_len = std::mem::replace(&mut self.len, text.len());
            self.ended = !open;
            for pace in [&mut self.outlining, &mut self.showing, &mut self.revising] {
                pace.grant_budget(text.len() - old_len);
            }
            self.advance_blocks(text, old_len, &mut changes);
            self.revise_blocks(text, &mut changes);
        }
        changes.finished = self.finished;
        changes
    }

    fn advance_blocks(&mut self, text: &str, old_len: usize, changes: &mut BlockChanges) {
        let new_text = text.get(old_len..).unwrap_or_default();
        let lines = self.lines;
        if let Some(last) = new_text.rfind('\n') {
            self.lines = old_len + last + 1;
        }
        changes.from = self.finished;
        if let Some(fence) = &mut self.code {
            let code = fence.advance(text, !self.ended);
            self.work += code.text.len() as u64;
            changes.appended = Some(code.text).filter(|text| !text.is_empty());
            changes.from += 1;
            let Some(end) = code.end else {
                return;
            };
            self.code = None;
            self.finished += 1;
            self.begin_block(end);
        }
        self.finish_complete_blocks(text, lines, &mut changes.blocks);
        if self.code.is_none() && !self.ended {
            self.show_open_block(text, changes);
        }
    }

    /// Begins an open block at `at`.
    fn begin_block(&mut self, at: usize) {
        self.at = at;
        self.outlined = self.outlined.max(at);
        self.misled = false;
        self.shown = ShownBlocks::default();
    }

    /// Finishes the blocks that end in complete lines, or all blocks if the text has ended. Without
    /// enough budget, an open text is outlined only if a line probably begins a new block, or if
    /// the open block is too long. `old` is the previous end of the complete lines.
    fn finish_complete_blocks(&mut self, text: &str, old: usize, done: &mut Vec<Node>) {
        while self.code.is_none()
            && let Some(window_end_position) = window_end(text, self.at)
        {
            self.finish_blocks_in_window(text, window_end_position, true, done);
        }
        let end = if self.ended { text.len() } else { self.lines };
        if self.code.is_some() || end <= self.at || end <= self.outlined && !self.ended {
            return;
        }
        let is_affordable = self.ended || self.outlining.try_spend(end - self.at);
        let seems_complete = !self.misled && may_begin_block(text.get(old.saturating_sub(2)..end));
        if is_affordable || seems_complete {
            let at = self.at;
            self.finish_blocks_in_window(text, end, false, done);
            self.misled = !is_affordable && self.at == at;
        }
    }

    /// Finishes the blocks before `end` except the last, which may continue. If the last block is
    /// the only one and `splits` is true, the block ends at `end`.
    fn finish_blocks_in_window(
        &mut self,
        text: &str,
        end: usize,
        splits: bool,
        done: &mut Vec<Node>,
    ) {
        let base_position = self.at;
        let source = text.get(base_position..end).unwrap_or_default();
        let may_grow = splits || !self.ended;
        // With definitions, the blocks are parsed separately, because the parser limits the total
        // length of the addresses that it inserts into one text.
        if !may_grow && self.known.is_empty() && !needs_outline(source) {
            self.outlined = self.outlined.max(end);
            return self.finish_source(text, base_position..end, done);
        }
        let mut blocks = self.outline_source(source, may_grow);
        self.outlined = self.outlined.max(end);
        let last = if may_grow { blocks.pop() } else { None };
        let mut previous: Option<BlockOutline> = None;
        for block in blocks {
            if let Some(previous) = previous {
                let end = base_position + block_start(source, &previous, &block);
                self.finish_block(text, base_position, &previous, end, done);
            }
            previous = Some(block);
        }
        match (previous, last) {
            (Some(previous), Some(last)) => {
                let start = base_position + block_start(source, &previous, &last);
                self.finish_block(text, base_position, &previous, start, done);
                self.open_code(text, base_position, end, &last, done);
            }
            (None, Some(last)) => {
                if !self.open_code(text, base_position, end, &last, done) && splits {
                    // The definitions in the block are final now, so they are recorded without
                    // waiting for their titles.
                    self.outline_source(source, false);
                    self.finish_block(text, base_position, &last, end, done);
                }
            }
            (Some(last), None) => self.finish_block(text, base_position, &last, end, done),
            (None, None) if splits => {
                self.outline_source(source, false);
                self.begin_block(end);
            }
            (None, None) => {}
        }
    }

    fn outline_source(&mut self, source: &str, open: bool) -> Vec<BlockOutline> {
        self.work += source.len() as u64;
        let (blocks, defined) = outline_blocks(source, &mut self.known, open);
        for label in defined {
            self.waiting.mark_ranges_stale(&label);
        }
        blocks
    }

    /// Parses the open block, which ends at `end`, for the last time, adds the nodes to `done`, and
    /// begins the next block.
    fn finish_block(
        &mut self,
        text: &str,
        base: usize,
        block: &BlockOutline,
        end: usize,
        done: &mut Vec<Node>,
    ) {
        let finished_text = text.get(..end);
        let Some((mut node, mut fence)) = Self::find_code_fence(finished_text, base, block) else {
            return self.finish_source(text, self.at..end, done);
        };
        let code = fence.advance(finished_text.unwrap_or_default(), false);
        self.work += code.text.len() as u64;
        if let Kind::CodeBlock { text, .. } = &mut node.kind {
            *text = code.text;
        }
        self.finished += 1;
        done.push(node);
        self.begin_block(end);
    }

    /// Parses the blocks in `source` for the last time, adds their nodes to `done`, and begins the
    /// next block.
    fn finish_source(&mut self, text: &str, source: Range<usize>, done: &mut Vec<Node>) {
        let nodes = self.parse_source(text, source.clone());
        let end = source.end;
        self.waiting
            .add_range(source, self.finished, nodes.len(), &self.found.missing);
        self.finished += nodes.len();
        done.extend(nodes);
        self.begin_block(end);
    }

    fn parse_source(&mut self, text: &str, source: Range<usize>) -> Vec<Node> {
        self.work += source.len() as u64;
        self.found.missing.clear();
        parse_blocks(
            text.get(source).unwrap_or_default(),
            &self.known,
            &mut self.found,
        )
    }

    /// Begins to read the open block as code if it is fenced, and returns true in that case. The
    /// first line of the block ends before `limit`.
    fn open_code(
        &mut self,
        text: &str,
        base: usize,
        limit: usize,
        block: &BlockOutline,
        done: &mut Vec<Node>,
    ) -> bool {
        let Some((mut node, mut fence)) = Self::find_code_fence(text.get(..limit), base, block)
        else {
            return false;
        };
        let code = fence.advance(text, !self.ended);
        self.work += code.text.len() as u64;
        if let Kind::CodeBlock { text, .. } = &mut node.kind {
            *text = code.text;
        }
        done.push(node);
        match code.end {
            Some(end) => {
                self.finished += 1;
                self.begin_block(end);
            }
            None => self.code = Some(fence),
        }
        true
    }

    /// Returns an empty code block, and the state of reading its code. Returns `None` if the block
    /// is not fenced, or if its first line has not ended.
    fn find_code_fence(
        text: Option<&str>,
        base: usize,
        block: &BlockOutline,
    ) -> Option<(Node, CodeFence)> {
        let info = block.fenced.as_deref()?;
        let line = base + line_start(text?.get(base..)?, block.range.start);
        let fence = CodeFence::open(text?, line, base + block.range.start)?;
        Some((Node::leaf(create_code_block(info, String::new())), fence))
    }

    /// Adds the view of the open block to `changes`. If the text may not be parsed again yet, new
    /// text is appended unparsed where possible.
    fn show_open_block(&mut self, text: &str, changes: &mut BlockChanges) {
        let Some(source) = text.get(self.at..) else {
            return;
        };
        let is_plain = self.shown.plain && is_plain_after(text, self.shown.len);
        if is_plain || !self.showing.try_spend_on_view(source.len()) {
            // If blocks were finished in this call, they replace the previous view of the open
            // block. Otherwise, the view is kept.
            if changes.blocks.is_empty() {
                changes.from = self.finished + self.shown.blocks;
            }
            if is_plain || self.shown.grows && source.len() > MIN_EXTENDED_LEN {
                self.shown.plain = is_plain;
                let new_text = text.get(self.shown.len..).unwrap_or_default();
                let new_text = if is_plain {
                    new_text.trim_end_matches(' ')
                } else {
                    new_text
                };
                self.shown.len += new_text.len();
                changes.appended =
                    Some(new_text.to_owned()).filter(|new_text| !new_text.is_empty());
            }
            return;
        }
        self.work += source.len() as u64;
        let adapted_source = adapt_to_parser(source);
        let source = adapted_source.as_deref().unwrap_or(source);
        let repaired_source = repair(source);
        let mut nodes = parse_blocks(&repaired_source, &self.known, &mut References::default());
        clear_partial_values(&mut nodes, source);
        let is_unrepaired =
            matches!(repaired_source, Cow::Borrowed(text) if text.len() == source.len());
        self.shown = ShownBlocks::new(&nodes, self.at, source, is_unrepaired);
        changes.blocks.append(&mut nodes);
    }

    /// Parses finished blocks again if their references are defined now. Blocks that were finished
    /// in this call are returned in their new state. A range is not changed if the number of its
    /// blocks would change.
    fn revise_blocks(&mut self, text: &str, changes: &mut BlockChanges) {
        for (at, source, index, count) in self
            .waiting
            .take_stale_ranges(&mut self.revising, !self.ended)
        {
            let nodes = self.parse_source(text, source);
            self.waiting.add_missing_labels(at, &self.found.missing);
            if nodes.len() != count {
                continue;
            }
            for (index, node) in (index..).zip(nodes) {
                let new_index = index.checked_sub(changes.from);
                match new_index.and_then(|at| changes.blocks.get_mut(at)) {
                    Some(block) => *block = node,
                    None => changes.revised.push((index, node)),
                }
            }
        }
    }
}
