//! Converts content from the wire to the parts of a message.

use super::{Part, TextPart};
use crate::event::{Content, Object, PartBody};

/// Converts content to parts: a text to one text part, a list to one part for each text or file.
pub(super) fn parts_from_content(content: Content) -> Vec<Part> {
    let parts = match content {
        Content::Text(text) => return vec![Part::Text(TextPart::new(text))],
        Content::Parts(parts) => parts,
    };
    let parts = parts.into_iter().map(|part| match part.body {
        PartBody::Text(text) => {
            let mut extra = Object::new();
            if let Some(id) = part.id {
                extra.insert("id".to_owned(), id.into());
            }
            if let Some(metadata) = part.metadata {
                extra.insert("metadata".to_owned(), metadata);
            }
            Part::Text(TextPart {
                extra,
                ..TextPart::new(text)
            })
        }
        PartBody::Media { .. } => Part::File(part),
    });
    parts.collect()
}
