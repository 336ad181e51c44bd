//! Limits questions to the user, and applies the user's denial of a call to equal calls in the same
//! turn without another question (rule "attention").
//!
//! The modules `prepare` and `interrupt_flow` check these limits before the user is asked.

use serde_json::json;

use super::{
    Cx, NoticeKind, Refusal, Session, Verdict,
    interrupts::answer_status,
    limits::{StartTimes, round_up_to_seconds},
};
use crate::{
    conversation::{
        CallDataChange, CallError, CallKey, Change, Decider, Decision, ErrorKind, Fingerprint,
        StateEvent, ToolCall,
    },
    event::ResumeStatus,
};

/// The period of the limit of questions per minute, in milliseconds.
const MINUTE_MS: u32 = 60_000;

/// The maximum number of denials that are stored in a turn. If there are more, the oldest denials
/// are removed, and the user is asked again about equal calls.
const MAX_DENIALS: usize = 256;

/// The questions to the user that the newest run caused, and the user's denials in this turn.
#[derive(Debug, Clone, Default)]
pub(super) struct QuestionHistory {
    /// The denials since the last user message, with their reasons.
    denied: Vec<(Fingerprint, Option<String>)>,
    /// The questions caused by the newest run.
    asked: Vec<QuestionSubject>,
    /// The times of recent questions, for the limit per minute.
    times: StartTimes,
    /// The number of calls that were held back since the last user message.
    held_back: u32,
}

/// The call or the interrupt that a question is about.
#[derive(Debug, Clone, PartialEq, Eq)]
enum QuestionSubject {
    Call(CallKey),
    Interrupt(String),
}

/// The limit that another question would exceed.
#[derive(Debug, Clone, Copy)]
enum ReachedLimit {
    Run(u32),
    /// The limit per minute, and the time in milliseconds until the next question is permitted.
    Minute(u32, i64),
}

impl QuestionHistory {
    /// Removes the denials and resets the number of held-back calls, after a message of the user.
    pub(super) fn reset_for_turn(&mut self) {
        self.denied.clear();
        self.held_back = 0;
    }

    /// Removes the questions of the previous run, at the start of a run.
    pub(super) fn reset_for_run(&mut self) {
        self.asked.clear();
    }

    /// Removes denials and questions when a different conversation is opened. The limit per minute
    /// continues to count earlier questions, since the limit protects the user.
    pub(super) fn reset_for_thread(&mut self) {
        self.reset_for_turn();
        self.reset_for_run();
    }
}

impl Session {
    /// Resets the turn and the denials of the turn, when messages of the user begin a new turn.
    pub(super) fn reset_turn(&mut self) {
        self.turn.reset();
        self.attention.reset_for_turn();
    }

    /// Replaces the question about a call of the agent by a denial if the user denied an equal call
    /// in this turn, and by an error if the user was asked too often. Returns other events
    /// unchanged.
    pub(super) fn filter_question(
        &mut self,
        key: &CallKey,
        event: StateEvent,
        cx: &mut Cx<'_>,
    ) -> StateEvent {
        let call = self.conversation.call(key);
        let Some(call) = call.filter(|call| is_caused_by_agent(self, call)) else {
            return event;
        };
        if event != StateEvent::QuestionPut {
            return event;
        }
        // An earlier denial is not applied if the outcome is unknown, since the question is then
        // about running the call again.
        if !call.has_unknown_outcome()
            && let Some(reason) = self.earlier_denial(key)
        {
            let decision = Decision::Denied {
                reason: reason.clone(),
            };
            self.conversation.edit_call(key, |call| {
                call.apply_data_change(CallDataChange::DeniedBefore);
                call.apply_data_change(CallDataChange::Decision(decision));
            });
            return StateEvent::DeniedBefore(reason);
        }
        match self.count_question(QuestionSubject::Call(*key), cx.now) {
            Ok(()) => event,
            Err(limit) => {
                self.notify_held_back_questions(limit, cx);
                StateEvent::FoundInvalid(limit.to_call_error())
            }
        }
    }

    /// Counts the question of an interrupt. Returns true, with a diagnostic, if the interrupt is
    /// held back because the user would be asked too often.
    pub(super) fn count_or_hold_back_interrupt(&mut self, id: &str, cx: &mut Cx<'_>) -> bool {
        let result = self.count_question(QuestionSubject::Interrupt(id.to_owned()), cx.now);
        if let Err(limit) = result {
            cx.warn(
                "too-many-questions",
                format!("interrupt held back: {}", limit.message()),
            );
        }
        result.is_err()
    }

    /// Counts a question. Fails with the limit that the question would exceed. A repeated question
    /// is not counted again.
    fn count_question(&mut self, question: QuestionSubject, now: i64) -> Result<(), ReachedLimit> {
        let limits = self.options.questions;
        let attention = &mut self.attention;
        if attention.asked.contains(&question) {
            return Ok(());
        }
        if let Some(max) = limits.per_run
            && u32::try_from(attention.asked.len()).unwrap_or(u32::MAX) >= max
        {
            return Err(ReachedLimit::Run(max));
        }
        if let Some(max) = limits.per_minute {
            if let Some(wait) = attention.times.remaining_wait("", (max, MINUTE_MS), now) {
                return Err(ReachedLimit::Minute(max, wait));
            }
            attention.times.record("", now);
        }
        attention.asked.push(question);
        Ok(())
    }

    fn notify_held_back_questions(&mut self, limit: ReachedLimit, cx: &mut Cx<'_>) {
        cx.warn("too-many-questions", limit.message());
        self.attention.held_back = self.attention.held_back.saturating_add(1);
        let count = self.attention.held_back;
        let kind = NoticeKind::QuestionsHeldBack;
        self.notices.retain(|notice| notice.kind != kind);
        let message = format!("The assistant asked too often. Held back and not run: {count}");
        self.notify(kind, message, None, cx);
        if let Some(notice) = self.notices.last_mut() {
            notice.count = Some(count);
        }
    }

    /// Stores the user's denial of a call for this turn.
    pub(super) fn record_denial(&mut self, key: &CallKey, reason: Option<String>) {
        self.forget_denial(key);
        if let Some(fingerprint) = self.denial_fingerprint(key) {
            let denials = &mut self.attention.denied;
            denials.push((fingerprint, reason));
            let excess = denials.len().saturating_sub(MAX_DENIALS);
            denials.drain(..excess);
        }
    }

    /// Removes the denial of an equal call, after an approval. The user is asked again about later
    /// equal calls.
    pub(super) fn forget_denial(&mut self, key: &CallKey) {
        let fingerprint = self.denial_fingerprint(key);
        self.attention
            .denied
            .retain(|(denied, _)| Some(denied) != fingerprint.as_ref());
    }

    /// Returns the reason of the user's denial of an equal call in this turn. The inner `None` is a
    /// denial without a reason; the outer `None` means that no equal call was denied.
    #[allow(clippy::option_option, reason = "a denial may come without a reason")]
    pub(super) fn earlier_denial(&self, key: &CallKey) -> Option<Option<String>> {
        let fingerprint = self.denial_fingerprint(key)?;
        let mut denials = self.attention.denied.iter();
        let (_, reason) = denials.find(|(denied, _)| *denied == fingerprint)?;
        Some(reason.clone())
    }

    /// Returns the fingerprint by which a call of the agent is compared with denied calls. The
    /// fingerprint covers the name, the canonical arguments and the action of the call. Returns
    /// `None` for a call of the page itself.
    fn denial_fingerprint(&self, key: &CallKey) -> Option<Fingerprint> {
        let call = self
            .conversation
            .call(key)
            .filter(|call| is_caused_by_agent(self, call))?;
        let action = self
            .registration_for(call)
            .map(|entry| entry.spec.fingerprint());
        let action = json!(action.as_ref().map(|action| action.as_str()));
        // The user's edits are excluded, since the agent repeats its own arguments.
        let args = call.clean_args().or_else(|| call.args());
        Some(Fingerprint::new(
            &call.name,
            args.ok_or_else(|| call.args_text()),
            &action,
        ))
    }

    /// Answers an interrupt with the user's denial of an equal call in this turn. If the interrupt
    /// has expired or does not accept a denial, the user is asked.
    pub(super) fn repeat_denial(&mut self, id: &str, reason: Option<String>, cx: &mut Cx<'_>) {
        let open = self.interrupts.find(id);
        let Some(open) = open.filter(|open| !open.has_expired(cx.now)) else {
            return;
        };
        let call = open.call;
        let Ok(Some(payload)) = open.answer_to(&Verdict::Deny { reason }) else {
            return;
        };
        if let Some(key) = call {
            self.conversation
                .apply_data_change(&key, CallDataChange::DeniedBefore);
        }
        self.answer_interrupt(id, ResumeStatus::Resolved, Some(payload), cx);
        if let Some(open) = self.interrupts.find_mut(id) {
            open.denied_before = true;
        }
    }

    /// Shows the interrupts that were held back. Refuses the input if no interrupts are held back.
    pub(super) fn show_held_back_interrupts(&mut self, cx: &mut Cx<'_>) {
        let held_back_interrupts = self.interrupts.list.iter_mut();
        let held_back_interrupts =
            held_back_interrupts.filter(|open| open.held_back && open.answer.is_none());
        let mut cards = Vec::new();
        let mut has_shown = false;
        for open in held_back_interrupts {
            (has_shown, open.held_back) = (true, false);
            let conversation = &self.conversation;
            let can_use_card = |key: &CallKey| {
                let call = conversation.call(key);
                call.is_some_and(|call| open.can_be_answered_on_card(call))
            };
            if let Some(key) = open.blocks.filter(can_use_card) {
                open.call = Some(key);
                cards.push((key, open.interrupt.id.clone()));
            }
        }
        if !has_shown {
            return cx.refuse(Refusal::NothingToDo);
        }
        for (key, id) in cards {
            self.interrupt_call(key, &id, true);
        }
        cx.push_change(Change::Interrupts);
    }

    /// Denies the open questions about calls and the open interrupts, ends the calls of the page
    /// itself, and stops everything in progress. Refuses the input if nothing is in progress.
    pub(super) fn deny_all(&mut self, cx: &mut Cx<'_>) {
        let direct_keys = self.direct_call_keys();
        if !self.is_busy() && direct_keys.is_empty() {
            return cx.refuse(Refusal::NothingToDo);
        }
        let mut keys = self.conversation.active_calls();
        keys.extend(direct_keys.iter().copied());
        for key in keys {
            let call = self.conversation.call(&key);
            if call.is_some_and(|call| call.state().is_undecided()) {
                if cx.by == Some(Decider::Person) {
                    self.record_denial(&key, None);
                }
                self.record_decision(&key, Decision::Denied { reason: None }, cx);
                self.conversation
                    .apply_state_event(&key, StateEvent::Denied(None));
            }
        }
        if self.interrupts.list.iter().any(|open| open.held_back) {
            for open in &mut self.interrupts.list {
                open.denied_unseen |= open.held_back && open.answer.is_none();
            }
            self.show_held_back_interrupts(cx);
        }
        for id in self.interrupts.unanswered_ids() {
            self.deny_interrupt(&id, cx);
        }
        for key in &direct_keys {
            self.give_up_call(key, None, cx);
        }
        self.stop_turn(cx);
    }

    /// Answers an interrupt with a denial. Cancels the interrupt instead if it has expired or
    /// accepts no denial.
    fn deny_interrupt(&mut self, id: &str, cx: &mut Cx<'_>) {
        let Some(open) = self.interrupts.find(id) else {
            return;
        };
        let denial = open.denial_answer().filter(|_| !open.has_expired(cx.now));
        self.answer_interrupt(id, answer_status(denial.as_ref()), denial, cx);
    }
}

/// Returns true if the agent caused a call, directly or through the handler of another call. Other
/// calls of the page itself are caused by the user.
fn is_caused_by_agent(session: &Session, call: &ToolCall) -> bool {
    call.parent.is_some() || !session.conversation.is_direct_call(&call.key())
}

impl ReachedLimit {
    fn message(self) -> String {
        match self {
            Self::Run(max) => format!("the limit is {max} questions in one run"),
            Self::Minute(max, wait) => {
                let seconds = round_up_to_seconds(wait);
                format!(
                    "the limit is {max} questions in a minute, the next may come in {seconds} s"
                )
            }
        }
    }

    fn to_call_error(self) -> CallError {
        let message = format!(
            "The user is asked too often: {}. They were not asked about this call, and it was not run.",
            self.message()
        );
        let wait = match self {
            Self::Run(_) => None,
            Self::Minute(_, wait) => Some(wait),
        };
        CallError {
            message,
            kind: ErrorKind::TooManyQuestions,
            details: wait.map(|ms| json!({"retryAfterMs": ms})),
        }
    }
}
