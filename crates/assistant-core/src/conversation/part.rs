//! The parts of a message.

use serde_json::Value;

use super::CallKey;
use crate::event::{Content, ContentPart, Object};

/// One part of a message.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Part {
    /// Text.
    Text(TextPart),
    /// Reasoning of the model.
    Reasoning(TextPart),
    /// A tool call of the conversation: [`Conversation::call`](super::Conversation::call) has it.
    Call(CallKey),
    /// A tool result without its call, which is not (or not yet) known.
    ToolResult(ToolResultPart),
    /// A file: image, audio, video or document.
    File(ContentPart),
    /// Structured data of a type that the agent defines, such as an activity.
    Data(DataPart),
    /// A source of the answer.
    Source(SourcePart),
    /// A part of unknown type, stored unchanged.
    Unknown(Value),
}

impl Part {
    /// Returns the key of the tool call, if it is one.
    #[must_use]
    pub const fn call_key(&self) -> Option<CallKey> {
        match self {
            Self::Call(key) => Some(*key),
            _ => None,
        }
    }

    /// Returns the text in it, if it is a text part.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(part) => Some(&part.text),
            _ => None,
        }
    }
}

/// Text that may still grow.
#[derive(Debug, Clone, Default)]
pub struct TextPart {
    /// The text so far.
    pub text: String,
    /// True while more is expected.
    pub open: bool,
    /// Counts how often the text was replaced. Within one generation it only grows.
    pub generation: u32,
    /// The times of its start and of its last end, for reasoning only.
    pub span: Option<Span>,
    /// Other properties such as id and metadata, stored unchanged.
    pub extra: Object,
}

impl TextPart {
    /// Creates a finished text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }
}

/// A period, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The time of its start.
    pub started_at: i64,
    /// The time of its end, if it has ended.
    pub ended_at: Option<i64>,
}

impl Span {
    /// Returns the duration in milliseconds, once it has ended.
    #[must_use]
    pub fn duration(&self) -> Option<u64> {
        let ms = self.ended_at?.saturating_sub(self.started_at);
        // Unknown if the clock was set back in between.
        Some(u64::try_from(ms).unwrap_or(0))
    }
}

/// A tool result without its call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResultPart {
    /// The id of the call that it answers.
    pub tool_call_id: String,
    /// The tool's name, if given.
    pub tool_name: Option<String>,
    /// The result.
    pub output: Value,
    /// The content of its tool message, if it has one.
    pub content: Option<Content>,
    /// Unknown fields, stored unchanged.
    pub extra: Object,
}

/// A source of something in an answer: a page, or a document.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SourcePart {
    /// The part's id.
    pub source_id: String,
    /// The address of a page. Never fetched; a link to it follows the rules for links.
    pub url: Option<String>,
    /// The title.
    pub title: Option<String>,
    /// The media type of a document.
    pub media_type: Option<String>,
    /// The file name of a document.
    pub filename: Option<String>,
    /// Unknown fields, stored unchanged.
    pub extra: Object,
}

/// Structured data of a type that the agent defines.
#[derive(Debug, Clone, PartialEq)]
pub struct DataPart {
    /// The type's name, such as an activity's.
    pub data_type: String,
    /// The data.
    pub data: Value,
    /// Unknown fields, stored unchanged.
    pub extra: Object,
}
