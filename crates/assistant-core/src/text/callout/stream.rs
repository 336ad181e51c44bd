//! Converts chunks to stream events. A single text block surrounds the whole text, with calls
//! between its parts.

use serde_json::{Map, Value, json};

use super::Chunk;

/// The id of the only text block.
const TEXT_ID: &str = "text-1";

/// A stream event of a text with calls.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum StreamChunk {
    /// The start of the text.
    TextStart,
    /// A piece of the text.
    TextDelta(String),
    /// A call with its input.
    ToolInputAvailable {
        /// The call's id.
        id: String,
        /// The tool's name.
        name: String,
        /// The input, or an empty object if the callout has no input.
        input: Value,
    },
    /// The result of a call.
    ToolOutputAvailable {
        /// The call's id.
        id: String,
        /// The output of the tool.
        output: Value,
    },
    /// The failure of a call.
    ToolOutputError {
        /// The call's id.
        id: String,
        /// The error message.
        error_text: String,
    },
    /// The end of the text.
    TextEnd,
    /// The end of the stream, with the lengths of the texts.
    Finish(Usage),
}

/// The lengths of texts in UTF-16 code units, reported instead of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// The length of the user's message.
    pub(crate) input: usize,
    /// The length of the answer.
    pub(crate) output: usize,
}

/// Returns the events for `chunks`, which answer `user_query` and were parsed from `markdown`.
/// Every text chunk becomes a delta.
#[must_use]
pub fn create_stream_chunks(
    chunks: &[Chunk],
    user_query: &str,
    markdown: &str,
) -> Vec<StreamChunk> {
    let mut events = vec![StreamChunk::TextStart];
    for chunk in chunks {
        let call = match chunk {
            Chunk::Text(text) => {
                events.push(StreamChunk::TextDelta(text.clone()));
                continue;
            }
            Chunk::Tool(call) => call,
        };
        let input = call.input.clone().filter(|input| !input.is_null());
        events.push(StreamChunk::ToolInputAvailable {
            id: call.id.clone(),
            name: call.name.clone(),
            input: input.unwrap_or_else(|| Value::Object(Map::new())),
        });
        let id = call.id.clone();
        if let Some(error) = call.failure() {
            let error_text = error.to_owned();
            events.push(StreamChunk::ToolOutputError { id, error_text });
        } else if let Some(output) = call.result().cloned() {
            events.push(StreamChunk::ToolOutputAvailable { id, output });
        }
    }
    events.push(StreamChunk::TextEnd);
    events.push(StreamChunk::Finish(Usage {
        input: user_query.encode_utf16().count(),
        output: markdown.encode_utf16().count(),
    }));
    events
}

impl StreamChunk {
    /// Returns the event as JSON in the format of AI SDK streams.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::TextStart => json!({"type": "text-start", "id": TEXT_ID}),
            Self::TextDelta(delta) => json!({"type": "text-delta", "id": TEXT_ID, "delta": delta}),
            Self::ToolInputAvailable { id, name, input } => json!({
                "type": "tool-input-available", "toolCallId": id, "toolName": name, "input": input
            }),
            Self::ToolOutputAvailable { id, output } => {
                json!({"type": "tool-output-available", "toolCallId": id, "output": output})
            }
            Self::ToolOutputError { id, error_text } => {
                json!({"type": "tool-output-error", "toolCallId": id, "errorText": error_text})
            }
            Self::TextEnd => json!({"type": "text-end", "id": TEXT_ID}),
            Self::Finish(usage) => json!({
                "type": "finish",
                "finishReason": "stop",
                "usage": {
                    "inputTokens": usage.input,
                    "outputTokens": usage.output,
                    "totalTokens": usage.input + usage.output,
                }
            }),
        }
    }
}
