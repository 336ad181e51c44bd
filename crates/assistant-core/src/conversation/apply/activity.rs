//! Activities: structured displays of what the agent does.

use serde_json::Value;

use super::{Applied, Change, Conversation, patch};
use crate::{
    conversation::{DataPart, Part},
    event::{Base, Object, Role},
};

impl Conversation {
    pub(super) fn show_activity(
        &mut self,
        id: &str,
        activity_type: String,
        content: Object,
        replace: bool,
        base: Base,
        out: &mut Applied<'_>,
    ) {
        let found = self.find_message(id);
        if found.is_some() && !replace {
            return;
        }
        let ix = found.unwrap_or_else(|| self.add_message(id, Role::Activity, None, &base, out));
        let part = DataPart {
            data_type: activity_type,
            data: Value::Object(content),
        };
        let Some(node) = self.node_mut(ix) else {
            return;
        };
        if node.message.role != Role::Activity {
            node.message.role = Role::Activity;
            node.message.name = None;
        }
        node.message
            .subagent_run_id
            .clone_from(&base.subagent_run_id);
        node.message.parts = vec![Part::Data(part)];
        out.changes.push(Change::Message(node.message.id.clone()));
        self.note_message_metadata(ix, base);
    }

    pub(super) fn patch_activity(
        &mut self,
        id: &str,
        activity_type: String,
        delta: &[Value],
        base: Base,
        out: &mut Applied<'_>,
    ) {
        let Some(ix) = self.find_message(id) else {
            return;
        };
        let node = self.node_mut(ix);
        let Some(Part::Data(part)) = node.and_then(|node| node.message.parts.first_mut()) else {
            return out.warn(
                "not-an-activity",
                format!("'{id}' is no activity: delta ignored"),
            );
        };
        if let Err(error) = patch::apply(&mut part.data, delta) {
            return out.warn(
                "activity-patch",
                format!("Failed to apply activity patch: {error}"),
            );
        }
        part.data_type = activity_type;
        if let Some(node) = self.node(ix) {
            out.changes.push(Change::Message(node.message.id.clone()));
        }
        self.note_message_metadata(ix, base);
    }
}
