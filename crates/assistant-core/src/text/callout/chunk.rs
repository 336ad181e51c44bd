//! The chunks of a markdown document: text and calls.

use serde_json::{Map, Value};

use crate::event::Object;

/// A part of a document: markdown, or a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Chunk {
    /// Markdown as written.
    Text(String),
    /// A call.
    Tool(Box<Callout>),
}

/// A call as written in a callout.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Callout {
    /// The position among the callouts of the text, from 1. Callouts that stayed text are counted.
    pub ordinal: u32,
    /// The call's id, derived from the ordinal if the callout has none.
    pub id: String,
    /// True if the callout contains the id.
    pub has_own_id: bool,
    /// The tool's name.
    pub name: String,
    /// The state of the call, if the callout has one.
    pub state: Option<CalloutState>,
    /// The input of the tool. Null is a valid value.
    pub input: Option<Value>,
    /// The output of the tool. Null is a valid value.
    pub output: Option<Value>,
    /// The error message.
    pub error_text: Option<String>,
    /// All other fields.
    pub extra: Object,
    /// The markdown of the callout, without the line break at its end.
    pub source: String,
}

/// The state of a call, as named in callouts.
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

    /// Returns the name of the state in callouts.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(state, _)| *state == self)
            .map_or("", |(_, word)| word)
    }

    /// Parses the name of a state in callouts.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(_, known)| *known == word)
            .map(|(state, _)| *state)
    }
}

impl Callout {
    /// Returns the error to show, if the call failed: the callout's message, or a default for its
    /// state.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        let given = self.error_text.as_deref();
        given.or(match self.state {
            Some(CalloutState::OutputError) => Some("An unknown tool error occurred."),
            Some(CalloutState::OutputDenied) => Some("Tool execution was denied."),
            _ => None,
        })
    }

    /// Returns the result, if the call has one; an error takes precedence.
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
    /// Returns the markdown of the chunk.
    #[must_use]
    pub fn source(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Tool(call) => &call.source,
        }
    }

    /// Returns the chunk as JSON, for tools and tests. Absent fields of a call have no key.
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

/// Appends a chunk; adjacent texts are merged.
pub(super) fn append_chunk(chunks: &mut Vec<Chunk>, chunk: Chunk) {
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
