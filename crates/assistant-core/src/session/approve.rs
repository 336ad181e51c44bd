//! Handles the user's decisions about calls. A decision is accepted once for each call, and only
//! for the version of the call that was shown.
//!
//! If the user dismisses a call whose action was removed meanwhile, the agent receives an error
//! that the tool is unavailable, not a denial.

use serde_json::Value;

use super::{Cx, OpenInterrupt, Refusal, Session, Verdict, execute::CallEnding};
use crate::{
    action::{Execution, Remember},
    conversation::{
        CallDataChange, CallError, CallKey, Change, Decider, Decision, ErrorKind, Fingerprint,
        State, StateEvent,
    },
};

impl Session {
    pub(super) fn decide_call(
        &mut self,
        key: &CallKey,
        shown: &Fingerprint,
        verdict: Verdict,
        cx: &mut Cx<'_>,
    ) {
        if !verdict.is_denial() && self.is_reserved_for_user(key, cx) {
            return cx.refuse(Refusal::OnlyUser);
        }
        if self.answer_card_interrupts(key, shown, &verdict, cx) {
            return;
        }
        let state = self.conversation.state_of(key).cloned();
        let is_on_path =
            self.conversation.is_run_call(key) || self.conversation.is_direct_call(key);
        match (state, &verdict) {
            (Some(State::Asked(_)), _) if is_on_path => {}
            (Some(State::Missing(_)), Verdict::Deny { .. }) if is_on_path => {}
            (Some(State::Missing(_)), _) if is_on_path => return cx.refuse(Refusal::NotRegistered),
            _ => return cx.refuse(Refusal::AlreadyResolved),
        }
        if !verdict.is_denial() && self.has_call_changed(key, shown) {
            return cx.refuse(Refusal::Changed);
        }
        let (args, remember) = match verdict {
            Verdict::Approve { args } => (args, None),
            Verdict::Remember { args, what } => (args, Some(what)),
            Verdict::Deny { reason: None } if self.dismiss_unavailable_call(key) => {
                return cx.push_change(Change::Run);
            }
            Verdict::Deny { reason } => {
                if cx.by == Some(Decider::Person) {
                    self.record_denial(key, reason.clone());
                }
                let decision = Decision::Denied {
                    reason: reason.clone(),
                };
                self.record_decision(key, decision, cx);
                self.conversation
                    .apply_state_event(key, StateEvent::Denied(reason));
                return self.resume_loop(key);
            }
        };
        let outcome = match self.has_preview(key) {
            true => self.approve_previewed_call(key, args, remember, cx),
            false => self.approve_call(key, args, remember, cx),
        };
        match outcome {
            Ok(()) => self.resume_loop(key),
            Err(refusal) => cx.refuse(refusal),
        }
    }

    /// Continues the loop after the user's decision about a call of the agent, unless a run is in
    /// progress. In a loaded conversation, no results are sent before the first decision.
    fn resume_loop(&mut self, key: &CallKey) {
        if !self.turn.is_running() && !self.conversation.is_direct_call(key) {
            self.turn.looping = true;
        }
    }

    pub(super) fn approve_call(
        &mut self,
        key: &CallKey,
        args: Option<Value>,
        remember: Option<Remember>,
        cx: &mut Cx<'_>,
    ) -> Result<(), Refusal> {
        if let Some(args) = &args {
            self.check_edit(key, args, cx)?;
        }
        let approval =
            remember.map(|what| self.approval_to_remember(key, &what, args.as_ref(), cx));
        let approval = approval.transpose()?;
        if args.is_some() {
            self.conversation
                .apply_data_change(key, CallDataChange::Edited(args));
        }
        self.forget_denial(key);
        self.record_decision(key, Decision::Approved, cx);
        self.conversation
            .apply_state_event(key, StateEvent::Cleared);
        if let Some(approval) = approval {
            self.remember_approval(approval, cx);
        }
        Ok(())
    }

    /// Returns true if a call differs from the version that was shown, or no longer exists.
    pub(super) fn has_call_changed(&self, key: &CallKey, shown: &Fingerprint) -> bool {
        self.fingerprint(key).as_ref() != Some(shown)
    }

    /// Returns true if the application decides about a call that only the user may approve.
    pub(super) fn is_reserved_for_user(&self, key: &CallKey, cx: &Cx<'_>) -> bool {
        let call = self.conversation.call(key);
        cx.by == Some(Decider::Application)
            && call.is_some_and(|call| self.is_action_reserved_for_user(&call.name))
    }

    /// Returns true if only the user may approve calls of this action.
    fn is_action_reserved_for_user(&self, name: &str) -> bool {
        let entry = self.registry.active_registration(name);
        entry.is_some_and(|entry| entry.spec.only_user_approves)
    }

    /// Returns true if the application answers an interrupt about a call or an action that only the
    /// user may approve.
    pub(super) fn is_question_reserved_for_user(&self, open: &OpenInterrupt, cx: &Cx<'_>) -> bool {
        let named_call = || self.conversation.call_of_interrupt(&open.interrupt);
        let call = open.blocks.or_else(|| named_call().map(|(key, _)| key));
        let mut actions = open.actions().iter();
        call.is_some_and(|key| self.is_reserved_for_user(&key, cx))
            || cx.by == Some(Decider::Application)
                && actions.any(|action| self.is_action_reserved_for_user(action.name()))
    }

    /// Records a decision together with the fingerprint of the call that the decision is about.
    pub(super) fn record_decision(&mut self, key: &CallKey, decision: Decision, cx: &mut Cx<'_>) {
        let (fingerprint, decider) = (self.call_fingerprint(key), cx.by);
        self.conversation.apply_data_change(
            key,
            CallDataChange::DecidedAsShown {
                decision,
                by: decider,
                shown: fingerprint,
            },
        );
        cx.push_change(Change::Run);
    }

    /// Refuses edited arguments if the agent runs the call and did not ask about the call, if the
    /// application's sanitizer would change the arguments, or if the arguments violate the schema
    /// of the action and the action does not turn validation off. Arguments of an unregistered
    /// action are accepted.
    pub(super) fn check_edit(
        &self,
        key: &CallKey,
        args: &Value,
        cx: &mut Cx<'_>,
    ) -> Result<(), Refusal> {
        let Some(call) = self.conversation.call(key) else {
            return Ok(());
        };
        let Some(entry) = self.registry.active_registration(&call.name) else {
            return Ok(());
        };
        if entry.spec.execution == Execution::Agent && !call.state().is_interrupted() {
            return Err(Refusal::NoEdits);
        }
        // Arguments that the sanitizer would change are refused, since the handler must receive
        // exactly the arguments that the user approved.
        if cx
            .host
            .sanitize(entry.id, args)
            .is_some_and(|clean| clean != *args)
        {
            return Err(Refusal::Unclean);
        }
        let violations = super::prepare::argument_violations(entry, args, cx);
        match violations.is_empty() {
            true => Ok(()),
            false => Err(Refusal::InvalidEdit(violations)),
        }
    }

    /// Returns true if the loop waits for questions to the user and for nothing else.
    pub(super) fn has_only_questions_open(&self) -> bool {
        let is_other = |state: &State| state.is_awaited_by_loop() && !state.is_asked();
        self.conversation.has_open_call(State::is_asked)
            && !self.conversation.has_open_call(is_other)
    }

    /// Denies the calls that wait for the user, for a rule of the application or for the
    /// registration of their action, because a new message replaces the decision. Calls whose
    /// action was removed fail as unavailable instead.
    pub(super) fn deny_open_calls(&mut self, cx: &mut Cx<'_>) {
        let reason = "auto-denied: new message";
        for key in self.conversation.active_calls() {
            let call = self.conversation.call(&key);
            let is_undecided = call.is_some_and(|call| call.state().is_undecided());
            if !is_undecided || self.end_unavailable_call(&key, cx) {
                continue;
            }
            let event = StateEvent::Denied(Some(reason.to_owned()));
            if self.conversation.apply_state_event(&key, event) {
                let decision = Decision::Denied {
                    reason: Some(reason.to_owned()),
                };
                self.record_decision(&key, decision, cx);
                self.end_denied_call(&key, Some(reason), cx);
            }
        }
    }

    /// Returns the error for a call whose action was removed while the user is asked about the
    /// call. `None` for other calls, and for a call with an unknown outcome, since the agent
    /// receives that outcome instead.
    fn unavailable_error(&self, key: &CallKey) -> Option<CallError> {
        let call = self.conversation.call(key)?;
        let is_removed =
            call.state().is_asked() && self.registry.active_registration(&call.name).is_none();
        (is_removed && !call.has_unknown_outcome()).then(|| {
            CallError::new(
                ErrorKind::ToolUnavailable,
                format!("Action {} is not available any more", call.name),
            )
        })
    }

    /// Dismisses a call whose action was removed. Returns false if the action is registered, if the
    /// call has an unknown outcome, or if the user is not asked about the call.
    fn dismiss_unavailable_call(&mut self, key: &CallKey) -> bool {
        let Some(error) = self.unavailable_error(key) else {
            return false;
        };
        self.void_check(key);
        let event = StateEvent::FoundInvalid(error);
        self.conversation.apply_state_event(key, event)
    }

    /// Ends a call whose action was removed, when a message of the user replaces all pending
    /// answers. Returns false if the action is registered, if the call has an unknown outcome, or
    /// if the user is not asked about the call.
    fn end_unavailable_call(&mut self, key: &CallKey, cx: &mut Cx<'_>) -> bool {
        let Some(error) = self.unavailable_error(key) else {
            return false;
        };
        self.end_call(key, CallEnding::from_error(error), cx);
        true
    }
}
