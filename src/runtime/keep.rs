//! Where the runtime meets what keeps conversations, if an application wants them kept.
//!
//! What does it is behind a trait, so that an application without a store does not carry it.
//! Neighbour: `keeping`, which does it.

use std::rc::Rc;

use assistant_core::{
    action::RememberedApproval,
    session::{CommitId, Input, JournalEntry, Session, Swap, Ticket},
};
use futures_util::future::LocalBoxFuture;
use serde_json::Value;

use super::{Changes, Runtime};
use crate::{store::Label, ui::spawn_local};

/// Writes down what happens, and says whose the conversation is.
pub(crate) trait Keeper {
    /// Takes an input that must wait until the conversation is there, or gives it back.
    fn hold(&self, input: Input) -> Option<Input>;
    /// Something has changed. The session is borrowed.
    fn changed(&self, changes: &Changes, session: &Session);
    /// Writes a start down, and says so with [`Input::Committed`].
    fn commit(&self, commit: CommitId, entry: JournalEntry);
    /// Writes an answer down.
    fn record(&self, entry: JournalEntry);
    /// Another conversation has taken the place of this one.
    fn archive(&self, thread_id: &str, snapshot: Value);
    /// Opens a conversation out of the store.
    fn open(&self, thread_id: String);
    /// Reads the list of conversations.
    fn list(&self);
    /// Says something about a conversation, for the person.
    fn label(&self, thread_id: String, label: Label);
    /// Makes the conversation this tab's.
    fn use_here(&self);
    /// Ends: the provider goes.
    fn end(&self);
}

/// Keeps the approvals that outlive the page.
pub(crate) trait ApprovalKeeper {
    /// Keeps these in place of all that were kept before.
    fn keep(&self, approvals: Vec<RememberedApproval>);
    /// Counts a use of one, if it is still as it was.
    fn swap(
        &self,
        before: RememberedApproval,
        after: RememberedApproval,
    ) -> LocalBoxFuture<'static, Swap<RememberedApproval>>;
}

impl Runtime {
    /// Counts a use of an approval, and says how that went.
    pub(super) fn swap_approval(
        &self,
        ticket: Ticket,
        before: RememberedApproval,
        after: RememberedApproval,
    ) {
        let keeper = self.approvals.borrow().clone();
        let Some(keeper) = keeper else {
            // The session has the only one.
            let outcome = Swap::Done;
            return self.later(Input::ApprovalSwapped { ticket, outcome });
        };
        let (swaps, runtime) = (keeper.swap(before, after), self.weak());
        spawn_local(async move {
            let outcome = swaps.await;
            if let Some(runtime) = runtime.upgrade() {
                runtime.later(Input::ApprovalSwapped { ticket, outcome });
            }
        });
    }

    pub(crate) fn keeper(&self) -> Option<Rc<dyn Keeper>> {
        self.keeper.borrow().clone()
    }

    pub(crate) fn set_keeper(&self, keeper: Rc<dyn Keeper>) {
        let old = self.keeper.replace(Some(keeper));
        if let Some(old) = old {
            old.end();
        }
    }

    /// Drops everything that runs here, as the conversation is another tab's now: nothing is said
    /// to the session about it.
    pub(super) fn abandon(&self) {
        let runs = std::mem::take(&mut *self.runs.borrow_mut());
        for abort in runs.into_values() {
            abort.abort();
        }
        let handlers = std::mem::take(&mut *self.handlers.borrow_mut());
        for task in handlers.into_values() {
            task.cancellation.cancel();
            task.abort.abort();
        }
    }

    pub(super) fn commit(&self, commit: CommitId, entry: JournalEntry) {
        match self.keeper() {
            Some(keeper) => keeper.commit(commit, entry),
            // What is in the session is all there is to keep.
            None => self.later(Input::Committed {
                commit,
                outcome: Ok(()),
            }),
        }
    }

    pub(super) fn archive(&self, thread_id: String, snapshot: Value) {
        if let Some(keeper) = self.keeper() {
            return keeper.archive(&thread_id, snapshot);
        }
        let mut archive = self.archive.borrow_mut();
        archive.retain(|(id, _)| *id != thread_id);
        archive.push((thread_id, snapshot));
        let ids = archive.iter().map(|(id, _)| id.clone()).collect();
        drop(archive);
        self.view.archive(ids);
    }
}
