//! Evaluates the browser's report that a part is not visible.
//!
//! The browser counts shadows and outlines of neighbours as covers. If hit tests find nothing above
//! a part and no neighbour has a shadow or an outline, the part is covered by something that hit
//! tests cannot find, such as a layer in a closed shadow root.

use web_sys::Element;

use super::{
    appearance::{computed_style, property_value},
    covers::{elements_at, is_small, tree_scopes, visible_box},
};

/// The distances from a part at which neighbours are searched for, in pixels. Shadows seldom reach
/// further.
const DISTANCES: [f64; 6] = [2.0, 8.0, 16.0, 28.0, 44.0, 64.0];
/// The distance between two points beside a part, in pixels.
const POINT_DISTANCE: f64 = 24.0;
/// The maximum number of points along one side.
const MAX_POINTS: u8 = 24;
/// The clipped width up to which an element counts as unclipped, in pixels.
const IGNORED_WIDTH: f64 = 1.0;
/// The properties that draw outside of a box, each with the value that draws nothing.
const OUTSIDE: [(&str, &str); 4] = [
    ("box-shadow", "none"),
    ("outline-style", "none"),
    ("filter", "none"),
    ("text-shadow", "none"),
];

/// Returns true if the browser's report that a part is not visible proves that the part is covered
/// although hit tests found nothing. False for small parts, form fields, clipped parts, and parts
/// beside which a neighbour draws outside of its box.
pub(super) fn is_proof_of_cover(part: &Element) -> bool {
    !is_small(part)
        && !part.matches("input, select, textarea").unwrap_or(true)
        && is_unclipped(part)
        && !has_shadow_beside(part)
}

/// Returns true if no edge clips an element, so that the browser examines all of it.
fn is_unclipped(element: &Element) -> bool {
    let whole = element.get_bounding_client_rect();
    visible_box(element).is_some_and(|(left, top, right, bottom)| {
        left - whole.left() <= IGNORED_WIDTH
            && top - whole.top() <= IGNORED_WIDTH
            && whole.right() - right <= IGNORED_WIDTH
            && whole.bottom() - bottom <= IGNORED_WIDTH
    })
}

/// Returns true if a neighbour draws outside of its box.
fn has_shadow_beside(element: &Element) -> bool {
    let edges = element.get_bounding_client_rect();
    let scopes = tree_scopes(element);
    let along = |length: f64| {
        let steps = (0..MAX_POINTS).map(|at| f64::from(at) * POINT_DISTANCE);
        steps.take_while(move |at| *at < length).chain([length])
    };
    DISTANCES.iter().any(|distance| {
        let (left, right) = (edges.left() - distance, edges.right() + distance);
        let (top, bottom) = (edges.top() - distance, edges.bottom() + distance);
        let rows = along(right - left).flat_map(|at| [(left + at, top), (left + at, bottom)]);
        let columns = along(bottom - top).flat_map(|at| [(left, top + at), (right, top + at)]);
        rows.chain(columns).any(|(x, y)| {
            scopes.iter().any(|scope| {
                let found = elements_at(&scope.root, x, y);
                let mut neighbours = found
                    .iter()
                    .take_while(|found| !found.contains(Some(&scope.anchor)));
                neighbours.any(|neighbour| {
                    !scope.anchor.contains(Some(neighbour)) && has_outside_drawing(neighbour)
                })
            })
        })
    })
}

fn has_outside_drawing(element: &Element) -> bool {
    let Some(style) = computed_style(element) else {
        return true;
    };
    OUTSIDE
        .iter()
        .any(|(name, plain)| !matches!(property_value(&style, name).as_str(), found if found == *plain || found.is_empty()))
}
