//! What an application or a person has an assistant do.

use std::rc::Rc;

use assistant_core::{
    action::ToolError,
    conversation::{CallKey, Decider, Fingerprint},
    event::{Content, ResumeStatus},
    session::{Input, NoticeId, Refusal, TreeChange, Verdict},
};
use serde_json::Value;

use super::Assistant;
use crate::agent::Agent;

impl Assistant {
    /// Says something to the agent.
    ///
    /// ```
    /// # use leptos_assistant::{Assistant, Refusal};
    /// # fn example(assistant: &Assistant) -> Result<(), Refusal> {
    /// assistant.send("Which projects are late?")
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When there is nothing in it, or something is under way that must end first.
    pub fn send(&self, text: impl Into<String>) -> Result<(), Refusal> {
        self.send_content(Content::Text(text.into()))
    }

    /// Says something to the agent that is more than a text, such as files.
    ///
    /// ```
    /// # use leptos_assistant::{Assistant, Refusal};
    /// # fn example(assistant: &Assistant) -> Result<(), Refusal> {
    /// use leptos_assistant::engine::event::Content;
    ///
    /// assistant.send_content(Content::Text("Hello".to_owned()))
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When there is nothing in it, or something is under way that must end first.
    pub fn send_content(&self, content: Content) -> Result<(), Refusal> {
        self.dispatch(Input::Send { content })
    }

    /// Stops the run, the handlers and the open questions.
    ///
    /// ```
    /// # use leptos_assistant::{Assistant, Refusal};
    /// # fn example(assistant: &Assistant) -> Result<(), Refusal> {
    /// assistant.stop()
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When nothing is under way.
    pub fn stop(&self) -> Result<(), Refusal> {
        self.dispatch(Input::Stop)
    }

    /// Denies everything that is open, gives up the agent's questions that take no denial, and stops
    /// the run and the handlers. Nothing new is asked until the user speaks.
    ///
    /// ```
    /// # use leptos_assistant::{Assistant, Refusal};
    /// # fn example(assistant: &Assistant) -> Result<(), Refusal> {
    /// assistant.deny_all_and_stop()
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When nothing is under way.
    pub fn deny_all_and_stop(&self) -> Result<(), Refusal> {
        self.deny_all(Decider::Application)
    }

    pub(crate) fn deny_all(&self, by: Decider) -> Result<(), Refusal> {
        self.dispatch(Input::DenyAll { by })
    }

    /// Shows the agent's questions that were held back because there were too many
    /// ([`QuestionLimits`](crate::QuestionLimits)).
    ///
    /// ```
    /// # use leptos_assistant::{Assistant, Refusal};
    /// # fn example(assistant: &Assistant) -> Result<(), Refusal> {
    /// assistant.show_held_back()
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When none is held back.
    pub fn show_held_back(&self) -> Result<(), Refusal> {
        self.dispatch(Input::ShowHeldBack)
    }

    /// Tries the run that failed again.
    ///
    /// ```
    /// # use leptos_assistant::{Assistant, Refusal};
    /// # fn example(assistant: &Assistant) -> Result<(), Refusal> {
    /// assistant.retry()
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When none failed.
    pub fn retry(&self) -> Result<(), Refusal> {
        self.dispatch(Input::Retry)
    }

    /// Lets the loop go on after a limit.
    ///
    /// ```
    /// # use leptos_assistant::{Assistant, Refusal};
    /// # fn example(assistant: &Assistant) -> Result<(), Refusal> {
    /// assistant.go_on()
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When it did not end at one.
    pub fn go_on(&self) -> Result<(), Refusal> {
        self.dispatch(Input::Continue)
    }

    /// Lets a call run as it is at this moment: the application decides, whatever a card shows, and the
    /// audit says so ([`AllowedBy::Application`](crate::engine::conversation::AllowedBy::Application)). What a person decides
    /// on a card goes through [`ToolCallView::approve`](crate::ToolCallView::approve), which is about
    /// what they saw.
    ///
    /// ```
    /// # use leptos_assistant::{Assistant, Refusal, engine::conversation::CallKey};
    /// # fn example(assistant: &Assistant, call: &CallKey) -> Result<(), Refusal> {
    /// assistant.approve(call)
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if it does not wait for a decision, and if only the user approves its action
    /// ([`Refusal::OnlyUser`], [`ToolAction::only_user_approves`](crate::ToolAction::only_user_approves)).
    pub fn approve(&self, call: &CallKey) -> Result<(), Refusal> {
        self.decide(call, Verdict::Approve { args: None })
    }

    /// Lets a call run with other arguments.
    ///
    /// ```
    /// # use leptos_assistant::{Assistant, Refusal, engine::conversation::CallKey};
    /// # fn example(assistant: &Assistant, call: &CallKey) -> Result<(), Refusal> {
    /// assistant.approve_with(call, serde_json::json!({"euros": 10}))
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Self::approve`], and when the arguments break the schema.
    pub fn approve_with(&self, call: &CallKey, args: Value) -> Result<(), Refusal> {
        self.decide(call, Verdict::Approve { args: Some(args) })
    }

    /// Does not let a call run.
    ///
    /// ```
    /// # use leptos_assistant::{Assistant, Refusal, engine::conversation::CallKey};
    /// # fn example(assistant: &Assistant, call: &CallKey) -> Result<(), Refusal> {
    /// assistant.deny(call, Some("too much".to_owned()))
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When it does not wait for a decision.
    pub fn deny(&self, call: &CallKey, reason: Option<String>) -> Result<(), Refusal> {
        self.decide(call, Verdict::Deny { reason })
    }

    /// Decides by the application's code, about the call as it is at this moment.
    pub(super) fn decide(&self, call: &CallKey, verdict: Verdict) -> Result<(), Refusal> {
        let now = self.read(|session| session.fingerprint(call));
        let now = now.ok_or(Refusal::Ended)?;
        let now = now.ok_or(Refusal::AlreadyResolved)?;
        self.decide_as_shown(call, now, verdict, Decider::Application)
    }

    /// Decides about a call as a card showed it.
    pub(crate) fn decide_as_shown(
        &self,
        call: &CallKey,
        shown: Fingerprint,
        verdict: Verdict,
        by: Decider,
    ) -> Result<(), Refusal> {
        self.dispatch(Input::Decide {
            call: *call,
            shown,
            verdict,
            by,
        })
    }

    /// Answers what the agent waits for, as it is at this moment; `None` gives it up. The application
    /// decides, whatever a card shows.
    ///
    /// ```
    /// # use leptos_assistant::{Assistant, Refusal};
    /// # fn example(assistant: &Assistant) -> Result<(), Refusal> {
    /// assistant.answer("seat-1", Some(serde_json::json!("12A")))
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if it does not wait for it, if the answer breaks its schema, or if it is about an action that
    /// only the user approves ([`Refusal::OnlyUser`]).
    pub fn answer(&self, interrupt_id: &str, payload: Option<Value>) -> Result<(), Refusal> {
        let now = self.read(|session| session.question_fingerprint(interrupt_id));
        let now = now.ok_or(Refusal::Ended)?;
        let now = now.ok_or(Refusal::AlreadyResolved)?;
        self.answer_question(interrupt_id, now, payload, Decider::Application)
    }

    /// Answers a question as it was shown, or gives it up.
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

    /// Takes a notice away.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// for notice in assistant.notices().get_untracked() {
    ///     assistant.dismiss(notice.id);
    /// }
    /// # }
    /// ```
    pub fn dismiss(&self, notice: NoticeId) {
        // A notice that is gone needs no dismissal.
        let _ = self.dispatch(Input::Dismiss { notice });
    }

    /// Changes the state shared with the agent; the next run sends it.
    ///
    /// ```
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// assistant.set_state(serde_json::json!({"step": 2}));
    /// # }
    /// ```
    pub fn set_state(&self, state: Value) {
        // State is never refused.
        let _ = self.dispatch(Input::SetState { state });
    }

    /// Changes the state shared with the agent where it stands, so that what an agent or another
    /// component changed meanwhile is not lost; the next run sends it.
    ///
    /// ```
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// assistant.update_state(|state| state["visits"] = (state["visits"].as_u64().unwrap_or(0) + 1).into());
    /// # }
    /// ```
    pub fn update_state(&self, change: impl FnOnce(&mut Value) + 'static) {
        self.runtime().update_state(Box::new(change));
    }

    /// Passes something through to the agent with every run.
    ///
    /// ```
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// assistant.set_forwarded_props(serde_json::json!({"model": "large"}));
    /// # }
    /// ```
    pub fn set_forwarded_props(&self, props: Value) {
        // Props are never refused.
        let _ = self.dispatch(Input::SetForwardedProps { props });
    }

    /// Talks to another agent from the next run on.
    ///
    /// ```
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// use leptos_assistant::agent::HttpAgent;
    ///
    /// assistant.set_agent(HttpAgent::new("/agent/sales"));
    /// # }
    /// ```
    pub fn set_agent(&self, agent: impl Agent) {
        self.runtime().set_agent(Rc::new(agent));
    }

    /// Gives up a question whose answer the agent did not take: it is not told.
    ///
    /// ```
    /// # use leptos_assistant::{Assistant, Refusal};
    /// # fn example(assistant: &Assistant) -> Result<(), Refusal> {
    /// assistant.give_up("seat-1")
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When the agent did not reject an answer to it.
    pub fn give_up(&self, interrupt_id: &str) -> Result<(), Refusal> {
        let interrupt_id = interrupt_id.to_owned();
        self.dispatch(Input::GiveUp { interrupt_id })
    }

    /// Does something to the tree of messages: shows another branch, edits, deletes.
    ///
    /// ```
    /// # use leptos_assistant::{Assistant, Refusal};
    /// # fn example(assistant: &Assistant) -> Result<(), Refusal> {
    /// use leptos_assistant::engine::session::TreeChange;
    ///
    /// let last = assistant.with_conversation(|all| all.path().last().map(|message| message.id.clone()));
    /// match last.flatten() {
    ///     Some(message) => assistant.change_tree(TreeChange::Delete { message }),
    ///     None => Ok(()),
    /// }
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When the tree does not allow it, or something is under way that must end first.
    pub fn change_tree(&self, change: TreeChange) -> Result<(), Refusal> {
        self.dispatch(Input::Tree { change })
    }

    /// Asks for an action as the agent would, but outside of the conversation: checked arguments,
    /// the person's approval where the action asks for it, its limits, its handler. No agent is
    /// told of it.
    ///
    /// ```
    /// # use leptos_assistant::{Assistant, ToolError};
    /// # async fn example(assistant: &Assistant) -> Result<(), ToolError> {
    /// let cart = assistant.execute("open_cart", serde_json::json!({})).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// "Action X not found", "Action X has no handler", what is wrong with the arguments, that the
    /// person denied it, or what the handler says.
    pub async fn execute(&self, name: &str, args: Value) -> Result<Value, ToolError> {
        self.runtime().execute(name, args, None).await
    }
}
