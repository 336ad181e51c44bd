//! Determines the answers that an interrupt accepts, and validates them.
//!
//! The module `answer_format` defines the format of an answer, and the module `action_list` handles
//! the decisions about several actions.

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
    /// Returns true if a single approval or denial answers the interrupt. A list of several actions
    /// needs a decision for each of [`Self::actions`].
    #[must_use]
    pub fn takes_approval(&self) -> bool {
        match self.format {
            AnswerFormat::Approval | AnswerFormat::Boolean | AnswerFormat::BooleanOrOther => true,
            AnswerFormat::Decisions => self.actions.single_action().is_some(),
            AnswerFormat::Anything => false,
        }
    }

    /// Returns true if the answer may be a boolean.
    #[must_use]
    pub const fn takes_boolean(&self) -> bool {
        matches!(
            self.format,
            AnswerFormat::Boolean | AnswerFormat::BooleanOrOther
        )
    }

    /// Returns true if the answer may be a boolean or another value.
    #[must_use]
    pub fn takes_more_than_boolean(&self) -> bool {
        self.format == AnswerFormat::BooleanOrOther
    }

    /// Returns the actions that the interrupt lists, in the agent's order.
    #[must_use]
    pub fn actions(&self) -> &[RequestedAction] {
        self.actions.as_slice()
    }

    /// Returns true if the answer must contain a decision for each of the listed actions.
    #[must_use]
    pub fn takes_decisions(&self) -> bool {
        self.format == AnswerFormat::Decisions
    }

    /// Returns true if the card of a call shows everything that the interrupt asks, and the
    /// interrupt can be answered on the card.
    pub(super) fn can_be_answered_on_card(&self, call: &ToolCall) -> bool {
        let single_action = self.actions.single_action();
        // A list of several actions is not fully shown, since a card shows only one action.
        let is_fully_shown = match single_action {
            Some(action) => action.is_fully_shown_by(call),
            None => self.actions().is_empty(),
        };
        is_fully_shown
            && match self.format {
                AnswerFormat::Approval | AnswerFormat::Boolean => true,
                AnswerFormat::Decisions => {
                    single_action.is_some_and(RequestedAction::is_decidable_on_card)
                }
                AnswerFormat::BooleanOrOther | AnswerFormat::Anything => false,
            }
    }

    /// Builds the answer from a decision for each of the listed actions, in order.
    ///
    /// # Errors
    ///
    /// Fails if the interrupt takes no decisions, or if a decision is missing, superfluous, of a
    /// kind that the agent does not accept, or does not fit the schema of the arguments or of the
    /// answer.
    pub fn answer_with(&self, decisions: &[ActionDecision]) -> Result<Value, Refusal> {
        if !self.takes_decisions() {
            return Err(Refusal::NothingToDo);
        }
        self.validate_against_schema(self.actions.build_answer(decisions)?)
    }

    /// Returns a validated answer in the form that is sent.
    ///
    /// # Errors
    ///
    /// Fails if the interrupt does not accept the answer.
    pub(super) fn validate_answer(&self, answer: Value) -> Result<Value, Refusal> {
        match self.format {
            AnswerFormat::Decisions => {
                self.validate_against_schema(self.actions.validate_answer(&answer)?)
            }
            _ => self.validate_against_schema(answer),
        }
    }

    fn validate_against_schema(&self, answer: Value) -> Result<Value, Refusal> {
        match self.violations(&answer) {
            violations if violations.is_empty() => Ok(answer),
            violations => Err(Refusal::InvalidEdit(violations)),
        }
    }

    /// Returns the answer that denies the interrupt and all its actions; `None` if the interrupt
    /// does not accept a denial.
    pub(super) fn denial_answer(&self) -> Option<Value> {
        match self.format {
            AnswerFormat::Decisions => {
                let reject = |_: &RequestedAction| ActionDecision::Reject { message: None };
                let rejections: Vec<_> = self.actions().iter().map(reject).collect();
                self.answer_with(&rejections).ok()
            }
            AnswerFormat::Anything => None,
            _ => self
                .answer_to(&Verdict::Deny { reason: None })
                .ok()
                .flatten(),
        }
    }

    /// Returns the violations of the interrupt's schema in an answer; the result is empty if the
    /// interrupt has no schema.
    pub(super) fn violations(&self, answer: &Value) -> Vec<schema::Violation> {
        let Some(schema) = &self.interrupt.response_schema else {
            return Vec::new();
        };
        schema::validate(&Value::Object(schema.clone()), answer, &mut NoPatterns)
    }

    /// Returns true if an approval may contain edited arguments.
    #[must_use]
    pub fn takes_edits(&self) -> bool {
        match self.format {
            AnswerFormat::Boolean | AnswerFormat::BooleanOrOther | AnswerFormat::Anything => false,
            AnswerFormat::Decisions => {
                let single_action = self.actions.single_action();
                single_action.is_some_and(|action| action.allows(DecisionKind::Edit))
            }
            AnswerFormat::Approval => self.property_schema("editedArgs").is_some_and(|schema| {
                // A schema with fixed values is excluded, since it does not accept edited
                // arguments.
                let has_keyword = |key: &str| schema.get(key).is_some();
                *schema != Value::Bool(false) && !has_keyword("const") && !has_keyword("enum")
            }),
        }
    }

    /// Returns true if a denial may contain a reason.
    #[must_use]
    pub fn takes_reason(&self) -> bool {
        match self.format {
            AnswerFormat::Decisions => self.actions.single_action().is_some(),
            _ => self.property_schema("reason").is_some(),
        }
    }

    /// Returns the schema of a property of the answer.
    fn property_schema(&self, name: &str) -> Option<&Value> {
        let schema = self.interrupt.response_schema.as_ref()?;
        schema.get("properties")?.get(name)
    }

    /// Returns the answer for a verdict; `None` if the verdict is a denial that no valid answer can
    /// express, so that the interrupt is cancelled instead.
    ///
    /// # Errors
    ///
    /// Fails if the answer cannot contain the edited arguments, if the answer violates its schema,
    /// or if the interrupt lists several actions ([`Self::answer_with`]).
    pub fn answer_to(&self, verdict: &Verdict) -> Result<Option<Value>, Refusal> {
        match verdict {
            Verdict::Deny { reason } => {
                if self.takes_decisions() && self.actions.single_action().is_none() {
                    return self.build_payload(verdict).map(Some);
                }
                let verdicts = [reason.clone(), None].map(|reason| Verdict::Deny { reason });
                let mut denials = verdicts
                    .iter()
                    .filter_map(|denial| self.build_payload(denial).ok());
                Ok(denials.find(|denial| self.violations(denial).is_empty()))
            }
            Verdict::Approve { args: Some(_) } | Verdict::Remember { args: Some(_), .. }
                if !self.takes_edits() =>
            {
                Err(Refusal::NoEdits)
            }
            Verdict::Approve { .. } | Verdict::Remember { .. } => self
                .validate_against_schema(self.build_payload(verdict)?)
                .map(Some),
        }
    }

    /// Returns the answer for a verdict without validating it against the schema of the answer.
    fn build_payload(&self, verdict: &Verdict) -> Result<Value, Refusal> {
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
            // A verdict is a single decision, so a list with several actions is refused.
            AnswerFormat::Decisions => self.actions.build_answer(&[verdict.clone().into()])?,
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
