//! Approves or denies a call through its renderer, and answers questions of the call's handler. The
//! module `decision` reads the state that an approval card needs.

use assistant_core::{
    action::{Remember, ToolError},
    conversation::{Decider, Decision},
    session::{Input, Refusal, Verdict},
};
use leptos::prelude::GetUntracked;
use serde_json::Value;

use super::ToolCallView;
use crate::ui::decider;

impl<T> ToolCallView<T> {
    /// Returns the decision of the user or the application about the call. Returns `None` if there
    /// is no decision yet.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// use leptos_assistant::conversation::Decision;
    ///
    /// move || match call.decision() {
    ///     Some(Decision::Approved) => "You approved this",
    ///     Some(Decision::Denied { .. }) => "You denied this",
    ///     None => "",
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn decision(&self) -> Option<Decision> {
        self.read(|call| call.approval()?.decision().cloned())
            .flatten()
    }

    /// Returns the reason for the denial of the call. Returns `None` if the call was not denied, or
    /// was denied without a reason.
    #[must_use]
    pub fn denial_reason(&self) -> Option<String> {
        match self.decision()? {
            Decision::Denied { reason } => reason,
            Decision::Approved => None,
        }
    }

    /// Approves the call as it is shown.
    ///
    /// # Errors
    ///
    /// Fails if the call does not wait for a decision. Fails with [`Refusal::Changed`] if the call
    /// has changed since it was shown; the card then shows the current version.
    ///
    /// In an approval card, also fails if the user cannot have read the call yet
    /// ([`Self::can_approve`]), and outside of an event of the user ([`Refusal::Scripted`]). In any
    /// other view, an approval outside of an event of the user counts as the application's
    /// decision, as with [`Assistant::approve`](crate::Assistant::approve).
    pub fn approve(&self) -> Result<(), Refusal> {
        self.apply_approval(Verdict::Approve { args: None })
    }

    /// Approves the call, and remembers the approval for similar later calls. If `args` is `Some`,
    /// the value replaces the agent's arguments.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// use leptos_assistant::action::{Remember, RememberScope};
    ///
    /// let remember = Remember::new(RememberScope::Conversation, false);
    /// let approve = move |_| drop(call.approve_and_remember(None, remember.clone()));
    /// view! { <button on:click=approve>"Yes, in this conversation"</button> }
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the call does not wait for a decision, has changed since it was shown, or requires
    /// approval each time. In an approval card, also fails if the user cannot have read the call
    /// yet ([`Self::can_approve`]), and outside of an event of the user ([`Refusal::Scripted`]).
    pub fn approve_and_remember(&self, args: Option<Value>, what: Remember) -> Result<(), Refusal> {
        self.apply_approval(Verdict::Remember { args, what })
    }

    /// Approves the call with `args` instead of the agent's arguments.
    ///
    /// # Errors
    ///
    /// Fails if the call does not wait for a decision or has changed since it was shown, or if the
    /// arguments violate the schema. In an approval card, also fails if the user cannot have read
    /// the call yet ([`Self::can_approve`]), and outside of an event of the user
    /// ([`Refusal::Scripted`]).
    pub fn approve_with(&self, args: Value) -> Result<(), Refusal> {
        self.apply_approval(Verdict::Approve { args: Some(args) })
    }

    /// Denies the call, even if it has changed since it was shown.
    ///
    /// # Errors
    ///
    /// Fails if the call does not wait for a decision.
    pub fn deny(&self, reason: Option<String>) -> Result<(), Refusal> {
        self.decide(Verdict::Deny { reason }, decider())
    }

    /// Checks the conditions of the card and applies the approval. If the card has conditions, the
    /// approval counts as the user's, since the conditions accept only events of the user.
    fn apply_approval(&self, verdict: Verdict) -> Result<(), Refusal> {
        self.check_conditions()?;
        let decider = match self.conditions {
            Some(_) => Decider::Person,
            None => decider(),
        };
        self.decide(verdict, decider)
    }

    /// Applies a decision to the version of the call that was last rendered. If the call has
    /// changed since then, shows the current version and refuses the decision.
    pub(crate) fn decide(&self, verdict: Verdict, by: Decider) -> Result<(), Refusal> {
        let assistant = self.assistant().ok_or(Refusal::Ended)?;
        let cell = self.cell().ok_or(Refusal::AlreadyResolved)?;
        let fingerprint = cell.shown.get_untracked();
        let fingerprint = fingerprint.ok_or(Refusal::AlreadyResolved)?;
        let call = *self.key();
        self.refresh_if_changed(assistant.runtime().dispatch(Input::Decide {
            call,
            shown: fingerprint,
            verdict,
            by,
        }))
    }

    /// Answers the question that a handler asks through this card ([`super::ToolContext::ask`]). A
    /// value that cannot be serialized as JSON is ignored.
    pub fn reply(&self, value: impl serde::Serialize) {
        if let (Ok(value), Some(assistant)) = (serde_json::to_value(value), self.assistant()) {
            assistant.runtime().reply(self.key(), Ok(value));
        }
    }

    /// Answers a handler's question that has a schema. `Err` contains the reason why the user gives
    /// no answer.
    pub(crate) fn answer_handler(&self, answer: Result<Value, &str>) {
        if let Some(assistant) = self.assistant() {
            let answer = answer.map_err(ToolError::new);
            assistant.runtime().reply(self.key(), answer);
        }
    }
}
