//! Converts sources to and from JSON. The type of a web page is `source-url`, and the type of a
//! document is `source-document`.

use serde_json::Value;

use super::{SourcePart, json_fields::take_text};
use crate::json::fields::Writer;

impl SourcePart {
    /// Returns the source as JSON, in the form of the AI SDK.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut writer = Writer::typed(match self.url {
            Some(_) => "source-url",
            None => "source-document",
        });
        writer.text("sourceId", &self.source_id);
        writer.opt_text("url", self.url.as_deref());
        writer.opt_text("mediaType", self.media_type.as_deref());
        writer.opt_text("title", self.title.as_deref());
        writer.opt_text("filename", self.filename.as_deref());
        for (key, value) in &self.extra {
            let field = writer.fields().entry(key.as_str());
            field.or_insert_with(|| value.clone());
        }
        writer.into_value()
    }

    /// Reads a source from JSON. Returns `None` if the value is not a valid source.
    #[must_use]
    pub fn from_json(value: &Value) -> Option<Self> {
        let mut object = value.as_object()?.clone();
        let kind = take_text(&mut object, "type")?;
        let source_id = take_text(&mut object, "sourceId")?;
        let url = take_text(&mut object, "url");
        let is_valid = match kind.as_str() {
            "source-url" => url.is_some(),
            "source-document" => url.is_none(),
            _ => false,
        };
        is_valid.then(|| Self {
            source_id,
            url,
            title: take_text(&mut object, "title"),
            media_type: take_text(&mut object, "mediaType"),
            filename: take_text(&mut object, "filename"),
            extra: object,
        })
    }
}
