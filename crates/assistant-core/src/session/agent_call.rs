//! Calls that the agent runs: it may need to hear a decision first, and may answer a run later.
//!
//! Such a call holds nothing up. It is left to the agent for one run: the next. Neighbours:
//! `interrupt` for agents that ask by a protocol of their own, `execute` for what runs here.

use super::{Cx, Session, execute::Ending, offer::not_found};
use crate::{
    action::{Availability, ToolError},
    conversation::{
        CallError, CallKey, Change, Consent, ErrorKind, Fingerprint, State, StateEvent,
    },
};

impl Session {
    /// Nobody must be asked: the call's tool message says so in the next run, as long as the call is
    /// what it is now.
    pub(super) fn tell_agent(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        let about = self.conversation.call(key).map(Fingerprint::of_call);
        let Some(about) = about.filter(|_| self.was_shown_for_agent(key, cx.now)) else {
            return self.judge_changed(key, cx);
        };
        let id = cx.host.new_id();
        self.conversation.note_go_ahead(&id);
        let message = Consent::new(id, about);
        self.calls.forget(key);
        self.conversation
            .happens(key, StateEvent::HandedOff(message));
        self.turn.set_looping(true);
        cx.change(Change::Run);
    }

    /// The agent's own calls, if the page or the person owes it answers anyway: some servers run
    /// theirs when those are there. `named` are calls that the agent wants answered here.
    pub(super) fn leave_to_agent(&mut self, named: &[String]) {
        let owed = self
            .conversation
            .has_open(|state| state.is_under_way() && !matches!(state, State::Remote { .. }));
        if !owed && !self.interrupts.wait() {
            return;
        }
        for key in self.conversation.active_calls() {
            let is_named = |id: &str| named.iter().any(|named| named == id);
            let leave = self.conversation.call(&key).is_some_and(|call| {
                matches!(call.state(), State::Remote { .. }) && !is_named(&call.id)
            });
            if leave {
                self.conversation.happens(&key, StateEvent::LeftRemote);
            }
        }
    }

    /// The run to which calls were left is over: those that it neither answered nor gated failed. The
    /// agent went on without them, so that by itself starts no run. Where it asks once more, its
    /// question may be about them.
    pub(super) fn end_left_calls(&mut self, cx: &mut Cx<'_>) {
        let asks = self.interrupts.wait();
        for key in self.conversation.active_calls() {
            if (self.is_left(&key) && !asks) || self.is_told(&key) {
                match self.is_unknown(&key) {
                    true => self.pass_over(&key, cx),
                    false => self.answer_unanswered(&key, cx),
                }
                self.conversation.happens(&key, StateEvent::Delivered);
            }
        }
    }

    /// Whether no action of this page has the name of a call, not even one that only shows it.
    fn is_unknown(&self, key: &CallKey) -> bool {
        let call = self.conversation.call(key);
        !self.is_told(key) && call.is_some_and(|call| self.registry.in_force(&call.name).is_none())
    }

    /// A call of a server to itself: it needed no answer, so nothing has failed. The agent is told
    /// what it would be told of any tool that is not there.
    fn pass_over(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        let Some(name) = self.conversation.call(key).map(|call| call.name.clone()) else {
            return;
        };
        let told = ToolError::new(not_found(&name).message).to_value();
        self.end_call(key, Ending::Skipped(told), cx);
    }

    /// No run follows for now: what waits for the agent waits no longer. What the person decided
    /// does, until a run goes out.
    pub(super) fn end_awaited_calls(&mut self, cx: &mut Cx<'_>) {
        for key in self.conversation.active_calls() {
            if self.is_left(&key) {
                self.answer_unanswered(&key, cx);
            }
        }
    }

    pub(super) fn is_left(&self, key: &CallKey) -> bool {
        let call = self.conversation.call(key);
        call.is_some_and(|call| matches!(call.state(), State::Remote { left: true, .. }))
    }

    /// Whether the agent is told that it may run the call, and has not answered.
    fn is_told(&self, key: &CallKey) -> bool {
        let call = self.conversation.call(key);
        call.is_some_and(|call| matches!(call.state(), State::HandedOff { .. }))
    }

    /// The agent ran this tool, says the run is over, and gave no result.
    pub(super) fn answer_unanswered(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        let Some(call) = self.conversation.call(key) else {
            return;
        };
        let name = call.name.clone();
        let entry = self.registry.in_force(&name);
        let shown_only =
            entry.is_some_and(|entry| entry.spec.availability == Availability::RenderOnly);
        let error = if shown_only || self.is_told(key) {
            let message = format!("Action {name} ended without a result");
            CallError {
                message,
                kind: ErrorKind::NoResult,
                details: None,
            }
        } else {
            not_found(&name)
        };
        self.end_call(key, Ending::error(error), cx);
    }
}
