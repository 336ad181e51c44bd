//! Handles the ends of runs and determines the next step: calls run, the loop continues, or a
//! notice is shown.
//!
//! The module `run` starts runs, and `events` handles their events.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::{
    Cx, Effect, Failure, FailureKind, FinishReason, NoticeAction, NoticeKind, Refusal, RunKey,
    RunSummary, Session, StreamEnd,
    run::{ActiveRun, Initiator},
    stream_end::ReportedEnd,
};
use crate::{
    conversation::{CallEnd, CallKey, Change, Cut, Message, State, StateEvent},
    event::Role,
    json::canonical::canonical,
};

/// The maximum number of resumptions of an answer without an action by the user. Without a limit,
/// the page would send requests forever to an agent that sends one event for each connection.
const MAX_RESUMPTIONS: u32 = 50;

impl Session {
    pub(super) fn close_run(&mut self, key: RunKey, end: StreamEnd, cx: &mut Cx<'_>) {
        if self.turn.run().is_none_or(|run| run.key != key) {
            return;
        }
        self.store_run_thread();
        let Some(mut run) = self.turn.run.take() else {
            return;
        };
        if let Some(thread_id) = &run.thread_id {
            self.record_thread_tip(thread_id.clone());
        }
        self.report_limits(cx);
        if self.can_be_resumed(&run, &end) {
            return self.resume_cut_run(run, cx);
        }
        // The agent may continue a stored run whose end is missing, next to the run of a retry.
        let was_sent = run.started || run.resumes || !is_unsent(&end);
        let may_continue = run.finish.is_none() && end != StreamEnd::Nothing && was_sent;
        if self.options.agent.replays && may_continue {
            cx.push_effect(Effect::AbortRun { run: key });
        }
        // Texts that are still open are closed and marked as incomplete, since the agent has not
        // ended them.
        self.close_open_texts(Some(Cut::BrokenOff), cx);
        self.store_steps();
        cx.push_change(Change::Run);
        let is_failure = end.is_failure_after(&run.finish);
        let has_succeeded = matches!(run.finish, Some(ReportedEnd::Success)) && !is_failure;
        self.conversation.runs.end(has_succeeded);
        self.mark_answers_on_other_branches();
        if run.delivered {
            self.interrupts.cancelled.clear();
        }
        self.redirect_interrupts(&mut run.raised);
        self.redirect_interrupts(&mut run.raised_by_event);
        let unblocked_keys = match run.delivered {
            true => self.close_answered_interrupts(&run.answers, &run.raised, cx),
            false => Vec::new(),
        };
        if !run.raised.is_empty() {
            // A server that supports both dialects reports each interrupt twice, so the interrupts
            // in the outcome of the run are used, and those from events are ignored.
            self.open_interrupts(run.raised, false, cx);
        } else if matches!(run.finish, Some(ReportedEnd::Success))
            && !run.raised_by_event.is_empty()
        {
            self.open_interrupts(run.raised_by_event, true, cx);
        }
        if run.resumes {
            self.end_answered_calls(cx);
        }
        let rejected_ids = match run.delivered {
            true => Vec::new(),
            false => run.answers,
        };
        match (end, run.finish) {
            (StreamEnd::Failed(failure), _) if is_failure => {
                // If the agent replays events, the answer cannot be resumed again, since an ended
                // run has no position from which its events could be applied.
                let is_connection_lost = run.cut.is_some()
                    && failure.kind.is_of_connection()
                    && !self.options.agent.replays;
                self.handle_failed_run(failure, &rejected_ids, cx);
                self.turn.cut = is_connection_lost;
            }
            (StreamEnd::Nothing, None) if run.cut == Some(Initiator::User) => {
                self.repeat_newest_run(cx);
            }
            (StreamEnd::Nothing, None) if run.cut.is_some() => self.handle_truncated_run(true, cx),
            (StreamEnd::Nothing, None) if run.resumes && self.options.agent.replays => {
                self.handle_truncated_run(run.replayed > 0, cx);
            }
            (StreamEnd::Nothing, None) if run.resumes => {
                self.turn.summary.runs.pop();
                self.give_up_calls(Some("interrupted"), cx);
            }
            (_, None) => self.handle_truncated_run(run.started, cx),
            (_, Some(ReportedEnd::RunError(message))) => {
                self.give_up_calls(None, cx);
                self.end_turn_with_failure(NoticeKind::RunError, message, cx);
                self.reopen_rejected_interrupts(&rejected_ids, cx);
            }
            (_, Some(ReportedEnd::Cancelled)) => {
                self.give_up_handed_off_calls(cx);
                self.give_up_calls(None, cx);
                self.turn.summary.finish = Some(FinishReason::Cancelled);
                let message = "The assistant stopped.".to_owned();
                self.notify(NoticeKind::Cancelled, message, None, cx);
            }
            (_, Some(ReportedEnd::Success)) => {
                self.release_calls(&run.pending_call_ids, &unblocked_keys, cx);
            }
        }
        self.reselect_old_answer(has_succeeded, cx);
    }

    /// Reopens the interrupts whose answers the agent rejected, and removes the action of the
    /// newest notice, since a retry would send the same answers. The user answers or cancels the
    /// interrupts instead.
    fn reopen_rejected_interrupts(&mut self, answered: &[String], cx: &mut Cx<'_>) {
        if answered.is_empty() {
            return;
        }
        self.reopen_interrupts(answered, cx);
        if let Some(notice) = self.notices.last_mut() {
            notice.action = None;
        }
    }

    fn handle_failed_run(&mut self, failure: Failure, answered: &[String], cx: &mut Cx<'_>) {
        self.give_up_calls(None, cx);
        let (kind, status) = match failure.kind {
            FailureKind::Network => (NoticeKind::Network, None),
            FailureKind::Offline => (NoticeKind::Offline, None),
            FailureKind::Request => (NoticeKind::Request, None),
            FailureKind::Http { status } => (NoticeKind::Http, Some(status)),
            FailureKind::NotAStream | FailureKind::Protocol => (NoticeKind::Protocol, None),
            FailureKind::Limit => (NoticeKind::LimitReached, None),
        };
        self.end_turn_with_failure(kind, failure.message, cx);
        if let Some(notice) = self.notices.last_mut() {
            notice.status = status;
            notice.retry_after_ms = failure.retry_after_ms;
            notice.exceeded = failure.exceeded;
        }
        // The interrupts are reopened only after client errors that would occur again. The statuses
        // in the list may be temporary.
        if let FailureKind::Http { status } = failure.kind
            && (400..500).contains(&status)
            && !matches!(status, 401 | 403 | 404 | 408 | 429)
        {
            self.reopen_rejected_interrupts(answered, cx);
        }
    }

    fn handle_truncated_run(&mut self, started: bool, cx: &mut Cx<'_>) {
        self.give_up_calls(None, cx);
        let (kind, message) = missing_end_notice(started);
        self.end_turn_with_failure(kind, message.to_owned(), cx);
    }

    fn end_turn_with_failure(&mut self, kind: NoticeKind, message: String, cx: &mut Cx<'_>) {
        self.turn.looping = false;
        self.mark_answers_on_run_branch(StateEvent::SendFailed);
        self.turn.summary.finish = Some(FinishReason::Error);
        // An old answer that stays in the chat has not failed, so it is not marked.
        if !self.is_empty_regeneration(false) {
            self.conversation.mark_failed_turn(match kind {
                NoticeKind::RunError => Cut::Failed,
                _ => Cut::BrokenOff,
            });
        }
        self.notify(kind, message, Some(NoticeAction::Retry), cx);
    }

    /// Releases the calls of the finished run, so that they may start. Calls whose arguments were
    /// not completed end as cancelled, and open calls of an older response are answered as
    /// superseded. The loop continues if a call, an interrupt or an unsent result remains;
    /// otherwise the turn ends. `unblocked_keys` lists the calls that the agent had asked about and
    /// then handed off to the page, and `pending` contains the ids of the calls that the finished
    /// run lists for the page.
    fn release_calls(&mut self, pending: &[String], unblocked_keys: &[CallKey], cx: &mut Cx<'_>) {
        self.end_delegated_calls_after_run(cx);
        self.record_calls_hash();
        for key in self.conversation.active_calls() {
            let Some(call) = self.conversation.call(&key) else {
                continue;
            };
            let is_of_run =
                self.conversation.is_of_newest_run(call) || unblocked_keys.contains(&key);
            // A call that is delegated to the agent stays delegated, even if its action was
            // registered in the meantime.
            let is_delegated = self.is_delegated(&key) && !pending.contains(&call.id);
            if call.state().is_interrupted() || is_delegated {
                continue;
            }
            if !call.has_ended() {
                self.conversation
                    .close_call(key, CallEnd::Cancelled, cx.now);
            } else if is_of_run || !matches!(call.state(), State::Open(_)) {
                self.check_call(&key, false, cx);
            } else {
                self.give_up_without_sending(&key, Some("superseded"), cx);
            }
        }
        self.delegate_remote_calls(pending);
        let has_unsent_result = !self.undelivered_call_keys().is_empty();
        self.end_calls_without_result(pending, cx);
        if self.has_calls_under_way() || !self.interrupts.list.is_empty() || has_unsent_result {
            self.turn.looping = true;
            return;
        }
        self.turn.summary.finish = Some(FinishReason::Stop);
        self.handle_missing_answer(cx);
    }

    /// Starts another run if the last run answered tool results without text, and the options
    /// permit another run. Otherwise shows a notice if the last run answered tool results without
    /// text, or a message from the user without any content.
    fn handle_missing_answer(&mut self, cx: &mut Cx<'_>) {
        let runs = &self.turn.summary.runs;
        let has_no_text = runs.last().is_some_and(|run| !run.has_text);
        let has_no_effect = runs.last().is_some_and(|run| !run.has_effect);
        let has_called_tools = runs.iter().any(|run| !run.tools.is_empty());
        let mut newest_first = self.conversation.run_path().rev();
        // Messages with only reasoning or empty text do not count as answers, so they are skipped.
        let last_message = newest_first.find(|message| {
            message.role != Role::Reasoning
                && !(message.role == Role::Assistant && message.is_empty())
        });
        let ends_with_calls = last_message
            .is_some_and(|message| message.role == Role::Assistant && message.has_calls());
        let ends_with_user_message = last_message.is_some_and(Message::is_from_user);
        drop(newest_first);
        let action = if has_no_text && has_called_tools && ends_with_calls {
            if self.should_ask_again(cx) {
                self.turn.looping = true;
                return;
            }
            NoticeAction::Continue
        } else if ends_with_user_message && has_no_effect {
            NoticeAction::Retry
        } else {
            return;
        };
        let message = "The assistant didn't reply.".to_owned();
        self.notify(NoticeKind::NoAnswer, message, Some(action), cx);
    }

    /// Returns true if another run may be started because the last run ended without an answer to
    /// the results of calls. A run that was started for this reason is not followed by another.
    fn should_ask_again(&self, cx: &mut Cx<'_>) -> bool {
        let mut runs = self.turn.summary.runs.iter().rev();
        let has_calls = |run: &RunSummary| !run.tools.is_empty();
        let had_results = !runs.next().is_some_and(has_calls) && runs.next().is_some_and(has_calls);
        let is_retry_due = self.options.agent.retries_empty_answers && had_results;
        is_retry_due && !self.options.stop_when.is_met(&self.turn.summary, cx.host)
    }

    /// Records a hash of the newest run's calls, for comparison with the next run. The hash is
    /// `None` if the run made no calls.
    fn record_calls_hash(&mut self) {
        let mut hasher = DefaultHasher::new();
        let mut has_calls = false;
        for message in self.conversation.run_path().rev() {
            if message.is_from_user() {
                break;
            }
            let calls = self.conversation.calls_in(message);
            for call in calls.filter(|call| self.conversation.is_of_newest_run(call)) {
                has_calls = true;
                call.name.hash(&mut hasher);
                match call.args() {
                    Some(args) => canonical(args).hash(&mut hasher),
                    None => call.args_text().hash(&mut hasher),
                }
            }
        }
        let calls_hash = has_calls.then(|| hasher.finish());
        self.turn
            .update_run_summary(|run| run.calls_hash = calls_hash);
    }

    /// Starts the next run, after adding interjected messages, once every call has a result. Ends
    /// the turn instead if an interrupt is unanswered, a handler ended the loop, or the stop
    /// condition is met.
    pub(super) fn continue_loop(&mut self, cx: &mut Cx<'_>) {
        if !self.turn.looping || self.turn.is_running() || self.has_calls_under_way() {
            return;
        }
        if self.interrupts.has_unanswered() {
            self.turn.summary.finish = Some(FinishReason::Interrupt);
            return;
        }
        self.turn.looping = false;
        let has_answers = !self.interrupts.answered_ids().is_empty();
        if self.turn.interjected && !has_answers {
            self.add_queued_messages(true, cx);
            self.reset_turn();
            return self.start_run(cx);
        }
        if self.turn.stopped && !has_answers {
            self.turn.summary.finish = Some(FinishReason::StopLoop);
            self.end_delegated_calls(cx);
        } else if !self.interrupts.has_answer_by_user()
            && self.options.stop_when.is_met(&self.turn.summary, cx.host)
        {
            self.stop_at_limit(cx);
        } else {
            self.start_run(cx);
        }
        cx.push_change(Change::Run);
    }

    /// Ends the open calls on the run branch as superseded before a new run, except those that
    /// continue in the new run: calls with a hand-off message, calls that the agent runs, and
    /// interrupted calls whose interrupt is answered.
    pub(super) fn end_abandoned_calls(&mut self, cx: &mut Cx<'_>) {
        for key in self.conversation.active_calls() {
            let is_continued = match self.conversation.state_of(&key) {
                Some(State::HandedOff { .. }) => {
                    let call = self.conversation.call(&key);
                    call.is_some_and(|call| call.hand_off_message_id().is_some())
                }
                Some(State::Remote { .. }) => true,
                Some(state) if state.is_interrupted() => self.interrupts.has_answer_for(&key),
                _ => false,
            };
            if !is_continued {
                self.give_up_call(&key, Some("superseded"), cx);
            }
        }
    }

    fn stop_at_limit(&mut self, cx: &mut Cx<'_>) {
        self.turn.summary.finish = Some(FinishReason::Limit);
        self.end_delegated_calls(cx);
        let limit = self.options.stop_when.reached_run_limit(&self.turn.summary);
        let (kind, message) = match limit {
            Some(limit) => (
                NoticeKind::RunLimit,
                format!("Exceeded maximum tool iterations ({limit}). Continue?"),
            ),
            None => (NoticeKind::LoopEnded, "Paused. Continue?".to_owned()),
        };
        self.notify(kind, message, Some(NoticeAction::Continue), cx);
        if let Some(notice) = self.notices.last_mut() {
            notice.limit = limit;
        }
    }

    /// Retries the last run, or resumes its answer if the network interrupted the answer. The retry
    /// is refused if there is no failed run, or if the session is busy.
    pub(super) fn retry_run(&mut self, cx: &mut Cx<'_>) {
        if self.is_busy() || !self.notices.has_action(NoticeAction::Retry) {
            return cx.refuse(Refusal::NothingToDo);
        }
        self.conversation.show_run_branch();
        self.rewind_before_old_answer();
        self.clear_notices(cx);
        match self.turn.cut {
            true => self.resume_newest_run(Initiator::User, cx),
            false => self.repeat_newest_run(cx),
        }
    }

    /// Repeats the newest run from the message at which it started, unless the user must be asked
    /// again about changed calls or interrupts.
    fn repeat_newest_run(&mut self, cx: &mut Cx<'_>) {
        if self.ask_again_about_changes(cx) {
            return;
        }
        let base = self.turn.summary.runs.pop().and_then(|run| run.base);
        if let Some(base) = base {
            self.keep_partial_answer(&base);
            self.conversation.retry_at(&base);
            self.rewind_thread_tip();
        }
        self.start_run(cx);
    }

    /// Returns true if reading the answer of a run can be resumed. The connection must be lost
    /// before the end of the run, and the agent must store the answer. An answer can be resumed
    /// once, or up to [`MAX_RESUMPTIONS`] times if the agent replays events and each resumption
    /// receives new events.
    fn can_be_resumed(&self, run: &ActiveRun, end: &StreamEnd) -> bool {
        let is_first = run.started && !run.resumes;
        let may_resume = run.progressed && run.resumptions < MAX_RESUMPTIONS;
        let is_resumable = is_first || (self.options.agent.replays && may_resume);
        let is_cut = match end {
            StreamEnd::Failed(failure) => failure.kind.is_of_connection(),
            // If the agent replays events, a closed stream can be resumed, since the connection to
            // a stored run may be closed before the run ends.
            StreamEnd::Closed => self.options.agent.replays,
            StreamEnd::Nothing => false,
        };
        is_cut && self.options.agent.resumes && is_resumable && run.finish.is_none()
    }

    /// Resumes an answer that the network interrupted (rule "resuming an answer"). Open calls and
    /// running handlers are not affected.
    fn resume_cut_run(&mut self, cut_run: ActiveRun, cx: &mut Cx<'_>) {
        // The measured time continues, since the answer is the same. The received amounts continue
        // if the agent replays events, since only the remaining events are applied.
        let clock = self.turn.clock.clone();
        let intake = self
            .options
            .agent
            .replays
            .then(|| std::mem::take(&mut self.intake));
        self.resume_newest_run(Initiator::Page, cx);
        self.turn.clock = clock;
        if let Some(intake) = intake {
            self.intake = intake;
        }
        if let Some(run) = self.turn.run_mut() {
            run.answers = cut_run.answers;
            run.resumptions = cut_run.resumptions.saturating_add(1);
        }
    }

    /// Resumes reading the answer of the newest run. If the answer cannot be resumed, the run can
    /// be retried.
    fn resume_newest_run(&mut self, initiator: Initiator, cx: &mut Cx<'_>) {
        let undelivered_keys = self.undelivered_call_keys();
        let base = self.turn.summary.runs.pop().and_then(|run| run.base);
        self.begin_run(true, cx);
        if let Some(summary) = self.turn.summary.runs.last_mut() {
            summary.base = base;
        }
        if let Some(run) = self.turn.run_mut() {
            run.carries = undelivered_keys;
            run.cut = Some(initiator);
            run.keeps_offer = true;
        }
    }

    /// Continues the loop if a notice offers to continue, such as after a limit was reached. The
    /// count of runs restarts at zero.
    pub(super) fn continue_after_limit(&mut self, cx: &mut Cx<'_>) {
        if self.is_busy() || !self.notices.has_action(NoticeAction::Continue) {
            return cx.refuse(Refusal::NothingToDo);
        }
        self.conversation.show_run_branch();
        self.turn.reset();
        self.clear_notices(cx);
        self.start_run(cx);
    }
}

/// Returns the kind and the text of the notice about an answer whose end is missing. `started` is
/// true if the agent has begun the answer.
pub(super) const fn missing_end_notice(started: bool) -> (NoticeKind, &'static str) {
    match started {
        true => (
            NoticeKind::Truncated,
            "The connection dropped before the answer was finished.",
        ),
        false => (NoticeKind::Silent, "The assistant didn't reply."),
    }
}

/// Returns true if the request of a run could not be made.
fn is_unsent(end: &StreamEnd) -> bool {
    matches!(end, StreamEnd::Failed(failure) if failure.kind() == FailureKind::Request)
}
