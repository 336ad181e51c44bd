//! The thread in blocks: what is in the page, and how much room the rest takes.
//!
//! A block is a message of the person, or what the agent answered up to the next one (rule
//! "one conversation"); a long answer has several. Blocks come into the page and leave it as a whole. Nothing here
//! touches the page: `list` does.

use std::{collections::HashMap, ops::Range};

use assistant_core::{conversation::MessageId, event::Role};

use crate::view::{MessageEntry, MessageList};

/// How many messages a block holds at most.
const BLOCK: usize = 20;
/// How many messages are in the page at most, if that fills the view and its surroundings.
const MOST: usize = 60;
/// How many messages of a longer thread are drawn when it is opened: more than most views show. The rest of what
/// is to be around the view comes when somebody looks for it.
const FIRST: usize = 16;
/// How many messages come in at once.
const BATCH: usize = 20;
/// How high a block is taken to be before any was seen, in pixels.
const FIRST_GUESS: f64 = 120.0;
/// How many blocks must have been seen for a better guess.
const ENOUGH_SEEN: f64 = 6.0;

/// Some messages of one turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// Its messages by their places in the thread.
    pub(super) places: Range<usize>,
    /// Where its turn begins.
    pub(super) turn: usize,
}

/// The messages that are shown, in blocks, and the height of each block that was seen.
#[derive(Default)]
pub(super) struct Thread {
    pub(super) entries: Vec<MessageEntry>,
    pub(super) blocks: Vec<Block>,
    heights: Vec<Option<f64>>,
    guess: Option<f64>,
    pub(super) number: u64,
    edition: u64,
    /// How many messages of the list were looked at.
    looked_at: usize,
}

fn is_shown(entry: &MessageEntry) -> bool {
    !matches!(entry.role, Role::System | Role::Developer)
}

impl Thread {
    /// Takes in what is new; true if the thread is another one now instead of a longer one.
    pub(super) fn follow(&mut self, list: &MessageList) -> bool {
        let anew = list.edition() != self.edition;
        if anew {
            let seen = self.heights_by_id();
            *self = Self {
                number: list.thread(),
                edition: list.edition(),
                guess: self.guess,
                ..Self::default()
            };
            self.take_in(list);
            for (block, height) in self.blocks.iter().zip(&mut self.heights) {
                let first = self.entries.get(block.places.start);
                *height = first.and_then(|first| seen.get(&first.id)).copied();
            }
        } else {
            self.take_in(list);
        }
        anew
    }

    fn heights_by_id(&self) -> HashMap<MessageId, f64> {
        let blocks = self.blocks.iter().zip(&self.heights);
        let seen = blocks.filter_map(|(block, height)| {
            let first = self.entries.get(block.places.start)?;
            Some((first.id.clone(), (*height)?))
        });
        seen.collect()
    }

    fn take_in(&mut self, list: &MessageList) {
        for entry in list.iter().skip(self.looked_at).filter(|e| is_shown(e)) {
            let place = self.entries.len();
            let by_person = entry.role == Role::User;
            let last_by_person = self.entries.last().is_none_or(|e| e.role == Role::User);
            self.entries.push(entry.clone());
            match self.blocks.last_mut() {
                Some(block) if !by_person && !last_by_person => {
                    if block.places.len() < BLOCK {
                        block.places.end = place + 1;
                        continue;
                    }
                    let turn = block.turn;
                    self.begin(place, turn);
                }
                _ => self.begin(place, place),
            }
        }
        self.looked_at = list.len();
    }

    fn begin(&mut self, place: usize, turn: usize) {
        self.blocks.push(Block {
            places: place..place + 1,
            turn,
        });
        self.heights.push(None);
    }

    /// The id of a block: that of its first message.
    pub(super) fn id(&self, block: usize) -> Option<&MessageId> {
        let first = self.blocks.get(block)?.places.start;
        self.entries.get(first).map(|entry| &entry.id)
    }

    /// Where the block with this id is.
    pub(super) fn find(&self, id: &MessageId) -> Option<usize> {
        (0..self.blocks.len()).find(|block| self.id(*block) == Some(id))
    }

    /// Remembers how high a block is.
    pub(super) fn measured(&mut self, block: usize, height: f64) {
        if let Some(known) = self.heights.get_mut(block) {
            *known = Some(height);
        }
    }

    /// How many messages lie in some blocks.
    pub(super) fn messages_in(&self, blocks: Range<usize>) -> usize {
        let blocks = self.blocks.get(blocks).unwrap_or_default();
        match (blocks.first(), blocks.last()) {
            (Some(first), Some(last)) => last.places.end - first.places.start,
            _ => 0,
        }
    }

    /// Where the blocks that always stay begin: those of the newest turn, or the last of them.
    pub(super) fn tail(&self) -> usize {
        let mut tail = self.blocks.len().saturating_sub(1);
        while tail > 0 {
            let is_turn = self
                .blocks
                .get(tail)
                .is_some_and(|block| block.turn == block.places.start && self.speaks(block));
            if is_turn || self.messages_in(tail - 1..self.blocks.len()) > MOST / 2 {
                break;
            }
            tail -= 1;
        }
        tail
    }

    fn speaks(&self, block: &Block) -> bool {
        let first = self.entries.get(block.places.start);
        first.is_some_and(|first| first.role == Role::User)
    }

    /// The room that some blocks take: what was measured, else the average of it.
    pub(super) fn room(&self, blocks: Range<usize>) -> f64 {
        let guess = self.guess();
        let heights = self.heights.get(blocks).unwrap_or_default();
        heights.iter().map(|height| height.unwrap_or(guess)).sum()
    }

    fn guess(&self) -> f64 {
        self.guess.unwrap_or(FIRST_GUESS)
    }

    /// Takes the average of what was seen for the height of what was not; true if that is new. Once
    /// is enough: each new guess moves everything below it.
    pub(super) fn learn(&mut self) -> bool {
        let (sum, count) = self
            .heights
            .iter()
            .flatten()
            .fold((0.0, 0.0), |(sum, count), height| {
                (sum + height, count + 1.0)
            });
        let learns = self.guess.is_none() && count >= ENOUGH_SEEN;
        if learns {
            self.guess = Some(sum / count);
        }
        learns
    }
}

/// What the reader sees, in pixels from the first block.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// The blocks in the page, beside those of the tail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Window(pub(super) Range<usize>);

impl Window {
    /// The end of a thread; all of a short one.
    pub(super) fn at_end(thread: &Thread) -> Self {
        let end = thread.blocks.len();
        if thread.messages_in(0..end) <= MOST / 2 {
            return Self(0..end);
        }
        let mut start = thread.tail();
        while start > 0 && thread.messages_in(start - 1..end) <= FIRST {
            start -= 1;
        }
        Self(start..end)
    }

    /// The window for a view: what is in it and about as much again on either side. What is there
    /// already stays until there is too much.
    pub(super) fn moved(&self, thread: &Thread, view: View) -> Self {
        let around = (view.bottom - view.top).max(400.0);
        let guess = thread.guess();
        let heights = thread.heights.iter().map(|h| h.unwrap_or(guess));
        let mut offset = 0.0;
        let mut edges = Vec::with_capacity(thread.blocks.len());
        for height in heights {
            edges.push((offset, offset + height));
            offset += height;
        }
        let near = |distance: f64| {
            let start = edges.partition_point(|(_, end)| *end < view.top - distance);
            let end = edges.partition_point(|(start, _)| *start <= view.bottom + distance);
            start.min(end)..end
        };
        let need = near(around);
        let Range { mut start, mut end } = self.0.clone();
        if need.end < start || need.start > end {
            (start, end) = (need.start, need.end);
        }
        if need.start < start {
            start = need.start;
            let first = start;
            while start > 0 && thread.messages_in(start - 1..first) <= BATCH {
                start -= 1;
            }
        }
        if need.end > end {
            end = need.end;
            let last = end;
            while end < thread.blocks.len() && thread.messages_in(last..end + 1) <= BATCH {
                end += 1;
            }
        }
        Self(start..end).bounded(thread, &near(2.0 * around))
    }

    /// Lets go of what is far away while there is too much.
    fn bounded(self, thread: &Thread, keep: &Range<usize>) -> Self {
        let Range { mut start, mut end } = self.0;
        let tail = thread.tail();
        let too_much = |start: usize, end: usize| {
            let rest = thread.messages_in(tail.max(end)..thread.blocks.len());
            thread.messages_in(start..end) + rest > MOST
        };
        while start < keep.start && too_much(start, end) {
            start += 1;
        }
        while end > keep.end.max(start) && too_much(start, end) {
            end -= 1;
        }
        Self(start..end)
    }
}
