//! Defines the chunks of a markdown document: text and calls.

use serde_json::{Map, Value};

use crate::event::Object;

/// A part of a document, which is markdown or a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Chunk {
    /// Markdown as written.
    Text(String),
    /// A call parsed from a callout.
    Tool(Box<Callout>),
}

/// A call as written in a callout.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Callout {
    pub(crate) ordinal: u32,
    pub(crate) id: String,
    pub(crate) has_own_id: bool,
    pub(crate) name: String,
    pub(crate) state: Option<CalloutState>,
    pub(crate) input: Option<Value>,
    pub(crate) output: Option<Value>,
    pub(crate) error_text: Option<String>,
    pub(crate) extra: Object,
    pub(crate) source: String,
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

    /// Returns the word for the state in callouts.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(state, _)| *state == self)
            .map_or("", |(_, word)| word)
    }

    /// Parses the word for a state in callouts. Returns `None` for other words.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(_, known)| *known == word)
            .map(|(state, _)| *state)
    }
}

impl Callout {
    /// Creates a call with an explicit id and the ordinal 1.
    #[must_use]
    pub fn new(name: impl Into<String>, id: impl Into<String>) -> Self {
        Self {
            ordinal: 1,
            id: id.into(),
            has_own_id: true,
            name: name.into(),
            ..Self::default()
        }
    }

    /// Returns mutable references to the input and the output, if the call has them.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        [&mut self.input, &mut self.output].into_iter().flatten()
    }

    /// Returns the error to show: the error message of the callout, or a default message if the
    /// state is `output-error` or `output-denied`. Returns `None` for other calls.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        let error_text = self.error_text.as_deref();
        error_text.or(match self.state {
            Some(CalloutState::OutputError) => Some("An unknown tool error occurred."),
            Some(CalloutState::OutputDenied) => Some("Tool execution was denied."),
            _ => None,
        })
    }

    /// Returns the output of a call without a [`failure`](Self::failure). If the state is
    /// `output-available` and the callout has no output, the result is null. Returns `None` for
    /// other calls.
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

    /// Returns the position of the callout among the callouts of the text, starting at 1. Callouts
    /// that remained text are also counted.
    #[must_use]
    pub const fn ordinal(&self) -> u32 {
        self.ordinal
    }

    /// Returns the call's id. If the callout contains no id, the id is derived from the ordinal.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns true if the id is written in the callout and not derived from the ordinal.
    #[must_use]
    pub const fn has_own_id(&self) -> bool {
        self.has_own_id
    }

    /// Returns the tool's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the state of the call, if the callout has one.
    #[must_use]
    pub const fn state(&self) -> Option<CalloutState> {
        self.state
    }

    /// Sets the state of the call ([`Self::state`]).
    #[must_use]
    pub const fn with_state(mut self, state: CalloutState) -> Self {
        self.state = Some(state);
        self
    }

    /// Returns the input of the tool, if the callout has one. Null is a valid value.
    #[must_use]
    pub const fn input(&self) -> Option<&Value> {
        self.input.as_ref()
    }

    /// Sets the input of the tool ([`Self::input`]).
    #[must_use]
    pub fn with_input(mut self, input: Value) -> Self {
        self.input = Some(input);
        self
    }

    /// Returns the output of the tool, if the callout has one. Null is a valid value.
    #[must_use]
    pub const fn output(&self) -> Option<&Value> {
        self.output.as_ref()
    }

    /// Sets the output of the tool ([`Self::output`]).
    #[must_use]
    pub fn with_output(mut self, output: Value) -> Self {
        self.output = Some(output);
        self
    }

    /// Returns the error message, if the callout has one.
    #[must_use]
    pub fn error_text(&self) -> Option<&str> {
        self.error_text.as_deref()
    }

    /// Sets the error message ([`Self::error_text`]).
    #[must_use]
    pub fn with_error_text(mut self, error_text: impl Into<String>) -> Self {
        self.error_text = Some(error_text.into());
        self
    }

    /// Returns the fields of the callout that the format does not define, as written.
    #[must_use]
    pub const fn extra(&self) -> &Object {
        &self.extra
    }

    /// Sets the fields that the format does not define ([`Self::extra`]).
    #[must_use]
    pub fn with_extra(mut self, extra: Object) -> Self {
        self.extra = extra;
        self
    }

    /// Returns the markdown of the callout, without the line break at its end.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
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
        let mut insert_field = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                json.insert(key.to_owned(), value);
            }
        };
        insert_field("type", Some("tool".into()));
        insert_field("toolCallId", Some(call.id.as_str().into()));
        insert_field("toolName", Some(call.name.as_str().into()));
        insert_field("state", call.state.map(|state| state.as_str().into()));
        insert_field("input", call.input.clone());
        insert_field("output", call.output.clone());
        insert_field("errorText", call.error_text.as_deref().map(Value::from));
        let extra = Some(&call.extra).filter(|extra| !extra.is_empty());
        insert_field("extra", extra.cloned().map(Value::Object));
        Value::Object(json)
    }
}

/// Appends a chunk. Text is merged with a preceding text chunk; empty text is omitted.
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
