//! Shows the tree as a drawing, with a visible area, a zoom, and lines between messages.
//!
//! The style sheet sets the size of a cell in units of the font size, which follows the zoom. `row`
//! renders a message of the drawing or the list, `view` the list.

use assistant_core::conversation::{Drawing, Spot};
use leptos::{ev, html, prelude::*};

use super::{
    TreeItem, TreeState,
    view::{as_float, floor_to_index, truncate_to_pixels},
};
use crate::ui::{Icon, IconButton, each, effect, format_float};

/// The smallest zoom.
const MIN_ZOOM: f64 = 0.25;
/// The largest zoom.
const MAX_ZOOM: f64 = 1.5;
/// The smallest zoom at which text can be read.
const READABLE: f64 = 0.5;
/// The factor by which a zoom button changes the zoom.
const ZOOM_STEP: f64 = 1.25;
/// The change of the zoom for each pixel of a wheel event, as the natural logarithm of the factor.
const WHEEL: f64 = 0.005;
/// The maximum number of pixels of one wheel event that are counted.
const MAX_WHEEL: f64 = 50.0;
/// The maximum number of mounted rows, at any zoom.
const MAX_ROWS: usize = 800;

/// The visible area of the drawing.
#[derive(Debug, Clone, Copy)]
pub(super) struct DrawingViewport {
    pub(super) element: NodeRef<html::Div>,
    zoom: RwSignal<f64>,
    area: RwSignal<VisibleArea>,
}

/// The ranges of visible columns and lines, with a margin.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct VisibleArea {
    columns: (f64, f64),
    lines: (usize, usize),
}

impl DrawingViewport {
    pub(super) fn new() -> Self {
        Self {
            element: NodeRef::new(),
            zoom: RwSignal::new(1.0),
            area: RwSignal::new(VisibleArea::default()),
        }
    }

    /// Passes the size of the drawing and the zoom to the style sheet.
    fn apply_size(self, drawing: &Drawing) {
        let Some(element) = self.element.get_untracked() else {
            return;
        };
        let style = web_sys::HtmlElement::style(&element);
        for (name, value) in [
            ("--la-tree-columns", as_float(drawing.columns())),
            ("--la-tree-lines", as_float(drawing.lines())),
            ("--la-tree-zoom", self.zoom.get_untracked()),
        ] {
            // Setting a number cannot fail.
            let _ = style.set_property(name, &format_float(value));
        }
    }

    /// Returns the width and the height of a cell, in pixels; `None` as long as nothing is drawn.
    fn cell_size(self, drawing: &Drawing) -> Option<(f64, f64)> {
        let rect = self.element.get_untracked()?.get_bounding_client_rect();
        let place = (
            rect.width() / as_float(drawing.columns()),
            rect.height() / as_float(drawing.lines()),
        );
        (place.0 > 1.0 && place.1 > 1.0 && place.0.is_finite() && place.1.is_finite())
            .then_some(place)
    }
}

/// The scroll position of an element, measured from the inline start.
struct ScrollPosition {
    element: web_sys::HtmlDivElement,
    /// -1 for right-to-left text, otherwise 1.
    sign: f64,
}

impl ScrollPosition {
    fn from_tree(tree: &TreeState) -> Option<Self> {
        let element = tree.scroller.get_untracked()?;
        let style = window().get_computed_style(&element).ok().flatten();
        let direction = style.and_then(|style| style.get_property_value("direction").ok());
        let sign = if direction.as_deref() == Some("rtl") {
            -1.0
        } else {
            1.0
        };
        Some(Self { element, sign })
    }

    fn offset(&self) -> (f64, f64) {
        let (left, top) = (self.element.scroll_left(), self.element.scroll_top());
        (f64::from(left) * self.sign, f64::from(top))
    }

    fn client_size(&self) -> (f64, f64) {
        let (width, height) = (self.element.client_width(), self.element.client_height());
        (f64::from(width), f64::from(height))
    }

    fn scroll_to(&self, (left, top): (f64, f64)) {
        self.element
            .set_scroll_left(truncate_to_pixels((left * self.sign).round()));
        self.element.set_scroll_top(truncate_to_pixels(top.round()));
    }
}

impl TreeState {
    pub(super) fn drawn_rows(&self, drawing: &Drawing) -> Vec<TreeItem> {
        let VisibleArea { columns, lines } = self.plane.area.get();
        let visible_part = drawing.visible(&(columns.0..columns.1), &(lines.0..lines.1), MAX_ROWS);
        self.rows.with(|rows| {
            let entry = |at: usize| Some((at, rows.get(at)?.clone(), drawing.spot(at)));
            visible_part
                .rows()
                .iter()
                .copied()
                .filter_map(entry)
                .collect()
        })
    }

    fn drawn_edges(&self, drawing: &Drawing) -> Vec<Edge> {
        let VisibleArea { columns, lines } = self.plane.area.get();
        let visible_part = drawing.visible(&(columns.0..columns.1), &(lines.0..lines.1), MAX_ROWS);
        self.rows.with(|rows| {
            let way = |at: usize| {
                let spot = drawing.spot(at)?;
                let from = drawing.spot(spot.parent()?)?.column();
                let shown = rows.get(at)?.is_shown();
                Some(Edge { from, spot, shown })
            };
            visible_part
                .ways()
                .iter()
                .copied()
                .filter_map(way)
                .collect()
        })
    }

    /// Updates the size and the visible area of the drawing, after scrolling or a change of size.
    pub(super) fn update_viewport(&self) {
        let (Some(drawing), Some(scroll)) = (
            self.drawing.get_untracked(),
            ScrollPosition::from_tree(self),
        ) else {
            return;
        };
        self.plane.apply_size(&drawing);
        let Some((wide, high)) = self.plane.cell_size(&drawing) else {
            return;
        };
        let ((left, top), (width, height)) = (scroll.offset(), scroll.client_size());
        let area = VisibleArea {
            columns: (
                (left / wide).floor() - 1.0,
                ((left + width) / wide).ceil() + 1.0,
            ),
            lines: (
                floor_to_index(top / high).saturating_sub(1),
                floor_to_index((top + height) / high) + 2,
            ),
        };
        if self.plane.area.get_untracked() != area {
            self.plane.area.set(area);
        }
    }

    /// Scrolls the drawing so that a row is in view; if `middle` is true, in the middle of the
    /// view.
    pub(super) fn bring_spot_into_view(&self, at: usize, middle: bool) {
        let (Some(drawing), Some(scroll)) = (
            self.drawing.get_untracked(),
            ScrollPosition::from_tree(self),
        ) else {
            return;
        };
        let place = self.plane.cell_size(&drawing);
        let (Some((wide, high)), Some(spot)) = (place, drawing.spot(at)) else {
            return;
        };
        let (now, room) = (scroll.offset(), scroll.client_size());
        let to = |from: f64, size: f64, now: f64, room: f64| match () {
            () if middle => from + size / 2.0 - room / 2.0,
            () if from < now => from,
            () if from + size > now + room => (from + size - room).min(from),
            () => now,
        };
        scroll.scroll_to((
            to(spot.column() * wide, wide, now.0, room.0),
            to(as_float(spot.line()) * high, high, now.1, room.1),
        ));
        self.update_rows();
    }

    /// Sets the zoom, between the smallest and the largest, and keeps a point of the view in place:
    /// by default, the middle.
    fn zoom_to(&self, zoom: f64, point: Option<(f64, f64)>) {
        let (Some(drawing), Some(scroll)) = (
            self.drawing.get_untracked(),
            ScrollPosition::from_tree(self),
        ) else {
            return;
        };
        let before = self.plane.zoom.get_untracked();
        let zoom = zoom.clamp(MIN_ZOOM, MAX_ZOOM);
        let (now, room) = (scroll.offset(), scroll.client_size());
        let point = point.unwrap_or((room.0 / 2.0, room.1 / 2.0));
        self.plane.zoom.set(zoom);
        self.plane.apply_size(&drawing);
        let to = |now: f64, point: f64| (now + point) * zoom / before - point;
        scroll.scroll_to((to(now.0, point.0), to(now.1, point.1)));
        self.update_rows();
    }

    pub(super) fn zoom_in(&self) {
        self.zoom_to(self.plane.zoom.get_untracked() * ZOOM_STEP, None);
    }

    pub(super) fn zoom_out(&self) {
        self.zoom_to(self.plane.zoom.get_untracked() / ZOOM_STEP, None);
    }

    /// Sets the zoom at which the tree fits the view, between [`MIN_ZOOM`] and 1, and centres the
    /// current message.
    fn fit_to_view(&self) {
        let (Some(drawing), Some(scroll)) = (
            self.drawing.get_untracked(),
            ScrollPosition::from_tree(self),
        ) else {
            return;
        };
        let Some((wide, high)) = self.plane.cell_size(&drawing) else {
            return;
        };
        let (zoom, room) = (self.plane.zoom.get_untracked(), scroll.client_size());
        let across = room.0 / (wide / zoom * as_float(drawing.columns()));
        let down = room.1 / (high / zoom * as_float(drawing.lines()));
        self.zoom_to(across.min(down).min(1.0), None);
        self.bring_spot_into_view(self.at.get_untracked(), true);
    }

    /// Zooms around the pointer on a wheel event with Ctrl or Meta, such as the event of a pinch on
    /// a touchpad. Does nothing in the list.
    pub(super) fn handle_wheel(&self, event: &ev::WheelEvent) {
        let zooms = event.ctrl_key() || event.meta_key();
        let Some(scroll) =
            ScrollPosition::from_tree(self).filter(|_| zooms && self.drawn.get_untracked())
        else {
            return;
        };
        event.prevent_default();
        let in_lines = event.delta_mode() != 0;
        let turn = event.delta_y() * if in_lines { 16.0 } else { 1.0 };
        let factor = (-turn.clamp(-MAX_WHEEL, MAX_WHEEL) * WHEEL).exp();
        let rect = scroll.element.get_bounding_client_rect();
        let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
        let across = if scroll.sign < 0.0 {
            rect.right() - x
        } else {
            x - rect.left()
        };
        let point = Some((across, y - rect.top()));
        self.zoom_to(self.plane.zoom.get_untracked() * factor, point);
    }
}

/// A line from a message to a message that follows it.
struct Edge {
    from: f64,
    spot: Spot,
    shown: bool,
}

/// Renders the visible lines between messages. The lines are hidden from assistive technology,
/// because the levels of the rows describe the tree.
pub(super) fn edges(tree: &TreeState) -> AnyView {
    let (of, drawing) = (tree.clone(), tree.drawing);
    let items = move || {
        let drawing = drawing.get();
        drawing.map_or_else(Vec::new, |drawing| of.drawn_edges(&drawing))
    };
    let key = |way: &Edge| format!("{:?} {} {}", way.spot, way.from, way.shown);
    let lines = each(items, key, |Edge { from, spot, shown }| {
        let width = (spot.column() - from).abs();
        view! {
            <span
                class="la-tree-way"
                data-shown=shown.then_some("")
                data-back=(spot.column() < from).then_some("")
                style:--la-tree-x=format_float(spot.column().min(from))
                style:--la-tree-y=spot.line().to_string()
                style:--la-tree-width=format_float(width)
            ></span>
        }
        .into_any()
    });
    view! { <div class="la-tree-ways" aria-hidden="true">{lines}</div> }.into_any()
}

/// Renders the toolbar above the tree.
pub(super) fn drawing_toolbar(tree: &TreeState) -> AnyView {
    let (drawn, plane, drawing) = (tree.drawn, tree.plane, tree.drawing);
    let far = move || (plane.zoom.get() < READABLE).then_some("");
    effect(move |_| {
        let (far, element) = (far(), plane.element.get());
        let Some(element) = element else { return };
        // Setting an attribute with a valid name cannot fail.
        let _ = match far {
            Some(value) => element.set_attribute("data-far", value),
            None => element.remove_attribute("data-far"),
        };
    });
    effect(move |_| {
        if let Some(drawing) = drawing.get() {
            plane.apply_size(&drawing);
        }
    });
    let mut toggle = IconButton::new(
        |l| &l.draw_tree,
        Icon::Branch,
        move |_| {
            drawn.update(|drawn| *drawn = !*drawn);
        },
    );
    toggle.pressed = Signal::derive(move || Some(drawn.get()));
    let button = |name, icon, act: fn(&TreeState), ends: fn(f64) -> bool| {
        let of = tree.clone();
        let mut button = IconButton::new(name, icon, move |_| act(&of));
        button.disabled = Signal::derive(move || ends(plane.zoom.get()));
        button.view(&tree.words)
    };
    let rows = tree.rows;
    view! {
        <div
            class="la-tree-tools"
            role="group"
            aria-label=tree.words.attr(|l| &l.branches)
            hidden=move || rows.with(|rows| rows.is_empty())
        >
            {toggle.view(&tree.words)}
            <span class="la-tree-zoom" hidden=move || !drawn.get()>
                {button(|l| &l.fit_tree, Icon::Fit, TreeState::fit_to_view, |_| false)}
                {button(|l| &l.zoom_out, Icon::Minus, TreeState::zoom_out, |zoom| zoom <= MIN_ZOOM)}
                {button(|l| &l.zoom_in, Icon::Plus, TreeState::zoom_in, |zoom| zoom >= MAX_ZOOM)}
            </span>
        </div>
    }
    .into_any()
}
