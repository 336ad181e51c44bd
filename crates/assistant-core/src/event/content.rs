//! Defines the content of messages: plain text, or a list of parts (text, image, audio, video or
//! document).

use serde_json::Value;

/// The content of a user or tool message.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Plain text.
    Text(String),
    /// A list of parts, in order.
    Parts(Vec<ContentPart>),
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<ContentPart>> for Content {
    fn from(parts: Vec<ContentPart>) -> Self {
        Self::Parts(parts)
    }
}

impl Content {
    /// Returns the text, or the text parts joined by line breaks, for display.
    #[must_use]
    pub fn display_text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Parts(parts) => {
                let texts: Vec<&str> = parts
                    .iter()
                    .filter_map(|part| match &part.body {
                        PartBody::Text(text) => Some(text.as_str()),
                        PartBody::Media { .. } => None,
                    })
                    .collect();
                texts.join("\n")
            }
        }
    }
}

/// One part of a message's content.
#[derive(Debug, Clone, PartialEq)]
pub struct ContentPart {
    /// The id of the part, if the producer set one.
    pub id: Option<String>,
    /// The metadata of the part, which may be any JSON value.
    pub metadata: Option<Value>,
    /// The text or the media of the part.
    pub body: PartBody,
}

/// The body of a content part.
#[derive(Debug, Clone, PartialEq)]
pub enum PartBody {
    /// A piece of plain text.
    Text(String),
    /// An image, a sound, a video or a document.
    Media {
        /// The kind of the file: `image`, `audio`, `video` or `document`.
        kind: String,
        /// The location of the file's data.
        source: Source,
    },
}

/// The location of a file's data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Base64-encoded data inside the message.
    Data {
        /// The base64-encoded data.
        value: String,
        /// The media type of the data.
        mime_type: String,
    },
    /// Data at a URL, which is fetched only if the host permits it.
    Url {
        /// The URL of the data.
        value: String,
        /// The media type of the data, if known.
        mime_type: Option<String>,
    },
    /// An opaque handle that a provider issued. The handle is neither fetched nor parsed.
    File {
        /// The handle, as the provider issued it.
        value: String,
        /// The provider that issued the handle, if known.
        provider: Option<String>,
        /// The media type of the data, if known.
        mime_type: Option<String>,
    },
}
