//! Converts the conversation to the AI SDK's `UIMessage`s, and back.
//!
//! A `UIMessage` contains a whole answer with all its steps. Here each step is a message of its
//! own, as with every other protocol. Further fields of the AI SDK are stored in `extra.ui`: for a
//! message, the `id` of the answer, and `step`, which is true if the message begins a step; for a
//! call, the fields of its part. Names that begin with `#` are internal and never written.
//!
//! `part` and `tool` convert one part each, `write` and `read` convert lists of messages; `tail`
//! contains the state that the reader of a continued answer needs.

pub mod notes;
mod part;
mod read;
mod tail;
mod tool;
mod write;

use serde_json::Value;

use crate::event::Object;

use notes::{AS_TEXT, DYNAMIC, IN_PIECES, NOTES, WIRE_ID};
pub(super) use part::from_value as part;

/// Changes the AI SDK's fields in the `extra` of a message or a call.
pub(super) fn note(extra: &mut Object, edit: impl FnOnce(&mut Object)) {
    let mut notes = match extra.shift_remove(NOTES) {
        Some(Value::Object(notes)) => notes,
        _ => Object::new(),
    };
    edit(&mut notes);
    if !notes.is_empty() {
        extra.insert(NOTES.to_owned(), Value::Object(notes));
    }
}

/// Returns the AI SDK's fields in the `extra` of a message or a call, if any.
fn noted(extra: &Object) -> Option<&Object> {
    extra.get(NOTES)?.as_object()
}

fn noted_text<'a>(extra: &'a Object, key: &str) -> Option<&'a str> {
    noted(extra)?.get(key)?.as_str()
}

fn is_noted(extra: &Object, key: &str) -> bool {
    noted(extra).and_then(|notes| notes.get(key)) == Some(&Value::Bool(true))
}
