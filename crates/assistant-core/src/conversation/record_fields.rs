//! Reads the fields of records. Returns `None` for a field that is missing or has an unexpected
//! type.

use serde_json::Value;

use crate::event::Object;

pub(crate) fn text_field(from: &Object, key: &str) -> Option<String> {
    match from.get(key)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns a string field unchanged, or any other value as JSON text. Returns `None` if the field
/// is missing or null.
pub(crate) fn json_text_field(from: &Object, key: &str) -> Option<String> {
    match from.get(key)? {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        value => Some(value.to_string()),
    }
}

pub(crate) fn int_field(from: &Object, key: &str) -> Option<i64> {
    from.get(key)?.as_i64()
}

pub(crate) fn count_field(from: &Object, key: &str) -> Option<u64> {
    from.get(key)?.as_u64()
}

pub(crate) fn list_field<'a>(from: &'a Object, key: &str) -> Option<&'a Vec<Value>> {
    from.get(key).and_then(Value::as_array)
}
