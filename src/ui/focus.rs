//! Moves the focus when the focused element is removed from the chat. If the focus were not moved,
//! the focus would fall back to the page, and keyboard users would start again at the top of the
//! page.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlDialogElement;

use super::{after, closest, find};

/// The selector of the focusable elements of a question.
const FIELD_SELECTOR: &str = "input, select, textarea, button";

/// Moves the focus out of an element that is about to be removed: to another open question or
/// approval card, or else to the text box of the chat. A modal dialog around the element is closed.
/// Does nothing if neither the element nor the dialog contains the focus.
pub(crate) fn pass_focus_on(removed: &web_sys::Element) {
    let dialog = closest(removed, "dialog:modal");
    if !has_focus_in(dialog.as_ref().unwrap_or(removed)) {
        return;
    }
    let next_element = next_question_field(removed).or_else(|| {
        let chat = closest(removed, ".la-chat")?;
        next_approval_card(&chat, removed).or_else(|| find(&chat, ".la-composer-input"))
    });
    // The dialog is closed first, because no element outside of an open modal dialog can be
    // focused.
    if let Some(dialog) = dialog.and_then(|dialog| dialog.dyn_into::<HtmlDialogElement>().ok()) {
        dialog.close();
    }
    focus_element(next_element);
}

/// Moves the focus after a button is removed by its click: to the text box for a key or a mouse,
/// and to the transcript on a touch screen, where focusing the text box would open the keyboard.
pub(crate) fn focus_after_removal(from: &web_sys::Element, by_key: bool) {
    let Some(chat) = closest(from, ".la-chat") else {
        return;
    };
    let pointer_query =
        super::browser().and_then(|window| window.match_media("(pointer: fine)").ok()?);
    let selector =
        match by_key || pointer_query.is_some_and(|pointer_query| pointer_query.matches()) {
            true => ".la-composer-input",
            false => ".la-transcript-scroller",
        };
    let element = find(&chat, selector).or_else(|| find(&chat, ".la-composer-input"));
    let element = element.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok());
    if let Some(element) = element {
        focus_in_place(&element);
    }
}

/// Moves the focus from a button, which its click removes, to the list of messages. Does nothing
/// if the button does not have the focus.
pub(crate) fn pass_focus_to_transcript(button: &web_sys::Element) {
    let chat = closest(button, ".la-chat, .la-transcript");
    let transcript = chat.and_then(|chat| find(&chat, ".la-transcript-scroller"));
    let transcript = transcript.and_then(|element| element.dyn_into().ok());
    if let Some(transcript) = transcript.filter(|_| has_focus_in(button)) {
        focus_in_place(&transcript);
    }
}

/// Focuses an element without scrolling it into view.
pub(crate) fn focus_in_place(element: &web_sys::HtmlElement) {
    let options = web_sys::FocusOptions::new();
    options.set_prevent_scroll(true);
    // The error is ignored, because focusing an element in the page cannot fail.
    let _ = element.focus_with_options(&options);
}

/// Returns another approval card in a message of the chat, if any. The card itself gets the focus,
/// so that keyboard users read the card from the start.
fn next_approval_card(
    chat: &web_sys::Element,
    removed: &web_sys::Element,
) -> Option<web_sys::Element> {
    let cards = chat
        .query_selector_all(".la-tool .la-approval[tabindex]")
        .ok()?;
    let cards = (0..cards.length()).filter_map(|index| cards.item(index)?.dyn_into().ok());
    let mut other_cards = cards.filter(|card: &web_sys::Element| {
        !card.contains(Some(removed)) && !removed.contains(Some(card))
    });
    other_cards.next()
}

/// Returns true if the focus is inside of an element.
pub(crate) fn has_focus_in(element: &web_sys::Element) -> bool {
    focused_element(element).is_some_and(|active| element.contains(Some(&active)))
}

/// Returns the focused element of the document or shadow root that contains an element, if any. If
/// the focus is inside of a shadow root, the active element of the document is only the host of the
/// shadow root.
pub(crate) fn focused_element(near: &web_sys::Element) -> Option<web_sys::Element> {
    let root = near.get_root_node();
    // The conversion is valid for documents as well, because documents and shadow roots have the
    // same property.
    root.unchecked_into::<web_sys::ShadowRoot>()
        .active_element()
}

/// Returns the first field of another question in the same inbox, if any. Answered questions are
/// skipped, because they are inert.
fn next_question_field(removed: &web_sys::Element) -> Option<web_sys::Element> {
    let following =
        std::iter::successors(removed.next_element_sibling(), |e| e.next_element_sibling());
    let preceding = std::iter::successors(removed.previous_element_sibling(), |e| {
        e.previous_element_sibling()
    });
    let mut questions = following.chain(preceding).filter(|question| {
        question.has_attribute("data-interrupt-id") && !question.has_attribute("inert")
    });
    closest(removed, ".la-inbox")?;
    questions.find_map(|question| find(&question, FIELD_SELECTOR))
}

/// Focuses the descendant that matches a selector, if no element of the page has the focus, for
/// example after the focused element was removed.
pub(crate) fn recover_focus(place: &web_sys::Element, selector: &str) {
    let active = document().active_element();
    if active.is_none_or(|active| active.tag_name() == "BODY") {
        focus_element(find(place, selector));
    }
}

/// Focuses the descendant that matches a selector, after pending changes of the page.
pub(crate) fn focus_descendant(place: web_sys::Element, selector: &'static str) {
    after(0, move || {
        focus_element(find(&place, selector));
    });
}

fn focus_element(element: Option<web_sys::Element>) {
    let element = element.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok());
    if let Some(element) = element {
        // The error is ignored, because focusing an element in the page cannot fail.
        let _ = element.focus();
    }
}
