//! The view of an interrupt that its renderer is given, and answers to what it showed.

use assistant_core::{
    conversation::{Conversation, Decider, Fingerprint},
    event::Interrupt,
    session::{ActionDecision, Input, OpenInterrupt, Refusal, RequestedAction},
};
use leptos::prelude::*;
use serde::Serialize;
use serde_json::Value;

use super::{Assistant, Gate, PlaceId};
use crate::ui::decider;

impl Assistant {
    /// Answers a question, or gives it up, if it still is what the person saw.
    pub(crate) fn answer_as_shown(
        &self,
        shown: &ShownQuestion,
        payload: Option<Value>,
        by: Decider,
    ) -> Result<(), Refusal> {
        let id = &shown.open.interrupt.id;
        match payload {
            None if shown.open.rejected => self.give_up(id),
            payload => self.answer_question(id, shown.print.clone(), payload, by),
        }
    }

    /// Answers a question with a decision for each of its actions, if it still is what the person saw.
    pub(crate) fn decide_actions_as_shown(
        &self,
        shown: &ShownQuestion,
        decisions: Vec<ActionDecision>,
        by: Decider,
    ) -> Result<(), Refusal> {
        self.dispatch(Input::DecideActions {
            interrupt_id: shown.open.interrupt.id.clone(),
            shown: shown.print.clone(),
            decisions,
            by,
        })
    }
}

/// A question of an agent as it is drawn, and what an answer to it is about.
#[derive(Debug, Clone)]
pub(crate) struct ShownQuestion {
    pub(crate) open: OpenInterrupt,
    print: Fingerprint,
}

impl ShownQuestion {
    /// The question as it is at this moment, with the call that it is about.
    pub(crate) fn new(assistant: &Assistant, open: OpenInterrupt) -> Self {
        let print = assistant.with_conversation(|conversation| open.fingerprint(conversation));
        // Where the conversation is gone, no answer is taken.
        let print = print.unwrap_or_else(|| open.fingerprint(&Conversation::new()));
        Self { open, print }
    }
}

/// A question of an agent, for its renderer: as it was when it was drawn. Another question is drawn
/// again, and an answer counts for this one only.
///
/// It is `Copy`, and may outlive the question and the assistant: then it knows nothing more, and
/// answers are refused.
#[derive(Debug, Clone, Copy)]
pub struct InterruptView {
    place: PlaceId,
    shown: StoredValue<ShownQuestion>,
    gate: Option<Gate>,
}

impl InterruptView {
    pub(crate) fn new(assistant: &Assistant, open: OpenInterrupt) -> Self {
        Self {
            place: assistant.place(),
            shown: StoredValue::new(ShownQuestion::new(assistant, open)),
            gate: None,
        }
    }

    /// The same question behind a gate.
    pub(crate) fn behind(mut self, gate: Gate) -> Self {
        self.gate = Some(gate);
        self
    }

    pub(crate) fn assistant(&self) -> Option<Assistant> {
        self.place.assistant()
    }

    pub(crate) fn open(&self) -> Option<OpenInterrupt> {
        self.read(OpenInterrupt::clone)
    }

    fn read<R>(&self, read: impl FnOnce(&OpenInterrupt) -> R) -> Option<R> {
        self.shown.try_with_value(|shown| read(&shown.open))
    }

    /// Everything that the agent says with it.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::InterruptView;
    /// # fn seat(asked: InterruptView) -> impl IntoView {
    /// asked.interrupt().and_then(|asked| asked.metadata).map(|more| format!("{more:?}"))
    /// # }
    /// ```
    #[must_use]
    pub fn interrupt(&self) -> Option<Interrupt> {
        self.read(|open| open.interrupt.clone())
    }

    /// The id that the agent gave it.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::InterruptView;
    /// # fn seat(asked: InterruptView) -> impl IntoView {
    /// view! { <p data-interrupt=asked.id()></p> }
    /// # }
    /// ```
    #[must_use]
    pub fn id(&self) -> String {
        self.read(|open| open.interrupt.id.clone())
            .unwrap_or_default()
    }

    /// Why the agent asks, in a word.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::InterruptView;
    /// # fn seat(asked: InterruptView) -> impl IntoView {
    /// match asked.reason().as_str() {
    ///     "choose_seat" => "Where would you like to sit?",
    ///     _ => "A question",
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn reason(&self) -> String {
        self.read(|open| open.interrupt.reason.clone())
            .unwrap_or_default()
    }

    /// Returns the words of the agent. They are not the page's: show them as such.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::InterruptView;
    /// # fn seat(asked: InterruptView) -> impl IntoView {
    /// view! { <blockquote>{asked.message()}</blockquote> }
    /// # }
    /// ```
    #[must_use]
    pub fn message(&self) -> Option<String> {
        self.read(|open| open.interrupt.message.clone()).flatten()
    }

    /// JSON Schema of the answer, as the agent gives it.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::InterruptView;
    /// # fn seat(asked: InterruptView) -> impl IntoView {
    /// let seats = asked.schema().map(|schema| schema["enum"].clone());
    /// seats.map(|seats| seats.to_string())
    /// # }
    /// ```
    #[must_use]
    pub fn schema(&self) -> Option<Value> {
        self.read(|open| open.interrupt.response_schema.clone().map(Value::Object))
            .flatten()
    }

    /// Returns until when it can be answered, in milliseconds since 1970.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::InterruptView;
    /// # fn seat(asked: InterruptView) -> impl IntoView {
    /// asked.expires_at().map(|at| format!("until {at}"))
    /// # }
    /// ```
    #[must_use]
    pub fn expires_at(&self) -> Option<i64> {
        self.read(OpenInterrupt::expires_at).flatten()
    }

    /// Returns whether the agent did not take an answer: it can be answered again, or given up.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::InterruptView;
    /// # fn seat(asked: InterruptView) -> impl IntoView {
    /// asked.is_rejected().then_some("That was not taken. Try another.")
    /// # }
    /// ```
    #[must_use]
    pub fn is_rejected(&self) -> bool {
        self.read(|open| open.rejected).unwrap_or_default()
    }

    /// Returns whether an answer counts by now: the view was in sight to its end, and has stood
    /// unchanged in its place for half a second. Giving up counts at once.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::InterruptView;
    /// # fn seat(asked: InterruptView) -> impl IntoView {
    /// let early = move || (!asked.can_answer()).then_some("true");
    /// let answer = move |_| drop(asked.answer("12A"));
    /// view! { <button aria-disabled=early on:click=answer>"12A"</button> }
    /// # }
    /// ```
    #[must_use]
    pub fn can_answer(&self) -> bool {
        self.gate
            .is_none_or(|gate| gate.is_open.try_get().unwrap_or_default())
    }

    /// Answers it.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::InterruptView;
    /// # fn seat(asked: InterruptView) -> impl IntoView {
    /// view! { <button on:click=move |_| drop(asked.answer("12A"))>"12A"</button> }
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When nobody can have read it yet ([`Self::can_answer`]), or not in an event of the user
    /// ([`Refusal::Scripted`]); when it is another question by now,
    /// was answered before, is over, or the answer does not fit its schema.
    pub fn answer(&self, answer: impl Serialize) -> Result<(), Refusal> {
        let answer = serde_json::to_value(answer).unwrap_or_default();
        self.gate.map_or(Ok(()), Gate::check)?;
        self.settle(Some(answer), self.decider())
    }

    /// Returns the actions that the agent asks about, in its order. Where it lists any, its answer is a decision for
    /// each of them ([`Self::decide`]), unless it has a [`schema`](Self::schema) for another one.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::InterruptView;
    /// # fn seat(asked: InterruptView) -> impl IntoView {
    /// let row = |action: &leptos_assistant::engine::session::RequestedAction| {
    ///     view! { <li>{action.name().to_owned()}</li> }
    /// };
    /// asked.actions().iter().map(row).collect_view()
    /// # }
    /// ```
    #[must_use]
    pub fn actions(&self) -> Vec<RequestedAction> {
        self.read(|open| open.actions().to_vec())
            .unwrap_or_default()
    }

    /// Answers it with a decision for each of its actions, in their order.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::InterruptView;
    /// # fn seat(asked: InterruptView) -> impl IntoView {
    /// use leptos_assistant::engine::session::ActionDecision;
    ///
    /// let first_only = move |_| {
    ///     let reject = ActionDecision::Reject { message: None };
    ///     drop(asked.decide(vec![ActionDecision::Approve, reject]));
    /// };
    /// view! { <button on:click=first_only>"Only the first"</button> }
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Self::answer`]; when a decision is missing or one too many ([`Refusal::EachAction`]), or of a kind that the
    /// agent does not take about its action ([`Refusal::DecisionNotAllowed`]).
    pub fn decide(&self, decisions: Vec<ActionDecision>) -> Result<(), Refusal> {
        self.gate.map_or(Ok(()), Gate::check)?;
        let assistant = self.assistant().ok_or(Refusal::Ended)?;
        let shown = self.shown.try_get_value().ok_or(Refusal::Ended)?;
        assistant.decide_actions_as_shown(&shown, decisions, self.decider())
    }

    /// Gives it up: the agent is told that there is no answer.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::InterruptView;
    /// # fn seat(asked: InterruptView) -> impl IntoView {
    /// view! { <button on:click=move |_| drop(asked.give_up())>"No seat"</button> }
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When it is answered or gone.
    pub fn give_up(&self) -> Result<(), Refusal> {
        self.settle(None, decider())
    }

    /// Returns the one who answers: the user where the question lets it pass, which takes an event of theirs.
    fn decider(&self) -> Decider {
        match self.gate {
            Some(_) => Decider::Person,
            None => decider(),
        }
    }

    fn settle(&self, answer: Option<Value>, by: Decider) -> Result<(), Refusal> {
        let assistant = self.assistant().ok_or(Refusal::Ended)?;
        let shown = self.shown.try_get_value().ok_or(Refusal::Ended)?;
        assistant.answer_as_shown(&shown, answer, by)
    }
}
