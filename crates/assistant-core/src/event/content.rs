//! Content of messages: plain text, or a list of typed parts (text, image, audio, video, document).

use serde_json::Value;

/// The content of a user or tool message.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Plain text.
    Text(String),
    /// Typed parts, in order.
    Parts(Vec<ContentPart>),
}

impl Content {
    /// The text in it: itself, or its text parts joined by line breaks (rule "results on the wire", for display).
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

/// One part of a content list.
#[derive(Debug, Clone, PartialEq)]
pub struct ContentPart {
    /// Its id, if the producer gave one.
    pub id: Option<String>,
    /// Open metadata.
    pub metadata: Option<Value>,
    /// What it is.
    pub body: PartBody,
}

/// The body of a content part.
#[derive(Debug, Clone, PartialEq)]
pub enum PartBody {
    /// Text.
    Text(String),
    /// A file of some kind.
    Media {
        /// `image`, `audio`, `video` or `document`.
        kind: String,
        /// Where its bytes are.
        source: Source,
    },
}

/// The place of a media part's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// In the message itself, as base64.
    Data {
        /// The bytes as base64.
        value: String,
        /// Their media type.
        mime_type: String,
    },
    /// At an address. Never fetched without the host's leave.
    Url {
        /// The address.
        value: String,
        /// The media type, if known.
        mime_type: Option<String>,
    },
    /// An opaque handle of a provider. Never fetched, never parsed.
    File {
        /// The handle.
        value: String,
        /// Whose handle it is.
        provider: Option<String>,
        /// The media type, if known.
        mime_type: Option<String>,
    },
}
