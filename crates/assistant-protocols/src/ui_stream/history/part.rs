//! Encodes the parts of a `UIMessage`, except tool parts.

use serde_json::{Value, json};

use super::put_text;
use assistant_core::{
    conversation::{Part, TextPart},
    event::{ContentPart, Object, PartBody, Source},
};

/// Encodes a part in the AI SDK's format. Returns `None` for calls, which `tool` encodes, and for
/// parts that have no equivalent in this format.
pub(super) fn to_value(part: &Part) -> Option<Value> {
    Some(match part {
        Part::Text(part) => text_to_value("text", part),
        Part::Reasoning(part) => text_to_value("reasoning", part),
        Part::File(part) => file_to_value(part)?,
        Part::Data(part) => {
            let mut out = Object::new();
            let kind = format!("data-{}", part.data_type());
            put_text(&mut out, "type", &kind);
            out.extend(part.extra().clone());
            out.insert("data".to_owned(), part.data().clone());
            Value::Object(out)
        }
        Part::Source(part) => part.to_json(),
        Part::Unknown(value) => value.clone(),
        _ => return None,
    })
}

pub(super) fn plain_text_to_value(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn text_to_value(kind: &str, part: &TextPart) -> Value {
    let mut out = Object::new();
    put_text(&mut out, "type", kind);
    put_text(&mut out, "text", part.text());
    for (key, value) in part.extra() {
        out.entry(key.as_str()).or_insert_with(|| value.clone());
    }
    if part.is_open() {
        put_text(&mut out, "state", "streaming");
    } else if out.contains_key("state") {
        // The state is set to `done`, because the part has ended, although its stored state may be
        // `streaming`.
        put_text(&mut out, "state", "done");
    }
    Value::Object(out)
}

fn file_to_value(part: &ContentPart) -> Option<Value> {
    let PartBody::Media { kind, source } = &part.body else {
        let PartBody::Text(text) = &part.body else {
            return None;
        };
        return Some(plain_text_to_value(text));
    };
    let mut out = Object::new();
    put_text(&mut out, "type", "file");
    // If the media type is unknown, only the top-level type (such as `image`) is written, which the
    // format permits.
    let media_type = |mime_type: &Option<String>| match (mime_type, kind.as_str()) {
        (Some(mime_type), _) => mime_type.clone(),
        (None, "document") => "application".to_owned(),
        (None, kind) => kind.to_owned(),
    };
    let (mime_type, url) = match source {
        Source::Data { value, mime_type } => {
            let url = format!("data:{mime_type};base64,{value}");
            (mime_type.clone(), url)
        }
        Source::Url { value, mime_type } => (media_type(mime_type), value.clone()),
        Source::File {
            value,
            provider,
            mime_type,
        } => {
            if let Some(provider) = provider {
                let reference = json!({provider.as_str(): value});
                out.insert("providerReference".to_owned(), reference);
            }
            (media_type(mime_type), value.clone())
        }
    };
    put_text(&mut out, "mediaType", &mime_type);
    put_text(&mut out, "url", &url);
    if let Some(Value::Object(fields)) = &part.metadata {
        for (key, value) in fields {
            out.entry(key.as_str()).or_insert_with(|| value.clone());
        }
    }
    Some(Value::Object(out))
}
