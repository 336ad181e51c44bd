//! Stores conversations, and the journal of started calls.
//!
//! A [`Store`] maps names to texts and does not interpret them. [`IndexedDbStore`] stores the texts
//! in the browser, [`MemoryStore`] only in the page; an application may implement its own store.
//! The module `runtime` decides when to write.

mod approvals;
mod indexed_db;
mod memory;
mod ownership;
mod record;

use std::fmt;

use futures_util::future::LocalBoxFuture;

pub(crate) use ownership::{
    Lock, LockAttempt, QueuePosition, TabChannel, TabMessage, has_web_locks,
};
pub(crate) use record::{OUTLINE, message_id_in_name, message_record_name};

pub use approvals::ApprovalStore;
pub use assistant_core::session::Swap;
pub use indexed_db::{IndexedDbApprovals, IndexedDbStore};
pub use memory::MemoryStore;
pub use ownership::Ownership;
pub use record::{Batch, Label, Record, StoredThread, ThreadInfo};

/// The future returned by store operations.
pub type StoreFuture<T> = LocalBoxFuture<'static, Result<T, StoreError>>;

/// A store of conversations: their newest state, and an append-only journal.
///
/// The guarantee that a call runs exactly once imposes these requirements on a store (rules
/// "exactly once", "after a reload"):
///
/// * A [`Batch`] is written atomically.
/// * [`Batch::claim`] can be taken once: a batch whose claim is in the journal is refused with
///   [`StoreErrorKind::Claimed`], whichever writer wrote the claim, and nothing of the batch is
///   written. This also applies to concurrent writers. In a database, the claim is a unique key.
/// * After [`Store::take`], batches of the previous writer are refused with
///   [`StoreErrorKind::TakenOver`].
/// * Written data survives the page.
/// * Nothing of a batch that fails is written, unless the error is [`StoreErrorKind::NoAnswer`].
///
/// An operation that takes longer than eight seconds counts as failed with
/// [`StoreErrorKind::NoAnswer`]. A store may fail at any time: the conversation continues in the
/// page, and is written when the store works again.
///
/// ```
/// use leptos_assistant::store::{
///     Batch, Label, MemoryStore, Store, StoreFuture, StoredThread, ThreadInfo,
/// };
///
/// /// A store that counts its writes.
/// #[derive(Default)]
/// struct Counting {
///     inner: MemoryStore,
///     writes: std::cell::Cell<u32>,
/// }
///
/// impl Store for Counting {
///     fn load(&self, thread_id: &str) -> StoreFuture<Option<StoredThread>> {
///         self.inner.load(thread_id)
///     }
///     fn take(&self, thread_id: &str, writer: &str) -> StoreFuture<()> {
///         self.inner.take(thread_id, writer)
///     }
///     fn write(&self, batch: Batch) -> StoreFuture<()> {
///         self.writes.set(self.writes.get() + 1);
///         self.inner.write(batch)
///     }
///     fn threads(&self) -> StoreFuture<Vec<ThreadInfo>> {
///         self.inner.threads()
///     }
///     fn label(&self, thread_id: &str, label: Label) -> StoreFuture<()> {
///         self.inner.label(thread_id, label)
///     }
///     fn remove(&self, thread_id: &str) -> StoreFuture<()> {
///         self.inner.remove(thread_id)
///     }
/// }
/// ```
pub trait Store: 'static {
    /// Loads a conversation. Resolves to `None` if the conversation was never written, or was
    /// removed.
    fn load(&self, thread_id: &str) -> StoreFuture<Option<StoredThread>>;

    /// Makes `writer` the only writer of a conversation from now on.
    fn take(&self, thread_id: &str, writer: &str) -> StoreFuture<()>;

    /// Writes a batch atomically. Batches are written in the order of the calls.
    fn write(&self, batch: Batch) -> StoreFuture<()>;

    /// Lists the conversations, including those marked as deleted.
    fn threads(&self) -> StoreFuture<Vec<ThreadInfo>>;

    /// Writes the user's label of a conversation, regardless of the tab that owns the conversation.
    fn label(&self, thread_id: &str, label: Label) -> StoreFuture<()>;

    /// Permanently removes a conversation and its journal.
    fn remove(&self, thread_id: &str) -> StoreFuture<()>;

    /// Returns the name under which tabs of this site coordinate ownership. Returns `None` if each
    /// tab has a store of its own.
    fn shared_as(&self) -> Option<String> {
        None
    }
}

impl Store for Box<dyn Store> {
    fn load(&self, thread_id: &str) -> StoreFuture<Option<StoredThread>> {
        (**self).load(thread_id)
    }

    fn take(&self, thread_id: &str, writer: &str) -> StoreFuture<()> {
        (**self).take(thread_id, writer)
    }

    fn write(&self, batch: Batch) -> StoreFuture<()> {
        (**self).write(batch)
    }

    fn threads(&self) -> StoreFuture<Vec<ThreadInfo>> {
        (**self).threads()
    }

    fn label(&self, thread_id: &str, label: Label) -> StoreFuture<()> {
        (**self).label(thread_id, label)
    }

    fn remove(&self, thread_id: &str) -> StoreFuture<()> {
        (**self).remove(thread_id)
    }

    fn shared_as(&self) -> Option<String> {
        (**self).shared_as()
    }
}

/// An error that an operation of a store returns.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreError {
    /// The kind of the error.
    pub kind: StoreErrorKind,
    /// The description of the error, in English.
    pub message: String,
}

/// The kind of a store's failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// The journal already contains the claim of the batch.
    Claimed,
    /// The conversation has another writer now.
    TakenOver,
    /// The quota is exceeded.
    Full,
    /// The browser does not provide the store, or does not allow this page to use the store.
    Unavailable,
    /// The store does not open in time, for example because another tab holds an older version of
    /// the store open.
    Blocked,
    /// The data was written by a newer version of this program.
    Newer,
    /// The stored data cannot be read.
    Corrupt,
    /// The store did not answer in time; the operation may still take effect.
    NoAnswer,
    /// The stored data was deleted, so the complete conversation must be written again.
    Forgotten,
    /// Any other failure.
    Failed,
}

impl StoreError {
    /// Creates an error.
    #[must_use]
    pub fn new(kind: StoreErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for StoreError {}
