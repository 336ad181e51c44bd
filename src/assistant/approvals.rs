//! Lists and revokes the approvals that the user has given for later calls, and persists them in a
//! store.

use std::{
    cell::Cell,
    future::ready,
    rc::{Rc, Weak},
};

use assistant_core::{
    action::{Remember, RememberedApproval},
    conversation::CallKey,
    session::{Input, Refusal, Swap, Verdict},
};
use futures_util::future::LocalBoxFuture;
use leptos::prelude::{ArcReadSignal, Set};
use serde_json::Value;

use super::{Assistant, WeakAssistant};
use crate::{
    runtime::ApprovalPersistence,
    store::ApprovalStore,
    ui::{Subscription, console_error, spawn_local},
};

/// The reason for which no use of an approval is counted before the store was read.
const NOT_READ: &str = "the stored approvals were not read yet";

/// Methods for remembered approvals.
impl Assistant {
    /// Approves a call, and remembers the approval for similar later calls. If `args` is given, it
    /// replaces the agent's arguments.
    ///
    /// # Errors
    ///
    /// Fails if the call does not wait for a decision of the page, if its action requires approval
    /// each time ([`Refusal::NotRemembered`]), or if only the user may approve it
    /// ([`Refusal::OnlyUser`]).
    pub fn approve_and_remember(
        &self,
        call: &CallKey,
        args: Option<Value>,
        what: Remember,
    ) -> Result<(), Refusal> {
        self.decide(call, Verdict::Remember { args, what })
    }

    /// Returns the approvals that apply to later calls.
    #[must_use]
    pub fn remembered_approvals(&self) -> RememberedApprovals {
        RememberedApprovals(self.clone())
    }
}

/// The approvals that the user has given for later calls
/// ([`Assistant::remembered_approvals`]).
#[derive(Debug, Clone)]
pub struct RememberedApprovals(Assistant);

impl RememberedApprovals {
    /// Returns the approvals, oldest first, as a signal.
    #[must_use]
    pub fn list(&self) -> ArcReadSignal<Vec<RememberedApproval>> {
        self.0.view().remembered.read_only()
    }

    /// Revokes a remembered approval. Calls that the approval allowed and that have not started
    /// need approval again; running calls continue.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// let approvals = assistant.remembered_approvals();
    /// for approval in approvals.list().get_untracked() {
    ///     approvals.revoke(approval.id());
    /// }
    /// # }
    /// ```
    pub fn revoke(&self, id: &str) {
        // The result is ignored, because a refusal only means that the approval was already
        // revoked.
        let _ = self.0.dispatch(Input::ForgetApproval { id: id.to_owned() });
    }

    /// Persists approvals in a store, and lets the user allow actions permanently. Stored approvals
    /// apply once they are loaded; until then the user is asked. If the store reports changes, an
    /// approval that another tab revokes is also revoked in this tab. A later store replaces an
    /// earlier store, whose changes are then no longer read.
    pub fn persist_in(&self, store: impl ApprovalStore) {
        self.0.attach_approval_store(Rc::new(store));
    }
}

impl Assistant {
    fn attach_approval_store(&self, store: Rc<dyn ApprovalStore>) {
        let reader = ApprovalReader {
            assistant: self.weak(),
            store: Rc::downgrade(&store),
            progress: Rc::default(),
        };
        // If an earlier store was read, the session contains its approvals, so changes of the list
        // are stored from now on.
        let earlier = self.runtime().approval_persistence();
        let is_loaded = earlier.is_some_and(|earlier| earlier.is_loaded());
        reader.progress.is_loaded.set(is_loaded);
        reader.read();
        let (progress, reader) = (Rc::clone(&reader.progress), reader);
        let changes = store.on_change(Box::new(move || {
            increment(&reader.progress.changes);
            reader.read();
        }));
        // The new adapter replaces the adapter of an earlier store, whose subscription then ends.
        let persistence = ApprovalStoreAdapter {
            store,
            progress,
            _changes: changes,
        };
        self.runtime()
            .set_approval_persistence(Rc::new(persistence));
        self.view().stores_approvals.set(true);
    }
}

/// The progress of reading a store.
#[derive(Default)]
struct ReadProgress {
    /// The number of changes, by this page and by other writers.
    changes: Cell<u32>,
    /// The number of the newest reading.
    readings: Cell<u32>,
    /// True if the approvals were read and applied. Before that, the session does not know the
    /// stored approvals, so its list must not replace the stored list.
    is_loaded: Cell<bool>,
}

fn increment(count: &Cell<u32>) -> u32 {
    count.set(count.get().wrapping_add(1));
    count.get()
}

/// Reads the approvals of a store, until the store is replaced.
struct ApprovalReader {
    assistant: WeakAssistant,
    store: Weak<dyn ApprovalStore>,
    progress: Rc<ReadProgress>,
}

impl ApprovalReader {
    /// Reads the approvals and applies them. If the store changes meanwhile, the list may be
    /// outdated, so the approvals are read again. A later reading replaces this reading. If the
    /// approvals cannot be read, nothing is applied.
    fn read(&self) {
        let number = increment(&self.progress.readings);
        let (assistant, store) = (self.assistant.clone(), self.store.clone());
        let progress = Rc::clone(&self.progress);
        let begin = move || {
            let changes = progress.changes.get();
            Some((changes, store.upgrade()?.load()))
        };
        let (mut reading, store) = (begin(), self.store.clone());
        let progress = Rc::clone(&self.progress);
        spawn_local(async move {
            while let Some((changes, load)) = reading.take() {
                let loaded = load.await;
                if progress.readings.get() != number || store.strong_count() == 0 {
                    return;
                }
                if progress.changes.get() != changes {
                    reading = begin();
                    continue;
                }
                match loaded {
                    Ok(approvals) => apply_approvals(&assistant, &progress, &approvals),
                    Err(error) => console_error(&format!("Approvals cannot be read: {error}")),
                }
            }
        });
    }
}

/// Applies the approvals of a store: adds them to those of the session after the first reading, and
/// revokes the removed ones after each later reading.
fn apply_approvals(assistant: &WeakAssistant, progress: &ReadProgress, stored: &[Value]) {
    let Some(assistant) = assistant.upgrade() else {
        return;
    };
    let approvals = parse_approvals(stored);
    let input = match progress.is_loaded.replace(true) {
        false => Input::RestoreApprovals { approvals },
        true => Input::SyncApprovals { approvals },
    };
    // The result is ignored, because the session never refuses these inputs.
    let _ = assistant.dispatch(input);
}

/// An adapter that persists approvals in the application's store.
struct ApprovalStoreAdapter {
    store: Rc<dyn ApprovalStore>,
    progress: Rc<ReadProgress>,
    /// The subscription to changes that other writers make to the store.
    _changes: Subscription,
}

impl ApprovalPersistence for ApprovalStoreAdapter {
    fn is_loaded(&self) -> bool {
        self.progress.is_loaded.get()
    }

    fn store_all(&self, approvals: Vec<RememberedApproval>) {
        if !self.is_loaded() {
            return;
        }
        increment(&self.progress.changes);
        let approvals = approvals.iter().map(RememberedApproval::to_value);
        self.store.keep(approvals.collect());
    }

    fn compare_and_swap(
        &self,
        before: RememberedApproval,
        after: RememberedApproval,
    ) -> LocalBoxFuture<'static, Swap<RememberedApproval>> {
        let swap = match self.is_loaded() {
            true => self.store.swap(before.to_value(), after.to_value()),
            // The approval is not stored yet, which does not mean that it was revoked.
            false => Box::pin(ready(Swap::Failed(NOT_READ.to_owned()))),
        };
        Box::pin(async move {
            match swap.await {
                Swap::Done => Swap::Done,
                Swap::Failed(message) => Swap::Failed(message),
                Swap::Found(stored) => {
                    Swap::Found(stored.as_ref().and_then(RememberedApproval::from_value))
                }
            }
        })
    }
}

/// Parses stored approvals. Invalid entries are skipped.
fn parse_approvals(stored: &[Value]) -> Vec<RememberedApproval> {
    let approvals = stored.iter().filter_map(RememberedApproval::from_value);
    approvals.collect()
}
