//! What is finished in a growing text, what is open, and what changed.
//!
//! Markdown is read line by line, and only the last block can change with the next line. So the
//! text is outlined at complete lines; all blocks but the last are read once and are finished. The
//! last one is read again as it grows, an open code block never. Which blocks are finished in
//! which order depends on the text alone, not on its pieces.

use std::ops::Range;

use super::{
    build::code_block,
    define::{Definitions, Waiting},
    fence::Fence,
    mend::mend,
    outline::{Outline, line_start, outline, start},
    read::{References, read},
    tree::{Kind, Node},
};

/// An open block longer than this is read again only when it has grown by a part of it, so that
/// reading stays in proportion to the text.
const LONG: usize = 8 << 10;
/// The part.
const PART: usize = 16;

/// Reads a growing text on. Keeps no copy of the text.
#[derive(Debug, Default)]
pub struct Markdown {
    /// Length of the text so far.
    len: usize,
    /// Where its complete lines end.
    lines: usize,
    ended: bool,
    known: Definitions,
    waiting: Waiting,
    found: References,
    /// How many blocks are finished.
    finished: usize,
    /// Where the open block begins.
    at: usize,
    /// How far its lines are outlined.
    outlined: usize,
    /// Whether lines looked like the end of the open block, and were not.
    misled: bool,
    /// The open block, if it is code between fences.
    code: Option<Fence>,
    shown: Shown,
    work: u64,
}

/// The open blocks as they were given last.
#[derive(Debug, Default)]
struct Shown {
    blocks: usize,
    /// The length of the text that they show.
    read: usize,
    /// The same, with what was appended since.
    len: usize,
    /// Whether text can be appended to the last one.
    grows: bool,
}

/// What a longer text changes in the blocks.
#[derive(Debug, Default)]
pub struct Progress {
    /// Finished blocks that changed after all, by index: a definition that came later gave a link
    /// its address, or there is the footnote now. Comes first.
    pub revised: Vec<(usize, Node)>,
    /// Text to append to block `from - 1`, which is an open code block or a very long paragraph.
    /// Comes second.
    pub appended: Option<String>,
    /// Blocks before this index stay as they are.
    pub from: usize,
    /// Everything from there on, in order, instead of what was there before.
    pub blocks: Vec<Node>,
    /// The blocks before this index are finished: only `revised` changes them.
    pub finished: usize,
}

/// The blocks of a whole text.
#[must_use]
pub fn parse(text: &str) -> Vec<Node> {
    Markdown::new().advance(text, false).blocks
}

impl Markdown {
    /// At the start of a text.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many bytes were read so far, those that were read again included. For tests and
    /// measurements.
    #[doc(hidden)]
    #[must_use]
    pub fn work(&self) -> u64 {
        self.work
    }

    /// `text` is everything so far; it begins with what was given before, or reading starts again
    /// from its beginning. `open` says whether more may come.
    #[must_use]
    pub fn advance(&mut self, text: &str, open: bool) -> Progress {
        if text.len() < self.len || self.ended && text.len() > self.len {
            *self = Self::default();
        }
        let mut progress = Progress::default();
        if self.ended {
            progress.from = self.finished;
        } else {
            let old = std::mem::replace(&mut self.len, text.len());
            self.ended = !open;
            self.advance_blocks(text, old, &mut progress);
            self.revise(text, &mut progress.revised);
        }
        progress.finished = self.finished;
        progress
    }

    fn advance_blocks(&mut self, text: &str, old: usize, progress: &mut Progress) {
        let new = text.get(old..).unwrap_or_default();
        let lines = self.lines;
        if let Some(last) = new.rfind('\n') {
            self.lines = old + last + 1;
        }
        progress.from = self.finished;
        if let Some(fence) = &mut self.code {
            let code = fence.advance(text, !self.ended);
            self.work += code.text.len() as u64;
            progress.appended = Some(code.text).filter(|text| !text.is_empty());
            progress.from += 1;
            let Some(end) = code.end else {
                return;
            };
            self.code = None;
            self.finished += 1;
            self.begin(end);
        }
        self.finish_lines(text, lines, &mut progress.blocks);
        if self.code.is_none() && !self.ended {
            self.show(text, progress);
        }
    }

    /// An open block begins at `at`.
    fn begin(&mut self, at: usize) {
        self.at = at;
        self.outlined = self.outlined.max(at);
        self.misled = false;
        self.shown = Shown::default();
    }

    /// Finishes the blocks that the complete lines end; all, if the text has ended. `old` is where
    /// the complete lines ended before.
    fn finish_lines(&mut self, text: &str, old: usize, done: &mut Vec<Node>) {
        let end = if self.ended { text.len() } else { self.lines };
        if end <= self.outlined && !self.ended || end <= self.at {
            return;
        }
        let long = is_long(end - self.at, end - self.outlined);
        let looks_ended = !self.misled && may_end(text.get(old.saturating_sub(2)..end));
        if long && !looks_ended && !self.ended {
            return;
        }
        let source = text.get(self.at..end).unwrap_or_default();
        self.work += source.len() as u64;
        self.outlined = end;
        let (mut blocks, defined) = outline(source, &mut self.known, !self.ended);
        for label in defined {
            self.waiting.defined(&label);
        }
        let last = if self.ended { None } else { blocks.pop() };
        let base = self.at;
        let mut before: Option<Outline> = None;
        for block in blocks {
            if let Some(before) = before {
                let end = base + start(source, &before, &block);
                self.finish(text, base, &before, end, done);
            }
            before = Some(block);
        }
        match (before, last) {
            (Some(before), Some(last)) => {
                let end = base + start(source, &before, &last);
                self.finish(text, base, &before, end, done);
                self.open_code(text, base, &last, done);
            }
            (None, Some(last)) => {
                self.misled = long;
                self.open_code(text, base, &last, done);
            }
            (Some(last), None) => self.finish(text, base, &last, text.len(), done),
            (None, None) => {}
        }
    }

    /// Reads the open block, which ends before `end`, for good.
    fn finish(
        &mut self,
        text: &str,
        base: usize,
        block: &Outline,
        end: usize,
        done: &mut Vec<Node>,
    ) {
        let source = self.at..end;
        let code = self.code(text.get(..end).unwrap_or_default(), base, block, false);
        let nodes = match code {
            Some((node, _, _)) => vec![node],
            None => {
                let nodes = self.read(text, source.clone());
                self.waiting
                    .add(source, self.finished, nodes.len(), &self.found.missing);
                nodes
            }
        };
        self.finished += nodes.len();
        done.extend(nodes);
        self.begin(end);
    }

    fn read(&mut self, text: &str, source: Range<usize>) -> Vec<Node> {
        self.work += source.len() as u64;
        self.found.missing.clear();
        read(
            text.get(source).unwrap_or_default(),
            &self.known,
            &mut self.found,
        )
    }

    /// Begins to read the open block as code, if that is what it is.
    fn open_code(&mut self, text: &str, base: usize, block: &Outline, done: &mut Vec<Node>) {
        let Some((node, fence, end)) = self.code(text, base, block, true) else {
            return;
        };
        done.push(node);
        match end {
            Some(end) => {
                self.finished += 1;
                self.begin(end);
            }
            None => self.code = Some(fence),
        }
    }

    /// A block as code between fences, if that is what it is, and where it ends.
    fn code(
        &mut self,
        text: &str,
        base: usize,
        block: &Outline,
        open: bool,
    ) -> Option<(Node, Fence, Option<usize>)> {
        let info = block.fenced.as_deref()?;
        let start = base + block.range.start;
        let mut fence = Fence::open(text, line_start(text, start), start)?;
        let code = fence.advance(text, open);
        self.work += code.text.len() as u64;
        let node = Node::leaf(code_block(info, code.text));
        Some((node, fence, code.end))
    }

    /// Shows the open block as far as it goes.
    fn show(&mut self, text: &str, progress: &mut Progress) {
        let Some(source) = text.get(self.at..) else {
            return;
        };
        if is_long(source.len(), self.len - self.shown.read) {
            progress.from = self.finished + self.shown.blocks;
            if self.shown.grows {
                let new = text.get(self.shown.len..).filter(|new| !new.is_empty());
                progress.appended = new.map(str::to_owned);
            }
            self.shown.len = self.len;
            return;
        }
        self.work += source.len() as u64;
        let mut nodes = read(&mend(source), &self.known, &mut References::default());
        hold_back(&mut nodes, source);
        self.shown = Shown {
            blocks: nodes.len(),
            read: self.len,
            len: self.len,
            grows: matches!(nodes.last(), Some(node) if node.kind == Kind::Paragraph),
        };
        progress.blocks.append(&mut nodes);
    }

    /// Reads finished blocks again whose references are defined now.
    fn revise(&mut self, text: &str, revised: &mut Vec<(usize, Node)>) {
        for (at, source, index, count) in self.waiting.due(self.len, !self.ended) {
            let nodes = self.read(text, source);
            self.waiting.miss(at, &self.found.missing);
            if nodes.len() == count {
                revised.extend((index..).zip(nodes));
            }
        }
    }
}

fn is_long(len: usize, grown: usize) -> bool {
    len > LONG && grown < len / PART
}

/// Whether there is a line that most probably begins a block at the top level: letters at its very
/// start, behind an empty line.
fn may_end(lines: Option<&str>) -> bool {
    lines.unwrap_or_default().split("\n\n").skip(1).any(|rest| {
        rest.starts_with(|first: char| first.is_alphabetic() || first == '#' || first == '`')
    })
}

/// Holds back what would flicker at the end of an open text: half the language of a code block,
/// and half an address that stands bare.
fn hold_back(mut nodes: &mut [Node], source: &str) {
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
