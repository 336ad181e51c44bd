//! Defines records of messages and calls, which are exchanged with other systems.

use serde_json::{Value, json};

use super::{
    Amount, Status,
    record_fields::{count_field, int_field, json_text_field, list_field, text_field},
};
use crate::event::{Object, TokenUsage};

/// A record of the state of a message or a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Update {
    /// The state of a message.
    Conv(Box<ConvUpdate>),
    /// The state of a call.
    Tool(ToolUpdate),
}

/// A record of the state of a message.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConvUpdate {
    pub(crate) conv_id: String,
    pub(crate) message_id: String,
    pub(crate) parent_id: Option<String>,
    pub(crate) content_blocks: Option<Vec<ContentBlock>>,
    pub(crate) timestamp: i64,
    pub(crate) source: String,
    pub(crate) token_usage: Option<TokenUsage>,
    pub(crate) cost: Option<Amount>,
    pub(crate) attachments: Option<Vec<Value>>,
    pub(crate) duration_ms: Option<u64>,
    pub(crate) tool_calls: Vec<CallInfo>,
}

/// A block of a message's content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContentBlock {
    pub(crate) content: String,
    pub(crate) content_type: String,
}

/// A tool call in a [`ConvUpdate`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallInfo {
    pub(crate) id: String,
    pub(crate) tool_name: String,
    pub(crate) status: Status,
    pub(crate) parameters: String,
}

/// A record of the state of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolUpdate {
    pub(crate) conv_id: String,
    pub(crate) message_id: String,
    pub(crate) tool_call_id: String,
    pub(crate) tool_name: String,
    pub(crate) status: Status,
    pub(crate) result: Option<String>,
}

impl Update {
    /// Returns the record as JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Conv(update) => update.to_json(),
            Self::Tool(update) => update.to_json(),
        }
    }

    /// Returns the id of the conversation, or an empty string if the record contains no id.
    #[must_use]
    pub fn conv_id(&self) -> &str {
        match self {
            Self::Conv(update) => &update.conv_id,
            Self::Tool(update) => &update.conv_id,
        }
    }

    /// Parses a record of a call if the JSON contains the id of a call, or a tool's name and a
    /// message's id. Otherwise parses a record of a message. Returns `None` if required ids are
    /// missing. Unknown fields are ignored.
    #[must_use]
    pub fn from_json(value: &Value) -> Option<Self> {
        let has_field = |key: &str| value.get(key).is_some_and(|field| !field.is_null());
        match has_field("toolCallId") || (has_field("toolName") && has_field("messageId")) {
            true => ToolUpdate::from_json(value).map(Self::Tool),
            false => ConvUpdate::from_json(value).map(|update| Self::Conv(Box::new(update))),
        }
    }
}

/// Reads the status of a call. If the status is missing, a call with a result is complete. In all
/// other cases, a missing or unknown status counts as pending.
fn read_status(object: &Object, result: Option<&String>) -> Status {
    let default_status = match result {
        Some(_) if !object.contains_key("status") => Status::Complete,
        _ => Status::Pending,
    };
    text_field(object, "status")
        .and_then(|word| Status::parse(&word))
        .unwrap_or(default_status)
}

impl ConvUpdate {
    /// Returns the record as JSON. Missing values are `null`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let usage = self.token_usage.as_ref().map(|usage| {
            json!({
                "inputTokens": usage.input_tokens,
                "outputTokens": usage.output_tokens,
                "cacheCreationInputTokens": usage.cache_write_input_tokens,
                "cacheReadInputTokens": usage.cached_input_tokens,
            })
        });
        let cost = self.cost.map(|cost| json!({"totalCost": cost.to_string()}));
        let block_to_json = |block: &ContentBlock| json!({"content": block.content, "contentType": block.content_type});
        let blocks = self.content_blocks.as_ref();
        let blocks = blocks.map(|blocks| blocks.iter().map(block_to_json).collect::<Value>());
        let calls = self.tool_calls.iter().map(CallInfo::to_json);
        json!({
            "convId": self.conv_id,
            "messageId": self.message_id,
            "parentId": self.parent_id,
            "contentBlocks": blocks,
            "timestamp": self.timestamp,
            "source": self.source,
            "tokenUsage": usage,
            "costInfo": cost,
            "attachments": self.attachments,
            "durationMs": self.duration_ms,
            "toolCalls": calls.collect::<Value>(),
        })
    }

    /// Parses a record from JSON. Returns `None` if the value is not an object with a `messageId`.
    #[must_use]
    pub fn from_json(value: &Value) -> Option<Self> {
        let object = value.as_object()?;
        let usage = object.get("tokenUsage").and_then(Value::as_object);
        let cost = object.get("costInfo").and_then(Value::as_object);
        Some(Self {
            conv_id: text_field(object, "convId").unwrap_or_default(),
            message_id: text_field(object, "messageId")?,
            parent_id: text_field(object, "parentId").filter(|id| !id.is_empty()),
            content_blocks: list_field(object, "contentBlocks")
                .map(|blocks| blocks.iter().filter_map(ContentBlock::from_json).collect()),
            timestamp: int_field(object, "timestamp").unwrap_or(0),
            source: text_field(object, "source").unwrap_or_else(|| "assistant".to_owned()),
            token_usage: usage.map(|usage| TokenUsage {
                input_tokens: count_field(usage, "inputTokens"),
                output_tokens: count_field(usage, "outputTokens"),
                cache_write_input_tokens: count_field(usage, "cacheCreationInputTokens"),
                cached_input_tokens: count_field(usage, "cacheReadInputTokens"),
                ..TokenUsage::default()
            }),
            cost: cost.and_then(|cost| text_field(cost, "totalCost")?.parse().ok()),
            attachments: list_field(object, "attachments").cloned(),
            duration_ms: count_field(object, "durationMs"),
            tool_calls: list_field(object, "toolCalls")
                .into_iter()
                .flatten()
                .filter_map(CallInfo::from_json)
                .collect(),
        })
    }

    /// Returns the conversation's id. An update with an empty id applies to the open conversation.
    #[must_use]
    pub fn conv_id(&self) -> &str {
        &self.conv_id
    }

    /// Returns the message's id.
    #[must_use]
    pub fn message_id(&self) -> &str {
        &self.message_id
    }

    /// Returns the id of the parent message, if given.
    #[must_use]
    pub fn parent_id(&self) -> Option<&str> {
        self.parent_id.as_deref()
    }

    /// Returns the blocks of content. `None` means that the known content stays unchanged.
    #[must_use]
    pub fn content_blocks(&self) -> Option<&[ContentBlock]> {
        self.content_blocks.as_deref()
    }

    /// Returns the time of the change in milliseconds since 1970, or 0 if the time is unknown. An
    /// update that is older than the newest update only adds missing values to the message.
    #[must_use]
    pub const fn timestamp(&self) -> i64 {
        self.timestamp
    }

    /// Returns the role of the author, such as `user`, `assistant` or `system`.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the token usage, if known. If a count is missing, the known count stays unchanged.
    #[must_use]
    pub const fn token_usage(&self) -> Option<&TokenUsage> {
        self.token_usage.as_ref()
    }

    /// Returns the cost of the message, if known.
    #[must_use]
    pub const fn cost(&self) -> Option<Amount> {
        self.cost
    }

    /// Returns the files as JSON values. `None` means that the known files stay unchanged.
    #[must_use]
    pub fn attachments(&self) -> Option<&[Value]> {
        self.attachments.as_deref()
    }

    /// Returns the duration in milliseconds, if known.
    #[must_use]
    pub const fn duration_ms(&self) -> Option<u64> {
        self.duration_ms
    }

    /// Returns the message's calls.
    #[must_use]
    pub fn tool_calls(&self) -> &[CallInfo] {
        &self.tool_calls
    }
}

impl ContentBlock {
    fn from_json(value: &Value) -> Option<Self> {
        let create_text_block = |content: &str| Self {
            content: content.to_owned(),
            content_type: "text".to_owned(),
        };
        let Value::Object(object) = value else {
            return value.as_str().map(create_text_block);
        };
        let content = text_field(object, "content").or_else(|| text_field(object, "text"))?;
        let kind = text_field(object, "contentType").or_else(|| text_field(object, "type"));
        let mut block = create_text_block(&content);
        if let Some(kind) = kind {
            block.content_type = kind.to_ascii_lowercase();
        }
        Some(block)
    }

    /// Returns the text.
    #[must_use]
    pub fn content(&self) -> &str {
        &self.content
    }

    /// Returns the kind of the content, such as `text` or `reasoning`.
    #[must_use]
    pub fn content_type(&self) -> &str {
        &self.content_type
    }
}

impl CallInfo {
    fn to_json(&self) -> Value {
        json!({
            "id": self.id,
            "toolName": self.tool_name,
            "status": self.status.as_str(),
            "parameters": self.parameters,
        })
    }

    fn from_json(value: &Value) -> Option<Self> {
        let object = value.as_object()?;
        Some(Self {
            id: text_field(object, "id").or_else(|| text_field(object, "toolCallId"))?,
            tool_name: text_field(object, "toolName")
                .or_else(|| text_field(object, "name"))
                .unwrap_or_default(),
            status: read_status(object, None),
            parameters: json_text_field(object, "parameters").unwrap_or_default(),
        })
    }

    /// Returns the call's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the name of the tool.
    #[must_use]
    pub fn tool_name(&self) -> &str {
        &self.tool_name
    }

    /// Returns the status of the call.
    #[must_use]
    pub const fn status(&self) -> Status {
        self.status
    }

    /// Returns the arguments of the call as JSON text.
    #[must_use]
    pub fn parameters(&self) -> &str {
        &self.parameters
    }
}

impl ToolUpdate {
    /// Returns the record as JSON. Missing values are `null`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "convId": self.conv_id,
            "messageId": self.message_id,
            "toolCallId": self.tool_call_id,
            "toolName": self.tool_name,
            "status": self.status.as_str(),
            "result": self.result,
        })
    }

    /// Parses a record of a call. Returns `None` if the value contains neither the id of a call,
    /// nor both a tool's name and a message's id.
    #[must_use]
    pub fn from_json(value: &Value) -> Option<Self> {
        let object = value.as_object()?;
        let result_keys = ["result", "output", "content"];
        let result = result_keys
            .iter()
            .find_map(|key| json_text_field(object, key));
        let message_id = text_field(object, "messageId").unwrap_or_default();
        let tool_name = text_field(object, "toolName").unwrap_or_default();
        let names_tool = !message_id.is_empty() && !tool_name.is_empty();
        Some(Self {
            conv_id: text_field(object, "convId").unwrap_or_default(),
            message_id,
            tool_call_id: text_field(object, "toolCallId")
                .or_else(|| names_tool.then(String::new))?,
            tool_name,
            status: read_status(object, result.as_ref()),
            result,
        })
    }

    /// Returns the conversation's id. An update with an empty id applies to the open conversation.
    #[must_use]
    pub fn conv_id(&self) -> &str {
        &self.conv_id
    }

    /// Returns the id of the message that contains the call, or an empty string if the sender did
    /// not set it.
    #[must_use]
    pub fn message_id(&self) -> &str {
        &self.message_id
    }

    /// Returns the call's id. An empty id, which is sent by systems that identify only the tool,
    /// refers to the first open call of the tool in the message.
    #[must_use]
    pub fn tool_call_id(&self) -> &str {
        &self.tool_call_id
    }

    /// Returns the name of the tool.
    #[must_use]
    pub fn tool_name(&self) -> &str {
        &self.tool_name
    }

    /// Returns the status of the call.
    #[must_use]
    pub const fn status(&self) -> Status {
        self.status
    }

    /// Returns the result or the error message as text, if known.
    #[must_use]
    pub fn result(&self) -> Option<&str> {
        self.result.as_deref()
    }
}
