//! Encodes the conversation in the format of the AI SDK: as the history in a request, and as
//! `UIMessage`s.
//!
//! A `UIMessage` contains a whole answer with all its steps. Each step is a separate message in the
//! conversation. `part` and `tool` encode single parts; `tail` encodes the state that the reader of
//! a continued answer needs.

mod part;
mod tail;
mod tool;

use serde_json::{Value, json};

use assistant_core::{
    conversation::{Conversation, Message, Origin, Part, ToolCall, ui_notes::NOTES},
    event::{Object, Role},
};

pub use tail::ui_history;

/// The messages of the conversation that form one `UIMessage`.
struct MessageGroup<'a> {
    id: &'a str,
    role: Role,
    messages: Vec<&'a Message>,
}

/// Returns the messages of the run's path in the format of the AI SDK. Each answer contains all its
/// steps. Tool messages, activities and messages that the conversation omits from requests are not
/// included.
///
/// ```
/// use assistant_core::conversation::Conversation;
/// use assistant_protocols::ui_stream::ui_messages;
/// use serde_json::json;
///
/// let message = json!({"id": "m", "role": "user", "parts": [{"type": "text", "text": "Hi"}]});
/// let conversation = Conversation::from_ui_messages(vec![message.clone()]).unwrap();
/// assert_eq!(ui_messages(&conversation), [message]);
/// ```
#[must_use]
pub fn ui_messages(conversation: &Conversation) -> Vec<Value> {
    let groups = group_messages(conversation);
    let encode = |group: &MessageGroup<'_>| group.to_value(false, conversation);
    groups.iter().map(encode).collect()
}

/// Returns the messages for a request like [`ui_messages`], but with system messages first and
/// without calls that ended without a result.
fn request_messages(conversation: &Conversation) -> Vec<Value> {
    let mut groups = group_messages(conversation);
    groups.sort_by_key(|group| group.role != Role::System);
    let encode = |group: &MessageGroup<'_>| group.to_value(true, conversation);
    groups.iter().map(encode).collect()
}

/// Groups the messages of the run's path that form one `UIMessage`.
fn group_messages(conversation: &Conversation) -> Vec<MessageGroup<'_>> {
    let mut groups: Vec<MessageGroup<'_>> = Vec::new();
    for message in conversation.run_path() {
        // Content that the agent added in the user's role belongs to the agent's answer, because
        // the format has no field for the author of a part.
        let is_answer = matches!(message.author_role(), Role::Assistant | Role::Reasoning);
        if conversation.omits(message) {
            continue;
        }
        if !is_answer && !matches!(message.role(), Role::User | Role::System | Role::Developer) {
            continue;
        }
        let stored_id = stored_text(message.extra(), "id");
        if let Some(group) = groups.last_mut().filter(|_| is_answer)
            && group.role == Role::Assistant
            && stored_id.is_none_or(|id| id == group.id)
        {
            group.messages.push(message);
            continue;
        }
        groups.push(MessageGroup {
            id: stored_id.unwrap_or_else(|| message.wire_id()),
            role: if is_answer {
                Role::Assistant
            } else {
                message.role()
            },
            messages: vec![message],
        });
    }
    groups
}

impl MessageGroup<'_> {
    fn to_value(&self, request: bool, conversation: &Conversation) -> Value {
        let mut out = Object::new();
        put_text(&mut out, "id", self.id);
        let role = match self.role {
            Role::Developer => Role::System,
            role => role,
        };
        put_text(&mut out, "role", role.as_str());
        if let Some(metadata) = self.metadata() {
            out.insert("metadata".to_owned(), metadata);
        }
        let mut parts = Vec::new();
        let mut previous_message: Option<&Message> = None;
        for message in &self.messages {
            if self.role == Role::Assistant && is_step_start(message, previous_message) {
                parts.push(json!({"type": "step-start"}));
            }
            write_parts(message, request, conversation, &mut parts);
            previous_message = Some(message);
        }
        out.insert("parts".to_owned(), parts.into());
        Value::Object(out)
    }

    fn metadata(&self) -> Option<Value> {
        let first_message = self.messages.first()?;
        let metadata = stored_fields(first_message.extra()).and_then(|notes| notes.get("metadata"));
        metadata
            .cloned()
            .or_else(|| first_message.metadata().cloned().map(Value::Object))
    }
}

/// Returns true if a message begins a step. If the stored fields of the message contain an id,
/// their field `step` determines the result. If not, a message begins a step if it is the first
/// message of an answer or follows a message with calls.
fn is_step_start(message: &Message, previous_message: Option<&Message>) -> bool {
    if let Some(notes) = stored_fields(message.extra()).filter(|notes| notes.contains_key("id")) {
        return notes.get("step") == Some(&Value::Bool(true));
    }
    previous_message.is_none_or(Message::has_calls)
}

fn write_parts(
    message: &Message,
    request: bool,
    conversation: &Conversation,
    out: &mut Vec<Value>,
) {
    let is_continued = |call: &ToolCall| call.result().is_some() || !call.phase().is_final();
    let is_included = |call: &ToolCall| is_runnable(call) && (!request || is_continued(call));
    // The original text replaces the text parts, because it also contains the callouts between
    // them.
    let mut original_text = message.original_text();
    for entry in message.parts() {
        match entry {
            Part::Call(key) => {
                let call = conversation.call(key).filter(|call| is_included(call));
                out.extend(call.map(|call| tool::to_value(call, request)));
            }
            Part::Text(_) if message.original_text().is_some() => {
                out.extend(original_text.take().map(part::plain_text_to_value));
            }
            entry => out.extend(part::to_value(entry)),
        }
    }
    out.extend(original_text.take().map(part::plain_text_to_value));
}

/// Returns the AI SDK's fields in the `extra` object of a message or a call, if there are any.
fn stored_fields(extra: &Object) -> Option<&Object> {
    extra.get(NOTES)?.as_object()
}

fn stored_text<'a>(extra: &'a Object, key: &str) -> Option<&'a str> {
    stored_fields(extra)?.get(key)?.as_str()
}

fn has_stored_flag(extra: &Object, key: &str) -> bool {
    stored_fields(extra).and_then(|notes| notes.get(key)) == Some(&Value::Bool(true))
}

fn put_text(object: &mut Object, key: &str, text: &str) {
    object.insert(key.to_owned(), text.into());
}

/// Returns true unless the call was parsed from a callout in the text. Such a call is displayed but
/// never run.
fn is_runnable(call: &ToolCall) -> bool {
    call.origin() != Origin::Text
}
