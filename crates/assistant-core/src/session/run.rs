//! Speaking to the agent: starting a run, taking its events in, and settling how it ended.

use super::{
    Cx, Effect, Failure, FailureKind, NoticeAction, NoticeKind, Refusal, RunKey, Session,
    StreamEnd, TimerId,
};
use crate::{
    conversation::{Applied, CallKey, Change, Message, MessageId, Phase},
    event::{Content, Event, EventKind, Interrupt, Outcome, Role, RunInput, TokenUsage},
};

/// How long a stream may stay open after its run has finished, in milliseconds.
const GRACE_MS: u32 = 1_000;
/// How many events that nothing acts on are kept.
const SIDE_EVENTS: usize = 256;

/// A run that is under way.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) key: RunKey,
    /// Calls whose results go out with it for the first time.
    carries: Vec<CallKey>,
    /// Interrupts that it answers.
    answers: Vec<String>,
    finish: Option<Finish>,
    grace: Option<TimerId>,
    started: bool,
}

/// How a run ended, as far as its events say.
#[derive(Debug, Clone)]
enum Finish {
    Success,
    Interrupt(Vec<Interrupt>),
    Cancelled,
    RunError(String),
}

/// What has happened since the last user message.
#[derive(Debug, Clone, Default)]
pub struct RunSummary {
    /// One entry for each run.
    pub steps: Vec<StepSummary>,
    /// Why it ended; `None` while it goes on.
    pub finish: Option<FinishReason>,
}

/// One run.
#[derive(Debug, Clone)]
pub struct StepSummary {
    /// The run's id.
    pub run_id: String,
    /// The chat's newest message when it started; Retry goes back to it.
    pub base: Option<MessageId>,
    /// The tools that were called, in order.
    pub tools: Vec<String>,
    /// Tokens used, if the agent says.
    pub usage: Vec<TokenUsage>,
    /// Whether it said anything in words.
    pub spoke: bool,
}

/// Why the loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FinishReason {
    /// The agent had its say.
    Stop,
    /// The stop condition held while results were waiting to go out.
    Limit,
    /// A handler ended the loop.
    StopLoop,
    /// The agent waits for an answer.
    Interrupt,
    /// The agent stopped on purpose.
    Cancelled,
    /// The person stopped it.
    Stopped,
    /// It failed.
    Error,
}

impl Session {
    pub(super) fn send(&mut self, content: Content, cx: &mut Cx<'_>) {
        if matches!(&content, Content::Text(text) if text.trim().is_empty()) {
            return cx.refuse(Refusal::EmptyMessage);
        }
        if let Err(refusal) = self.make_room(cx) {
            return cx.refuse(refusal);
        }
        self.clear_notices(cx);
        self.summary = RunSummary::default();
        self.looping = false;
        let id = cx.host.new_id();
        self.conversation.append(Message::user(id, content, cx.now));
        cx.change(Change::Path);
        self.start_run(cx);
    }

    /// A new message must wait until nothing is under way, unless it may deny what is open.
    fn make_room(&mut self, cx: &mut Cx<'_>) -> Result<(), Refusal> {
        if self.run.is_some() {
            return Err(Refusal::Busy);
        }
        if !self.interrupts.is_empty() {
            return Err(Refusal::InterruptsPending);
        }
        let waiting = self.waits_for_person();
        if self.options.auto_deny && self.only_approvals_open() {
            self.deny_all_open(cx);
        }
        match self.open_calls.is_empty() {
            true => Ok(()),
            false if waiting => Err(Refusal::ApprovalsPending),
            false => Err(Refusal::Busy),
        }
    }

    /// Starts a run with the chat as it stands.
    pub(super) fn start_run(&mut self, cx: &mut Cx<'_>) {
        self.looping = false;
        self.loop_stopped = false;
        let key = RunKey(self.number());
        let offered = self.registry.offered();
        let tools = offered.iter().map(|entry| entry.spec.tool()).collect();
        self.offered = offered
            .iter()
            .map(|entry| entry.spec.name.clone())
            .collect();
        let input = RunInput {
            thread_id: self.thread_id.clone(),
            run_id: cx.host.new_id(),
            parent_run_id: None,
            state: self.conversation.state().clone(),
            messages: self.conversation.request_messages(),
            tools,
            context: self.context.values().cloned().collect(),
            forwarded_props: self.forwarded_props.clone(),
            resume: self.resume_entries(),
        };
        self.summary.finish = None;
        self.summary.steps.push(StepSummary {
            run_id: input.run_id.clone(),
            base: self.conversation.tip().cloned(),
            tools: Vec::new(),
            usage: Vec::new(),
            spoke: false,
        });
        self.run = Some(Run {
            key,
            carries: self.unsent_results(),
            answers: input
                .resume
                .iter()
                .map(|entry| entry.interrupt_id.clone())
                .collect(),
            finish: None,
            grace: None,
            started: false,
        });
        cx.effect(Effect::OpenRun {
            run: key,
            input: Box::new(input),
        });
        cx.change(Change::Run);
    }

    pub(super) fn unsent_results(&self) -> Vec<CallKey> {
        let unsent = |key: &CallKey| {
            let call = self.conversation.call(key);
            call.and_then(|call| call.result.as_ref())
                .is_some_and(|result| !result.sent)
        };
        self.conversation
            .path_calls()
            .into_iter()
            .filter(unsent)
            .collect()
    }

    pub(super) fn take_event(&mut self, run: RunKey, event: Event, cx: &mut Cx<'_>) {
        if self.run.as_ref().is_none_or(|active| active.key != run) {
            return;
        }
        match &event.kind {
            EventKind::RunStarted { .. } => self.run_began(),
            EventKind::RunFinished { .. } | EventKind::RunError { .. } => {
                return self.run_said_end(event, cx);
            }
            EventKind::StepStarted { .. }
            | EventKind::StepFinished { .. }
            | EventKind::SubagentStarted { .. }
            | EventKind::SubagentFinished { .. }
            | EventKind::SubagentError { .. }
            | EventKind::Raw { .. }
            | EventKind::Custom { .. }
            | EventKind::ReasoningStart { .. }
            | EventKind::ReasoningEnd { .. } => return self.keep_side_event(event),
            EventKind::TextMessageContent { delta, .. } if !delta.is_empty() => {
                self.step(|step| step.spoke = true);
            }
            EventKind::ToolCallStart { tool_call_name, .. } => {
                let name = tool_call_name.clone();
                self.step(|step| step.tools.push(name));
            }
            _ => {}
        }
        let watched = Watched::of(&event.kind);
        let mut out = Applied {
            now: cx.now,
            changes: &mut cx.step.changes,
            diagnostics: &mut cx.step.diagnostics,
        };
        self.conversation.apply(event, &mut out);
        self.after_event(watched, cx);
    }

    fn step(&mut self, update: impl FnOnce(&mut StepSummary)) {
        if let Some(step) = self.summary.steps.last_mut() {
            update(step);
        }
    }

    fn keep_side_event(&mut self, event: Event) {
        if self.side_events.len() == SIDE_EVENTS {
            self.side_events.remove(0);
        }
        self.side_events.push(event);
    }

    /// The agent has the request: what it carried counts as sent.
    fn run_began(&mut self) {
        let Some(run) = &mut self.run else { return };
        run.finish = None;
        run.started = true;
        for key in std::mem::take(&mut run.carries) {
            if let Some(result) = self
                .conversation
                .call_mut(&key)
                .and_then(|call| call.result.as_mut())
            {
                result.sent = true;
            }
        }
    }

    fn run_said_end(&mut self, event: Event, cx: &mut Cx<'_>) {
        let (finish, usage) = match event.kind {
            EventKind::RunFinished { outcome, usage, .. } => (
                match outcome {
                    Some(Outcome::Interrupt { interrupts }) => Finish::Interrupt(interrupts),
                    Some(Outcome::Cancelled) => Finish::Cancelled,
                    Some(Outcome::Success { .. }) | None => Finish::Success,
                },
                usage,
            ),
            EventKind::RunError { message, usage, .. } => (Finish::RunError(message), usage),
            _ => return,
        };
        self.step(|step| step.usage.extend(usage));
        let timer = TimerId(self.number());
        let Some(run) = &mut self.run else { return };
        run.finish = Some(finish);
        run.grace = Some(timer);
        self.close_texts(cx);
        cx.effect(Effect::StartTimer {
            timer,
            ms: GRACE_MS,
        });
    }

    fn close_texts(&mut self, cx: &mut Cx<'_>) {
        let mut out = Applied {
            now: cx.now,
            changes: &mut cx.step.changes,
            diagnostics: &mut cx.step.diagnostics,
        };
        self.conversation.close_open_texts(&mut out);
    }

    /// A finished run whose stream stays open is over all the same.
    pub(super) fn grace_over(&mut self, timer: TimerId, cx: &mut Cx<'_>) -> bool {
        let Some(run) = self.run.as_ref().filter(|run| run.grace == Some(timer)) else {
            return false;
        };
        let key = run.key;
        cx.effect(Effect::AbortRun { run: key });
        self.close_run(key, StreamEnd::Closed, cx);
        true
    }

    pub(super) fn close_run(&mut self, key: RunKey, end: StreamEnd, cx: &mut Cx<'_>) {
        let Some(run) = self.run.take_if(|run| run.key == key) else {
            return;
        };
        self.close_texts(cx);
        cx.change(Change::Run);
        match (end, run.finish) {
            (StreamEnd::Failed(failure), _) => self.run_failed(failure, cx),
            (StreamEnd::Closed, None) => self.run_truncated(run.started, cx),
            (StreamEnd::Closed, Some(Finish::RunError(message))) => {
                self.give_up_calls(None, cx);
                self.fail(NoticeKind::RunError, message, cx);
            }
            (StreamEnd::Closed, Some(Finish::Cancelled)) => {
                self.retire_interrupts(&run.answers, cx);
                self.give_up_calls(None, cx);
                self.summary.finish = Some(FinishReason::Cancelled);
                self.notify(
                    NoticeKind::Cancelled,
                    "The assistant stopped.".to_owned(),
                    None,
                    cx,
                );
            }
            (StreamEnd::Closed, Some(Finish::Success)) => {
                self.retire_interrupts(&run.answers, cx);
                self.collect_calls(&[], cx);
            }
            (StreamEnd::Closed, Some(Finish::Interrupt(interrupts))) => {
                self.retire_interrupts(&run.answers, cx);
                let gated = self.open_interrupts(interrupts, cx);
                self.collect_calls(&gated, cx);
            }
        }
    }

    fn run_failed(&mut self, failure: Failure, cx: &mut Cx<'_>) {
        self.give_up_calls(None, cx);
        let kind = match failure.kind {
            FailureKind::Network => NoticeKind::Network,
            FailureKind::Http { .. } => NoticeKind::Http,
            FailureKind::NotAStream | FailureKind::Protocol => NoticeKind::Protocol,
        };
        self.fail(kind, failure.message, cx);
    }

    fn run_truncated(&mut self, started: bool, cx: &mut Cx<'_>) {
        self.give_up_calls(None, cx);
        let message = if started {
            "The answer broke off before it was complete."
        } else {
            "The agent sent no answer."
        };
        self.fail(NoticeKind::Truncated, message.to_owned(), cx);
    }

    fn fail(&mut self, kind: NoticeKind, message: String, cx: &mut Cx<'_>) {
        self.looping = false;
        self.summary.finish = Some(FinishReason::Error);
        self.notify(kind, message, Some(NoticeAction::Retry), cx);
    }

    /// The run is over: from here on its calls may run (decision D1).
    fn collect_calls(&mut self, gated: &[CallKey], cx: &mut Cx<'_>) {
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
                self.conversation.close_call(&key, Phase::Cancelled, cx.now);
                cx.change(Change::Call(key));
            }
        }
        let answered = !self.unsent_results().is_empty();
        if !self.open_calls.is_empty() || !self.interrupts.is_empty() || answered {
            self.looping = true;
            return;
        }
        self.summary.finish = Some(FinishReason::Stop);
        self.note_missing_answer(cx);
    }

    /// Tool results went out and nothing came back in words (row S1-6).
    fn note_missing_answer(&mut self, cx: &mut Cx<'_>) {
        let quiet = self.summary.steps.last().is_some_and(|step| !step.spoke);
        let after_tools = self
            .summary
            .steps
            .iter()
            .rev()
            .skip(1)
            .any(|step| !step.tools.is_empty());
        let last_is_own = self.conversation.path().next_back().is_some_and(|message| {
            message.role == Role::Assistant && message.calls().next().is_some()
        });
        if quiet && after_tools && last_is_own {
            let message = "The assistant ended without an answer.".to_owned();
            self.notify(
                NoticeKind::NoAnswer,
                message,
                Some(NoticeAction::Continue),
                cx,
            );
        }
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
        } else if self.options.stop_when.is_met(&self.summary) {
            self.summary.finish = Some(FinishReason::Limit);
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
        self.conversation.select_tip(base.as_ref());
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

/// What must be looked at after an event was applied.
#[derive(Debug)]
pub(super) enum Watched {
    Nothing,
    /// A call may have changed its meaning.
    Call(String),
    /// Any call may have.
    AllCalls,
}

impl Watched {
    fn of(kind: &EventKind) -> Self {
        match kind {
            EventKind::ToolCallStart { tool_call_id, .. }
            | EventKind::ToolCallEnd { tool_call_id }
            | EventKind::ToolCallResult { tool_call_id, .. } => Self::Call(tool_call_id.clone()),
            EventKind::MessagesSnapshot { .. } => Self::AllCalls,
            _ => Self::Nothing,
        }
    }
}
