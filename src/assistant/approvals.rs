//! Lists and revokes the approvals that the user has given for later calls, and persists them in a
//! store.

use std::{cell::Cell, rc::Rc};

use assistant_core::{
    action::{Remember, RememberedApproval},
    conversation::CallKey,
    session::{Input, Refusal, Swap, Verdict},
};
use futures_util::future::LocalBoxFuture;
use leptos::prelude::{ArcReadSignal, Set};
use serde_json::Value;

use super::Assistant;
use crate::{
    runtime::ApprovalPersistence,
    store::ApprovalStore,
    ui::{Subscription, spawn_local},
};

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
        let load = store.load();
        let writes = Rc::new(Cell::new(0_u32));
        let assistant = self.weak();
        spawn_local(async move {
            let approvals = parse_approvals(&load.await);
            if let Some(assistant) = assistant.upgrade() {
                // The result is ignored, because the session never refuses this input.
                let _ = assistant.dispatch(Input::RestoreApprovals { approvals });
            }
        });
        let (assistant, weak_store) = (self.weak(), Rc::downgrade(&store));
        let write_count = Rc::clone(&writes);
        let changes = store.on_change(Box::new(move || {
            let (assistant, weak_store, writes) =
                (assistant.clone(), weak_store.clone(), write_count.clone());
            spawn_local(async move {
                loop {
                    let Some(store) = weak_store.upgrade() else {
                        return;
                    };
                    let count_before = writes.get();
                    let approvals = parse_approvals(&store.load().await);
                    let Some(assistant) = assistant.upgrade() else {
                        return;
                    };
                    // The loaded list is applied only if this tab wrote no approval during the
                    // load, because the list may lack that approval.
                    if writes.get() == count_before {
                        // The result is ignored, because the session never refuses this input.
                        let _ = assistant.dispatch(Input::SyncApprovals { approvals });
                        return;
                    }
                }
            });
        }));
        // The new adapter replaces the adapter of an earlier store, whose subscription then ends.
        let persistence = ApprovalStoreAdapter {
            store,
            writes,
            _changes: changes,
        };
        self.runtime()
            .set_approval_persistence(Rc::new(persistence));
        self.view().stores_approvals.set(true);
    }
}

/// An adapter that persists approvals in the application's store.
struct ApprovalStoreAdapter {
    store: Rc<dyn ApprovalStore>,
    /// The number of writes to the store. If the number changes while approvals are loaded, the
    /// loaded approvals may be outdated.
    writes: Rc<Cell<u32>>,
    /// The subscription to changes that other writers make to the store.
    _changes: Subscription,
}

impl ApprovalPersistence for ApprovalStoreAdapter {
    fn store_all(&self, approvals: Vec<RememberedApproval>) {
        self.writes.set(self.writes.get().wrapping_add(1));
        let approvals = approvals.iter().map(RememberedApproval::to_value);
        self.store.keep(approvals.collect());
    }

    fn compare_and_swap(
        &self,
        before: RememberedApproval,
        after: RememberedApproval,
    ) -> LocalBoxFuture<'static, Swap<RememberedApproval>> {
        let swap = self.store.swap(before.to_value(), after.to_value());
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
