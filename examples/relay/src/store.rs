//! The storage of runs, and its implementations.

mod redis;
mod sqlite;

use std::{error::Error, fmt, time::Duration};

pub use redis::RedisStore;
pub use sqlite::SqliteStore;

/// The name of a run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunKey {
    /// The id of the thread.
    pub thread: String,
    /// The id of the run in its thread.
    pub run: String,
}

/// A run, without its events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRun {
    /// A hash of the credentials that started the run.
    pub owner: String,
    /// The number of its events.
    pub events: usize,
    /// True if its last event is the end of a run.
    pub has_ended: bool,
}

/// A part of the events of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The events, in their order.
    pub events: Vec<String>,
    /// True if the run has ended, and its last event is at or before the end of this page.
    pub is_last: bool,
}

/// The error of a store that cannot be read or written.
#[derive(Debug)]
pub struct StoreError(String);

impl StoreError {
    pub(crate) fn new(error: &dyn Error) -> Self {
        Self(error.to_string())
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for StoreError {}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<::redis::RedisError> for StoreError {
    fn from(error: ::redis::RedisError) -> Self {
        Self(error.to_string())
    }
}

/// The storage of runs. Its methods may block, so a relay calls them on threads of their own.
///
/// Only the relay that created a run adds events to it, until any relay closes it. Whatever a method
/// has written survives the end of the process.
pub trait Store: fmt::Debug + Send + Sync {
    /// Creates a run. Returns false if it exists.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written; then nothing is stored.
    fn create(&self, key: &RunKey, owner: &str) -> Result<bool, StoreError>;

    /// Adds an event to a run. `is_end` tells whether it is the end of a run. Returns false if the
    /// run was closed or removed.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written; then the event is not stored.
    fn append(&self, key: &RunKey, event: &str, is_end: bool) -> Result<bool, StoreError>;

    /// Closes a run, so that no event can be added. If the last event of the run is not an end, adds
    /// `error`, which is one. Does nothing if the run has been closed or removed.
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

    /// Returns up to `max` events of a run from a position on, or `None` if the run does not exist.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    fn page(&self, key: &RunKey, from: usize, max: usize) -> Result<Option<Page>, StoreError>;

    /// Returns the runs that are open although the relay that created them has ended. A relay calls
    /// this every few seconds; one that stops calling it counts as ended.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read or written.
    fn abandoned(&self) -> Result<Vec<RunKey>, StoreError>;

    /// Removes the runs that ended longer ago than `age`.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written.
    fn expire(&self, age: Duration) -> Result<(), StoreError>;
}
