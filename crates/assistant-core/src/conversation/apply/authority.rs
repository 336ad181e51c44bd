//! What a snapshot of messages speaks for: reasoning and activities that it leaves out may be none
//! of its business.
//!
//! Neighbour: `merge` takes the snapshot in.

use serde_json::Value;

use crate::{
    conversation::{self, Part},
    event::{Message, Object, Role},
};

/// Whether a snapshot speaks for the activities and the reasoning, too.
#[derive(Debug)]
pub(super) struct Authority {
    activity: Activities,
    reasoning: bool,
}

/// Which activities a snapshot speaks for.
#[derive(Debug)]
enum Activities {
    All,
    Types(Vec<String>),
}

impl Authority {
    /// One that holds an activity speaks for all of them, unless its metadata says for which: a
    /// convention of the reference client, `null` for all or a list of types.
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

    /// Whether a message that the snapshot leaves out is none of its business.
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

/// A list in which there is nothing but texts.
fn texts(value: &Value) -> Option<Vec<String>> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    value.as_array()?.iter().map(text).collect()
}
