//! Shapes of older AG-UI producers, rewritten to 1.0 before anything is decoded.
//!
//! Always on, strict or not: a retired shape is itself the proof that the peer is old, and on a
//! current stream nothing here applies. Only a few named fields are looked at; nothing walks the
//! payload. Other nulls on optional fields are the decoder's business ([`super::Options::strict`]).

use serde_json::Value;

use super::fault::{Notes, quote};
use crate::event::{Diagnostic, Object};

/// The shims, with what they remember between events.
#[derive(Debug, Clone, Default)]
pub struct Compat {
    run_id: String,
    minted: u64,
    span: Option<String>,
    message: Option<String>,
}

impl Compat {
    /// Shims at the start of a stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Rewrites one event in place.
    pub fn upgrade(&mut self, event: &mut Object, notes: &mut Notes) {
        let Some(Value::String(kind)) = event.get("type") else {
            return;
        };
        match kind.as_str() {
            "RUN_STARTED" => {
                if let Some(Value::String(run_id)) = event.get("runId") {
                    self.run_id.clone_from(run_id);
                }
                if let Some(Value::Object(input)) = event.get_mut("input") {
                    upgrade_input(input, notes);
                }
            }
            "RUN_FINISHED" => {
                drop_null(event, "RUN_FINISHED", "outcome", notes);
                drop_null(event, "RUN_FINISHED", "result", notes);
            }
            "SUBAGENT_FINISHED" => drop_null(event, "SUBAGENT_FINISHED", "result", notes),
            "TOOL_CALL_START" => drop_null(event, "TOOL_CALL_START", "parentMessageId", notes),
            "TOOL_CALL_CHUNK" => drop_null(event, "TOOL_CALL_CHUNK", "parentMessageId", notes),
            "TOOL_CALL_RESULT" => upgrade_content(event, notes),
            "MESSAGES_SNAPSHOT" => upgrade_messages(event, notes),
            "THINKING_START"
            | "THINKING_END"
            | "THINKING_TEXT_MESSAGE_START"
            | "THINKING_TEXT_MESSAGE_CONTENT"
            | "THINKING_TEXT_MESSAGE_END" => {
                let old = kind.clone();
                self.thinking(event, &old, notes);
            }
            _ => {}
        }
        if let Some(Value::Null) = event.get("rawEvent") {
            event.shift_remove("rawEvent");
            let kind = event
                .get("type")
                .and_then(Value::as_str)
                .unwrap_or_default();
            notes.null(kind, "rawEvent");
        }
    }

    /// Thinking became reasoning, and reasoning carries ids: a span and a message each get one.
    fn thinking(&mut self, event: &mut Object, old: &str, notes: &mut Notes) {
        let (new, id) = match old {
            "THINKING_START" => {
                let id = self.mint();
                self.span = Some(id.clone());
                if event.shift_remove("title").is_some() {
                    let message = "THINKING_START.title was dropped: REASONING_START has none.";
                    notes.add(Diagnostic::new("legacy", message));
                }
                ("REASONING_START", id)
            }
            "THINKING_END" => {
                let id = self.span.take().unwrap_or_else(|| self.mint());
                ("REASONING_END", id)
            }
            "THINKING_TEXT_MESSAGE_START" => {
                let id = self.mint();
                self.message = Some(id.clone());
                event.insert("role".to_owned(), Value::from("reasoning"));
                ("REASONING_MESSAGE_START", id)
            }
            "THINKING_TEXT_MESSAGE_END" => {
                let id = self.message.take().unwrap_or_else(|| self.mint());
                ("REASONING_MESSAGE_END", id)
            }
            _ => {
                let id = self.message.clone().unwrap_or_else(|| self.mint());
                ("REASONING_MESSAGE_CONTENT", id)
            }
        };
        event.insert("type".to_owned(), Value::from(new));
        event.insert("messageId".to_owned(), Value::from(id));
        notes.add(Diagnostic::new(
            "legacy",
            format!("The retired {old} is read as {new}."),
        ));
    }

    /// An id that no other run of the conversation has: run ids are fresh.
    fn mint(&mut self) -> String {
        self.minted += 1;
        format!("{}-thinking-{}", self.run_id, self.minted)
    }
}

fn drop_null(object: &mut Object, place: &str, field: &'static str, notes: &mut Notes) {
    if let Some(Value::Null) = object.get(field) {
        object.shift_remove(field);
        notes.null(place, field);
    }
}

fn upgrade_input(input: &mut Object, notes: &mut Notes) {
    drop_null(input, "RUN_STARTED.input", "forwardedProps", notes);
    for tool in objects(input, "tools") {
        drop_null(tool, "RUN_STARTED.input.tools", "parameters", notes);
    }
    for entry in objects(input, "resume") {
        drop_null(entry, "RUN_STARTED.input.resume", "payload", notes);
    }
    upgrade_messages(input, notes);
}

fn upgrade_messages(holder: &mut Object, notes: &mut Notes) {
    for message in objects(holder, "messages") {
        upgrade_content(message, notes);
    }
}

/// Rewrites the content parts of one message, or of a tool result.
pub(super) fn upgrade_content(message: &mut Object, notes: &mut Notes) {
    for part in objects(message, "content") {
        match part.get("type").and_then(Value::as_str) {
            Some("binary") => upgrade_binary(part, notes),
            Some("image" | "audio" | "video" | "document") => {
                drop_null(part, "content", "metadata", notes);
            }
            _ => {}
        }
    }
}

/// The objects in an array field; nothing if there is no array.
fn objects<'a>(
    holder: &'a mut Object,
    field: &str,
) -> impl Iterator<Item = &'a mut Object> + use<'a> {
    holder
        .get_mut(field)
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
        .filter_map(Value::as_object_mut)
}

/// `binary` parts became image, audio, video and document. One that says too little stays as it
/// is, and the decoder removes it as unknown.
fn upgrade_binary(part: &mut Object, notes: &mut Notes) {
    let Some(Value::String(mime_type)) = part.get("mimeType") else {
        return;
    };
    let mime_type = mime_type.clone();
    let sources = [("data", "data"), ("url", "url"), ("id", "file")];
    let found = sources
        .iter()
        .find(|(field, _)| matches!(part.get(*field), Some(Value::String(_))));
    let Some((field, source_type)) = found else {
        return;
    };
    let Some(value) = part.shift_remove(*field) else {
        return;
    };
    let kind = match mime_type.split('/').next() {
        Some("image") => "image",
        Some("audio") => "audio",
        Some("video") => "video",
        _ => "document",
    };
    let mut source = Object::new();
    source.insert("type".to_owned(), Value::from(*source_type));
    source.insert("value".to_owned(), value);
    source.insert("mimeType".to_owned(), Value::from(mime_type.clone()));
    for field in ["mimeType", "data", "url", "id"] {
        part.shift_remove(field);
    }
    part.insert("type".to_owned(), Value::from(kind));
    part.insert("source".to_owned(), Value::Object(source));
    if let Some(name @ Value::String(_)) = part.shift_remove("filename") {
        let metadata = part
            .entry("metadata")
            .or_insert_with(|| Value::Object(Object::new()));
        if let Value::Object(metadata) = metadata {
            metadata.insert("filename".to_owned(), name);
        }
    }
    let message = format!(
        "A retired binary part ({}) is read as {kind}.",
        quote(&mime_type)
    );
    notes.add(Diagnostic::new("legacy", message));
}
