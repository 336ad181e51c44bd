//! Reads messages of the AI SDK (`UIMessage`). `assistant-protocols` writes them.
//!
//! A `UIMessage` contains a whole answer with all its steps. In a conversation, each step is a
//! separate message. Other fields of the AI SDK are stored in `extra.ui`: for a message, the `id`
//! of the answer, and `step`, which is true if the message begins a step; for a call, the fields of
//! its part. Fields with names that begin with `#` are internal and are never sent.
//!
//! `part` and `tool` read single parts, and `read` reads lists of messages.

pub mod notes;
mod part;
mod read;
mod tool;

use serde_json::Value;

use crate::event::Object;

use notes::{AS_TEXT, DYNAMIC, IN_PIECES, NOTES, WIRE_ID};
pub(super) use part::part_from_ui;

/// Changes the object that stores the AI SDK's fields in the `extra` of a message or a call. An
/// empty object is removed.
pub(super) fn edit_ui_fields(extra: &mut Object, edit: impl FnOnce(&mut Object)) {
    let mut notes = match extra.shift_remove(NOTES) {
        Some(Value::Object(notes)) => notes,
        _ => Object::new(),
    };
    edit(&mut notes);
    if !notes.is_empty() {
        extra.insert(NOTES.to_owned(), Value::Object(notes));
    }
}
