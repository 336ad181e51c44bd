//! Converts the run's path to `UIMessage`s.

use serde_json::{Value, json};

use super::{noted, noted_text, part, tool};
use crate::{
    conversation::{Conversation, Message, Part, ToolCall, json_fields::put_text, state::State},
    event::{Object, Role},
};

/// The messages of the tree that form one `UIMessage`.
pub(super) struct Group<'a> {
    pub(super) id: &'a str,
    pub(super) role: Role,
    pub(super) messages: Vec<&'a Message>,
}

impl Conversation {
    /// Returns the messages of the run's path in the form of the AI SDK, each answer with all its
    /// steps.
    #[must_use]
    pub fn ui_messages(&self) -> Vec<Value> {
        self.write_groups(false)
    }

    /// Returns the messages for a request, like [`Self::ui_messages`], but with system messages
    /// first, and without calls that will never end.
    pub(super) fn ui_request(&self) -> Vec<Value> {
        self.write_groups(true)
    }

    fn write_groups(&self, request: bool) -> Vec<Value> {
        let mut groups = self.ui_groups();
        if request {
            let is_system = |group: &Group<'_>| group.role == Role::System;
            let (mut first, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(is_system);
            first.extend(others);
            groups = first;
        }
        let write = |group: &Group<'_>| group.to_value(request, self);
        groups.iter().map(write).collect()
    }

    /// Groups the messages of the run's path by `UIMessage`.
    pub(super) fn ui_groups(&self) -> Vec<Group<'_>> {
        let mut groups: Vec<Group<'_>> = Vec::new();
        for message in self.run_path() {
            // The format has no field for a speaker: content that the agent added is a part of its
            // answer.
            let is_answer = matches!(message.speaker(), Role::Assistant | Role::Reasoning);
            if self.holds_back(message) {
                continue;
            }
            if !is_answer && !matches!(message.role, Role::User | Role::System | Role::Developer) {
                continue;
            }
            let named = noted_text(&message.extra, "id");
            if let Some(group) = groups.last_mut().filter(|_| is_answer)
                && group.role == Role::Assistant
                && named.is_none_or(|id| id == group.id)
            {
                group.messages.push(message);
                continue;
            }
            groups.push(Group {
                id: named.unwrap_or_else(|| message.wire_id()),
                role: if is_answer {
                    Role::Assistant
                } else {
                    message.role
                },
                messages: vec![message],
            });
        }
        groups
    }
}

impl Group<'_> {
    fn to_value(&self, request: bool, conversation: &Conversation) -> Value {
        let mut out = Object::new();
        put_text(&mut out, "id", Some(self.id));
        let role = match self.role {
            Role::Developer => Role::System,
            role => role,
        };
        put_text(&mut out, "role", Some(role.as_str()));
        if let Some(metadata) = self.metadata() {
            out.insert("metadata".to_owned(), metadata);
        }
        let mut parts = Vec::new();
        let mut before: Option<&Message> = None;
        for message in &self.messages {
            if self.role == Role::Assistant && begins_step(message, before) {
                parts.push(json!({"type": "step-start"}));
            }
            write_parts(message, request, conversation, &mut parts);
            before = Some(message);
        }
        out.insert("parts".to_owned(), parts.into());
        Value::Object(out)
    }

    pub(super) fn metadata(&self) -> Option<Value> {
        let first = self.messages.first()?;
        let odd = noted(&first.extra).and_then(|notes| notes.get("metadata"));
        odd.cloned()
            .or_else(|| first.metadata.clone().map(Value::Object))
    }
}

/// Returns true if a message begins a step: according to the stored field `step` or, without it,
/// for the first message of an answer and for text after calls with results.
pub(super) fn begins_step(message: &Message, before: Option<&Message>) -> bool {
    if let Some(notes) = noted(&message.extra).filter(|notes| notes.contains_key("id")) {
        return notes.get("step") == Some(&Value::Bool(true));
    }
    before.is_none_or(Message::has_calls)
}

fn write_parts(
    message: &Message,
    request: bool,
    conversation: &Conversation,
    out: &mut Vec<Value>,
) {
    let is_continued =
        |call: &ToolCall| call.result().is_some() || !matches!(call.state, State::Ended(_));
    let keep = |call: &ToolCall| call.is_real() && (!request || is_continued(call));
    // The original text contains the callouts between the pieces.
    let mut written = message.markdown.as_deref();
    for entry in &message.parts {
        match entry {
            Part::Call(key) => {
                let call = conversation.call(key).filter(|call| keep(call));
                out.extend(call.map(|call| tool::to_value(call, request)));
            }
            Part::Text(_) if message.markdown.is_some() => {
                out.extend(written.take().map(part::plain_text));
            }
            entry => out.extend(part::to_value(entry)),
        }
    }
    out.extend(written.take().map(part::plain_text));
}
