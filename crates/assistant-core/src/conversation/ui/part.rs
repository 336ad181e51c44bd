//! Converts the parts of a `UIMessage` other than those of tools.

use serde_json::{Value, json};

use crate::{
    conversation::{
        DataPart, Part, SourcePart, TextPart,
        json_fields::{put_text, take_text},
    },
    event::{ContentPart, Object, PartBody, Source},
};

/// Reads a part in the AI SDK's form. Unknown parts are stored unchanged.
pub(in crate::conversation) fn from_value(value: Value) -> Part {
    let Some(object) = value.as_object() else {
        return Part::Unknown(value);
    };
    let kind = object.get("type").and_then(Value::as_str);
    let kind = kind.unwrap_or_default();
    match kind {
        "text" => text(object).map(Part::Text),
        "reasoning" => text(object).map(Part::Reasoning),
        "file" => file(object),
        "source-url" | "source-document" => SourcePart::from_json(&value).map(Part::Source),
        kind => kind.strip_prefix("data-").map(|name| data(name, object)),
    }
    .unwrap_or(Part::Unknown(value))
}

fn text(object: &Object) -> Option<TextPart> {
    let mut extra = object.clone();
    extra.shift_remove("type");
    let text = take_text(&mut extra, "text")?;
    let open = extra.get("state") == Some(&"streaming".into());
    Some(TextPart {
        open,
        extra,
        ..TextPart::new(text)
    })
}

fn data(name: &str, object: &Object) -> Part {
    let mut extra = object.clone();
    extra.shift_remove("type");
    let data = extra.shift_remove("data").unwrap_or_default();
    Part::Data(DataPart {
        data_type: name.to_owned(),
        data,
        extra,
    })
}

fn file(object: &Object) -> Option<Part> {
    let mut rest = object.clone();
    rest.shift_remove("type");
    let mime_type = take_text(&mut rest, "mediaType")?;
    let url = take_text(&mut rest, "url")?;
    let kind = match mime_type.split('/').next() {
        Some(kind @ ("image" | "audio" | "video")) => kind.to_owned(),
        _ => "document".to_owned(),
    };
    let inline = url
        .strip_prefix("data:")
        .and_then(|rest| rest.strip_prefix(mime_type.as_str()))
        .and_then(|rest| rest.strip_prefix(";base64,"));
    let source = match inline {
        Some(value) => Source::Data {
            value: value.to_owned(),
            mime_type,
        },
        None => Source::Url {
            value: url,
            mime_type: Some(mime_type),
        },
    };
    Some(Part::File(ContentPart {
        id: None,
        metadata: (!rest.is_empty()).then_some(Value::Object(rest)),
        body: PartBody::Media { kind, source },
    }))
}

/// Writes a part in the AI SDK's form; `None` for calls, which `tool` writes, and for parts without
/// an equivalent.
pub(super) fn to_value(part: &Part) -> Option<Value> {
    Some(match part {
        Part::Text(part) => text_to_value("text", part),
        Part::Reasoning(part) => text_to_value("reasoning", part),
        Part::File(part) => file_to_value(part)?,
        Part::Data(part) => {
            let mut out = Object::new();
            let kind = format!("data-{}", part.data_type);
            put_text(&mut out, "type", Some(&kind));
            out.extend(part.extra.clone());
            out.insert("data".to_owned(), part.data.clone());
            Value::Object(out)
        }
        Part::Source(part) => part.to_json(),
        Part::Unknown(value) => value.clone(),
        Part::Call(_) | Part::ToolResult(_) => return None,
    })
}

pub(super) fn plain_text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn text_to_value(kind: &str, part: &TextPart) -> Value {
    let mut out = Object::new();
    put_text(&mut out, "type", Some(kind));
    put_text(&mut out, "text", Some(&part.text));
    for (key, value) in &part.extra {
        out.entry(key.as_str()).or_insert_with(|| value.clone());
    }
    if part.open {
        put_text(&mut out, "state", Some("streaming"));
    } else if out.contains_key("state") {
        // The part is complete, regardless of the cause.
        put_text(&mut out, "state", Some("done"));
    }
    Value::Object(out)
}

fn file_to_value(part: &ContentPart) -> Option<Value> {
    let PartBody::Media { kind, source } = &part.body else {
        let PartBody::Text(text) = &part.body else {
            return None;
        };
        return Some(plain_text(text));
    };
    let mut out = Object::new();
    put_text(&mut out, "type", Some("file"));
    // A top-level type alone is a media type, too.
    let of_kind = |mime_type: &Option<String>| match (mime_type, kind.as_str()) {
        (Some(mime_type), _) => mime_type.clone(),
        (None, "document") => "application".to_owned(),
        (None, kind) => kind.to_owned(),
    };
    let (mime_type, url) = match source {
        Source::Data { value, mime_type } => {
            let url = format!("data:{mime_type};base64,{value}");
            (mime_type.clone(), url)
        }
        Source::Url { value, mime_type } => (of_kind(mime_type), value.clone()),
        Source::File {
            value,
            provider,
            mime_type,
        } => {
            if let Some(provider) = provider {
                let reference = json!({provider.as_str(): value});
                out.insert("providerReference".to_owned(), reference);
            }
            (of_kind(mime_type), value.clone())
        }
    };
    put_text(&mut out, "mediaType", Some(&mime_type));
    put_text(&mut out, "url", Some(&url));
    if let Some(Value::Object(rest)) = &part.metadata {
        for (key, value) in rest {
            out.entry(key.as_str()).or_insert_with(|| value.clone());
        }
    }
    Some(Value::Object(out))
}
