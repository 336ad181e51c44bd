//! Tracks the reader's position: the element at the top of the view, and its offset.
//!
//! The same element is scrolled back to its offset after content above it changes its height, or
//! earlier messages are mounted. An element inside of a message is more precise, but may be removed;
//! so its ancestors are remembered as well.

use wasm_bindgen::JsCast;

use super::pinned::has_scroll_anchoring;

/// The maximum depth of the remembered elements below the content.
const DEPTH: usize = 8;

/// The elements at the top edge of the view, outermost first, with their distances from the edge.
#[derive(Default)]
pub(super) struct ScrollAnchor {
    marks: Vec<(web_sys::Element, f64)>,
    top: i32,
}

impl ScrollAnchor {
    /// Records the elements at the top of the view.
    pub(super) fn record(scroller: &web_sys::HtmlElement, content: &web_sys::HtmlElement) -> Self {
        let edge = scroller.get_bounding_client_rect().top();
        let mut marks = Vec::new();
        let mut parent: web_sys::Element = content.clone().into();
        while marks.len() < DEPTH {
            let Some(child) = find_first_below(&parent, edge) else {
                break;
            };
            marks.push((child.clone(), child.get_bounding_client_rect().top() - edge));
            parent = child;
        }
        Self {
            marks,
            top: scroller.scroll_top(),
        }
    }

    /// Returns the distance in pixels that the content has moved, apart from the reader's
    /// scrolling; 0 if the browser has already corrected the position, or no recorded element is
    /// visible any more. The browser itself scrolls when content was removed and the position would
    /// be beyond the end, and a browser with scroll anchoring whenever the content moves.
    pub(super) fn measure_shift(&self, scroller: &web_sys::HtmlElement) -> f64 {
        let top = scroller.scroll_top();
        let at_end = scroller.scroll_height() - top - scroller.client_height() <= 1;
        let moved = top != self.top && !(top < self.top && at_end);
        if moved && has_scroll_anchoring(scroller) {
            return 0.0;
        }
        let own = if moved {
            f64::from(top - self.top)
        } else {
            0.0
        };
        let edge = scroller.get_bounding_client_rect().top();
        let mark = self.marks.iter().rev().find(|(mark, _)| {
            // A hidden element has no position.
            mark.is_connected() && mark.get_client_rects().length() > 0
        });
        mark.map_or(0.0, |(mark, was)| {
            mark.get_bounding_client_rect().top() - edge - was + own
        })
    }
}

/// Finds the first child that ends below an edge, by binary search, since children are stacked;
/// `None` if no child does.
fn find_first_below(parent: &web_sys::Element, edge: f64) -> Option<web_sys::Element> {
    let children = parent.children();
    let (mut low, mut high) = (0, children.length());
    while low < high {
        let middle = low + (high - low) / 2;
        let above = children
            .item(middle)
            .is_some_and(|child| child.get_bounding_client_rect().bottom() <= edge);
        if above {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    children.item(low)?.dyn_into().ok()
}
