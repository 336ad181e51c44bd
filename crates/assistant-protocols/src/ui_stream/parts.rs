//! Decodes complete parts: sources, files, data parts, and custom parts of providers.

use serde_json::Value;

use super::{
    Decoder,
    chunk::{send_extension, take_text},
};
use crate::stream::Sink;
use assistant_core::event::{EventKind, Extension, Object, fault::quote};

impl Decoder {
    pub(super) fn read_part(
        &mut self,
        kind: &str,
        mut chunk: Object,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        let (required_keys, optional_keys): (&[&str], &[&str]) = match kind {
            "source-url" => (&["sourceId", "url"], &["title", "providerMetadata"]),
            "source-document" => (
                &["sourceId", "mediaType", "title"],
                &["filename", "providerMetadata"],
            ),
            "file" | "reasoning-file" => (&["mediaType", "url"], &["providerMetadata"]),
            "custom" => (&["kind"], &["providerMetadata"]),
            "steering-message" => (&["id"], &["parts"]),
            kind if kind.starts_with("data-") => return self.read_data(kind, chunk, sink),
            kind => return Err(format!("'{}' is not known", quote(kind))),
        };
        let mut part = Object::new();
        part.insert("type".to_owned(), kind.into());
        for key in required_keys {
            part.insert((*key).to_owned(), take_text(&mut chunk, key)?.into());
        }
        for key in optional_keys {
            if let Some(value) = chunk.shift_remove(*key).filter(|value| !value.is_null()) {
                part.insert((*key).to_owned(), value);
            }
        }
        self.add_part(part, sink);
        Ok(())
    }

    fn read_data(
        &mut self,
        kind: &str,
        mut chunk: Object,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        if chunk.get("transient") == Some(&Value::Bool(true)) {
            let (name, value) = (kind.to_owned(), chunk.shift_remove("data"));
            let value = value.unwrap_or_default();
            sink.event(EventKind::Custom { name, value }.into());
            return Ok(());
        }
        if !chunk.contains_key("data") {
            return Err("it has no 'data'".to_owned());
        }
        let name = kind.strip_prefix("data-").unwrap_or(kind).to_owned();
        let id = chunk.get("id").and_then(Value::as_str).map(str::to_owned);
        chunk.shift_insert(0, "type".to_owned(), kind.into());
        let Some(id) = id else {
            self.add_part(chunk, sink);
            return Ok(());
        };
        let key = (name, id);
        if let Some(message_id) = self.answer.data_message_id(&key) {
            let message_id = message_id.clone();
            let (part, replace) = (Value::Object(chunk), true);
            send_extension(
                sink,
                Extension::Part {
                    message_id,
                    part,
                    replace,
                },
            );
            return Ok(());
        }
        let message_id = self.ensure_current_message(sink);
        self.answer.add_data(key, message_id);
        self.add_part(chunk, sink);
        Ok(())
    }

    fn add_part(&mut self, part: Object, sink: &mut dyn Sink) {
        let message_id = self.ensure_current_message(sink);
        let (part, replace) = (Value::Object(part), false);
        send_extension(
            sink,
            Extension::Part {
                message_id,
                part,
                replace,
            },
        );
    }
}
