//! Stores open interrupts and their answers.
//!
//! The module `interrupt_answer` determines and validates answers, and the module `interrupt_flow`
//! applies answers to calls and runs.

use serde_json::{Value, json};

use super::{action_list::ActionList, answer_format::AnswerFormat, expiry};
use crate::{
    conversation::{CallKey, Consent, Conversation, Fingerprint, MessageId},
    event::{Interrupt, ResumeEntry, ResumeStatus},
};

/// An interrupt of an agent. The interrupt is stored until a finished run has sent the answer.
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
    /// The key of the call that the interrupt blocks, with or without a card.
    pub(super) blocks: Option<CallKey>,
    /// The id of the newest message of the branch at the time of the question.
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

    /// Returns the key of the call that the interrupt blocks and whose approval card shows the
    /// interrupt; `None` if no card shows the interrupt.
    #[must_use]
    pub const fn call_key(&self) -> Option<CallKey> {
        self.call
    }

    /// Returns the answer together with the version of the question that was answered; `None` while
    /// the interrupt is unanswered. The answer is sent once all interrupts are answered, if the
    /// question and its call have not changed. The cancellation of a list of actions is sent as the
    /// rejection of each action, if the agent accepts rejections.
    #[must_use]
    pub const fn answer(&self) -> Option<&Consent<ResumeEntry>> {
        self.answer.as_ref()
    }

    /// Returns true if the agent rejected an answer. Such an interrupt can be answered again, or
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
        let blocked_call = self.blocks.and_then(|key| conversation.call(&key));
        let content = json!([
            id,
            reason,
            message,
            tool_call_id,
            response_schema,
            expires_at,
            metadata,
            self.rejected,
            blocked_call.map(|call| call.phase().is_final()),
        ]);
        let named_call = || conversation.call_of_interrupt(&self.interrupt);
        let call = blocked_call.or_else(|| named_call().map(|(_, call)| call));
        let call_fingerprint = call.map(Fingerprint::from_agents_call);
        Fingerprint::from_question(&content, call_fingerprint.as_ref())
    }

    /// Sets the answer to the question with this fingerprint.
    pub(super) fn set_answer(
        &mut self,
        (status, payload): (ResumeStatus, Option<Value>),
        fingerprint: Fingerprint,
    ) {
        let entry = ResumeEntry {
            interrupt_id: self.interrupt.id.clone(),
            status,
            payload,
            // The metadata of the interrupt is included, since some servers require it in the
            // answer.
            metadata: self.interrupt.metadata.clone(),
        };
        self.answer = Some(Consent::new(entry, fingerprint));
    }

    /// Returns the answer if the question has not changed since then. A cancellation is always
    /// returned.
    pub(super) fn valid_answer(&self, conversation: &Conversation) -> Option<&ResumeEntry> {
        let answer = self.answer.as_ref()?;
        let entry = Some(answer.on_record());
        let cancellation = entry.filter(|entry| entry.status == ResumeStatus::Cancelled);
        cancellation.or_else(|| answer.given_for(&self.fingerprint(conversation)))
    }

    /// Returns the answer as it is sent. Agents that expect a decision for each action do not
    /// support cancellations, so each action is rejected instead, if the agent accepts rejections.
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

    /// Returns the rejections that are sent if the interrupt is cancelled; `None` if the
    /// cancellation itself is sent.
    pub(super) fn cancellation_answer(&self) -> Option<Value> {
        // The actions of an interrupt with an expiry time are not rejected, since the interrupt may
        // have expired when the answer arrives, and an expired interrupt can only be cancelled.
        let can_reject = self.takes_decisions() && self.interrupt.expires_at.is_none();
        can_reject.then(|| self.denial_answer())?
    }

    /// Returns true if the interrupt was answered without having been shown to the user.
    const fn was_answered_unseen(&self) -> bool {
        self.denied_before || self.denied_unseen
    }

    /// Reopens the interrupt, on its card or in the inbox. If `hold_back` is true, the interrupt is
    /// hidden until the user opens it. Returns the key of the blocked call, and true if the card of
    /// the call shows the interrupt; `None` if the interrupt blocks no call.
    pub(super) fn reopen(&mut self, hold_back: bool) -> Option<(CallKey, bool)> {
        self.answer = None;
        self.denied_before = false;
        self.denied_unseen = false;
        if hold_back {
            self.held_back = true;
            self.call = None;
        }
        Some((self.blocks?, self.call.is_some()))
    }

    /// Returns the time at which the interrupt expires, in milliseconds since 1970; `None` if the
    /// interrupt has no expiry time or an invalid one.
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
    other_branch_ids: Vec<String>,
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
        let mut interrupts = self.list.iter();
        interrupts.any(|open| open.answer.is_some() && !open.denied_before)
    }

    /// Returns true if any interrupt is unanswered.
    pub(super) fn has_unanswered(&self) -> bool {
        self.list.iter().any(|open| open.answer.is_none())
    }

    /// Returns true if an interrupt is unanswered, or has an answer other than a cancellation. The
    /// agent may then continue from that interrupt.
    pub(super) fn has_uncancelled(&self) -> bool {
        let is_cancelled = |open: &OpenInterrupt| {
            let answer = open.answer.as_ref();
            answer.is_some_and(|answer| answer.on_record().status == ResumeStatus::Cancelled)
        };
        !self.list.iter().all(is_cancelled)
    }

    /// Returns the interrupts of all branches.
    pub(super) fn all_branches(&self) -> impl Iterator<Item = &OpenInterrupt> {
        self.list.iter().chain(&self.elsewhere)
    }

    /// Sets aside the interrupts of other branches. Removes and returns the interrupts that were
    /// set aside earlier and are on the selected branch; `None` if nothing changed.
    pub(super) fn select_branch(
        &mut self,
        is_on_branch: impl Fn(&OpenInterrupt) -> bool,
    ) -> Option<Vec<OpenInterrupt>> {
        if self.list.is_empty() && self.elsewhere.is_empty() {
            return None;
        }
        let other_interrupts = self.list.extract_if(.., |open| !is_on_branch(open));
        let other_interrupts: Vec<_> = other_interrupts.collect();
        let restored_interrupts: Vec<_> = self
            .elsewhere
            .extract_if(.., |open| is_on_branch(open))
            .collect();
        let has_changed = !other_interrupts.is_empty() || !restored_interrupts.is_empty();
        self.elsewhere.extend(other_interrupts);
        has_changed.then_some(restored_interrupts)
    }

    /// Opens an interrupt, and removes an interrupt with the same id.
    pub(super) fn open(&mut self, interrupt: OpenInterrupt) {
        self.list
            .retain(|open| open.interrupt.id != interrupt.interrupt.id);
        self.list.push(interrupt);
    }

    pub(super) fn find(&self, id: &str) -> Option<&OpenInterrupt> {
        self.list.iter().find(|open| open.interrupt.id == id)
    }

    pub(super) fn find_mut(&mut self, id: &str) -> Option<&mut OpenInterrupt> {
        self.list.iter_mut().find(|open| open.interrupt.id == id)
    }

    pub(super) fn remove(&mut self, id: &str) -> Option<OpenInterrupt> {
        let index = self.list.iter().position(|open| open.interrupt.id == id)?;
        Some(self.list.remove(index))
    }

    /// Returns the unanswered interrupts that a call's card shows.
    pub(super) fn unanswered_on_card(&self, key: &CallKey) -> impl Iterator<Item = &OpenInterrupt> {
        let is_open = |open: &&OpenInterrupt| open.call == Some(*key) && open.answer.is_none();
        self.list.iter().filter(is_open)
    }

    /// Returns true if an interrupt that blocks a call is answered.
    pub(super) fn has_answer_for(&self, key: &CallKey) -> bool {
        let is_answer_for_call =
            |open: &OpenInterrupt| open.blocks == Some(*key) && open.answer.is_some();
        self.list.iter().any(is_answer_for_call)
    }

    /// Reopens an interrupt whose answer the agent rejected, even if the run branch has changed
    /// since. Returns the key of the blocked call, and true if the card of the call shows the
    /// interrupt; `None` if the interrupt is not found or blocks no call.
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
        let was_on_other_branch = self.other_branch_ids.iter().any(|other| other == id);
        let moved_interrupts = self.elsewhere.iter_mut().filter(|_| !was_on_other_branch);
        let mut interrupts = self.list.iter_mut().chain(moved_interrupts);
        interrupts.find(|open| open.interrupt.id == id)
    }

    /// Removes and returns the interrupts that a run answered, even if the run branch has changed
    /// since.
    pub(super) fn take_answered(&mut self, answered: &[String]) -> Vec<OpenInterrupt> {
        let is_answered = |open: &OpenInterrupt| answered.contains(&open.interrupt.id);
        let interrupts = self.list.extract_if(.., |open| is_answered(open));
        let mut interrupts: Vec<_> = interrupts.collect();
        let other_branch_ids = &self.other_branch_ids;
        let was_moved = |open: &OpenInterrupt| {
            is_answered(open) && !other_branch_ids.contains(&open.interrupt.id)
        };
        interrupts.extend(self.elsewhere.extract_if(.., |open| was_moved(open)));
        interrupts
    }

    pub(super) fn resume_entries(&self, conversation: &Conversation) -> Vec<ResumeEntry> {
        let standard_interrupts = self.list.iter().filter(|open| !open.legacy);
        let answers = standard_interrupts.filter_map(|open| open.answer_to_send(conversation));
        let cancellations = self.cancelled.iter().map(|id| ResumeEntry {
            interrupt_id: id.clone(),
            status: ResumeStatus::Cancelled,
            payload: None,
            metadata: None,
        });
        answers.chain(cancellations).collect()
    }

    /// Adds the ids of interrupts beyond the limit, which are cancelled with the next run. Ids
    /// beyond [`MAX_CANCELLED`] are dropped.
    pub(super) fn cancel_unopened(&mut self, ids: impl Iterator<Item = String>) {
        let capacity = MAX_CANCELLED.saturating_sub(self.unopened.len());
        self.unopened.extend(ids.take(capacity));
    }

    /// Returns the ids of interrupts that have changed since they were answered.
    pub(super) fn changed_ids(&self, conversation: &Conversation) -> Vec<String> {
        let changed_interrupts = self
            .list
            .iter()
            .filter(|open| open.answer.is_some() && open.valid_answer(conversation).is_none());
        changed_interrupts
            .map(|open| open.interrupt.id.clone())
            .collect()
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

    /// Prepares the answers of the run that is being opened, including the cancellations of
    /// interrupts beyond the limit, and records the ids of the interrupts of other branches.
    /// Returns the ids of the answered interrupts.
    pub(super) fn prepare_answers_for_run(&mut self) -> Vec<String> {
        let other_interrupts = self.elsewhere.iter();
        self.other_branch_ids = other_interrupts
            .map(|open| open.interrupt.id.clone())
            .collect();
        self.cancelled.append(&mut self.unopened);
        self.cancelled.truncate(MAX_CANCELLED);
        self.answered_ids()
    }

    /// Returns the ids of the interrupts whose answers are sent with the next run.
    pub(super) fn answered_ids(&self) -> Vec<String> {
        let interrupts = self.list.iter().filter(|open| open.answer.is_some());
        interrupts.map(|open| open.interrupt.id.clone()).collect()
    }

    pub(super) fn unanswered_ids(&self) -> Vec<String> {
        let interrupts = self.list.iter().filter(|open| open.answer.is_none());
        interrupts.map(|open| open.interrupt.id.clone()).collect()
    }
}

/// Returns the status of an answer with this payload. An interrupt that accepts no such answer is
/// cancelled.
pub(super) const fn answer_status(payload: Option<&Value>) -> ResumeStatus {
    match payload {
        Some(_) => ResumeStatus::Resolved,
        None => ResumeStatus::Cancelled,
    }
}
