//! Divides the thread into blocks, selects the mounted blocks, and estimates the heights of the
//! other blocks.
//!
//! A block is a message of the user, or the agent's messages up to the next message of the user; a
//! long answer has several blocks. All messages of a block are mounted and unmounted together. This
//! module does not access the page; the module `list` does.

use std::{collections::HashMap, ops::Range};

use assistant_core::{conversation::MessageId, event::Role};

use crate::view::{MessageEntry, MessageList};

/// The maximum number of messages in a block.
const MAX_BLOCK_MESSAGES: usize = 20;
/// The maximum number of mounted messages, unless more messages are needed to fill the view and its
/// surroundings.
const MAX_MOUNTED_MESSAGES: usize = 60;
/// The number of messages of a long thread that are rendered when the thread is opened, which is
/// more than most views show. Further messages near the view are mounted on scrolling.
const INITIAL_MESSAGES: usize = 16;
/// The maximum number of messages that are mounted beyond the needed range when the window moves.
const EXTRA_MESSAGES: usize = 20;
/// The estimated height of a block before any block was measured, in pixels.
const INITIAL_BLOCK_HEIGHT: f64 = 120.0;
/// The number of measured blocks that are required for an estimate of the height.
const MIN_MEASURED_BLOCKS: f64 = 6.0;

/// Consecutive messages of one turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// The indices of the block's messages in the thread.
    pub(super) places: Range<usize>,
    /// The index in the thread at which the block's turn begins.
    pub(super) turn: usize,
}

/// The messages of a thread, divided into blocks, with the height of each measured block.
#[derive(Default)]
pub(super) struct ThreadBlocks {
    pub(super) entries: Vec<MessageEntry>,
    pub(super) blocks: Vec<Block>,
    heights: Vec<Option<f64>>,
    height_estimate: Option<f64>,
    pub(super) number: u64,
    edition: u64,
    /// The number of entries of the list that were processed.
    processed_count: usize,
}

fn is_shown(entry: &MessageEntry) -> bool {
    !matches!(entry.role, Role::System | Role::Developer)
}

impl ThreadBlocks {
    /// Applies a change of the list. Returns true if the thread was replaced instead of extended.
    pub(super) fn apply_changes(&mut self, list: &MessageList) -> bool {
        let is_replaced = list.edition() != self.edition;
        if is_replaced {
            let heights = self.heights_by_id();
            *self = Self {
                number: list.thread(),
                edition: list.edition(),
                height_estimate: self.height_estimate,
                ..Self::default()
            };
            self.append_entries(list);
            for (block, height) in self.blocks.iter().zip(&mut self.heights) {
                let first = self.entries.get(block.places.start);
                *height = first.and_then(|first| heights.get(&first.id)).copied();
            }
        } else {
            self.append_entries(list);
        }
        is_replaced
    }

    fn heights_by_id(&self) -> HashMap<MessageId, f64> {
        let blocks = self.blocks.iter().zip(&self.heights);
        let heights = blocks.filter_map(|(block, height)| {
            let first = self.entries.get(block.places.start)?;
            Some((first.id.clone(), (*height)?))
        });
        heights.collect()
    }

    fn append_entries(&mut self, list: &MessageList) {
        for entry in list
            .iter()
            .skip(self.processed_count)
            .filter(|e| is_shown(e))
        {
            let index = self.entries.len();
            let is_by_user = entry.role == Role::User;
            let is_last_by_user = self.entries.last().is_none_or(|e| e.role == Role::User);
            self.entries.push(entry.clone());
            match self.blocks.last_mut() {
                Some(block) if !is_by_user && !is_last_by_user => {
                    if block.places.len() < MAX_BLOCK_MESSAGES {
                        block.places.end = index + 1;
                        continue;
                    }
                    let turn = block.turn;
                    self.push_block(index, turn);
                }
                _ => self.push_block(index, index),
            }
        }
        self.processed_count = list.len();
    }

    fn push_block(&mut self, index: usize, turn: usize) {
        self.blocks.push(Block {
            places: index..index + 1,
            turn,
        });
        self.heights.push(None);
    }

    /// Returns the id of a block, which is the id of its first message. Returns `None` if there is
    /// no such block.
    pub(super) fn block_id(&self, block: usize) -> Option<&MessageId> {
        let first = self.blocks.get(block)?.places.start;
        self.entries.get(first).map(|entry| &entry.id)
    }

    /// Returns the index of the block with this id. Returns `None` if there is no such block.
    pub(super) fn find_block(&self, id: &MessageId) -> Option<usize> {
        (0..self.blocks.len()).find(|block| self.block_id(*block) == Some(id))
    }

    /// Returns the index of the block that contains a message. Returns `None` if no block contains
    /// the message.
    pub(super) fn find_block_containing(&self, id: &MessageId) -> Option<usize> {
        let index = self.entries.iter().rposition(|entry| entry.id == *id)?;
        let is_later = |block: &Block| block.places.start > index;
        self.blocks.iter().rposition(|block| !is_later(block))
    }

    /// Stores the measured height of a block.
    pub(super) fn set_height(&mut self, block: usize, height: f64) {
        if let Some(old_height) = self.heights.get_mut(block) {
            *old_height = Some(height);
        }
    }

    /// Counts the messages in a range of blocks.
    pub(super) fn count_messages(&self, blocks: Range<usize>) -> usize {
        let blocks = self.blocks.get(blocks).unwrap_or_default();
        match (blocks.first(), blocks.last()) {
            (Some(first), Some(last)) => last.places.end - first.places.start,
            _ => 0,
        }
    }

    /// Counts the messages in those blocks of a range that were never measured.
    fn count_unmeasured_messages(&self, blocks: Range<usize>) -> usize {
        let heights = self.heights.get(blocks.clone()).unwrap_or_default();
        let blocks = self.blocks.get(blocks).unwrap_or_default();
        let unmeasured_blocks = blocks.iter().zip(heights).filter(|(_, h)| h.is_none());
        unmeasured_blocks.map(|(block, _)| block.places.len()).sum()
    }

    /// Returns the index of the first block that is always mounted: the block of the last message
    /// of the user, or a later block if many messages follow that message.
    pub(super) fn tail_start(&self) -> usize {
        let mut start = self.blocks.len().saturating_sub(1);
        while start > 0 {
            let is_turn_start = self
                .blocks
                .get(start)
                .is_some_and(|block| block.turn == block.places.start && self.is_by_user(block));
            if is_turn_start
                || self.count_messages(start - 1..self.blocks.len()) > MAX_MOUNTED_MESSAGES / 2
            {
                break;
            }
            start -= 1;
        }
        start
    }

    fn is_by_user(&self, block: &Block) -> bool {
        let first = self.entries.get(block.places.start);
        first.is_some_and(|first| first.role == Role::User)
    }

    /// Returns the total height of a range of blocks, measured or estimated, in pixels.
    pub(super) fn total_height(&self, blocks: Range<usize>) -> f64 {
        let estimate = self.estimated_height();
        let heights = self.heights.get(blocks).unwrap_or_default();
        heights
            .iter()
            .map(|height| height.unwrap_or(estimate))
            .sum()
    }

    fn estimated_height(&self) -> f64 {
        self.height_estimate.unwrap_or(INITIAL_BLOCK_HEIGHT)
    }

    /// Computes the estimated height of a block once enough blocks are measured. Returns true if
    /// this call computed the estimate. The estimate is computed once, because a new estimate moves
    /// all content below.
    pub(super) fn update_estimate(&mut self) -> bool {
        let (sum, count) = self
            .heights
            .iter()
            .flatten()
            .fold((0.0, 0.0), |(sum, count), height| {
                (sum + height, count + 1.0)
            });
        let is_computed = self.height_estimate.is_none() && count >= MIN_MEASURED_BLOCKS;
        if is_computed {
            self.height_estimate = Some(sum / count);
        }
        is_computed
    }
}

/// The visible range, in pixels from the top of the first block.
#[derive(Debug, Clone, Copy)]
pub(super) struct VisibleRange {
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// The indices of the blocks that are mounted in addition to the last blocks, which are always
/// mounted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MountedWindow(pub(super) Range<usize>);

impl MountedWindow {
    /// Creates the window at the end of a thread; a short thread is mounted completely.
    pub(super) fn new_at_end(thread: &ThreadBlocks) -> Self {
        let end = thread.blocks.len();
        if thread.count_messages(0..end) <= MAX_MOUNTED_MESSAGES / 2 {
            return Self(0..end);
        }
        let mut start = thread.tail_start();
        while start > 0 && thread.count_messages(start - 1..end) <= INITIAL_MESSAGES {
            start -= 1;
        }
        Self(start..end)
    }

    /// Creates the window that starts with a block, and contains the next blocks up to
    /// [`INITIAL_MESSAGES`] messages.
    pub(super) fn from_block(thread: &ThreadBlocks, block: usize) -> Self {
        let mut end = block + 1;
        while end < thread.blocks.len() && thread.count_messages(block..end + 1) <= INITIAL_MESSAGES
        {
            end += 1;
        }
        Self(block..end)
    }

    /// Returns true if more than [`MAX_MOUNTED_MESSAGES`] messages are in blocks that were never
    /// measured, counted from the window's first block.
    pub(super) fn has_too_many_unmeasured(&self, thread: &ThreadBlocks) -> bool {
        thread.count_unmeasured_messages(self.0.start..thread.blocks.len()) > MAX_MOUNTED_MESSAGES
    }

    /// Extends a window at the end of a thread by the blocks that were added. `at_end` is true if
    /// the view is scrolled to the end of the thread: then all added blocks are included, and the
    /// oldest blocks are dropped while more than [`MAX_MOUNTED_MESSAGES`] messages are unmeasured.
    /// Otherwise, blocks are added as long as the window contains at most
    /// [`MAX_MOUNTED_MESSAGES`] messages.
    pub(super) fn extend_to_end(self, thread: &ThreadBlocks, at_end: bool) -> Self {
        let Range { mut start, mut end } = self.0;
        let last = thread.blocks.len();
        if at_end {
            while Self(start..last).has_too_many_unmeasured(thread) {
                start += 1;
            }
            return Self(start..last);
        }
        while end < last && thread.count_messages(start..end + 1) <= MAX_MOUNTED_MESSAGES {
            end += 1;
        }
        Self(start..end)
    }

    /// Returns the window for a visible range, extended by about the same height above and below.
    /// Mounted blocks stay if the extended range touches them, except for distant blocks while too
    /// many messages are mounted.
    pub(super) fn adapt_to_visible_range(&self, thread: &ThreadBlocks, view: VisibleRange) -> Self {
        let margin = (view.bottom - view.top).max(400.0);
        let estimate = thread.estimated_height();
        let heights = thread.heights.iter().map(|h| h.unwrap_or(estimate));
        let mut offset = 0.0;
        let mut edges = Vec::with_capacity(thread.blocks.len());
        for height in heights {
            edges.push((offset, offset + height));
            offset += height;
        }
        let blocks_within = |distance: f64| {
            let start = edges.partition_point(|(_, end)| *end < view.top - distance);
            let end = edges.partition_point(|(start, _)| *start <= view.bottom + distance);
            start.min(end)..end
        };
        let needed_blocks = blocks_within(margin);
        let Range { mut start, mut end } = self.0.clone();
        if needed_blocks.end < start || needed_blocks.start > end {
            (start, end) = (needed_blocks.start, needed_blocks.end);
        }
        if needed_blocks.start < start {
            start = needed_blocks.start;
            let first = start;
            while start > 0 && thread.count_messages(start - 1..first) <= EXTRA_MESSAGES {
                start -= 1;
            }
        }
        if needed_blocks.end > end {
            end = needed_blocks.end;
            let last = end;
            while end < thread.blocks.len()
                && thread.count_messages(last..end + 1) <= EXTRA_MESSAGES
            {
                end += 1;
            }
        }
        Self(start..end).trim_to(thread, &blocks_within(2.0 * margin))
    }

    /// Removes blocks outside of `keep` while more than [`MAX_MOUNTED_MESSAGES`] messages are
    /// mounted.
    fn trim_to(self, thread: &ThreadBlocks, keep: &Range<usize>) -> Self {
        let Range { mut start, mut end } = self.0;
        let tail = thread.tail_start();
        let is_over_limit = |start: usize, end: usize| {
            let tail_messages = thread.count_messages(tail.max(end)..thread.blocks.len());
            thread.count_messages(start..end) + tail_messages > MAX_MOUNTED_MESSAGES
        };
        while start < keep.start && is_over_limit(start, end) {
            start += 1;
        }
        while end > keep.end.max(start) && is_over_limit(start, end) {
            end -= 1;
        }
        Self(start..end)
    }
}
