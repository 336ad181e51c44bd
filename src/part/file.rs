//! A file in a message: an image, audio, video or document.

use assistant_core::{
    conversation::{MessageId, Part},
    event::{ContentPart, PartBody, Source},
};
use leptos::prelude::*;

use super::{other, read};
use crate::{assistant::Assistant, chat::Labels, view::PartCell};

pub(super) fn view(assistant: &Assistant, message: &MessageId, part: &PartCell) -> AnyView {
    let labels = Labels::current();
    let described = match read(assistant, message, part) {
        Some(Part::File(file)) => describe(&file),
        _ => String::new(),
    };
    other::card(labels.file.to_string(), described)
}

fn describe(part: &ContentPart) -> String {
    match &part.body {
        PartBody::Text(text) => text.clone(),
        PartBody::Media {
            kind,
            source: Source::Data { mime_type, .. },
        } => format!("{kind}, {mime_type}"),
        PartBody::Media {
            kind,
            source: Source::Url { value, .. } | Source::File { value, .. },
        } => format!("{kind}: {value}"),
    }
}
