//! Messages as JSON: the format of stores, exports and seeds, `{id, role, parts: […]}`.
//!
//! Written and read by hand, so that parts and fields of unknown kind go through unchanged.
//! Content of tool messages and files has AG-UI's form. Neighbour: `json_call` for tool calls.

use std::fmt;

use serde_json::Value;

use super::{Cost, Cut, DataPart, Message, Part, Span, TextPart, ToolResultPart, json_call};
use crate::{
    event::{Object, PartBody, Role},
    wire::agui,
};

/// Why some JSON is no message or no conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatError(pub(super) String);

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FormatError {}

pub(super) fn error(message: &str) -> FormatError {
    FormatError(message.to_owned())
}

pub(super) fn object(value: Value, what: &str) -> Result<Object, FormatError> {
    match value {
        Value::Object(object) => Ok(object),
        _ => Err(FormatError(format!("{what} is not an object"))),
    }
}

pub(super) fn take_text(object: &mut Object, key: &str) -> Option<String> {
    match object.shift_remove(key) {
        Some(Value::String(text)) => Some(text),
        Some(other) => {
            object.insert(key.to_owned(), other);
            None
        }
        None => None,
    }
}

pub(super) fn need_text(object: &mut Object, key: &str, what: &str) -> Result<String, FormatError> {
    take_text(object, key).ok_or_else(|| FormatError(format!("{what} has no text '{key}'")))
}

pub(super) fn put_text(object: &mut Object, key: &str, text: Option<&str>) {
    if let Some(text) = text {
        object.insert(key.to_owned(), text.into());
    }
}

pub(super) fn take_object(object: &mut Object, key: &str) -> Option<Object> {
    match object.shift_remove(key) {
        Some(Value::Object(inner)) => Some(inner),
        _ => None,
    }
}

impl Message {
    /// The message as JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut out = Object::new();
        out.insert("id".to_owned(), self.id.as_str().into());
        put_text(&mut out, "wireId", self.wire_id.as_deref());
        out.insert("role".to_owned(), self.role.as_str().into());
        out.insert(
            "parts".to_owned(),
            self.parts.iter().map(part_to_json).collect(),
        );
        if self.created_at != 0 {
            out.insert("createdAt".to_owned(), self.created_at.into());
        }
        put_text(&mut out, "name", self.name.as_deref());
        put_text(&mut out, "encryptedValue", self.encrypted_value.as_deref());
        put_text(&mut out, "subagentRunId", self.subagent_run_id.as_deref());
        if let Some(metadata) = &self.metadata {
            out.insert("metadata".to_owned(), Value::Object(metadata.clone()));
        }
        if self.listed {
            out.insert("listed".to_owned(), true.into());
        }
        put_text(&mut out, "cut", self.cut.map(Cut::as_str));
        self.cost.write(&mut out);
        put_text(&mut out, "markdown", self.markdown.as_deref());
        out.extend(self.extra.clone());
        Value::Object(out)
    }

    /// A message from JSON.
    ///
    /// # Errors
    ///
    /// When it is no object, or `id`, `role` or `parts` are missing or of the wrong kind.
    pub fn from_json(value: Value) -> Result<Self, FormatError> {
        let mut object = object(value, "message")?;
        let id = need_text(&mut object, "id", "message")?;
        let role = need_text(&mut object, "role", "message")?;
        let role = Role::parse(&role)
            .ok_or_else(|| FormatError(format!("message '{id}' has unknown role '{role}'")))?;
        let Some(Value::Array(parts)) = object.shift_remove("parts") else {
            return Err(FormatError(format!("message '{id}' has no list 'parts'")));
        };
        let mut message = Self::new(id, role, 0);
        message.parts = parts
            .into_iter()
            .map(part_from_json)
            .collect::<Result<_, _>>()?;
        message.wire_id = take_text(&mut object, "wireId");
        message.created_at = object
            .shift_remove("createdAt")
            .and_then(|v| v.as_i64())
            .unwrap_or(0);
        message.name = take_text(&mut object, "name");
        message.encrypted_value = take_text(&mut object, "encryptedValue");
        message.subagent_run_id = take_text(&mut object, "subagentRunId");
        message.metadata = take_object(&mut object, "metadata");
        message.cost = Cost::read(&mut object);
        message.cut = take_text(&mut object, "cut").and_then(|word| Cut::parse(&word));
        message.markdown = take_text(&mut object, "markdown");
        message.listed = object.shift_remove("listed") == Some(Value::Bool(true));
        message.extra = object;
        Ok(message)
    }
}

fn part_to_json(part: &Part) -> Value {
    let mut out = Object::new();
    let mut start = |kind: &str| {
        out.insert("type".to_owned(), kind.into());
    };
    match part {
        Part::Text(part) => {
            start("text");
            out.insert("text".to_owned(), part.text.as_str().into());
            out.extend(part.extra.clone());
        }
        Part::Reasoning(part) => {
            start("reasoning");
            out.insert("text".to_owned(), part.text.as_str().into());
            if let Some(span) = part.span {
                out.insert("startedAt".to_owned(), span.started_at.into());
                let ended = span.ended_at.map(|at| ("endedAt".to_owned(), at.into()));
                out.extend(ended);
            }
            out.extend(part.extra.clone());
        }
        Part::ToolCall(call) => {
            start("tool-call");
            json_call::write(call, &mut out);
        }
        Part::ToolResult(part) => {
            start("tool-result");
            out.insert("toolCallId".to_owned(), part.tool_call_id.as_str().into());
            put_text(&mut out, "toolName", part.tool_name.as_deref());
            out.insert("output".to_owned(), part.output.clone());
            if let Some(content) = &part.content {
                out.insert("content".to_owned(), agui::content_to_value(content));
            }
            out.extend(part.extra.clone());
        }
        Part::File(part) => return agui::content_part_to_value(part),
        Part::Data(part) => {
            start("data");
            out.insert("dataType".to_owned(), part.data_type.as_str().into());
            out.insert("data".to_owned(), part.data.clone());
        }
        Part::Unknown(value) => return value.clone(),
    }
    Value::Object(out)
}

fn part_from_json(value: Value) -> Result<Part, FormatError> {
    let kind = value
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    match kind.as_str() {
        "text" => text_part(value).map(Part::Text),
        "reasoning" => text_part(value).map(with_span).map(Part::Reasoning),
        "tool-call" => json_call::read(body(value)?).map(|call| Part::ToolCall(Box::new(call))),
        "tool-result" => result_part(value).map(Part::ToolResult),
        "data" if value.get("dataType").is_some_and(Value::is_string) => {
            let mut object = body(value)?;
            let data_type = need_text(&mut object, "dataType", "data part")?;
            let data = object.shift_remove("data").unwrap_or(Value::Null);
            Ok(Part::Data(DataPart { data_type, data }))
        }
        "image" | "audio" | "video" | "document" => {
            Ok(match agui::content_part_from_value(value.clone()) {
                Ok(part) if matches!(part.body, PartBody::Media { .. }) => Part::File(part),
                _ => Part::Unknown(value),
            })
        }
        _ => Ok(Part::Unknown(value)),
    }
}

fn body(value: Value) -> Result<Object, FormatError> {
    let mut object = object(value, "part")?;
    object.shift_remove("type");
    Ok(object)
}

fn text_part(value: Value) -> Result<TextPart, FormatError> {
    let mut extra = body(value)?;
    let text = need_text(&mut extra, "text", "text part")?;
    Ok(TextPart {
        extra,
        ..TextPart::new(text)
    })
}

fn with_span(mut part: TextPart) -> TextPart {
    let mut take = |key: &str| {
        let at = part.extra.get(key)?.as_i64()?;
        part.extra.shift_remove(key);
        Some(at)
    };
    part.span = take("startedAt").map(|started_at| Span {
        started_at,
        ended_at: take("endedAt"),
    });
    part
}

fn result_part(value: Value) -> Result<ToolResultPart, FormatError> {
    let mut extra = body(value)?;
    let tool_call_id = need_text(&mut extra, "toolCallId", "tool result")?;
    let tool_name = take_text(&mut extra, "toolName");
    let output = extra
        .shift_remove("output")
        .ok_or_else(|| error("tool result has no 'output'"))?;
    let content = match extra.shift_remove("content") {
        Some(content) => {
            Some(agui::content_from_value(content).map_err(|e| FormatError(e.to_string()))?)
        }
        None => None,
    };
    Ok(ToolResultPart {
        tool_call_id,
        tool_name,
        output,
        content,
        extra,
    })
}
