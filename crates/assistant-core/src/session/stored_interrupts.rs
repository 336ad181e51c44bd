//! Stores open interrupts with a conversation, and reopens them after a reload.
//!
//! The user is also asked again about approved interrupts, since the author of stored data is
//! unknown; denials remain. Answers that a run is sending are not stored, since it is unknown
//! whether the agent accepted them.

use serde_json::{Value, json};

use super::{Cx, OpenInterrupt, Session, Verdict, interrupts::answer_status};
use crate::{
    action::Execution,
    conversation::{CallKey, Conversation, MessageId, State, StateEvent},
    event::Interrupt,
    json::form,
};

impl Session {
    /// Returns the open interrupts for an export, without those whose answers the current run
    /// sends. Returns `None` if no interrupt remains.
    pub(super) fn interrupts_to_value(&self) -> Option<Value> {
        let sent_ids = self.turn.run().map(|run| run.answers.as_slice());
        let sent_ids = sent_ids.unwrap_or_default();
        let interrupts = self.interrupts.all_branches();
        let interrupts = interrupts.filter(|open| !sent_ids.contains(&open.interrupt.id));
        let values: Vec<Value> = interrupts.map(stored_interrupt_to_value).collect();
        (!values.is_empty()).then(|| values.into())
    }

    /// Reopens the interrupts of a stored conversation. Interrupts of other branches are reopened
    /// when their branch becomes the run branch. Invalid entries and interrupts of deleted branches
    /// are skipped.
    pub(super) fn reopen_stored_interrupts(&mut self, stored: Option<Value>, cx: &mut Cx<'_>) {
        let Some(Value::Array(list)) = stored else {
            return;
        };
        for entry in list {
            let tip = entry.get("branch").and_then(Value::as_str);
            let tip = tip.map(MessageId::from);
            let is_deleted = |tip: &MessageId| self.conversation.message(tip).is_none();
            if tip.as_ref().is_some_and(is_deleted) {
                continue;
            }
            if let Some((interrupt, legacy)) = parse_stored_interrupt(entry) {
                let mut open = OpenInterrupt::new(interrupt, legacy);
                open.tip = tip;
                self.interrupts.elsewhere.push(open);
            }
        }
        self.select_branch_interrupts(cx);
    }

    /// Reopens a stored interrupt on its branch and blocks its call. If the user had denied the
    /// call, the interrupt is answered with that denial.
    pub(super) fn reopen_stored_interrupt(&mut self, mut open: OpenInterrupt, cx: &mut Cx<'_>) {
        open.held_back = self.count_or_hold_back_interrupt(&open.interrupt.id, cx);
        let call = self.conversation.call_of_interrupt(&open.interrupt);
        if let Some((key, call)) = call {
            let state = call.state().clone();
            let approval = call.approval();
            let asking_id = approval.and_then(|approval| approval.interrupt_id.as_deref());
            // The card shows only the newest question about the call, even if other questions are
            // open.
            let is_newest_question = asking_id == Some(open.interrupt.id.as_str());
            match state {
                State::InterruptDenied { reason, .. } if is_newest_question => {
                    open.answer_with_denial(key, reason, &self.conversation);
                }
                _ => self.interrupt_stored_call(key, is_newest_question, &mut open),
            }
        }
        self.interrupts.open(open);
    }

    /// Blocks the call of a stored interrupt again, if the interrupt is the newest question about
    /// the call.
    fn interrupt_stored_call(
        &mut self,
        key: CallKey,
        is_newest_question: bool,
        open: &mut OpenInterrupt,
    ) {
        let is_on_card = self.can_be_answered_on_card(open, &key) && !open.held_back;
        if is_newest_question && self.interrupt_call(key, &open.interrupt.id, is_on_card) {
            open.call = is_on_card.then_some(key);
            open.blocks = Some(key);
        }
    }

    /// Ends the calls whose interrupts were answered before a reload, after the resumed run has
    /// ended without their results. Denials remain; the outcome of the other calls is unknown. If
    /// the agent asks further questions, remote calls and interrupted calls that the page does not
    /// run stay with the agent, since a later run may return their results.
    pub(super) fn end_answered_calls(&mut self, cx: &mut Cx<'_>) {
        let has_question = self.interrupts.has_uncancelled();
        for key in self.conversation.active_calls() {
            let call = self.conversation.call(&key);
            let call = call.filter(|call| call.may_await_agent() && !self.is_interrupted(&key));
            let is_run_by_agent = call.is_some_and(|call| {
                let entry = self.registration_for(call);
                entry.is_none_or(|entry| entry.spec.execution == Execution::Agent)
            });
            match call.map(|call| call.state().clone()) {
                Some(State::InterruptDenied { reason, .. }) => {
                    self.end_denied_call(&key, reason.as_deref(), cx);
                    self.conversation
                        .apply_state_event(&key, StateEvent::Delivered);
                }
                Some(State::Remote { .. }) if has_question => {}
                Some(State::Interrupted { .. }) if has_question && is_run_by_agent => {
                    for event in [
                        StateEvent::InterruptLifted,
                        StateEvent::FoundRemote,
                        StateEvent::Delegated,
                    ] {
                        self.conversation.apply_state_event(&key, event);
                    }
                }
                Some(_) => self.give_up_call(&key, Some("interrupted"), cx),
                None => {}
            }
        }
    }

    /// Delegates a stored remote call to the agent if an interrupt of the agent waits for an
    /// answer, since the question may be about the call without naming it. Returns false if no
    /// interrupt waits, or if [`Self::delegate_stored_remote_call`] returns false.
    pub(super) fn delegate_remote_call_if_agent_waits(&mut self, key: &CallKey) -> bool {
        self.interrupts.has_uncancelled() && self.delegate_stored_remote_call(key)
    }

    /// Delegates a stored remote call to the agent, which may send the result in its next run or in
    /// the run that is being resumed. Returns false if the call is not remote or was already
    /// started.
    pub(super) fn delegate_stored_remote_call(&mut self, key: &CallKey) -> bool {
        let call = self.conversation.call(key);
        let is_remote = call.is_some_and(|call| {
            matches!(call.state(), State::Remote { .. }) && !call.was_started()
        });
        if is_remote {
            self.conversation
                .apply_state_event(key, StateEvent::Delegated);
        }
        is_remote
    }

    /// Returns true if an open interrupt on the run branch blocks a call.
    pub(super) fn is_interrupted(&self, key: &CallKey) -> bool {
        let mut interrupts = self.interrupts.list.iter();
        interrupts.any(|open| open.blocks == Some(*key))
    }
}

impl OpenInterrupt {
    /// Answers the interrupt with an earlier denial by the user, and blocks the denied call. An
    /// interrupt that accepts no denial is cancelled.
    fn answer_with_denial(
        &mut self,
        key: CallKey,
        reason: Option<String>,
        conversation: &Conversation,
    ) {
        self.call = Some(key);
        self.blocks = Some(key);
        // An interrupt that does not accept a denial is cancelled.
        let denial = self.answer_to(&Verdict::Deny { reason });
        let payload = denial.ok().flatten();
        let status = answer_status(payload.as_ref());
        self.set_answer((status, payload), self.fingerprint(conversation));
    }
}

fn stored_interrupt_to_value(open: &OpenInterrupt) -> Value {
    json!({
        "interrupt": form::interrupt_to_value(&open.interrupt),
        "legacy": open.legacy,
        "branch": open.tip.as_ref().map(MessageId::as_str),
    })
}

/// Parses a stored interrupt. The boolean is true if the interrupt uses the older dialect. Returns
/// `None` if the value is invalid.
fn parse_stored_interrupt(mut value: Value) -> Option<(Interrupt, bool)> {
    let interrupt = form::interrupt_from_value(value.get_mut("interrupt")?.take()).ok()?;
    let is_legacy = value.get("legacy") == Some(&Value::Bool(true));
    Some((interrupt, is_legacy))
}
