//! What outlives the page: conversations, and the journal of what was begun in them.
//!
//! A [`Store`] keeps texts under names and knows nothing of what is in them. [`IndexedDbStore`] keeps
//! them in the browser, [`MemoryStore`] for as long as the page lives; an application may have one of
//! its own. When what is written is the business of the room `runtime`.

mod approvals;
mod indexed_db;
mod memory;
mod own;
mod record;

use std::fmt;

use futures_util::future::LocalBoxFuture;

pub(crate) use own::{Asked, Channel, Lock, Place, Said, locks_are_there};
pub(crate) use record::{OUTLINE, message_of, name_of};

pub use approvals::ApprovalStore;
pub use assistant_core::session::Swap;
pub use indexed_db::{IndexedDbApprovals, IndexedDbStore};
pub use memory::MemoryStore;
pub use own::KeptIn;
pub use record::{Batch, Label, Record, StoredThread, ThreadInfo};

/// The future answer of a store.
pub type StoreFuture<T> = LocalBoxFuture<'static, Result<T, StoreError>>;

/// Keeps conversations: their newest state, and a journal that is only ever added to.
///
/// What the guarantee of "exactly once" asks of it (rules "exactly once", "after a reload"):
///
/// * A [`Batch`] is written whole or not at all.
/// * [`Batch::claim`] is taken once: a batch that claims what the journal has is refused with
///   [`StoreErrorKind::Claimed`], whoever wrote it, and nothing of the batch is written. Two writers at
///   the same time make no difference. In a database this is a unique key.
/// * After [`Store::take`], batches of the writer before are refused with
///   [`StoreErrorKind::TakenOver`].
/// * What was written is there after the page is gone.
/// * Of a batch that ends with an error nothing is written, unless it is [`StoreErrorKind::NoAnswer`].
///
/// What takes longer than eight seconds counts as failed, without an answer. A store may fail at any
/// time: the conversation goes on in the page, and is written when the store works again.
///
/// ```
/// use leptos_assistant::store::{
///     Batch, Label, MemoryStore, Store, StoreFuture, StoredThread, ThreadInfo,
/// };
///
/// /// Counts how often something is written.
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
    /// Reads a conversation; `None` if nothing was written about it.
    fn load(&self, thread_id: &str) -> StoreFuture<Option<StoredThread>>;

    /// Makes `writer` the one whose batches about a conversation are written from now on.
    fn take(&self, thread_id: &str, writer: &str) -> StoreFuture<()>;

    /// Writes a batch, all of it or nothing. Batches are written in the order of the calls.
    fn write(&self, batch: Batch) -> StoreFuture<()>;

    /// Lists the conversations, those that are marked as deleted included.
    fn threads(&self) -> StoreFuture<Vec<ThreadInfo>>;

    /// Writes what a person says about a conversation, whoever owns it.
    fn label(&self, thread_id: &str, label: Label) -> StoreFuture<()>;

    /// Forgets a conversation and its journal for good.
    fn remove(&self, thread_id: &str) -> StoreFuture<()>;

    /// Returns the name under which tabs of this site agree who owns a conversation, if other tabs
    /// see what is written here.
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

/// Why a store could not do what it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreError {
    /// The kind.
    pub kind: StoreErrorKind,
    /// A sentence in English.
    pub message: String,
}

/// The kind of a store's failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// The journal has the claim of a batch.
    Claimed,
    /// The conversation has another writer now.
    TakenOver,
    /// There is no room left.
    Full,
    /// The browser has no such store, or does not let this page use it.
    Unavailable,
    /// Another tab holds the store in an older version, and does not let go of it.
    Blocked,
    /// A newer version of this program has written it.
    Newer,
    /// What was written cannot be read.
    Corrupt,
    /// It did not answer in time: what it was asked for may still happen.
    NoAnswer,
    /// What was written before is gone: a conversation has to be written again, all of it.
    Forgotten,
    /// Anything else.
    Failed,
}

impl StoreError {
    /// Returns an error of a kind.
    ///
    /// ```
    /// use leptos_assistant::store::{StoreError, StoreErrorKind};
    ///
    /// let error = StoreError::new(StoreErrorKind::TakenOver, "another tab has it now");
    /// ```
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
