//! The JSON form of sources: `{type: "source-url", sourceId, url, …}` and `{type:
//! "source-document", …}`.

use serde_json::Value;

use super::{
    SourcePart,
    json_fields::{put_text, take_text},
};
use crate::event::Object;

impl SourcePart {
    /// Returns the part as JSON, in the form of the AI SDK.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut out = Object::new();
        let kind = match self.url {
            Some(_) => "source-url",
            None => "source-document",
        };
        put_text(&mut out, "type", Some(kind));
        put_text(&mut out, "sourceId", Some(&self.source_id));
        put_text(&mut out, "url", self.url.as_deref());
        put_text(&mut out, "mediaType", self.media_type.as_deref());
        put_text(&mut out, "title", self.title.as_deref());
        put_text(&mut out, "filename", self.filename.as_deref());
        for (key, value) in &self.extra {
            out.entry(key.as_str()).or_insert_with(|| value.clone());
        }
        Value::Object(out)
    }

    /// Reads a source from JSON; `None` for other values.
    #[must_use]
    pub fn from_json(value: &Value) -> Option<Self> {
        let mut from = value.as_object()?.clone();
        let kind = take_text(&mut from, "type")?;
        let source_id = take_text(&mut from, "sourceId")?;
        let url = take_text(&mut from, "url");
        let whole = match kind.as_str() {
            "source-url" => url.is_some(),
            "source-document" => url.is_none(),
            _ => false,
        };
        whole.then(|| Self {
            source_id,
            url,
            title: take_text(&mut from, "title"),
            media_type: take_text(&mut from, "mediaType"),
            filename: take_text(&mut from, "filename"),
            extra: from,
        })
    }
}
