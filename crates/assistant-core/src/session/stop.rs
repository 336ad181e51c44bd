//! Ending things early: the person stops, a run fails, a component goes.

use serde_json::json;

use super::{Cx, Effect, FinishReason, NoticeKind, Refusal, Session, execute::Ending};
use crate::{
    action::RegistrationId,
    conversation::{CallKey, Change, Cut, End, State, StateEvent},
};

impl Session {
    /// Ends the request, the handlers and the questions. Finished results go along with the next
    /// message.
    pub(super) fn stop(&mut self, cx: &mut Cx<'_>) {
        let direct = self.direct_keys();
        for key in &direct {
            self.give_up(key, None, cx);
        }
        if !self.is_busy() {
            if direct.is_empty() {
                cx.refuse(Refusal::NothingToDo);
            }
            return;
        }
        self.halt(cx);
    }

    /// Ends everything that is under way, and says so.
    pub(super) fn halt(&mut self, cx: &mut Cx<'_>) {
        self.abandon_interrupts(cx);
        self.end_everything(cx);
        self.turn.summary_mut().finish = Some(FinishReason::Stopped);
        self.notify(
            NoticeKind::Stopped,
            "You stopped the assistant.".to_owned(),
            None,
            cx,
        );
    }

    pub(super) fn end_everything(&mut self, cx: &mut Cx<'_>) {
        if let Some(run) = self.turn.take_run() {
            self.conversation.end_run(false);
            self.keep_steps();
            cx.effect(Effect::AbortRun { run: run.key });
            self.hand_over(StateEvent::SendFailed);
            self.hand_back_elsewhere();
        }
        self.turn.set_looping(false);
        self.show_queued(false, cx);
        self.close_texts(Some(Cut::Stopped), cx);
        self.give_up_told(cx);
        self.give_up_calls(None, cx);
        cx.change(Change::Run);
    }

    /// Nothing of what is open will come to an end any more. A call that ended is answered as
    /// cancelled; one that never did is shown so and left out of requests. What an open interrupt
    /// gates stays: its answer goes with the next run that starts. So does an approval that the
    /// agent is told, and what the agent itself may continue when it has its answer.
    pub(super) fn give_up_calls(&mut self, reason: Option<&str>, cx: &mut Cx<'_>) {
        let asks = self.interrupts.ask_or_go_on();
        for key in self.conversation.active_calls() {
            let call = self.conversation.call(&key);
            let stays = call.is_some_and(|call| match call.state() {
                State::HandedOff { .. } => true,
                State::Remote { left: true, .. } => asks,
                state => state.is_interrupted(),
            });
            if !stays {
                self.give_up(&key, reason, cx);
            }
        }
        self.calls.clear();
    }

    /// The agent waits for no answer any more: nor is it waited for.
    pub(super) fn give_up_left(&mut self, cx: &mut Cx<'_>) {
        if !self.interrupts.is_empty() {
            return;
        }
        for key in self.conversation.active_calls() {
            if self.is_left(&key) {
                self.give_up(&key, Some("given up"), cx);
                self.conversation.happens(&key, StateEvent::Delivered);
            }
        }
    }

    /// What the agent was told to go on with will not be carried to it.
    pub(super) fn give_up_told(&mut self, cx: &mut Cx<'_>) {
        for key in self.conversation.active_calls() {
            let call = self.conversation.call(&key);
            if call.is_some_and(|call| matches!(call.state(), State::HandedOff { .. })) {
                self.give_up(&key, None, cx);
            }
        }
    }

    pub(super) fn give_up(&mut self, key: &CallKey, reason: Option<&str>, cx: &mut Cx<'_>) {
        self.cancel_handler(key, cx);
        let Some(call) = self.conversation.call(key) else {
            return;
        };
        if !call.has_ended() {
            self.calls.forget(key);
            self.conversation.close_call(*key, End::Cancelled, cx.now);
            return;
        }
        // A denial is answered as one, whatever ends the run.
        if let State::Denied { reason, .. } | State::InterruptDenied { reason, .. } =
            call.state().clone()
        {
            return self.end_denied(key, reason.as_deref(), cx);
        }
        let told = match reason {
            Some(reason) => json!({"error": "cancelled", "reason": reason}),
            None => json!({"error": "cancelled"}),
        };
        self.end_call(key, Ending::Cancelled(told), cx);
    }

    pub(super) fn cancel_handler(&self, key: &CallKey, cx: &mut Cx<'_>) {
        let call = self.conversation.call(key);
        if let Some(State::Running(invocation, ..)) = call.map(|call| call.state()) {
            cx.effect(Effect::CancelHandler {
                invocation: *invocation,
            });
        }
    }

    /// What was made of a call is void: it went on, or its action changed.
    pub(super) fn forget_judgement(&mut self, key: &CallKey) {
        self.calls.forget(key);
        self.conversation.happens(key, StateEvent::Voided);
    }

    /// A component goes: its handlers go with it, unless they are detached.
    pub(super) fn cancel_handlers_of(&mut self, id: RegistrationId, cx: &mut Cx<'_>) {
        if self
            .registry
            .get(id)
            .is_none_or(|entry| entry.spec.detached)
        {
            return;
        }
        for key in self.calls.of_registration(id) {
            let call = self.conversation.call(&key);
            if call.is_some_and(|call| call.state().is_at_work()) {
                self.give_up(&key, Some("unmounted"), cx);
            }
        }
    }
}
