//! A syntax highlighter that calls a function of the page.

use leptos_assistant::markdown::{Highlighter, Token};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// Creates a highlighter from a function that takes code and a language, and returns pairs of a
/// text and a class, or a promise of them. If the function fails or returns any other value, the
/// code is not highlighted.
pub(crate) fn create_highlighter(highlight: js_sys::Function) -> Highlighter {
    Highlighter::new(move |code: String, language: String| {
        let returned = highlight.call2(&JsValue::NULL, &code.into(), &language.into());
        async move {
            let Ok(answer) = returned else {
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
