//! Encodes messages and their content.

use serde_json::Value;

use crate::event::{
    Content, ContentPart, FunctionCall, Message, MessageBody, Object, PartBody, Source,
};
use crate::json::fields::Writer;

/// Encodes a message with its unknown fields, for stores and replays.
#[must_use]
pub fn message_to_value(message: &Message) -> Value {
    write_message(message, true)
}

/// Encodes a message for another program, without unknown fields.
#[must_use]
pub fn message_to_wire_value(message: &Message) -> Value {
    write_message(message, false)
}

fn write_message(message: &Message, extra: bool) -> Value {
    let mut writer = Writer::default();
    writer.text("id", &message.id);
    writer.text("role", message.role().as_str());
    match &message.body {
        MessageBody::Developer { content }
        | MessageBody::System { content }
        | MessageBody::Reasoning { content } => writer.text("content", content),
        MessageBody::User { content } => write_content(&mut writer, content),
        MessageBody::Assistant {
            content,
            tool_calls,
        } => {
            writer.opt_text("content", content.as_deref());
            let encode_call: fn(&FunctionCall) -> Value = if extra {
                call_to_value
            } else {
                call_to_wire_value
            };
            writer.opt_list("toolCalls", tool_calls, encode_call);
        }
        MessageBody::Tool {
            tool_call_id,
            content,
            error,
        } => {
            write_content(&mut writer, content);
            writer.text("toolCallId", tool_call_id);
            writer.opt_text("error", error.as_deref());
        }
        MessageBody::Activity {
            activity_type,
            content,
        } => {
            writer.text("activityType", activity_type);
            writer.put("content", Value::Object(content.clone()));
        }
    }
    let (has_name, has_encrypted_value) = match message.body {
        MessageBody::Tool { .. } | MessageBody::Reasoning { .. } => (false, true),
        MessageBody::Activity { .. } => (false, false),
        _ => (true, true),
    };
    if has_name {
        writer.opt_text("name", message.name.as_deref());
    }
    if has_encrypted_value {
        writer.opt_text("encryptedValue", message.encrypted_value.as_deref());
    }
    writer.opt_text("subagentRunId", message.subagent_run_id.as_deref());
    writer.opt_object("metadata", message.metadata.as_ref());
    if extra {
        add_extra(&mut writer, &message.extra);
    }
    writer.into_value()
}

/// Adds unknown fields. A field of the protocol with the same name is kept.
fn add_extra(w: &mut Writer, extra: &Object) {
    for (key, value) in extra {
        if !w.0.contains_key(key) {
            w.put(key, value.clone());
        }
    }
}

fn call_to_value(call: &FunctionCall) -> Value {
    let mut w = write_call(call);
    add_extra(&mut w, &call.extra);
    w.into_value()
}

fn call_to_wire_value(call: &FunctionCall) -> Value {
    write_call(call).into_value()
}

fn write_call(call: &FunctionCall) -> Writer {
    let mut function = Writer::default();
    function.text("name", &call.name);
    function.text("arguments", &call.arguments);
    let mut writer = Writer::default();
    writer.text("id", &call.id);
    writer.text("type", "function");
    writer.put("function", function.into_value());
    writer.opt_text("encryptedValue", call.encrypted_value.as_deref());
    writer.opt_object("metadata", call.metadata.as_ref());
    writer
}

/// Writes content to the field `content` of a message or a result.
pub fn write_content(w: &mut Writer, content: &Content) {
    w.put("content", content_to_value(content));
}

/// Encodes content as a string or as a list of parts.
#[must_use]
pub fn content_to_value(content: &Content) -> Value {
    match content {
        Content::Text(text) => Value::String(text.clone()),
        Content::Parts(parts) => Value::Array(parts.iter().map(content_part_to_value).collect()),
    }
}

/// Encodes a content part as JSON.
#[must_use]
pub fn content_part_to_value(part: &ContentPart) -> Value {
    let mut writer = match &part.body {
        PartBody::Text(text) => {
            let mut writer = Writer::typed("text");
            writer.text("text", text);
            writer
        }
        PartBody::Media { kind, source } => {
            let mut writer = Writer::typed(kind);
            writer.put("source", write_source(source));
            writer
        }
    };
    writer.opt_text("id", part.id.as_deref());
    writer.opt("metadata", part.metadata.as_ref());
    writer.into_value()
}

fn write_source(source: &Source) -> Value {
    let (kind, value, provider, mime_type) = match source {
        Source::Data { value, mime_type } => ("data", value, None, Some(mime_type.as_str())),
        Source::Url { value, mime_type } => ("url", value, None, mime_type.as_deref()),
        Source::File {
            value,
            provider,
            mime_type,
        } => ("file", value, provider.as_deref(), mime_type.as_deref()),
    };
    let mut writer = Writer::typed(kind);
    writer.text("value", value);
    writer.opt_text("provider", provider);
    writer.opt_text("mimeType", mime_type);
    writer.into_value()
}
