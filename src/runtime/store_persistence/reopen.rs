//! Opens a conversation again whose final state has not been written.

use std::rc::Rc;

use futures_channel::oneshot;
use serde_json::Value;

use super::{StorePersistence, jobs::WriteJob, save::UnsavedChanges, thread::TabThread};

/// A replaced conversation whose final state could not be written: its state in this tab, its
/// snapshot and its unsaved changes.
pub(super) type UnwrittenThread = (Rc<TabThread>, Value, UnsavedChanges);

impl StorePersistence {
    /// Writes the final state of a conversation, if the conversation was replaced and its final
    /// state has not been written yet. Returns the conversation if the write fails.
    pub(super) async fn finish_archive(&self, thread_id: &str) -> Option<UnwrittenThread> {
        let is_of_thread =
            |job: &WriteJob| matches!(job, WriteJob::Archive(thread, ..) if thread.id == thread_id);
        let take_postponed = || -> Vec<WriteJob> {
            let mut postponed_jobs = self.failure.postponed.borrow_mut();
            postponed_jobs
                .extract_if(.., |job| is_of_thread(job))
                .collect()
        };
        let postponed_jobs = take_postponed();
        self.jobs.borrow_mut().extend(postponed_jobs);
        let is_pending = || {
            let is_being_written = self.archiving.borrow().as_deref() == Some(thread_id);
            is_being_written || self.jobs.borrow().iter().any(is_of_thread)
        };
        // A retry between the write and the notification may queue a failed write again.
        while is_pending() {
            let (sender, receiver) = oneshot::channel();
            self.push_job(WriteJob::Notify(sender));
            // Receiving fails only if the jobs were dropped with the provider.
            if receiver.await.is_err() {
                return None;
            }
            if let Some(WriteJob::Archive(thread, snapshot, unsaved)) = take_postponed().pop() {
                return Some((thread, snapshot, unsaved));
            }
        }
        None
    }

    /// Continues with a conversation whose final state could not be written, and schedules a retry.
    /// If another tab owns the conversation, it continues in this page only. If this tab has opened
    /// a different conversation meanwhile, only the write is postponed again.
    pub(super) async fn reopen(
        &self,
        (thread, snapshot, unsaved): UnwrittenThread,
        (opened_thread, takes_over): (&Rc<TabThread>, bool),
    ) {
        self.listen_to_tabs(&thread);
        let is_owner = self.acquire_ownership(&thread, takes_over).await;
        if !self.is_current(opened_thread) {
            thread.lock.take();
            thread.channel.take();
            return self.postpone_job(WriteJob::Archive(thread, snapshot, unsaved));
        }
        self.thread.replace(Rc::clone(&thread));
        // The other tab may have written a newer state.
        thread.is_apart.set(!is_owner);
        self.mark_failing();
        self.set_ownership(self.this_tab_ownership());
        self.unsaved.replace(unsaved);
        self.load_initial_thread(&thread.id, Some(snapshot));
        self.dispatch_held_inputs();
        self.schedule_retry();
    }
}
