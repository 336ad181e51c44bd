//! Defines the parts of a message, and converts content to parts.

use serde_json::Value;

use super::CallKey;
use crate::event::{Content, ContentPart, Object, PartBody};

/// A part of a message.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Part {
    /// A text.
    Text(TextPart),
    /// Reasoning of the model.
    Reasoning(TextPart),
    /// A tool call, as a key for [`Conversation::call`](super::Conversation::call).
    Call(CallKey),
    /// A tool result whose call is unknown or has not arrived yet.
    ToolResult(ToolResultPart),
    /// An image, an audio file, a video or a document.
    File(ContentPart),
    /// Structured data of a type that the agent defines, such as an activity.
    Data(DataPart),
    /// A source that the answer cites.
    Source(SourcePart),
    /// A part of an unknown type, which is stored unchanged.
    Unknown(Value),
}

impl Part {
    /// Returns the key of the tool call, or `None` if the part is not a call.
    #[must_use]
    pub const fn call_key(&self) -> Option<CallKey> {
        match self {
            Self::Call(key) => Some(*key),
            _ => None,
        }
    }

    /// Returns the text of a text part, or `None` for other parts.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(part) => Some(&part.text),
            _ => None,
        }
    }
}

/// A text or reasoning that may still grow.
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
    /// Returns the fields that this type does not define, such as the id and the metadata. They are
    /// stored unchanged.
    #[must_use]
    pub const fn extra(&self) -> &Object {
        &self.extra
    }

    /// Returns the text that has arrived so far.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns true while more text is expected.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        self.open
    }

    /// Returns the number of times that the text was replaced. While the number stays the same, the
    /// text only grows.
    #[must_use]
    pub const fn generation(&self) -> u32 {
        self.generation
    }

    /// Returns the period in which reasoning was written. Returns `None` for other text, or if the
    /// period is unknown.
    #[must_use]
    pub const fn span(&self) -> Option<Span> {
        self.span
    }

    /// Creates a complete text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }
}

/// A period of time, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub(crate) started_at: i64,
    pub(crate) ended_at: Option<i64>,
}

impl Span {
    /// Creates a period. A period without an end has not ended yet.
    #[must_use]
    pub const fn new(started_at: i64, ended_at: Option<i64>) -> Self {
        Self {
            started_at,
            ended_at,
        }
    }

    /// Returns the duration in milliseconds, or `None` while the period lasts. The duration is 0 if
    /// the clock was set back.
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

    /// Returns the end of the period in milliseconds since 1970, or `None` while the period lasts.
    #[must_use]
    pub const fn ended_at(&self) -> Option<i64> {
        self.ended_at
    }
}

/// A tool result whose call is not known.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolResultPart {
    /// The id of the call to which the result belongs.
    pub(crate) tool_call_id: String,
    /// The tool's name, if the result contains it.
    pub(crate) tool_name: Option<String>,
    pub(crate) output: Value,
    /// The content of the tool message, if known.
    pub(crate) content: Option<Content>,
    /// The unknown fields, which are stored unchanged.
    pub(crate) extra: Object,
}

impl ToolResultPart {
    /// Returns the output of the tool.
    #[must_use]
    pub const fn output(&self) -> &Value {
        &self.output
    }
}

/// A source that an answer cites: a web page or a document.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct SourcePart {
    /// The id of the source.
    pub(crate) source_id: String,
    pub(crate) url: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) media_type: Option<String>,
    pub(crate) filename: Option<String>,
    /// The unknown fields, which are stored unchanged.
    pub(crate) extra: Object,
}

impl SourcePart {
    /// Returns the URL of a web page. The URL is never fetched, and a link to it follows the rules
    /// for links.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// Returns the media type of a document, if known.
    #[must_use]
    pub fn media_type(&self) -> Option<&str> {
        self.media_type.as_deref()
    }

    /// Returns the file name of a document, if known.
    #[must_use]
    pub fn filename(&self) -> Option<&str> {
        self.filename.as_deref()
    }

    /// Returns the title of the source, if known.
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
    /// Returns the unknown fields, which are stored unchanged.
    #[must_use]
    pub const fn extra(&self) -> &Object {
        &self.extra
    }

    /// Returns the name of the data's type, such as the type of an activity.
    #[must_use]
    pub fn data_type(&self) -> &str {
        &self.data_type
    }

    /// Returns the data as JSON.
    #[must_use]
    pub const fn data(&self) -> &Value {
        &self.data
    }
}

/// Converts content to parts: plain text to one text part, or a list to one part for each text or
/// file.
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
