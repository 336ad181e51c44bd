//! What agents wait for: interrupts, their answers, and the run that carries them (decision D11).

use serde_json::{Value, json};

use super::{Cx, Refusal, Session, Verdict};
use crate::{
    action::schema::{self, NoPatterns},
    conversation::{Approval, CallKey, Change, Decision, Phase},
    event::{Interrupt, ResumeEntry, ResumeStatus},
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
}

impl Session {
    /// Notes what the agent waits for; gives back the calls that must not run.
    pub(super) fn open_interrupts(
        &mut self,
        interrupts: Vec<Interrupt>,
        cx: &mut Cx<'_>,
    ) -> Vec<CallKey> {
        let mut gated = Vec::new();
        for interrupt in interrupts {
            let key = interrupt
                .tool_call_id
                .as_deref()
                .and_then(|id| self.conversation.call_by_wire_id(id))
                .map(|(key, _)| key);
            gated.extend(key.clone());
            let card = key.filter(|_| takes_approval(&interrupt));
            if let Some(key) = &card {
                self.show_gate(key, &interrupt.id, cx);
            }
            self.interrupts
                .retain(|open| open.interrupt.id != interrupt.id);
            self.interrupts.push(OpenInterrupt {
                interrupt,
                call: card,
                answer: None,
            });
        }
        for key in &gated {
            self.forget_open_call(key, cx);
        }
        cx.change(Change::Interrupts);
        gated
    }

    fn show_gate(&mut self, key: &CallKey, interrupt_id: &str, cx: &mut Cx<'_>) {
        if let Some(call) = self.conversation.call_mut(key) {
            call.phase = Phase::ApprovalRequested;
            let interrupt_id = Some(interrupt_id.to_owned());
            call.approval = Some(Approval {
                decision: None,
                interrupt_id,
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
        let (payload, decision) = match verdict {
            Verdict::Approve { args: None } => (json!({"approved": true}), Decision::Approved),
            Verdict::Approve { args: Some(args) } => (
                json!({"approved": true, "editedArgs": args}),
                Decision::Approved,
            ),
            Verdict::Deny { reason: None } => (
                json!({"approved": false}),
                Decision::Denied { reason: None },
            ),
            Verdict::Deny {
                reason: Some(reason),
            } => (
                json!({"approved": false, "reason": reason}),
                Decision::Denied {
                    reason: Some(reason.clone()),
                },
            ),
        };
        self.answer_interrupt(&id, ResumeStatus::Resolved, Some(payload), cx);
        if cx.step.refused.is_none() {
            self.note_decision(key, decision, cx);
        }
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
        if let (ResumeStatus::Resolved, Some(schema)) = (status, &open.interrupt.response_schema) {
            let schema = Value::Object(schema.clone());
            let value = payload.clone().unwrap_or_default();
            let violations = schema::validate(&schema, &value, &mut NoPatterns);
            if !violations.is_empty() {
                return cx.refuse(Refusal::InvalidEdit(violations));
            }
        }
        let interrupt_id = id.to_owned();
        open.answer = Some(ResumeEntry {
            interrupt_id,
            status,
            payload,
            metadata: None,
        });
        self.looping = true;
        cx.change(Change::Interrupts);
    }

    pub(super) fn resume_entries(&self) -> Vec<ResumeEntry> {
        self.interrupts
            .iter()
            .filter_map(|open| open.answer.clone())
            .collect()
    }

    /// Only a finished run that carried the answer closes an interrupt.
    pub(super) fn retire_interrupts(&mut self, answered: &[String], cx: &mut Cx<'_>) {
        if answered.is_empty() {
            return;
        }
        let mut cards = Vec::new();
        self.interrupts.retain(|open| {
            let done = answered.contains(&open.interrupt.id);
            if done {
                cards.extend(open.call.clone());
            }
            !done
        });
        for key in cards {
            self.close_gate(&key, cx);
        }
        cx.change(Change::Interrupts);
    }

    /// The agent went on without giving the gated call a result: what the person said is its end.
    fn close_gate(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        let Some(call) = self.conversation.call(key) else {
            return;
        };
        let denied = call
            .approval
            .as_ref()
            .is_some_and(|a| matches!(a.decision, Some(Decision::Denied { .. })));
        if !call.phase.is_final() && denied {
            self.conversation
                .close_call(key, Phase::OutputDenied, cx.now);
            cx.change(Change::Call(key.clone()));
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
