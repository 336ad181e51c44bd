//! Defines the store of approvals that outlive the page.

use std::{future::ready, pin::Pin};

use assistant_core::session::Swap;
use serde_json::Value;

use crate::ui::Subscription;

/// A store of approvals that outlive the page
/// ([`RememberedApprovals::persist_in`](crate::RememberedApprovals::persist_in)).
///
/// Approvals must be stored where only the user's own page can write, because a writer can approve
/// calls.
///
/// ```
/// use std::{cell::RefCell, pin::Pin, rc::Rc};
///
/// use leptos_assistant::{ApprovalStore, store::Swap};
/// use serde_json::Value;
///
/// /// A store in memory.
/// #[derive(Clone, Default)]
/// struct Memory(Rc<RefCell<Vec<Value>>>);
///
/// impl ApprovalStore for Memory {
///     fn load(&self) -> Pin<Box<dyn Future<Output = Result<Vec<Value>, String>>>> {
///         let approvals = self.0.borrow().clone();
///         Box::pin(async move { Ok(approvals) })
///     }
///
///     fn change(&self, added: Vec<Value>, removed: Vec<String>) {
///         let mut approvals = self.0.borrow_mut();
///         approvals.extend(added);
///         approvals.retain(|approval| removed.iter().all(|id| approval["id"] != *id));
///     }
///
///     fn swap(&self, before: Value, after: Value) -> Pin<Box<dyn Future<Output = Swap<Value>>>> {
///         let mut approvals = self.0.borrow_mut();
///         let entry = approvals.iter_mut().find(|entry| entry["id"] == before["id"]);
///         let outcome = match entry {
///             Some(entry) if *entry == before => {
///                 *entry = after;
///                 Swap::Done
///             }
///             entry => Swap::Found(entry.cloned()),
///         };
///         Box::pin(async move { outcome })
///     }
/// }
/// ```
pub trait ApprovalStore: 'static {
    /// Loads the stored approvals. Invalid entries are ignored by the caller. The error is the
    /// reason why the approvals cannot be read: the caller then changes nothing, and calls
    /// [`Self::change`] only after the approvals could be read once.
    fn load(&self) -> Pin<Box<dyn Future<Output = Result<Vec<Value>, String>>>>;

    /// Stores approvals that this page has added, and removes approvals by their ids. Each approval
    /// is an object with a unique `id`. `removed` are the ids of all approvals that this page has
    /// revoked or used up so far, so that a removal that failed is repeated; most are not stored any
    /// more. All other entries must stay unchanged: they may be those of other tabs, and only
    /// [`Self::swap`] modifies an entry.
    fn change(&self, added: Vec<Value>, removed: Vec<String>);

    /// Atomically replaces an approval, if the stored entry with the `id` still equals `before`.
    /// Otherwise changes nothing, and resolves to [`Swap::Found`] with the stored entry. The swap
    /// counts the uses of an approval that is valid for a number of calls, so that only one of two
    /// tabs can take the last use. The default implementation counts nothing, so the user is asked
    /// about each call that such an approval would allow.
    fn swap(&self, before: Value, after: Value) -> Pin<Box<dyn Future<Output = Swap<Value>>>> {
        let _ = (before, after);
        let message = "this store of approvals counts no uses".to_owned();
        Box::pin(ready(Swap::Failed(message)))
    }

    /// Calls `changed` whenever another writer, such as another tab or another assistant of this
    /// page, has changed the stored approvals, until the subscription ([`Subscription::new`]) is
    /// dropped. The caller then revokes the approvals that were removed. There may be several
    /// subscriptions. The default implementation, for a store without other writers, never calls
    /// `changed`.
    fn on_change(&self, changed: Box<dyn Fn()>) -> Subscription {
        drop(changed);
        Subscription::new(|| ())
    }
}
