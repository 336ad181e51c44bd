//! Tracks the reader's position: the element at the top of the view, and its offset.
//!
//! This element is scrolled back to its offset after content above the element changes its height,
//! or after earlier messages are mounted. An element inside of a message is more precise, but may
//! be removed; therefore its ancestors are also recorded.

use wasm_bindgen::JsCast;

use super::pinned_content::has_scroll_anchoring;

/// The maximum depth of the recorded elements below the content.
const MAX_DEPTH: usize = 8;

/// The elements at the top edge of the view, outermost first, with their distances from the edge in
/// pixels.
#[derive(Default)]
pub(super) struct ScrollAnchor {
    elements: Vec<(web_sys::Element, f64)>,
    top: i32,
}

impl ScrollAnchor {
    /// Records the elements at the top of the view.
    pub(super) fn record(scroller: &web_sys::HtmlElement, content: &web_sys::HtmlElement) -> Self {
        let edge = scroller.get_bounding_client_rect().top();
        let mut elements = Vec::new();
        let mut parent: web_sys::Element = content.clone().into();
        while elements.len() < MAX_DEPTH {
            let Some(child) = find_first_below(&parent, edge) else {
                break;
            };
            elements.push((child.clone(), child.get_bounding_client_rect().top() - edge));
            parent = child;
        }
        Self {
            elements,
            top: scroller.scroll_top(),
        }
    }

    /// Returns the distance in pixels by which the content has moved, without the reader's own
    /// scrolling. Returns 0 if the browser has already corrected the position, or if no recorded
    /// element is visible any more. Every browser corrects a position beyond the end of the
    /// content; a browser with scroll anchoring also corrects the position whenever the content
    /// moves.
    pub(super) fn measure_shift(&self, scroller: &web_sys::HtmlElement) -> f64 {
        let top = scroller.scroll_top();
        let at_end = scroller.scroll_height() - top - scroller.client_height() <= 1;
        let has_scrolled = top != self.top && !(top < self.top && at_end);
        if has_scrolled && has_scroll_anchoring(scroller) {
            return 0.0;
        }
        let scrolled_by = if has_scrolled {
            f64::from(top - self.top)
        } else {
            0.0
        };
        let edge = scroller.get_bounding_client_rect().top();
        let anchor = self.elements.iter().rev().find(|(element, _)| {
            // Hidden elements are skipped, because they have no position.
            element.is_connected() && element.get_client_rects().length() > 0
        });
        anchor.map_or(0.0, |(anchor, old_offset)| {
            anchor.get_bounding_client_rect().top() - edge - old_offset + scrolled_by
        })
    }
}

/// Returns the first child whose bottom is below `edge`. Returns `None` if there is no such child.
/// The search is binary, because the children are ordered from top to bottom.
fn find_first_below(parent: &web_sys::Element, edge: f64) -> Option<web_sys::Element> {
    let children = parent.children();
    let (mut low, mut high) = (0, children.length());
    while low < high {
        let middle = low + (high - low) / 2;
        let is_above = children
            .item(middle)
            .is_some_and(|child| child.get_bounding_client_rect().bottom() <= edge);
        if is_above {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    children.item(low)?.dyn_into().ok()
}
