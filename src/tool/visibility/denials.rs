//! Explains why the browser denies that a part is visible.
//!
//! The browser counts shadows and outlines of neighbours as covers. Where hit tests find nothing above a part and no
//! neighbour has any, something is above it that hit tests cannot find, such as a layer in a closed shadow root.

use web_sys::Element;

use super::{
    appearance::{style_of, value},
    covers::{elements_at, is_small, scopes, visible_box},
};

/// Distances from a part at which neighbours are looked for, in pixels. Shadows seldom reach further.
const DISTANCES: [f64; 6] = [2.0, 8.0, 16.0, 28.0, 44.0, 64.0];
/// Distance between two points beside a part, in pixels.
const STEP: f64 = 24.0;
/// The most points along one side.
const MOST: u8 = 24;
/// Distance from an edge of what is cut off that is still no cut, in pixels.
const SLACK: f64 = 1.0;
/// Properties that draw outside of a box, each with the value that draws nothing.
const OUTSIDE: [(&str, &str); 4] = [
    ("box-shadow", "none"),
    ("outline-style", "none"),
    ("filter", "none"),
    ("text-shadow", "none"),
];

/// Returns whether a denial proves that something is above a part over which hit tests found nothing.
pub(super) fn proves_cover(part: &Element) -> bool {
    !is_small(part)
        && !part.matches("input, select, textarea").unwrap_or(true)
        && is_whole(part)
        && !has_shadow_beside(part)
}

/// Returns whether no edge cuts anything of an element off: the browser examines the whole of it.
fn is_whole(element: &Element) -> bool {
    let whole = element.get_bounding_client_rect();
    visible_box(element).is_some_and(|(left, top, right, bottom)| {
        left - whole.left() <= SLACK
            && top - whole.top() <= SLACK
            && whole.right() - right <= SLACK
            && whole.bottom() - bottom <= SLACK
    })
}

/// Returns whether a neighbour draws outside of its box.
fn has_shadow_beside(element: &Element) -> bool {
    let edges = element.get_bounding_client_rect();
    let scopes = scopes(element);
    let along = |length: f64| {
        let steps = (0..MOST).map(|at| f64::from(at) * STEP);
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
                    !scope.anchor.contains(Some(neighbour)) && draws_outside(neighbour)
                })
            })
        })
    })
}

fn draws_outside(element: &Element) -> bool {
    let Some(style) = style_of(element) else {
        return true;
    };
    OUTSIDE
        .iter()
        .any(|(name, plain)| !matches!(value(&style, name).as_str(), found if found == *plain || found.is_empty()))
}
