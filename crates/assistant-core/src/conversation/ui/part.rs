//! Reads the parts of a `UIMessage`, except the parts for tool calls.

use serde_json::Value;

use crate::{
    conversation::{DataPart, Part, SourcePart, TextPart, json_fields::take_text},
    event::{ContentPart, Object, PartBody, Source},
};

/// Reads a part in the form of the AI SDK. Unknown parts are stored unchanged.
pub(in crate::conversation) fn part_from_ui(value: Value) -> Part {
    let Some(object) = value.as_object() else {
        return Part::Unknown(value);
    };
    let kind = object.get("type").and_then(Value::as_str);
    let kind = kind.unwrap_or_default();
    match kind {
        "text" => read_text_part(object).map(Part::Text),
        "reasoning" => read_text_part(object).map(Part::Reasoning),
        "file" => read_file_part(object),
        "source-url" | "source-document" => SourcePart::from_json(&value).map(Part::Source),
        kind => kind
            .strip_prefix("data-")
            .map(|name| read_data_part(name, object)),
    }
    .unwrap_or(Part::Unknown(value))
}

fn read_text_part(object: &Object) -> Option<TextPart> {
    let mut extra = object.clone();
    extra.shift_remove("type");
    let text = take_text(&mut extra, "text")?;
    let is_open = extra.get("state") == Some(&"streaming".into());
    Some(TextPart {
        open: is_open,
        extra,
        ..TextPart::new(text)
    })
}

fn read_data_part(name: &str, object: &Object) -> Part {
    let mut extra = object.clone();
    extra.shift_remove("type");
    let data = extra.shift_remove("data").unwrap_or_default();
    Part::Data(DataPart {
        data_type: name.to_owned(),
        data,
        extra,
    })
}

fn read_file_part(object: &Object) -> Option<Part> {
    let mut fields = object.clone();
    fields.shift_remove("type");
    let mime_type = take_text(&mut fields, "mediaType")?;
    let url = take_text(&mut fields, "url")?;
    let kind = match mime_type.split('/').next() {
        Some(kind @ ("image" | "audio" | "video")) => kind.to_owned(),
        _ => "document".to_owned(),
    };
    let inline_data = url
        .strip_prefix("data:")
        .and_then(|rest| rest.strip_prefix(mime_type.as_str()))
        .and_then(|rest| rest.strip_prefix(";base64,"));
    let source = match inline_data {
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
        metadata: (!fields.is_empty()).then_some(Value::Object(fields)),
        body: PartBody::Media { kind, source },
    }))
}
