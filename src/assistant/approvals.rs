//! Lists and revokes the approvals that the user has given for later calls, and persists them in a
//! store.

use std::{
    cell::{Cell, RefCell},
    future::ready,
    rc::{Rc, Weak},
    time::Duration,
};

use assistant_core::{
    action::{Remember, RememberScope, RememberedApproval},
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
    ui::{Subscription, console_error, sleep, spawn_local},
};

/// The delay before a failed reading is repeated at first, and at most.
const RETRY_DELAY: Duration = Duration::from_secs(5);
const MAX_RETRY_DELAY: Duration = Duration::from_secs(300);

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
        let outcome = self.0.dispatch(Input::ForgetApproval { id: id.to_owned() });
        // The approval may be stored without being read yet.
        if let (Err(_), Some(persistence)) = (outcome, self.0.runtime().approval_persistence()) {
            persistence.remove(id);
        }
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
        let earlier = self.runtime().approval_persistence();
        let sync = Rc::new(SyncState::new(self, earlier.as_deref()));
        let reader = ApprovalReader {
            assistant: self.weak(),
            store: Rc::downgrade(&store),
            sync: Rc::clone(&sync),
        };
        reader.read();
        let changes = store.on_change(Box::new(move || {
            increment(&reader.sync.changes);
            reader.read();
        }));
        // The new adapter replaces the adapter of an earlier store, whose subscription then ends.
        let persistence = ApprovalStoreAdapter {
            store,
            sync,
            _changes: changes,
        };
        self.runtime()
            .set_approval_persistence(Rc::new(persistence));
        self.view().stores_approvals.set(true);
    }
}

/// The state of the synchronization with a store.
#[derive(Default)]
struct SyncState {
    /// The number of changes, by this page and by other writers.
    changes: Cell<u32>,
    /// The number of the newest reading.
    readings: Cell<u32>,
    /// True if the approvals were read and applied. Before that, it is not known which approvals of
    /// the session are stored.
    is_loaded: Cell<bool>,
    /// The ids of the approvals in the store, as of the newest applied reading and the additions by
    /// this page since.
    stored_ids: RefCell<Vec<String>>,
    /// The ids of the approvals that the session has, or gets from the newest reading.
    known_ids: RefCell<Vec<String>>,
    /// The ids of all approvals that this page has removed. They stay removed, even if the store
    /// could not remove them.
    removed_ids: RefCell<Vec<String>>,
}

impl SyncState {
    /// Creates the state of a new store. If an earlier store was read, the session contains its
    /// approvals, so changes of the list are stored from now on.
    fn new(assistant: &Assistant, earlier: Option<&dyn ApprovalPersistence>) -> Self {
        let ids = assistant.runtime().read(|session| {
            let lasting = session
                .remembered_approvals()
                .iter()
                .filter(|approval| approval.scope() != RememberScope::Session);
            ids_of(lasting)
        });
        let ids = ids.unwrap_or_default();
        let is_loaded = earlier.is_some_and(ApprovalPersistence::is_loaded);
        Self {
            is_loaded: Cell::new(is_loaded),
            stored_ids: RefCell::new(if is_loaded { ids.clone() } else { Vec::new() }),
            known_ids: RefCell::new(ids),
            removed_ids: RefCell::new(
                earlier
                    .map(ApprovalPersistence::removed_ids)
                    .unwrap_or_default(),
            ),
            ..Self::default()
        }
    }

    /// Records the approvals that the session has from now on. Returns true if this page has removed
    /// any.
    fn record_removals(&self, ids: &[String]) -> bool {
        let mut removed_ids = self.known_ids.replace(ids.to_vec());
        removed_ids.retain(|id| !ids.contains(id));
        let has_removed = !removed_ids.is_empty();
        self.removed_ids.borrow_mut().extend(removed_ids);
        has_removed
    }

    /// Records the approvals of a reading, which the session gets.
    fn record_reading(&self, ids: &[String]) {
        self.stored_ids.replace(ids.to_vec());
        let mut known_ids = self.known_ids.borrow_mut();
        // A later reading replaces the approvals of the session.
        if self.is_loaded.get() {
            known_ids.clear();
        }
        known_ids.extend_from_slice(ids);
    }
}

fn ids_of<'a>(approvals: impl IntoIterator<Item = &'a RememberedApproval>) -> Vec<String> {
    let ids = approvals
        .into_iter()
        .map(|approval| approval.id().to_owned());
    ids.collect()
}

fn increment(count: &Cell<u32>) -> u32 {
    count.set(count.get().wrapping_add(1));
    count.get()
}

/// Reads the approvals of a store, until the store is replaced.
struct ApprovalReader {
    assistant: WeakAssistant,
    store: Weak<dyn ApprovalStore>,
    sync: Rc<SyncState>,
}

impl ApprovalReader {
    /// Reads the approvals and applies them. If the store changes meanwhile, the list may be
    /// outdated, so the approvals are read again. A later reading replaces this reading. If the
    /// approvals cannot be read, nothing is applied, and they are read again after a delay: another
    /// tab may have revoked one.
    fn read(&self) {
        let number = increment(&self.sync.readings);
        let (assistant, store) = (self.assistant.clone(), self.store.clone());
        let sync = Rc::clone(&self.sync);
        let begin = move || {
            let changes = sync.changes.get();
            Some((changes, store.upgrade()?.load()))
        };
        let (mut reading, mut delay) = (begin(), RETRY_DELAY);
        let store = self.store.clone();
        let sync = Rc::clone(&self.sync);
        spawn_local(async move {
            while let Some((changes, load)) = reading.take() {
                let loaded = load.await;
                let Some(store) = store.upgrade().filter(|_| sync.readings.get() == number) else {
                    return;
                };
                if sync.changes.get() != changes {
                    reading = begin();
                    continue;
                }
                match loaded {
                    Ok(approvals) => apply_approvals(&assistant, &*store, &sync, &approvals),
                    Err(error) => {
                        console_error(&format!("Approvals cannot be read: {error}"));
                        drop(store);
                        sleep(delay).await;
                        delay = MAX_RETRY_DELAY.min(delay.saturating_mul(2));
                        if sync.readings.get() == number {
                            reading = begin();
                        }
                    }
                }
            }
        });
    }
}

/// Applies the approvals of a store: adds them to those of the session after the first reading, and
/// revokes the removed ones after each later reading. Approvals that this page has removed do not
/// apply, and are removed from the store again.
fn apply_approvals(
    assistant: &WeakAssistant,
    store: &dyn ApprovalStore,
    sync: &SyncState,
    stored: &[Value],
) {
    let Some(assistant) = assistant.upgrade() else {
        return;
    };
    let mut approvals = parse_approvals(stored);
    let removed_ids = sync.removed_ids.borrow().clone();
    let read_count = approvals.len();
    approvals.retain(|approval| !removed_ids.iter().any(|id| id == approval.id()));
    let has_removed = approvals.len() < read_count;
    sync.record_reading(&ids_of(&approvals));
    let input = match sync.is_loaded.replace(true) {
        false => Input::RestoreApprovals { approvals },
        true => Input::SyncApprovals { approvals },
    };
    // The result is ignored, because the session never refuses these inputs.
    let _ = assistant.dispatch(input);
    if has_removed {
        increment(&sync.changes);
        store.change(Vec::new(), removed_ids);
    }
}

/// An adapter that persists approvals in the application's store.
struct ApprovalStoreAdapter {
    store: Rc<dyn ApprovalStore>,
    sync: Rc<SyncState>,
    /// The subscription to changes that other writers make to the store.
    _changes: Subscription,
}

impl ApprovalPersistence for ApprovalStoreAdapter {
    fn is_loaded(&self) -> bool {
        self.sync.is_loaded.get()
    }

    fn removed_ids(&self) -> Vec<String> {
        self.sync.removed_ids.borrow().clone()
    }

    fn remove(&self, id: &str) {
        self.sync.removed_ids.borrow_mut().push(id.to_owned());
        increment(&self.sync.changes);
        if self.is_loaded() {
            self.store.change(Vec::new(), self.removed_ids());
        }
    }

    fn store_changes(&self, approvals: Vec<RememberedApproval>) {
        let ids = ids_of(&approvals);
        let has_removed = self.sync.record_removals(&ids);
        if !self.is_loaded() {
            return;
        }
        let stored_ids = self.sync.stored_ids.replace(ids);
        let added = approvals
            .iter()
            .filter(|approval| !stored_ids.iter().any(|id| id == approval.id()));
        let added: Vec<_> = added.map(RememberedApproval::to_value).collect();
        if has_removed || !added.is_empty() {
            increment(&self.sync.changes);
            self.store.change(added, self.removed_ids());
        }
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
