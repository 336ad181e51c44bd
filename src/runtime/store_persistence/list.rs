//! Reads and updates the list of stored conversations, and removes deleted conversations.

use super::StorePersistence;
use crate::{
    store::{Label, ThreadInfo},
    ui::now,
};

/// The time for which a deletion can be undone, in milliseconds. The conversation is removed when
/// the list is read for the first time after this period.
const UNDO_PERIOD_MS: i64 = 3_600_000;

impl StorePersistence {
    pub(super) async fn refresh_list(&self) {
        // If the list cannot be read, the displayed list is not changed.
        let Ok(threads) = self.with_timeout(self.store.threads()).await else {
            return;
        };
        let cutoff = now() - UNDO_PERIOD_MS;
        let is_expired = |thread: &ThreadInfo| {
            thread
                .deleted_at
                .is_some_and(|deleted_at| deleted_at < cutoff)
        };
        let (expired_threads, remaining_threads) = threads.into_iter().partition(is_expired);
        self.show_list(remaining_threads);
        let expired_threads: Vec<ThreadInfo> = expired_threads;
        for thread in expired_threads {
            // A failed removal is retried when the list is read again.
            let _ = self.with_timeout(self.store.remove(&thread.id)).await;
        }
    }

    pub(super) async fn write_label(&self, thread_id: String, label: Label) {
        match self.with_timeout(self.store.label(&thread_id, label)).await {
            Ok(()) => self.refresh_list().await,
            Err(error) => self.handle_error(&self.thread(), &error),
        }
    }

    /// Updates the entry of a written conversation in the list, or adds a new entry. The user's
    /// title and deletion mark are kept. Does nothing without `info`, or if the list was not read
    /// yet.
    pub(super) fn update_list_entry(&self, info: Option<ThreadInfo>) {
        let threads = self.listed.borrow().clone();
        let (Some(mut threads), Some(mut info)) = (threads, info) else {
            return;
        };
        if let Some(index) = threads.iter().position(|thread| thread.id == info.id) {
            let previous_entry = threads.remove(index);
            let label = Label {
                title: previous_entry.named.then_some(previous_entry.title),
                deleted_at: previous_entry.deleted_at,
            };
            info = info.labelled(label);
        }
        threads.push(info);
        self.show_list(threads);
    }

    fn show_list(&self, mut threads: Vec<ThreadInfo>) {
        threads.sort_by_key(|thread| std::cmp::Reverse(thread.updated_at));
        self.listed.replace(Some(threads.clone()));
        if let Some(runtime) = self.runtime.upgrade() {
            runtime.view.set_listed(threads);
        }
    }
}
