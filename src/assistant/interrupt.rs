//! Defines the view of an interrupt for its renderer, and answers the interrupt in the version that
//! was shown.

use assistant_core::{
    conversation::{Conversation, Decider, Fingerprint},
    event::Interrupt,
    session::{ActionDecision, Input, OpenInterrupt, Refusal, RequestedAction},
};
use leptos::prelude::*;
use serde::Serialize;
use serde_json::Value;

use super::{Assistant, AssistantId, DecisionConditions};
use crate::ui::decider;

impl Assistant {
    /// Answers a question, or cancels the question if `payload` is `None`. Fails if the question
    /// has changed since it was shown. If the agent has rejected an answer, cancelling only
    /// discards the question, even if the question has changed.
    pub(crate) fn answer_as_shown(
        &self,
        shown: &ShownQuestion,
        payload: Option<Value>,
        by: Decider,
    ) -> Result<(), Refusal> {
        let id = &shown.open.interrupt().id;
        match payload {
            None if shown.open.is_rejected() => self.give_up(id),
            payload => self.answer_question(id, shown.fingerprint.clone(), payload, by),
        }
    }

    /// Answers a question with a decision for each of its actions. Fails if the question has
    /// changed since it was shown.
    pub(crate) fn decide_actions_as_shown(
        &self,
        shown: &ShownQuestion,
        decisions: Vec<ActionDecision>,
        by: Decider,
    ) -> Result<(), Refusal> {
        self.dispatch(Input::DecideActions {
            interrupt_id: shown.open.interrupt().id.clone(),
            shown: shown.fingerprint.clone(),
            decisions,
            by,
        })
    }
}

/// A question of an agent as it is shown, with its fingerprint.
#[derive(Debug, Clone)]
pub(crate) struct ShownQuestion {
    pub(crate) open: OpenInterrupt,
    fingerprint: Fingerprint,
}

impl ShownQuestion {
    /// Creates a shown question with the fingerprint of its current state. The fingerprint includes
    /// the call that the question is about.
    pub(crate) fn new(assistant: &Assistant, open: OpenInterrupt) -> Self {
        let fingerprint =
            assistant.with_conversation(|conversation| open.fingerprint(conversation));
        // If the conversation cannot be read, because the session is calling a function of the
        // application, the fingerprint does not include the interrupted call.
        let fingerprint = fingerprint.unwrap_or_else(|| open.fingerprint(&Conversation::new()));
        Self { open, fingerprint }
    }
}

/// A view of an agent's question, for its renderer, in the version that was rendered. A changed
/// question is rendered again, and an answer counts only for the version shown.
///
/// The view is `Copy`, and may outlive the question and the assistant: its getters then return
/// nothing, and answers are refused.
#[derive(Debug, Clone, Copy)]
pub struct InterruptView {
    owner: AssistantId,
    shown: StoredValue<ShownQuestion>,
    conditions: Option<DecisionConditions>,
}

impl InterruptView {
    pub(crate) fn new(assistant: &Assistant, open: OpenInterrupt) -> Self {
        Self {
            owner: assistant.id(),
            shown: StoredValue::new(ShownQuestion::new(assistant, open)),
            conditions: None,
        }
    }

    /// Returns a view of an interrupt in its current version, for a custom window. Its answers are
    /// refused if the interrupt has changed since, and are those of the user if they are given in an
    /// event of the user. Returns `None` if the agent does not wait for an answer to the interrupt.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: leptos_assistant::Assistant) -> impl IntoView {
    /// use leptos_assistant::InterruptView;
    ///
    /// let interrupts = assistant.interrupts();
    /// move || {
    ///     let open = interrupts.get().into_iter();
    ///     let view = |id: &str| InterruptView::find(&assistant, id);
    ///     let questions = open.filter_map(|open| view(&open.interrupt().id));
    ///     let buttons = questions.map(|question| {
    ///         view! {
    ///             <p>{question.message()}</p>
    ///             <button on:click=move |_| drop(question.answer(true))>"Yes"</button>
    ///         }
    ///     });
    ///     buttons.collect_view()
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn find(assistant: &Assistant, id: &str) -> Option<Self> {
        let interrupts = assistant.view().interrupts.read_untracked();
        let mut open_interrupts = interrupts.iter();
        let open = open_interrupts.find(|open| open.interrupt().id == id)?;
        Some(Self::new(assistant, open.clone()))
    }

    /// Sets the conditions for answers.
    pub(crate) fn with_conditions(mut self, conditions: DecisionConditions) -> Self {
        self.conditions = Some(conditions);
        self
    }

    pub(crate) fn assistant(&self) -> Option<Assistant> {
        self.owner.assistant()
    }

    pub(crate) fn open_interrupt(&self) -> Option<OpenInterrupt> {
        self.read(OpenInterrupt::clone)
    }

    fn read<R>(&self, read: impl FnOnce(&OpenInterrupt) -> R) -> Option<R> {
        self.shown.try_with_value(|shown| read(&shown.open))
    }

    /// Returns the interrupt as the agent sent it. Returns `None` if the question does not exist
    /// any more.
    #[must_use]
    pub fn interrupt(&self) -> Option<Interrupt> {
        self.read(|open| open.interrupt().clone())
    }

    /// Returns the id that the agent gave the interrupt.
    #[must_use]
    pub fn id(&self) -> String {
        self.read(|open| open.interrupt().id.clone())
            .unwrap_or_default()
    }

    /// Returns the agent's reason code.
    #[must_use]
    pub fn reason(&self) -> String {
        self.read(|open| open.interrupt().reason.clone())
            .unwrap_or_default()
    }

    /// Returns the agent's text, if any. The text does not come from the page: mark the text as the
    /// agent's.
    #[must_use]
    pub fn message(&self) -> Option<String> {
        self.read(|open| open.interrupt().message.clone()).flatten()
    }

    /// Returns the JSON Schema of the answer, if the agent sent a schema.
    #[must_use]
    pub fn schema(&self) -> Option<Value> {
        self.read(|open| open.interrupt().response_schema.clone().map(Value::Object))
            .flatten()
    }

    /// Returns the time at which the question expires, in milliseconds since 1970. Returns `None`
    /// if the question does not expire.
    #[must_use]
    pub fn expires_at(&self) -> Option<i64> {
        self.read(OpenInterrupt::expires_at).flatten()
    }

    /// Returns true if the agent rejected an answer. The question can then be answered again or
    /// cancelled.
    #[must_use]
    pub fn is_rejected(&self) -> bool {
        self.read(|open| open.is_rejected()).unwrap_or_default()
    }

    /// Returns true if an answer counts now: the whole view has been visible, and for half a second
    /// the view has not been covered, changed or moved. Also returns true if no conditions are set.
    /// The value is tracked. A cancellation counts at once.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::InterruptView;
    /// # fn seat(question: InterruptView) -> impl IntoView {
    /// let disabled = move || (!question.can_answer()).then_some("true");
    /// let answer = move |_| drop(question.answer("12A"));
    /// view! { <button aria-disabled=disabled on:click=answer>"12A"</button> }
    /// # }
    /// ```
    #[must_use]
    pub fn can_answer(&self) -> bool {
        self.conditions
            .is_none_or(|conditions| conditions.are_met.try_get().unwrap_or_default())
    }

    /// Answers the question.
    ///
    /// # Errors
    ///
    /// Fails if the user cannot have read the question yet ([`Self::can_answer`]), if the method is
    /// called outside of an event of the user ([`Refusal::Scripted`]), if the question has changed,
    /// has been answered or has ended, or if the answer violates the schema.
    pub fn answer(&self, answer: impl Serialize) -> Result<(), Refusal> {
        let answer = serde_json::to_value(answer).unwrap_or_default();
        self.conditions.map_or(Ok(()), DecisionConditions::check)?;
        self.answer_shown(Some(answer), self.decider())
    }

    /// Returns the actions that the agent asks about, in the agent's order. If the question lists
    /// actions, the answer is a decision for each action ([`Self::decide`]), unless the question
    /// has a [`schema`](Self::schema) for another answer.
    #[must_use]
    pub fn actions(&self) -> Vec<RequestedAction> {
        self.read(|open| open.actions().to_vec())
            .unwrap_or_default()
    }

    /// Answers the question with a decision for each of its actions, in their order.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::InterruptView;
    /// # fn seat(question: InterruptView) -> impl IntoView {
    /// use leptos_assistant::action::ActionDecision;
    ///
    /// let approve_first_only = move |_| {
    ///     let reject = ActionDecision::Reject { message: None };
    ///     drop(question.decide(vec![ActionDecision::Approve, reject]));
    /// };
    /// view! { <button on:click=approve_first_only>"Only the first"</button> }
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails as [`Self::answer`] does, if the number of decisions does not match
    /// ([`Refusal::EachAction`]), or if the agent does not accept a kind of decision for its action
    /// ([`Refusal::DecisionNotAllowed`]).
    pub fn decide(&self, decisions: Vec<ActionDecision>) -> Result<(), Refusal> {
        self.conditions.map_or(Ok(()), DecisionConditions::check)?;
        let assistant = self.assistant().ok_or(Refusal::Ended)?;
        let shown_question = self.shown.try_get_value().ok_or(Refusal::Ended)?;
        assistant.decide_actions_as_shown(&shown_question, decisions, self.decider())
    }

    /// Cancels the question: the agent is notified that there is no answer. If the agent has
    /// rejected an answer before, the question is only discarded.
    ///
    /// # Errors
    ///
    /// Fails if the question was answered or removed.
    pub fn give_up(&self) -> Result<(), Refusal> {
        self.answer_shown(None, decider())
    }

    /// Returns the user as the decider if the question has conditions, because conditions accept
    /// only events of the user. Otherwise returns the decider of the current event.
    fn decider(&self) -> Decider {
        match self.conditions {
            Some(_) => Decider::Person,
            None => decider(),
        }
    }

    fn answer_shown(&self, answer: Option<Value>, by: Decider) -> Result<(), Refusal> {
        let assistant = self.assistant().ok_or(Refusal::Ended)?;
        let shown_question = self.shown.try_get_value().ok_or(Refusal::Ended)?;
        assistant.answer_as_shown(&shown_question, answer, by)
    }
}
