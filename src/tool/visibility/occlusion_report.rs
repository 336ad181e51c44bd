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

/// The distances from a part at which neighbours are searched for, in pixels. Larger shadows are
/// rare.
const DISTANCES: [f64; 6] = [2.0, 8.0, 16.0, 28.0, 44.0, 64.0];
/// The distance between two points beside a part, in pixels.
const POINT_DISTANCE: f64 = 24.0;
/// The maximum number of points along one side.
const MAX_POINTS: u8 = 24;
/// The clipped width up to which an element counts as unclipped, in pixels.
const IGNORED_WIDTH: f64 = 1.0;
/// The properties that draw outside of a box, each with the value that draws nothing.
const OUTSIDE_EFFECTS: [(&str, &str); 4] = [
    ("box-shadow", "none"),
    ("outline-style", "none"),
    ("filter", "none"),
    ("text-shadow", "none"),
];

/// Returns true if the browser's report that a part is not visible proves that the part is covered
/// although hit tests found nothing. Returns false for small parts, form fields, clipped parts, and
/// parts beside which a neighbour draws outside of its box.
pub(super) fn is_proof_of_cover(part: &Element) -> bool {
    !is_small(part)
        && !part.matches("input, select, textarea").unwrap_or(true)
        && is_unclipped(part)
        && !has_shadow_beside(part)
}

/// Returns true if neither a scroll container nor the window clips more than [`IGNORED_WIDTH`] from
/// any side of an element. Only then does the browser's report apply to the complete element.
fn is_unclipped(element: &Element) -> bool {
    let rect = element.get_bounding_client_rect();
    visible_box(element).is_some_and(|(left, top, right, bottom)| {
        left - rect.left() <= IGNORED_WIDTH
            && top - rect.top() <= IGNORED_WIDTH
            && rect.right() - right <= IGNORED_WIDTH
            && rect.bottom() - bottom <= IGNORED_WIDTH
    })
}

/// Returns true if a neighbour of an element draws outside of the neighbour's own box.
fn has_shadow_beside(element: &Element) -> bool {
    let rect = element.get_bounding_client_rect();
    let scopes = tree_scopes(element);
    let side_positions = |length: f64| {
        let steps = (0..MAX_POINTS).map(|position| f64::from(position) * POINT_DISTANCE);
        steps
            .take_while(move |position| *position < length)
            .chain([length])
    };
    DISTANCES.iter().any(|distance| {
        let (left, right) = (rect.left() - distance, rect.right() + distance);
        let (top, bottom) = (rect.top() - distance, rect.bottom() + distance);
        let rows = side_positions(right - left)
            .flat_map(|position| [(left + position, top), (left + position, bottom)]);
        let columns = side_positions(bottom - top)
            .flat_map(|position| [(left, top + position), (right, top + position)]);
        rows.chain(columns).any(|(x, y)| {
            scopes.iter().any(|scope| {
                let elements = elements_at(&scope.root, x, y);
                let mut neighbours = elements
                    .iter()
                    .take_while(|element| !element.contains(Some(&scope.anchor)));
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
    OUTSIDE_EFFECTS
        .iter()
        .any(|(name, plain)| !matches!(property_value(&style, name).as_str(), value if value == *plain || value.is_empty()))
}
