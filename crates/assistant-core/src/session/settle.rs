//! How runs end and what follows: calls may run, the loop goes on, or a notice says why not.
//!
//! Neighbour: `run` starts runs and takes their events in.

use super::{
    Cx, Failure, FailureKind, FinishReason, NoticeAction, NoticeKind, Refusal, RunKey, RunSummary,
    Session, StreamEnd, run::Finish,
};
use crate::{
    conversation::{Change, Cut, Phase},
    event::Role,
};

impl Session {
    pub(super) fn close_run(&mut self, key: RunKey, end: StreamEnd, cx: &mut Cx<'_>) {
        let Some(run) = self.run.take_if(|run| run.key == key) else {
            return;
        };
        // What is still open now was never ended by the agent.
        self.close_texts(Some(Cut::BrokenOff), cx);
        cx.change(Change::Run);
        if run.delivered {
            self.retire_interrupts(&run.answers, &run.raised, cx);
        }
        if !run.raised.is_empty() {
            // A server that speaks both dialects says the same twice: the outcome counts.
            self.open_interrupts(run.raised, false, cx);
        } else if matches!(run.finish, Some(Finish::Success)) && !run.raised_by_event.is_empty() {
            self.open_interrupts(run.raised_by_event, true, cx);
        }
        match (end, run.finish) {
            // The last word was said before the connection went.
            (StreamEnd::Failed(failure), finish)
                if finish.is_none() || failure.kind != FailureKind::Network =>
            {
                self.run_failed(failure, cx);
            }
            (_, None) => self.run_truncated(run.started, cx),
            (_, Some(Finish::RunError(message))) => {
                self.give_up_calls(None, cx);
                self.fail(NoticeKind::RunError, message, cx);
            }
            (_, Some(Finish::Cancelled)) => {
                self.left_to_agent.clear();
                self.give_up_calls(None, cx);
                self.summary.finish = Some(FinishReason::Cancelled);
                let message = "The assistant stopped.".to_owned();
                self.notify(NoticeKind::Cancelled, message, None, cx);
            }
            (_, Some(Finish::Success)) => self.collect_calls(&run.named, cx),
        }
    }

    fn run_failed(&mut self, failure: Failure, cx: &mut Cx<'_>) {
        self.give_up_calls(None, cx);
        let (kind, status) = match failure.kind {
            FailureKind::Network => (NoticeKind::Network, None),
            FailureKind::Http { status } => (NoticeKind::Http, Some(status)),
            FailureKind::NotAStream | FailureKind::Protocol => (NoticeKind::Protocol, None),
        };
        self.fail(kind, failure.message, cx);
        if let Some(notice) = self.notices.last_mut() {
            notice.status = status;
            notice.retry_after_ms = failure.retry_after_ms;
        }
    }

    fn run_truncated(&mut self, started: bool, cx: &mut Cx<'_>) {
        self.give_up_calls(None, cx);
        let (kind, message) = if started {
            (
                NoticeKind::Truncated,
                "The answer broke off before it was complete.",
            )
        } else {
            (NoticeKind::Silent, "The agent sent no answer.")
        };
        self.fail(kind, message.to_owned(), cx);
    }

    fn fail(&mut self, kind: NoticeKind, message: String, cx: &mut Cx<'_>) {
        self.looping = false;
        self.hand_over_gated(false, cx);
        self.hand_over_told(false, cx);
        self.summary.finish = Some(FinishReason::Error);
        self.notify(kind, message, Some(NoticeAction::Retry), cx);
    }

    /// The run is over: from here on its calls may run (decision D1).
    fn collect_calls(&mut self, named: &[String], cx: &mut Cx<'_>) {
        self.end_left_calls(cx);
        let gated = self.gated_calls();
        for key in self.conversation.active_calls() {
            let Some(call) = self.conversation.call(&key) else {
                continue;
            };
            if gated.contains(&key) || call.result.is_some() {
                continue;
            }
            if call.has_ended() {
                self.prepare(&key, cx);
            } else {
                self.forget_open_call(&key, cx);
                self.conversation.close_call(&key, Phase::Cancelled, cx.now);
                cx.change(Change::Call(key));
            }
        }
        self.leave_to_agent(named);
        let answered = !self.unsent_results().is_empty();
        if !self.open_calls.is_empty() || !self.interrupts.is_empty() || answered {
            self.looping = true;
            return;
        }
        self.summary.finish = Some(FinishReason::Stop);
        self.note_missing_answer(cx);
    }

    /// Tool results went out and nothing came back in words (row S1-6), or a message went out and
    /// nothing came back at all.
    fn note_missing_answer(&mut self, cx: &mut Cx<'_>) {
        let quiet = self.summary.steps.last().is_some_and(|step| !step.spoke);
        let after_tools = self.summary.steps.iter().any(|step| !step.tools.is_empty());
        let silent = self.summary.steps.last().is_some_and(|step| !step.acted);
        let last = self.conversation.path().next_back();
        let last_is_own = last.is_some_and(|message| {
            message.role == Role::Assistant && message.calls().next().is_some()
        });
        let last_is_persons = last.is_some_and(|message| message.role == Role::User);
        let action = if quiet && after_tools && last_is_own {
            NoticeAction::Continue
        } else if silent && last_is_persons {
            NoticeAction::Retry
        } else {
            return;
        };
        let message = "The assistant ended without an answer.".to_owned();
        self.notify(NoticeKind::NoAnswer, message, Some(action), cx);
    }

    /// Sends the results once every call has one, unless the loop is to end here.
    pub(super) fn continue_loop(&mut self, cx: &mut Cx<'_>) {
        let waiting = self.interrupts.iter().any(|open| open.answer.is_none());
        if !self.looping || self.run.is_some() || !self.open_calls.is_empty() {
            return;
        }
        if waiting {
            self.summary.finish = Some(FinishReason::Interrupt);
            return;
        }
        self.looping = false;
        if self.loop_stopped {
            self.summary.finish = Some(FinishReason::StopLoop);
            self.end_awaited_calls(cx);
        } else if self.options.stop_when.is_met(&self.summary) {
            self.summary.finish = Some(FinishReason::Limit);
            self.end_awaited_calls(cx);
            let count = self.summary.steps.len();
            let message =
                format!("Exceeded maximum tool iterations ({count}). The results are ready to go.");
            self.notify(
                NoticeKind::StepLimit,
                message,
                Some(NoticeAction::Continue),
                cx,
            );
        } else {
            self.start_run(cx);
        }
        cx.change(Change::Run);
    }

    pub(super) fn retry(&mut self, cx: &mut Cx<'_>) {
        if self.is_busy() || !self.offers(NoticeAction::Retry) {
            return cx.refuse(Refusal::NothingToDo);
        }
        let base = self.summary.steps.pop().and_then(|step| step.base);
        if base.is_some() {
            self.conversation.select_tip(base.as_ref());
        }
        cx.change(Change::Path);
        self.clear_notices(cx);
        self.start_run(cx);
    }

    /// Goes on after the limit: the next limit is as far away as the first was.
    pub(super) fn go_on(&mut self, cx: &mut Cx<'_>) {
        if self.is_busy() || !self.offers(NoticeAction::Continue) {
            return cx.refuse(Refusal::NothingToDo);
        }
        self.summary = RunSummary::default();
        self.clear_notices(cx);
        self.start_run(cx);
    }
}
