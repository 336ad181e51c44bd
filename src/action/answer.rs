//! What a person says to a call, through its renderer: that it may run, that it may not, and what its
//! handler asks. Neighbour: `decision`, for what a card must know to ask.

use assistant_core::{
    action::{Remember, ToolError},
    conversation::{Decider, Decision},
    session::{Refusal, Verdict},
};
use leptos::prelude::GetUntracked;
use serde_json::Value;

use super::ToolCallView;
use crate::ui::decider;

impl<T> ToolCallView<T> {
    /// Returns what a person decided about the call, once they did.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// use leptos_assistant::engine::conversation::Decision;
    ///
    /// move || match call.decision() {
    ///     Some(Decision::Approved) => "You said yes",
    ///     Some(Decision::Denied { .. }) => "You said no",
    ///     None => "",
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn decision(&self) -> Option<Decision> {
        self.read(|call| call.approval()?.decision.clone())
            .flatten()
    }

    /// Why a person denied the call, if they did and said why.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// move || call.denial_reason()
    /// # }
    /// ```
    #[must_use]
    pub fn denial_reason(&self) -> Option<String> {
        match self.decision()? {
            Decision::Denied { reason } => reason,
            Decision::Approved => None,
        }
    }

    /// Lets the call run as it is shown.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// let yes = move |_| drop(call.approve());
    /// view! { <button on:click=yes>"Refund"</button> }
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When it does not wait for a decision, or is another one than was shown
    /// ([`Refusal::Changed`]): then the card shows what it is now. When nobody can have read yet
    /// what is asked ([`Self::can_approve`]), and outside of an event of the user
    /// ([`Refusal::Scripted`]). Elsewhere than in an approval card
    /// ([`Self::can_approve`]) and outside of an event of the user, it is the application that decides,
    /// as by [`Assistant::approve`](crate::Assistant::approve).
    pub fn approve(&self) -> Result<(), Refusal> {
        self.approve_as(Verdict::Approve { args: None })
    }

    /// Lets the call run, and does not ask again about calls like it: with these arguments in place
    /// of the agent's, if there are any.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// use leptos_assistant::engine::action::{Remember, RememberScope};
    ///
    /// let what = Remember::new(RememberScope::Conversation, false);
    /// let yes = move |_| drop(call.approve_and_remember(None, what.clone()));
    /// view! { <button on:click=yes>"Yes, in this conversation"</button> }
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When it does not wait for a decision, is another one than was shown, or is asked about each
    /// time. When nobody can have read yet what is asked ([`Self::can_approve`]), and outside of an
    /// event of the user ([`Refusal::Scripted`]).
    pub fn approve_and_remember(&self, args: Option<Value>, what: Remember) -> Result<(), Refusal> {
        self.approve_as(Verdict::Remember { args, what })
    }

    /// Lets the call run with other arguments.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// use serde_json::json;
    ///
    /// let half = move |_| drop(call.approve_with(json!({"euros": 10})));
    /// view! { <button on:click=half>"10 € only"</button> }
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When it does not wait for a decision, is another one than was shown, or the arguments break
    /// the schema. When nobody can have read yet what is asked ([`Self::can_approve`]), and outside
    /// of an event of the user ([`Refusal::Scripted`]).
    pub fn approve_with(&self, args: Value) -> Result<(), Refusal> {
        self.approve_as(Verdict::Approve { args: Some(args) })
    }

    /// Does not let the call run, even if it has changed since it was shown.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// let no = move |_| drop(call.deny(Some("too much".to_owned())));
    /// view! { <button on:click=no>"No"</button> }
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When it does not wait for a decision.
    pub fn deny(&self, reason: Option<String>) -> Result<(), Refusal> {
        self.decide(Verdict::Deny { reason }, decider())
    }

    /// Approves: as the user where a card lets it pass, which takes an event of theirs.
    fn approve_as(&self, verdict: Verdict) -> Result<(), Refusal> {
        self.in_time()?;
        let by = match self.gate {
            Some(_) => Decider::Person,
            None => decider(),
        };
        self.decide(verdict, by)
    }

    /// Decides about the call as it was drawn last.
    pub(crate) fn decide(&self, verdict: Verdict, by: Decider) -> Result<(), Refusal> {
        let assistant = self.assistant().ok_or(Refusal::Ended)?;
        let cell = self.cell().ok_or(Refusal::AlreadyResolved)?;
        let drawn = cell.shown.get_untracked();
        let shown = drawn.ok_or(Refusal::AlreadyResolved)?;
        self.or_show_anew(assistant.decide_as_shown(self.key(), shown, verdict, by))
    }

    /// Answers a handler that asks through this card ([`super::ToolContext::ask`]).
    ///
    /// A value that cannot be written as JSON is not passed on.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// view! { <button on:click=move |_| call.reply("red")>"Red"</button> }
    /// # }
    /// ```
    pub fn reply(&self, value: impl serde::Serialize) {
        if let (Ok(value), Some(assistant)) = (serde_json::to_value(value), self.assistant()) {
            assistant.runtime().reply(self.key(), Ok(value));
        }
    }

    /// Answers a handler that asks by a form, or says why there is no answer.
    pub(crate) fn answer_handler(&self, answer: Result<Value, &str>) {
        if let Some(assistant) = self.assistant() {
            let answer = answer.map_err(ToolError::new);
            assistant.runtime().reply(self.key(), answer);
        }
    }
}
