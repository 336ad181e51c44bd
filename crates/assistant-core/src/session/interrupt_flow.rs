//! Opens an agent's interrupts, blocks the calls to which the interrupts refer until the interrupts
//! are answered, and sends the answers with the next run.
//!
//! An answer applies only to the agent's question. If the agent then hands the call off to the
//! page, the page's own rules apply, as to any other call. The module `interrupts` stores the open
//! interrupts.

use rustc_hash::FxHashSet;
use serde_json::Value;

use super::{
    ActionDecision, Cx, FinishReason, NoticeKind, OpenInterrupt, Refusal, Session, Verdict,
    action_keys, interrupts::answer_status,
};
use crate::{
    conversation::{
        CallDataChange, CallEnd, CallKey, Change, Decider, Decision, Fingerprint, State,
        StateEvent, ToolCall,
    },
    event::{Interrupt, ResumeStatus},
    json::canonical::canonical,
};

impl Session {
    /// Opens an agent's interrupts and blocks the calls to which the interrupts refer. An interrupt
    /// about a call that the user denied in this turn is denied again, and an interrupt that
    /// exceeds the limit of questions is held back.
    pub(super) fn open_interrupts(
        &mut self,
        interrupts: Vec<Interrupt>,
        legacy: bool,
        cx: &mut Cx<'_>,
    ) {
        for interrupt in interrupts {
            let mut open = OpenInterrupt::new(interrupt, legacy);
            let call = self.conversation.call_of_interrupt(&open.interrupt);
            let key = call.map(|(key, _)| key);
            let card_key = key.filter(|key| self.can_be_answered_on_card(&open, key));
            let denial = card_key.and_then(|key| self.earlier_denial(&key));
            open.held_back =
                denial.is_none() && self.count_or_hold_back_interrupt(&open.interrupt.id, cx);
            if let Some(key) = key {
                let is_on_card = card_key.is_some() && !open.held_back;
                if self.interrupt_call(key, &open.interrupt.id, is_on_card) {
                    open.call = is_on_card.then_some(key);
                    open.blocks = Some(key);
                }
            }
            // Of two interrupts with the same id, only the newer one can be answered, so the call
            // of the older interrupt is blocked without a card.
            let older_interrupt = self.interrupts.find(&open.interrupt.id);
            let older_key = older_interrupt.and_then(|older| older.call);
            if let Some(key) = older_key.filter(|key| open.blocks != Some(*key)) {
                self.interrupt_call(key, &open.interrupt.id, false);
            }
            let id = open.interrupt.id.clone();
            self.interrupts.open(open);
            if let Some(reason) = denial {
                self.repeat_denial(&id, reason, cx);
            }
        }
        cx.push_change(Change::Interrupts);
    }

    /// Redirects each interrupt that names a call which only asks about another call: the
    /// interrupt's call id is replaced by the id of the call that is asked about. An interrupt that
    /// names a call of a registered action keeps its call id, even if the agent runs the action.
    pub(super) fn redirect_interrupts(&self, interrupts: &mut [Interrupt]) {
        for interrupt in interrupts {
            let call = self.conversation.call_of_interrupt(interrupt);
            let asking_call =
                call.filter(|(_, call)| self.registry.named(&call.name).next().is_none());
            if let Some((_, call)) = asking_call {
                interrupt.tool_call_id =
                    Some(self.conversation.resolve_asked_call(call).id.clone());
            }
        }
    }

    /// Blocks a call, unless the call has a result or its handler is running. Returns true if the
    /// call is blocked.
    pub(super) fn interrupt_call(&mut self, key: CallKey, interrupt_id: &str, card: bool) -> bool {
        let call = self.conversation.call(&key);
        // A call that was approved in the page must be asked about again, since the question
        // replaces that approval and the user's edit of the arguments.
        let must_be_asked =
            call.is_some_and(|call| call.must_be_asked() || call.is_approved_here());
        let is_interrupted = call.is_some_and(
            |call| matches!(call.state(), State::Interrupted { card: old, .. } if *old == card),
        );
        if !is_interrupted
            && !self
                .conversation
                .apply_state_event(&key, StateEvent::Interrupted { card })
        {
            return false;
        }
        let fingerprint = self.call_fingerprint(&key);
        self.conversation.edit_call(&key, |call| {
            if must_be_asked {
                call.apply_data_change(CallDataChange::MustBeAsked);
            }
            call.apply_data_change(CallDataChange::AskedByAgent {
                interrupt: interrupt_id.to_owned(),
                shown: fingerprint,
            });
        });
        true
    }

    /// Applies a decision about a call to all interrupts on the call's card. If an interrupt
    /// refuses the decision, no interrupt is answered. A denial cancels an interrupt that accepts
    /// no denial. Returns false if the card shows no interrupt.
    pub(super) fn answer_card_interrupts(
        &mut self,
        key: &CallKey,
        shown: &Fingerprint,
        verdict: &Verdict,
        cx: &mut Cx<'_>,
    ) -> bool {
        if self.interrupts.unanswered_on_card(key).next().is_none() {
            return false;
        }
        if !verdict.is_denial() && self.move_unmatched_to_inbox(key, cx) {
            cx.refuse(Refusal::Changed);
            return true;
        }
        match self.card_interrupt_answers(key, shown, verdict, cx) {
            Ok(answers) => {
                let has_expired = |open: &OpenInterrupt| open.has_expired(cx.now);
                let is_any_expired = self.interrupts.unanswered_on_card(key).any(has_expired);
                if !is_any_expired && answers.iter().any(|(_, payload)| payload.is_none()) {
                    let message = "The assistant takes no denial here. Its request was cancelled, and nothing was approved.";
                    self.notify_once(NoticeKind::CancelledRequest, message, cx);
                }
                for (id, payload) in answers {
                    self.answer_interrupt(&id, answer_status(payload.as_ref()), payload, cx);
                }
            }
            Err(refusal) => cx.refuse(refusal),
        }
        true
    }

    /// Returns the answers for a decision about a call, one for each unanswered interrupt on the
    /// call's card. An answer of `None` cancels the interrupt.
    fn card_interrupt_answers(
        &self,
        key: &CallKey,
        shown: &Fingerprint,
        verdict: &Verdict,
        cx: &mut Cx<'_>,
    ) -> Result<Vec<(String, Option<Value>)>, Refusal> {
        if !verdict.is_denial() && self.has_call_changed(key, shown) {
            return Err(Refusal::Changed);
        }
        if let Verdict::Remember { .. } = verdict {
            return Err(Refusal::NotRemembered);
        }
        if let Verdict::Approve { args: Some(args) } = verdict {
            self.check_edit(key, args, cx)?;
        }
        let mut answers = Vec::new();
        for open in self.interrupts.unanswered_on_card(key) {
            let payload = match (open.has_expired(cx.now), verdict) {
                // A denial cancels an expired interrupt, since an expired interrupt accepts no
                // answer.
                (true, Verdict::Deny { .. }) => None,
                (true, Verdict::Approve { .. } | Verdict::Remember { .. }) => {
                    return Err(Refusal::Expired);
                }
                (false, _) => open.answer_to(verdict)?,
            };
            answers.push((open.interrupt.id.clone(), payload));
        }
        Ok(answers)
    }

    /// Answers or cancels an interrupt. An answer is refused if the interrupt has changed since it
    /// was shown, or if the application answers an interrupt that only the user may answer.
    pub(super) fn answer_shown_interrupt(
        &mut self,
        id: &str,
        shown: &Fingerprint,
        (status, payload): (ResumeStatus, Option<Value>),
        cx: &mut Cx<'_>,
    ) {
        let fingerprint = self.question_fingerprint(id);
        let has_changed = fingerprint.is_some_and(|fingerprint| fingerprint != *shown);
        if status == ResumeStatus::Resolved && has_changed {
            return cx.refuse(Refusal::Changed);
        }
        let open_interrupt = self.interrupts.find(id);
        let is_answer = status == ResumeStatus::Resolved;
        if is_answer
            && open_interrupt.is_some_and(|open| self.is_question_reserved_for_user(open, cx))
        {
            return cx.refuse(Refusal::OnlyUser);
        }
        self.answer_interrupt(id, status, payload, cx);
    }

    /// Answers an interrupt with a decision for each of its actions. The decisions are refused if
    /// the interrupt is already answered or has changed since it was shown, or if the application
    /// does not reject all actions although only the user may approve one of them.
    pub(super) fn decide_actions(
        &mut self,
        id: &str,
        shown: &Fingerprint,
        decisions: &[ActionDecision],
        cx: &mut Cx<'_>,
    ) {
        let open = self.interrupts.find(id);
        let Some(open) = open.filter(|open| open.answer.is_none()) else {
            return cx.refuse(Refusal::AlreadyResolved);
        };
        if open.fingerprint(&self.conversation) != *shown {
            return cx.refuse(Refusal::Changed);
        }
        let is_rejection = |decision| matches!(decision, &ActionDecision::Reject { .. });
        if !decisions.iter().all(is_rejection) && self.is_question_reserved_for_user(open, cx) {
            return cx.refuse(Refusal::OnlyUser);
        }
        match open.answer_with(decisions) {
            Ok(answer) => self.answer_interrupt(id, ResumeStatus::Resolved, Some(answer), cx),
            Err(refusal) => cx.refuse(refusal),
        }
    }

    pub(super) fn answer_interrupt(
        &mut self,
        id: &str,
        status: ResumeStatus,
        mut payload: Option<Value>,
        cx: &mut Cx<'_>,
    ) {
        let open = self.interrupts.find(id);
        let Some(open) = open.filter(|open| open.answer.is_none()) else {
            return cx.refuse(Refusal::AlreadyResolved);
        };
        if status == ResumeStatus::Resolved {
            if open.has_expired(cx.now) {
                return cx.refuse(Refusal::Expired);
            }
            let answer = payload.take();
            let had_answer = answer.is_some();
            match open.validate_answer(answer.unwrap_or_default()) {
                Ok(answer) => payload = had_answer.then_some(answer),
                Err(refusal) => return cx.refuse(refusal),
            }
        }
        let (blocked_key, is_on_card) = (open.blocks, open.call.is_some());
        let fingerprint = open.fingerprint(&self.conversation);
        if let Some(open) = self.interrupts.find_mut(id) {
            open.set_answer((status, payload.clone()), fingerprint);
        }
        if let Some(key) = blocked_key.filter(|_| is_on_card || status == ResumeStatus::Cancelled) {
            self.record_interrupt_decision(&key, status, payload.as_ref(), cx);
        }
        self.turn.looping = true;
        cx.push_change(Change::Interrupts);
    }

    /// Records the decision that an interrupt's answer contains in the call that the interrupt
    /// blocks. An answer without an approval counts as a denial.
    fn record_interrupt_decision(
        &mut self,
        key: &CallKey,
        status: ResumeStatus,
        payload: Option<&Value>,
        cx: &mut Cx<'_>,
    ) {
        let field = |name: &str| payload.and_then(|payload| payload.get(name));
        let decision_type = field("decisions").and_then(|list| list.get(0)?.get("type"));
        let has_approval = payload == Some(&true.into())
            || field("approved").and_then(Value::as_bool) == Some(true)
            || decision_type == Some(&"approve".into())
            || decision_type == Some(&"edit".into());
        let is_approved = has_approval && status == ResumeStatus::Resolved;
        let reason = field("reason").and_then(Value::as_str).map(str::to_owned);
        match is_approved {
            true => self.forget_denial(key),
            // Only a denial by the user is recorded. A cancellation is not a denial, so the user is
            // asked about the next equal call.
            false if status == ResumeStatus::Resolved && cx.by != Some(Decider::Application) => {
                self.record_denial(key, reason.clone());
            }
            false => {}
        }
        let event = StateEvent::InterruptAnswered {
            approved: is_approved,
            reason: reason.clone(),
            by: cx.by,
        };
        if !self.conversation.apply_state_event(key, event) {
            return;
        }
        let edited_args = field("editedArgs").or_else(|| {
            let first_decision = field("decisions")?.get(0)?;
            action_keys::edited_action(first_decision)?.get("args")
        });
        let edited_args = edited_args.filter(|_| is_approved).cloned();
        self.conversation
            .apply_data_change(key, CallDataChange::Edited(edited_args));
        let decision = match is_approved {
            true => Decision::Approved,
            false => Decision::Denied { reason },
        };
        self.record_decision(key, decision, cx);
    }

    /// Applies `event`, which states that sending has started or failed, to the approved and the
    /// handed-off calls on the run branch. These calls count as running only while a run sends
    /// their answers.
    pub(super) fn mark_answers_on_run_branch(&mut self, event: StateEvent) {
        for key in self.conversation.active_calls() {
            let state = self.conversation.state_of(&key);
            if let Some(State::InterruptApproved { .. } | State::HandedOff { .. }) = state {
                self.conversation.apply_state_event(&key, event.clone());
            }
        }
    }

    /// Applies [`StateEvent::SendFailed`] to the calls on other branches whose answers an ended run
    /// was sending.
    pub(super) fn mark_answers_on_other_branches(&mut self) {
        let is_being_sent = |call: &&ToolCall| {
            let state = call.state();
            matches!(
                state,
                State::InterruptApproved { out: true, .. } | State::HandedOff { out: true, .. }
            )
        };
        let calls = self.conversation.open_calls_on_other_branches();
        let calls = calls.filter(is_being_sent);
        let keys: Vec<CallKey> = calls.map(ToolCall::key).collect();
        for key in keys {
            self.conversation
                .apply_state_event(&key, StateEvent::SendFailed);
        }
    }

    /// Cancels the unanswered interrupts. The next run sends the cancellations, so that the thread
    /// can continue.
    pub(super) fn cancel_unanswered_interrupts(&mut self, cx: &mut Cx<'_>) {
        for id in self.interrupts.unanswered_ids() {
            self.answer_interrupt(&id, ResumeStatus::Cancelled, None, cx);
        }
        self.turn.looping = false;
    }

    /// Denies the remote calls that unanswered interrupts list, if the cancellations of the
    /// interrupts are sent as rejections.
    pub(super) fn deny_listed_calls(&mut self) {
        let interrupts = self.interrupts.list.iter();
        let rejected_interrupts =
            interrupts.filter(|open| open.answer.is_none() && open.cancellation_answer().is_some());
        let listed_actions: FxHashSet<(String, Option<String>)> = rejected_interrupts
            .flat_map(|open| open.actions())
            .map(|action| (action.name().to_owned(), action.args().map(canonical)))
            .collect();
        if listed_actions.is_empty() {
            return;
        }
        for key in self.conversation.active_calls() {
            let call = self.conversation.call(&key);
            let action = call.map(|call| (call.name.clone(), call.args().map(canonical)));
            let is_listed = action.is_some_and(|action| listed_actions.contains(&action));
            if self.is_delegated(&key) && is_listed {
                self.conversation
                    .apply_state_event(&key, StateEvent::Denied(None));
            }
        }
    }

    /// Reopens the interrupts whose answers the agent rejected. An interrupt that was answered
    /// without having been shown to the user may be held back.
    pub(super) fn reopen_interrupts(&mut self, answered: &[String], cx: &mut Cx<'_>) {
        for id in answered {
            // An interrupt that the user has not seen is counted as a new question, so it may be
            // held back.
            let hold_back = self.interrupts.was_answered_unseen(id)
                && self.count_or_hold_back_interrupt(id, cx);
            if let Some((key, card)) = self.interrupts.reopen_rejected(id, hold_back) {
                self.reblock_call(id, key, card);
            }
        }
        cx.push_change(Change::Interrupts);
    }

    /// Reopens the interrupts that have changed since they were answered, so that their answers are
    /// not sent, and asks about calls whose approval lapsed before the calls were handed off.
    /// Returns true if any interrupt or call is asked about again.
    pub(super) fn ask_again_about_changes(&mut self, cx: &mut Cx<'_>) -> bool {
        let has_lapsed_approval = self.ask_about_lapsed_approvals(cx);
        let changed_ids = self.interrupts.changed_ids(&self.conversation);
        for id in &changed_ids {
            let hold_back = self.interrupts.was_answered_unseen(id)
                && self.count_or_hold_back_interrupt(id, cx);
            let open = self.interrupts.find_mut(id);
            if let Some((key, card)) = open.and_then(|open| open.reopen(hold_back)) {
                self.reblock_call(id, key, card);
                self.conversation
                    .apply_data_change(&key, CallDataChange::Changed);
            }
        }
        if changed_ids.is_empty() && !has_lapsed_approval {
            return false;
        }
        self.turn.looping = true;
        if !changed_ids.is_empty() {
            self.turn.summary.finish = Some(FinishReason::Interrupt);
            cx.push_change(Change::Interrupts);
        }
        cx.push_change(Change::Run);
        true
    }

    /// Removes an interrupt whose answer the agent rejected, and gives up the call that the
    /// interrupt blocks. Refuses the input for other interrupts.
    pub(super) fn give_up_interrupt(&mut self, id: &str, cx: &mut Cx<'_>) {
        let is_rejected = self.interrupts.find(id).is_some_and(|open| open.rejected);
        let Some(open) = is_rejected.then(|| self.interrupts.remove(id)).flatten() else {
            return cx.refuse(Refusal::NothingToDo);
        };
        if let Some(key) = open.blocks {
            self.give_up_without_sending(&key, Some("given up"), cx);
        }
        self.give_up_delegated_calls(cx);
        self.notices
            .retain(|notice| notice.kind != NoticeKind::RunError);
        cx.push_change(Change::Notices);
        cx.push_change(Change::Interrupts);
        cx.push_change(Change::Run);
    }

    /// Closes the interrupts in `answered`, whose answers a finished run has sent. Denied calls
    /// end, and the other calls are unblocked unless an interrupt in `raised` asks about them
    /// again. Returns the keys of the unblocked calls, which the agent handed off to the page.
    pub(super) fn close_answered_interrupts(
        &mut self,
        answered: &[String],
        raised: &[Interrupt],
        cx: &mut Cx<'_>,
    ) -> Vec<CallKey> {
        if answered.is_empty() {
            return Vec::new();
        }
        let asked_again_ids: Vec<&str> = raised
            .iter()
            .filter_map(|interrupt| interrupt.tool_call_id.as_deref())
            .collect();
        let mut unblocked_keys = Vec::new();
        for key in self
            .interrupts
            .take_answered(answered)
            .iter()
            .filter_map(|open| open.blocks)
        {
            let Some(call) = self.conversation.call(&key) else {
                continue;
            };
            if asked_again_ids.contains(&call.id.as_str())
                && !matches!(call.state(), State::InterruptDenied { .. })
            {
                continue;
            }
            match call.state() {
                // The call is ended without starting a run, since the denial was already sent.
                State::InterruptDenied { .. } if call.has_ended() => {
                    self.give_up_without_sending(&key, None, cx);
                }
                // The call is closed without a result, since it is incomplete and therefore not
                // part of any request.
                State::InterruptDenied { .. } => {
                    self.conversation.close_call(key, CallEnd::Denied, cx.now);
                }
                _ => {
                    self.conversation
                        .apply_state_event(&key, StateEvent::InterruptLifted);
                    unblocked_keys.push(key);
                }
            }
        }
        cx.push_change(Change::Interrupts);
        unblocked_keys
    }
}
