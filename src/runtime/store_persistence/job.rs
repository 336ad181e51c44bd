//! Defines the write jobs of a store, and the failure state of a store.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use assistant_core::session::{CommitId, JournalEntry};
use serde_json::Value;

use super::{save::UnsavedChanges, thread::TabThread};

/// A write to the store.
pub(super) enum WriteJob {
    /// A write of the unsaved changes.
    Save,
    /// A retry of the unsaved changes and of all postponed writes.
    Again,
    /// A write of a call's start, together with the changes before it.
    Commit(CommitId, Box<JournalEntry>),
    /// A write of the final state of a conversation that was replaced.
    Archive(Rc<TabThread>, Value, UnsavedChanges),
}

/// The failure state of a store.
#[derive(Default)]
pub(super) struct FailureState {
    pub(super) fails: Cell<bool>,
    /// The delay of the retry that is scheduled next, in milliseconds, before limits are applied.
    pub(super) pause_ms: Cell<u32>,
    pub(super) waits: Cell<bool>,
    /// The jobs to repeat once the store works again.
    pub(super) postponed: RefCell<Vec<WriteJob>>,
}
