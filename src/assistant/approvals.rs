//! What a person has allowed for later calls, and where the application keeps it.

use std::{pin::Pin, rc::Rc};

use assistant_core::{
    action::{Remember, RememberedApproval},
    conversation::CallKey,
    session::{Input, Refusal, Verdict},
};
use leptos::prelude::{ArcReadSignal, Set};
use serde_json::Value;

use super::Assistant;
use crate::ui::spawn_local;

/// Keeps approvals that outlive the page ([`Assistant::keep_approvals`]).
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

    /// Keeps these approvals in the place of all before.
    fn keep(&self, approvals: Vec<Value>);
}

impl Assistant {
    /// Lets a call run, and does not ask again about calls like it: with these arguments in place of
    /// the agent's, if there are any.
    ///
    /// ```no_run
    /// # use leptos_assistant::{Assistant, Refusal, core::conversation::CallKey};
    /// # fn example(assistant: &Assistant, call: &CallKey) -> Result<(), Refusal> {
    /// use leptos_assistant::core::action::{Remember, RememberScope};
    ///
    /// let what = Remember { scope: RememberScope::Conversation, any_args: false };
    /// assistant.approve_and_remember(call, None, what)
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When it does not wait for a decision of the page, or its action is asked about each time
    /// ([`Refusal::NotRemembered`]).
    pub fn approve_and_remember(
        &self,
        call: &CallKey,
        args: Option<Value>,
        what: Remember,
    ) -> Result<(), Refusal> {
        self.decide(call, Verdict::Remember { args, what })
    }

    /// What the person has allowed for later calls, oldest first.
    ///
    /// ```no_run
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// let allowed = assistant.remembered_approvals();
    /// let names = move || allowed.get().iter().map(|one| one.name.clone()).collect::<Vec<_>>();
    /// # }
    /// ```
    #[must_use]
    pub fn remembered_approvals(&self) -> ArcReadSignal<Vec<RememberedApproval>> {
        self.view().remembered.read_only()
    }

    /// Asks the person again about what an approval is remembered for. What it let pass and has not
    /// started is asked about, too; what runs goes on.
    ///
    /// ```no_run
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// for approval in assistant.remembered_approvals().get_untracked() {
    ///     assistant.forget_approval(&approval.id);
    /// }
    /// # }
    /// ```
    pub fn forget_approval(&self, id: &str) {
        // One that is gone needs no forgetting.
        let _ = self.dispatch(Input::ForgetApproval { id: id.to_owned() });
    }

    /// Keeps approvals that outlive the page, and offers people to allow something always. What
    /// was kept holds once it has been read; until then the person is asked.
    ///
    /// ```no_run
    /// # fn example(assistant: &leptos_assistant::Assistant, store: impl leptos_assistant::ApprovalStore) {
    /// assistant.keep_approvals(store);
    /// # }
    /// ```
    pub fn keep_approvals(&self, store: impl ApprovalStore) {
        let loads = store.load();
        let keep = move |approvals: Vec<RememberedApproval>| {
            store.keep(approvals.iter().map(RememberedApproval::to_value).collect());
        };
        self.runtime().set_approval_keeper(Rc::new(keep));
        self.view().keeps_approvals.set(true);
        let assistant = self.weak();
        spawn_local(async move {
            let kept = loads.await;
            let read = kept.iter().filter_map(RememberedApproval::from_value);
            let approvals = read.collect();
            if let Some(assistant) = assistant.upgrade() {
                // What comes back is never refused.
                let _ = assistant.dispatch(Input::RestoreApprovals { approvals });
            }
        });
    }
}
