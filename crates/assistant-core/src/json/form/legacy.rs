//! Converts retired forms of content to the current form before the content is read.

use std::collections::HashSet;

use serde_json::Value;

use crate::event::{Diagnostic, Object, fault::Notes};

/// Removes an optional field if it is `null`, and adds a diagnostic with `place` and the name of
/// the field.
pub fn drop_null(object: &mut Object, place: &str, field: &'static str, notes: &mut Notes) {
    if let Some(Value::Null) = object.get(field) {
        object.shift_remove(field);
        notes.null(place, field);
    }
}

/// Returns the objects in an array. The iterator is empty if the value is not an array.
pub fn objects(array: Option<&mut Value>) -> impl Iterator<Item = &mut Object> {
    array
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
        .filter_map(Value::as_object_mut)
}

/// Converts the retired parts of a message's content. A `binary` part becomes a media part, or is
/// removed if an equal media part exists. A `metadata` field that is `null` is removed. Other
/// content stays unchanged. The content of `TOOL_CALL_RESULT` needs no conversion, because it never
/// had retired parts.
pub fn upgrade_parts(content: Option<&mut Value>, notes: &mut Notes) {
    let Some(Value::Array(parts)) = content else {
        return;
    };
    let mut has_binary = false;
    for part in parts.iter_mut().filter_map(Value::as_object_mut) {
        match part.get("type").and_then(Value::as_str) {
            Some("binary") => has_binary = true,
            Some(kind @ ("image" | "audio" | "video" | "document")) => {
                let part_name = format!("{kind} input content");
                drop_null(part, &part_name, "metadata", notes);
            }
            _ => {}
        }
    }
    if !has_binary {
        return;
    }
    let message = "Retired binary input content is read as media parts.";
    notes.add(Diagnostic::new("legacy", message));
    // A converted part is removed if an equal media part exists, because some peers send an
    // attachment in both forms.
    let media_keys: HashSet<String> = parts.iter().filter_map(media_key).collect();
    parts.retain_mut(|part| {
        let Some(media_part) = upgrade_binary_part(part) else {
            return true;
        };
        let is_duplicate = media_key(&media_part).is_some_and(|key| media_keys.contains(&key));
        *part = media_part;
        !is_duplicate
    });
}

/// Returns a key that identifies a media part by its kind, its source and its file name. Returns
/// `None` for a `binary` part and for a part without a source.
fn media_key(part: &Value) -> Option<String> {
    let kind = part.get("type").filter(|kind| *kind != "binary")?;
    let source = part.get("source")?;
    let field = |name| source.get(name).unwrap_or(&Value::Null);
    let name = part.pointer("/metadata/filename");
    let name = name.unwrap_or(&Value::Null);
    let key = [kind, field("type"), field("value"), field("mimeType"), name];
    // The fields are joined as JSON, because plain strings would make the boundaries between fields
    // ambiguous.
    Some(key.map(Value::to_string).join(" "))
}

/// Converts a `binary` part to an image, audio, video or document part. Returns `None` for other
/// parts, and for a `binary` part without a media type, or without data and URL. The decoder
/// removes such a part as unknown.
fn upgrade_binary_part(part: &Value) -> Option<Value> {
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
    let mut media_part = serde_json::json!({
        "type": kind,
        "source": {"type": source_type, "value": value, "mimeType": mime_type},
    });
    if let (Some(name), Value::Object(media_part)) = (truthy_field("filename"), &mut media_part) {
        let metadata = serde_json::json!({"filename": name});
        media_part.insert("metadata".to_owned(), metadata);
    }
    Some(media_part)
}

/// Returns true if a value is truthy in JavaScript, so that old peers treated it as present.
fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Number(number) => number.as_f64() != Some(0.0),
        _ => true,
    }
}
