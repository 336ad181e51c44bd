//! Determines the kinds of messages that a snapshot covers. A snapshot may omit reasoning and
//! activities without removing them.
//!
//! The module `merge` applies the snapshot.

use serde_json::Value;

use crate::{
    conversation::{self, Part},
    event::{Message, Object, Role},
};

/// The coverage of activities and reasoning by a snapshot.
#[derive(Debug)]
pub(super) struct SnapshotCoverage {
    /// The types of the covered activities, or `None` if all activities are covered.
    activity_types: Option<Vec<String>>,
    reasoning: bool,
}

impl SnapshotCoverage {
    /// Returns the coverage of a snapshot. A snapshot covers reasoning if the snapshot contains
    /// reasoning. Its metadata can list the covered activity types, by convention of the reference
    /// client: `null` covers all types, and an invalid list or invalid metadata covers no types.
    /// Without a list, a snapshot that contains activities covers all activities, and any other
    /// snapshot covers none.
    pub(super) fn from_snapshot(messages: &[Message], metadata: Option<&Object>) -> Self {
        let has_role = |role| messages.iter().any(|message| message.role() == role);
        let default_types = (!has_role(Role::Activity)).then(Vec::new);
        let client_metadata = metadata.and_then(|metadata| metadata.get("@ag-ui/client"));
        let activity_types = match client_metadata {
            None => default_types,
            Some(Value::Object(fields)) => match fields.get("authoritativeActivityTypes") {
                None => default_types,
                Some(Value::Null) => None,
                Some(types) => Some(parse_string_list(types).unwrap_or_default()),
            },
            Some(_) => Some(Vec::new()),
        };
        Self {
            activity_types,
            reasoning: has_role(Role::Reasoning),
        }
    }

    /// Returns true if a message that the snapshot omits is kept, because the message is reasoning
    /// or an activity that the snapshot does not cover.
    pub(super) fn should_keep(&self, message: &conversation::Message) -> bool {
        match message.role {
            Role::Reasoning => !self.reasoning,
            Role::Activity => self.activity_types.as_ref().is_some_and(|types| {
                let is_covered =
                    |part: &Part| matches!(part, Part::Data(data) if types.contains(&data.data_type));
                !message.parts.iter().any(is_covered)
            }),
            _ => false,
        }
    }
}

/// Returns the strings of a list, or `None` if the value is not a list of strings.
fn parse_string_list(value: &Value) -> Option<Vec<String>> {
    let to_text = |value: &Value| value.as_str().map(str::to_owned);
    value.as_array()?.iter().map(to_text).collect()
}
