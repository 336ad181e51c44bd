//! Parses a page's options for the display and for attachments.

use leptos_assistant::{Attachments, MediaPolicy, markdown::MarkdownOptions};
use wasm_bindgen::{JsCast, JsValue};

use crate::highlight;

/// The parsed options. A missing or invalid option has its default.
pub(crate) struct WindowOptions {
    pub(crate) markdown: MarkdownOptions,
    pub(crate) media: MediaPolicy,
    pub(crate) attachments: Option<Attachments>,
}

impl WindowOptions {
    pub(crate) fn parse(options: &JsValue) -> Self {
        let mut markdown = MarkdownOptions::new();
        if let Some(levels) = number(options, "headingOffset") {
            markdown = markdown.heading_offset(u8::try_from(levels).unwrap_or(u8::MAX));
        }
        if let Some(highlight) = field(options, "highlight") {
            markdown = markdown.highlighter(highlight::create_highlighter(highlight));
        }
        let origins: Option<js_sys::Array> = field(options, "mediaOrigins");
        let origins = origins.iter().flat_map(js_sys::Array::iter);
        let media = origins.filter_map(|origin| origin.as_string());
        Self {
            markdown,
            media: media.fold(MediaPolicy::default(), |policy, origin| {
                policy.allow(&origin)
            }),
            attachments: field::<js_sys::Object>(options, "attachments")
                .map(|limits| parse_attachments(&limits)),
        }
    }
}

fn parse_attachments(limits: &JsValue) -> Attachments {
    let mut attachments = Attachments::new();
    if let Some(accept) = get_property(limits, "accept").as_string() {
        attachments = attachments.accept(accept);
    }
    if let Some(count) = number(limits, "maxFiles") {
        attachments = attachments.max_files(count);
    }
    if let Some(bytes) = number(limits, "maxBytes") {
        attachments = attachments.max_bytes(bytes);
    }
    attachments
}

pub(crate) fn get_property(object: &JsValue, name: &str) -> JsValue {
    js_sys::Reflect::get(object, &name.into()).unwrap_or_default()
}

fn field<T: JsCast>(object: &JsValue, name: &str) -> Option<T> {
    get_property(object, name).dyn_into().ok()
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and what is no number is left out"
)]
fn number(object: &JsValue, name: &str) -> Option<usize> {
    let number = get_property(object, name)
        .as_f64()
        .filter(|number| *number >= 0.0);
    number.map(|number| number as usize)
}
