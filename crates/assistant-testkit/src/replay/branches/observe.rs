//! Reads the values of a conversation that a vector expects.

use serde_json::{Map, Value, json};

use super::script::BranchScript;
use assistant_core::{
    conversation::{Conversation, Message, MessageId, Phase},
    event::{MessageBody, Role},
};

impl BranchScript {
    /// Returns the observed value for a member of `expect`; null for an unknown member. If `wanted`
    /// is an object, its keys select the messages or calls.
    pub(super) fn observe_member(&self, member: &str, wanted: &Value) -> Value {
        let conversation = self.conversation();
        match member {
            "path" => self.to_names(conversation.path().map(|message| message.id())),
            "active_leaf" => self.to_optional_name(conversation.tip()),
            "roots" => self.to_names(conversation.children(None)),
            "count" => conversation.message_count().into(),
            "orphans" => self.observe_orphans(),
            "wire" => self.observe_next_request(),
            "total_cost" => self.sum_prices(conversation.all_messages()).into(),
            "path_of" => self.observe_each(wanted, |id| {
                let path = conversation.path_to(id).ok()?;
                Some(self.to_names(path))
            }),
            "siblings" => self.observe_each(wanted, |id| {
                conversation.message(id)?;
                Some(self.to_names(conversation.siblings(id)))
            }),
            "children" => self.observe_each(wanted, |id| {
                conversation.message(id)?;
                Some(self.to_names(conversation.children(Some(id))))
            }),
            "position" => self.observe_each(wanted, |id| {
                let siblings = conversation.siblings(id);
                let place = siblings.iter().position(|sibling| *sibling == id)?;
                Some(format!("{}/{}", place + 1, siblings.len()).into())
            }),
            "depth" => self.observe_each(wanted, |id| {
                let path = conversation.path_to(id).ok()?;
                Some((path.len() - 1).into())
            }),
            "text" => self.observe_each(wanted, |id| Some(conversation.message(id)?.text().into())),
            "role" => self.observe_each(wanted, |id| {
                Some(conversation.message(id)?.role().as_str().into())
            }),
            "cumulative_cost" => self.observe_each(wanted, |id| {
                let path = conversation.path_to(id).ok()?;
                let path = path.into_iter().filter_map(|id| conversation.message(id));
                Some(self.sum_prices(path).into())
            }),
            "call_status" => self.observe_statuses(wanted),
            _ => Value::Null,
        }
    }

    fn to_names<'a>(&self, ids: impl IntoIterator<Item = &'a MessageId>) -> Value {
        ids.into_iter().map(|id| self.name_of(id)).collect()
    }

    fn to_optional_name(&self, id: Option<&MessageId>) -> Value {
        id.map(|id| self.name_of(id)).into()
    }

    fn observe_each(&self, wanted: &Value, look: impl Fn(&MessageId) -> Option<Value>) -> Value {
        let ids = wanted.as_object().map(Map::keys).into_iter().flatten();
        let observed = ids.map(|id| (id.clone(), look(&self.message_id(id)).unwrap_or_default()));
        Value::Object(observed.collect())
    }

    fn observe_orphans(&self) -> Value {
        let conversation = self.conversation();
        let orphans = conversation.orphans().into_iter();
        let orphans = orphans.map(|id| {
            let missing = self.to_optional_name(conversation.missing_parent(id));
            json!({"id": self.name_of(id), "missing_parent": missing})
        });
        orphans.collect()
    }

    /// Returns the sum of the prices of the assistant's messages, in millionths.
    fn sum_prices<'a>(&self, messages: impl Iterator<Item = &'a Message>) -> u64 {
        let by_assistant = messages.filter(|message| message.role() == Role::Assistant);
        let ids: Vec<&MessageId> = by_assistant.map(|message| message.id()).collect();
        let cost = self.conversation().cost_of(ids);
        cost.price_micros().unwrap_or(0)
    }

    fn observe_statuses(&self, wanted: &Value) -> Value {
        let ids = wanted.as_object().map(Map::keys).into_iter().flatten();
        let status = |phase: Phase| match phase {
            Phase::Skipped | Phase::Cancelled => phase.as_str(),
            phase => phase.status().as_str(),
        };
        let statuses = ids.map(|id| {
            let call = self.find_call(id).map(|(_, phase)| status(phase));
            (id.clone(), call.into())
        });
        Value::Object(statuses.collect())
    }

    /// Returns the conversation with the shown branch as the run branch, as a message from the user
    /// would leave it. During a run, the next request belongs to the branch of that run.
    fn shown_conversation(&self) -> Conversation {
        let conversation = self.conversation();
        let mut stored = conversation.export();
        let run_tip = stored
            .as_object_mut()
            .and_then(|fields| fields.shift_remove("runTip"));
        let shown = run_tip.filter(|_| !self.has_open_run());
        let shown = shown.and_then(|_| Conversation::import(stored).ok());
        shown.unwrap_or_else(|| conversation.clone())
    }

    /// Returns the messages of the next request, as `role:name` or `tool:call`, without system and
    /// developer messages.
    fn observe_next_request(&self) -> Value {
        let list = self.shown_conversation().request_messages();
        let shown = list
            .iter()
            .filter(|message| !matches!(message.role(), Role::System | Role::Developer));
        let sketch = shown.map(|message| match &message.body {
            MessageBody::Tool { tool_call_id, .. } => format!("tool:{tool_call_id}"),
            _ => {
                let id = MessageId::from(message.id.as_str());
                format!("{}:{}", message.role().as_str(), self.name_of(&id))
            }
        });
        sketch.map(Value::from).collect()
    }
}
