//! The reader's place: which element is at the top of the view, and where exactly.
//!
//! When something above changes its height, or earlier messages come in, the same element is put
//! back where it was. An element inside of a message is the better mark, but it may be gone by
//! then; so all that lie around it are remembered, too.

use wasm_bindgen::JsCast;

use super::pinned::holds_places;

/// How deep the mark may lie in the content.
const DEPTH: usize = 8;

/// Elements around the top edge of the view, outermost first, with their distance from it.
#[derive(Default)]
pub(super) struct Place {
    marks: Vec<(web_sys::Element, f64)>,
    top: i32,
}

impl Place {
    /// Notes what is at the top of the view.
    pub(super) fn of(scroller: &web_sys::HtmlElement, content: &web_sys::HtmlElement) -> Self {
        let edge = scroller.get_bounding_client_rect().top();
        let mut marks = Vec::new();
        let mut parent: web_sys::Element = content.clone().into();
        while marks.len() < DEPTH {
            let Some(child) = first_below(&parent, edge) else {
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

    /// How far the content has moved under a reader, beside what they moved themselves. A browser moves them itself
    /// when so much went away that their place would lie behind the end, and one that holds places whenever it sees
    /// that the content moves.
    pub(super) fn shift(&self, scroller: &web_sys::HtmlElement) -> f64 {
        let top = scroller.scroll_top();
        let at_end = scroller.scroll_height() - top - scroller.client_height() <= 1;
        let moved = top != self.top && !(top < self.top && at_end);
        if moved && holds_places(scroller) {
            return 0.0;
        }
        let own = if moved {
            f64::from(top - self.top)
        } else {
            0.0
        };
        let edge = scroller.get_bounding_client_rect().top();
        let mark = self.marks.iter().rev().find(|(mark, _)| {
            // What is hidden now has no place.
            mark.is_connected() && mark.get_client_rects().length() > 0
        });
        mark.map_or(0.0, |(mark, was)| {
            mark.get_bounding_client_rect().top() - edge - was + own
        })
    }
}

/// The first child that ends below an edge. Children stand below each other, so half of them can
/// be left out at a time.
fn first_below(parent: &web_sys::Element, edge: f64) -> Option<web_sys::Element> {
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
