//! Defines the parts of a message, and creates them from content.

use serde_json::Value;

use super::CallKey;
use crate::event::{Content, ContentPart, Object, PartBody};

/// One part of a message.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Part {
    /// A text.
    Text(TextPart),
    /// A text with the reasoning of the model.
    Reasoning(TextPart),
    /// A tool call, by its key in the conversation
    /// ([`Conversation::call`](super::Conversation::call)).
    Call(CallKey),
    /// A tool result whose call is not known, or not known yet.
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
    /// Returns the key of the tool call; `None` if the part is not a call.
    #[must_use]
    pub const fn call_key(&self) -> Option<CallKey> {
        match self {
            Self::Call(key) => Some(*key),
            _ => None,
        }
    }

    /// Returns the text of a text part; `None` for other parts.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(part) => Some(&part.text),
            _ => None,
        }
    }
}

/// A text that may still grow.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct TextPart {
    pub(crate) text: String,
    pub(crate) open: bool,
    pub(crate) generation: u32,
    pub(crate) span: Option<Span>,
    pub(crate) extra: Object,
}

impl TextPart {
    /// Returns the other properties, such as the id and the metadata, stored unchanged.
    #[must_use]
    pub const fn extra(&self) -> &Object {
        &self.extra
    }

    /// Returns the text so far.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns true while more text is expected.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        self.open
    }

    /// Returns the number of times that the text was replaced. Within one generation, the text only
    /// grows.
    #[must_use]
    pub const fn generation(&self) -> u32 {
        self.generation
    }

    /// Returns the period in which reasoning was written; `None` for other text, and if the period
    /// is unknown.
    #[must_use]
    pub const fn span(&self) -> Option<Span> {
        self.span
    }

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
    pub(crate) started_at: i64,
    pub(crate) ended_at: Option<i64>,
}

impl Span {
    /// Creates a period. Without an end, the period still lasts.
    #[must_use]
    pub const fn new(started_at: i64, ended_at: Option<i64>) -> Self {
        Self {
            started_at,
            ended_at,
        }
    }

    /// Returns the duration in milliseconds; `None` while the period lasts. 0 if the clock was set
    /// back.
    #[must_use]
    pub fn duration(&self) -> Option<u64> {
        let ms = self.ended_at?.saturating_sub(self.started_at);
        Some(u64::try_from(ms).unwrap_or(0))
    }

    /// Returns the start of the period, in milliseconds since 1970.
    #[must_use]
    pub const fn started_at(&self) -> i64 {
        self.started_at
    }

    /// Returns the end of the period, in milliseconds since 1970; `None` while the period lasts.
    #[must_use]
    pub const fn ended_at(&self) -> Option<i64> {
        self.ended_at
    }
}

/// A tool result without its call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolResultPart {
    /// The id of the call that the result answers.
    pub(crate) tool_call_id: String,
    /// The tool's name, if given.
    pub(crate) tool_name: Option<String>,
    pub(crate) output: Value,
    /// The content of the tool message, if known.
    pub(crate) content: Option<Content>,
    /// Unknown fields, stored unchanged.
    pub(crate) extra: Object,
}

impl ToolResultPart {
    /// Returns the result.
    #[must_use]
    pub const fn output(&self) -> &Value {
        &self.output
    }
}

/// A source that an answer cites: a web page or a document.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct SourcePart {
    /// The part's id.
    pub(crate) source_id: String,
    pub(crate) url: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) media_type: Option<String>,
    pub(crate) filename: Option<String>,
    /// Unknown fields, stored unchanged.
    pub(crate) extra: Object,
}

impl SourcePart {
    /// Returns the URL of a web page. It is never fetched; a link to it follows the rules for
    /// links.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// Returns the media type of a document.
    #[must_use]
    pub fn media_type(&self) -> Option<&str> {
        self.media_type.as_deref()
    }

    /// Returns the file name of a document.
    #[must_use]
    pub fn filename(&self) -> Option<&str> {
        self.filename.as_deref()
    }

    /// Returns the title.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }
}

/// Structured data of a type that the agent defines.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DataPart {
    pub(crate) data_type: String,
    pub(crate) data: Value,
    pub(crate) extra: Object,
}

impl DataPart {
    /// Returns the unknown fields, stored unchanged.
    #[must_use]
    pub const fn extra(&self) -> &Object {
        &self.extra
    }

    /// Returns the name of the type, such as that of an activity.
    #[must_use]
    pub fn data_type(&self) -> &str {
        &self.data_type
    }

    /// Returns the data.
    #[must_use]
    pub const fn data(&self) -> &Value {
        &self.data
    }
}

/// Converts content to parts: a text to one text part, a list to one part for each text or file.
pub(super) fn parts_from_content(content: Content) -> Vec<Part> {
    let parts = match content {
        Content::Text(text) => return vec![Part::Text(TextPart::new(text))],
        Content::Parts(parts) => parts,
    };
    let parts = parts.into_iter().map(|part| match part.body {
        PartBody::Text(text) => {
            let mut extra = Object::new();
            if let Some(id) = part.id {
                extra.insert("id".to_owned(), id.into());
            }
            if let Some(metadata) = part.metadata {
                extra.insert("metadata".to_owned(), metadata);
            }
            Part::Text(TextPart {
                extra,
                ..TextPart::new(text)
            })
        }
        PartBody::Media { .. } => Part::File(part),
    });
    parts.collect()
}
