//! Writes records of the changes in a session.

use std::collections::HashMap;

use crate::{
    conversation::{
        Amount, CallKey, Change, Conversation, Message, MessageId, Part, Status, ToolCall,
        update::{CallInfo, ContentBlock, ConvUpdate, ToolUpdate, Update},
    },
    event::Role,
    json::form,
    session::Session,
};

/// A writer of records. The host passes [`Output::changes`](crate::session::Output::changes) to
/// [`Self::record`] after each input of a session.
///
/// A message is recorded when it has content and its text is not streaming, and again when it
/// changes. A call is recorded when its arguments are complete, and again when its status changes.
#[derive(Debug, Clone, Default)]
pub struct Recorder {
    messages: HashMap<MessageId, ConvUpdate>,
    calls: HashMap<CallKey, Status>,
}

impl Recorder {
    /// Returns the records of `changes`. `now` is the time in milliseconds since 1970.
    pub fn record(&mut self, session: &Session, changes: &[Change], now: i64) -> Vec<Update> {
        let conversation = session.conversation();
        let mut updates = Vec::new();
        let mut changed_ids: Vec<&MessageId> = Vec::new();
        for change in changes {
            match change {
                Change::MessageAdded(id) | Change::Message(id) | Change::MessageMoved(id) => {
                    changed_ids.push(id);
                }
                Change::PartAdded { message, .. } | Change::PartGrew { message, .. } => {
                    changed_ids.push(message);
                }
                Change::Call(key) => {
                    changed_ids
                        .extend(conversation.message_of_call(key).map(|message| &message.id));
                }
                _ => {}
            }
        }
        let mut recorded_ids: Vec<&MessageId> = Vec::new();
        for id in changed_ids {
            if !recorded_ids.contains(&id) {
                recorded_ids.push(id);
                self.record_message(session, id, now, &mut updates);
            }
        }
        updates
    }

    fn record_message(
        &mut self,
        session: &Session,
        id: &MessageId,
        now: i64,
        updates: &mut Vec<Update>,
    ) {
        let conversation = session.conversation();
        let Some(message) = conversation.message(id) else {
            return;
        };
        if !matches!(message.role, Role::User | Role::Assistant | Role::System) {
            return;
        }
        let mut update = create_conv_update(conversation, message, session.thread_id());
        let is_ready = !message.is_streaming() && !message.parts.is_empty();
        let last_update = self.messages.get(id);
        let has_changed = last_update.is_none_or(|last_update| {
            // Only the ids and the parameters of calls are compared, since the statuses of calls
            // are recorded separately.
            let call_parameters = |update: &ConvUpdate| -> Vec<(String, String)> {
                let calls = update.tool_calls.iter();
                calls
                    .map(|call| (call.id.clone(), call.parameters.clone()))
                    .collect()
            };
            last_update.content_blocks != update.content_blocks
                || last_update.token_usage != update.token_usage
                || last_update.parent_id != update.parent_id
                || call_parameters(last_update) != call_parameters(&update)
        });
        if is_ready && has_changed {
            update.timestamp = now;
            self.messages.insert(id.clone(), update.clone());
            updates.push(Update::Conv(Box::new(update)));
        }
        let calls = session.conversation().calls_in(message);
        for call in calls.filter(|call| call.has_ended()) {
            let status = call.phase().status();
            let old_status = self.calls.insert(call.key(), status);
            if old_status != Some(status) {
                let update = create_tool_update(call, id, session.thread_id());
                updates.push(Update::Tool(update));
            }
        }
    }
}

fn create_conv_update(conversation: &Conversation, message: &Message, thread: &str) -> ConvUpdate {
    let create_block = |content: &str, kind: &str| ContentBlock {
        content: content.to_owned(),
        content_type: kind.to_owned(),
    };
    let blocks = message.parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(create_block(&text.text, "text")),
        Part::Reasoning(text) => Some(create_block(&text.text, "reasoning")),
        _ => None,
    });
    let files = message.parts.iter().filter_map(|part| match part {
        Part::File(file) => Some(form::content_part_to_value(file)),
        _ => None,
    });
    let calls = conversation.calls_in(message).map(|call| CallInfo {
        id: call.id.clone(),
        tool_name: call.name.clone(),
        status: call.phase().status(),
        parameters: call.args_text().to_owned(),
    });
    // Parents with other roles, such as reasoning, are skipped, since they have no records.
    let mut parent = conversation.parent(&message.id);
    while let Some(id) = parent {
        let role = conversation.message(id).map(|message| message.role);
        if matches!(
            role,
            Some(Role::User | Role::Assistant | Role::System) | None
        ) {
            break;
        }
        parent = conversation.parent(id);
    }
    ConvUpdate {
        conv_id: thread.to_owned(),
        message_id: message.id.as_str().to_owned(),
        parent_id: parent.map(|id| id.as_str().to_owned()),
        content_blocks: Some(blocks.collect()),
        timestamp: message.created_at,
        source: message.role.as_str().to_owned(),
        token_usage: message.cost.total_usage(),
        cost: message.cost.price_micros.map(Amount::from_micros),
        attachments: Some(files.collect()),
        duration_ms: message.cost.duration_ms,
        tool_calls: calls.collect(),
    }
}

fn create_tool_update(call: &ToolCall, message: &MessageId, thread: &str) -> ToolUpdate {
    let error_text = call.error().map(|error| error.message.clone());
    let result = call.result().map(|result| result.content.display_text());
    ToolUpdate {
        conv_id: thread.to_owned(),
        message_id: message.as_str().to_owned(),
        tool_call_id: call.id.clone(),
        tool_name: call.name.clone(),
        status: call.phase().status(),
        result: error_text.or(result),
    }
}
