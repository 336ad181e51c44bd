//! Where approvals that outlive the page are kept.

use std::pin::Pin;

use serde_json::Value;

/// Keeps approvals that outlive the page ([`Assistant::keep_approvals`](crate::Assistant::keep_approvals)).
///
/// Keep them where only the person's own page can write: whoever writes here allows.
///
/// ```
/// use std::{cell::RefCell, pin::Pin, rc::Rc};
///
/// use leptos_assistant::ApprovalStore;
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
/// }
/// ```
pub trait ApprovalStore: 'static {
    /// Reads what was kept. What cannot be read allows nothing.
    fn load(&self) -> Pin<Box<dyn Future<Output = Vec<Value>>>>;

    /// Keeps these approvals, and no longer those of before that are not among them. Each is an object
    /// with an `id` of its own.
    fn keep(&self, approvals: Vec<Value>);

    /// Calls back whenever somebody else has changed what is kept, such as another tab: what is gone by
    /// then is revoked. A store that nobody else writes to has nothing to say.
    fn on_change(&self, changed: Box<dyn Fn()>) {
        drop(changed);
    }
}
