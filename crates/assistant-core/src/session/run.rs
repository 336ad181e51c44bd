//! Starts runs of the agent, sends their requests, and records the ends that the runs report.
//!
//! The module `events` handles the other events of a run, and `settle` determines the next step
//! after its end.

use super::{
    Cx, Effect, Refusal, RunKey, RunSummary, Session, StreamEnd, TimerId,
    cut_off::is_cut_off_result, stream_end::ReportedEnd,
};
use crate::{
    conversation::{ApplyContext, CallKey, Change, Cut, StateEvent},
    event::{Event, EventKind, Interrupt, Outcome, RunInput},
};

/// The time for which a stream may stay open after its run has finished, in milliseconds.
const GRACE_PERIOD_MS: u32 = 1_000;

/// A run in progress.
#[derive(Debug, Clone)]
pub(super) struct ActiveRun {
    pub(super) key: RunKey,
    run_id: String,
    /// The number of applied events that the resumed stream has not repeated yet.
    pub(super) replayed: u64,
    /// True if the run has received an event that was not replayed.
    pub(super) progressed: bool,
    /// The number of earlier resumptions of the same answer without an action by the user.
    pub(super) resumptions: u32,
    /// The thread id of the run's request, or `None` before the request is sent. Before that, the
    /// host prepares the request.
    pub(super) thread_id: Option<String>,
    /// True if the run resumes an answer in progress.
    pub(super) resumes: bool,
    /// The initiator of the resumption, if the run resumes an answer that the network interrupted
    /// while the page was open.
    pub(super) cut: Option<Initiator>,
    /// The keys of the calls whose results the run sends for the first time.
    pub(super) carries: Vec<CallKey>,
    /// The ids of the interrupts that the run answers.
    pub(super) answers: Vec<String>,
    /// True if the run resumes an answer whose offer is known.
    pub(super) keeps_offer: bool,
    /// The interrupts that were raised by this run or by a later run in its stream.
    pub(super) raised: Vec<Interrupt>,
    /// The interrupts that the run raised in the older dialect.
    pub(super) raised_by_event: Vec<Interrupt>,
    /// True if a run in the stream has finished, which shows that the agent has received the
    /// answers.
    pub(super) delivered: bool,
    pub(super) finish: Option<ReportedEnd>,
    /// The ids of the calls that the `RUN_FINISHED` event lists as pending for this page
    /// (`pendingToolCallIds`).
    pub(super) pending_call_ids: Vec<String>,
    grace: Option<TimerId>,
    pub(super) started: bool,
}

/// The initiator of a resumption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Initiator {
    /// The page resumes automatically: once, or repeatedly if the agent replays its events.
    Page,
    /// The user resumes with Retry. If no answer can be resumed, the run is retried.
    User,
}

impl Session {
    /// Begins a run on the run branch, unless the user must be asked again about calls or
    /// interrupts that have changed. Nothing is sent before the host is ready.
    pub(super) fn start_run(&mut self, cx: &mut Cx<'_>) {
        if self.ask_again_about_changes(cx) {
            return;
        }
        self.end_abandoned_calls(cx);
        self.withdraw_resend_offer(cx);
        self.begin_run(false, cx);
    }

    /// Resumes reading an answer that may be in progress, unless the session is busy. The request
    /// contains no results and no answers, so none of them count as delivered.
    pub(super) fn resume_run(&mut self, cx: &mut Cx<'_>) {
        if self.is_busy() {
            return cx.refuse(Refusal::Busy);
        }
        self.clear_notices(cx);
        self.begin_run(true, cx);
    }

    pub(super) fn begin_run(&mut self, resumes: bool, cx: &mut Cx<'_>) {
        self.select_branch_interrupts(cx);
        self.conversation.forget_deleted();
        let key = RunKey(self.next_number());
        let (run_id, replay_count) = match self.resumed_position(resumes) {
            Some(position) => position,
            None => (cx.host.new_id(), 0),
        };
        let summary = RunSummary {
            run_id,
            base: self.conversation.run_tip().cloned(),
            ..RunSummary::default()
        };
        let (carries, answers) = match resumes {
            true => (Vec::new(), Vec::new()),
            false => (
                self.undelivered_call_keys(),
                self.interrupts.prepare_answers_for_run(),
            ),
        };
        let run = ActiveRun {
            key,
            run_id: summary.run_id.clone(),
            replayed: replay_count,
            progressed: false,
            resumptions: 0,
            thread_id: None,
            resumes,
            cut: None,
            carries,
            answers,
            keeps_offer: false,
            raised: Vec::new(),
            raised_by_event: Vec::new(),
            delivered: false,
            finish: None,
            pending_call_ids: Vec::new(),
            grace: None,
            started: false,
        };
        self.conversation.unmark_failed_turn();
        match resumes {
            true => self.conversation.runs.resume(&run.run_id),
            false => {
                self.conversation.runs.begin(&run.run_id);
                self.mark_answers_on_run_branch(StateEvent::SendStarted);
            }
        }
        self.attention.reset_for_run();
        self.reset_intake();
        self.turn.begin_run(run, summary, cx.now);
        cx.push_effect(Effect::PrepareRun { run: key });
        cx.push_change(Change::Run);
    }

    /// Returns the id of the run that is resumed, and the number of its events that are repeated.
    /// Returns `None` if a new run begins, or if the agent does not replay events.
    fn resumed_position(&self, resumes: bool) -> Option<(String, u64)> {
        let position = self.conversation.runs.position();
        let (id, applied) = position.filter(|_| resumes && self.options.agent.replays)?;
        Some((id.to_owned(), applied))
    }

    /// Returns true if the events of the current run are counted, so that a resumption can skip the
    /// applied events. The number is part of [`Self::snapshot_outline`], so the outline must be
    /// stored together with every changed message.
    #[must_use]
    pub fn counts_events(&self) -> bool {
        self.options.agent.replays && self.turn.is_running()
    }

    /// Counts the next event of the run, if the agent replays events after a reconnection. Returns
    /// true if the event was applied before the run was resumed.
    pub(super) fn count_run_event(&mut self) -> bool {
        let Some(run) = self.turn.run_mut().filter(|_| self.options.agent.replays) else {
            return false;
        };
        let is_replayed = run.replayed > 0;
        match is_replayed {
            true => run.replayed -= 1,
            false => {
                run.progressed = true;
                self.conversation.runs.count_event();
            }
        }
        is_replayed
    }

    /// Sends the request with the current state, once the page is ready. Drops the run instead if
    /// the user must be asked again about changed calls or interrupts. The request of a resumption
    /// is sent without asking, since it contains no answers, and since the earlier events of the
    /// resumed answer may have changed the calls.
    pub(super) fn send_request(&mut self, key: RunKey, cx: &mut Cx<'_>) {
        let run = self.turn.run();
        let Some(run) = run.filter(|run| run.key == key && run.thread_id.is_none()) else {
            return;
        };
        if !run.resumes && self.ask_again_about_changes(cx) {
            return self.drop_unsent_run(cx);
        }
        self.fork_thread_if_needed(cx);
        let thread_id = self.request_thread_id().to_owned();
        self.record_thread_tip(thread_id.clone());
        let Some(run) = self.turn.run_mut() else {
            return;
        };
        run.thread_id = Some(thread_id.clone());
        let (run_id, resumes, keeps_offer) = (run.run_id.clone(), run.resumes, run.keeps_offer);
        // The offer and the tip of the thread must be stored before the first event, so the change
        // is reported here.
        if self.options.fork_thread || (self.options.agent.resumes && !keeps_offer) {
            cx.push_change(Change::Run);
        }
        let tools = match keeps_offer {
            true => self.tools(),
            false => self.record_offer(),
        };
        let input = RunInput {
            thread_id,
            run_id,
            parent_run_id: None,
            resumes,
            state: self.conversation.state().clone(),
            messages: match self.blank_requests {
                true => Vec::new(),
                false => self.conversation.request_messages(),
            },
            history: None,
            tools,
            context: self.context.iter().map(|(_, item)| item.clone()).collect(),
            forwarded_props: self.forwarded_props_with_answers(),
            resume: self.interrupts.resume_entries(&self.conversation),
        };
        cx.push_effect(Effect::OpenRun {
            run: key,
            input: Box::new(input),
        });
    }

    /// Drops a run whose request has not been sent, since the user must be asked first.
    fn drop_unsent_run(&mut self, cx: &mut Cx<'_>) {
        if let Some(run) = self.turn.run.take() {
            self.conversation.runs.end(false);
            self.mark_answers_on_run_branch(StateEvent::SendFailed);
            cx.push_effect(Effect::AbortRun { run: run.key });
        }
        cx.push_change(Change::Run);
    }

    pub(super) fn undelivered_call_keys(&self) -> Vec<CallKey> {
        let mut keys = self.conversation.run_calls();
        keys.retain(|key| {
            let call = self.conversation.call(key);
            call.is_some_and(|call| call.is_undelivered())
        });
        keys
    }

    /// Marks the run as started and the results in its request as delivered. A run that follows in
    /// the same stream discards the end and the grace timer of the previous run.
    pub(super) fn mark_run_started(&mut self) {
        if let Some(run) = self.turn.run_mut() {
            run.finish = None;
            run.grace = None;
            run.started = true;
        }
        self.mark_results_delivered();
    }

    fn mark_results_delivered(&mut self) {
        let Some(run) = self.turn.run_mut() else {
            return;
        };
        for key in std::mem::take(&mut run.carries) {
            self.conversation
                .apply_state_event(&key, StateEvent::Delivered);
        }
    }

    /// Records the end that a run reports, closes the open texts, and starts the grace timer of the
    /// stream. Events other than the end of a run are ignored. The cost of a replayed end is not
    /// added again.
    pub(super) fn record_reported_end(&mut self, event: Event, is_replayed: bool, cx: &mut Cx<'_>) {
        let (mut raised_interrupts, mut pending_ids) = (Vec::new(), Vec::new());
        let mut is_cut_off = false;
        let (finish, usage) = match event.kind {
            EventKind::RunFinished {
                outcome,
                usage,
                result,
                ..
            } => {
                self.mark_results_delivered();
                is_cut_off = is_cut_off_result(result.as_deref());
                let finish = match outcome {
                    Some(Outcome::Interrupt { interrupts }) => {
                        raised_interrupts = interrupts;
                        ReportedEnd::Success
                    }
                    Some(Outcome::Cancelled) => ReportedEnd::Cancelled,
                    Some(Outcome::Success {
                        pending_tool_call_ids,
                    }) => {
                        pending_ids = pending_tool_call_ids.unwrap_or_default();
                        ReportedEnd::Success
                    }
                    None => ReportedEnd::Success,
                };
                (finish, usage)
            }
            EventKind::RunError { message, usage, .. } => (ReportedEnd::RunError(message), usage),
            _ => return,
        };
        if !is_replayed {
            self.record_cost(&usage, cx);
        }
        self.turn.update_run_summary(|run| run.usage.extend(usage));
        let timer = TimerId(self.next_number());
        let Some(run) = self.turn.run_mut() else {
            return;
        };
        let cut = match &finish {
            ReportedEnd::Success => None,
            ReportedEnd::Cancelled => Some(Cut::Cancelled),
            ReportedEnd::RunError(_) => Some(Cut::Failed),
        };
        run.delivered |= !matches!(finish, ReportedEnd::RunError(_));
        run.raised.extend(raised_interrupts);
        run.pending_call_ids.extend(pending_ids);
        run.finish = Some(finish);
        run.grace = Some(timer);
        self.close_open_texts(cut, cx);
        if is_cut_off {
            self.mark_cut_off_calls();
        }
        cx.push_effect(Effect::StartTimer {
            timer,
            ms: GRACE_PERIOD_MS,
        });
    }

    /// Closes the open texts; `cut` is the reason if the texts are incomplete.
    pub(super) fn close_open_texts(&mut self, cut: Option<Cut>, cx: &mut Cx<'_>) {
        let mut context = ApplyContext {
            now: cx.now,
            diagnostics: &mut cx.output.diagnostics,
        };
        self.conversation.close_open_texts(cut, &mut context);
    }

    /// Closes a finished run whose stream stays open, when its grace timer expires. Returns false
    /// if the timer is not the grace timer of the run.
    pub(super) fn close_run_on_grace_timer(&mut self, timer: TimerId, cx: &mut Cx<'_>) -> bool {
        let Some(run) = self.turn.run().filter(|run| run.grace == Some(timer)) else {
            return false;
        };
        let key = run.key;
        cx.push_effect(Effect::AbortRun { run: key });
        self.close_run(key, StreamEnd::Closed, cx);
        true
    }
}
