//! Looking for elements. A selector of ours is always one, so that nothing else can fail.

use web_sys::Element;

/// The first element below another that fits a selector.
pub(crate) fn find(element: &Element, selector: &str) -> Option<Element> {
    element.query_selector(selector).ok().flatten()
}

/// The nearest element around another, or itself, that fits a selector.
pub(crate) fn closest(element: &Element, selector: &str) -> Option<Element> {
    element.closest(selector).ok().flatten()
}

/// Returns whether a key belongs to what an input method composes, and not to us. Safari ends the
/// composition before it tells of the key that ended it; the key's code gives it away.
pub(crate) fn composes(event: &web_sys::KeyboardEvent) -> bool {
    event.is_composing() || event.key_code() == 229
}
