//! A list that gets no lower while blocks come and go, for browsers that hold no reader's place.
//!
//! Where a style sheet asks about sizes (`@container`), `WebKit` lays out while what goes is gone and what
//! comes has no style yet, and moves whoever reads to where the list ends at that moment. So the list
//! is held up until the new blocks have their heights; then `scroll` puts the reader back to their place.

use leptos::{html, prelude::*};
use web_sys::HtmlElement;

use crate::ui::written;

/// What holds the list up.
const HEIGHT: &str = "min-block-size";

/// The element that holds the blocks.
#[derive(Clone, Copy)]
pub(super) struct Pinned {
    pub(super) content: NodeRef<html::Div>,
    /// Counts how often it was pinned: an older pin does not end a newer one.
    pins: StoredValue<u32>,
}

impl Pinned {
    pub(super) fn new() -> Self {
        Self {
            content: NodeRef::new(),
            pins: StoredValue::new(0),
        }
    }

    /// Holds the list up until the frame after the next one is drawn.
    pub(super) fn pin(self) {
        let Some(Some(content)) = self.content.try_get_untracked() else {
            return;
        };
        if holds_places(&content) {
            return;
        }
        let pins = self.pins;
        pins.update_value(|pins| *pins = pins.wrapping_add(1));
        let pin = pins.get_value();
        // A pixel more, so that the change of height is noticed in any case.
        let height = written(content.get_bounding_client_rect().height() + 1.0) + "px";
        // Neither fails for this property and such a value.
        let _ = HtmlElement::style(&content).set_property(HEIGHT, &height);
        // In force before anything goes.
        let _ = content.get_bounding_client_rect();
        request_animation_frame(move || {
            request_animation_frame(move || {
                if pins.try_get_value() == Some(pin) {
                    let _ = HtmlElement::style(&content).remove_property(HEIGHT);
                }
            });
        });
    }
}

/// Returns whether the browser keeps what a reader sees where it is (scroll anchoring). Safari does not.
pub(super) fn holds_places(element: &HtmlElement) -> bool {
    let property = wasm_bindgen::JsValue::from_str("overflowAnchor");
    js_sys::Reflect::has(&HtmlElement::style(element), &property).unwrap_or_default()
}
