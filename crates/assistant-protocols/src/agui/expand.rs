//! Expands chunk events into START, CONTENT and END events, so that later stages do not need to
//! handle chunks.
//!
//! Each sender (the parent agent or a subagent) has at most one open stream. Expansion runs after
//! decoding and before [`super::verify`], so that chunks and explicit events are checked by the
//! same rules.

use assistant_core::event::fault::ProtocolError;
use assistant_core::event::{Base, Event, EventKind, Role};
use assistant_core::limits::MAX_STREAMS;

const PARENT: &str = "(the parent agent)";

/// The kind of entity whose content is streamed in deltas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamKind {
    Text,
    Tool,
    Reasoning,
}

impl StreamKind {
    /// Creates the content event for a delta of this kind of stream.
    pub(super) const fn content_event(self, id: String, delta: String) -> EventKind {
        match self {
            Self::Text => EventKind::TextMessageContent {
                message_id: id,
                delta,
            },
            Self::Tool => EventKind::ToolCallArgs {
                tool_call_id: id,
                delta,
            },
            Self::Reasoning => EventKind::ReasoningMessageContent {
                message_id: id,
                delta,
            },
        }
    }

    /// Returns the event type of the chunk, the name of the entity, the name of its id field, and
    /// the names of the two fields that a later chunk may repeat but not change. For reasoning,
    /// these two names are empty.
    const fn names(self) -> (&'static str, &'static str, &'static str, [&'static str; 2]) {
        match self {
            Self::Text => (
                "TEXT_MESSAGE_CHUNK",
                "text message",
                "messageId",
                ["role", "name"],
            ),
            Self::Tool => (
                "TOOL_CALL_CHUNK",
                "tool call",
                "toolCallId",
                ["toolCallName", "parentMessageId"],
            ),
            Self::Reasoning => (
                "REASONING_MESSAGE_CHUNK",
                "reasoning message",
                "messageId",
                ["", ""],
            ),
        }
    }
}

/// A stream that was opened by a chunk.
#[derive(Debug, Clone)]
struct OpenStream {
    owner: Option<String>,
    kind: StreamKind,
    id: String,
    /// The role and the name in the opening chunk. For a call, the name of the tool and the id of
    /// the parent message.
    opened_with: [Option<String>; 2],
}

/// The fields of a chunk event of any kind.
struct ChunkFields {
    kind: StreamKind,
    id: Option<String>,
    /// The role and the name. For a call, the name of the tool and the id of the parent message.
    start_values: [Option<String>; 2],
    delta: Option<String>,
    base: Base,
}

/// An expander for chunk events. It passes other events through, preceded by the end events of the
/// streams that they end.
#[derive(Debug, Clone, Default)]
pub struct Expander {
    streams: Vec<OpenStream>,
}

impl Expander {
    /// Creates an expander without open streams.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends the expansion of `event` to `out`.
    ///
    /// # Errors
    ///
    /// Fails if a chunk continues no stream and lacks the fields to open a stream, contradicts the
    /// opening chunk, could continue several streams, or opens too many streams. The caller must
    /// remove the events that were appended before the error.
    pub fn expand(&mut self, event: Event, out: &mut Vec<Event>) -> Result<(), ProtocolError> {
        // Other events are moved as a whole, because an event is large and expensive to take apart.
        if !is_chunk(&event.kind) {
            self.close_streams_before(&event, out);
            out.push(event);
            return Ok(());
        }
        let Event { kind, base } = event;
        let (kind, id, start_values, delta) = match kind {
            EventKind::TextMessageChunk {
                message_id,
                role,
                delta,
                name,
            } => {
                let role = role.map(|role| role.as_str().to_owned());
                (StreamKind::Text, message_id, [role, name], delta)
            }
            EventKind::ToolCallChunk {
                tool_call_id,
                tool_call_name,
                parent_message_id,
                delta,
            } => {
                let start_values = [tool_call_name, parent_message_id];
                (StreamKind::Tool, tool_call_id, start_values, delta)
            }
            EventKind::ReasoningMessageChunk { message_id, delta } => {
                (StreamKind::Reasoning, message_id, [None, None], delta)
            }
            kind => {
                out.push(Event { kind, base });
                return Ok(());
            }
        };
        let chunk = ChunkFields {
            kind,
            id,
            start_values,
            delta,
            base,
        };
        self.expand_chunk(chunk, out)
    }

    /// Appends the end events of the streams that an explicit event ends.
    fn close_streams_before(&mut self, event: &Event, out: &mut Vec<Event>) {
        match &event.kind {
            EventKind::RunStarted { .. }
            | EventKind::RunFinished { .. }
            | EventKind::RunError { .. }
            | EventKind::MessagesSnapshot { .. } => {
                out.extend(self.streams.drain(..).map(create_end_event));
            }
            EventKind::SubagentFinished {
                subagent_run_id, ..
            }
            | EventKind::SubagentError {
                subagent_run_id, ..
            } => {
                self.close_stream_of(Some(subagent_run_id), out);
            }
            EventKind::Raw { .. }
            | EventKind::ActivitySnapshot { .. }
            | EventKind::ActivityDelta { .. }
            | EventKind::ReasoningEncryptedValue { .. }
            | EventKind::SubagentStarted { .. } => {}
            _ => self.close_stream_of(event.base.subagent_run_id.as_deref(), out),
        }
    }

    fn close_stream_of(&mut self, owner: Option<&str>, out: &mut Vec<Event>) {
        if let Some(index) = self
            .streams
            .iter()
            .position(|stream| stream.owner.as_deref() == owner)
        {
            out.push(create_end_event(self.streams.remove(index)));
        }
    }

    fn expand_chunk(
        &mut self,
        chunk: ChunkFields,
        out: &mut Vec<Event>,
    ) -> Result<(), ProtocolError> {
        if let Some(index) = self.find_stream(&chunk)?
            && let Some(stream) = self.streams.get(index)
        {
            return continue_stream(stream, chunk, out);
        }
        self.open_stream(chunk, out)
    }

    /// Returns the index of the open stream that the chunk continues. Only streams of the chunk's
    /// kind are considered. A chunk with an id continues the stream with this id. A chunk without
    /// an id continues the stream of its sender or, if it names no sender, the only stream. Returns
    /// `None` if the chunk opens a stream. Fails if the chunk could continue several streams, or if
    /// the stream with the id belongs to a different sender.
    fn find_stream(&self, chunk: &ChunkFields) -> Result<Option<usize>, ProtocolError> {
        let (event_type, entity, id_field, _) = chunk.kind.names();
        let subagent = chunk.base.subagent_run_id.as_deref();
        let mut same_kind_streams = self
            .streams
            .iter()
            .enumerate()
            .filter(|(_, stream)| stream.kind == chunk.kind);
        if let Some(id) = &chunk.id {
            let Some((index, stream)) = same_kind_streams.find(|(_, stream)| stream.id == *id)
            else {
                return Ok(None);
            };
            if subagent.is_some() && subagent != stream.owner.as_deref() {
                return Err(ProtocolError::sequence(format!(
                    "Cannot continue {entity} '{id}': chunk subagentRunId '{}' does not match the open stream's subagent '{}'.",
                    subagent.unwrap_or_default(),
                    stream.owner.as_deref().unwrap_or(PARENT)
                )));
            }
            return Ok(Some(index));
        }
        let candidates: Vec<(usize, &OpenStream)> = same_kind_streams.collect();
        let sender_stream = candidates
            .iter()
            .find(|(_, stream)| stream.owner.as_deref() == subagent);
        match (sender_stream, candidates.as_slice()) {
            (Some((index, _)), _) => Ok(Some(*index)),
            (None, [(index, _)]) if subagent.is_none() => Ok(Some(*index)),
            (None, [_, _, ..]) if subagent.is_none() => Err(ProtocolError::sequence(format!(
                "Ambiguous {event_type}: it carries neither a {id_field} nor a subagentRunId, but {} lanes have an open {entity}. Attribute the chunk to the subagent it belongs to.",
                candidates.len()
            ))),
            _ => Ok(None),
        }
    }

    /// Opens a stream for the chunk's sender, and ends the sender's earlier stream.
    fn open_stream(
        &mut self,
        chunk: ChunkFields,
        out: &mut Vec<Event>,
    ) -> Result<(), ProtocolError> {
        let ChunkFields {
            kind,
            id,
            start_values: [first_value, second_value],
            delta,
            base,
        } = chunk;
        let (event_type, _, id_field, [first_field, _]) = kind.names();
        let Some(id) = id else {
            return Err(missing_field_error(event_type, id_field));
        };
        let first_value = match kind {
            StreamKind::Tool if first_value.is_none() => {
                return Err(missing_field_error(event_type, first_field));
            }
            StreamKind::Text => first_value.or_else(|| Some(Role::Assistant.as_str().to_owned())),
            _ => first_value,
        };
        self.close_stream_of(base.subagent_run_id.as_deref(), out);
        if self.streams.len() >= MAX_STREAMS {
            return Err(ProtocolError::new(
                "too-many-streams",
                "Too many chunked streams are open at once.",
            ));
        }
        let stream = OpenStream {
            owner: base.subagent_run_id.clone(),
            kind,
            id,
            opened_with: [first_value, second_value],
        };
        let start_base = Base {
            metadata: base.metadata.clone(),
            subagent_run_id: base.subagent_run_id.clone(),
            ..Base::default()
        };
        out.push(Event {
            kind: create_start_event(&stream),
            base: start_base,
        });
        if delta.is_some() || base.raw_event.is_some() {
            out.push(create_content_event(&stream, None, delta, base));
        }
        self.streams.push(stream);
        Ok(())
    }
}

const fn is_chunk(kind: &EventKind) -> bool {
    matches!(
        kind,
        EventKind::TextMessageChunk { .. }
            | EventKind::ToolCallChunk { .. }
            | EventKind::ReasoningMessageChunk { .. }
    )
}

fn continue_stream(
    stream: &OpenStream,
    chunk: ChunkFields,
    out: &mut Vec<Event>,
) -> Result<(), ProtocolError> {
    let (_, entity, _, names) = stream.kind.names();
    let values = chunk.start_values.iter().zip(&stream.opened_with);
    for ((value, opening_value), name) in values.zip(names) {
        let Some(value) = value else { continue };
        if Some(value) == opening_value.as_ref() {
            continue;
        }
        let opening_value = match opening_value {
            Some(opening_value) => format!("'{opening_value}'"),
            None => "(absent)".to_owned(),
        };
        return Err(ProtocolError::sequence(format!(
            "Cannot continue {entity} '{}': chunk {name} '{value}' does not match the open stream's {name} {opening_value}.",
            stream.id
        )));
    }
    let ChunkFields {
        id, delta, base, ..
    } = chunk;
    if delta.is_some() || base.raw_event.is_some() || base.metadata.is_some() {
        out.push(create_content_event(stream, id, delta, base));
    }
    Ok(())
}

fn missing_field_error(event_type: &str, field: &str) -> ProtocolError {
    ProtocolError::sequence(format!("First {event_type} must have a {field}"))
}

fn create_start_event(stream: &OpenStream) -> EventKind {
    let [first_value, second_value] = stream.opened_with.clone();
    let id = stream.id.clone();
    match stream.kind {
        StreamKind::Text => EventKind::TextMessageStart {
            message_id: id,
            role: first_value.as_deref().and_then(Role::parse),
            name: second_value,
        },
        StreamKind::Tool => EventKind::ToolCallStart {
            tool_call_id: id,
            tool_call_name: first_value.unwrap_or_default(),
            parent_message_id: second_value,
        },
        StreamKind::Reasoning => EventKind::ReasoningMessageStart { message_id: id },
    }
}

/// Creates a content event for a chunk of a stream, without the chunk's timestamp. If the chunk has
/// no id or no sender, the event has the id or the sender of the stream.
fn create_content_event(
    stream: &OpenStream,
    id: Option<String>,
    delta: Option<String>,
    mut base: Base,
) -> Event {
    let id = id.unwrap_or_else(|| stream.id.clone());
    let delta = delta.unwrap_or_default();
    base.timestamp = None;
    if base.subagent_run_id.is_none() {
        base.subagent_run_id.clone_from(&stream.owner);
    }
    let kind = stream.kind.content_event(id, delta);
    Event { kind, base }
}

fn create_end_event(stream: OpenStream) -> Event {
    let OpenStream {
        owner, kind, id, ..
    } = stream;
    let kind = match kind {
        StreamKind::Text => EventKind::TextMessageEnd { message_id: id },
        StreamKind::Tool => EventKind::ToolCallEnd { tool_call_id: id },
        StreamKind::Reasoning => EventKind::ReasoningMessageEnd { message_id: id },
    };
    Event {
        kind,
        base: Base {
            subagent_run_id: owner,
            ..Base::default()
        },
    }
}
