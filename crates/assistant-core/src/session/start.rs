//! From a call that may start to its handler: the start is written down first, then the handler
//! runs, once, with what a person saw or nobody had to see (rules "exactly once", "asking first").
//!
//! Neighbours: `prepare` judges whether a call may start, `execute` says when, and gives it its
//! answer.

use super::{
    CommitId, Cx, Effect, Invocation, InvocationId, JournalEntry, Session, TimerId,
    calls::fingerprint, execute::Ending,
};
use crate::{
    action::{Execution, Policy, Registration, schema},
    conversation::{CallError, CallKey, Decision, ErrorKind, State, StateEvent, ToolCall},
};

#[cfg(test)]
mod tests;

impl Session {
    /// Nothing starts before it is written down that it starts.
    pub(super) fn commit_start(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        let commit = CommitId(self.number());
        let Some(call) = self.conversation.call(key) else {
            return;
        };
        let action = self.registration_for(call).cloned();
        let edition = action.as_ref().map(|entry| entry.spec.fingerprint());
        let entry = JournalEntry::Started {
            thread_id: self.thread_id.clone(),
            call: *key,
            attempt: call.claims(),
            name: call.name.clone(),
            args_text: call.args_text().to_owned(),
            action: edition.clone(),
        };
        self.conversation
            .edit_call(key, |call| call.action = edition);
        self.note_start(action.as_ref(), cx.now);
        self.conversation
            .happens(key, StateEvent::CommitAsked(commit));
        cx.effect(Effect::Commit { commit, entry });
    }

    pub(super) fn committed(
        &mut self,
        commit: CommitId,
        outcome: Result<(), String>,
        cx: &mut Cx<'_>,
    ) {
        let written = |state: &State| matches!(state, State::Committing(of, _) if *of == commit);
        let Some(key) = self.conversation.find_open(written) else {
            return;
        };
        if let Err(message) = outcome {
            let message = format!("The start could not be recorded, so nothing was run: {message}");
            let error = CallError {
                message,
                kind: ErrorKind::Journal,
                details: None,
            };
            return self.end_call(&key, Ending::error(error), cx);
        }
        if self.rebind(&key) {
            self.invoke(&key, cx);
        } else {
            self.prepare(&key, cx);
        }
    }

    /// The one place where handlers are started. Whatever led here, the call must be what a person
    /// saw when they approved it, if one was to be asked, and its arguments must fit.
    fn invoke(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        let (Some(call), Some(entry)) = (self.conversation.call(key), self.was_shown(key, cx.now))
        else {
            return self.judge_changed(key, cx);
        };
        let args = call.effective_args().cloned().unwrap_or_default();
        if entry.spec.validate {
            let wrong = schema::validate(&entry.spec.parameters, &args, &mut *cx.host);
            if let Some(error) = super::prepare::invalid_arguments(&call.name, &wrong) {
                return self.end_call(key, Ending::error(error), cx);
            }
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
            iteration: u32::try_from(self.turn.summary().runs.len().saturating_sub(1))
                .unwrap_or(u32::MAX),
        };
        self.number();
        let timer = timeout.map(|ms| (TimerId(self.number()), ms));
        let started = StateEvent::Started(invocation.id, timer.map(|(timer, _)| timer));
        if !self.conversation.happens(key, started) {
            return;
        }
        cx.effect(Effect::Invoke(Box::new(invocation)));
        if let Some((timer, ms)) = timer {
            cx.effect(Effect::StartTimer { timer, ms });
        }
    }

    /// Asks the user again if the call that would start is not the one that was allowed.
    pub(super) fn judge_changed(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        self.conversation
            .edit_call(key, |call| call.lasting.changed = true);
        self.forget_judgement(key);
        self.judge(key, true, cx);
    }

    /// The action whose handler may start: what would run was on the screen when a person approved
    /// it, or the action's rules let exactly this start without asking anybody.
    ///
    /// This looks at the call and the registry as they are now. It relies neither on the state that
    /// led here nor on the judgement that was made before, so that it is enough by itself if one of
    /// them should fail. While they hold it never says no, so that only the tests below, which put
    /// a call past them, show what it does.
    fn was_shown(&self, key: &CallKey, now: i64) -> Option<&Registration> {
        let call = self.conversation.call(key)?;
        let entry = self.registration_for(call)?;
        let runs_here = entry.spec.has_handler && entry.spec.execution == Execution::Client;
        let may_start = runs_here && self.is_let_go_as_shown(call, entry, now);
        may_start.then_some(entry)
    }

    /// The same for a call that the agent runs.
    pub(super) fn was_shown_for_agent(&self, key: &CallKey, now: i64) -> bool {
        let call = self.conversation.call(key);
        let entry = call.and_then(|call| Some((call, self.registration_for(call)?)));
        entry.is_some_and(|(call, entry)| {
            entry.spec.execution == Execution::Agent && self.is_let_go_as_shown(call, entry, now)
        })
    }

    fn is_let_go_as_shown(&self, call: &ToolCall, entry: &Registration, now: i64) -> bool {
        if !call.has_ended() || call.effective_args().is_none() {
            return false;
        }
        match call.approval() {
            Some(approval) if approval.interrupt_id.is_none() => {
                approval.decision == Some(Decision::Approved)
                    && approval.shown == Some(fingerprint(call, Some(&entry.spec)))
            }
            Some(_) => self.agent_lets_go(call) && self.may_start_unasked(call, entry, now),
            None => self.may_start_unasked(call, entry, now),
        }
    }

    /// Whether nothing that the agent asked about a call holds it back. Its question alone never
    /// lets a call start.
    fn agent_lets_go(&self, call: &ToolCall) -> bool {
        let decision = call
            .approval()
            .and_then(|approval| approval.decision.as_ref());
        match decision {
            Some(Decision::Approved) => self.is_as_gated(&call.key()),
            Some(Decision::Denied { .. }) => false,
            None => self.interrupts.asking_about(&call.key()).next().is_none(),
        }
    }

    /// Returns whether a call may start as it is without a person being asked: the rules of its action let
    /// it, or an approval that is remembered, not revoked, and counted where it has so many uses.
    fn may_start_unasked(&self, call: &ToolCall, entry: &Registration, now: i64) -> bool {
        let by_rules = match entry.spec.approval {
            Policy::Always => false,
            Policy::Never => true,
            Policy::Ask => call.cleared() == Some(&fingerprint(call, Some(&entry.spec))),
        };
        let in_doubt = call.has_unknown_outcome() && !entry.spec.idempotent;
        let unasked = by_rules || self.is_allowed_by_grant(call, entry, now);
        unasked && !call.lasting.changed && !call.lasting.must_be_asked && !in_doubt
    }
}
