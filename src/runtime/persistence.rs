//! Defines the interface between the runtime and persistence.
//!
//! The interface consists of traits, so that an application without a store does not include the
//! implementation in `store_persistence`.

use std::{cell::Cell, rc::Rc};

use assistant_core::{
    action::RememberedApproval,
    session::{CommitId, Input, JournalEntry, Session, Swap, Ticket},
};
use futures_util::future::LocalBoxFuture;
use leptos::prelude::RwSignal;
use serde_json::Value;

use super::{Changes, Runtime};
use crate::{store::Label, ui::spawn_local};

/// The persistence of a conversation, and the management of its ownership.
pub(crate) trait Persistence {
    /// Holds back an input that must wait until the conversation is loaded. Returns any other
    /// input.
    fn hold_back(&self, input: Input) -> Option<Input>;
    /// Records changes of the session for later writes. The session is borrowed during the call.
    fn record_changes(&self, changes: &Changes, session: &Session);
    /// Writes the start of a call to the journal, and reports the outcome with
    /// [`Input::Committed`].
    fn commit_start(&self, commit: CommitId, entry: JournalEntry);
    /// Writes the result of a call to the journal.
    fn record_result(&self, entry: JournalEntry);
    /// Stores a conversation that was replaced by another conversation.
    fn store_archive(&self, thread_id: &str, snapshot: Value);
    /// Opens a conversation from the store. The runtime calls this method as a step of its queue,
    /// while the session is not borrowed.
    fn open_thread(&self, thread_id: String);
    /// Reads the list of conversations from the store, and shows the list.
    fn refresh_threads(&self);
    /// Searches the text of the listed conversations.
    fn search_threads(&self, search: ThreadSearch);
    /// Stores the user's label of a conversation.
    fn store_label(&self, thread_id: String, label: Label);
    /// Takes the conversation over from another tab. Does nothing if no other tab owns the
    /// conversation.
    fn take_ownership(&self);
    /// Includes the text of a composer in the draft, until the signal is disposed, and stores the
    /// draft for the next page of this tab. The draft begins with the messages that still wait for
    /// the conversation or the engine.
    fn store_draft(&self, text: RwSignal<String>);
    /// Stores the draft again, because a text or a waiting message has changed.
    fn update_draft(&self);
    /// Returns the draft that an earlier page of this tab has stored. A second call returns `None`.
    fn take_draft(&self) -> Option<String>;
    /// Writes the unsaved changes, and stops persistence.
    fn shut_down(&self);
}

/// A callback that receives the id of each conversation that a search finds, and `None` at the end.
type FoundCallback = Box<dyn Fn(Option<&str>)>;

/// A request to search the stored conversations.
pub(crate) struct ThreadSearch {
    /// The words that are searched for.
    pub(crate) words: String,
    /// The callback that receives the id of each conversation that contains the words, and `None`
    /// at the end.
    pub(crate) found: FoundCallback,
    /// True until the search is cancelled.
    pub(crate) wanted: Rc<Cell<bool>>,
}

/// The persistence of remembered approvals.
pub(crate) trait ApprovalPersistence {
    /// Stores what changed in the list of the session's approvals, which this is. Before the stored
    /// approvals were read, only removals are recorded.
    fn store_changes(&self, approvals: Vec<RememberedApproval>);
    /// Counts one use of an approval: if the stored approval still equals `before`, replaces it
    /// with `after`. Otherwise, resolves to the stored approval.
    fn compare_and_swap(
        &self,
        before: RememberedApproval,
        after: RememberedApproval,
    ) -> LocalBoxFuture<'static, Swap<RememberedApproval>>;
    /// Returns true if the session contains the stored approvals, because they were read once.
    fn is_loaded(&self) -> bool;
    /// Removes an approval that the session does not have, but that may be stored.
    fn remove(&self, id: &str);
    /// Returns the ids of all approvals that this page has removed.
    fn removed_ids(&self) -> Vec<String>;
}

impl Runtime {
    /// Counts a use of an approval in the store, and dispatches the outcome. Without a store, the
    /// outcome is success.
    pub(super) fn swap_approval(
        &self,
        ticket: Ticket,
        before: RememberedApproval,
        after: RememberedApproval,
    ) {
        let persistence = self.approval_persistence();
        let Some(persistence) = persistence else {
            // Without a store, the session has the only copy of the approval.
            let outcome = Swap::Done;
            return self.dispatch_ignoring_refusal(Input::ApprovalSwapped { ticket, outcome });
        };
        let (swap, runtime) = (persistence.compare_and_swap(before, after), self.weak());
        spawn_local(async move {
            let outcome = swap.await;
            if let Some(runtime) = runtime.upgrade() {
                runtime.dispatch_ignoring_refusal(Input::ApprovalSwapped { ticket, outcome });
            }
        });
    }

    pub(crate) fn persistence(&self) -> Option<Rc<dyn Persistence>> {
        self.persistence.borrow().clone()
    }

    /// Stores the draft again, because a text or a waiting message has changed. Does nothing without
    /// a store.
    pub(crate) fn update_draft(&self) {
        if let Some(persistence) = self.persistence() {
            persistence.update_draft();
        }
    }

    pub(crate) fn set_persistence(&self, persistence: Rc<dyn Persistence>) {
        let previous_persistence = self.persistence.replace(Some(persistence));
        if let Some(previous_persistence) = previous_persistence {
            previous_persistence.shut_down();
        }
    }

    /// Aborts all runs and handlers, because another tab owns the conversation now or the provider
    /// is unmounted. The session is not notified.
    pub(super) fn abort_runs_and_handlers(&self) {
        let runs = std::mem::take(&mut *self.runs.borrow_mut());
        for task in runs.into_values() {
            task.abort.abort();
        }
        let handlers = std::mem::take(&mut *self.handlers.borrow_mut());
        for task in handlers.into_values() {
            task.cancellation.cancel();
            task.abort.abort();
        }
    }

    pub(super) fn commit_start(&self, commit: CommitId, entry: JournalEntry) {
        match self.persistence() {
            Some(persistence) => persistence.commit_start(commit, entry),
            // Without a store there is nothing to write.
            None => self.dispatch_ignoring_refusal(Input::Committed {
                commit,
                outcome: Ok(()),
            }),
        }
    }

    pub(super) fn archive_thread(&self, thread_id: String, snapshot: Value) {
        if let Some(persistence) = self.persistence() {
            return persistence.store_archive(&thread_id, snapshot);
        }
        let mut archive = self.archive.borrow_mut();
        archive.retain(|(id, _)| *id != thread_id);
        archive.push((thread_id, snapshot));
        let ids = archive.iter().map(|(id, _)| id.clone()).collect();
        drop(archive);
        self.view.set_archived(ids);
    }
}
