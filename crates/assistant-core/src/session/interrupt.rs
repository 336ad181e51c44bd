//! What agents wait for: interrupts, their answers, and the run that carries them (decision D11).

use serde_json::{Value, json};

use super::{Cx, Refusal, Session, Verdict};
use crate::{
    action::schema::{self, NoPatterns},
    conversation::{Approval, CallKey, Change, Decision, Phase},
    event::{Interrupt, ResumeEntry, ResumeStatus, expiry},
};

/// An interrupt that no finished run has answered yet.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenInterrupt {
    /// What the agent asks.
    pub interrupt: Interrupt,
    /// The call that it gates and that is shown as an approval card.
    pub call: Option<CallKey>,
    /// The answer, once there is one. It goes out when all have one.
    pub answer: Option<ResumeEntry>,
    /// Whether it came as a custom event of the older dialect, and is answered in kind.
    pub legacy: bool,
}

impl OpenInterrupt {
    /// Until when it can be answered, in milliseconds since 1970.
    #[must_use]
    pub fn expires_at(&self) -> Option<i64> {
        expiry::millis(self.interrupt.expires_at.as_deref()?)
    }
}

impl Session {
    /// Notes what the agent waits for. The calls that it gates must not run.
    pub(super) fn open_interrupts(
        &mut self,
        interrupts: Vec<Interrupt>,
        legacy: bool,
        cx: &mut Cx<'_>,
    ) {
        for interrupt in interrupts {
            let key = self.gated_call(&interrupt);
            let card = key.clone().filter(|_| takes_approval(&interrupt));
            if let Some(key) = &key {
                self.forget_open_call(key, cx);
                self.show_gate(key, &interrupt.id, card.is_some(), cx);
            }
            self.interrupts
                .retain(|open| open.interrupt.id != interrupt.id);
            self.interrupts.push(OpenInterrupt {
                interrupt,
                call: card,
                answer: None,
                legacy,
            });
        }
        cx.change(Change::Interrupts);
    }

    /// The call that an interrupt holds back: not one that has its answer already, nor one whose
    /// handler is at work because its action is eager. That happened, and happens only once.
    fn gated_call(&self, interrupt: &Interrupt) -> Option<CallKey> {
        let id = interrupt.tool_call_id.as_deref()?;
        let (key, call) = self.conversation.call_by_wire_id(id)?;
        (!call.phase.is_final() && !self.is_running(&key)).then_some(key)
    }

    /// The calls that open interrupts hold back.
    pub(super) fn gated_calls(&self) -> Vec<CallKey> {
        self.interrupts
            .iter()
            .filter_map(|open| self.gated_call(&open.interrupt))
            .collect()
    }

    fn show_gate(&mut self, key: &CallKey, interrupt_id: &str, card: bool, cx: &mut Cx<'_>) {
        if let Some(call) = self.conversation.call_mut(key) {
            call.void_verdict();
            if card {
                call.phase = Phase::ApprovalRequested;
            }
            call.approval = Some(Approval {
                decision: None,
                interrupt_id: Some(interrupt_id.to_owned()),
                told: None,
            });
        }
        cx.change(Change::Call(key.clone()));
    }

    /// A decision about a call that the agent gates is the answer to its interrupt.
    pub(super) fn decide_interrupt(
        &mut self,
        key: &CallKey,
        verdict: &Verdict,
        cx: &mut Cx<'_>,
    ) -> bool {
        let found = self
            .interrupts
            .iter()
            .find(|open| open.call.as_ref() == Some(key) && open.answer.is_none());
        let Some(open) = found else { return false };
        let id = open.interrupt.id.clone();
        let over = open.expires_at().is_some_and(|at| at <= cx.now);
        if over && matches!(verdict, Verdict::Deny { .. }) {
            // No answer is taken any more: it can only be given up, which lets nothing run either.
            self.answer_interrupt(&id, ResumeStatus::Cancelled, None, cx);
            return true;
        }
        let payload = match verdict {
            Verdict::Approve { args: None } => json!({"approved": true}),
            Verdict::Approve { args: Some(args) } => json!({"approved": true, "editedArgs": args}),
            Verdict::Deny { reason: None } => json!({"approved": false}),
            Verdict::Deny {
                reason: Some(reason),
            } => json!({"approved": false, "reason": reason}),
        };
        self.answer_interrupt(&id, ResumeStatus::Resolved, Some(payload), cx);
        true
    }

    pub(super) fn answer_interrupt(
        &mut self,
        id: &str,
        status: ResumeStatus,
        payload: Option<Value>,
        cx: &mut Cx<'_>,
    ) {
        let found = self
            .interrupts
            .iter_mut()
            .find(|open| open.interrupt.id == id);
        let Some(open) = found.filter(|open| open.answer.is_none()) else {
            return cx.refuse(Refusal::AlreadyResolved);
        };
        let over = open.expires_at().is_some_and(|at| at <= cx.now);
        if over && status == ResumeStatus::Resolved {
            return cx.refuse(Refusal::Expired);
        }
        if let (ResumeStatus::Resolved, Some(schema)) = (status, &open.interrupt.response_schema) {
            let schema = Value::Object(schema.clone());
            let value = payload.clone().unwrap_or_default();
            let violations = schema::validate(&schema, &value, &mut NoPatterns);
            if !violations.is_empty() {
                return cx.refuse(Refusal::InvalidEdit(violations));
            }
        }
        let card = open.call.clone();
        let interrupt_id = id.to_owned();
        open.answer = Some(ResumeEntry {
            interrupt_id,
            status,
            payload: payload.clone(),
            metadata: None,
        });
        if let Some(key) = card {
            self.note_gate_decision(&key, status, payload.as_ref(), cx);
        }
        self.looping = true;
        cx.change(Change::Interrupts);
    }

    /// What the answer to an interrupt says about the call that it gates.
    fn note_gate_decision(
        &mut self,
        key: &CallKey,
        status: ResumeStatus,
        payload: Option<&Value>,
        cx: &mut Cx<'_>,
    ) {
        let said = |field: &str| payload.and_then(|payload| payload.get(field));
        let approved = said("approved").and_then(Value::as_bool) == Some(true);
        let decision = if approved && status == ResumeStatus::Resolved {
            Decision::Approved
        } else {
            let reason = said("reason").and_then(Value::as_str).map(str::to_owned);
            Decision::Denied { reason }
        };
        let edited = said("editedArgs").filter(|_| decision == Decision::Approved);
        if let Some(call) = self.conversation.call_mut(key) {
            call.edited_args = edited.cloned();
        }
        self.note_decision(key, decision, cx);
    }

    /// The answers go out: what a person approved is in the agent's hands until the run ends.
    pub(super) fn hand_over_gated(&mut self, to_agent: bool, cx: &mut Cx<'_>) {
        let (from, to) = match to_agent {
            true => (Phase::ApprovalResponded, Phase::Running),
            false => (Phase::Running, Phase::ApprovalResponded),
        };
        for key in self.interrupts.iter().filter_map(|open| open.call.clone()) {
            let call = self.conversation.call_mut(&key);
            if let Some(call) = call.filter(|call| call.phase == from && call.is_granted()) {
                call.phase = to;
                cx.change(Change::Call(key));
            }
        }
    }

    pub(super) fn resume_entries(&self) -> Vec<ResumeEntry> {
        self.interrupts
            .iter()
            .filter(|open| !open.legacy)
            .filter_map(|open| open.answer.clone())
            .collect()
    }

    /// The interrupts whose answers go out with the next run.
    pub(super) fn answered_interrupts(&self) -> Vec<String> {
        let answered = self.interrupts.iter().filter(|open| open.answer.is_some());
        answered.map(|open| open.interrupt.id.clone()).collect()
    }

    /// Gives up what is not answered: the agent is told with the next run, so that the thread goes
    /// on.
    pub(super) fn abandon_interrupts(&mut self, cx: &mut Cx<'_>) {
        let open = self.interrupts.iter().filter(|open| open.answer.is_none());
        let ids: Vec<String> = open.map(|open| open.interrupt.id.clone()).collect();
        for id in ids {
            self.answer_interrupt(&id, ResumeStatus::Cancelled, None, cx);
        }
        self.looping = false;
    }

    /// Only a finished run that carried the answer closes an interrupt.
    ///
    /// What the agent asks about again is not over for its call.
    pub(super) fn retire_interrupts(
        &mut self,
        answered: &[String],
        raised: &[Interrupt],
        cx: &mut Cx<'_>,
    ) {
        if answered.is_empty() {
            return;
        }
        let again: Vec<CallKey> = raised.iter().filter_map(|i| self.gated_call(i)).collect();
        let mut cards = Vec::new();
        self.interrupts.retain(|open| {
            let done = answered.contains(&open.interrupt.id);
            if done {
                cards.extend(open.call.clone());
            }
            !done
        });
        for key in cards.iter().filter(|key| !again.contains(key)) {
            self.close_gate(key, cx);
        }
        cx.change(Change::Interrupts);
    }

    /// The agent went on without giving the gated call a result: what the person refused is told
    /// again in the call's own answer, which by itself starts no run: the agent knows. What they
    /// approved is a call like any other from here on.
    fn close_gate(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        let refused = self
            .conversation
            .call(key)
            .filter(|call| call.has_ended() && call.is_refused_to_agent());
        let Some(approval) = refused.and_then(|call| call.approval.clone()) else {
            return;
        };
        let Some(Decision::Denied { reason }) = approval.decision else {
            return;
        };
        self.end_denied(key, reason.as_deref(), cx);
        let call = self.conversation.call_mut(key);
        if let Some(result) = call.and_then(|call| call.result.as_mut()) {
            result.sent = true;
        }
    }
}

/// Whether a plain yes or no answers the interrupt: its schema takes `{approved: bool}`.
fn takes_approval(interrupt: &Interrupt) -> bool {
    let Some(schema) = &interrupt.response_schema else {
        return false;
    };
    let asks = schema
        .get("properties")
        .and_then(|p| p.get("approved"))
        .is_some();
    let schema = Value::Object(schema.clone());
    asks && schema::validate(&schema, &json!({"approved": true}), &mut NoPatterns).is_empty()
}
