//! Runs the jobs that write to a store one after the other, and reports the outcomes of the jobs.

use std::{mem, rc::Rc, time::Duration};

use assistant_core::session::{ClaimOutcome, CommitId, Input, JournalEntry, StoredCalls};
use futures_channel::oneshot;
use futures_util::future::{Either, select};
use serde_json::Value;

use super::{
    StorePersistence,
    save::{UnsavedChanges, Urgency, build_batch, build_journal_record, split_snapshot},
    thread::TabThread,
};
use crate::{
    store::{Batch, StoreError, StoreErrorKind, StoreFuture, TabMessage},
    ui::{next_frame, sleep, spawn_local},
};

/// The maximum number of frames over which a save serializes messages before the write.
const MAX_FRAMES: u32 = 50;

/// The timeout of a store operation, in milliseconds.
const STORE_TIMEOUT_MS: u64 = 8_000;

/// A job that writes to the store.
pub(super) enum WriteJob {
    /// A write of the unsaved changes.
    Save,
    /// A repetition of all postponed writes, and a write of the unsaved changes.
    Again,
    /// A write of a call's start, together with the unsaved changes.
    Commit(CommitId, Box<JournalEntry>),
    /// A write of the final state of a conversation that was replaced.
    Archive(Rc<TabThread>, Value, UnsavedChanges),
    /// A notification that all earlier jobs have ended.
    Notify(oneshot::Sender<()>),
}

/// A failed write.
#[must_use = "the calls of the write must be recorded"]
pub(super) struct FailedWrite {
    error: StoreError,
    /// The calls that the store may have been given, because it did not answer.
    calls: StoredCalls,
}

impl FailedWrite {
    /// Records the calls that the store may have been given, and returns the error.
    pub(super) fn record(self, thread: &TabThread) -> StoreError {
        thread.add_stored_calls(self.calls);
        self.error
    }
}

impl From<StoreError> for FailedWrite {
    /// Creates the failure of a write that the store was not given, or has refused.
    fn from(error: StoreError) -> Self {
        let calls = StoredCalls::default();
        Self { error, calls }
    }
}

impl StorePersistence {
    pub(super) fn push_job(&self, job: WriteJob) {
        let mut jobs = self.jobs.borrow_mut();
        if !(matches!(job, WriteJob::Save) && matches!(jobs.back(), Some(WriteJob::Save))) {
            jobs.push_back(job);
        }
        drop(jobs);
        if self.working.replace(true) {
            return;
        }
        if let Some(persistence) = self.me.upgrade() {
            spawn_local(async move { persistence.run_jobs().await });
        }
    }

    async fn run_jobs(self: Rc<Self>) {
        loop {
            let job = self.jobs.borrow_mut().pop_front();
            match job {
                Some(WriteJob::Save) => self.save().await,
                Some(WriteJob::Again) => self.retry_writes().await,
                Some(WriteJob::Commit(commit, entry)) => {
                    let outcome = self.write_claim(&entry).await;
                    self.report_commit(commit, outcome);
                }
                Some(WriteJob::Archive(thread, snapshot, unsaved)) => {
                    self.archiving.replace(Some(thread.id.clone()));
                    self.write_archive(thread, snapshot, unsaved).await;
                    self.archiving.take();
                }
                // Sending fails only if the receiver was dropped.
                Some(WriteJob::Notify(sender)) => drop(sender.send(())),
                None => break,
            }
        }
        self.working.set(false);
    }

    /// Drops pending jobs, except writes of replaced conversations. Starts that wait for a commit
    /// are refused.
    pub(super) fn drop_jobs(&self) {
        let jobs = mem::take(&mut *self.jobs.borrow_mut());
        for job in jobs {
            match job {
                WriteJob::Commit(commit, _) => {
                    self.report_commit(commit, Err("it is open in another tab".to_owned()));
                }
                WriteJob::Archive(..) | WriteJob::Notify(_) => {
                    self.jobs.borrow_mut().push_back(job);
                }
                WriteJob::Save | WriteJob::Again => {}
            }
        }
    }

    pub(super) fn report_commit(&self, commit: CommitId, outcome: Result<(), String>) {
        self.dispatch(Input::Committed { commit, outcome });
    }

    /// Serializes changed messages over at most [`MAX_FRAMES`] frames, so that the write itself is
    /// short.
    async fn serialize_messages_ahead(&self) {
        for _ in 0..MAX_FRAMES {
            let Some(runtime) = self.runtime.upgrade() else {
                return;
            };
            let has_more = runtime.read(|session| {
                let is_current = session.thread_id() == self.thread.borrow().id;
                is_current && self.unsaved.borrow_mut().serialize_some_messages(session)
            });
            if has_more != Some(true) {
                return;
            }
            drop(runtime);
            next_frame().await;
        }
    }

    async fn save(&self) {
        self.serialize_messages_ahead().await;
        let thread = self.thread();
        if !self.owns_thread() || self.is_failing() || !self.has_changes(&thread) {
            return;
        }
        if let Err(failure) = self.write_changes(&thread, None).await {
            self.handle_error(&thread, &failure.record(&thread));
        }
    }

    /// Returns true if there are changes to write. An empty conversation that is not in the store
    /// is not written, nor is a state that has diverged from the store.
    pub(super) fn has_changes(&self, thread: &TabThread) -> bool {
        if thread.is_apart.get() || self.unsaved.borrow().has_no_changes() {
            return false;
        }
        let runtime = self.runtime.upgrade();
        let message_count = runtime
            .and_then(|runtime| runtime.read(|session| session.conversation().message_count()));
        thread.taken.get() || message_count.unwrap_or_default() > 0
    }

    /// Writes the start of a call to the journal. Returns an error with the reason if the call must
    /// not start.
    ///
    /// If the store fails, a call that no other page can get from the store or the agent is allowed.
    /// The entry of the call is written later (rule "failure of a store"; [`StoredCalls`] tracks
    /// the other calls).
    async fn write_claim(&self, entry: &JournalEntry) -> Result<(), String> {
        let thread = self.thread();
        if !self.owns_thread() || thread.id != entry.thread_id() {
            return Err("the conversation is not open here".to_owned());
        }
        let may_start = |outcome| self.may_start(&thread, entry, outcome);
        if (self.is_failing() || thread.is_apart.get()) && may_start(ClaimOutcome::Failed) {
            self.unsaved.borrow_mut().add_entry(entry);
            return Ok(());
        }
        if thread.is_apart.get() {
            return Err("another page may have started it".to_owned());
        }
        let Err(failure) = self.write_changes(&thread, Some(entry)).await else {
            return Ok(());
        };
        // A write that began during the batch with the claim may have stored the call without the
        // claim. The calls of the batch itself are recorded afterwards, because the batch contains
        // the claim of the call.
        let may_start_unclaimed = may_start(match failure.error.kind {
            StoreErrorKind::TakenOver => ClaimOutcome::Refused,
            _ => ClaimOutcome::Failed,
        });
        let error = failure.record(&thread);
        if error.kind == StoreErrorKind::Claimed {
            return Err(error.message);
        }
        self.handle_error(&thread, &error);
        if !self.is_current(&thread) || !may_start_unclaimed {
            return Err(error.message);
        }
        self.unsaved.borrow_mut().add_entry(entry);
        Ok(())
    }

    /// Returns true if the call of an entry may start after this outcome of its claim.
    fn may_start(&self, thread: &TabThread, entry: &JournalEntry, claim: ClaimOutcome) -> bool {
        let (stored_calls, call) = (thread.stored.get(), entry.call_key());
        let runtime = self.runtime.upgrade();
        let may_start = runtime.and_then(|runtime| {
            runtime.read(|session| stored_calls.may_start(call, claim, session))
        });
        may_start == Some(true)
    }

    /// Writes an empty batch to check that a failing store works again. Does nothing if the store
    /// is not failing or the writer is not registered. A claim is not used for this check: if the
    /// write of a claim failed, the outcome of the claim would be unknown, and this page could no
    /// longer start the call.
    pub(super) async fn check_store(&self, thread: &TabThread) -> Result<(), StoreError> {
        let empty_batch = Batch {
            thread_id: thread.id.clone(),
            writer: thread.writer(),
            ..Batch::default()
        };
        match self.is_failing() && thread.taken.get() {
            true => self.with_timeout(self.store.write(empty_batch)).await,
            false => Ok(()),
        }
    }

    /// Waits for a store operation. Fails with [`StoreErrorKind::NoAnswer`] after
    /// [`STORE_TIMEOUT_MS`]; a later result is ignored.
    pub(super) async fn with_timeout<T>(&self, operation: StoreFuture<T>) -> Result<T, StoreError> {
        let timeout = Box::pin(sleep(Duration::from_millis(STORE_TIMEOUT_MS)));
        match select(operation, timeout).await {
            Either::Left((outcome, _)) => outcome,
            Either::Right(_) => {
                let message = "the store does not answer";
                Err(StoreError::new(StoreErrorKind::NoAnswer, message))
            }
        }
    }

    /// Writes the unsaved changes in one atomic batch, together with `claim` if there is a claim.
    /// If the store no longer contains the conversation, the complete conversation is written.
    pub(super) async fn write_changes(
        &self,
        thread: &Rc<TabThread>,
        claim: Option<&JournalEntry>,
    ) -> Result<(), FailedWrite> {
        let outcome = match self.check_store(thread).await {
            Ok(()) => self.write_once(thread, claim).await,
            Err(error) => Err(error.into()),
        };
        let is_forgotten =
            |error: &StoreError| error.kind == StoreErrorKind::Forgotten && self.is_current(thread);
        let outcome = match outcome {
            Err(failure) if is_forgotten(&failure.error) => {
                thread.taken.set(false);
                self.unsaved
                    .borrow_mut()
                    .merge_older(UnsavedChanges::whole_thread());
                self.write_once(thread, claim).await
            }
            outcome => outcome,
        };
        if outcome.is_ok() {
            self.mark_recovered();
            thread.send(TabMessage::Written);
        }
        outcome
    }

    async fn write_once(
        &self,
        thread: &Rc<TabThread>,
        claim: Option<&JournalEntry>,
    ) -> Result<(), FailedWrite> {
        if !thread.taken.get() {
            self.take_thread(thread).await?;
        }
        let Some((mut batch, unsaved_changes, calls)) = self.collect_batch(thread) else {
            let message = "the conversation is not open here";
            return Err(StoreError::new(StoreErrorKind::Failed, message).into());
        };
        batch.claim = claim.map(build_journal_record);
        let info = batch.info.clone();
        let Err(error) = self.with_timeout(self.begin_write(batch)).await else {
            thread.add_stored_calls(calls);
            if info.is_some() {
                thread.listed.replace(info.clone());
            }
            self.update_list_entry(info);
            return Ok(());
        };
        if self.is_current(thread) {
            self.unsaved.borrow_mut().merge_older(unsaved_changes);
        }
        match error.kind {
            StoreErrorKind::NoAnswer => Err(FailedWrite { error, calls }),
            _ => Err(error.into()),
        }
    }

    /// Takes the lock and the ownership of a conversation before its first write, registers the
    /// writer in the store, and notifies the other tabs.
    async fn take_thread(&self, thread: &Rc<TabThread>) -> Result<(), StoreError> {
        // The lock is acquired at most once, even if the store then fails: otherwise this tab would
        // wait for its own lock.
        if thread.lock.borrow().is_none() && !thread.is_lockless.get() {
            self.listen_to_tabs(thread);
            // Another tab can have a conversation with this id only if the conversation was
            // imported. In that case, the conversation of this tab is newer.
            self.acquire_ownership(thread, true).await;
        }
        let registration = self.store.take(&thread.id, &thread.writer());
        self.with_timeout(registration).await?;
        thread.taken.set(true);
        thread.send(TabMessage::Owned);
        if self.is_current(thread) {
            self.remember_in_tab(&thread.id);
        }
        Ok(())
    }

    async fn write_archive(&self, thread: Rc<TabThread>, snapshot: Value, unsaved: UnsavedChanges) {
        if thread.is_apart.get() {
            return;
        }
        let batch = Batch {
            thread_id: thread.id.clone(),
            writer: thread.writer(),
            put: split_snapshot(snapshot.clone()),
            add: unsaved.entries(),
            ..Batch::default()
        };
        let outcome = match thread.taken.get() {
            true => Ok(()),
            false => self.take_thread(&thread).await,
        };
        let outcome = match outcome {
            Ok(()) => self.with_timeout(self.store.write(batch)).await,
            Err(error) => Err(error),
        };
        // Releases the lock even if the write has failed, so that another tab can become the owner.
        // The lock would otherwise be kept until the last reference to the conversation is dropped.
        thread.lock.take();
        thread.channel.take();
        match outcome {
            Err(error) if error.kind != StoreErrorKind::TakenOver => {
                self.update_failure_notice(Some(&error));
                self.postpone_job(WriteJob::Archive(thread, snapshot, unsaved));
            }
            _ => {}
        }
    }

    /// Takes the unsaved changes, and returns a batch with these changes, the changes themselves,
    /// and the calls that the batch stores. Returns `None`, and keeps the changes, if the session
    /// has another conversation or follows another tab.
    fn collect_batch(&self, thread: &TabThread) -> Option<(Batch, UnsavedChanges, StoredCalls)> {
        let runtime = self.runtime.upgrade()?;
        let mut unsaved_changes = mem::take(&mut *self.unsaved.borrow_mut());
        let batch = runtime.read(|session| {
            let is_current = session.thread_id() == thread.id && !session.is_following();
            is_current.then(|| {
                let batch = build_batch(session, thread, &mut unsaved_changes);
                (batch, StoredCalls::of(session))
            })
        });
        match batch.flatten() {
            Some((batch, calls)) => Some((batch, unsaved_changes, calls)),
            None => {
                self.unsaved.borrow_mut().merge_older(unsaved_changes);
                None
            }
        }
    }

    /// Writes the unsaved changes at once, for example because the page may be unloaded, if this
    /// tab owns the conversation and the writer is registered. While the store fails, writes only
    /// if `is_unloading` is true.
    pub(super) fn save_now(&self, is_unloading: bool) {
        let thread = self.thread();
        if self.is_failing() && !is_unloading {
            return;
        }
        if !self.owns_thread() || !thread.taken.get() || !self.has_changes(&thread) {
            return;
        }
        let Some((batch, unsaved_changes, calls)) = self.collect_batch(&thread) else {
            return;
        };
        thread.add_stored_calls(calls);
        let (write, persistence) = (self.begin_write(batch), self.me.upgrade());
        let Some(persistence) = persistence else {
            return;
        };
        spawn_local(async move {
            let Err(error) = persistence.with_timeout(write).await else {
                return;
            };
            if persistence.is_current(&thread) {
                let mut new_changes = persistence.unsaved.borrow_mut();
                new_changes.merge_older(unsaved_changes);
                if error.kind == StoreErrorKind::Forgotten {
                    new_changes.merge_older(UnsavedChanges::whole_thread());
                    thread.taken.set(false);
                }
                drop(new_changes);
                persistence.schedule_save(Urgency::WithTheAnswer);
            }
        });
    }
}
