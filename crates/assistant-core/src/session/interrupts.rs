//! Stores open interrupts and their answers.
//!
//! `interrupt_answer` determines and validates answers; `interrupt_flow` applies answers to calls
//! and runs.

use serde_json::{Value, json};

use super::{action_list::ActionList, answer_format::AnswerFormat, expiry};
use crate::{
    conversation::{CallKey, Consent, Conversation, Fingerprint, MessageId},
    event::{Interrupt, ResumeEntry, ResumeStatus},
};

/// An interrupt of an agent, until a finished run has carried its answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OpenInterrupt {
    pub(crate) interrupt: Interrupt,
    pub(crate) call: Option<CallKey>,
    pub(crate) answer: Option<Consent<ResumeEntry>>,
    pub(crate) legacy: bool,
    pub(crate) rejected: bool,
    pub(crate) held_back: bool,
    /// True if the interrupt was held back when the user denied everything.
    pub(super) denied_unseen: bool,
    /// True if the interrupt was answered with an earlier denial of the user in this turn.
    pub(super) denied_before: bool,
    /// The call that the interrupt blocks, with or without a card.
    pub(super) blocks: Option<CallKey>,
    /// The newest message of its branch at the time of the question.
    pub(super) tip: Option<MessageId>,
    pub(super) format: AnswerFormat,
    /// The actions that the interrupt lists.
    pub(super) actions: ActionList,
}

impl OpenInterrupt {
    /// Returns true if the interrupt arrived as a custom event of the older dialect, and is
    /// answered in that dialect.
    #[must_use]
    pub const fn is_legacy(&self) -> bool {
        self.legacy
    }

    /// Returns the agent's question.
    #[must_use]
    pub const fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Returns the key of the call that the interrupt blocks and whose approval card shows it;
    /// `None` if no card shows the interrupt.
    #[must_use]
    pub const fn call_key(&self) -> Option<CallKey> {
        self.call
    }

    /// Returns the answer, and the version of the question that it answers; `None` while the
    /// interrupt is unanswered. The answer is sent once all interrupts are answered, if the
    /// question and its call have not changed. The cancellation of a list of actions is sent as the
    /// rejection of each, if the agent accepts that.
    #[must_use]
    pub const fn answer(&self) -> Option<&Consent<ResumeEntry>> {
        self.answer.as_ref()
    }

    /// Returns true if the agent rejected an answer. The interrupt can be answered again, or
    /// cancelled.
    #[must_use]
    pub const fn is_rejected(&self) -> bool {
        self.rejected
    }

    /// Returns true if the interrupt is hidden until the user opens it, because the limit of
    /// questions was exceeded.
    #[must_use]
    pub const fn is_held_back(&self) -> bool {
        self.held_back
    }

    pub(super) fn new(interrupt: Interrupt, legacy: bool) -> Self {
        let actions = ActionList::from_metadata(interrupt.metadata.as_ref());
        Self {
            format: AnswerFormat::for_interrupt(&interrupt, &actions),
            actions,
            interrupt,
            call: None,
            answer: None,
            legacy,
            rejected: false,
            held_back: false,
            denied_unseen: false,
            denied_before: false,
            blocks: None,
            tip: None,
        }
    }

    /// Returns the fingerprint of the shown content: the question as the agent sent it, whether the
    /// agent rejected an answer, and the interrupted call.
    #[must_use]
    pub fn fingerprint(&self, conversation: &Conversation) -> Fingerprint {
        let Interrupt {
            id,
            reason,
            message,
            tool_call_id,
            response_schema,
            expires_at,
            metadata,
            ..
        } = &self.interrupt;
        let by_key = self.blocks.and_then(|key| conversation.call(&key));
        let content = json!([
            id,
            reason,
            message,
            tool_call_id,
            response_schema,
            expires_at,
            metadata,
            self.rejected,
            by_key.map(|call| call.phase().is_final()),
        ]);
        let found = || conversation.call_by_wire_id(tool_call_id.as_deref()?);
        let call = by_key.or_else(|| found().map(|(_, call)| call));
        let about = call.map(Fingerprint::from_agents_call);
        Fingerprint::from_question(&content, about.as_ref())
    }

    /// Returns the answer, provided the question has not changed. A cancellation always applies.
    pub(super) fn valid_answer(&self, conversation: &Conversation) -> Option<&ResumeEntry> {
        let answer = self.answer.as_ref()?;
        let given_up = Some(answer.on_record());
        let given_up = given_up.filter(|entry| entry.status == ResumeStatus::Cancelled);
        given_up.or_else(|| answer.given_for(&self.fingerprint(conversation)))
    }

    /// Returns the answer as it is sent. An agent that takes a decision for each action understands
    /// no cancellation, so each action is rejected instead, if the agent accepts that.
    pub(super) fn answer_to_send(&self, conversation: &Conversation) -> Option<ResumeEntry> {
        let mut answer = self.valid_answer(conversation)?.clone();
        if answer.status == ResumeStatus::Cancelled
            && let Some(denial) = self.cancellation_answer()
        {
            answer.status = ResumeStatus::Resolved;
            answer.payload = Some(denial);
        }
        Some(answer)
    }

    /// Returns the rejections that are sent if the interrupt is cancelled; `None` if a cancellation
    /// is sent.
    pub(super) fn cancellation_answer(&self) -> Option<Value> {
        // An expired interrupt can only be cancelled, and this one may have expired when the answer
        // arrives.
        let rejects = self.takes_decisions() && self.interrupt.expires_at.is_none();
        rejects.then(|| self.denial_answer())?
    }

    /// Returns true if the interrupt was answered without having been shown to the user.
    const fn was_answered_unseen(&self) -> bool {
        self.denied_before || self.denied_unseen
    }

    /// Reopens the interrupt, on its card or in the inbox; with `hold_back`, hidden until the user
    /// opens it. Returns the key of the blocked call, and true if its card shows the interrupt;
    /// `None` if the interrupt blocks no call.
    fn reopen(&mut self, hold_back: bool) -> Option<(CallKey, bool)> {
        self.answer = None;
        self.denied_before = false;
        self.denied_unseen = false;
        if hold_back {
            self.held_back = true;
            self.call = None;
        }
        Some((self.blocks?, self.call.is_some()))
    }

    /// Returns the time at which the interrupt expires, in milliseconds since 1970; `None` if it
    /// never expires or its time is invalid.
    #[must_use]
    pub fn expires_at(&self) -> Option<i64> {
        expiry::parse_iso8601(self.interrupt.expires_at.as_deref()?)
    }

    /// Returns true if the interrupt has expired and can only be cancelled.
    pub(super) fn has_expired(&self, now: i64) -> bool {
        self.expires_at().is_some_and(|at| at <= now)
    }
}

/// The open interrupts, oldest first.
#[derive(Debug, Clone, Default)]
pub(super) struct Interrupts {
    /// The interrupts of the run branch.
    pub(super) list: Vec<OpenInterrupt>,
    /// The interrupts of branches other than the run branch.
    pub(super) elsewhere: Vec<OpenInterrupt>,
    /// The ids of the interrupts of other branches at the time when the run opened.
    apart: Vec<String>,
    /// The ids of the interrupts beyond the limit, which are cancelled with the next run.
    unopened: Vec<String>,
    /// The ids of the interrupts beyond the limit whose cancellation is sent with the current run.
    pub(super) cancelled: Vec<String>,
}

/// The maximum number of interrupts beyond the limit that are cancelled with one run.
const MAX_CANCELLED: usize = 10_000;

impl Interrupts {
    /// Returns true if an interrupt has an answer that is not the repetition of an earlier denial.
    pub(super) fn has_answer_by_user(&self) -> bool {
        let mut all = self.list.iter();
        all.any(|open| open.answer.is_some() && !open.denied_before)
    }

    /// Returns true if an interrupt is unanswered.
    pub(super) fn has_unanswered(&self) -> bool {
        self.list.iter().any(|open| open.answer.is_none())
    }

    /// Returns true if an interrupt is open, or has an answer other than a cancellation, so that
    /// the agent may continue from it.
    pub(super) fn has_uncancelled(&self) -> bool {
        let is_given_up = |open: &OpenInterrupt| {
            let answer = open.answer.as_ref();
            answer.is_some_and(|answer| answer.on_record().status == ResumeStatus::Cancelled)
        };
        !self.list.iter().all(is_given_up)
    }

    /// Returns the interrupts of all branches.
    pub(super) fn all_branches(&self) -> impl Iterator<Item = &OpenInterrupt> {
        self.list.iter().chain(&self.elsewhere)
    }

    /// Puts aside the interrupts of other branches. Removes and returns the interrupts that were
    /// put aside earlier and are on this branch again; `None` if nothing changed.
    pub(super) fn select_branch(
        &mut self,
        is_here: impl Fn(&OpenInterrupt) -> bool,
    ) -> Option<Vec<OpenInterrupt>> {
        let elsewhere = self.list.extract_if(.., |open| !is_here(open));
        let elsewhere: Vec<_> = elsewhere.collect();
        let back: Vec<_> = self
            .elsewhere
            .extract_if(.., |open| is_here(open))
            .collect();
        let changes = !elsewhere.is_empty() || !back.is_empty();
        self.elsewhere.extend(elsewhere);
        changes.then_some(back)
    }

    /// Opens an interrupt, replacing one with the same id.
    pub(super) fn open(&mut self, fresh: OpenInterrupt) {
        self.list
            .retain(|open| open.interrupt.id != fresh.interrupt.id);
        self.list.push(fresh);
    }

    pub(super) fn find(&self, id: &str) -> Option<&OpenInterrupt> {
        self.list.iter().find(|open| open.interrupt.id == id)
    }

    pub(super) fn find_mut(&mut self, id: &str) -> Option<&mut OpenInterrupt> {
        self.list.iter_mut().find(|open| open.interrupt.id == id)
    }

    pub(super) fn remove(&mut self, id: &str) -> Option<OpenInterrupt> {
        let place = self.list.iter().position(|open| open.interrupt.id == id)?;
        Some(self.list.remove(place))
    }

    /// Returns the unanswered interrupts that a call's card shows.
    pub(super) fn unanswered_on_card(&self, key: &CallKey) -> impl Iterator<Item = &OpenInterrupt> {
        let is_open = |open: &&OpenInterrupt| open.call == Some(*key) && open.answer.is_none();
        self.list.iter().filter(is_open)
    }

    /// Returns true if an interrupt that blocks a call is answered.
    pub(super) fn has_answer_for(&self, key: &CallKey) -> bool {
        let answers = |open: &OpenInterrupt| open.blocks == Some(*key) && open.answer.is_some();
        self.list.iter().any(answers)
    }

    pub(super) fn record_answer(
        &mut self,
        id: &str,
        (status, payload): (ResumeStatus, Option<Value>),
        about: Fingerprint,
    ) {
        if let Some(open) = self.find_mut(id) {
            // Some servers require their metadata back.
            let metadata = open.interrupt.metadata.clone();
            let entry = ResumeEntry {
                interrupt_id: id.to_owned(),
                status,
                payload,
                metadata,
            };
            open.answer = Some(Consent::new(entry, about));
        }
    }

    /// Reopens an interrupt whose answer the agent rejected, even if the run branch is another one
    /// now. Returns the key of the blocked call, and true if its card shows the interrupt; `None`
    /// if the interrupt is not found or blocks no call.
    pub(super) fn reopen_rejected(&mut self, id: &str, hold_back: bool) -> Option<(CallKey, bool)> {
        let open = self.find_by_id_mut(id)?;
        open.rejected |= open.answer.is_some();
        open.reopen(hold_back)
    }

    /// Returns true if the interrupt with this id was answered without having been shown to the
    /// user; false if the interrupt is not found.
    pub(super) fn was_answered_unseen(&mut self, id: &str) -> bool {
        self.find_by_id_mut(id)
            .is_some_and(|open| open.was_answered_unseen())
    }

    /// Returns the open interrupt with this id, on the run branch or on another branch. Of the
    /// interrupts of other branches, only those that moved there after the run opened are found.
    fn find_by_id_mut(&mut self, id: &str) -> Option<&mut OpenInterrupt> {
        let apart = self.apart.iter().any(|apart| apart == id);
        let moved = self.elsewhere.iter_mut().filter(|_| !apart);
        let mut open = self.list.iter_mut().chain(moved);
        open.find(|open| open.interrupt.id == id)
    }

    /// Removes and returns the interrupts that a run answered, even if the run branch is another
    /// one now.
    pub(super) fn take_answered(&mut self, answered: &[String]) -> Vec<OpenInterrupt> {
        let is_answered = |open: &OpenInterrupt| answered.contains(&open.interrupt.id);
        let done = self.list.extract_if(.., |open| is_answered(open));
        let mut done: Vec<_> = done.collect();
        let apart = &self.apart;
        let moved = |open: &OpenInterrupt| is_answered(open) && !apart.contains(&open.interrupt.id);
        done.extend(self.elsewhere.extract_if(.., |open| moved(open)));
        done
    }

    pub(super) fn resume_entries(&self, conversation: &Conversation) -> Vec<ResumeEntry> {
        let plain = self.list.iter().filter(|open| !open.legacy);
        let answers = plain.filter_map(|open| open.answer_to_send(conversation));
        let cancelled = self.cancelled.iter().map(|id| ResumeEntry {
            interrupt_id: id.clone(),
            status: ResumeStatus::Cancelled,
            payload: None,
            metadata: None,
        });
        answers.chain(cancelled).collect()
    }

    /// Adds the ids of interrupts beyond the limit, which are cancelled with the next run. Ids
    /// beyond [`MAX_CANCELLED`] are dropped.
    pub(super) fn cancel_unopened(&mut self, ids: impl Iterator<Item = String>) {
        let room = MAX_CANCELLED.saturating_sub(self.unopened.len());
        self.unopened.extend(ids.take(room));
    }

    /// Returns the ids of interrupts that have changed since they were answered.
    pub(super) fn changed_ids(&self, conversation: &Conversation) -> Vec<String> {
        let changed = self
            .list
            .iter()
            .filter(|open| open.answer.is_some() && open.valid_answer(conversation).is_none());
        changed.map(|open| open.interrupt.id.clone()).collect()
    }

    /// Reopens an interrupt that has changed. Returns the key of the blocked call, and true if its
    /// card shows the interrupt; `None` if the interrupt is not found or blocks no call.
    pub(super) fn reopen_changed(&mut self, id: &str, hold_back: bool) -> Option<(CallKey, bool)> {
        self.find_mut(id)?.reopen(hold_back)
    }

    /// Detaches an interrupt from its call, so that it is shown separately.
    pub(super) fn detach_call(&mut self, id: &str) {
        if let Some(open) = self.find_mut(id) {
            open.blocks = None;
            open.call = None;
        }
    }

    /// Moves an interrupt from its card to the inbox.
    pub(super) fn move_to_inbox(&mut self, id: &str) {
        if let Some(open) = self.find_mut(id) {
            open.call = None;
        }
    }

    /// Prepares the answers that the run that opens now sends, with the cancellations of interrupts
    /// beyond the limit, and records the interrupts of other branches. Returns the ids of the
    /// answered interrupts.
    pub(super) fn prepare_answers_for_run(&mut self) -> Vec<String> {
        let apart = self.elsewhere.iter();
        self.apart = apart.map(|open| open.interrupt.id.clone()).collect();
        self.cancelled.append(&mut self.unopened);
        self.cancelled.truncate(MAX_CANCELLED);
        self.answered_ids()
    }

    /// Returns the ids of the interrupts whose answers are sent with the next run.
    pub(super) fn answered_ids(&self) -> Vec<String> {
        let answered = self.list.iter().filter(|open| open.answer.is_some());
        answered.map(|open| open.interrupt.id.clone()).collect()
    }

    pub(super) fn unanswered_ids(&self) -> Vec<String> {
        let open = self.list.iter().filter(|open| open.answer.is_none());
        open.map(|open| open.interrupt.id.clone()).collect()
    }
}
