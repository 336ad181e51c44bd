//! Reads the fields of chunks, and sends events and diagnostics.

use serde_json::Value;

use crate::stream::Sink;
use assistant_core::{
    event::{Diagnostic, EventKind, Extension, Object},
    json::surrogates,
};

pub(super) fn send_extension(sink: &mut dyn Sink, extension: Extension) {
    sink.event(EventKind::Extension(Box::new(extension)).into());
}

pub(super) fn message_extension(message_id: &str, extra: Object) -> Extension {
    Extension::Message {
        message_id: message_id.to_owned(),
        extra,
        metadata: None,
    }
}

/// Sends changes of a message's metadata. Metadata that is not an object is sent as an additional
/// field of the message.
pub(super) fn send_metadata(message_id: String, changes: Value, sink: &mut dyn Sink) {
    let (extra, metadata) = match changes {
        Value::Object(changes) => (Object::new(), Some(changes)),
        value => ([("metadata".to_owned(), value)].into_iter().collect(), None),
    };
    send_extension(
        sink,
        Extension::Message {
            message_id,
            extra,
            metadata,
        },
    );
}

pub(super) fn drop_chunk(sink: &mut dyn Sink, message: impl Into<String>) {
    sink.diagnostic(Diagnostic::new("dropped-chunk", message));
}

/// Replaces the surrogate marks in all fields of a chunk except its deltas with U+FFFD.
pub(super) fn replace_chunk_marks(mut chunk: Value) -> Value {
    for (key, value) in chunk.as_object_mut().into_iter().flatten() {
        if !matches!(key.as_str(), "delta" | "inputTextDelta") {
            replace_marks(value);
        }
    }
    chunk
}

fn replace_marks(value: &mut Value) {
    match value {
        Value::String(text) => *text = surrogates::without_marks(text),
        Value::Array(list) => list.iter_mut().for_each(replace_marks),
        Value::Object(object) => object.values_mut().for_each(replace_marks),
        _ => {}
    }
}

/// Removes an optional string and returns it. A value that is not a string counts as absent.
pub(super) fn take_opt_text(chunk: &mut Object, key: &str) -> Option<String> {
    match chunk.shift_remove(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

/// Removes a required string and returns it. Fails with a reason if the string is missing.
pub(super) fn take_text(chunk: &mut Object, key: &str) -> Result<String, String> {
    take_opt_text(chunk, key).ok_or_else(|| format!("it has no text '{key}'"))
}

/// Removes an optional value and returns it. `null` counts as absent.
pub(super) fn take_opt(chunk: &mut Object, key: &str) -> Option<Value> {
    chunk.shift_remove(key).filter(|value| !value.is_null())
}
