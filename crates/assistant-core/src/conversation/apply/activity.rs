//! Applies events of activities. An activity is a structured display of the agent's work.

use serde_json::Value;

use super::{ApplyContext, Change, Conversation, patch};
use crate::{
    conversation::{DataPart, Message, Part, ToolCall},
    event::{Base, Object, Role},
};

impl Conversation {
    pub(super) fn apply_activity_snapshot(
        &mut self,
        id: &str,
        activity_type: String,
        content: Object,
        replace: bool,
        base: Base,
        out: &mut ApplyContext<'_>,
    ) {
        let size = patch::size_of_object(&content);
        if size > self.limits.activity_bytes {
            let limit = self.limits.activity_bytes;
            let message = format!("activity '{id}' refused: {size} bytes, the limit is {limit}");
            return out.warn("over-budget", message);
        }
        let message_ix = self.find_message(id);
        if let Some(ix) = message_ix
            && !replace
        {
            if self.role_of(ix) == Some(Role::Activity) {
                self.merge_message_metadata(ix, base);
            }
            return;
        }
        if message_ix.is_some_and(|ix| self.is_written_by_user(ix)) {
            return out.warn_about_user_message(id);
        }
        let holds_call = |ix| {
            self.node(ix)
                .is_some_and(|n| self.calls_in(&n.message).any(ToolCall::is_real))
        };
        let is_activity = message_ix.and_then(|ix| self.role_of(ix)) == Some(Role::Activity);
        if message_ix.is_some_and(holds_call)
            || (!is_activity && self.find_call_by_result(id).is_some())
        {
            // The activity is ignored, because an activity must not replace calls or their results.
            return out.warn(
                "activity-over-call",
                format!("'{id}' holds a call or a result: the activity is ignored"),
            );
        }
        let ix = match message_ix {
            Some(ix) => self.unshare(ix),
            None => self.add_message(id, Role::Activity, None, &base, out),
        };
        self.activity_sizes.insert(ix, size);
        self.edit_message(ix, |message| {
            if message.role != Role::Activity {
                // If the message had a different role, only its ids, its time and its place in the
                // tree are kept.
                let mut replacement =
                    Message::new(message.id.clone(), Role::Activity, message.created_at);
                replacement.wire_id = message.wire_id.take();
                *message = replacement;
            }
            message.subagent_run_id.clone_from(&base.subagent_run_id);
            message.parts = vec![Part::Data(DataPart {
                data_type: activity_type,
                data: Value::Object(content),
                extra: Object::new(),
            })];
        });
        self.merge_message_metadata(ix, base);
    }

    pub(super) fn apply_activity_delta(
        &mut self,
        id: &str,
        activity_type: String,
        delta: &[Value],
        base: Base,
        out: &mut ApplyContext<'_>,
    ) {
        let Some(ix) = self.find_message(id) else {
            return;
        };
        if self.role_of(ix) != Some(Role::Activity) {
            return out.warn(
                "not-an-activity",
                format!("'{id}' is no activity: delta ignored"),
            );
        }
        let ix = self.unshare(ix);
        self.merge_message_metadata(ix, base);
        let bounds = self.patch_bounds(self.limits.activity_bytes);
        let Some(node) = self.tree.item_mut(ix) else {
            return;
        };
        self.log.push(Change::Message(node.message.id.clone()));
        let Some(Part::Data(part)) = node.message.parts.first_mut() else {
            return;
        };
        let size = self.activity_sizes.entry(ix);
        let size = size.or_insert_with(|| patch::size_of(&part.data));
        match patch::apply_within(&mut part.data, delta, size, (true, bounds)) {
            Ok(()) => part.data_type = activity_type,
            Err(error) if error.exceeds_limit() => out.warn(
                "over-budget",
                format!("activity patch for '{id}' refused: {error}"),
            ),
            Err(error) => out.warn(
                "activity-patch",
                format!("Failed to apply activity patch for '{id}': {error}"),
            ),
        }
    }
}
