//! Converts messages between the tree and the flat list that is exchanged with agents.
//!
//! The *received order* is the order in which messages arrived. The *request order* is the order in
//! which messages are sent: each tool result directly follows the message that contains its call
//! (rule "one conversation").

use serde_json::Value;

use super::{
    AgentUserMessages, CallApproval, CallKey, CallResult, Conversation, DataPart, Message, Part,
    TextPart, ToolCall, orphan::create_orphan_part, part::parts_from_content, provenance,
};
use crate::event::{self, Content, ContentPart, FunctionCall, MessageBody, Object, PartBody, Role};

impl Conversation {
    /// Sets the form in which requests contain messages that the agent added with the role `user`.
    pub(crate) fn with_agent_user_messages(mut self, form: AgentUserMessages) -> Self {
        self.agent_user_messages = form;
        self
    }

    /// Returns true if requests omit the message, because the agent added the message with the role
    /// `user` and the form is [`AgentUserMessages::Omitted`].
    #[must_use]
    pub fn omits(&self, message: &Message) -> bool {
        self.agent_user_messages == AgentUserMessages::Omitted && message.is_attributed_to_user()
    }

    /// Returns the messages of the run's path in the received order.
    #[must_use]
    pub fn received_messages(&self) -> Vec<event::Message> {
        let mut list: Vec<_> = self.tool_messages(&self.leading_results);
        for ix in self.tree.path() {
            let Some(node) = self.node(*ix) else { continue };
            list.extend(self.message_to_wire(&node.message, ToolCall::is_real, to_listed_call));
            list.extend(self.tool_messages(&node.results));
        }
        list
    }

    /// Returns the messages of the run's path for a request, with system messages first and each
    /// result directly after the message with its call. Omits activities, results without a call,
    /// calls that ended without a result (rule "every call is answered"), calls that only contained
    /// a question, and messages for which [`Self::omits`] returns true.
    #[must_use]
    pub fn request_messages(&self) -> Vec<event::Message> {
        let mut list = Vec::new();
        for ix in self.tree.path() {
            let Some(node) = self.node(*ix) else { continue };
            // A tool message without a call is omitted, because some servers reject it.
            let is_local = matches!(node.message.role, Role::Activity | Role::Tool);
            if is_local || self.has_only_omitted_calls(&node.message) || self.omits(&node.message) {
                continue;
            }
            let is_sent = |call: &ToolCall| self.should_send_call(call);
            let mut wire_message = self.message_to_wire(&node.message, is_sent, to_executed_call);
            if node.message.is_attributed_to_user() {
                wire_message
                    .as_mut()
                    .map(provenance::mark_as_written_by_agent);
            }
            list.extend(wire_message);
            let calls = self.calls_in(&node.message);
            let calls = calls.filter(|call| call.is_real() && !self.is_question_carrier(call));
            list.extend(calls.filter_map(tool_message_for));
        }
        list.sort_by_key(|message| message.role() != Role::System);
        list
    }

    fn tool_messages(&self, keys: &[CallKey]) -> Vec<event::Message> {
        let path_keys = keys.iter().filter(|key| self.is_run_call(key));
        let calls = path_keys.filter_map(|key| self.call(key));
        calls
            .filter_map(|call| Some(tool_message(call, call.result()?)))
            .collect()
    }

    fn should_send_call(&self, call: &ToolCall) -> bool {
        is_sendable(call) && !self.is_question_carrier(call)
    }

    /// Returns true if an assistant's message has no text, and has calls that are all omitted from
    /// requests.
    fn has_only_omitted_calls(&self, message: &Message) -> bool {
        message.role == Role::Assistant
            && message.has_calls()
            && !self
                .calls_in(message)
                .any(|call| self.should_send_call(call))
            && message.written().is_empty()
    }

    fn message_to_wire(
        &self,
        message: &Message,
        keep: impl Fn(&ToolCall) -> bool,
        write: impl Fn(&ToolCall) -> FunctionCall,
    ) -> Option<event::Message> {
        let calls = self.calls_in(message).filter(|call| keep(call));
        let body = match message.role {
            Role::Developer => MessageBody::Developer {
                content: message.text(),
            },
            Role::System => MessageBody::System {
                content: message.text(),
            },
            Role::User => MessageBody::User {
                content: message_content(message),
            },
            Role::Assistant => assistant_body(message, calls.map(write).collect()),
            Role::Reasoning => MessageBody::Reasoning {
                content: reasoning_text(message),
            },
            Role::Activity => activity_body(message)?,
            Role::Tool => orphan_body(message)?,
        };
        Some(event::Message {
            name: message.name.clone(),
            encrypted_value: message.encrypted_value.clone(),
            subagent_run_id: message.subagent_run_id.clone(),
            metadata: message.metadata.clone(),
            extra: message.extra.clone(),
            ..event::Message::new(message.wire_id(), body)
        })
    }
}

/// Returns the tool message for a call, which contains the result, or the approval if the call is
/// handed off to the agent. Returns `None` if the call has no result and is not handed off.
fn tool_message_for(call: &ToolCall) -> Option<event::Message> {
    if let Some(result) = call.result() {
        return Some(tool_message(call, result));
    }
    let message = call.hand_off_message_id()?;
    let content = CallApproval::APPROVED_TEXT.to_owned();
    Some(tool_message(
        call,
        &CallResult::new(message, content, Value::Null),
    ))
}

/// Returns true if the call has a result or has not ended. Returns false for a callout that is only
/// displayed.
fn is_sendable(call: &ToolCall) -> bool {
    call.is_real() && (call.result().is_some() || !call.state().is_done())
}

fn tool_message(call: &ToolCall, result: &CallResult) -> event::Message {
    let body = MessageBody::Tool {
        tool_call_id: call.id.clone(),
        content: result.content.clone(),
        error: result.error.clone(),
    };
    event::Message {
        encrypted_value: result.encrypted_value.clone(),
        subagent_run_id: result.subagent_run_id.clone(),
        metadata: result.metadata.clone(),
        extra: result.extra.clone(),
        ..event::Message::new(result.message_id.clone(), body)
    }
}

/// Returns a call with the arguments that the agent sent, in the form of message lists.
fn to_listed_call(call: &ToolCall) -> FunctionCall {
    FunctionCall {
        encrypted_value: call.encrypted_value.clone(),
        metadata: (!call.metadata.is_empty()).then(|| call.metadata.clone()),
        extra: call.extra.clone(),
        ..FunctionCall::new(call.id.clone(), call.name.clone(), call.args_text())
    }
}

/// Returns a call with the arguments with which it was started, so that the agent does not refer to
/// arguments that were not used. If the arguments were changed, the metadata contains the original
/// arguments.
fn to_executed_call(call: &ToolCall) -> FunctionCall {
    let mut wire_call = to_listed_call(call);
    if let Some(args) = call.changed_args().filter(|_| call.was_started()) {
        let original_args = std::mem::replace(&mut wire_call.arguments, args.to_string());
        let metadata = wire_call.metadata.get_or_insert_default();
        metadata.insert(ORIGINAL_ARGUMENTS.to_owned(), original_args.into());
    }
    wire_call
}

/// The metadata field with the original arguments of a call whose arguments were changed by the
/// user or the application.
const ORIGINAL_ARGUMENTS: &str = "originalArguments";

fn assistant_body(message: &Message, tool_calls: Vec<FunctionCall>) -> MessageBody {
    let is_text = |part: &Part| part.as_text().is_some();
    let has_text = message.markdown.is_some() || message.parts.iter().any(is_text);
    MessageBody::Assistant {
        content: has_text.then(|| message.written()),
        tool_calls,
    }
}

fn message_content(message: &Message) -> Content {
    if !message.listed {
        return Content::Text(message.text());
    }
    let parts = message.parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(ContentPart {
            id: text
                .extra
                .get("id")
                .and_then(Value::as_str)
                .map(str::to_owned),
            metadata: text.extra.get("metadata").cloned(),
            body: PartBody::Text(text.text.clone()),
        }),
        Part::File(part) => Some(part.clone()),
        _ => None,
    });
    Content::Parts(parts.collect())
}

fn reasoning_text(message: &Message) -> String {
    let texts = message.parts.iter().filter_map(|part| match part {
        Part::Reasoning(part) => Some(part.text.as_str()),
        _ => None,
    });
    texts.collect()
}

fn activity_body(message: &Message) -> Option<MessageBody> {
    message.parts.iter().find_map(|part| match part {
        Part::Data(DataPart {
            data_type,
            data: Value::Object(content),
            ..
        }) => Some(MessageBody::Activity {
            activity_type: data_type.clone(),
            content: content.clone(),
        }),
        _ => None,
    })
}

fn orphan_body(message: &Message) -> Option<MessageBody> {
    message.parts.iter().find_map(|part| match part {
        Part::ToolResult(part) => Some(MessageBody::Tool {
            tool_call_id: part.tool_call_id.clone(),
            content: part
                .content
                .clone()
                .unwrap_or_else(|| Content::Text(part.output.to_string())),
            error: part
                .extra
                .get("error")
                .and_then(Value::as_str)
                .map(str::to_owned),
        }),
        _ => None,
    })
}

/// Converts the content of a received message to parts. The caller adds the message's calls.
pub(super) fn parts_from_wire(body: MessageBody) -> Vec<Part> {
    match body {
        MessageBody::Developer { content } | MessageBody::System { content } => {
            vec![Part::Text(TextPart::new(content))]
        }
        MessageBody::User { content } => parts_from_content(content),
        MessageBody::Assistant { content, .. } => {
            let text = content.map(|content| Part::Text(TextPart::new(content)));
            text.into_iter().collect()
        }
        MessageBody::Tool {
            tool_call_id,
            content,
            error,
        } => {
            vec![Part::ToolResult(create_orphan_part(
                tool_call_id,
                content,
                error,
            ))]
        }
        MessageBody::Activity {
            activity_type,
            content,
        } => {
            let data = Value::Object(content);
            vec![Part::Data(DataPart {
                data_type: activity_type,
                data,
                extra: Object::new(),
            })]
        }
        MessageBody::Reasoning { content } => vec![Part::Reasoning(TextPart::new(content))],
    }
}

/// Creates a call with complete arguments from a call in a message list.
pub(super) fn completed_call_from_wire(wire: FunctionCall, now: i64) -> ToolCall {
    let mut call = ToolCall::new(wire.id, wire.name, now);
    call.set_args_text(&wire.arguments);
    call.end_args_in_list();
    call.encrypted_value = wire.encrypted_value;
    call.metadata = wire.metadata.unwrap_or_default();
    call.extra = wire.extra;
    call
}

/// Converts a received message to a message of the tree. The caller adds the message's calls, and
/// assigns the result in a tool message to the call.
pub(super) fn message_from_wire(wire: event::Message, now: i64) -> Message {
    let is_list = match &wire.body {
        MessageBody::User { content } | MessageBody::Tool { content, .. } => {
            matches!(content, Content::Parts(_))
        }
        _ => false,
    };
    let mut message = Message::new(wire.id.as_str(), wire.role(), now);
    message.listed = is_list;
    message.parts = parts_from_wire(wire.body);
    message.name = wire.name;
    message.encrypted_value = wire.encrypted_value;
    message.subagent_run_id = wire.subagent_run_id;
    message.metadata = wire.metadata;
    message.extra = wire.extra;
    message
}
