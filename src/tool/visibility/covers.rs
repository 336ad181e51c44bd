//! Finds elements of the page above a card by hit tests.
//!
//! Hit tests skip layers that take no clicks (`pointer-events: none`), so a style sheet makes these
//! layers take clicks during a test. Layers that draw nothing, such as the container of a page's
//! toasts, are not covers.

use js_sys::Array;
use leptos::prelude::document;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CssStyleSheet, Document, Element, Node, ShadowRoot};

use super::appearance::{
    computed_style, has_no_pseudo_element, parent_or_host, parse_color, property_value,
};
use crate::ui::closest;

/// The style sheet that makes every element take part in hit tests.
const HIT_TEST_STYLE: &str = "*, ::before, ::after { pointer-events: auto !important }";
/// The selector of the chat's own controls that may be above a scrolled card.
const OWN_CONTROLS: &str = ".la-jump, .la-message-bar, .la-inbox-progress";
/// The selector of the containers of both a card and the chat's own controls.
const OWN_WINDOW: &str = ".la-chat, .la-inbox";
/// The selector of elements that draw something regardless of their style.
const DRAWING_ELEMENTS: &str = ":modal, img, picture, video, audio, canvas, iframe, embed, object, svg, svg *, input, textarea, \
    select, button, meter, progress, hr, fieldset, math, math *";
/// The maximum number of points in a row and in a column, besides the points at the edges.
const MAX_POINTS: u8 = 64;
/// The distance of the outermost points from the edges of the element, in pixels.
const EDGE_DISTANCE: f64 = 0.5;

/// The content above an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cover {
    Nothing,
    /// Only layers that draw nothing, or parts of the same card and controls of the chat that cover
    /// less than half of the element.
    Transparent,
    /// Other parts of the same card, or controls of the chat. Scrolling brings the element into
    /// view.
    Card,
    /// No pixel of the element is in view.
    OutOfView,
    /// Any other element of the page.
    Foreign,
}

/// The distance between the points of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grid {
    /// Finds covers of the size of a word.
    Wide,
    /// Finds covers of the size of a letter, at a higher cost.
    Narrow,
}

impl Grid {
    /// Returns the distance between two points in a row and in a column, in pixels.
    const fn spacing(self) -> (f64, f64) {
        match self {
            Self::Wide => (32.0, 16.0),
            Self::Narrow => (7.0, 7.0),
        }
    }
}

/// A series of hit tests. Dropping the series restores the page's style sheets.
#[derive(Default)]
pub(super) struct HitTest {
    sheet: Option<CssStyleSheet>,
    /// The document and shadow roots that have the sheet.
    roots: Vec<Node>,
}

impl HitTest {
    /// Returns the content above an element of a card. The style sheet stays in the document and
    /// shadow roots of the element until the series is dropped.
    pub(super) fn find_cover(&mut self, element: &Element, card: &Element, grid: Grid) -> Cover {
        let Some((left, top, right, bottom)) = visible_box(element) else {
            return Cover::OutOfView;
        };
        let scopes = tree_scopes(element);
        for TreeScope { root, .. } in &scopes {
            self.add_sheet(root);
        }
        let (mut points, mut own_points, mut has_transparent) = (0_u32, 0_u32, false);
        let (step_x, step_y) = grid.spacing();
        for (y, is_inside_y) in point_offsets(bottom - top, step_y) {
            for (x, is_inside_x) in point_offsets(right - left, step_x) {
                let point = Point {
                    x: left + x,
                    y: top + y,
                    inside: is_inside_x && is_inside_y,
                };
                points = points.saturating_add(1);
                match cover_at(point, &scopes, card) {
                    Cover::Foreign => return Cover::Foreign,
                    Cover::Card | Cover::OutOfView => own_points = own_points.saturating_add(1),
                    Cover::Transparent => has_transparent = true,
                    Cover::Nothing => {}
                }
            }
        }
        match own_points.saturating_mul(2) >= points {
            true => Cover::Card,
            false if has_transparent || own_points > 0 => Cover::Transparent,
            false => Cover::Nothing,
        }
    }

    fn add_sheet(&mut self, root: &Node) {
        if self.roots.contains(root) {
            return;
        }
        if self.sheet.is_none() {
            let sheet = CssStyleSheet::new().ok();
            self.sheet = sheet.filter(|sheet| sheet.replace_sync(HIT_TEST_STYLE).is_ok());
        }
        if let Some(sheet) = &self.sheet {
            let sheets = Array::from(&adopted_sheets(root));
            sheets.push(sheet);
            set_adopted_sheets(root, &sheets);
            self.roots.push(root.clone());
        }
    }
}

impl Drop for HitTest {
    fn drop(&mut self) {
        if let Some(sheet) = &self.sheet {
            let own_sheet: &JsValue = sheet;
            for root in &self.roots {
                let page_sheets: Array = adopted_sheets(root)
                    .iter()
                    .filter(|sheet| sheet != own_sheet)
                    .collect();
                set_adopted_sheets(root, &page_sheets);
            }
        }
    }
}

/// Returns the constructed style sheets of a document or shadow root.
fn adopted_sheets(root: &Node) -> Array {
    match (root.dyn_ref::<Document>(), root.dyn_ref::<ShadowRoot>()) {
        (Some(document), _) => document.adopted_style_sheets(),
        (None, Some(root)) => root.adopted_style_sheets(),
        (None, None) => Array::new(),
    }
}

fn set_adopted_sheets(root: &Node, sheets: &Array) {
    match (root.dyn_ref::<Document>(), root.dyn_ref::<ShadowRoot>()) {
        (Some(document), _) => document.set_adopted_style_sheets(sheets),
        (None, Some(root)) => root.set_adopted_style_sheets(sheets),
        (None, None) => {}
    }
}

/// A point of a hit test; `inside` is false near an edge, where an element may have a gap.
#[derive(Clone, Copy)]
struct Point {
    x: f64,
    y: f64,
    inside: bool,
}

/// Returns the positions of points along a side, in pixels: near both ends, where most covers
/// begin, and evenly in between. The flag is true for the points in between.
fn point_offsets(length: f64, step: f64) -> impl Iterator<Item = (f64, bool)> + Clone {
    let count = (length / step).ceil().clamp(1.0, MAX_POINTS.into());
    let inner_offsets = (0..MAX_POINTS)
        .map(f64::from)
        .take_while(move |index| *index < count);
    let inner_offsets = inner_offsets.map(move |index| (length * (index + 0.5) / count, true));
    [(EDGE_DISTANCE, false), (length - EDGE_DISTANCE, false)]
        .into_iter()
        .chain(inner_offsets)
}

/// A document or shadow root, with its anchor: the examined element if the root directly contains
/// the element, or else the shadow host that contains the element.
pub(super) struct TreeScope {
    pub(super) root: Node,
    pub(super) anchor: Element,
}

/// Returns the scopes of an element, from the document to the innermost shadow root.
pub(super) fn tree_scopes(element: &Element) -> Vec<TreeScope> {
    let mut scopes = Vec::new();
    let mut next_anchor = Some(element.clone());
    while let Some(anchor) = next_anchor {
        let root = anchor.get_root_node();
        next_anchor = root.dyn_ref::<ShadowRoot>().map(ShadowRoot::host);
        scopes.push(TreeScope { root, anchor });
    }
    scopes.reverse();
    scopes
}

/// Returns the content above an element at one point.
fn cover_at(point: Point, scopes: &[TreeScope], card: &Element) -> Cover {
    let mut cover = Cover::Nothing;
    'scopes: for TreeScope { root, anchor } in scopes {
        for hit in elements_at(root, point.x, point.y) {
            if anchor.contains(Some(&hit)) {
                continue 'scopes;
            }
            if hit.contains(Some(anchor)) {
                // Near an edge, a rounded corner leaves a gap. Further inside, an ancestor is hit
                // first only if its pseudo-element covers the element.
                return match point.inside && !is_small(anchor) {
                    true => Cover::Foreign,
                    false => cover,
                };
            }
            if card.contains(Some(&hit)) || is_own_control(&hit, card) {
                return Cover::Card;
            }
            if !is_transparent(&hit) {
                return Cover::Foreign;
            }
            cover = Cover::Transparent;
        }
        return Cover::OutOfView;
    }
    cover
}

/// Returns true if an element is part of the chat's own controls, in the window that contains a
/// card.
fn is_own_control(element: &Element, card: &Element) -> bool {
    let control = closest(element, OWN_CONTROLS);
    control
        .and_then(|control| closest(&control, OWN_WINDOW))
        .is_some_and(|window| window.contains(Some(card)))
}

/// Returns true if an element is less than 8 pixels wide or high, so that no point is far from an
/// edge.
pub(super) fn is_small(element: &Element) -> bool {
    let edges = element.get_bounding_client_rect();
    edges.width() < 8.0 || edges.height() < 8.0
}

#[allow(clippy::cast_possible_truncation, reason = "positions on a screen")]
pub(super) fn elements_at(root: &Node, x: f64, y: f64) -> Vec<Element> {
    let (x, y) = (x as f32, y as f32);
    let elements = match (root.dyn_ref::<Document>(), root.dyn_ref::<ShadowRoot>()) {
        (Some(document), _) => document.elements_from_point(x, y),
        (None, Some(root)) => root.elements_from_point(x, y),
        (None, None) => Array::new(),
    };
    elements
        .iter()
        .filter_map(|element| element.dyn_into().ok())
        .collect()
}

/// Returns the left, top, right and bottom edges, in pixels, of the part of an element that neither
/// a scroll container nor the window clips; `None` if the element is clipped completely.
pub(super) fn visible_box(element: &Element) -> Option<(f64, f64, f64, f64)> {
    let edges = |element: &Element| {
        let edges = element.get_bounding_client_rect();
        (edges.left(), edges.top(), edges.right(), edges.bottom())
    };
    let intersect = |a: (f64, f64, f64, f64), b: (f64, f64, f64, f64)| {
        (a.0.max(b.0), a.1.max(b.1), a.2.min(b.2), a.3.min(b.3))
    };
    let window = document().document_element()?;
    let size = (
        f64::from(window.client_width()),
        f64::from(window.client_height()),
    );
    let mut visible_part = intersect(edges(element), (0.0, 0.0, size.0, size.1));
    let mut next_ancestor = parent_or_host(element);
    while let Some(ancestor) = next_ancestor {
        let clips = computed_style(&ancestor)
            .is_some_and(|style| property_value(&style, "overflow") != "visible");
        // The root element and the body are skipped, because the window scrolls their content.
        if clips && !ancestor.is_same_node(Some(&window)) && ancestor.local_name() != "body" {
            visible_part = intersect(visible_part, edges(&ancestor));
        }
        if ancestor.matches(":modal").unwrap_or(false) {
            break;
        }
        next_ancestor = parent_or_host(&ancestor);
    }
    (visible_part.2 > visible_part.0 && visible_part.3 > visible_part.1).then_some(visible_part)
}

/// Returns true if an element draws nothing itself, apart from its child elements. An element that
/// may hide content in a shadow root counts as drawing.
fn is_transparent(element: &Element) -> bool {
    let Some(style) = computed_style(element) else {
        return false;
    };
    if property_value(&style, "opacity") == "0" {
        return true;
    }
    let is_plain = |name: &str, plain: &str| matches!(property_value(&style, name).as_str(), value if value == plain || value.is_empty());
    let children = std::iter::successors(element.first_child(), Node::next_sibling);
    let has_text = children.into_iter().any(|child| {
        let text = child.text_content().unwrap_or_default();
        child.node_type() == Node::TEXT_NODE && !text.trim().is_empty()
    });
    let can_hide_content = element.local_name().contains('-') || element.shadow_root().is_some();
    let sides = ["top", "right", "bottom", "left"];
    !has_text
        && !can_hide_content
        && !element.matches(DRAWING_ELEMENTS).unwrap_or(true)
        && parse_color(&property_value(&style, "background-color"))
            .is_some_and(|(_, alpha)| alpha == 0.0)
        && is_plain("background-image", "none")
        && is_plain("box-shadow", "none")
        && is_plain("backdrop-filter", "none")
        && sides
            .iter()
            .all(|side| is_plain(&format!("border-{side}-width"), "0px"))
        && (is_plain("outline-style", "none") || is_plain("outline-width", "0px"))
        && ["::before", "::after"]
            .iter()
            .all(|pseudo| has_no_pseudo_element(element, pseudo))
}
