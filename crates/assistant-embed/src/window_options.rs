//! Parses a page's options for the display and for attachments, and calls the page's syntax
//! highlighter.

use leptos_assistant::{
    Attachments, MediaPolicy,
    markdown::{Highlighter, MarkdownOptions, Token},
};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// The parsed options. A missing or invalid option is replaced by its default.
pub(crate) struct WindowOptions {
    pub(crate) markdown: MarkdownOptions,
    pub(crate) media: MediaPolicy,
    pub(crate) attachments: Option<Attachments>,
}

impl WindowOptions {
    pub(crate) fn parse(options: &JsValue) -> Self {
        let mut markdown = MarkdownOptions::new();
        if let Some(levels) = get_number(options, "headingOffset") {
            markdown = markdown.heading_offset(u8::try_from(levels).unwrap_or(u8::MAX));
        }
        if let Some(highlight) = get_field(options, "highlight") {
            markdown = markdown.highlighter(create_highlighter(highlight));
        }
        let origins: Option<js_sys::Array> = get_field(options, "mediaOrigins");
        let origins = origins.iter().flat_map(js_sys::Array::iter);
        let media = origins.filter_map(|origin| origin.as_string());
        Self {
            markdown,
            media: media.fold(MediaPolicy::default(), |policy, origin| {
                policy.allow(&origin)
            }),
            attachments: get_field::<js_sys::Object>(options, "attachments")
                .map(|limits| parse_attachments(&limits)),
        }
    }
}

fn parse_attachments(limits: &JsValue) -> Attachments {
    let mut attachments = Attachments::new();
    if let Some(accept) = get_property(limits, "accept").as_string() {
        attachments = attachments.accept(accept);
    }
    if let Some(count) = get_number(limits, "maxFiles") {
        attachments = attachments.max_files(count);
    }
    if let Some(bytes) = get_number(limits, "maxBytes") {
        attachments = attachments.max_bytes(bytes);
    }
    if let Some(bytes) = get_number(limits, "maxTotalBytes") {
        attachments = attachments.max_inline_bytes(bytes);
    }
    attachments
}

pub(crate) fn get_property(object: &JsValue, name: &str) -> JsValue {
    js_sys::Reflect::get(object, &name.into()).unwrap_or_default()
}

fn get_field<T: JsCast>(object: &JsValue, name: &str) -> Option<T> {
    get_property(object, name).dyn_into().ok()
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and other values than numbers are ignored"
)]
fn get_number(object: &JsValue, name: &str) -> Option<usize> {
    let number = get_property(object, name)
        .as_f64()
        .filter(|number| *number >= 0.0);
    number.map(|number| number as usize)
}

/// Creates a highlighter from a function that takes code and a language, and returns a list of
/// pairs of a text and a class, or a promise of such a list. If the function fails or returns any
/// other value, the code is not highlighted.
fn create_highlighter(highlight: js_sys::Function) -> Highlighter {
    Highlighter::new(move |code: String, language: String| {
        let result = highlight.call2(&JsValue::NULL, &code.into(), &language.into());
        async move {
            let Ok(answer) = result else {
                return Vec::new();
            };
            let answer = JsFuture::from(js_sys::Promise::resolve(&answer)).await;
            answer.as_ref().map(parse_tokens).unwrap_or_default()
        }
    })
}

fn parse_tokens(answer: &JsValue) -> Vec<Token> {
    let Some(list) = answer.dyn_ref::<js_sys::Array>() else {
        return Vec::new();
    };
    let pairs = list.iter().filter_map(|pair| {
        let pair: js_sys::Array = pair.dyn_into().ok()?;
        let class = pair.get(1).as_string().unwrap_or_default();
        Some(Token::new(pair.get(0).as_string()?, class))
    });
    pairs.collect()
}
