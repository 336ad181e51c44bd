//! The jobs of a store, and its state while it fails.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use assistant_core::session::{CommitId, JournalEntry};
use serde_json::Value;

use super::{save::Unsaved, thread::Thread};

/// Something that is to be written.
pub(super) enum Job {
    /// The changes.
    Save,
    /// The changes, and all that could not be written before.
    Again,
    /// A start, with what has changed until then.
    Commit(CommitId, Box<JournalEntry>),
    /// A conversation that another has taken the place of, as it was in the end.
    Archive(Rc<Thread>, Value, Unsaved),
}

/// The state of a store that fails.
#[derive(Default)]
pub(super) struct Trouble {
    pub(super) fails: Cell<bool>,
    /// The time until the next try but one.
    pub(super) pause_ms: Cell<u32>,
    pub(super) waits: Cell<bool>,
    /// The changes to write when the store works again.
    pub(super) postponed: RefCell<Vec<Job>>,
}
