//! Renders the tree as a drawing that scrolls and zooms, with lines between messages.
//!
//! The style sheet sets the size of a cell in units of the font size, which follows the zoom. The
//! module `row` renders a message of the drawing or the list, and the module `view` renders the
//! list.

use assistant_core::conversation::{Drawing, Spot};
use leptos::{ev, html, prelude::*};

use super::{
    TreeItem, TreeState,
    view::{as_float, floor_to_index, truncate_to_pixels},
};
use crate::ui::{Icon, IconButton, LabelName, each, effect, format_float, is_right_to_left};

/// The smallest zoom.
const MIN_ZOOM: f64 = 0.25;
/// The largest zoom.
const MAX_ZOOM: f64 = 1.5;
/// The smallest zoom at which text can be read.
const MIN_READABLE_ZOOM: f64 = 0.5;
/// The factor by which a zoom button changes the zoom.
const ZOOM_STEP: f64 = 1.25;
/// The change of the zoom for each pixel of a wheel event, as the natural logarithm of the factor.
const WHEEL_ZOOM_RATE: f64 = 0.005;
/// The maximum number of pixels of one wheel event that are counted.
const MAX_WHEEL_DELTA: f64 = 50.0;
/// The maximum number of mounted rows, at any zoom.
const MAX_ROWS: usize = 800;

/// The element, the zoom and the visible area of the drawing.
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
            // The result is ignored, because setting a custom property to a number cannot fail.
            let _ = style.set_property(name, &format_float(value));
        }
    }

    /// Returns the width and the height of a cell, in pixels. Returns `None` before the first
    /// layout.
    fn cell_size(self, drawing: &Drawing) -> Option<(f64, f64)> {
        let rect = self.element.get_untracked()?.get_bounding_client_rect();
        let (width, height) = (
            rect.width() / as_float(drawing.columns()),
            rect.height() / as_float(drawing.lines()),
        );
        (width > 1.0 && height > 1.0 && width.is_finite() && height.is_finite())
            .then_some((width, height))
    }
}

/// The scroll position of an element, measured from the inline start.
struct ScrollPosition {
    element: web_sys::HtmlDivElement,
    /// The sign of the scroll offset: -1 for right-to-left text, and 1 for left-to-right text.
    sign: f64,
}

impl ScrollPosition {
    fn from_tree(tree: &TreeState) -> Option<Self> {
        let element = tree.scroller.get_untracked()?;
        let sign = if is_right_to_left(&element) {
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
        let VisibleArea { columns, lines } = self.viewport.area.get();
        let visible_part =
            drawing.visible_part(&(columns.0..columns.1), &(lines.0..lines.1), MAX_ROWS);
        self.rows.with(|rows| {
            let entry = |index: usize| Some((index, rows.get(index)?.clone(), drawing.spot(index)));
            visible_part
                .rows()
                .iter()
                .copied()
                .filter_map(entry)
                .collect()
        })
    }

    fn drawn_edges(&self, drawing: &Drawing) -> Vec<Edge> {
        let VisibleArea { columns, lines } = self.viewport.area.get();
        let visible_part =
            drawing.visible_part(&(columns.0..columns.1), &(lines.0..lines.1), MAX_ROWS);
        self.rows.with(|rows| {
            let edge = |index: usize| {
                let spot = drawing.spot(index)?;
                let from_column = drawing.spot(spot.parent()?)?.column();
                let is_shown = rows.get(index)?.is_shown();
                Some(Edge {
                    from_column,
                    spot,
                    is_shown,
                })
            };
            visible_part
                .connectors()
                .iter()
                .copied()
                .filter_map(edge)
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
        self.viewport.apply_size(&drawing);
        let Some((cell_width, cell_height)) = self.viewport.cell_size(&drawing) else {
            return;
        };
        let ((left, top), (width, height)) = (scroll.offset(), scroll.client_size());
        let area = VisibleArea {
            columns: (
                (left / cell_width).floor() - 1.0,
                ((left + width) / cell_width).ceil() + 1.0,
            ),
            lines: (
                floor_to_index(top / cell_height).saturating_sub(1),
                floor_to_index((top + height) / cell_height) + 2,
            ),
        };
        if self.viewport.area.get_untracked() != area {
            self.viewport.area.set(area);
        }
    }

    /// Scrolls the drawing so that a row is in view, or in the middle of the view if `middle` is
    /// true.
    pub(super) fn bring_spot_into_view(&self, index: usize, middle: bool) {
        let (Some(drawing), Some(scroll)) = (
            self.drawing.get_untracked(),
            ScrollPosition::from_tree(self),
        ) else {
            return;
        };
        let cell_size = self.viewport.cell_size(&drawing);
        let (Some((cell_width, cell_height)), Some(spot)) = (cell_size, drawing.spot(index)) else {
            return;
        };
        let (offset, client_size) = (scroll.offset(), scroll.client_size());
        let target_offset = |start: f64, size: f64, offset: f64, client_size: f64| match () {
            () if middle => start + size / 2.0 - client_size / 2.0,
            () if start < offset => start,
            () if start + size > offset + client_size => (start + size - client_size).min(start),
            () => offset,
        };
        scroll.scroll_to((
            target_offset(
                spot.column() * cell_width,
                cell_width,
                offset.0,
                client_size.0,
            ),
            target_offset(
                as_float(spot.line()) * cell_height,
                cell_height,
                offset.1,
                client_size.1,
            ),
        ));
        self.update_rows();
    }

    /// Sets the zoom, limited to the range from [`MIN_ZOOM`] to [`MAX_ZOOM`]. Keeps `point`, an
    /// offset in the view in pixels, in place. If `point` is `None`, keeps the middle of the view
    /// in place.
    fn zoom_to(&self, zoom: f64, point: Option<(f64, f64)>) {
        let (Some(drawing), Some(scroll)) = (
            self.drawing.get_untracked(),
            ScrollPosition::from_tree(self),
        ) else {
            return;
        };
        let old_zoom = self.viewport.zoom.get_untracked();
        let zoom = zoom.clamp(MIN_ZOOM, MAX_ZOOM);
        let (offset, client_size) = (scroll.offset(), scroll.client_size());
        let point = point.unwrap_or((client_size.0 / 2.0, client_size.1 / 2.0));
        self.viewport.zoom.set(zoom);
        self.viewport.apply_size(&drawing);
        let scaled_offset = |offset: f64, point: f64| (offset + point) * zoom / old_zoom - point;
        scroll.scroll_to((
            scaled_offset(offset.0, point.0),
            scaled_offset(offset.1, point.1),
        ));
        self.update_rows();
    }

    pub(super) fn zoom_in(&self) {
        self.zoom_to(self.viewport.zoom.get_untracked() * ZOOM_STEP, None);
    }

    pub(super) fn zoom_out(&self) {
        self.zoom_to(self.viewport.zoom.get_untracked() / ZOOM_STEP, None);
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
        let Some((cell_width, cell_height)) = self.viewport.cell_size(&drawing) else {
            return;
        };
        let (zoom, client_size) = (self.viewport.zoom.get_untracked(), scroll.client_size());
        let horizontal_zoom = client_size.0 / (cell_width / zoom * as_float(drawing.columns()));
        let vertical_zoom = client_size.1 / (cell_height / zoom * as_float(drawing.lines()));
        self.zoom_to(horizontal_zoom.min(vertical_zoom).min(1.0), None);
        self.bring_spot_into_view(self.current_index.get_untracked(), true);
    }

    /// Zooms around the pointer on a wheel event with Ctrl or Meta, such as the event of a pinch on
    /// a touchpad. Does nothing in the list.
    pub(super) fn handle_wheel(&self, event: &ev::WheelEvent) {
        let is_zoom = event.ctrl_key() || event.meta_key();
        let Some(scroll) =
            ScrollPosition::from_tree(self).filter(|_| is_zoom && self.is_drawn.get_untracked())
        else {
            return;
        };
        event.prevent_default();
        let is_in_lines = event.delta_mode() != 0;
        let delta = event.delta_y() * if is_in_lines { 16.0 } else { 1.0 };
        let factor = (-delta.clamp(-MAX_WHEEL_DELTA, MAX_WHEEL_DELTA) * WHEEL_ZOOM_RATE).exp();
        let rect = scroll.element.get_bounding_client_rect();
        let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
        let x_from_start = if scroll.sign < 0.0 {
            rect.right() - x
        } else {
            x - rect.left()
        };
        let point = Some((x_from_start, y - rect.top()));
        self.zoom_to(self.viewport.zoom.get_untracked() * factor, point);
    }
}

/// A line from a message to a message that follows it.
struct Edge {
    from_column: f64,
    spot: Spot,
    is_shown: bool,
}

/// Renders the visible lines between messages. The lines are hidden from assistive technology,
/// because the levels of the rows describe the tree.
pub(super) fn render_edges(tree: &TreeState) -> AnyView {
    let (tree, drawing) = (tree.clone(), tree.drawing);
    let items = move || {
        let drawing = drawing.get();
        drawing.map_or_else(Vec::new, |drawing| tree.drawn_edges(&drawing))
    };
    let key = |edge: &Edge| format!("{:?} {} {}", edge.spot, edge.from_column, edge.is_shown);
    let lines = each(
        items,
        key,
        |Edge {
             from_column,
             spot,
             is_shown,
         }| {
            let width = (spot.column() - from_column).abs();
            view! {
                <span
                    class="la-tree-way"
                    data-shown=is_shown.then_some("")
                    data-back=(spot.column() < from_column).then_some("")
                    style:--la-tree-x=format_float(spot.column().min(from_column))
                    style:--la-tree-y=spot.line().to_string()
                    style:--la-tree-width=format_float(width)
                ></span>
            }
            .into_any()
        },
    );
    view! { <div class="la-tree-ways" aria-hidden="true">{lines}</div> }.into_any()
}

/// Renders the toolbar above the tree.
pub(super) fn drawing_toolbar(tree: &TreeState) -> AnyView {
    let (is_drawn, viewport, drawing) = (tree.is_drawn, tree.viewport, tree.drawing);
    let far_attribute = move || (viewport.zoom.get() < MIN_READABLE_ZOOM).then_some("");
    effect(move |_| {
        let (far_attribute, element) = (far_attribute(), viewport.element.get());
        let Some(element) = element else { return };
        // The result is ignored, because setting an attribute with a valid name cannot fail.
        let _ = match far_attribute {
            Some(value) => element.set_attribute("data-far", value),
            None => element.remove_attribute("data-far"),
        };
    });
    effect(move |_| {
        if let Some(drawing) = drawing.get() {
            viewport.apply_size(&drawing);
        }
    });
    let mut toggle = IconButton::new(LabelName::DrawTree, Icon::Branch, move |_| {
        is_drawn.update(|is_drawn| *is_drawn = !*is_drawn);
    });
    toggle.pressed = Signal::derive(move || Some(is_drawn.get()));
    let button = |name, icon, act: fn(&TreeState), is_at_limit: fn(f64) -> bool| {
        let button_tree = tree.clone();
        let mut button = IconButton::new(name, icon, move |_| act(&button_tree));
        button.disabled = Signal::derive(move || is_at_limit(viewport.zoom.get()));
        button.view(&tree.words)
    };
    let rows = tree.rows;
    view! {
        <div
            class="la-tree-tools"
            role="group"
            aria-label=tree.words.attr(LabelName::Branches)
            hidden=move || rows.with(|rows| rows.is_empty())
        >
            {toggle.view(&tree.words)}
            <span class="la-tree-zoom" hidden=move || !is_drawn.get()>
                {button(LabelName::FitTree, Icon::Fit, TreeState::fit_to_view, |_| false)}
                {button(LabelName::ZoomOut, Icon::Minus, TreeState::zoom_out, |zoom| zoom <= MIN_ZOOM)}
                {button(LabelName::ZoomIn, Icon::Plus, TreeState::zoom_in, |zoom| zoom >= MAX_ZOOM)}
            </span>
        </div>
    }
    .into_any()
}
