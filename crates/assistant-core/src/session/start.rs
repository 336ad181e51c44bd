//! Starts handlers: the start is written to the journal first, then the handler runs once, with
//! arguments that the user approved or that need no approval (rules "exactly once", "asking
//! first").
//!
//! The module `prepare` checks calls, and `execute` determines the time of their starts and records
//! their results.

use super::{
    Answer, CommitId, Cx, Effect, Invocation, InvocationId, JournalEntry, Session, TimerId,
    execute::CallEnding, limits::permission_error, prepare::Rebinding,
};
use crate::{
    action::{Execution, Policy, Registration},
    conversation::{
        CallDataChange, CallError, CallKey, Decision, ErrorKind, Fingerprint, State, StateEvent,
        ToolCall,
    },
};

#[cfg(test)]
mod tests;

impl Session {
    /// Requests a journal entry about the start of a call, before the handler starts, and records
    /// the start for the rate limits.
    pub(super) fn commit_start(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        let commit = CommitId(self.next_number());
        let Some(call) = self.conversation.call(key) else {
            return;
        };
        let action = self.registration_for(call).cloned();
        let fingerprint = action.as_ref().map(|entry| entry.spec.fingerprint());
        let entry = JournalEntry::Started {
            thread_id: self.thread_id.clone(),
            call: *key,
            attempt: call.claim_count(),
            name: call.name.clone(),
            args_text: call.args_text().to_owned(),
            action: fingerprint.clone(),
        };
        self.conversation
            .edit_call(key, |call| call.action = fingerprint);
        self.record_start(action.as_ref(), cx.now);
        self.conversation
            .apply_state_event(key, StateEvent::CommitAsked(commit));
        cx.push_effect(Effect::Commit { commit, entry });
    }

    pub(super) fn handle_commit(
        &mut self,
        commit: CommitId,
        outcome: Result<(), String>,
        cx: &mut Cx<'_>,
    ) {
        let is_committing =
            |state: &State| matches!(state, State::Committing(id, _) if *id == commit);
        let Some(key) = self.conversation.find_open_call(is_committing) else {
            return;
        };
        if let Err(message) = outcome {
            let message = format!("The start could not be recorded, so nothing was run: {message}");
            let error = CallError::new(ErrorKind::Journal, message);
            return self.end_call(&key, CallEnding::from_error(error), cx);
        }
        let permission = match self.rebind_check(&key, cx) {
            Rebinding::Unchanged => Answer::Now(Ok(())),
            Rebinding::TakenOver => self
                .ask_permission(&key, cx)
                .map_or(Answer::Later, |(_, answer)| answer),
            Rebinding::Invalid => Answer::Later,
        };
        match permission {
            Answer::Now(Ok(())) => self.invoke_handler(&key, cx),
            Answer::Now(Err(reason)) => {
                self.end_call(&key, CallEnding::from_error(permission_error(reason)), cx);
            }
            // The call starts with another claim once it is permitted.
            Answer::Later => self.recheck_call(&key, false, cx),
        }
    }

    /// Starts a handler. No other function starts handlers. A call that differs from the version
    /// that was permitted is checked again, and a call with invalid arguments ends with an error.
    fn invoke_handler(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        let (Some(call), Some(entry)) = (
            self.conversation.call(key),
            self.startable_action(key, cx.now),
        ) else {
            return self.recheck_changed_call(key, cx);
        };
        let args = call.effective_args().cloned().unwrap_or_default();
        if let Some(error) = super::prepare::find_argument_fault(entry, &args, cx) {
            return self.end_call(key, CallEnding::from_error(error), cx);
        }
        let timeout = entry.spec.timeout_ms;
        let message = self.conversation.message_of_call(key);
        let invocation = Invocation {
            id: InvocationId(self.last_number + 1),
            registration: entry.id,
            call: *key,
            message: message.map(|message| message.id.clone()),
            call_id: call.id.clone(),
            name: call.name.clone(),
            args,
            iteration: u32::try_from(self.turn.summary.runs.len().saturating_sub(1))
                .unwrap_or(u32::MAX),
        };
        self.next_number();
        let timer = timeout.map(|ms| (TimerId(self.next_number()), ms));
        let event = StateEvent::Started(invocation.id, timer.map(|(timer, _)| timer));
        if !self.conversation.apply_state_event(key, event) {
            return;
        }
        cx.push_effect(Effect::Invoke(Box::new(invocation)));
        if let Some((timer, ms)) = timer {
            cx.push_effect(Effect::StartTimer { timer, ms });
        }
    }

    /// Marks a call as changed since its permission, checks the call again, and asks the user about
    /// the call regardless of the rules.
    pub(super) fn recheck_changed_call(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        self.conversation
            .apply_data_change(key, CallDataChange::Changed);
        self.recheck_call(key, true, cx);
    }

    /// Returns the action whose handler may start, if the user approved exactly this call or if the
    /// action's rules permit exactly this call without asking. Returns `None` otherwise.
    ///
    /// The check uses the current call and registry. This second check is independent of the call's
    /// state and of the first check. The second check refuses nothing while the first check is
    /// correct; the tests of this module bypass the first check.
    fn startable_action(&self, key: &CallKey, now: i64) -> Option<&Registration> {
        let (call, entry) = self.call_with_registration(key)?;
        let runs_in_page = entry.spec.has_handler && entry.spec.execution == Execution::Client;
        let is_bound = call.check()?.registration == Some(entry.id);
        let may_start = runs_in_page && is_bound && self.is_permitted_as_shown(call, entry, now);
        may_start.then_some(entry)
    }

    /// Returns true if a call may be handed off to the agent: the user approved exactly this call,
    /// or the action's rules permit exactly this call without asking.
    pub(super) fn is_permitted_for_agent(&self, key: &CallKey, now: i64) -> bool {
        let call = self.call_with_registration(key);
        call.is_some_and(|(call, entry)| {
            entry.spec.execution == Execution::Agent && self.is_permitted_as_shown(call, entry, now)
        })
    }

    fn is_permitted_as_shown(&self, call: &ToolCall, entry: &Registration, now: i64) -> bool {
        if !call.has_ended() || call.effective_args().is_none() {
            return false;
        }
        match call.approval() {
            Some(approval) if approval.interrupt_id.is_none() => {
                approval.decision == Some(Decision::Approved)
                    && approval.shown == Some(Fingerprint::from_call(call, Some(&entry.spec)))
            }
            Some(_) => self.is_unblocked_by_agent(call) && self.may_start_unasked(call, entry, now),
            None => self.may_start_unasked(call, entry, now),
        }
    }

    /// Returns true if no question from the agent blocks a call. An answer to the agent's question
    /// never permits a start by itself.
    fn is_unblocked_by_agent(&self, call: &ToolCall) -> bool {
        let decision = call
            .approval()
            .and_then(|approval| approval.decision.as_ref());
        match decision {
            Some(Decision::Approved) => self.is_unchanged_since_asked(&call.key()),
            Some(Decision::Denied { .. }) => false,
            None => self
                .interrupts
                .unanswered_on_card(&call.key())
                .next()
                .is_none(),
        }
    }

    /// Returns true if a call may start without asking the user, because the rules of its action or
    /// a remembered approval permit the start. If the approval has limited uses, the use must have
    /// been counted. Calls that have changed, calls that must be asked about, and calls with an
    /// unknown outcome that are not idempotent never start without asking.
    fn may_start_unasked(&self, call: &ToolCall, entry: &Registration, now: i64) -> bool {
        let is_allowed_by_rules = match entry.spec.approval {
            Policy::Always => false,
            Policy::Never => true,
            Policy::Ask => {
                call.cleared_fingerprint() == Some(&Fingerprint::from_call(call, Some(&entry.spec)))
            }
        };
        let is_unknown = call.has_unknown_outcome() && !entry.spec.idempotent;
        let is_allowed = is_allowed_by_rules || self.is_allowed_by_grant(call, entry, now);
        is_allowed && !call.has_changed() && !call.history().must_be_asked && !is_unknown
    }
}
