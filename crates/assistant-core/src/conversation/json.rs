//! Reads and writes messages as JSON, in the format of stores, exports and initial conversations:
//! `{id, role, parts: […]}`.
//!
//! The conversion is written by hand, so that parts of unknown types and unknown fields are
//! preserved. The content of tool messages and files has the form that AG-UI defines. Unknown
//! fields are stored in a separate object `extra` if their names could be confused with known
//! names. Invalid values of known fields are stored unchanged. `json_call` reads and writes tool
//! calls.

use serde_json::Value;

use super::{
    AgentStep, Author, Conversation, Cost, Cut, DataPart, Message, MessageId, Part, SourcePart,
    Span, TextPart, ToolResultPart,
    calls::Calls,
    format_error::FormatError,
    json_call,
    json_fields::{
        JsonFormat, collect_unknown_fields, expect_object, take_flag, take_int, take_object,
        take_required_text, take_text, write_unknown_fields,
    },
};
use crate::{
    event::{Object, PartBody, Role},
    json::{fields::Writer, form},
};

const MESSAGE_FIELDS: &str = "id wireId role parts createdAt name encryptedValue subagentRunId \
    metadata listed cut usage durationMs waitedMs steps priceMicros markdown author disputed \
    interjected threadId extra";
const TEXT_FIELDS: &str = "type text startedAt endedAt extra";
const RESULT_FIELDS: &str = "type toolCallId toolName output content extra";
const DATA_FIELDS: &str = "type dataType data extra";

impl Conversation {
    /// Returns a message with its calls as JSON, or `None` if no message has this id.
    #[must_use]
    pub fn message_to_json(&self, id: &MessageId) -> Option<Value> {
        Some(self.write_message(self.message(id)?, JsonFormat::Message))
    }

    /// Creates a conversation with one message from the output of [`Self::message_to_json`].
    ///
    /// # Errors
    ///
    /// Fails if the value is not an object, if its `id`, `role` or `parts` field is missing or
    /// invalid, or if a part or a call is invalid.
    pub fn from_message_json(value: Value) -> Result<Self, FormatError> {
        let mut conversation = Self::new();
        let message = conversation.read_message(value, JsonFormat::Message)?;
        let entry = conversation.create_tree_message(message);
        let (ix, _) = conversation.tree.append(entry.message.id.clone(), entry);
        conversation.attach_calls(ix);
        Ok(conversation)
    }

    pub(super) fn write_message(&self, message: &Message, format: JsonFormat) -> Value {
        let mut writer = Writer::default();
        writer.text("id", message.id.as_str());
        writer.opt_text("wireId", message.wire_id.as_deref());
        writer.text("role", message.role.as_str());
        let write_part = |part| part_to_json(part, &self.calls, format);
        writer.put(
            "parts",
            message.parts.iter().filter_map(write_part).collect(),
        );
        let created_at = Some(message.created_at).filter(|at| *at != 0);
        writer.opt_int("createdAt", created_at);
        writer.opt_text("name", message.name.as_deref());
        writer.opt_text("encryptedValue", message.encrypted_value.as_deref());
        writer.opt_text("subagentRunId", message.subagent_run_id.as_deref());
        writer.opt_object("metadata", message.metadata.as_ref());
        writer.flag("listed", message.listed);
        writer.opt_text("cut", message.cut.map(Cut::as_str));
        message.cost.write_fields(&mut writer);
        writer.opt_list("steps", &message.steps, AgentStep::to_json);
        writer.opt_text("markdown", message.markdown.as_deref());
        let default_author = Author::unnamed(message.role);
        let author = Some(message.author).filter(|author| *author != default_author);
        writer.opt_text("author", author.map(Author::as_str));
        writer.opt_text("disputed", message.disputed.as_deref());
        writer.flag("interjected", message.interjected);
        writer.opt_text("threadId", message.thread_id.as_deref());
        write_unknown_fields(&mut writer, &message.extra, MESSAGE_FIELDS, format);
        writer.into_value()
    }

    /// Reads a message from JSON, and adds its calls to the conversation.
    pub(super) fn read_message(
        &mut self,
        value: Value,
        format: JsonFormat,
    ) -> Result<Message, FormatError> {
        let mut object = expect_object(value, "message")?;
        let id = take_required_text(&mut object, "id", "message")?;
        let role = take_required_text(&mut object, "role", "message")?;
        let role = Role::parse(&role)
            .ok_or_else(|| FormatError(format!("message '{id}' has unknown role '{role}'")))?;
        let Some(Value::Array(parts)) = object.shift_remove("parts") else {
            return Err(FormatError(format!("message '{id}' has no list 'parts'")));
        };
        let mut message = Message::new(id, role, 0);
        message.parts = parts
            .into_iter()
            .map(|part| part_from_json(part, &mut self.calls, format))
            .collect::<Result<_, _>>()?;
        message.wire_id = take_text(&mut object, "wireId");
        message.created_at = take_int(&mut object, "createdAt").unwrap_or(0);
        message.name = take_text(&mut object, "name");
        message.encrypted_value = take_text(&mut object, "encryptedValue");
        message.subagent_run_id = take_text(&mut object, "subagentRunId");
        message.metadata = take_object(&mut object, "metadata");
        message.cost = Cost::take_fields(&mut object);
        message.steps = super::step::take_steps(&mut object);
        message.cut = take_text(&mut object, "cut").and_then(|word| Cut::parse(&word));
        message.markdown = take_text(&mut object, "markdown");
        let author = take_text(&mut object, "author").and_then(|word| Author::parse(&word));
        message.author = author.unwrap_or_else(|| Author::unnamed(role));
        message.disputed = take_text(&mut object, "disputed");
        message.interjected = take_flag(&mut object, "interjected");
        message.thread_id = take_text(&mut object, "threadId");
        message.listed = take_flag(&mut object, "listed");
        message.extra = collect_unknown_fields(object);
        Ok(message)
    }
}

fn part_to_json(part: &Part, calls: &Calls, format: JsonFormat) -> Option<Value> {
    let mut writer;
    match part {
        Part::Text(part) => {
            writer = Writer::typed("text");
            writer.text("text", &part.text);
            write_unknown_fields(&mut writer, &part.extra, TEXT_FIELDS, format);
        }
        Part::Reasoning(part) => {
            writer = Writer::typed("reasoning");
            writer.text("text", &part.text);
            writer.opt_int("startedAt", part.span.map(|span| span.started_at));
            writer.opt_int("endedAt", part.span.and_then(|span| span.ended_at));
            write_unknown_fields(&mut writer, &part.extra, TEXT_FIELDS, format);
        }
        Part::Call(key) => {
            writer = Writer::typed("tool-call");
            json_call::write_call(calls.get(key)?, &mut writer, format);
        }
        Part::ToolResult(part) => {
            writer = Writer::typed("tool-result");
            writer.text("toolCallId", &part.tool_call_id);
            writer.opt_text("toolName", part.tool_name.as_deref());
            writer.put("output", part.output.clone());
            let content = part.content.as_ref().map(form::content_to_value);
            writer.opt("content", content.as_ref());
            write_unknown_fields(&mut writer, &part.extra, RESULT_FIELDS, format);
        }
        Part::File(part) => return Some(form::content_part_to_value(part)),
        Part::Data(part) => {
            writer = Writer::typed("data");
            writer.text("dataType", &part.data_type);
            writer.put("data", part.data.clone());
            write_unknown_fields(&mut writer, &part.extra, DATA_FIELDS, format);
        }
        Part::Source(part) => return Some(part.to_json()),
        Part::Unknown(value) => return Some(value.clone()),
    }
    Some(writer.into_value())
}

fn part_from_json(
    value: Value,
    calls: &mut Calls,
    format: JsonFormat,
) -> Result<Part, FormatError> {
    let kind = value
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    match kind.as_str() {
        "text" => text_part_from_json(value).map(Part::Text),
        "reasoning" => text_part_from_json(value)
            .map(restore_span)
            .map(Part::Reasoning),
        "tool-call" => {
            let call = json_call::read_call(take_part_body(value)?, format)?;
            Ok(Part::Call(calls.restore(call)))
        }
        "tool-result" => result_part_from_json(value).map(Part::ToolResult),
        "data" if value.get("dataType").is_some_and(Value::is_string) => {
            let mut object = take_part_body(value)?;
            let data_type = take_required_text(&mut object, "dataType", "data part")?;
            let data = object.shift_remove("data").unwrap_or(Value::Null);
            Ok(Part::Data(DataPart {
                data_type,
                data,
                extra: collect_unknown_fields(object),
            }))
        }
        "image" | "audio" | "video" | "document" => {
            Ok(match form::content_part_from_value(value.clone()) {
                Ok(part) if matches!(part.body, PartBody::Media { .. }) => Part::File(part),
                _ => Part::Unknown(value),
            })
        }
        "source-url" | "source-document" => Ok(source_part_from_json(value)),
        _ => Ok(Part::Unknown(value)),
    }
}

fn source_part_from_json(value: Value) -> Part {
    match SourcePart::from_json(&value) {
        Some(part) => Part::Source(part),
        None => Part::Unknown(value),
    }
}

fn take_part_body(value: Value) -> Result<Object, FormatError> {
    let mut object = expect_object(value, "part")?;
    object.shift_remove("type");
    Ok(object)
}

fn text_part_from_json(value: Value) -> Result<TextPart, FormatError> {
    let mut object = take_part_body(value)?;
    let text = take_required_text(&mut object, "text", "text part")?;
    Ok(TextPart {
        extra: collect_unknown_fields(object),
        ..TextPart::new(text)
    })
}

fn restore_span(mut part: TextPart) -> TextPart {
    let started_at = take_int(&mut part.extra, "startedAt");
    part.span = started_at.map(|started_at| Span {
        started_at,
        ended_at: take_int(&mut part.extra, "endedAt"),
    });
    part
}

fn result_part_from_json(value: Value) -> Result<ToolResultPart, FormatError> {
    let mut extra = take_part_body(value)?;
    let tool_call_id = take_required_text(&mut extra, "toolCallId", "tool result")?;
    let tool_name = take_text(&mut extra, "toolName");
    let output = extra
        .shift_remove("output")
        .ok_or_else(|| FormatError::new("tool result has no 'output'"))?;
    let content = match extra.shift_remove("content") {
        Some(content) => {
            Some(form::content_from_value(content).map_err(|e| FormatError(e.to_string()))?)
        }
        None => None,
    };
    Ok(ToolResultPart {
        tool_call_id,
        tool_name,
        output,
        content,
        extra: collect_unknown_fields(extra),
    })
}
