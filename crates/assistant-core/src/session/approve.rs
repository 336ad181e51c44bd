//! What a person decides about a call. A decision is taken once (row S0-13).

use serde_json::Value;

use super::{
    Cx, Refusal, Session, Verdict,
    prepare::{OpenCall, Stage},
};
use crate::{
    action::{Execution, schema},
    conversation::{CallKey, Change, Decision, Phase},
};

impl Session {
    pub(super) fn decide(&mut self, key: &CallKey, verdict: Verdict, cx: &mut Cx<'_>) {
        if self.decide_interrupt(key, &verdict, cx) {
            return;
        }
        let waiting = self
            .open_call(key)
            .is_some_and(|open| matches!(open.stage, Stage::Decision));
        if !waiting {
            return cx.refuse(Refusal::AlreadyResolved);
        }
        let (decision, stage) = match verdict {
            Verdict::Approve { args } => {
                if let Err(refusal) = self.take_edit(key, args, cx) {
                    return cx.refuse(refusal);
                }
                (Decision::Approved, Stage::Ready)
            }
            Verdict::Deny { reason } => (
                Decision::Denied {
                    reason: reason.clone(),
                },
                Stage::Denied(reason),
            ),
        };
        if let Some(open) = self.open_calls.iter_mut().find(|open| open.key == *key) {
            open.stage = stage;
        }
        self.note_decision(key, decision, cx);
    }

    pub(super) fn note_decision(&mut self, key: &CallKey, decision: Decision, cx: &mut Cx<'_>) {
        if let Some(call) = self.conversation.call_mut(key) {
            call.phase = Phase::ApprovalResponded;
            call.approval.get_or_insert_default().decision = Some(decision);
        }
        cx.change(Change::Call(key.clone()));
        cx.change(Change::Run);
    }

    /// Edited arguments are held to the same schema as the agent's (row S0-21).
    fn take_edit(
        &mut self,
        key: &CallKey,
        args: Option<Value>,
        cx: &mut Cx<'_>,
    ) -> Result<(), Refusal> {
        let Some(args) = args else { return Ok(()) };
        if self
            .open_call(key)
            .is_some_and(|open| open.execution == Execution::Agent)
        {
            return Err(Refusal::NoEdits);
        }
        let registration = self.open_call(key).and_then(|open| open.registration);
        if let Some(entry) = registration.and_then(|id| self.registry.get(id))
            && entry.spec.validate
        {
            let violations = schema::validate(&entry.spec.parameters, &args, &mut *cx.host);
            if !violations.is_empty() {
                return Err(Refusal::InvalidEdit(violations));
            }
        }
        if let Some(call) = self.conversation.call_mut(key) {
            call.edited_args = Some(args);
        }
        Ok(())
    }

    pub(super) fn only_approvals_open(&self) -> bool {
        let waits = |open: &OpenCall| matches!(open.stage, Stage::Decision);
        !self.open_calls.is_empty() && self.open_calls.iter().all(waits)
    }

    /// A new message takes the place of every answer that is still awaited (row S0-20).
    pub(super) fn deny_all_open(&mut self, cx: &mut Cx<'_>) {
        let reason = "auto-denied: new message";
        let keys: Vec<CallKey> = self
            .open_calls
            .iter()
            .map(|open| open.key.clone())
            .collect();
        for key in keys {
            let decision = Decision::Denied {
                reason: Some(reason.to_owned()),
            };
            self.note_decision(&key, decision, cx);
            self.end_denied(&key, Some(reason), cx);
        }
    }
}
