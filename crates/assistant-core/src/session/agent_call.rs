//! Handles remote calls: calls that the agent runs itself, possibly after a decision of the user.
//! The agent may send the results of these calls one run later.
//!
//! A remote call does not block the loop, and is delegated to the agent for the next run only. The
//! module `interrupts` handles agents that have an approval protocol of their own. The module
//! `execute` handles the calls that run in the page.

use super::{Cx, Session, execute::CallEnding, offer::not_found_error};
use crate::{
    action::{Availability, ToolError},
    conversation::{
        CallEnd, CallError, CallKey, Change, Consent, ErrorKind, Fingerprint, State, StateEvent,
    },
};

impl Session {
    /// Hands an approved call off to the agent: the next run sends the approval in a tool message.
    /// A call that may no longer be handed off, for example because it has changed since the
    /// approval, is checked again instead.
    pub(super) fn hand_off_call(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        let call = self.conversation.call(key);
        let fingerprint = call.map(|call| Fingerprint::from_call(call, None));
        let Some(fingerprint) = fingerprint.filter(|_| self.is_permitted_for_agent(key, cx.now))
        else {
            return self.recheck_changed_call(key, cx);
        };
        let id = cx.host.new_id();
        self.conversation.record_hand_off_message(&id);
        let message = Consent::new(id, fingerprint);
        self.conversation
            .apply_state_event(key, StateEvent::HandedOff(message));
        self.turn.looping = true;
        cx.push_change(Change::Run);
    }

    /// Delegates remote calls to the agent while other answers of the page or the user are due,
    /// because some servers run remote calls when they receive these answers. `pending` lists the
    /// ids of the calls that the agent handed off to the page.
    pub(super) fn delegate_remote_calls(&mut self, pending: &[String]) {
        let is_due =
            |state: &State| state.is_awaited_by_loop() && !matches!(state, State::Remote { .. });
        let has_due_call = self.options.agent.runs_tools && self.conversation.has_open_call(is_due);
        if !has_due_call && !self.interrupts.has_unanswered() {
            return;
        }
        for key in self.unanswered_remote_call_keys(pending) {
            self.conversation
                .apply_state_event(&key, StateEvent::Delegated);
        }
    }

    /// Ends the remote calls that are not delegated to the agent, if the agent runs tools of its
    /// own. The agent continued without the results of these calls, so no run is started; the next
    /// request sends the errors. `pending` lists the ids of the calls that the agent handed off to
    /// the page.
    pub(super) fn end_calls_without_result(&mut self, pending: &[String], cx: &mut Cx<'_>) {
        if !self.options.agent.runs_tools {
            return;
        }
        for key in self.unanswered_remote_call_keys(pending) {
            self.end_unanswered_call(&key, cx);
        }
    }

    /// Returns the keys of the remote calls that are not yet delegated to the agent, without the
    /// calls whose ids are in `pending`.
    fn unanswered_remote_call_keys(&self, pending: &[String]) -> Vec<CallKey> {
        let mut keys = self.conversation.active_calls();
        keys.retain(|key| {
            self.conversation.call(key).is_some_and(|call| {
                matches!(
                    call.state(),
                    State::Remote {
                        delegated: false,
                        ..
                    }
                ) && !pending.contains(&call.id)
            })
        });
        keys
    }

    /// Ends the handed-off calls, and the remote calls that were delegated to the agent for the run
    /// that has ended. A call without a result fails, or is skipped if the page has no action with
    /// the name of the call. No run is started, since the agent continued without the results.
    /// While an interrupt is unanswered, the remote calls stay open, since the interrupt may
    /// concern these calls.
    pub(super) fn end_delegated_calls_after_run(&mut self, cx: &mut Cx<'_>) {
        let has_question = self.interrupts.has_unanswered();
        for key in self.conversation.active_calls() {
            if (self.is_delegated(&key) && !has_question) || self.is_handed_off(&key) {
                match self.is_unregistered(&key) {
                    true => self.skip_server_call(&key, cx),
                    false => self.end_unanswered_call(&key, cx),
                }
                self.conversation
                    .apply_state_event(&key, StateEvent::Delivered);
            }
        }
    }

    /// Returns true if a call was not handed off, and no action of this page has the name of the
    /// call, not even a render-only action.
    fn is_unregistered(&self, key: &CallKey) -> bool {
        let call = self.conversation.call(key);
        !self.is_handed_off(key)
            && call.is_some_and(|call| self.registry.active_registration(&call.name).is_none())
    }

    /// Skips a call of the server's own tool. The call needed no answer, so it has not failed. The
    /// agent receives the message for unknown tools.
    fn skip_server_call(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        let Some(name) = self.conversation.call(key).map(|call| call.name.clone()) else {
            return;
        };
        let reply = ToolError::new(not_found_error(&name).message).to_value();
        self.end_call(key, CallEnding::new(CallEnd::Skipped, reply), cx);
    }

    /// Ends the calls that were delegated to the agent, because no run follows. Handed-off calls
    /// stay open until the next run.
    pub(super) fn end_delegated_calls(&mut self, cx: &mut Cx<'_>) {
        for key in self.conversation.active_calls() {
            if self.is_delegated(&key) {
                self.end_unanswered_call(&key, cx);
            }
        }
    }

    pub(super) fn is_delegated(&self, key: &CallKey) -> bool {
        let state = self.conversation.state_of(key);
        matches!(state, Some(State::Remote { delegated, .. }) if *delegated)
    }

    /// Returns true if the call was handed off and has no result.
    pub(super) fn is_handed_off(&self, key: &CallKey) -> bool {
        let state = self.conversation.state_of(key);
        matches!(state, Some(State::HandedOff { .. }))
    }

    /// Ends a call with an error, since the agent's run ended without a result for the call. The
    /// error states that the tool is unknown, unless the action is render-only or the call was
    /// handed off.
    pub(super) fn end_unanswered_call(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        let Some(call) = self.conversation.call(key) else {
            return;
        };
        let name = call.name.clone();
        let entry = self.registry.active_registration(&name);
        let is_render_only =
            entry.is_some_and(|entry| entry.spec.availability == Availability::RenderOnly);
        let error = if is_render_only || self.is_handed_off(key) {
            let message = format!("Action {name} ended without a result");
            CallError::new(ErrorKind::NoResult, message)
        } else {
            not_found_error(&name)
        };
        self.end_call(key, CallEnding::from_error(error), cx);
    }
}
