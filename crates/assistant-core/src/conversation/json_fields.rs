//! Reads and writes the fields of objects in stored conversations.
//!
//! Unknown fields are preserved. They are stored in a separate object `extra` if their names could
//! be confused with the names of known fields.

use serde_json::Value;

use super::FormatError;
use crate::{event::Object, json::fields::Writer};

pub(super) fn expect_object(value: Value, subject: &str) -> Result<Object, FormatError> {
    match value {
        Value::Object(object) => Ok(object),
        _ => Err(FormatError(format!("{subject} is not an object"))),
    }
}

pub(super) fn take_text(object: &mut Object, key: &str) -> Option<String> {
    let Value::String(text) = object.get_mut(key)? else {
        return None;
    };
    let text = std::mem::take(text);
    object.shift_remove(key);
    Some(text)
}

pub(super) fn take_required_text(
    object: &mut Object,
    key: &str,
    subject: &str,
) -> Result<String, FormatError> {
    take_text(object, key).ok_or_else(|| FormatError(format!("{subject} has no text '{key}'")))
}

pub(super) fn take_object(object: &mut Object, key: &str) -> Option<Object> {
    let Value::Object(inner) = object.get_mut(key)? else {
        return None;
    };
    let inner = std::mem::take(inner);
    object.shift_remove(key);
    Some(inner)
}

pub(super) fn take_int(object: &mut Object, key: &str) -> Option<i64> {
    let int = object.get(key)?.as_i64()?;
    object.shift_remove(key);
    Some(int)
}

pub(super) fn take_bool(object: &mut Object, key: &str) -> Option<bool> {
    let flag = object.get(key)?.as_bool()?;
    object.shift_remove(key);
    Some(flag)
}

/// Removes the field and returns true if its value is `true`. Otherwise returns false and leaves
/// the field unchanged.
pub(super) fn take_flag(object: &mut Object, key: &str) -> bool {
    let is_set = object.get(key) == Some(&Value::Bool(true));
    if is_set {
        object.shift_remove(key);
    }
    is_set
}

/// The format in which a message is read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JsonFormat {
    /// A single message. Unknown fields are next to the known fields.
    Message,
    /// A message in a whole conversation. Unknown fields are in a separate object.
    Whole,
}

/// Writes unknown fields. Fields of a whole conversation and fields with the names of known fields
/// are written to the object `extra`, all others next to the known fields. `known_fields` contains
/// the names of the known fields, separated by spaces.
pub(super) fn write_unknown_fields(
    out: &mut Writer,
    extra: &Object,
    known_fields: &str,
    format: JsonFormat,
) {
    let mut extra_fields = Object::new();
    for (key, value) in extra {
        let is_known = known_fields.split(' ').any(|field| field == key);
        let has_known_name = is_known && !has_unwritten_type(key, value);
        if format == JsonFormat::Whole || has_known_name || out.fields().contains_key(key) {
            extra_fields.insert(key.clone(), value.clone());
        } else {
            out.put(key, value.clone());
        }
    }
    if !extra_fields.is_empty() {
        out.put("extra", Value::Object(extra_fields));
    }
}

/// Returns the unknown fields: the remaining fields of an object whose known fields were removed,
/// and the fields of its object `extra`.
pub(super) fn collect_unknown_fields(mut object: Object) -> Object {
    if let Some(extra_fields) = take_object(&mut object, "extra") {
        object.extend(extra_fields);
    }
    object
}

/// Returns true if the value has a type that is never written for the known field `key`. Such a
/// field is preserved unchanged, and is read as an unknown field again.
fn has_unwritten_type(key: &str, value: &Value) -> bool {
    match key {
        "createdAt" | "endedAt" | "startedAt" => value.as_i64().is_none(),
        "metadata" | "approval" | "error" | "result" | "extra" => !value.is_object(),
        _ => false,
    }
}
