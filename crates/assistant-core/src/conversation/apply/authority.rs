//! The kinds of messages that a snapshot covers. A snapshot may omit reasoning and activities
//! without removing them.
//!
//! `merge` applies the snapshot.

use serde_json::Value;

use crate::{
    conversation::{self, Part},
    event::{Message, Object, Role},
};

/// The coverage of a snapshot, for activities and reasoning.
#[derive(Debug)]
pub(super) struct SnapshotCoverage {
    activity: CoveredActivities,
    reasoning: bool,
}

/// The activities that a snapshot covers.
#[derive(Debug)]
enum CoveredActivities {
    All,
    Types(Vec<String>),
}

impl SnapshotCoverage {
    /// Returns the coverage of a snapshot. A snapshot with an activity covers all activities,
    /// unless its metadata lists the covered types, by convention of the reference client (`null`
    /// for all).
    pub(super) fn from_snapshot(messages: &[Message], metadata: Option<&Object>) -> Self {
        let any = |role| messages.iter().any(|message| message.role() == role);
        let inferred = if any(Role::Activity) {
            CoveredActivities::All
        } else {
            CoveredActivities::Types(Vec::new())
        };
        let declared = metadata.and_then(|metadata| metadata.get("@ag-ui/client"));
        let activity = match declared {
            None => inferred,
            Some(Value::Object(declared)) => match declared.get("authoritativeActivityTypes") {
                None => inferred,
                Some(Value::Null) => CoveredActivities::All,
                Some(types) => {
                    CoveredActivities::Types(parse_string_list(types).unwrap_or_default())
                }
            },
            Some(_) => CoveredActivities::Types(Vec::new()),
        };
        Self {
            activity,
            reasoning: any(Role::Reasoning),
        }
    }

    /// Returns true if the snapshot does not cover messages of this kind, so that the message stays
    /// although the snapshot omits it.
    pub(super) fn should_keep(&self, message: &conversation::Message) -> bool {
        match message.role {
            Role::Reasoning => !self.reasoning,
            Role::Activity => match &self.activity {
                CoveredActivities::All => false,
                CoveredActivities::Types(types) => !message.parts.iter().any(
                    |part| matches!(part, Part::Data(data) if types.contains(&data.data_type)),
                ),
            },
            _ => false,
        }
    }
}

/// Returns the strings of a list; `None` if the list contains other values.
fn parse_string_list(value: &Value) -> Option<Vec<String>> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    value.as_array()?.iter().map(text).collect()
}
