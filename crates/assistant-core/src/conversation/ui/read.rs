//! Converts a list of `UIMessage`s to a conversation.

use serde_json::Value;

use super::{WIRE_ID, edit_ui_fields, part, tool};
use crate::{
    conversation::{
        Author, Conversation, FormatError, Message, Part, ToolCall,
        format_error::DUPLICATE_ID,
        json_fields::{expect_object, take_required_text},
    },
    event::{Object, Role},
};

impl Conversation {
    /// Creates a conversation from messages in the form of the AI SDK.
    ///
    /// A call without a result counts as cancelled, because it is unknown whether the call was run.
    ///
    /// # Errors
    ///
    /// Fails if an entry is not a message, or if two messages have the same id.
    pub fn from_ui_messages(list: Vec<Value>) -> Result<Self, FormatError> {
        Self::new().load_ui_messages(list)
    }

    /// Adds messages to this empty conversation, as described for [`Self::from_ui_messages`].
    pub(in crate::conversation) fn load_ui_messages(
        mut self,
        list: Vec<Value>,
    ) -> Result<Self, FormatError> {
        for entry in list {
            self.add_ui_message(entry)?;
        }
        self.close_unanswered_calls();
        self.forget_changes();
        Ok(self)
    }

    /// Adds a `UIMessage` below the tip. An answer becomes one message for each step. Calls without
    /// a result stay open.
    pub(crate) fn add_ui_message(&mut self, value: Value) -> Result<(), FormatError> {
        let mut object = expect_object(value, "message")?;
        let id = take_required_text(&mut object, "id", "message")?;
        let role = take_required_text(&mut object, "role", "message")?;
        let role = match role.as_str() {
            "user" => Role::User,
            "system" => Role::System,
            "assistant" => Role::Assistant,
            _ => return Err(FormatError::new("a message has an unknown 'role'")),
        };
        let Some(Value::Array(parts)) = object.shift_remove("parts") else {
            return Err(FormatError::new("a message has no list 'parts'"));
        };
        if self.find_message(&id).is_some() {
            return Err(FormatError::new(DUPLICATE_ID));
        }
        let metadata = object
            .shift_remove("metadata")
            .filter(|value| !value.is_null());
        let mut steps = self.split_into_messages(&id, role, parts, object);
        if let (Some(first), Some(metadata)) = (steps.first_mut(), metadata) {
            match metadata {
                Value::Object(metadata) => first.metadata = Some(metadata),
                value => {
                    edit_ui_fields(&mut first.extra, |notes| {
                        notes.insert("metadata".to_owned(), value);
                    });
                }
            }
        }
        for step in steps {
            self.append(step);
        }
        Ok(())
    }

    /// Adds a call, and returns the message part that refers to it. If another call in the
    /// conversation has the same id, the new call gets a different id.
    fn add_ui_call(&mut self, mut call: ToolCall) -> Part {
        let is_used = |id: &str| self.calls.calls_with_wire_id(id).next().is_some();
        if is_used(&call.id) {
            let mut candidates = (2..).map(|n| format!("{}~{n}", call.id));
            let unused_id = candidates.find(|id| !is_used(id));
            let wire_id = std::mem::replace(&mut call.id, unused_id.unwrap_or_default());
            edit_ui_fields(&mut call.extra, |notes| {
                notes.insert(WIRE_ID.to_owned(), wire_id.into());
            });
        }
        Part::Call(self.calls.add(call, self.runs.current))
    }

    /// Splits a `UIMessage` into messages. An answer becomes one message for each step.
    fn split_into_messages(
        &mut self,
        id: &str,
        role: Role,
        parts: Vec<Value>,
        extra: Object,
    ) -> Vec<Message> {
        let create_message = |count: usize, step: bool| {
            let message_id = match count {
                0 => id.to_owned(),
                count => format!("{id}:{}", count + 1),
            };
            let mut message = Message::new(message_id, role, 0);
            message.author = Author::unnamed(role);
            if role == Role::Assistant {
                edit_ui_fields(&mut message.extra, |notes| {
                    notes.insert("id".to_owned(), id.into());
                    notes.insert("step".to_owned(), step.into());
                });
            }
            message.listed = role == Role::User;
            message
        };
        let mut list: Vec<Message> = Vec::new();
        for value in parts {
            let is_step = value.get("type") == Some(&"step-start".into());
            if is_step && role == Role::Assistant {
                list.push(create_message(list.len(), true));
                continue;
            }
            if list.is_empty() {
                list.push(create_message(0, false));
            }
            let part = match tool::call_from_ui(&value, 0) {
                Some(call) => self.add_ui_call(call),
                None => part::part_from_ui(value),
            };
            if let Some(message) = list.last_mut() {
                message.parts.push(part);
            }
        }
        if list.is_empty() {
            list.push(create_message(0, false));
        }
        if let Some(first) = list.first_mut() {
            first.extra.extend(extra);
        }
        list
    }
}
