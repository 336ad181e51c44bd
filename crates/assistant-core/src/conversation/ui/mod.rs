//! Conversion of the conversation to the AI SDK's `UIMessage`s, and back.
//!
//! A `UIMessage` contains a whole answer with all its steps. Here each step is a message of its
//! own, as with every other protocol; further fields of the AI SDK are in `extra.ui`: of a message
//! `id`, the answer's, and `step`, whether a step began with it; of a call the fields of its part.
//! Names that begin with `#` are internal and never written.
//!
//! `part` and `tool` convert one part each, `write` and `read` lists of messages; `tail` is the
//! state that a continued answer's reader needs.

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

/// Changes the notes in the `extra` of a message or a call.
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

/// Returns the notes in the `extra` of a message or a call, if there are any.
fn noted(extra: &Object) -> Option<&Object> {
    extra.get(NOTES)?.as_object()
}

fn noted_text<'a>(extra: &'a Object, key: &str) -> Option<&'a str> {
    noted(extra)?.get(key)?.as_str()
}

fn is_noted(extra: &Object, key: &str) -> bool {
    noted(extra).and_then(|notes| notes.get(key)) == Some(&Value::Bool(true))
}
