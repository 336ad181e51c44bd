//! What stands in the list of messages, as views see it.
//!
//! Neighbours: `thread` has the rules of blocks, `list` puts them into the page.

use std::ops::Range;

use assistant_core::{conversation::MessageId, event::Role};
use leptos::prelude::*;

use crate::view::MessageEntry;

/// A block as its view sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Turn {
    /// Its messages.
    pub(super) entries: Vec<MessageEntry>,
    /// The place of the first of them in the thread.
    pub(super) start: usize,
    /// When the message before it appeared.
    pub(super) before: Option<i64>,
    /// The places of the whole turn.
    pub(super) whole: Range<usize>,
    /// Whether the turn is the newest.
    pub(super) newest: bool,
}

impl Turn {
    /// When the message before one appeared.
    pub(super) fn time_before(&self, id: &MessageId) -> Option<i64> {
        let place = self.entries.iter().position(|entry| entry.id == *id)?;
        match place.checked_sub(1) {
            Some(before) => self.entries.get(before).map(|entry| entry.created_at),
            None => self.before,
        }
    }

    /// Where a message stands in the thread.
    pub(super) fn place_of(&self, id: &MessageId) -> Option<usize> {
        let place = self.entries.iter().position(|entry| entry.id == *id)?;
        Some(self.start + place)
    }

    /// Whether the turn ends with this block.
    pub(super) fn ends_here(&self) -> bool {
        self.whole.end == self.start + self.entries.len()
    }

    pub(super) fn by_person(&self) -> bool {
        self.entries.first().is_some_and(|e| e.role == Role::User)
    }
}

/// Where a thread ended once: its last messages, newest first, of which some may go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct End(pub(super) Vec<MessageId>);

/// A block by its conversation and its first message: messages of two conversations may have the
/// same id.
pub(super) type BlockId = (u64, MessageId);

/// What stands in the list.
#[derive(Clone)]
pub(super) enum Item {
    Block(BlockId, ArcRwSignal<Turn>),
    /// The room of what lies between the reader's place and the newest turn.
    Gap,
}

impl Item {
    /// What makes it the same item as before.
    pub(super) fn key(&self) -> String {
        match self {
            Self::Block((conversation, id), _) => format!("{conversation} {id}"),
            Self::Gap => String::new(),
        }
    }
}
