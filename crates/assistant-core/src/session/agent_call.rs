//! Calls that the agent runs: it may need to hear a decision first, and may answer a run later.
//!
//! Such a call holds nothing up. It is left to the agent for one run: the next. Neighbours:
//! `interrupt` for agents that ask by a protocol of their own, `execute` for what runs here.

use super::{
    Cx, Session,
    execute::Ending,
    prepare::{OpenCall, Stage, not_found},
};
use crate::{
    action::Availability,
    conversation::{CallError, CallKey, Change, ErrorKind, Phase, ToolCall},
};

impl Session {
    /// Nobody minds: the call's tool message says so in the next run (decision C4).
    pub(super) fn tell_agent(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        self.open_calls.retain(|open| open.key != *key);
        let Some(call) = self.conversation.call_mut(key) else {
            return;
        };
        call.phase = Phase::ApprovalResponded;
        call.approval.get_or_insert_default().told = Some(cx.host.new_id());
        self.left_to_agent.push(call.id.clone());
        cx.change(Change::Call(key.clone()));
        cx.change(Change::Run);
    }

    /// The agent's own calls, if the page or the person owes it answers anyway: some servers run
    /// theirs when those are there. `named` are calls that the agent wants answered here.
    pub(super) fn leave_to_agent(&mut self, named: &[String]) {
        let is_agents = |open: &OpenCall| matches!(open.stage, Stage::Agent);
        let owed = !self.open_calls.iter().all(is_agents)
            || self.interrupts.iter().any(|open| open.answer.is_none());
        if !owed {
            return;
        }
        for open in std::mem::take(&mut self.open_calls) {
            if is_agents(&open) && !named.contains(&open.binding.id) {
                self.left_to_agent.push(open.binding.id);
            } else {
                self.open_calls.push(open);
            }
        }
    }

    /// The run to which calls were left is over: those that it neither answered nor gated failed. The
    /// agent went on without them, so that by itself starts no run.
    pub(super) fn end_left_calls(&mut self, cx: &mut Cx<'_>) {
        let gated = self.gated_calls();
        for id in std::mem::take(&mut self.left_to_agent) {
            let key = self.left_call(&id).filter(|key| !gated.contains(key));
            let Some(key) = key else { continue };
            self.answer_unanswered(&key, cx);
            let call = self.conversation.call_mut(&key);
            if let Some(result) = call.and_then(|call| call.result.as_mut()) {
                result.sent = true;
            }
        }
    }

    /// No run follows for now: what waits for the agent waits no longer. What the person decided
    /// does, until a run goes out.
    pub(super) fn end_awaited_calls(&mut self, cx: &mut Cx<'_>) {
        for id in std::mem::take(&mut self.left_to_agent) {
            match self.left_call(&id) {
                Some(_) if self.is_told(&id) => self.left_to_agent.push(id),
                Some(key) => self.answer_unanswered(&key, cx),
                None => {}
            }
        }
    }

    pub(super) fn left_call(&self, id: &str) -> Option<CallKey> {
        let (key, call) = self.conversation.call_by_wire_id(id)?;
        (!call.phase.is_final() && call.has_ended()).then_some(key)
    }

    /// Whether the agent is told that it may run the call with this id, and has not answered.
    pub(super) fn is_told(&self, id: &str) -> bool {
        let call = self.conversation.call_by_wire_id(id);
        call.is_some_and(|(_, call)| call.is_told() && !call.phase.is_final())
    }

    /// What the agent is told is in its hands while a run carries it.
    pub(super) fn hand_over_told(&mut self, to_agent: bool, cx: &mut Cx<'_>) {
        let phase = match to_agent {
            true => Phase::Running,
            false => Phase::ApprovalResponded,
        };
        for id in self.left_to_agent.clone() {
            let Some(key) = self.left_call(&id) else {
                continue;
            };
            let call = self.conversation.call_mut(&key);
            if let Some(call) = call.filter(|call| call.is_told()) {
                call.phase = phase;
                cx.change(Change::Call(key));
            }
        }
    }

    /// The names of the calls that the agent has been left to answer and works on.
    pub(super) fn left_running(&self) -> impl Iterator<Item = &ToolCall> {
        let calls = self.left_to_agent.iter();
        calls.filter_map(|id| self.conversation.call_by_wire_id(id).map(|(_, call)| call))
    }

    /// The agent ran this tool, says the run is over, and gave no result (row S4-25).
    pub(super) fn answer_unanswered(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        let Some(call) = self.conversation.call(key) else {
            return;
        };
        let name = call.name.clone();
        let entry = self.registry.in_force(&name);
        let shown_only =
            entry.is_some_and(|entry| entry.spec.availability == Availability::RenderOnly);
        let error = if shown_only || call.is_told() {
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
