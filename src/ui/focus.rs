//! Where the focus goes when what had it leaves the chat. Without this it falls to the page, and
//! who works by keyboard begins at its top again.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlDialogElement;

use super::{after, closest, find};

/// What takes the focus in a question.
const FIELDS: &str = "input, select, textarea, button";

/// Passes the focus on if it is inside of what goes: to the next open question beside it, else to
/// the text box of the chat.
pub(crate) fn pass_on(going: &web_sys::Element) {
    let dialog = closest(going, "dialog:modal");
    if !is_in(dialog.as_ref().unwrap_or(going)) {
        return;
    }
    let next = beside(going).or_else(|| {
        let chat = closest(going, ".la-chat")?;
        asked(&chat, going).or_else(|| find(&chat, ".la-composer-input"))
    });
    // Outside of a modal dialog nothing takes the focus.
    if let Some(dialog) = dialog.and_then(|dialog| dialog.dyn_into::<HtmlDialogElement>().ok()) {
        dialog.close();
    }
    focus(next);
}

/// Goes on in the chat around a button that goes with its click: to the text box, by a key or a
/// mouse. A finger would only call the keyboard of its screen up: it goes on in what is said.
pub(crate) fn go_on(from: &web_sys::Element, by_key: bool) {
    let Some(chat) = closest(from, ".la-chat") else {
        return;
    };
    let fine = super::browser().and_then(|window| window.match_media("(pointer: fine)").ok()?);
    let place = match by_key || fine.is_some_and(|fine| fine.matches()) {
        true => ".la-composer-input",
        false => ".la-transcript-scroller",
    };
    let element =
        find(&chat, place).and_then(|place| place.dyn_into::<web_sys::HtmlElement>().ok());
    if let Some(element) = element {
        let options = web_sys::FocusOptions::new();
        options.set_prevent_scroll(true);
        // Focusing an element that is in the page does not fail.
        let _ = element.focus_with_options(&options);
    }
}

/// Another question in a message, as a whole: who works by keyboard reads it first.
fn asked(chat: &web_sys::Element, going: &web_sys::Element) -> Option<web_sys::Element> {
    let cards = chat
        .query_selector_all(".la-tool .la-approval[tabindex]")
        .ok()?;
    let cards = (0..cards.length()).filter_map(|place| cards.item(place)?.dyn_into().ok());
    let mut others = cards.filter(|card: &web_sys::Element| {
        !card.contains(Some(going)) && !going.contains(Some(card))
    });
    others.next()
}

/// Whether the focus is inside of an element.
pub(crate) fn is_in(element: &web_sys::Element) -> bool {
    let active = document().active_element();
    active.is_some_and(|active| element.contains(Some(&active)))
}

/// The first field of another question in the inbox; those that go are inert.
fn beside(going: &web_sys::Element) -> Option<web_sys::Element> {
    let after = std::iter::successors(going.next_element_sibling(), |e| e.next_element_sibling());
    let before = std::iter::successors(going.previous_element_sibling(), |e| {
        e.previous_element_sibling()
    });
    let mut others = after
        .chain(before)
        .filter(|other| other.has_attribute("data-interrupt-id") && !other.has_attribute("inert"));
    closest(going, ".la-inbox")?;
    others.find_map(|other| find(&other, FIELDS))
}

/// Puts the focus on something in an element, once the page has what just changed.
pub(crate) fn focus_in(place: web_sys::Element, selector: &'static str) {
    after(0, move || {
        focus(find(&place, selector));
    });
}

fn focus(element: Option<web_sys::Element>) {
    let element = element.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok());
    if let Some(element) = element {
        // Focusing an element that is in the page does not fail.
        let _ = element.focus();
    }
}
