//! Ends runs, calls and questions early: when the user stops the assistant, a run fails, or a
//! component is removed.

use serde_json::json;

use super::{
    Cx, Effect, FinishReason, Leftovers, NoticeKind, Refusal, Session, execute::CallEnding,
};
use crate::{
    action::RegistrationId,
    conversation::{CallEnd, CallKey, Change, Cut, State, StateEvent},
};

impl Session {
    /// Stops the assistant for the user: ends the request, the handlers and the questions. Finished
    /// results are sent with the next message, or at once with the queued messages, depending on
    /// the options. The input is refused if nothing is in progress.
    pub(super) fn stop(&mut self, cx: &mut Cx<'_>) {
        let direct_keys = self.direct_call_keys();
        for key in &direct_keys {
            self.give_up_call(key, None, cx);
        }
        if !self.is_busy() {
            if direct_keys.is_empty() {
                cx.refuse(Refusal::NothingToDo);
            }
            return;
        }
        let sends_queue = self.options.leftovers == Leftovers::Send && !self.turn.queue.is_empty();
        self.stop_turn(cx);
        if sends_queue && !self.is_busy() && self.interrupts.list.is_empty() {
            self.clear_notices(cx);
            self.reset_turn();
            self.start_run(cx);
        }
    }

    /// Cancels the unanswered interrupts, ends the run and its calls, and notifies the user. Queued
    /// messages are dropped or added to the chat, depending on the options.
    pub(super) fn stop_turn(&mut self, cx: &mut Cx<'_>) {
        if self.options.leftovers == Leftovers::Drop && !self.turn.take_queue().is_empty() {
            cx.push_change(Change::Queue);
        }
        self.deny_listed_calls();
        self.cancel_unanswered_interrupts(cx);
        self.end_run_and_calls(cx);
        self.reselect_old_answer(false, cx);
        self.turn.summary.finish = Some(FinishReason::Stopped);
        self.notify(NoticeKind::Stopped, "Stopped.".to_owned(), None, cx);
    }

    pub(super) fn end_run_and_calls(&mut self, cx: &mut Cx<'_>) {
        if let Some(run) = self.turn.run.take() {
            self.report_limits(cx);
            self.conversation.runs.end(false);
            self.store_steps();
            cx.push_effect(Effect::AbortRun { run: run.key });
            self.mark_answers_on_run_branch(StateEvent::SendFailed);
            self.mark_answers_on_other_branches();
        }
        self.turn.looping = false;
        self.add_queued_messages(false, cx);
        self.close_open_texts(Some(Cut::Stopped), cx);
        self.give_up_handed_off_calls(cx);
        self.give_up_calls(None, cx);
        cx.push_change(Change::Run);
    }

    /// Gives up open calls. A complete call is answered as cancelled; an incomplete call is shown
    /// as cancelled and omitted from requests. Calls with an open interrupt stay open, since the
    /// answer is sent with the next run. Calls that are handed off, and remote calls that the agent
    /// may continue after an answer, also stay open.
    pub(super) fn give_up_calls(&mut self, reason: Option<&str>, cx: &mut Cx<'_>) {
        let has_question = self.interrupts.has_uncancelled();
        for key in self.conversation.active_calls() {
            let state = self.conversation.state_of(&key);
            let stays_open = state.is_some_and(|state| match state {
                State::HandedOff { .. } => true,
                State::Remote {
                    delegated: true, ..
                } => has_question,
                state => state.is_interrupted(),
            });
            if !stays_open {
                self.give_up_call(&key, reason, cx);
            }
        }
        self.conversation.void_checks();
    }

    /// Ends the calls that were delegated to the agent as given up, if no interrupt of the agent is
    /// open.
    pub(super) fn give_up_delegated_calls(&mut self, cx: &mut Cx<'_>) {
        if !self.interrupts.list.is_empty() {
            return;
        }
        for key in self.conversation.active_calls() {
            if self.is_delegated(&key) {
                self.give_up_without_sending(&key, Some("given up"), cx);
            }
        }
    }

    /// Gives up the handed-off calls, since no run sends their approval.
    pub(super) fn give_up_handed_off_calls(&mut self, cx: &mut Cx<'_>) {
        for key in self.conversation.active_calls() {
            if self.is_handed_off(&key) {
                self.give_up_call(&key, None, cx);
            }
        }
    }

    pub(super) fn give_up_call(&mut self, key: &CallKey, reason: Option<&str>, cx: &mut Cx<'_>) {
        self.cancel_handler(key, cx);
        let Some(call) = self.conversation.call(key) else {
            return;
        };
        if !call.has_ended() {
            self.conversation
                .close_call(*key, CallEnd::Cancelled, cx.now);
            return;
        }
        // A denial is recorded as a denial, regardless of how the run ends.
        if let State::Denied { reason, .. } | State::InterruptDenied { reason, .. } =
            call.state().clone()
        {
            return self.end_denied_call(key, reason.as_deref(), cx);
        }
        let reply = match reason {
            Some(reason) => json!({"error": "cancelled", "reason": reason}),
            None => json!({"error": "cancelled"}),
        };
        self.end_call(key, CallEnding::new(CallEnd::Cancelled, reply), cx);
    }

    /// Gives up a call whose result no run sends to the agent.
    pub(super) fn give_up_without_sending(
        &mut self,
        key: &CallKey,
        reason: Option<&str>,
        cx: &mut Cx<'_>,
    ) {
        self.give_up_call(key, reason, cx);
        self.conversation
            .apply_state_event(key, StateEvent::Delivered);
    }

    pub(super) fn cancel_handler(&self, key: &CallKey, cx: &mut Cx<'_>) {
        if let Some(State::Running(invocation, ..)) = self.conversation.state_of(key) {
            cx.push_effect(Effect::CancelHandler {
                invocation: *invocation,
            });
        }
    }

    /// Ends the calls of a removed registration whose handlers are about to start or are running,
    /// and cancels these handlers. Handlers of a detached action continue.
    pub(super) fn cancel_registration_handlers(&mut self, id: RegistrationId, cx: &mut Cx<'_>) {
        if self
            .registry
            .get(id)
            .is_none_or(|entry| entry.spec.detached)
        {
            return;
        }
        for key in self.conversation.call_keys_of_registration(id) {
            let state = self.conversation.state_of(&key);
            if state.is_some_and(State::is_starting_or_running) {
                self.give_up_call(&key, Some("unmounted"), cx);
            }
        }
    }
}
