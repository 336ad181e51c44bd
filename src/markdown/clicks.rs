//! Handles clicks in rendered Markdown with one listener for each text.

use leptos::task::spawn_local;
use wasm_bindgen::JsCast;

use super::draw_limits;
use crate::ui::{COPY_OUTCOME_MS, LabelName, Words, after, closest, copy_to_clipboard, find};

/// Handles a click in rendered Markdown: copies a code block, or shows a footnote. Returns the
/// number of the clicked button if the button draws more nodes; otherwise returns `None`.
pub(super) fn handle_click(event: &web_sys::MouseEvent, words: &Words) -> Option<u32> {
    let target = event.target().and_then(|target| target.dyn_into().ok());
    let target: web_sys::Element = target?;
    if let Some(button) = closest(&target, ".la-code-copy") {
        copy_code(&button, words);
    } else if let Some(button) = closest(&target, ".la-footnote-button") {
        show_footnote(&button);
    } else if let Some(button) = closest(&target, draw_limits::BUTTON_SELECTOR) {
        return button
            .get_attribute(draw_limits::NUMBER_ATTRIBUTE)?
            .parse()
            .ok();
    }
    None
}

fn copy_code(button: &web_sys::Element, words: &Words) {
    let code = closest(button, ".la-code-block").and_then(|block| find(&block, "code"));
    let (Some(code), Some(label)) = (code, button.first_element_child()) else {
        return;
    };
    let text = code.text_content().unwrap_or_default();
    let words = words.clone();
    spawn_local(async move {
        let labels = words.now();
        let outcome_label = if copy_to_clipboard(&text).await {
            labels.text(LabelName::Copied)
        } else {
            labels.text(LabelName::CopyFailed)
        };
        label.set_text_content(Some(outcome_label));
        after(COPY_OUTCOME_MS, move || {
            label.set_text_content(Some(words.now().text(LabelName::Copy)));
        });
    });
}

/// Scrolls to the footnote that belongs to a button in the same text, and focuses the footnote.
fn show_footnote(button: &web_sys::Element) {
    let Some(label) = button.get_attribute("data-footnote") else {
        return;
    };
    let footnotes = closest(button, ".la-markdown")
        .and_then(|root| root.query_selector_all(".la-footnote").ok());
    let Some(footnotes) = footnotes else {
        return;
    };
    let footnotes =
        (0..footnotes.length()).filter_map(|index| footnotes.item(index)?.dyn_into().ok());
    let mut footnotes = footnotes.filter(|footnote: &web_sys::HtmlElement| {
        footnote.get_attribute("data-footnote").as_deref() == Some(label.as_str())
    });
    if let Some(footnote) = footnotes.next() {
        footnote.scroll_into_view();
        // Focusing an element that is in the page does not fail.
        let _ = footnote.focus();
    }
}
