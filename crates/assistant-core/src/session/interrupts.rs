//! What agents wait for, and what was answered.
//!
//! Neighbour: `gate` does with it what must be done to calls and runs.

use serde_json::{Value, json};

use super::{Refusal, Verdict, branch_interrupts::Place, expiry};
use crate::{
    action::schema::{self, NoPatterns},
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
    /// Whether it was answered with a denial that the user gave earlier in this turn.
    pub(super) denied_before: bool,
    /// The call that it holds back, shown as a card or not.
    pub(super) gates: Option<CallKey>,
    /// Where it was asked.
    pub(super) place: Place,
    /// What the answer took back, to be asked again if the agent does not take it.
    pub(super) asks: Asks,
}

/// How an interrupt can be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asks {
    /// By an object with `approved`.
    Approval,
    /// By a bare yes or no.
    Boolean,
    /// By decisions about the actions that it lists.
    Decisions,
    /// By whatever fits its schema.
    Anything,
}

impl OpenInterrupt {
    pub(super) fn new(interrupt: Interrupt, legacy: bool) -> Self {
        Self {
            asks: Asks::of(&interrupt),
            interrupt,
            call: None,
            answer: None,
            legacy,
            rejected: false,
            held_back: false,
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

    /// Returns until when it can be answered, in milliseconds since 1970.
    #[must_use]
    pub fn expires_at(&self) -> Option<i64> {
        expiry::millis(self.interrupt.expires_at.as_deref()?)
    }

    /// Returns whether approve or deny answers it, whatever else it takes.
    #[must_use]
    pub fn takes_approval(&self) -> bool {
        self.asks != Asks::Anything
    }

    /// Whether it can no longer be answered, only given up.
    pub(super) fn is_over(&self, now: i64) -> bool {
        self.expires_at().is_some_and(|at| at <= now)
    }

    /// What is wrong with an answer.
    pub(super) fn violations(&self, answer: &Value) -> Vec<schema::Violation> {
        let Some(schema) = &self.interrupt.response_schema else {
            return Vec::new();
        };
        schema::validate(&Value::Object(schema.clone()), answer, &mut NoPatterns)
    }

    /// Returns whether an approval can carry other arguments than those of the call.
    #[must_use]
    pub fn takes_edits(&self) -> bool {
        match self.asks {
            Asks::Boolean | Asks::Anything => false,
            Asks::Decisions => self.takes_edit_decision(),
            Asks::Approval => self.property("editedArgs").is_some_and(|schema| {
                // What allows one value takes no other.
                let fixed = |key: &str| schema.get(key).is_some();
                *schema != Value::Bool(false) && !fixed("const") && !fixed("enum")
            }),
        }
    }

    /// Returns whether a denial can carry a reason.
    #[must_use]
    pub fn takes_reason(&self) -> bool {
        self.asks == Asks::Decisions || self.property("reason").is_some()
    }

    /// The schema of a part of the answer.
    fn property(&self, name: &str) -> Option<&Value> {
        let schema = self.interrupt.response_schema.as_ref()?;
        schema.get("properties")?.get(name)
    }

    /// Returns the answer that says what a person decided; `None` gives the question up, where its
    /// answer can say no denial.
    ///
    /// # Errors
    ///
    /// When the answer cannot carry the changed arguments, or does not fit its schema.
    pub fn answer_to(&self, verdict: &Verdict) -> Result<Option<Value>, Refusal> {
        match verdict {
            Verdict::Deny { reason } => {
                let with = [reason.clone(), None].map(|reason| Verdict::Deny { reason });
                let mut denials = with.iter().map(|denial| self.payload(denial));
                Ok(denials.find(|denial| self.violations(denial).is_empty()))
            }
            Verdict::Approve { args: Some(_) } | Verdict::Remember { args: Some(_), .. }
                if !self.takes_edits() =>
            {
                Err(Refusal::NoEdits)
            }
            Verdict::Approve { .. } | Verdict::Remember { .. } => {
                let answer = self.payload(verdict);
                match self.violations(&answer) {
                    wrong if wrong.is_empty() => Ok(Some(answer)),
                    wrong => Err(Refusal::InvalidEdit(wrong)),
                }
            }
        }
    }

    /// The words of an answer, whether its schema takes them or not.
    fn payload(&self, verdict: &Verdict) -> Value {
        let (approved, extra) = match verdict {
            Verdict::Approve { args } | Verdict::Remember { args, .. } => {
                (true, args.clone().map(|args| ("editedArgs", args)))
            }
            Verdict::Deny { reason } => {
                let reason = reason.clone().map(Value::from);
                (false, reason.map(|reason| ("reason", reason)))
            }
        };
        match self.asks {
            Asks::Boolean => approved.into(),
            Asks::Decisions => self.decisions(verdict),
            Asks::Approval | Asks::Anything => {
                let mut payload = json!({"approved": approved});
                if let (Some((key, value)), Value::Object(payload)) = (extra, &mut payload) {
                    payload.insert(key.to_owned(), value);
                }
                payload
            }
        }
    }
}

impl OpenInterrupt {
    /// Returns whether an edit answers the one action that it lists.
    fn takes_edit_decision(&self) -> bool {
        let reviews = self.interrupt.metadata.as_ref().and_then(|metadata| {
            let reviews = |of: &Value| of.get("review_configs").cloned();
            let here = metadata.get("review_configs").cloned();
            here.or_else(|| metadata.get("value").and_then(reviews))
        });
        let allowed = reviews
            .as_ref()
            .and_then(|list| list.get(0)?.get("allowed_decisions"));
        let allows = |list: &Value| {
            let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
            list.contains(&"edit".into())
        };
        action_requests(&self.interrupt).is_some_and(|list| list.len() == 1)
            && allowed.is_none_or(allows)
    }

    /// The answer to a list of actions: one decision for each.
    fn decisions(&self, verdict: &Verdict) -> Value {
        let actions = action_requests(&self.interrupt).unwrap_or_default();
        let decision = match verdict {
            Verdict::Approve { args: Some(args) }
            | Verdict::Remember {
                args: Some(args), ..
            } => {
                let action = actions.first();
                let name = action.and_then(|action| action.get("name").or(action.get("action")));
                json!({"type": "edit", "edited_action": {"name": name, "args": args}})
            }
            Verdict::Approve { .. } | Verdict::Remember { .. } => json!({"type": "approve"}),
            Verdict::Deny { reason: None } => json!({"type": "reject"}),
            Verdict::Deny {
                reason: Some(reason),
            } => json!({"type": "reject", "message": reason}),
        };
        json!({"decisions": vec![decision; actions.len().max(1)]})
    }
}

impl Asks {
    fn of(interrupt: &Interrupt) -> Self {
        let takes = |schema: &Value, value: &Value| {
            schema::validate(schema, value, &mut NoPatterns).is_empty()
        };
        if let Some(schema) = &interrupt.response_schema {
            let asks = schema
                .get("properties")
                .and_then(|p| p.get("approved"))
                .is_some();
            let schema = Value::Object(schema.clone());
            if asks && takes(&schema, &json!({"approved": true})) {
                return Self::Approval;
            }
            let boolean = schema.get("type") == Some(&"boolean".into());
            return match boolean && takes(&schema, &true.into()) {
                true => Self::Boolean,
                false => Self::Anything,
            };
        }
        if action_requests(interrupt).is_some() {
            return Self::Decisions;
        }
        let reason = interrupt.reason.to_ascii_lowercase();
        let confirms = ["confirm", "approv", "tool_call", "permission"];
        let confirms = confirms.iter().any(|word| reason.contains(word));
        match confirms || interrupt.tool_call_id.is_some() {
            true => Self::Approval,
            false => Self::Anything,
        }
    }
}

/// The actions that the middleware of `LangChain` asks about, one decision for each.
fn action_requests(interrupt: &Interrupt) -> Option<&[Value]> {
    let metadata = interrupt.metadata.as_ref()?;
    let list = metadata
        .get("action_requests")
        .or_else(|| metadata.get("value")?.get("action_requests"))?;
    list.as_array()
        .map(Vec::as_slice)
        .filter(|list| !list.is_empty())
}

/// What agents wait for, oldest first.
#[derive(Debug, Clone, Default)]
pub(super) struct Interrupts {
    list: Vec<OpenInterrupt>,
    /// Those of branches that runs do not write on.
    elsewhere: Vec<OpenInterrupt>,
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

    /// Opens one again whose answer the agent did not take. Gives the call that it holds back, and
    /// whether by a card.
    pub(super) fn reject(&mut self, id: &str) -> Option<(CallKey, bool)> {
        let open = self.list.iter_mut().find(|open| open.interrupt.id == id)?;
        open.rejected |= open.answer.take().is_some();
        open.denied_before = false;
        Some((open.gates?, open.call.is_some()))
    }

    /// Takes out those that a run answered, but for what it raised again.
    pub(super) fn retire(&mut self, answered: &[String]) -> Vec<OpenInterrupt> {
        let list = std::mem::take(&mut self.list);
        let (done, open) = list
            .into_iter()
            .partition(|open| answered.contains(&open.interrupt.id));
        self.list = open;
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
    pub(super) fn ask_again(&mut self, id: &str) -> Option<(CallKey, bool)> {
        let open = self.list.iter_mut().find(|open| open.interrupt.id == id)?;
        open.answer = None;
        Some((open.gates?, open.call.is_some()))
    }

    /// A question that holds no call back any more: it is asked by itself.
    pub(super) fn let_go(&mut self, id: &str) {
        if let Some(open) = self.list.iter_mut().find(|open| open.interrupt.id == id) {
            open.gates = None;
            open.call = None;
        }
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
