//! Decodes messages and their content.
//!
//! Unknown fields are removed with a diagnostic if the data comes from a stream. If the data comes
//! from a store ([`message_from_value`]), unknown fields of messages and calls are preserved, so
//! that data from newer versions is not lost. `write` encodes messages.

use serde_json::Value;

use super::legacy::upgrade_parts;
use crate::event::fault::{Notes, ProtocolError};
use crate::event::{
    Content, ContentPart, FunctionCall, Message, MessageBody, Object, PartBody, Role, Source,
};
use crate::json::fields::{Context, Fault, Fields, Path, Read};

/// Decodes a message from a store or another program. Unknown fields are moved to `extra`.
///
/// # Errors
///
/// Fails if the value is not an object, if its role is unknown, if a required field is missing, or
/// if a known field has an invalid value.
pub fn message_from_value(mut value: Value) -> Result<Message, ProtocolError> {
    if let Value::Object(message) = &mut value {
        upgrade_parts(message.get_mut("content"), &mut Notes::new());
    }
    from_store(value, "message", message)
}

/// Decodes stored content, which is a string or a list of parts.
///
/// # Errors
///
/// Fails if the value is neither a string nor a list, or if a known field has an invalid value.
pub fn content_from_value(mut value: Value) -> Result<Content, ProtocolError> {
    upgrade_parts(Some(&mut value), &mut Notes::new());
    let mut wrapper = Object::new();
    wrapper.insert("content".to_owned(), value);
    from_store(Value::Object(wrapper), "content", |value, context, path| {
        let mut fields = Fields::of(value, context, path)?;
        let content = content(&mut fields, context);
        fields.checked().map(|()| content)
    })
}

/// Decodes a stored content part.
///
/// # Errors
/// Fails if the type of the part is unknown, or if a known field has an invalid value.
pub fn content_part_from_value(value: Value) -> Result<ContentPart, ProtocolError> {
    from_store(value, "content part", read_part)
}

/// Reads stored data with `read`. Unknown fields are kept if the type has a field for them.
///
/// # Errors
/// Fails if the type of the value is unknown, or if a known field has an invalid value.
pub fn from_store<T>(
    value: Value,
    event: &str,
    read: fn(Value, &mut Context<'_>, Path<'_>) -> Read<T>,
) -> Result<T, ProtocolError> {
    let mut notes = Notes::new();
    let mut context = Context {
        event,
        strict: false,
        keep_extra: true,
        notes: &mut notes,
    };
    read(value, &mut context, Path::Root).map_err(|fault| match fault {
        Fault::Fatal(error) => error,
        Fault::Unknown => {
            ProtocolError::new("malformed", format!("Malformed {event}: unknown kind"))
        }
    })
}

/// Decodes a message.
///
/// # Errors
/// Returns [`Fault::Unknown`] if the role is unknown, and a fatal fault if a known field has an
/// invalid value.
pub fn message(value: Value, context: &mut Context<'_>, path: Path<'_>) -> Read<Message> {
    let mut fields = Fields::of(value, context, path)?;
    let reader = &mut fields;
    let role = Role::parse(&reader.kind("role")).ok_or(Fault::Unknown)?;
    let subagent_run_id = reader.opt_text(context, "subagentRunId");
    let id = reader.text(context, "id");
    let has_name = matches!(
        role,
        Role::Developer | Role::System | Role::User | Role::Assistant
    );
    // If the role permits a name, the content is read last, because the protocol defines the
    // content as the last field, and its faults must be reported last.
    let unnamed_body = (!has_name).then(|| read_body(role, reader, context));
    let name = has_name.then(|| reader.opt_text(context, "name")).flatten();
    let encrypted_value = match role {
        Role::Activity => None,
        _ => reader.opt_text(context, "encryptedValue"),
    };
    let metadata = reader.opt_record(context, "metadata");
    Ok(Message {
        name,
        encrypted_value,
        metadata,
        body: unnamed_body.unwrap_or_else(|| read_body(role, reader, context)),
        subagent_run_id,
        extra: fields.rest(context)?,
        id,
    })
}

fn read_body(role: Role, f: &mut Fields<'_>, context: &mut Context<'_>) -> MessageBody {
    match role {
        Role::Developer => MessageBody::Developer {
            content: f.text(context, "content"),
        },
        Role::System => MessageBody::System {
            content: f.text(context, "content"),
        },
        Role::Reasoning => MessageBody::Reasoning {
            content: f.text(context, "content"),
        },
        Role::User => MessageBody::User {
            content: content(f, context),
        },
        Role::Assistant => MessageBody::Assistant {
            content: f.opt_text(context, "content"),
            tool_calls: f
                .opt_list(context, "toolCalls", read_tool_call)
                .unwrap_or_default(),
        },
        Role::Tool => MessageBody::Tool {
            content: content(f, context),
            tool_call_id: f.text(context, "toolCallId"),
            error: f.opt_text(context, "error"),
        },
        Role::Activity => MessageBody::Activity {
            activity_type: f.text(context, "activityType"),
            content: f.record(context, "content"),
        },
    }
}

fn read_tool_call(value: Value, context: &mut Context<'_>, path: Path<'_>) -> Read<FunctionCall> {
    let mut fields = Fields::of(value, context, path)?;
    let reader = &mut fields;
    let id = reader.text(context, "id");
    reader.literal(context, "type", "function");
    let function = reader.object(context, "function");
    let function_path = reader.path;
    let mut function = Fields::new(function.into(), Path::Key(&function_path, "function"));
    let name = function.text(context, "name");
    let arguments = function.text(context, "arguments");
    let function = function.close(context, (name, arguments));
    let (name, arguments) = reader.keep(function);
    Ok(FunctionCall {
        id,
        name,
        arguments,
        encrypted_value: reader.opt_text(context, "encryptedValue"),
        metadata: reader.opt_record(context, "metadata"),
        extra: fields.rest(context)?,
    })
}

/// Reads the `content` of a user message, a tool message or a tool result. If the content is
/// invalid, records a fault in `f`.
pub fn content(f: &mut Fields<'_>, context: &mut Context<'_>) -> Content {
    if f.has_failed() {
        return Content::Text(String::new());
    }
    let content = if f.is_array("content") {
        Content::Parts(f.list(context, "content", read_part))
    } else {
        Content::Text(f.text(context, "content"))
    };
    let result = f.checked();
    let path = Path::Key(&f.path, "content");
    let wrapped_result = result.map_err(|fault| context.none_of(path, fault));
    f.keep(wrapped_result);
    content
}

fn read_part(value: Value, context: &mut Context<'_>, path: Path<'_>) -> Read<ContentPart> {
    let mut fields = Fields::of(value, context, path)?;
    let reader = &mut fields;
    let body = read_part_body(reader, context);
    // A part of an unknown type is reported as unknown even if other fields have faults. The id is
    // read before faults of the body are returned, because the protocol defines the id first.
    let body = match reader.checked().and(body) {
        Err(Fault::Unknown) => return Err(Fault::Unknown),
        body => body,
    };
    let id = reader.opt_text(context, "id");
    reader.checked()?;
    let body = body?;
    let metadata = reader.opt(context, "metadata");
    fields.close(context, ContentPart { id, metadata, body })
}

fn read_part_body(f: &mut Fields<'_>, context: &mut Context<'_>) -> Read<PartBody> {
    let kind = f.kind("type");
    match kind.as_str() {
        "text" => Ok(PartBody::Text(f.text(context, "text"))),
        "image" | "audio" | "video" | "document" => {
            let value = f.object(context, "source").into();
            f.checked()?;
            let source = read_source(value, context, Path::Key(&f.path, "source"))?;
            Ok(PartBody::Media { kind, source })
        }
        _ => Err(Fault::Unknown),
    }
}

fn read_source(value: Value, context: &mut Context<'_>, path: Path<'_>) -> Read<Source> {
    let mut fields = Fields::of(value, context, path)?;
    let reader = &mut fields;
    let source = match reader.kind("type").as_str() {
        "data" => Source::Data {
            value: reader.text(context, "value"),
            mime_type: reader.text(context, "mimeType"),
        },
        "url" => Source::Url {
            value: reader.text(context, "value"),
            mime_type: reader.opt_text(context, "mimeType"),
        },
        "file" => Source::File {
            value: reader.text(context, "value"),
            provider: reader.opt_text(context, "provider"),
            mime_type: reader.opt_text(context, "mimeType"),
        },
        _ => return Err(Fault::Unknown),
    };
    fields.close(context, source)
}
