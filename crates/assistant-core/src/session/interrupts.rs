//! What agents wait for, and what was answered.
//!
//! Neighbours: `answer_format` has what an answer can say; `gate` does what must be done to calls and runs.

use serde_json::{Value, json};

use super::{action_list::ActionList, answer_format::AnswerFormat, expiry, interrupt_place::Place};
use crate::{
    conversation::{CallKey, Consent, Conversation, Fingerprint},
    event::{Interrupt, ResumeEntry, ResumeStatus},
};

/// An interrupt that no finished run has answered yet.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenInterrupt {
    /// The question of the agent.
    pub interrupt: Interrupt,
    /// The call that it gates and that is shown as an approval card.
    pub call: Option<CallKey>,
    /// The answer, once there is one, and what it is about. It goes out when all have one, if the
    /// question and its call are still the same.
    pub answer: Option<Consent<ResumeEntry>>,
    /// Whether it came as a custom event of the older dialect, and is answered in kind.
    pub legacy: bool,
    /// Whether the agent did not take an answer: it can be answered again, or given up.
    pub rejected: bool,
    /// True if the user would have been asked too often: it is shown once they ask to see it.
    pub held_back: bool,
    /// True if it was held back when the user denied everything.
    pub(super) denied_unseen: bool,
    /// Whether it was answered with a denial that the user gave earlier in this turn.
    pub(super) denied_before: bool,
    /// The call that it holds back, shown as a card or not.
    pub(super) gates: Option<CallKey>,
    /// Where it was asked.
    pub(super) place: Place,
    pub(super) format: AnswerFormat,
    /// The actions that it lists.
    pub(super) actions: ActionList,
}

impl OpenInterrupt {
    pub(super) fn new(interrupt: Interrupt, legacy: bool) -> Self {
        let actions = ActionList::of(interrupt.metadata.as_ref());
        Self {
            format: AnswerFormat::of(&interrupt, &actions),
            actions,
            interrupt,
            call: None,
            answer: None,
            legacy,
            rejected: false,
            held_back: false,
            denied_unseen: false,
            denied_before: false,
            gates: None,
            place: Place::default(),
        }
    }

    /// Returns the fingerprint of what a person sees of it: all that the agent says with it, and the
    /// call that it is about.
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
        let by_key = self.gates.and_then(|key| conversation.call(&key));
        let said = json!([
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
        let about = call.map(Fingerprint::of_agents_call);
        Fingerprint::of_question(&said, about.as_ref())
    }

    /// The answer, as long as it is one to what is asked now. That it is given up holds always.
    pub(super) fn answer_now(&self, conversation: &Conversation) -> Option<&ResumeEntry> {
        let answer = self.answer.as_ref()?;
        let given_up = Some(answer.on_record());
        let given_up = given_up.filter(|entry| entry.status == ResumeStatus::Cancelled);
        given_up.or_else(|| answer.given_for(&self.fingerprint(conversation)))
    }

    /// Returns true if it was answered without the user having seen it.
    const fn is_unseen(&self) -> bool {
        self.denied_before || self.denied_unseen
    }

    /// Opens it again: by its card or in the inbox, or with `hold_back` once the user asks to see it.
    fn reopen(&mut self, hold_back: bool) -> Option<(CallKey, bool)> {
        self.answer = None;
        self.denied_before = false;
        self.denied_unseen = false;
        if hold_back {
            self.held_back = true;
            self.call = None;
        }
        Some((self.gates?, self.call.is_some()))
    }

    /// Returns until when it can be answered, in milliseconds since 1970.
    #[must_use]
    pub fn expires_at(&self) -> Option<i64> {
        expiry::millis(self.interrupt.expires_at.as_deref()?)
    }

    /// Whether it can no longer be answered, only given up.
    pub(super) fn is_over(&self, now: i64) -> bool {
        self.expires_at().is_some_and(|at| at <= now)
    }
}

/// What agents wait for, oldest first.
#[derive(Debug, Clone, Default)]
pub(super) struct Interrupts {
    list: Vec<OpenInterrupt>,
    /// Those of branches that runs do not write on.
    elsewhere: Vec<OpenInterrupt>,
    /// The ids of those that were elsewhere when the run opened.
    apart: Vec<String>,
}

impl Interrupts {
    pub(super) fn list(&self) -> &[OpenInterrupt] {
        &self.list
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether one has an answer that was given for it, and not for an equal one before.
    pub(super) fn is_answered_by_person(&self) -> bool {
        let mut all = self.list.iter();
        all.any(|open| open.answer.is_some() && !open.denied_before)
    }

    /// Whether one has no answer yet.
    pub(super) fn wait(&self) -> bool {
        self.list.iter().any(|open| open.answer.is_none())
    }

    /// Returns whether an agent may continue with what it asked about: a question is open, or has an answer
    /// that does not give it up.
    pub(super) fn ask_or_go_on(&self) -> bool {
        let is_given_up = |open: &OpenInterrupt| {
            let answer = open.answer.as_ref();
            answer.is_some_and(|answer| answer.on_record().status == ResumeStatus::Cancelled)
        };
        !self.list.iter().all(is_given_up)
    }

    /// Forgets those of the branch that runs write on.
    pub(super) fn clear(&mut self) {
        self.list.clear();
    }

    pub(super) fn iter_mut(&mut self) -> std::slice::IterMut<'_, OpenInterrupt> {
        self.list.iter_mut()
    }

    /// All of them, on whichever branch.
    pub(super) fn all(&self) -> impl Iterator<Item = &OpenInterrupt> {
        self.list.iter().chain(&self.elsewhere)
    }

    /// Notes one of a branch that runs do not write on, or not yet.
    pub(super) fn put_aside(&mut self, open: OpenInterrupt) {
        self.elsewhere.push(open);
    }

    /// Puts aside those that are not here. Gives those that are here again; `None` if nothing changed.
    pub(super) fn sort(
        &mut self,
        is_here: impl Fn(&OpenInterrupt) -> bool,
    ) -> Option<Vec<OpenInterrupt>> {
        let gone = self.list.extract_if(.., |open| !is_here(open));
        let gone: Vec<_> = gone.collect();
        let back: Vec<_> = self
            .elsewhere
            .extract_if(.., |open| is_here(open))
            .collect();
        let changes = !gone.is_empty() || !back.is_empty();
        self.elsewhere.extend(gone);
        changes.then_some(back)
    }

    /// Opens one; another of the same id goes.
    pub(super) fn open(&mut self, fresh: OpenInterrupt) {
        self.list
            .retain(|open| open.interrupt.id != fresh.interrupt.id);
        self.list.push(fresh);
    }

    pub(super) fn find(&self, id: &str) -> Option<&OpenInterrupt> {
        self.list.iter().find(|open| open.interrupt.id == id)
    }

    pub(super) fn take(&mut self, id: &str) -> Option<OpenInterrupt> {
        let place = self.list.iter().position(|open| open.interrupt.id == id)?;
        Some(self.list.remove(place))
    }

    /// Those that ask about a call by its card and are not answered.
    pub(super) fn asking_about(&self, key: &CallKey) -> impl Iterator<Item = &OpenInterrupt> {
        let asks = |open: &&OpenInterrupt| open.call == Some(*key) && open.answer.is_none();
        self.list.iter().filter(asks)
    }

    /// Whether one that holds a call back is answered.
    pub(super) fn answers_for(&self, key: &CallKey) -> bool {
        let answers = |open: &OpenInterrupt| open.gates == Some(*key) && open.answer.is_some();
        self.list.iter().any(answers)
    }

    pub(super) fn answer(
        &mut self,
        id: &str,
        (status, payload): (ResumeStatus, Option<Value>),
        about: Fingerprint,
    ) {
        let found = self.list.iter_mut().find(|open| open.interrupt.id == id);
        if let Some(open) = found {
            // Some servers want back what they sent along.
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

    /// Opens one again whose answer the agent did not take, also where the run's branch has moved away from it
    /// meanwhile. Gives the call that it holds back, and whether by a card.
    pub(super) fn reject(&mut self, id: &str, hold_back: bool) -> Option<(CallKey, bool)> {
        let open = self.carried(id)?;
        open.rejected |= open.answer.is_some();
        open.reopen(hold_back)
    }

    /// Returns true if one whose answer went out was answered without the user having seen it.
    pub(super) fn was_unseen(&mut self, id: &str) -> bool {
        self.carried(id).is_some_and(|open| open.is_unseen())
    }

    /// One whose answer the run carried.
    fn carried(&mut self, id: &str) -> Option<&mut OpenInterrupt> {
        let apart = self.apart.iter().any(|apart| apart == id);
        let moved = self.elsewhere.iter_mut().filter(|_| !apart);
        let mut carried = self.list.iter_mut().chain(moved);
        carried.find(|open| open.interrupt.id == id)
    }

    /// Takes out those that a run answered, also where the run's branch has moved away from them meanwhile.
    pub(super) fn retire(&mut self, answered: &[String]) -> Vec<OpenInterrupt> {
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
        let answers = plain.filter_map(|open| open.answer_now(conversation));
        answers.cloned().collect()
    }

    /// The ids of those that were answered as something else than what they are now.
    pub(super) fn changed(&self, conversation: &Conversation) -> Vec<String> {
        let changed = self
            .list
            .iter()
            .filter(|open| open.answer.is_some() && open.answer_now(conversation).is_none());
        changed.map(|open| open.interrupt.id.clone()).collect()
    }

    /// Asks again what was answered as something else. Gives the call that it held back, and whether by a
    /// card.
    pub(super) fn ask_again(&mut self, id: &str, hold_back: bool) -> Option<(CallKey, bool)> {
        let open = self.list.iter_mut().find(|open| open.interrupt.id == id)?;
        open.reopen(hold_back)
    }

    /// A question that holds no call back any more: it is asked by itself.
    pub(super) fn let_go(&mut self, id: &str) {
        if let Some(open) = self.list.iter_mut().find(|open| open.interrupt.id == id) {
            open.gates = None;
            open.call = None;
        }
    }

    /// Asks it in the inbox from now on, as the card of its call shows something else.
    pub(super) fn take_off_card(&mut self, id: &str) {
        if let Some(open) = self.list.iter_mut().find(|open| open.interrupt.id == id) {
            open.call = None;
        }
    }

    /// Returns the ids of those whose answers go out with the run that opens now.
    pub(super) fn hand_over(&mut self) -> Vec<String> {
        let apart = self.elsewhere.iter();
        self.apart = apart.map(|open| open.interrupt.id.clone()).collect();
        self.answered()
    }

    /// The ids of those whose answers go out with the next run.
    pub(super) fn answered(&self) -> Vec<String> {
        let answered = self.list.iter().filter(|open| open.answer.is_some());
        answered.map(|open| open.interrupt.id.clone()).collect()
    }

    pub(super) fn unanswered(&self) -> Vec<String> {
        let open = self.list.iter().filter(|open| open.answer.is_none());
        open.map(|open| open.interrupt.id.clone()).collect()
    }
}
