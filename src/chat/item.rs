//! Defines the items of the list of messages, as views render them.
//!
//! The module `thread` divides the messages into blocks, and the module `list` mounts the items.

use std::ops::Range;

use assistant_core::{conversation::MessageId, event::Role};
use leptos::prelude::*;

use crate::view::MessageEntry;

/// The messages of a block, and the position of the block in its turn and in the thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TurnBlock {
    /// The messages of the block.
    pub(super) entries: Vec<MessageEntry>,
    /// The index of the block's first message in the thread.
    pub(super) start: usize,
    /// The time of the message before the block. The value is `None` if the thread begins with the
    /// block.
    pub(super) before: Option<i64>,
    /// The indices of all messages of the turn.
    pub(super) whole: Range<usize>,
    /// True if the turn is the newest.
    pub(super) newest: bool,
}

impl TurnBlock {
    /// Returns the time of the message before a message of the block. Returns `None` if the thread
    /// begins with that message, or if the block does not contain that message.
    pub(super) fn time_before(&self, id: &MessageId) -> Option<i64> {
        let index = self.entries.iter().position(|entry| entry.id == *id)?;
        match index.checked_sub(1) {
            Some(before) => self.entries.get(before).map(|entry| entry.created_at),
            None => self.before,
        }
    }

    /// Returns the index of a message in the thread. Returns `None` if the block does not contain
    /// the message.
    pub(super) fn thread_index(&self, id: &MessageId) -> Option<usize> {
        let index = self.entries.iter().position(|entry| entry.id == *id)?;
        Some(self.start + index)
    }

    /// Returns true if the turn ends with this block.
    pub(super) fn is_last_block(&self) -> bool {
        self.whole.end == self.start + self.entries.len()
    }

    pub(super) fn is_by_user(&self) -> bool {
        self.entries.first().is_some_and(|e| e.role == Role::User)
    }
}

/// A former end of a thread: the ids of its last messages, newest first. Several ids are kept,
/// because messages may be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ThreadEnd(pub(super) Vec<MessageId>);

/// The key of a block, which consists of the number of its conversation and the id of its first
/// message, because messages of two conversations may have the same id.
pub(super) type BlockId = (u64, MessageId);

#[derive(Clone)]
pub(super) enum ListItem {
    Block(BlockId, ArcRwSignal<TurnBlock>),
    /// The space between the blocks near the view and the last blocks, which are always mounted.
    Gap,
}

impl ListItem {
    /// Returns the key that identifies the item across updates.
    pub(super) fn key(&self) -> String {
        match self {
            Self::Block((conversation, id), _) => format!("{conversation} {id}"),
            Self::Gap => String::new(),
        }
    }
}
