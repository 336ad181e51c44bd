//! The parts of a message's content.

use super::{Part, TextPart};
use crate::event::{Content, Object, PartBody};

/// Returns the parts of a text, or of a list of texts and files.
pub(super) fn content_parts(content: Content) -> Vec<Part> {
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
