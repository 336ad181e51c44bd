//! What a text is made of: text and calls.

use serde_json::{Map, Value};

use crate::event::Object;

/// A piece of a text: markdown, or a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Chunk {
    /// Markdown as it was written.
    Text(String),
    /// A call.
    Tool(Box<Callout>),
}

/// A call as a callout tells it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Callout {
    /// Its place among the callouts of the text, from 1; those that stayed text count.
    pub ordinal: u32,
    /// The call's id; made from the ordinal where none was written.
    pub id: String,
    /// Whether the id was written.
    pub has_own_id: bool,
    /// The tool's name.
    pub name: String,
    /// The state of the call, if the callout has one.
    pub state: Option<CalloutState>,
    /// The input of the tool. Null is a value.
    pub input: Option<Value>,
    /// The output of the tool. Null is a value.
    pub output: Option<Value>,
    /// Why it failed.
    pub error_text: Option<String>,
    /// All other fields.
    pub extra: Object,
    /// The markdown that it was read from, without the line break at its end.
    pub source: String,
}

/// The progress of a call, in the words of callouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the words are those of the format")]
pub enum CalloutState {
    InputStreaming,
    InputAvailable,
    ApprovalRequested,
    ApprovalResponded,
    OutputAvailable,
    OutputError,
    OutputDenied,
}

impl CalloutState {
    const ALL: [(Self, &'static str); 7] = [
        (Self::InputStreaming, "input-streaming"),
        (Self::InputAvailable, "input-available"),
        (Self::ApprovalRequested, "approval-requested"),
        (Self::ApprovalResponded, "approval-responded"),
        (Self::OutputAvailable, "output-available"),
        (Self::OutputError, "output-error"),
        (Self::OutputDenied, "output-denied"),
    ];

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(state, _)| *state == self)
            .map_or("", |(_, word)| word)
    }

    /// The state with exactly this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(_, known)| *known == word)
            .map(|(state, _)| *state)
    }
}

impl Callout {
    /// The error to show, if the call failed: what the callout says, or a sentence for its state.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        let told = self.error_text.as_deref();
        told.or(match self.state {
            Some(CalloutState::OutputError) => Some("An unknown tool error occurred."),
            Some(CalloutState::OutputDenied) => Some("Tool execution was denied."),
            _ => None,
        })
    }

    /// The result, if the call has one; an error beats it.
    #[must_use]
    pub fn result(&self) -> Option<&Value> {
        if self.failure().is_some() {
            return None;
        }
        match self.state {
            Some(CalloutState::OutputAvailable) => {
                Some(self.output.as_ref().unwrap_or(&Value::Null))
            }
            _ => self.output.as_ref(),
        }
    }
}

impl Chunk {
    /// The markdown that the chunk was read from.
    #[must_use]
    pub fn source(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Tool(call) => &call.source,
        }
    }

    /// The chunk as JSON, for tools and tests. What is absent in a call has no key.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut json = Map::new();
        let call = match self {
            Self::Text(text) => {
                json.insert("type".into(), "text".into());
                json.insert("value".into(), text.as_str().into());
                return Value::Object(json);
            }
            Self::Tool(call) => call,
        };
        let mut put = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                json.insert(key.to_owned(), value);
            }
        };
        put("type", Some("tool".into()));
        put("toolCallId", Some(call.id.as_str().into()));
        put("toolName", Some(call.name.as_str().into()));
        put("state", call.state.map(|state| state.as_str().into()));
        put("input", call.input.clone());
        put("output", call.output.clone());
        put("errorText", call.error_text.as_deref().map(Value::from));
        let extra = Some(&call.extra).filter(|extra| !extra.is_empty());
        put("extra", extra.cloned().map(Value::Object));
        Value::Object(json)
    }
}

/// Adds a chunk; text goes on where text was.
pub(super) fn append(chunks: &mut Vec<Chunk>, chunk: Chunk) {
    match chunk {
        Chunk::Text(text) => append_text(chunks, &text),
        Chunk::Tool(_) => chunks.push(chunk),
    }
}

pub(super) fn append_text(chunks: &mut Vec<Chunk>, text: &str) {
    match chunks.last_mut() {
        _ if text.is_empty() => {}
        Some(Chunk::Text(before)) => before.push_str(text),
        _ => chunks.push(Chunk::Text(text.to_owned())),
    }
}
