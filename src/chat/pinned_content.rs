//! Holds the height of a list while blocks are replaced, for browsers without scroll anchoring.
//!
//! If a style sheet has container queries (`@container`), `WebKit` computes the layout while old
//! blocks are removed and new blocks have no style yet, and clamps the scroll position to the end
//! of the list at that moment. Therefore the list keeps its height until the new blocks have their
//! heights; then the module `scroll` restores the reader's position.

use leptos::{html, prelude::*};
use web_sys::HtmlElement;

use crate::ui::format_float;

/// The CSS property that holds the height of the list.
const HEIGHT_PROPERTY: &str = "min-block-size";

/// The element that contains the blocks, whose height can be held.
#[derive(Clone, Copy)]
pub(super) struct PinnedContent {
    pub(super) content: NodeRef<html::Div>,
    /// The number of pins so far, so that the end of an older pin does not end a newer pin.
    pins: StoredValue<u32>,
}

impl PinnedContent {
    pub(super) fn new() -> Self {
        Self {
            content: NodeRef::new(),
            pins: StoredValue::new(0),
        }
    }

    /// Holds the height of the list for two animation frames. Does nothing in browsers with scroll
    /// anchoring.
    pub(super) fn pin(self) {
        let Some(Some(content)) = self.content.try_get_untracked() else {
            return;
        };
        if has_scroll_anchoring(&content) {
            return;
        }
        let pins = self.pins;
        pins.update_value(|pins| *pins = pins.wrapping_add(1));
        let pin_number = pins.get_value();
        // One pixel is added, so that the change of height is always observed.
        let height = format_float(content.get_bounding_client_rect().height() + 1.0) + "px";
        // The result is ignored, because setting this property to a length in pixels cannot fail.
        let _ = HtmlElement::style(&content).set_property(HEIGHT_PROPERTY, &height);
        // Reading the layout applies the height before anything is removed.
        let _ = content.get_bounding_client_rect();
        request_animation_frame(move || {
            request_animation_frame(move || {
                if pins.try_get_value() == Some(pin_number) {
                    let _ = HtmlElement::style(&content).remove_property(HEIGHT_PROPERTY);
                }
            });
        });
    }
}

/// Returns true if the browser has scroll anchoring. Safari has no scroll anchoring.
pub(super) fn has_scroll_anchoring(element: &HtmlElement) -> bool {
    let property = wasm_bindgen::JsValue::from_str("overflowAnchor");
    js_sys::Reflect::has(&HtmlElement::style(element), &property).unwrap_or_default()
}
