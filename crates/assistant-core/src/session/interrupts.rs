//! What agents wait for, and what was answered.
//!
//! Neighbour: `gate` does with it what must be done to calls and runs.

use serde_json::{Value, json};

use super::{Verdict, expiry};
use crate::{
    action::schema::{self, NoPatterns},
    conversation::{CallKey, Conversation, Fingerprint},
    event::{Interrupt, ResumeEntry, ResumeStatus},
};

/// An interrupt that no finished run has answered yet.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenInterrupt {
    /// The question of the agent.
    pub interrupt: Interrupt,
    /// The call that it gates and that is shown as an approval card.
    pub call: Option<CallKey>,
    /// The answer, once there is one. It goes out when all have one.
    pub answer: Option<ResumeEntry>,
    /// Whether it came as a custom event of the older dialect, and is answered in kind.
    pub legacy: bool,
    /// Whether the agent did not take an answer: it can be answered again, or given up.
    pub rejected: bool,
    /// The call that it holds back, shown as a card or not.
    pub(super) gates: Option<CallKey>,
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
            gates: None,
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
        let said = json!([
            id,
            reason,
            message,
            tool_call_id,
            response_schema,
            expires_at,
            metadata,
            self.rejected
        ]);
        let found = || conversation.call_by_wire_id(tool_call_id.as_deref()?);
        let by_key = self.gates.and_then(|key| conversation.call(&key));
        let call = by_key.or_else(|| found().map(|(_, call)| call));
        let about = call.map(|call| super::calls::fingerprint(call, None));
        Fingerprint::of_question(&said, about.as_ref())
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

    /// The answer that says what a person decided.
    #[must_use]
    pub fn payload(&self, verdict: &Verdict) -> Value {
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
            Asks::Decisions => {
                let decision = match (approved, extra) {
                    (true, _) => json!({"type": "approve"}),
                    (false, Some((_, reason))) => json!({"type": "reject", "message": reason}),
                    (false, None) => json!({"type": "reject"}),
                };
                let count = action_requests(&self.interrupt).map_or(1, <[Value]>::len);
                json!({"decisions": vec![decision; count]})
            }
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
}

impl Interrupts {
    pub(super) fn list(&self) -> &[OpenInterrupt] {
        &self.list
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether one has no answer yet.
    pub(super) fn wait(&self) -> bool {
        self.list.iter().any(|open| open.answer.is_none())
    }

    /// Whether an agent may continue with what it asked about: a question is open, or has an answer
    /// that does not give it up.
    pub(super) fn ask_or_go_on(&self) -> bool {
        let is_given_up = |open: &OpenInterrupt| {
            let answer = open.answer.as_ref();
            answer.is_some_and(|answer| answer.status == ResumeStatus::Cancelled)
        };
        !self.list.iter().all(is_given_up)
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
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

    pub(super) fn answer(&mut self, id: &str, status: ResumeStatus, payload: Option<Value>) {
        let found = self.list.iter_mut().find(|open| open.interrupt.id == id);
        if let Some(open) = found {
            // Some servers want back what they sent along.
            let metadata = open.interrupt.metadata.clone();
            open.answer = Some(ResumeEntry {
                interrupt_id: id.to_owned(),
                status,
                payload,
                metadata,
            });
        }
    }

    /// Opens those with these ids again: the agent did not take the answers. Gives the calls that
    /// they hold back, and whether their cards ask.
    pub(super) fn reopen(&mut self, ids: &[String]) -> Vec<(CallKey, bool)> {
        let mut gated = Vec::new();
        for open in &mut self.list {
            if ids.contains(&open.interrupt.id) && open.answer.take().is_some() {
                open.rejected = true;
                gated.extend(open.gates.map(|key| (key, open.call.is_some())));
            }
        }
        gated
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

    pub(super) fn resume_entries(&self) -> Vec<ResumeEntry> {
        let plain = self.list.iter().filter(|open| !open.legacy);
        plain.filter_map(|open| open.answer.clone()).collect()
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
