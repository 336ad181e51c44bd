//! Determines the format of an answer to an interrupt.
//!
//! The module `interrupts` contains the open interrupts, and the module `action_list` handles the
//! decisions about several actions.

use serde_json::{Value, json};

use super::action_list::ActionList;
use crate::{
    action::schema::{self, NoPatterns},
    event::{Interrupt, Object},
};

/// The format of an answer to an interrupt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerFormat {
    /// An object with the field `approved`.
    Approval,
    /// A boolean.
    Boolean,
    /// A boolean, or another value that the schema of the answer accepts.
    BooleanOrOther,
    /// A decision for each action of the interrupt's list.
    Decisions,
    /// Any value that the schema of the answer accepts, or any value at all if the interrupt has no
    /// schema.
    Anything,
}

impl AnswerFormat {
    pub(super) fn for_interrupt(interrupt: &Interrupt, actions: &ActionList) -> Self {
        let has_several_actions = actions.as_slice().len() > 1;
        if let Some(schema) = &interrupt.response_schema {
            if actions.is_accepted_by_schema(schema)
                && (has_several_actions || !has_property(schema, "approved"))
            {
                return Self::Decisions;
            }
            // Several actions require an answer in any other form, since a single approval cannot
            // decide about all of them.
            return match has_several_actions {
                true => Self::Anything,
                false => Self::from_schema(schema),
            };
        }
        if !actions.as_slice().is_empty() {
            return Self::Decisions;
        }
        let reason = interrupt.reason.to_ascii_lowercase();
        let words = ["confirm", "approv", "tool_call", "permission"];
        let is_confirmation = words.iter().any(|word| reason.contains(word));
        match is_confirmation || interrupt.tool_call_id.is_some() {
            true => Self::Approval,
            false => Self::Anything,
        }
    }

    fn from_schema(schema: &Object) -> Self {
        let schema_value = Value::Object(schema.clone());
        let accepts =
            |value: &Value| schema::validate(&schema_value, value, &mut NoPatterns).is_empty();
        if has_property(schema, "approved") && accepts(&json!({"approved": true})) {
            return Self::Approval;
        }
        let boolean = Value::from("boolean");
        let allows_boolean = |schema: &Value| match schema.get("type") {
            Some(Value::Array(types)) => types.contains(&boolean),
            kind => kind == Some(&boolean),
        };
        let has_boolean_choice = |key: &str| {
            let choices = schema.get(key).and_then(Value::as_array);
            choices.is_some_and(|choices| choices.iter().any(allows_boolean))
        };
        match accepts(&true.into()) {
            true if schema.get("type") == Some(&boolean) => Self::Boolean,
            true if allows_boolean(&schema_value)
                || has_boolean_choice("anyOf")
                || has_boolean_choice("oneOf") =>
            {
                Self::BooleanOrOther
            }
            _ => Self::Anything,
        }
    }
}

fn has_property(schema: &Object, name: &str) -> bool {
    let properties = schema.get("properties");
    properties.is_some_and(|properties| properties.get(name).is_some())
}
