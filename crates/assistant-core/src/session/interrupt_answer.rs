//! The answers that an interrupt takes, and their check.
//!
//! Neighbours: `answer_format` has the form of an answer, `action_list` the decisions about several
//! actions.

use serde_json::{Value, json};

use super::{
    ActionDecision, DecisionKind, OpenInterrupt, Refusal, RequestedAction, Verdict,
    answer_format::AnswerFormat,
};
use crate::{
    action::schema::{self, NoPatterns},
    conversation::ToolCall,
};

impl OpenInterrupt {
    /// Returns whether one approval or denial answers it, whatever else it takes. A list of several actions takes
    /// none: see [`Self::actions`].
    #[must_use]
    pub fn takes_approval(&self) -> bool {
        match self.format {
            AnswerFormat::Approval | AnswerFormat::Boolean | AnswerFormat::BooleanOrOther => true,
            AnswerFormat::Decisions => self.actions.only().is_some(),
            AnswerFormat::Anything => false,
        }
    }

    /// Returns whether it takes a plain yes or no.
    #[must_use]
    pub const fn takes_boolean(&self) -> bool {
        matches!(
            self.format,
            AnswerFormat::Boolean | AnswerFormat::BooleanOrOther
        )
    }

    /// Returns whether it takes a plain yes or no, and other values too.
    #[must_use]
    pub fn takes_more_than_boolean(&self) -> bool {
        self.format == AnswerFormat::BooleanOrOther
    }

    /// Returns the actions that it lists, in the agent's order.
    #[must_use]
    pub fn actions(&self) -> &[RequestedAction] {
        self.actions.as_slice()
    }

    /// Returns whether it is answered by a decision for each of its actions.
    #[must_use]
    pub fn takes_decisions(&self) -> bool {
        self.format == AnswerFormat::Decisions
    }

    /// Returns whether the card of a call shows all that it asks, and takes its answer.
    pub(super) fn takes_card(&self, call: &ToolCall) -> bool {
        let only = self.actions.only();
        // What the list has beside the call would not be shown.
        let is_call = match only {
            Some(action) => action.is_call(call),
            None => self.actions().is_empty(),
        };
        is_call
            && match self.format {
                AnswerFormat::Approval | AnswerFormat::Boolean => true,
                AnswerFormat::Decisions => only.is_some_and(RequestedAction::fits_card),
                AnswerFormat::BooleanOrOther | AnswerFormat::Anything => false,
            }
    }

    /// Returns the answer that has a decision for each of its actions, in their order.
    ///
    /// # Errors
    ///
    /// When a decision is missing or one too many, of a kind that the agent does not take, or does not fit the schema of
    /// the arguments or of the answer.
    pub fn answer_with(&self, decisions: &[ActionDecision]) -> Result<Value, Refusal> {
        if !self.takes_decisions() {
            return Err(Refusal::NothingToDo);
        }
        self.valid(self.actions.answer(decisions)?)
    }

    /// Returns an answer as it is sent.
    ///
    /// # Errors
    ///
    /// When it is not one to what is asked.
    pub(super) fn checked(&self, answer: Value) -> Result<Value, Refusal> {
        match self.format {
            AnswerFormat::Decisions => self.valid(self.actions.checked(&answer)?),
            _ => self.valid(answer),
        }
    }

    fn valid(&self, answer: Value) -> Result<Value, Refusal> {
        match self.violations(&answer) {
            wrong if wrong.is_empty() => Ok(answer),
            wrong => Err(Refusal::InvalidEdit(wrong)),
        }
    }

    /// The answer that denies all that it asks about, where it takes one.
    pub(super) fn denial(&self) -> Option<Value> {
        match self.format {
            AnswerFormat::Decisions => {
                let reject = |_: &RequestedAction| ActionDecision::Reject { message: None };
                let each: Vec<_> = self.actions().iter().map(reject).collect();
                self.answer_with(&each).ok()
            }
            AnswerFormat::Anything => None,
            _ => self
                .answer_to(&Verdict::Deny { reason: None })
                .ok()
                .flatten(),
        }
    }

    /// Returns the violations of an answer.
    pub(super) fn violations(&self, answer: &Value) -> Vec<schema::Violation> {
        let Some(schema) = &self.interrupt.response_schema else {
            return Vec::new();
        };
        schema::validate(&Value::Object(schema.clone()), answer, &mut NoPatterns)
    }

    /// Returns whether an approval can carry other arguments than those of the call.
    #[must_use]
    pub fn takes_edits(&self) -> bool {
        match self.format {
            AnswerFormat::Boolean | AnswerFormat::BooleanOrOther | AnswerFormat::Anything => false,
            AnswerFormat::Decisions => {
                let only = self.actions.only();
                only.is_some_and(|action| action.allows(DecisionKind::Edit))
            }
            AnswerFormat::Approval => self.property("editedArgs").is_some_and(|schema| {
                // What allows one value takes no other.
                let fixed = |key: &str| schema.get(key).is_some();
                *schema != Value::Bool(false) && !fixed("const") && !fixed("enum")
            }),
        }
    }

    /// Returns whether a denial can carry a reason.
    #[must_use]
    pub fn takes_reason(&self) -> bool {
        match self.format {
            AnswerFormat::Decisions => self.actions.only().is_some(),
            _ => self.property("reason").is_some(),
        }
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
    /// When the answer cannot carry the changed arguments, or does not fit its schema; when several actions are asked
    /// about ([`Self::answer_with`]).
    pub fn answer_to(&self, verdict: &Verdict) -> Result<Option<Value>, Refusal> {
        match verdict {
            Verdict::Deny { reason } => {
                if self.takes_decisions() && self.actions.only().is_none() {
                    return self.payload(verdict).map(Some);
                }
                let with = [reason.clone(), None].map(|reason| Verdict::Deny { reason });
                let mut denials = with.iter().filter_map(|denial| self.payload(denial).ok());
                Ok(denials.find(|denial| self.violations(denial).is_empty()))
            }
            Verdict::Approve { args: Some(_) } | Verdict::Remember { args: Some(_), .. }
                if !self.takes_edits() =>
            {
                Err(Refusal::NoEdits)
            }
            Verdict::Approve { .. } | Verdict::Remember { .. } => {
                self.valid(self.payload(verdict)?).map(Some)
            }
        }
    }

    /// The words of an answer, whether its schema takes them or not.
    fn payload(&self, verdict: &Verdict) -> Result<Value, Refusal> {
        let (approved, extra) = match verdict {
            Verdict::Approve { args } | Verdict::Remember { args, .. } => {
                (true, args.clone().map(|args| ("editedArgs", args)))
            }
            Verdict::Deny { reason } => {
                let reason = reason.clone().map(Value::from);
                (false, reason.map(|reason| ("reason", reason)))
            }
        };
        Ok(match self.format {
            AnswerFormat::Boolean | AnswerFormat::BooleanOrOther => approved.into(),
            // One verdict is one decision: it answers no longer list.
            AnswerFormat::Decisions => self.actions.answer(&[verdict.clone().into()])?,
            AnswerFormat::Approval | AnswerFormat::Anything => {
                let mut payload = json!({"approved": approved});
                if let (Some((key, value)), Value::Object(payload)) = (extra, &mut payload) {
                    payload.insert(key.to_owned(), value);
                }
                payload
            }
        })
    }
}

impl From<Verdict> for ActionDecision {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Approve { args: None } | Verdict::Remember { args: None, .. } => Self::Approve,
            Verdict::Approve { args: Some(args) }
            | Verdict::Remember {
                args: Some(args), ..
            } => Self::Edit { args },
            Verdict::Deny { reason } => Self::Reject { message: reason },
        }
    }
}
