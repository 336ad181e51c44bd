//! Checks that a run does not change other branches.

use std::collections::{BTreeMap, BTreeSet};

use assistant_core::conversation::{Message, MessageId};
use serde_json::{Value, json};

use super::person::Scene;

/// The messages that the next request of each branch would contain, by the id of the branch's last
/// message.
pub(crate) type Branches = BTreeMap<String, Vec<Value>>;

impl Scene {
    /// Returns the messages of the branches other than the run branch, as requests would contain
    /// them.
    pub(crate) fn other_branches(&self) -> Branches {
        let conversation = self.session.conversation();
        let here: BTreeSet<&str> = conversation
            .run_path()
            .map(|message| message.id().as_str())
            .collect();
        let ends = conversation
            .all_messages()
            .filter(|message| !here.contains(message.id().as_str()))
            .filter(|message| conversation.children(Some(message.id())).is_empty());
        let of = |end: &Message| {
            (
                end.id().as_str().to_owned(),
                self.request_messages(end.id()),
            )
        };
        ends.map(of).collect()
    }

    fn request_messages(&self, end: &MessageId) -> Vec<Value> {
        let conversation = self.session.conversation();
        let path = conversation.path_to(end).unwrap_or_default();
        let path = path.into_iter().filter_map(|id| conversation.message(id));
        let sent = path.map(|message| {
            let calls = conversation.calls_in(message).map(|call| {
                let result = call.result();
                let result =
                    result.map(|result| (result.message_id(), result.content().display_text()));
                json!([call.id(), call.name(), call.args_text(), result])
            });
            json!([
                format!("{:?}", message.role()),
                message.text(),
                calls.collect::<Vec<_>>()
            ])
        });
        sent.collect()
    }

    /// Checks that an event did not change other branches than that of its run: each has the same
    /// messages, and every call once, with the same name, arguments and result. This includes
    /// messages that branches share with the run.
    pub(crate) fn check_branches(&self, before: &Branches, event: &Value) {
        for (end, sent) in before {
            let now = self.request_messages(&MessageId::from(end.as_str()));
            assert_eq!(*sent, now, "changed by {event} elsewhere");
        }
    }
}
