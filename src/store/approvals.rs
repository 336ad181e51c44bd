//! Where approvals that outlive the page are kept.

use std::{future::ready, pin::Pin};

use assistant_core::session::Swap;
use serde_json::Value;

/// Keeps approvals that outlive the page ([`Assistant::keep_approvals`](crate::Assistant::keep_approvals)).
///
/// Keep them where only the person's own page can write: whoever writes here allows.
///
/// ```
/// use std::{cell::RefCell, pin::Pin, rc::Rc};
///
/// use leptos_assistant::{ApprovalStore, store::Swap};
/// use serde_json::Value;
///
/// /// Keeps them as long as the program runs.
/// #[derive(Clone, Default)]
/// struct Memory(Rc<RefCell<Vec<Value>>>);
///
/// impl ApprovalStore for Memory {
///     fn load(&self) -> Pin<Box<dyn Future<Output = Vec<Value>>>> {
///         let kept = self.0.borrow().clone();
///         Box::pin(async move { kept })
///     }
///
///     fn keep(&self, approvals: Vec<Value>) {
///         *self.0.borrow_mut() = approvals;
///     }
///
///     fn swap(&self, before: Value, after: Value) -> Pin<Box<dyn Future<Output = Swap<Value>>>> {
///         let mut kept = self.0.borrow_mut();
///         let found = kept.iter_mut().find(|one| one["id"] == before["id"]);
///         let outcome = match found {
///             Some(one) if *one == before => {
///                 *one = after;
///                 Swap::Done
///             }
///             other => Swap::Found(other.cloned()),
///         };
///         Box::pin(async move { outcome })
///     }
/// }
/// ```
pub trait ApprovalStore: 'static {
    /// Reads what was kept. What cannot be read allows nothing.
    fn load(&self) -> Pin<Box<dyn Future<Output = Vec<Value>>>>;

    /// Keeps these approvals, and no longer those of before that are not among them. Each is an object
    /// with an `id` of its own. Where others write to the store, too, leave those as they are that are
    /// there already: only [`Self::swap`] changes one.
    fn keep(&self, approvals: Vec<Value>);

    /// Replaces an approval in one step, if what is kept under its `id` is still `before`: that counts a
    /// use of one that holds for so many calls, so that of two tabs that take the last use one starts.
    /// A store that does not implement this counts nothing, so that the user is asked each time about
    /// calls of such approvals.
    fn swap(&self, before: Value, after: Value) -> Pin<Box<dyn Future<Output = Swap<Value>>>> {
        let _ = (before, after);
        let message = "this store of approvals counts no uses".to_owned();
        Box::pin(ready(Swap::Failed(message)))
    }

    /// Calls back whenever somebody else has changed what is kept, such as another tab: what is gone by
    /// then is revoked. A store that nobody else writes to has nothing to say.
    fn on_change(&self, changed: Box<dyn Fn()>) {
        drop(changed);
    }
}
