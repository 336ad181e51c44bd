//! Reads and updates the list of stored conversations, and removes deleted conversations.

use super::StorePersistence;
use crate::{
    store::{Label, ThreadInfo},
    ui::now,
};

/// The time for which a deletion can be undone, in milliseconds. The first reading of the list
/// after that removes the conversation.
const UNDO_MS: i64 = 3_600_000;

impl StorePersistence {
    pub(super) async fn refresh_list(&self) {
        // A list that cannot be read stays as it is.
        let Ok(threads) = self.with_timeout(self.store.threads()).await else {
            return;
        };
        let old = now() - UNDO_MS;
        let is_expired = |thread: &ThreadInfo| thread.deleted_at.is_some_and(|at| at < old);
        let (deleted, there) = threads.into_iter().partition(is_expired);
        self.show_list(there);
        let deleted: Vec<ThreadInfo> = deleted;
        for thread in deleted {
            // Removal that fails now is retried with the next listing.
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
        let listed = self.listed.borrow().clone();
        let (Some(mut listed), Some(mut info)) = (listed, info) else {
            return;
        };
        if let Some(place) = listed.iter().position(|known| known.id == info.id) {
            let known = listed.remove(place);
            let label = Label {
                title: known.named.then_some(known.title),
                deleted_at: known.deleted_at,
            };
            info = info.labelled(label);
        }
        listed.push(info);
        self.show_list(listed);
    }

    fn show_list(&self, mut threads: Vec<ThreadInfo>) {
        threads.sort_by_key(|thread| std::cmp::Reverse(thread.updated_at));
        self.listed.replace(Some(threads.clone()));
        if let Some(runtime) = self.runtime.upgrade() {
            runtime.view.set_listed(threads);
        }
    }
}
