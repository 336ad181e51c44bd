//! Parses lists of actions that an agent submits to the user for decisions, and builds answers with
//! one decision for each action, as in `LangChain`'s human-in-the-loop middleware (rule "one
//! decision for each action").
//!
//! The module `answer_format` determines whether the answer to an interrupt consists of decisions.

use serde_json::{Map, Value, json};

use super::{
    Refusal,
    action_keys::{self, ActionListKeys},
};
use crate::{
    action::schema::{self, NoPatterns},
    conversation::ToolCall,
    event::Object,
};

/// A kind of decision that an agent accepts about an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DecisionKind {
    /// The action runs unchanged.
    Approve,
    /// The action runs with edited arguments.
    Edit,
    /// The action does not run.
    Reject,
    /// The action does not run; a message from the user is its result.
    Respond,
}

/// A decision of the user about one action of a list.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ActionDecision {
    /// The action runs unchanged.
    Approve,
    /// The action runs with edited arguments.
    Edit {
        /// The edited arguments, as a JSON object.
        args: Value,
    },
    /// The action does not run.
    Reject {
        /// The reason for the rejection, as sent to the agent.
        message: Option<String>,
    },
    /// The action does not run; its result is a message from the user.
    Respond {
        /// The message that the agent uses as the action's result.
        message: String,
    },
}

/// An action about which an agent requests a decision.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestedAction {
    keys: &'static ActionListKeys,
    request: Value,
    allowed: Vec<DecisionKind>,
    args_schema: Option<Value>,
}

/// The actions about which an agent requests decisions, in the agent's order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ActionList(Vec<RequestedAction>);

impl DecisionKind {
    /// The kinds of decision that every version of the middleware accepts.
    const COMMON_KINDS: [Self; 3] = [Self::Approve, Self::Edit, Self::Reject];

    fn from_name(name: &Value) -> Option<Self> {
        Some(match name.as_str()? {
            "approve" => Self::Approve,
            "edit" => Self::Edit,
            "reject" => Self::Reject,
            "respond" => Self::Respond,
            _ => return None,
        })
    }
}

impl ActionDecision {
    /// Returns the kind of the decision.
    #[must_use]
    pub const fn kind(&self) -> DecisionKind {
        match self {
            Self::Approve => DecisionKind::Approve,
            Self::Edit { .. } => DecisionKind::Edit,
            Self::Reject { .. } => DecisionKind::Reject,
            Self::Respond { .. } => DecisionKind::Respond,
        }
    }

    /// Parses the decision about an action from an answer; `None` if the decision is malformed or
    /// names a different action.
    fn parse(value: &Value, action: &RequestedAction) -> Option<Self> {
        let message = value.get("message").and_then(Value::as_str);
        Some(match DecisionKind::from_name(value.get("type")?)? {
            DecisionKind::Approve => Self::Approve,
            DecisionKind::Edit => {
                let edited_action = value.get(action.keys.edited_action)?;
                // An edit must name this action, since only this action was shown to the user.
                edited_action
                    .get("name")?
                    .as_str()
                    .filter(|name| *name == action.name())?;
                let args = edited_action.get("args")?.clone();
                Self::Edit { args }
            }
            DecisionKind::Reject => Self::Reject {
                message: message.map(str::to_owned),
            },
            DecisionKind::Respond => Self::Respond {
                message: message?.to_owned(),
            },
        })
    }

    fn to_value(&self, action: &RequestedAction) -> Value {
        match self {
            Self::Approve => json!({"type": "approve"}),
            Self::Edit { args } => {
                let edited_key = action.keys.edited_action;
                json!({"type": "edit", edited_key: {"name": action.name(), "args": args}})
            }
            Self::Reject { message: None } => json!({"type": "reject"}),
            Self::Reject {
                message: Some(message),
            } => json!({"type": "reject", "message": message}),
            Self::Respond { message } => json!({"type": "respond", "message": message}),
        }
    }
}

impl RequestedAction {
    /// Returns the name of the tool; empty if the agent sends no name.
    #[must_use]
    pub fn name(&self) -> &str {
        let mut keys = ["name", "action"].into_iter();
        let name = keys.find_map(|key| self.request.get(key)?.as_str());
        name.unwrap_or_default()
    }

    /// Returns the arguments, if the agent sends any.
    #[must_use]
    pub fn args(&self) -> Option<&Value> {
        let mut keys = ["args", "arguments"].into_iter();
        keys.find_map(|key| self.request.get(key))
    }

    /// Returns the agent's description of the action, if the agent sends one.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.request.get("description")?.as_str()
    }

    /// Returns the agent's request for the action, unchanged.
    #[must_use]
    pub const fn request(&self) -> &Value {
        &self.request
    }

    /// Returns the JSON Schema for edited arguments, if the agent sends one.
    #[must_use]
    pub const fn args_schema(&self) -> Option<&Value> {
        self.args_schema.as_ref()
    }

    /// Returns true if the agent accepts this kind of decision about the action.
    #[must_use]
    pub fn allows(&self, kind: DecisionKind) -> bool {
        self.allowed.contains(&kind)
    }

    /// Returns true if the card of a call shows everything in the request.
    pub(super) fn is_fully_shown_by(&self, call: &ToolCall) -> bool {
        let shown_args = call.clean_args().or_else(|| call.args());
        let is_known = |key: &String| ["name", "args", "description"].contains(&key.as_str());
        let request = self.request.as_object();
        self.name() == call.name
            && shown_args.is_some_and(|shown_args| Some(shown_args) == self.args())
            && request.is_some_and(|request| request.keys().all(is_known))
    }

    /// Returns true if the card of a call offers every decision that the agent accepts: approval is
    /// accepted, and a response of the user is not.
    pub(super) fn is_decidable_on_card(&self) -> bool {
        self.allows(DecisionKind::Approve) && !self.allows(DecisionKind::Respond)
    }

    /// Checks a decision about this action, which is at `index` in its list. Refuses a kind of
    /// decision that the agent does not accept, and edited arguments that are not an object or
    /// violate the schema.
    fn validate_decision(&self, decision: &ActionDecision, index: usize) -> Result<(), Refusal> {
        if !self.allows(decision.kind()) {
            return Err(Refusal::DecisionNotAllowed { action: index + 1 });
        }
        if let ActionDecision::Edit { args } = decision {
            let object_schema = json!({"type": "object"});
            let schemas = [Some(&object_schema), self.args_schema.as_ref()];
            for schema in schemas.into_iter().flatten() {
                let violations = schema::validate(schema, args, &mut NoPatterns);
                if !violations.is_empty() {
                    return Err(Refusal::InvalidEdit(violations));
                }
            }
        }
        Ok(())
    }
}

impl ActionList {
    /// Parses the list from an interrupt's metadata. The result is empty if the metadata has no
    /// list.
    pub(super) fn from_metadata(metadata: Option<&Object>) -> Self {
        let Some((keys, requests, reviews)) = action_keys::find_action_list(metadata) else {
            return Self::default();
        };
        let to_action = |request| RequestedAction::new(keys, request, &reviews);
        Self(requests.into_iter().map(to_action).collect())
    }

    pub(super) fn as_slice(&self) -> &[RequestedAction] {
        &self.0
    }

    /// Returns the action of a list with exactly one action; `None` for other lists. A single
    /// verdict decides about such a list.
    pub(super) fn single_action(&self) -> Option<&RequestedAction> {
        match self.0.as_slice() {
            [action] => Some(action),
            _ => None,
        }
    }

    /// Builds the answer to the agent from one decision for each action, in order. Refuses a wrong
    /// number of decisions, and decisions that the agent does not accept.
    pub(super) fn build_answer(&self, decisions: &[ActionDecision]) -> Result<Value, Refusal> {
        if decisions.len() != self.0.len() {
            return Err(self.incomplete_refusal(decisions.len()));
        }
        let pairs = self.0.iter().zip(decisions);
        for (index, (action, decision)) in pairs.clone().enumerate() {
            action.validate_decision(decision, index)?;
        }
        let values: Vec<Value> = pairs
            .map(|(action, decision)| decision.to_value(action))
            .collect();
        Ok(json!({"decisions": values}))
    }

    /// Validates an answer of the application and rebuilds it from its decisions, without other
    /// fields. Refuses a wrong number of decisions, and decisions that the agent does not accept.
    pub(super) fn validate_answer(&self, answer: &Value) -> Result<Value, Refusal> {
        let values = answer.get("decisions").and_then(Value::as_array);
        let values = values.map(Vec::as_slice).unwrap_or_default();
        if values.len() != self.0.len() {
            return Err(self.incomplete_refusal(values.len()));
        }
        let pairs = self.0.iter().zip(values).enumerate();
        let decisions = pairs.map(|(index, (action, value))| {
            let decision = ActionDecision::parse(value, action);
            decision.ok_or(Refusal::DecisionNotAllowed { action: index + 1 })
        });
        self.build_answer(&decisions.collect::<Result<Vec<_>, _>>()?)
    }

    const fn incomplete_refusal(&self, decisions: usize) -> Refusal {
        let actions = self.0.len();
        Refusal::EachAction { actions, decisions }
    }

    /// Returns true if the list has actions, and a schema for answers accepts an answer with one
    /// decision for each action.
    pub(super) fn is_accepted_by_schema(&self, schema: &Object) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        if properties.is_some_and(|properties| !properties.contains_key("decisions")) {
            return false;
        }
        let decisions: Vec<Value> = self
            .0
            .iter()
            .map(RequestedAction::sample_decision)
            .collect();
        let answer = json!({"decisions": decisions});
        let schema = Value::Object(schema.clone());
        schema::validate(&schema, &answer, &mut NoPatterns).is_empty()
    }
}

impl RequestedAction {
    fn new(keys: &'static ActionListKeys, request: Value, reviews: &[Value]) -> Self {
        let mut action = Self {
            keys,
            request,
            allowed: DecisionKind::COMMON_KINDS.to_vec(),
            args_schema: None,
        };
        let name = action.name().to_owned();
        let is_for_action = |review: &&Value| {
            review.get(keys.action_name).and_then(Value::as_str) == Some(name.as_str())
        };
        let reviews: Vec<&Value> = reviews.iter().filter(is_for_action).collect();
        let allowed_lists = reviews.iter().filter_map(|review| {
            let list = review.get(keys.allowed_decisions)?.as_array()?.iter();
            Some(list.filter_map(DecisionKind::from_name).collect::<Vec<_>>())
        });
        // If several reviews name the action, only the kinds that all of these reviews allow are
        // kept.
        let allowed_kinds = allowed_lists.reduce(|mut common, list| {
            common.retain(|kind| list.contains(kind));
            common
        });
        if let Some(kinds) = allowed_kinds {
            action.allowed = kinds;
        }
        // An action without a name cannot be edited, since an edit contains the name of the action.
        action
            .allowed
            .retain(|kind| *kind != DecisionKind::Edit || !name.is_empty());
        let mut schemas = reviews
            .iter()
            .filter_map(|review| review.get(keys.args_schema));
        action.args_schema = schemas.find(|schema| schema.is_object()).cloned();
        action
    }

    /// Returns a sample decision of a kind that the agent accepts, for testing a schema.
    fn sample_decision(&self) -> Value {
        let decision = match self.allowed.first() {
            Some(DecisionKind::Edit) => ActionDecision::Edit {
                args: self.args().cloned().unwrap_or_else(|| Map::new().into()),
            },
            Some(DecisionKind::Reject) => ActionDecision::Reject { message: None },
            Some(DecisionKind::Respond) => ActionDecision::Respond {
                message: "text".to_owned(),
            },
            Some(DecisionKind::Approve) | None => ActionDecision::Approve,
        };
        decision.to_value(self)
    }
}
