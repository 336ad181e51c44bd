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
pub(super) struct Authority {
    activity: Activities,
    reasoning: bool,
}

/// The activities that a snapshot covers.
#[derive(Debug)]
enum Activities {
    All,
    Types(Vec<String>),
}

impl Authority {
    /// Returns the coverage of a snapshot. A snapshot with an activity covers all activities,
    /// unless its metadata lists the covered types, by convention of the reference client (`null`
    /// for all).
    pub(super) fn of(messages: &[Message], metadata: Option<&Object>) -> Self {
        let any = |role| messages.iter().any(|message| message.role() == role);
        let inferred = if any(Role::Activity) {
            Activities::All
        } else {
            Activities::Types(Vec::new())
        };
        let declared = metadata.and_then(|metadata| metadata.get("@ag-ui/client"));
        let activity = match declared {
            None => inferred,
            Some(Value::Object(declared)) => match declared.get("authoritativeActivityTypes") {
                None => inferred,
                Some(Value::Null) => Activities::All,
                Some(types) => Activities::Types(texts(types).unwrap_or_default()),
            },
            Some(_) => Activities::Types(Vec::new()),
        };
        Self {
            activity,
            reasoning: any(Role::Reasoning),
        }
    }

    /// Returns true if the snapshot does not cover messages of this kind, so that the message stays
    /// although the snapshot omits it.
    pub(super) fn spares(&self, message: &conversation::Message) -> bool {
        match message.role {
            Role::Reasoning => !self.reasoning,
            Role::Activity => match &self.activity {
                Activities::All => false,
                Activities::Types(types) => !message.parts.iter().any(
                    |part| matches!(part, Part::Data(data) if types.contains(&data.data_type)),
                ),
            },
            _ => false,
        }
    }
}

/// Returns the strings of a list; `None` if the list contains other values.
fn texts(value: &Value) -> Option<Vec<String>> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    value.as_array()?.iter().map(text).collect()
}
