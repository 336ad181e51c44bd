//! Shapes of older AG-UI producers, rewritten to 1.0 before anything is decoded.
//!
//! Always on, strict or not: a retired shape is itself the proof that the peer is old, and on a
//! current stream nothing here applies. Only a few named fields are looked at; nothing walks the
//! payload. Other nulls on optional fields are the decoder's business ([`super::Options::strict`]).

use serde_json::Value;

use super::fault::{Notes, quote};
use super::frame::Frame;
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
    pub fn upgrade(&mut self, event: &mut Frame, notes: &mut Notes) {
        let Some(Value::String(kind)) = event.get("type") else {
            return;
        };
        let nulls: (&str, &[&'static str]) = match kind.as_str() {
            // Nothing of these was ever different.
            "TEXT_MESSAGE_CONTENT" | "TOOL_CALL_ARGS" => ("", &[]),
            "RUN_STARTED" => {
                if let Some(Value::String(run_id)) = event.get("runId") {
                    self.run_id.clone_from(run_id);
                }
                if let Some(Value::Object(input)) = event.get_mut("input") {
                    upgrade_input(input, notes);
                }
                ("RUN_STARTED", &[])
            }
            "RUN_FINISHED" => ("RUN_FINISHED", &["outcome", "result"]),
            "SUBAGENT_FINISHED" => ("SUBAGENT_FINISHED", &["result"]),
            "TOOL_CALL_START" => ("TOOL_CALL_START", &["parentMessageId"]),
            "TOOL_CALL_CHUNK" => ("TOOL_CALL_CHUNK", &["parentMessageId"]),
            "MESSAGES_SNAPSHOT" => {
                upgrade_messages(event.get_mut("messages"), notes);
                ("MESSAGES_SNAPSHOT", &[])
            }
            old if old.starts_with("THINKING_") => {
                let old = old.to_owned();
                self.thinking(event, &old, notes);
                ("", &[])
            }
            _ => ("", &[]),
        };
        for field in nulls.1 {
            if let Some(Value::Null) = event.get(field) {
                event.take(field);
                notes.null(nulls.0, field);
            }
        }
        if let Some(Value::Null) = event.get("rawEvent") {
            event.take("rawEvent");
            let kind = event
                .get("type")
                .and_then(Value::as_str)
                .unwrap_or_default();
            notes.null(kind, "rawEvent");
        }
    }

    /// Thinking became reasoning, and reasoning carries ids: a span and a message each get one.
    fn thinking(&mut self, event: &mut Frame, old: &str, notes: &mut Notes) {
        let (new, id) = match old {
            "THINKING_START" => {
                let id = self.mint();
                self.span = Some(id.clone());
                if event.take("title").is_some() {
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
                event.set("role", Value::from("reasoning"));
                ("REASONING_MESSAGE_START", id)
            }
            "THINKING_TEXT_MESSAGE_END" => {
                let id = self.message.take().unwrap_or_else(|| self.mint());
                ("REASONING_MESSAGE_END", id)
            }
            "THINKING_TEXT_MESSAGE_CONTENT" => {
                let id = self.message.clone().unwrap_or_else(|| self.mint());
                ("REASONING_MESSAGE_CONTENT", id)
            }
            _ => return,
        };
        event.set("type", Value::from(new));
        event.set("messageId", Value::from(id));
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
    for tool in objects(input.get_mut("tools")) {
        drop_null(tool, "RUN_STARTED.input.tools", "parameters", notes);
    }
    for entry in objects(input.get_mut("resume")) {
        drop_null(entry, "RUN_STARTED.input.resume", "payload", notes);
    }
    upgrade_messages(input.get_mut("messages"), notes);
}

fn upgrade_messages(messages: Option<&mut Value>, notes: &mut Notes) {
    for message in objects(messages) {
        upgrade_parts(message.get_mut("content"), notes);
    }
}

/// Rewrites the content parts of a message, if its content is parts. A `TOOL_CALL_RESULT` needs it
/// not: before there were parts in one, there were none of these.
pub(super) fn upgrade_parts(content: Option<&mut Value>, notes: &mut Notes) {
    for part in objects(content) {
        match part.get("type").and_then(Value::as_str) {
            Some("binary") => upgrade_binary(part, notes),
            Some("image" | "audio" | "video" | "document") => {
                drop_null(part, "content", "metadata", notes);
            }
            _ => {}
        }
    }
}

/// The objects in an array; nothing if there is no array.
fn objects(array: Option<&mut Value>) -> impl Iterator<Item = &mut Object> {
    array
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
