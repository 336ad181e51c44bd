//! Ending things early: the person stops, a run fails, a component goes.

use serde_json::json;

use super::{
    Cx, Effect, FinishReason, InvocationId, NoticeKind, Refusal, Session, execute::Ending,
    prepare::Stage,
};
use crate::{
    action::RegistrationId,
    conversation::{CallKey, Change, Cut, Phase},
};

impl Session {
    /// Ends the request, the handlers and the questions (decision D13). Finished results go along
    /// with the next message.
    pub(super) fn stop(&mut self, cx: &mut Cx<'_>) {
        if !self.is_busy() {
            return cx.refuse(Refusal::NothingToDo);
        }
        self.abandon_interrupts(cx);
        self.end_everything(cx);
        self.summary.finish = Some(FinishReason::Stopped);
        self.notify(
            NoticeKind::Stopped,
            "You stopped the assistant.".to_owned(),
            None,
            cx,
        );
    }

    pub(super) fn end_everything(&mut self, cx: &mut Cx<'_>) {
        if let Some(run) = self.run.take() {
            cx.effect(Effect::AbortRun { run: run.key });
            self.hand_over_gated(false, cx);
        }
        self.looping = false;
        self.left_to_agent.clear();
        self.show_queued(cx);
        self.close_texts(Some(Cut::Stopped), cx);
        self.give_up_calls(None, cx);
        cx.change(Change::Run);
    }

    /// Nothing of what is open will come to an end any more. A call that ended is answered as
    /// cancelled; one that never did is shown so and left out of requests (decision D4). What an
    /// open interrupt gates stays: its answer goes with the next run that starts. So does a yes that
    /// the agent is told.
    pub(super) fn give_up_calls(&mut self, reason: Option<&str>, cx: &mut Cx<'_>) {
        let gated = self.gated_calls();
        let left = std::mem::take(&mut self.left_to_agent);
        self.left_to_agent = left.into_iter().filter(|id| self.is_told(id)).collect();
        let told: Vec<CallKey> = self
            .left_to_agent
            .iter()
            .filter_map(|id| self.left_call(id))
            .collect();
        for key in self.conversation.active_calls() {
            if !gated.contains(&key) && !told.contains(&key) {
                self.give_up(&key, reason, cx);
            }
        }
        self.open_calls.clear();
    }

    pub(super) fn give_up(&mut self, key: &CallKey, reason: Option<&str>, cx: &mut Cx<'_>) {
        self.cancel_handler(key, cx);
        let ended = self
            .conversation
            .call(key)
            .is_some_and(|call| call.has_ended());
        if !ended {
            self.open_calls.retain(|open| open.key != *key);
            self.conversation.close_call(key, Phase::Cancelled, cx.now);
            return cx.change(Change::Call(key.clone()));
        }
        let told = match reason {
            Some(reason) => json!({"error": "cancelled", "reason": reason}),
            None => json!({"error": "cancelled"}),
        };
        self.end_call(key, Ending::Cancelled(told), cx);
    }

    fn cancel_handler(&self, key: &CallKey, cx: &mut Cx<'_>) {
        if let Some(invocation) = self.invocation_of(key) {
            cx.effect(Effect::CancelHandler { invocation });
        }
    }

    fn invocation_of(&self, key: &CallKey) -> Option<InvocationId> {
        match self.open_call(key)?.stage {
            Stage::Running(id, _) => Some(id),
            _ => None,
        }
    }

    /// What was made of a call is void: it went on, was answered by the agent, or is gated.
    pub(super) fn forget_open_call(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        self.cancel_handler(key, cx);
        self.open_calls.retain(|open| open.key != *key);
    }

    /// A component goes: its handlers go with it, unless they are detached (decision D12).
    pub(super) fn cancel_handlers_of(&mut self, id: RegistrationId, cx: &mut Cx<'_>) {
        if self
            .registry
            .get(id)
            .is_none_or(|entry| entry.spec.detached)
        {
            return;
        }
        let working: Vec<CallKey> = self
            .open_calls
            .iter()
            .filter(|open| open.registration == Some(id))
            .filter(|open| matches!(open.stage, Stage::Running(..) | Stage::Committing(_)))
            .map(|open| open.key.clone())
            .collect();
        for key in working {
            self.give_up(&key, Some("unmounted"), cx);
        }
    }
}
