//! Opens a conversation: this tab becomes the owner, or follows the tab that owns the conversation.

use std::{
    collections::HashMap,
    rc::{Rc, Weak},
};

use assistant_core::session::{Input, JournalEntry, NoticeKind, Session, assemble_snapshot};
use serde_json::Value;

use super::{
    StorePersistence,
    save::{UnsavedChanges, Urgency},
    thread::TabThread,
};
#[cfg(feature = "split")]
use crate::runtime::engine;
use crate::{
    store::{
        Lock, LockAttempt, OUTLINE, Ownership, StoreError, StoreErrorKind, StoredThread,
        TabChannel, TabMessage, has_web_locks, message_id_in_name,
    },
    ui::{after, is_hidden, spawn_local},
};

/// The maximum time to wait for a lock, in milliseconds. After a reload, the previous page may
/// still hold the lock for a short time.
const LOCK_TIMEOUT_MS: u32 = 400;
/// The time within which another tab must write its state and release the lock, in milliseconds.
const RELEASE_TIMEOUT_MS: u32 = 1_000;
/// The interval between reads of a followed conversation, in milliseconds.
const FOLLOW_INTERVAL_MS: u32 = 500;

impl StorePersistence {
    /// Opens the current conversation from the store. If `takes_over` is true, the conversation is
    /// taken from the tab that owns it; otherwise this tab follows that tab.
    pub(super) async fn open_stored_thread(
        self: Rc<Self>,
        thread: Rc<TabThread>,
        takes_over: bool,
    ) {
        #[cfg(feature = "split")]
        self.wait_for_engine().await;
        if let Some(unwritten_thread) = self.finish_archive(&thread.id).await {
            let opened_thread = (&thread, takes_over);
            return self.reopen(unwritten_thread, opened_thread).await;
        }
        if !self.is_current(&thread) {
            return;
        }
        self.listen_to_tabs(&thread);
        let is_owner = self.acquire_ownership(&thread, takes_over).await;
        if !self.is_current(&thread) {
            return;
        }
        self.load_or_follow(&thread, is_owner).await;
    }

    /// Waits until the engine is loaded, so that the session handles each input at once, such as
    /// the restoration of a conversation.
    #[cfg(feature = "split")]
    async fn wait_for_engine(&self) {
        if let Some(runtime) = self.runtime.upgrade() {
            runtime.request_engine();
        }
        engine::wait_until_loaded().await;
    }

    pub(super) async fn load_or_follow(self: &Rc<Self>, thread: &Rc<TabThread>, is_owner: bool) {
        if !is_owner {
            return self.follow_other_tab(thread).await;
        }
        let load_result = self.register_and_load(thread).await;
        if !self.is_current(thread) {
            return;
        }
        // If another tab has taken over the conversation meanwhile, this tab already follows that
        // tab, so only the inputs that were held back are dispatched.
        if self.ownership.get() != Ownership::Opening {
            return self.dispatch_held_inputs();
        }
        if self.is_failing() {
            self.schedule_retry();
        }
        let initial = thread.initial.take();
        match load_result {
            Ok(Some(stored)) => self.restore_thread(thread, &stored),
            Ok(None) => self.begin_new_thread(thread, initial),
            Err(error) if error.kind == StoreErrorKind::Corrupt => {
                self.begin_after_corruption(&error);
            }
            Err(error) => self.continue_without_store(thread, &error, initial),
        }
    }

    pub(super) fn is_current(&self, thread: &Rc<TabThread>) -> bool {
        !self.ended.get() && Rc::ptr_eq(&self.thread.borrow(), thread)
    }

    /// Returns the name of the lock and the channel of a conversation, if the store is shared
    /// between tabs.
    fn lock_name(&self, thread: &TabThread) -> Option<String> {
        let store = self.store.shared_as()?;
        Some(format!("leptos-assistant/{store}/{}", thread.id))
    }

    /// Listens to messages from other tabs about a conversation.
    pub(super) fn listen_to_tabs(&self, thread: &Rc<TabThread>) {
        let Some(name) = self.lock_name(thread) else {
            return;
        };
        let (weak_persistence, weak_thread) = (self.me.clone(), Rc::downgrade(thread));
        let on_message = move |message| {
            if let (Some(persistence), Some(thread)) =
                (weak_persistence.upgrade(), weak_thread.upgrade())
                && persistence.is_current(&thread)
            {
                persistence.handle_tab_message(&thread, message);
            }
        };
        thread
            .channel
            .replace(Some(TabChannel::new(&name, on_message)));
    }

    fn handle_tab_message(&self, thread: &Rc<TabThread>, message: TabMessage) {
        match (message, self.ownership.get()) {
            (TabMessage::TakeOver, Ownership::ThisTab { .. }) => self.release_ownership(thread),
            // Only a tab without a lock sends this message to the owner.
            (TabMessage::Owned, Ownership::ThisTab { .. }) => self.on_ownership_lost(thread),
            (TabMessage::Written | TabMessage::Owned, Ownership::OtherTab) => {
                self.schedule_refresh();
            }
            (TabMessage::Ping, Ownership::ThisTab { .. }) if !thread.is_apart.get() => {
                thread.send(TabMessage::Pong);
            }
            (TabMessage::Pong, _) => {
                if let Some(sender) = thread.pinged.take() {
                    // Sending fails only if the answer is late and the receiver was dropped.
                    let _ = sender.send(());
                }
            }
            _ => {}
        }
    }

    /// Makes this tab the owner of a conversation. If `takes_over` is true, the conversation is
    /// taken from another tab; otherwise returns false if another live tab owns the conversation.
    pub(super) async fn acquire_ownership(&self, thread: &Rc<TabThread>, takes_over: bool) -> bool {
        let Some(name) = self.lock_name(thread) else {
            return true;
        };
        if takes_over {
            thread.send(TabMessage::TakeOver);
        }
        let timeout_ms = if takes_over {
            RELEASE_TIMEOUT_MS
        } else {
            LOCK_TIMEOUT_MS
        };
        let lock = match Lock::acquire(&name, timeout_ms, self.lock_lost_callback(thread)).await {
            LockAttempt::Granted(lock) => Some(lock),
            LockAttempt::Held | LockAttempt::Unknown if takes_over => {
                Lock::steal(&name, self.lock_lost_callback(thread)).await
            }
            LockAttempt::Held => return false,
            // The grant of the lock may only be late, so the other tabs are asked: a tab that
            // answers keeps the conversation. The claims and the fencing of the store also work
            // without a lock.
            LockAttempt::Unknown => {
                if has_web_locks() && self.is_owned_by_other_tab(thread).await == Some(true) {
                    return false;
                }
                None
            }
        };
        thread.is_lockless.set(lock.is_none());
        thread.lock.replace(lock);
        true
    }

    fn lock_lost_callback(&self, thread: &Rc<TabThread>) -> impl FnOnce() + 'static {
        let (weak_persistence, thread): (Weak<Self>, Weak<TabThread>) =
            (self.me.clone(), Rc::downgrade(thread));
        move || {
            if let (Some(persistence), Some(thread)) =
                (weak_persistence.upgrade(), thread.upgrade())
                && persistence.is_current(&thread)
            {
                persistence.on_ownership_lost(&thread);
            }
        }
    }

    async fn register_and_load(
        &self,
        thread: &TabThread,
    ) -> Result<Option<StoredThread>, StoreError> {
        self.write_unload_copy(thread).await?;
        let registration = self.store.take(&thread.id, &thread.writer());
        self.with_timeout(registration).await?;
        thread.taken.set(true);
        self.discard_unload_copy(thread);
        thread.send(TabMessage::Owned);
        self.with_timeout(self.store.load(&thread.id)).await
    }

    fn restore_thread(&self, thread: &Rc<TabThread>, stored: &StoredThread) {
        let contents = parse_stored_thread(stored);
        let outcome = contents.and_then(|(snapshot, journal)| {
            self.unsaved.take();
            self.set_ownership(self.this_tab_ownership());
            self.restores.set(true);
            let is_restored = self.dispatch(Input::Restore {
                thread_id: thread.id.clone(),
                snapshot,
                journal,
            });
            if !is_restored {
                self.restores.set(false);
            }
            let message = "it is damaged, or of another version";
            is_restored
                .then_some(())
                .ok_or_else(|| StoreError::new(StoreErrorKind::Corrupt, message))
        });
        match outcome {
            Ok(()) => self.dispatch_held_inputs(),
            Err(error) => self.begin_after_corruption(&error),
        }
        if let Some(runtime) = self.runtime.upgrade() {
            runtime.apply_queued_changes();
        }
    }

    /// Begins a conversation that is not in the store. If the store has lost the conversation that
    /// this page shows, the complete conversation is written; otherwise the conversation begins with
    /// the application's initial content, if any.
    fn begin_new_thread(&self, thread: &Rc<TabThread>, initial: Option<Value>) {
        self.set_ownership(self.this_tab_ownership());
        let runtime = self.runtime.upgrade();
        let shown_thread = runtime.and_then(|runtime| {
            runtime.read(|session| {
                let (id, is_following) = (session.thread_id().to_owned(), session.is_following());
                let has_messages = session.conversation().message_count() > 0;
                let export = (has_messages && is_following).then(|| session.export());
                (id, has_messages, is_following, export)
            })
        });
        match shown_thread {
            Some((current_id, ..)) if current_id != thread.id => {
                self.switch_thread(&current_id);
                self.load_initial_thread(&thread.id, initial);
            }
            // The conversation is loaded, so that this page does not follow another tab any more.
            Some((_, _, true, export)) => {
                let snapshot = export.or(initial);
                let is_empty = snapshot.is_none();
                let snapshot = snapshot.unwrap_or_else(empty_snapshot);
                self.load_initial_thread(&thread.id, Some(snapshot));
                if is_empty {
                    // An empty conversation is not written.
                    self.unsaved.take();
                }
            }
            Some((_, true, false, _)) => {
                let changes = UnsavedChanges::whole_thread();
                self.unsaved.borrow_mut().merge_older(changes);
                self.schedule_save(Urgency::AtOnce);
            }
            _ => self.load_initial_thread(&thread.id, initial),
        }
        self.dispatch_held_inputs();
    }

    /// Begins a new conversation because the stored data is unreadable, and shows the error. The
    /// stored data is not changed.
    fn begin_after_corruption(&self, error: &StoreError) {
        self.set_ownership(self.this_tab_ownership());
        self.dispatch(Input::NewThread);
        self.dispatch(Input::SetNotice {
            kind: NoticeKind::NotOpened,
            message: Some(error.message.clone()),
        });
        self.dispatch_held_inputs();
    }

    /// Continues in this page only, because the store has failed to load the conversation, and
    /// schedules a retry. Continues with the conversation if this page already shows the
    /// conversation, otherwise with `initial` or an empty conversation.
    fn continue_without_store(
        &self,
        thread: &Rc<TabThread>,
        error: &StoreError,
        initial: Option<Value>,
    ) {
        self.mark_failing();
        self.ownership.set(self.this_tab_ownership());
        let runtime = self.runtime.upgrade();
        let shown_snapshot = runtime.and_then(|runtime| {
            let read_snapshot = |session: &Session| {
                let is_shown = session.is_following() && session.thread_id() == thread.id;
                is_shown.then(|| session.snapshot())
            };
            runtime.read(read_snapshot).flatten()
        });
        if let Some(snapshot) = shown_snapshot {
            // The previous tab may have written a newer state than this page shows, so this page
            // must not overwrite the stored state.
            thread.is_apart.set(true);
            let thread_id = thread.id.clone();
            self.dispatch(Input::Restore {
                thread_id,
                snapshot,
                journal: Vec::new(),
            });
        } else {
            match error.kind {
                StoreErrorKind::Unavailable => thread.is_apart.set(true),
                // The conversation may be stored, and open in another tab, so a new conversation is
                // begun instead.
                _ => drop(self.dispatch(Input::NewThread)),
            }
            let current_thread = self.thread();
            self.load_initial_thread(&current_thread.id, initial);
            // Clears the stored calls, because the conversation begins with `initial` and is not in
            // the store.
            current_thread.stored.take();
        }
        self.show_ownership();
        self.dispatch_held_inputs();
        self.update_failure_notice(Some(error));
        self.schedule_retry();
    }

    /// Shows the conversation of another tab, and queues for the lock of that tab. If the store
    /// fails, the conversation continues in this page only.
    async fn follow_other_tab(&self, thread: &Rc<TabThread>) {
        match self.with_timeout(self.store.load(&thread.id)).await {
            Ok(stored) if self.is_current(thread) => {
                self.set_ownership(Ownership::OtherTab);
                if !self.show_stored_thread(thread, stored.as_ref()) {
                    // The other tab has not written the conversation yet.
                    self.show_followed_thread(thread, empty_snapshot());
                }
                self.dispatch_held_inputs();
                self.queue_for_lock(thread);
            }
            Err(error) if self.is_current(thread) => {
                self.continue_without_store(thread, &error, None);
            }
            _ => {}
        }
    }

    /// Queues for the lock, so that this tab takes over when the owner's page is closed. Only a
    /// visible tab queues, so that no background tab gets the conversation of a tab that reloads. A
    /// tab that is hidden, or that does not follow another tab, is removed from the queue.
    pub(super) fn queue_for_lock(&self, thread: &Rc<TabThread>) {
        if self.ownership.get() != Ownership::OtherTab || is_hidden() {
            thread.place.take();
            return;
        }
        if thread.place.borrow().is_some() {
            return;
        }
        let name = self.lock_name(thread);
        let queue_entry = name.and_then(|name| Lock::queue(&name, self.lock_lost_callback(thread)));
        let Some((position, grant)) = queue_entry else {
            return;
        };
        thread.place.replace(Some(position));
        let (persistence, thread) = (self.me.clone(), Rc::downgrade(thread));
        spawn_local(async move {
            let lock = grant.await;
            let (Some(persistence), Some(thread)) = (persistence.upgrade(), thread.upgrade())
            else {
                return;
            };
            let Some(lock) = lock else { return };
            thread.place.take();
            if persistence.is_current(&thread) && persistence.ownership.get() == Ownership::OtherTab
            {
                thread.restart_writer(Some(lock));
                persistence.set_ownership(Ownership::Opening);
                persistence.load_or_follow(&thread, true).await;
            }
        });
    }

    /// Queues for the lock after a delay, so that the tab that takes over is first in the queue.
    fn queue_for_lock_later(&self, thread: &Rc<TabThread>) {
        let (persistence, thread) = (self.me.clone(), Rc::downgrade(thread));
        after(RELEASE_TIMEOUT_MS, move || {
            if let (Some(persistence), Some(thread)) = (persistence.upgrade(), thread.upgrade())
                && persistence.is_current(&thread)
            {
                persistence.queue_for_lock(&thread);
            }
        });
    }

    /// Shows a stored conversation as read-only. Returns false if the conversation is not stored or
    /// unreadable.
    fn show_stored_thread(&self, thread: &TabThread, stored: Option<&StoredThread>) -> bool {
        let Some(Ok((snapshot, _))) = stored.map(parse_stored_thread) else {
            return false;
        };
        self.show_followed_thread(thread, snapshot)
    }

    fn show_followed_thread(&self, thread: &TabThread, snapshot: Value) -> bool {
        let thread_id = thread.id.clone();
        self.dispatch(Input::Follow {
            thread_id,
            snapshot,
        })
    }

    fn schedule_refresh(&self) {
        if self.refreshing.replace(true) {
            return;
        }
        let (weak_persistence, thread) = (self.me.clone(), self.thread());
        after(FOLLOW_INTERVAL_MS, move || {
            let Some(persistence) = weak_persistence.upgrade() else {
                return;
            };
            persistence.refreshing.set(false);
            spawn_local(async move {
                let stored_thread = persistence
                    .with_timeout(persistence.store.load(&thread.id))
                    .await;
                let is_following = persistence.ownership.get() == Ownership::OtherTab;
                if let Ok(stored_thread) = stored_thread
                    && is_following
                    && persistence.is_current(&thread)
                {
                    persistence.show_stored_thread(&thread, stored_thread.as_ref());
                }
            });
        });
    }

    /// Aborts runs and handlers, writes all changes, and releases the conversation to another tab.
    /// If the store fails or may have a diverged state, this page keeps its own state instead and
    /// does not write.
    fn release_ownership(&self, thread: &Rc<TabThread>) {
        if self.is_failing() || thread.is_apart.get() {
            self.detach_from_store(thread);
            thread.send(TabMessage::Released);
            return;
        }
        self.abort_work();
        self.save_now(false);
        self.set_ownership(Ownership::OtherTab);
        self.show_read_only(thread);
        // Dropping the lock releases the lock. The store has already received the batch, and writes
        // it before later batches.
        thread.lock.take();
        thread.send(TabMessage::Released);
        self.queue_for_lock_later(thread);
    }

    /// Aborts runs and handlers after another tab has taken the conversation, and follows that tab.
    /// If the store fails or may have a diverged state, this page continues with its own state
    /// instead.
    pub(super) fn on_ownership_lost(&self, thread: &Rc<TabThread>) {
        if self.is_failing() || thread.is_apart.get() {
            return self.detach_from_store(thread);
        }
        self.abort_work();
        self.set_ownership(Ownership::OtherTab);
        self.show_read_only(thread);
        thread.lock.take();
        self.schedule_refresh();
        self.queue_for_lock_later(thread);
    }

    fn abort_work(&self) {
        if let Some(runtime) = self.runtime.upgrade() {
            runtime.abort_runs_and_handlers();
        }
    }

    /// Shows the session's conversation as read-only, and drops the unsaved changes and the pending
    /// jobs.
    fn show_read_only(&self, thread: &TabThread) {
        self.unsaved.take();
        let runtime = self.runtime.upgrade();
        let snapshot = runtime.and_then(|runtime| runtime.read(Session::snapshot));
        if let Some(snapshot) = snapshot {
            self.show_followed_thread(thread, snapshot);
        }
        self.drop_jobs();
    }
}

fn empty_snapshot() -> Value {
    Value::Array(Vec::new())
}

/// Parses a stored conversation into a snapshot and a journal sorted by call and attempt. Fails if
/// the outline or a message is missing or unreadable; an unreadable journal entry is skipped.
pub(super) fn parse_stored_thread(
    stored: &StoredThread,
) -> Result<(Value, Vec<JournalEntry>), StoreError> {
    let corrupt_error = |message: String| StoreError::new(StoreErrorKind::Corrupt, message);
    let parse = |text: &str| serde_json::from_str::<Value>(text);
    let mut messages = HashMap::new();
    let mut outline = None;
    for record in &stored.records {
        if record.name == OUTLINE {
            outline = Some(parse(&record.text).map_err(|error| corrupt_error(error.to_string()))?);
        } else if let Some(id) = message_id_in_name(&record.name) {
            messages.insert(id, record.text.as_str());
        }
    }
    let outline = outline.ok_or_else(|| corrupt_error("its outline is missing".to_owned()))?;
    let parse_message = |id: &str| parse(messages.get(id)?).ok();
    let snapshot = assemble_snapshot(outline, parse_message);
    let snapshot = snapshot.map_err(|error| corrupt_error(error.to_string()))?;
    // An unreadable entry is skipped. Its claim stays in the store, so the call does not start
    // again.
    let parse_entry = |text: &str| JournalEntry::from_value(&parse(text).ok()?).ok();
    let entries = stored.journal.iter();
    let mut journal: Vec<JournalEntry> = entries
        .filter_map(|record| parse_entry(&record.text))
        .collect();
    journal.sort_by_key(|entry| (entry.call_key(), attempt_order(entry)));
    Ok((snapshot, journal))
}

/// Returns the sort key of a journal entry within its call: starts by attempt, results last.
const fn attempt_order(entry: &JournalEntry) -> u32 {
    match entry {
        JournalEntry::Started { attempt, .. } => *attempt,
        JournalEntry::Finished { .. } => u32::MAX,
    }
}
