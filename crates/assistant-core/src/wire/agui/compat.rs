//! Compatibility with older AG-UI producers: their events are rewritten to 1.0 before decoding.
//!
//! Always on, strict or not: a retired shape only comes from an old peer, and current streams are
//! unaffected. Only a few named fields are examined, never the whole payload. Other nulls on
//! optional fields are handled by the decoder ([`super::DecoderOptions::strict`]).

use std::collections::HashSet;

use serde_json::Value;

use super::object::EventObject;
use crate::event::{Diagnostic, Object};
use crate::wire::fault::Notes;

/// The compatibility shims, with their state between events.
#[derive(Debug, Clone, Default)]
pub struct Compat {
    run_id: String,
    minted: u64,
    span: Option<String>,
    message: Option<String>,
}

impl Compat {
    /// Creates shims at the start of a stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Rewrites one event in place.
    pub fn upgrade(&mut self, event: &mut EventObject, notes: &mut Notes) {
        let Some(Value::String(kind)) = event.get("type") else {
            return;
        };
        if let Some(Value::Null) = event.get("rawEvent") {
            notes.null(kind, "rawEvent");
            event.take("rawEvent");
        }
        let Some(Value::String(kind)) = event.get("type") else {
            return;
        };
        let nulls: (&str, &[&'static str]) = match kind.as_str() {
            // These were never different.
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
    }

    /// Rewrites thinking events to reasoning events. Those carry ids, so each span and message gets
    /// one.
    fn thinking(&mut self, event: &mut EventObject, old: &str, notes: &mut Notes) {
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

    /// Returns an id that is unique in the conversation, since run ids are unique.
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
    drop_null(input, "RunAgentInput", "forwardedProps", notes);
    for tool in objects(input.get_mut("tools")) {
        drop_null(tool, "Tool", "parameters", notes);
    }
    for entry in objects(input.get_mut("resume")) {
        drop_null(entry, "ResumeEntry", "payload", notes);
    }
    upgrade_messages(input.get_mut("messages"), notes);
}

fn upgrade_messages(messages: Option<&mut Value>, notes: &mut Notes) {
    for message in objects(messages) {
        upgrade_parts(message.get_mut("content"), notes);
    }
}

/// Returns the objects in an array, if there is one.
fn objects(array: Option<&mut Value>) -> impl Iterator<Item = &mut Object> {
    array
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
        .filter_map(Value::as_object_mut)
}

/// Rewrites the parts of a message's content. `TOOL_CALL_RESULT` does not need it: its content had
/// none of these parts before it had parts at all.
pub(super) fn upgrade_parts(content: Option<&mut Value>, notes: &mut Notes) {
    let Some(Value::Array(parts)) = content else {
        return;
    };
    let mut has_binary = false;
    for part in parts.iter_mut().filter_map(Value::as_object_mut) {
        match part.get("type").and_then(Value::as_str) {
            Some("binary") => has_binary = true,
            Some(kind @ ("image" | "audio" | "video" | "document")) => {
                let place = format!("{kind} input content");
                drop_null(part, &place, "metadata", notes);
            }
            _ => {}
        }
    }
    if !has_binary {
        return;
    }
    let message = "Retired binary input content is read as media parts.";
    notes.add(Diagnostic::new("legacy", message));
    // Some peers send an attachment in both forms, in either order.
    let modern: HashSet<String> = parts.iter().filter_map(media_key).collect();
    parts.retain_mut(|part| {
        let Some(upgraded) = upgraded_binary(part) else {
            return true;
        };
        let mirrored = media_key(&upgraded).is_some_and(|key| modern.contains(&key));
        *part = upgraded;
        !mirrored
    });
}

/// Returns the identity of a media part: kind, source, and file name if any.
fn media_key(part: &Value) -> Option<String> {
    let kind = part.get("type").filter(|kind| *kind != "binary")?;
    let source = part.get("source")?;
    let field = |name| source.get(name).unwrap_or(&Value::Null);
    let name = part.pointer("/metadata/filename");
    let name = name.unwrap_or(&Value::Null);
    let key = [kind, field("type"), field("value"), field("mimeType"), name];
    // As JSON, so that field boundaries are unambiguous.
    Some(key.map(Value::to_string).join(" "))
}

/// Converts a `binary` part to image, audio, video or document. One with missing fields, or only
/// the id of an upload, is unchanged, and the decoder removes it as unknown.
fn upgraded_binary(part: &Value) -> Option<Value> {
    let part = part.as_object()?;
    if part.get("type")? != "binary" {
        return None;
    }
    let Value::String(mime_type) = part.get("mimeType")? else {
        return None;
    };
    let truthy_field = |field: &str| part.get(field).filter(|value| is_truthy(value));
    let (source_type, value) = match (truthy_field("data"), truthy_field("url")) {
        (Some(data), _) => ("data", data),
        (None, Some(url)) => ("url", url),
        (None, None) => return None,
    };
    let kind = match mime_type.split_once('/') {
        Some((kind @ ("image" | "audio" | "video"), _)) => kind,
        _ => "document",
    };
    let mut upgraded = serde_json::json!({
        "type": kind,
        "source": {"type": source_type, "value": value, "mimeType": mime_type},
    });
    if let (Some(name), Value::Object(upgraded)) = (truthy_field("filename"), &mut upgraded) {
        let metadata = serde_json::json!({"filename": name});
        upgraded.insert("metadata".to_owned(), metadata);
    }
    Some(upgraded)
}

/// Returns true if old peers would have treated a value as present.
fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Number(number) => number.as_f64() != Some(0.0),
        _ => true,
    }
}
