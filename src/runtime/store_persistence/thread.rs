//! Tracks the state of a conversation in one tab: the writer, the lock, and the channel to other
//! tabs.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use assistant_core::session::{Session, StoredCalls};
use futures_channel::oneshot;
use serde_json::Value;

use crate::{
    store::{Lock, QueuePosition, TabChannel, TabMessage, ThreadInfo},
    ui::{fresh_id, now},
};

/// The minimum time between two writes of a busy conversation's list entry, in milliseconds.
const LIST_ENTRY_INTERVAL_MS: u64 = 1_000;

/// The state of a conversation in this tab.
pub(super) struct TabThread {
    pub(super) id: String,
    /// The writer id of this tab. A new id is generated each time that this tab takes ownership of
    /// the conversation.
    pub(super) writer: RefCell<String>,
    /// True if the writer is registered in the store.
    pub(super) taken: Cell<bool>,
    /// The entry that was last written to the list of conversations.
    pub(super) listed: RefCell<Option<ThreadInfo>>,
    pub(super) lock: RefCell<Option<Lock>>,
    /// True if the conversation cannot be locked.
    pub(super) is_lockless: Cell<bool>,
    /// The calls that other pages may have read from the store.
    pub(super) stored: Cell<StoredCalls>,
    /// True if the store may contain a diverged state, which must not be overwritten.
    pub(super) is_apart: Cell<bool>,
    /// The sender that is notified when another tab answers that it owns the conversation.
    pub(super) pinged: RefCell<Option<oneshot::Sender<()>>>,
    /// The place of this tab in the queue for the lock.
    pub(super) place: RefCell<Option<QueuePosition>>,
    pub(super) channel: RefCell<Option<TabChannel>>,
    /// The initial conversation, which is used if the conversation is not stored.
    pub(super) initial: RefCell<Option<Value>>,
}

impl TabThread {
    pub(super) fn new(id: String) -> Rc<Self> {
        Self::with_initial(id, None)
    }

    pub(super) fn with_initial(id: String, initial: Option<Value>) -> Rc<Self> {
        Rc::new(Self {
            id,
            initial: RefCell::new(initial),
            writer: RefCell::new(new_writer_id()),
            taken: Cell::new(false),
            listed: RefCell::default(),
            lock: RefCell::default(),
            is_lockless: Cell::new(false),
            stored: Cell::default(),
            is_apart: Cell::new(false),
            pinged: RefCell::default(),
            place: RefCell::default(),
            channel: RefCell::default(),
        })
    }

    pub(super) fn writer(&self) -> String {
        self.writer.borrow().clone()
    }

    /// Sets a new writer id, which is not registered in the store yet, and the given lock. If
    /// `lock` is `None`, the current lock is kept.
    pub(super) fn restart_writer(&self, lock: Option<Lock>) {
        self.writer.replace(new_writer_id());
        self.taken.set(false);
        self.listed.take();
        let current_lock = self.lock.take();
        self.lock.replace(lock.or(current_lock));
    }

    /// Returns true if the next batch must contain the entry in the list of conversations. While
    /// the session is busy, an entry in which only the time is new is written at most once a
    /// second.
    pub(super) fn is_list_entry_due(&self, info: &ThreadInfo, session: &Session) -> bool {
        let written_entry = self.listed.borrow();
        written_entry.as_ref().is_none_or(|written_entry| {
            written_entry.title != info.title
                || info.updated_at.abs_diff(written_entry.updated_at) >= LIST_ENTRY_INTERVAL_MS
                || !session.is_busy()
        })
    }

    /// Records the calls that other pages may read from the store from now on.
    pub(super) fn add_stored_calls(&self, calls: StoredCalls) {
        let mut stored_calls = self.stored.get();
        stored_calls.add(calls);
        self.stored.set(stored_calls);
    }

    /// Sends a message to the other tabs. Returns false if there is no open channel.
    pub(super) fn send(&self, what: TabMessage) -> bool {
        let channel = self.channel.borrow();
        channel.as_ref().is_some_and(|channel| channel.send(what))
    }
}

/// Generates a writer id. The ids sort by time, so that a store can expire old ids.
fn new_writer_id() -> String {
    format!("{:015}-{}", now(), fresh_id())
}
