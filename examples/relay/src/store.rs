//! Defines the trait for stores of runs, and implements it for `SQLite` and Redis.

mod redis;
mod sqlite;

use std::{error::Error, fmt, time::Duration};

pub use redis::RedisStore;
pub use sqlite::SqliteStore;

/// The ids that identify a run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunKey {
    /// The id of the thread.
    pub thread: String,
    /// The id of the run, unique in the thread.
    pub run: String,
}

/// A stored run, without its events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRun {
    /// The user who started the run, as a hash.
    pub owner: String,
    /// The number of the run's events.
    pub events: usize,
    /// The state of the run.
    pub state: RunState,
}

/// The state of a stored run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// Further events may follow.
    Open,
    /// The last event is an end, `RUN_FINISHED` or `RUN_ERROR`, but further events may follow.
    Ended,
    /// The last event is an end, and no event can be added.
    Closed,
}

/// Consecutive events of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The events, in their order.
    pub events: Vec<String>,
    /// True if no later event is stored.
    pub is_last: bool,
    /// The state of the run.
    pub state: RunState,
}

/// The maximum size of a page.
#[derive(Debug, Clone, Copy)]
pub struct PageSize {
    /// The maximum number of events.
    pub events: usize,
    /// The maximum number of bytes. The first event is part of a page, whatever its size.
    pub bytes: usize,
}

/// The error of a store that cannot be read or written.
#[derive(Debug)]
pub struct StoreError {
    message: String,
    is_temporary: bool,
}

impl StoreError {
    pub(crate) fn new(error: &dyn Error) -> Self {
        Self {
            message: error.to_string(),
            is_temporary: false,
        }
    }

    /// Creates the error of a store that cannot be reached at present.
    pub(crate) fn unreachable(error: &dyn Error) -> Self {
        Self {
            is_temporary: true,
            ..Self::new(error)
        }
    }

    /// Returns true if the store cannot be reached at present, so that a later call may succeed.
    pub const fn is_temporary(&self) -> bool {
        self.is_temporary
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for StoreError {}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::new(&error)
    }
}

/// A store of runs. Its methods may block, so a relay calls them on threads that may block.
///
/// Only the relay that created a run adds events to the run, until any relay closes it. Everything
/// that a method has written survives the end of the process.
pub trait Store: fmt::Debug + Send + Sync {
    /// Creates a run, and returns true. Returns false if the run exists.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written; then nothing is stored.
    fn create(&self, key: &RunKey, owner: &str) -> Result<bool, StoreError>;

    /// Adds the event at a position to a run, and returns true. `is_end` is true if the event ends
    /// a run. Returns false if the run was closed or removed, or earlier events are missing.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written. The event may be stored nevertheless; a repeated call
    /// does not add it again.
    fn append(
        &self,
        key: &RunKey,
        position: usize,
        event: &str,
        is_end: bool,
    ) -> Result<bool, StoreError>;

    /// Closes a run, so that no more events can be added. Unless the run's last event is an end,
    /// first adds the end event `error`. Does nothing if the run was closed or removed before.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written.
    fn close(&self, key: &RunKey, error: &str) -> Result<(), StoreError>;

    /// Removes a run.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written.
    fn remove(&self, key: &RunKey) -> Result<(), StoreError>;

    /// Returns a run, or `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    fn run(&self, key: &RunKey) -> Result<Option<StoredRun>, StoreError>;

    /// Returns events of a run, beginning at a position; `None` if the run does not exist.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    fn page(&self, key: &RunKey, from: usize, max: PageSize) -> Result<Option<Page>, StoreError>;

    /// Returns the open runs that this relay ends if they have no agent: those that it created, and
    /// those of relays that have ended. In a shared store, also renews the lease of this relay,
    /// which counts as ended unless this method is called every few seconds.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read or written.
    fn closable_runs(&self) -> Result<Vec<RunKey>, StoreError>;

    /// Removes the runs that ended more than `age` ago.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written.
    fn expire(&self, age: Duration) -> Result<(), StoreError>;
}
