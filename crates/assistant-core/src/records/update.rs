//! What changed, as one record for each message or call.

use serde_json::{Value, json};

use super::json::{count, int, json_text, list, text};
use crate::{
    conversation::{Amount, Status},
    event::{Object, TokenUsage},
};

/// A record of something that changed.
#[derive(Debug, Clone, PartialEq)]
pub enum Update {
    /// A message.
    Conv(Box<ConvUpdate>),
    /// A call.
    Tool(ToolUpdate),
}

/// The state of a message.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConvUpdate {
    /// The conversation's id.
    pub conv_id: String,
    /// The message's id.
    pub message_id: String,
    /// The message above it.
    pub parent_id: Option<String>,
    /// The content.
    pub content_blocks: Vec<ContentBlock>,
    /// When, in milliseconds since 1970.
    pub timestamp: i64,
    /// Who speaks: `user`, `assistant` or `system`.
    pub source: String,
    /// Tokens, as far as they are known.
    pub token_usage: Option<TokenUsage>,
    /// The price.
    pub cost: Option<Amount>,
    /// Files, in any form.
    pub attachments: Vec<Value>,
    /// The duration in milliseconds.
    pub duration_ms: Option<u64>,
    /// Its calls.
    pub tool_calls: Vec<CallInfo>,
}

/// A piece of what a message says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContentBlock {
    /// The text.
    pub content: String,
    /// What it is: `text`, or `reasoning`.
    pub content_type: String,
}

/// A call in a [`ConvUpdate`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallInfo {
    /// Its id.
    pub id: String,
    /// The tool.
    pub tool_name: String,
    /// The status.
    pub status: Status,
    /// The arguments, as JSON text.
    pub parameters: String,
}

/// The state of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolUpdate {
    /// The conversation's id.
    pub conv_id: String,
    /// The message that makes the call.
    pub message_id: String,
    /// The call's id.
    pub tool_call_id: String,
    /// The tool.
    pub tool_name: String,
    /// The status.
    pub status: Status,
    /// The result, or what went wrong, as text.
    pub result: Option<String>,
}

impl Update {
    /// The record as JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Conv(update) => update.to_json(),
            Self::Tool(update) => update.to_json(),
        }
    }

    /// A record from JSON: that of a call if it names one, else that of a message. `None` for what is
    /// neither; fields that are not known are passed over.
    #[must_use]
    pub fn from_json(value: &Value) -> Option<Self> {
        match value.get("toolCallId").is_some() {
            true => ToolUpdate::from_json(value).map(Self::Tool),
            false => ConvUpdate::from_json(value).map(|update| Self::Conv(Box::new(update))),
        }
    }
}

/// The word in records, which have `complete` in two spellings.
fn status(from: &Object) -> Status {
    match text(from, "status").as_deref() {
        Some("executing" | "running") => Status::Executing,
        Some("complete" | "completed" | "success") => Status::Complete,
        Some("failed" | "error") => Status::Failed,
        _ => Status::Pending,
    }
}

impl ConvUpdate {
    /// The record as JSON, all of its fields.
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
        let blocks = self.content_blocks.iter();
        let blocks = blocks
            .map(|block| json!({"content": block.content, "contentType": block.content_type}));
        let calls = self.tool_calls.iter().map(CallInfo::to_json);
        json!({
            "convId": self.conv_id,
            "messageId": self.message_id,
            "parentId": self.parent_id,
            "contentBlocks": blocks.collect::<Value>(),
            "timestamp": self.timestamp,
            "source": self.source,
            "tokenUsage": usage,
            "costInfo": cost,
            "attachments": self.attachments,
            "durationMs": self.duration_ms,
            "toolCalls": calls.collect::<Value>(),
        })
    }

    /// A record from JSON; `None` without the id of a message.
    #[must_use]
    pub fn from_json(value: &Value) -> Option<Self> {
        let from = value.as_object()?;
        let usage = from.get("tokenUsage").and_then(Value::as_object);
        let cost = from.get("costInfo").and_then(Value::as_object);
        Some(Self {
            conv_id: text(from, "convId").unwrap_or_default(),
            message_id: text(from, "messageId")?,
            parent_id: text(from, "parentId").filter(|id| !id.is_empty()),
            content_blocks: list(from, "contentBlocks")
                .filter_map(ContentBlock::from_json)
                .collect(),
            timestamp: int(from, "timestamp").unwrap_or(0),
            source: text(from, "source").unwrap_or_else(|| "assistant".to_owned()),
            token_usage: usage.map(|usage| TokenUsage {
                input_tokens: count(usage, "inputTokens"),
                output_tokens: count(usage, "outputTokens"),
                cache_write_input_tokens: count(usage, "cacheCreationInputTokens"),
                cached_input_tokens: count(usage, "cacheReadInputTokens"),
                ..TokenUsage::default()
            }),
            cost: cost.and_then(|cost| text(cost, "totalCost")?.parse().ok()),
            attachments: list(from, "attachments").cloned().collect(),
            duration_ms: count(from, "durationMs"),
            tool_calls: list(from, "toolCalls")
                .filter_map(CallInfo::from_json)
                .collect(),
        })
    }
}

impl ContentBlock {
    fn from_json(value: &Value) -> Option<Self> {
        let plain = |content: &str| Self {
            content: content.to_owned(),
            content_type: "text".to_owned(),
        };
        let Value::Object(from) = value else {
            return value.as_str().map(plain);
        };
        let content = text(from, "content").or_else(|| text(from, "text"))?;
        let kind = text(from, "contentType").or_else(|| text(from, "type"));
        let mut block = plain(&content);
        if let Some(kind) = kind {
            block.content_type = kind.to_ascii_lowercase();
        }
        Some(block)
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
        let from = value.as_object()?;
        Some(Self {
            id: text(from, "id").or_else(|| text(from, "toolCallId"))?,
            tool_name: text(from, "toolName").unwrap_or_default(),
            status: status(from),
            parameters: json_text(from, "parameters").unwrap_or_default(),
        })
    }
}

impl ToolUpdate {
    /// The record as JSON, all of its fields.
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

    /// A record from JSON; `None` without the id of a call.
    #[must_use]
    pub fn from_json(value: &Value) -> Option<Self> {
        let from = value.as_object()?;
        let result = ["result", "output", "content"];
        Some(Self {
            conv_id: text(from, "convId").unwrap_or_default(),
            message_id: text(from, "messageId").unwrap_or_default(),
            tool_call_id: text(from, "toolCallId")?,
            tool_name: text(from, "toolName").unwrap_or_default(),
            status: status(from),
            result: result.iter().find_map(|key| json_text(from, key)),
        })
    }
}
