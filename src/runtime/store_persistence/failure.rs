//! Handles a failing store: the conversation continues in the page, and is written once the store
//! works again.

use std::{
    cell::{Cell, RefCell},
    mem,
    rc::Rc,
    time::Duration,
};

use futures_channel::oneshot;
use futures_util::future::{Either, select};

use super::{StorePersistence, jobs::WriteJob, thread::TabThread};
use crate::{
    store::{Ownership, StoreError, StoreErrorKind, TabMessage},
    ui::{after, sleep, spawn_local},
};

/// The first retry delay, in milliseconds. The delay doubles after each retry.
const FIRST_RETRY_MS: u32 = 2_000;
/// The longest retry delay, in milliseconds.
const MAX_RETRY_MS: u32 = 60_000;
/// The time, in milliseconds, within which another tab must answer that it owns a conversation.
const PING_TIMEOUT_MS: u64 = 500;

/// The state of the retries after a failure of the store.
#[derive(Default)]
pub(super) struct FailureState {
    pub(super) fails: Cell<bool>,
    /// The next retry delay, in milliseconds, before the shortest and the longest delay are
    /// applied.
    pub(super) pause_ms: Cell<u32>,
    pub(super) waits: Cell<bool>,
    /// The jobs to repeat once the store works again.
    pub(super) postponed: RefCell<Vec<WriteJob>>,
}

impl StorePersistence {
    /// Returns true while the store fails.
    pub(super) fn is_failing(&self) -> bool {
        self.failure.fails.get()
    }

    /// Handles an error of the store. If another page has taken over the conversation, the takeover
    /// is handled; otherwise the failure is shown, and the write is retried later. An error for a
    /// conversation that is not open any more is ignored.
    pub(super) fn handle_error(&self, thread: &Rc<TabThread>, error: &StoreError) {
        if !self.is_current(thread) {
            return;
        }
        if error.kind == StoreErrorKind::TakenOver {
            return self.on_taken_over(thread);
        }
        self.mark_failing();
        self.show_ownership();
        self.update_failure_notice(Some(error));
        self.schedule_retry();
    }

    pub(super) fn mark_failing(&self) {
        self.failure.fails.set(true);
    }

    pub(super) fn mark_recovered(&self) {
        self.failure.pause_ms.set(0);
        self.failure.fails.set(false);
        self.show_ownership();
        self.update_failure_notice(None);
    }

    pub(super) fn postpone_job(&self, job: WriteJob) {
        self.failure.postponed.borrow_mut().push(job);
        self.schedule_retry();
    }

    pub(super) fn schedule_retry(&self) {
        if self.ended.get() || self.failure.waits.replace(true) {
            return;
        }
        let delay_ms = self
            .failure
            .pause_ms
            .get()
            .clamp(FIRST_RETRY_MS, MAX_RETRY_MS);
        self.failure.pause_ms.set(delay_ms.saturating_mul(2));
        let weak_persistence = self.me.clone();
        after(delay_ms, move || {
            if let Some(persistence) = weak_persistence.upgrade() {
                persistence.failure.waits.set(false);
                persistence.push_job(WriteJob::Again);
            }
        });
    }

    /// Queues the postponed jobs again, and writes the unsaved changes. If there are no changes,
    /// sends the store a request that changes nothing. While a conversation is being opened,
    /// schedules another retry instead. Sends nothing if this tab does not own the conversation, or
    /// if the store may have a diverged state.
    pub(super) async fn retry_writes(&self) {
        let postponed_jobs = mem::take(&mut *self.failure.postponed.borrow_mut());
        self.jobs.borrow_mut().extend(postponed_jobs);
        let thread = self.thread();
        if self.ownership.get() == Ownership::Opening {
            return self.schedule_retry();
        }
        if !self.owns_thread() || thread.is_apart.get() {
            return;
        }
        let outcome = match (self.has_changes(&thread), thread.taken.get()) {
            (true, _) => {
                let outcome = self.write_changes(&thread, None).await;
                outcome.map_err(|failure| failure.record(&thread))
            }
            (false, true) => self.check_store(&thread).await,
            (false, false) => self.with_timeout(self.store.threads()).await.map(drop),
        };
        match outcome {
            Ok(()) => self.mark_recovered(),
            Err(error) => self.handle_error(&thread, &error),
        }
    }

    /// Separates this page from the store after another page has, or may have, taken the
    /// conversation: this page continues with its own state, and does not overwrite the writes of
    /// the other page.
    pub(super) fn detach_from_store(&self, thread: &TabThread) {
        thread.is_apart.set(true);
        thread.lock.take();
        thread.place.take();
        self.show_ownership();
    }

    /// Handles a takeover reported by the store: follows the other page if that page answers or
    /// cannot be asked, otherwise takes the conversation back. If the store fails, this page
    /// continues with its own state instead.
    fn on_taken_over(&self, thread: &Rc<TabThread>) {
        if self.is_failing() {
            return self.detach_from_store(thread);
        }
        let Some(persistence) = self.me.upgrade() else {
            return;
        };
        let thread = Rc::clone(thread);
        spawn_local(async move {
            // If the other tabs cannot be asked, the error of the store is trusted.
            let has_other_owner = persistence.is_owned_by_other_tab(&thread).await != Some(false);
            if !persistence.is_current(&thread) || !persistence.owns_thread() {
                return;
            }
            match has_other_owner {
                true => persistence.on_ownership_lost(&thread),
                false => {
                    thread.restart_writer(None);
                    persistence.set_ownership(Ownership::Opening);
                    persistence.load_or_follow(&thread, true).await;
                }
            }
        });
    }

    /// Asks the other tabs whether one of them owns a conversation. Returns true if a tab answers,
    /// false if no tab answers within [`PING_TIMEOUT_MS`], and `None` if there is no channel to the
    /// other tabs.
    pub(super) async fn is_owned_by_other_tab(&self, thread: &Rc<TabThread>) -> Option<bool> {
        let (sender, receiver) = oneshot::channel();
        thread.pinged.replace(Some(sender));
        if !thread.send(TabMessage::Ping) {
            return None;
        }
        let timeout = Box::pin(sleep(Duration::from_millis(PING_TIMEOUT_MS)));
        let outcome = select(receiver, timeout).await;
        Some(matches!(outcome, Either::Left((Ok(()), _))))
    }
}
