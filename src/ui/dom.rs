//! Looks up and examines elements, and examines keyboard events. The crate's selectors are always
//! valid, so an error means that no element matches.

use leptos::prelude::window;
use web_sys::Element;

/// Returns the first descendant that matches a selector, if any.
pub(crate) fn find(element: &Element, selector: &str) -> Option<Element> {
    element.query_selector(selector).ok().flatten()
}

/// Returns the nearest ancestor, or the element itself, that matches a selector, if any.
pub(crate) fn closest(element: &Element, selector: &str) -> Option<Element> {
    element.closest(selector).ok().flatten()
}

/// Returns true if the text direction of an element is right-to-left.
pub(crate) fn is_right_to_left(element: &Element) -> bool {
    let style = window().get_computed_style(element).ok().flatten();
    let direction = style.and_then(|style| style.get_property_value("direction").ok());
    direction.as_deref() == Some("rtl")
}

/// Returns true if a key belongs to the composition of an input method. Safari ends the composition
/// before it dispatches the key that ends the composition; such a key is recognized by its key
/// code.
pub(crate) fn is_composing(event: &web_sys::KeyboardEvent) -> bool {
    event.is_composing() || event.key_code() == 229
}

/// Returns true if a modifier key is held down.
pub(crate) fn has_modifier(event: &web_sys::KeyboardEvent) -> bool {
    event.ctrl_key() || event.meta_key() || event.alt_key() || event.shift_key()
}
