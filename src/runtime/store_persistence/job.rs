//! The jobs of a store, and its state while it fails.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use assistant_core::session::{CommitId, JournalEntry};
use serde_json::Value;

use super::{save::Unsaved, thread::Thread};

/// A write to the store.
pub(super) enum Job {
    /// The changes.
    Save,
    /// A retry of the changes and of all postponed writes.
    Again,
    /// A start, together with the changes up to it.
    Commit(CommitId, Box<JournalEntry>),
    /// The final state of a conversation that another has replaced.
    Archive(Rc<Thread>, Value, Unsaved),
}

/// The failure state of a store.
#[derive(Default)]
pub(super) struct Trouble {
    pub(super) fails: Cell<bool>,
    /// The delay of the retry after the next.
    pub(super) pause_ms: Cell<u32>,
    pub(super) waits: Cell<bool>,
    /// The jobs to repeat once the store works again.
    pub(super) postponed: RefCell<Vec<Job>>,
}
