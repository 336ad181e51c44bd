//! Provides the commands that an application or a user gives to an assistant.

use std::rc::Rc;

use assistant_core::{
    action::ToolError,
    conversation::{CallKey, Decider, Fingerprint},
    event::{Content, ResumeStatus},
    session::{Input, NoticeId, Refusal, Verdict},
};
use serde_json::Value;

use super::Assistant;
use crate::agent::Agent;

/// Methods that send messages, stop runs, answer questions, and set the values for the next run.
impl Assistant {
    /// Sends a text, or content such as files, to the agent.
    ///
    /// ```
    /// # use leptos_assistant::{Assistant, Refusal};
    /// # fn example(assistant: &Assistant) -> Result<(), Refusal> {
    /// use leptos_assistant::event::{ContentPart, PartBody};
    ///
    /// assistant.send("Which projects are late?")?;
    /// let body = PartBody::Text("And which are early?".to_owned());
    /// assistant.send(vec![ContentPart { id: None, metadata: None, body }])
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the content is empty, or if running work must end first.
    pub fn send(&self, content: impl Into<Content>) -> Result<(), Refusal> {
        let content = content.into();
        self.dispatch(Input::Send { content })
    }

    /// Stops the run, the handlers and the open questions.
    ///
    /// # Errors
    ///
    /// Fails if nothing is running.
    pub fn stop(&self) -> Result<(), Refusal> {
        self.dispatch(Input::Stop)
    }

    /// Denies all pending approvals and questions, cancels the agent's questions that cannot be
    /// denied, and stops the run and the handlers. The user gets no new questions until they send
    /// the next message.
    ///
    /// # Errors
    ///
    /// Fails if nothing is running.
    pub fn deny_all_and_stop(&self) -> Result<(), Refusal> {
        self.deny_all(Decider::Application)
    }

    pub(crate) fn deny_all(&self, by: Decider) -> Result<(), Refusal> {
        self.dispatch(Input::DenyAll { by })
    }

    /// Shows the agent's questions that exceeded the limits and were held back
    /// ([`QuestionLimits`](crate::QuestionLimits)).
    ///
    /// # Errors
    ///
    /// Fails if no question is held back.
    pub fn show_held_back(&self) -> Result<(), Refusal> {
        self.dispatch(Input::ShowHeldBack)
    }

    /// Retries the failed run.
    ///
    /// # Errors
    ///
    /// Fails if no run failed.
    pub fn retry(&self) -> Result<(), Refusal> {
        self.dispatch(Input::Retry)
    }

    /// Continues the loop after it ended at a limit.
    ///
    /// # Errors
    ///
    /// Fails if the loop did not end at a limit.
    pub fn continue_loop(&self) -> Result<(), Refusal> {
        self.dispatch(Input::Continue)
    }

    /// Approves a call in its current state. The application decides, independently of any card,
    /// and the audit records the decision as the application's
    /// ([`AllowedBy::Application`](crate::conversation::AllowedBy::Application)). The user's
    /// decision on a card goes through [`ToolCallView::approve`](crate::ToolCallView::approve),
    /// which applies only to the call as it was shown.
    ///
    /// # Errors
    ///
    /// Fails if the call does not wait for a decision, or if only the user may approve its action
    /// ([`Refusal::OnlyUser`],
    /// [`ToolAction::only_user_approves`](crate::ToolAction::only_user_approves)).
    pub fn approve(&self, call: &CallKey) -> Result<(), Refusal> {
        self.decide(call, Verdict::Approve { args: None })
    }

    /// Approves a call with `args` instead of the agent's arguments.
    ///
    /// # Errors
    ///
    /// Fails as [`Self::approve`] does, or if the arguments violate the schema.
    pub fn approve_with(&self, call: &CallKey, args: Value) -> Result<(), Refusal> {
        self.decide(call, Verdict::Approve { args: Some(args) })
    }

    /// Denies a call.
    ///
    /// # Errors
    ///
    /// Fails if the call does not wait for a decision.
    pub fn deny(&self, call: &CallKey, reason: Option<String>) -> Result<(), Refusal> {
        self.decide(call, Verdict::Deny { reason })
    }

    /// Applies a decision of the application to the current state of the call.
    pub(super) fn decide(&self, call: &CallKey, verdict: Verdict) -> Result<(), Refusal> {
        let fingerprint = self.read(|session| session.fingerprint(call));
        let fingerprint = fingerprint.ok_or(Refusal::Ended)?;
        let fingerprint = fingerprint.ok_or(Refusal::AlreadyResolved)?;
        self.dispatch(Input::Decide {
            call: *call,
            shown: fingerprint,
            verdict,
            by: Decider::Application,
        })
    }

    /// Answers an interrupt of the agent in its current state, or cancels the interrupt if
    /// `payload` is `None`. The application decides, independently of any card.
    ///
    /// # Errors
    ///
    /// Fails if the agent does not wait for an answer to the interrupt, if the answer violates the
    /// schema of the interrupt, or if the interrupt is about an action that only the user may
    /// approve ([`Refusal::OnlyUser`]).
    pub fn answer(&self, interrupt_id: &str, payload: Option<Value>) -> Result<(), Refusal> {
        let fingerprint = self.read(|session| session.question_fingerprint(interrupt_id));
        let fingerprint = fingerprint.ok_or(Refusal::Ended)?;
        let fingerprint = fingerprint.ok_or(Refusal::AlreadyResolved)?;
        self.answer_question(interrupt_id, fingerprint, payload, Decider::Application)
    }

    /// Answers a question in the version that was shown, or cancels the question if `payload` is
    /// `None`.
    pub(super) fn answer_question(
        &self,
        interrupt_id: &str,
        shown: Fingerprint,
        payload: Option<Value>,
        by: Decider,
    ) -> Result<(), Refusal> {
        let status = match payload {
            Some(_) => ResumeStatus::Resolved,
            None => ResumeStatus::Cancelled,
        };
        self.dispatch(Input::Answer {
            interrupt_id: interrupt_id.to_owned(),
            shown,
            status,
            payload,
            by,
        })
    }

    /// Dismisses a notice.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// for notice in assistant.notices().get_untracked() {
    ///     assistant.dismiss(notice.id());
    /// }
    /// # }
    /// ```
    pub fn dismiss(&self, notice: NoticeId) {
        // The result is ignored, because a refusal only means that the notice was already removed.
        let _ = self.dispatch(Input::Dismiss { notice });
    }

    /// Replaces the state shared with the agent; the next run sends the state.
    pub fn set_state(&self, state: Value) {
        // The result is ignored, because the session never refuses this input.
        let _ = self.dispatch(Input::SetState { state });
    }

    /// Modifies the state shared with the agent in place, so that concurrent changes by an agent or
    /// another component are not lost. The next run sends the state.
    ///
    /// ```
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// assistant.update_state(|state| state["visits"] = (state["visits"].as_u64().unwrap_or(0) + 1).into());
    /// # }
    /// ```
    pub fn update_state(&self, change: impl FnOnce(&mut Value) + 'static) {
        self.runtime().update_state(Box::new(change));
    }

    /// Sets the properties that are forwarded to the agent with every run.
    pub fn set_forwarded_props(&self, props: Value) {
        // The result is ignored, because the session never refuses this input.
        let _ = self.dispatch(Input::SetForwardedProps { props });
    }

    /// Replaces the agent from the next run on.
    pub fn set_agent(&self, agent: impl Agent) {
        self.runtime().set_agent(Rc::new(agent));
    }

    /// Discards a question whose answer the agent rejected; the agent is not notified.
    ///
    /// # Errors
    ///
    /// Fails if the agent did not reject an answer to the question.
    pub fn give_up(&self, interrupt_id: &str) -> Result<(), Refusal> {
        let interrupt_id = interrupt_id.to_owned();
        self.dispatch(Input::GiveUp { interrupt_id })
    }

    /// Calls an action as the agent would, but outside of the conversation: with validation of the
    /// arguments, the limits of the action, and the user's approval where the action requires it.
    /// No agent is notified.
    ///
    /// # Errors
    ///
    /// Fails if the action is not found or has no handler, if the arguments violate the schema of
    /// the action, if a limit, a permission rule or the user refuses the call, or if the handler
    /// fails.
    pub async fn execute(&self, name: &str, args: Value) -> Result<Value, ToolError> {
        self.runtime().execute(name, args, None).await
    }
}
