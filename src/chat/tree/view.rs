//! Selects the visible rows of the list; only those are mounted.

use leptos::prelude::*;
use send_wrapper::SendWrapper;
use wasm_bindgen::{JsCast, closure::Closure};

use super::{TreeItem, TreeState};
use crate::ui::{after, effect, format_float};

/// The estimated height of a row until a row was measured, in pixels.
const INITIAL_ROW_HEIGHT: f64 = 40.0;
/// The number of mounted rows above and below the visible rows.
const OVERSCAN_ROWS: usize = 6;
/// The maximum number of mounted rows, at any height.
const MAX_ROWS: usize = 200;
/// The number of mounted rows before the height of the view is known.
const MIN_ROWS: usize = 2 * OVERSCAN_ROWS + 1;

/// The visible part of the list.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowList {
    /// The height of a row, in pixels.
    pub(super) height: RwSignal<f64>,
    /// The index of the first mounted row, and the number of mounted rows.
    window: RwSignal<(usize, usize)>,
}

impl RowList {
    pub(super) fn new() -> Self {
        Self {
            height: RwSignal::new(INITIAL_ROW_HEIGHT),
            window: RwSignal::new((0, MIN_ROWS)),
        }
    }
}

impl TreeState {
    pub(super) fn listed_rows(&self) -> Vec<TreeItem> {
        self.rows.with(|rows| {
            let (first, count) = self.list.window.get();
            let first = first.min(rows.len().saturating_sub(count));
            let shown = rows.iter().enumerate().skip(first).take(count);
            shown.map(|(at, row)| (at, row.clone(), None)).collect()
        })
    }

    /// Returns a function that computes the height of the list as CSS; `None` for a drawing, which
    /// sets its own height.
    pub(super) fn list_height(&self) -> impl Fn() -> Option<String> + Send + 'static {
        let (rows, drawn, list) = (self.rows, self.drawn, self.list);
        move || {
            let height = || rows.with(|rows| as_float(rows.len())) * list.height.get();
            (!drawn.get()).then(|| format_float(height()) + "px")
        }
    }

    /// Scrolls the list or the drawing so that a row is in view.
    pub(super) fn bring_row_into_view(&self, at: usize) {
        let Some(scroller) = self.scroller.get_untracked() else {
            return;
        };
        if self.drawn.get_untracked() {
            return self.bring_spot_into_view(at, false);
        }
        let height = self.list.height.get_untracked();
        let top = as_float(at) * height;
        let (from, room) = (
            f64::from(scroller.scroll_top()),
            f64::from(scroller.client_height()),
        );
        let to = match () {
            () if top < from => top,
            () if top + height > from + room => top + height - room,
            () => return,
        };
        scroller.set_scroll_top(truncate_to_pixels(to.ceil()));
        self.update_rows();
    }

    /// Scrolls the current row into view on focus by keyboard. A row that was clicked must not move
    /// away.
    pub(super) fn handle_focus(&self) {
        let by_key = self.scroller.get_untracked().is_some_and(|scroller| {
            // Fails only for an invalid selector.
            scroller.matches(":focus-visible").unwrap_or_default()
        });
        if by_key {
            self.bring_row_into_view(self.at.get_untracked());
        }
    }

    /// Updates the visible rows of the list and their height, or the visible area of the drawing.
    pub(super) fn update_rows(&self) {
        if self.drawn.get_untracked() {
            return self.update_viewport();
        }
        let Some(scroller) = self.scroller.get_untracked() else {
            return;
        };
        let row = scroller.query_selector(".la-tree-row").ok().flatten();
        let measured = row.map(|row| row.get_bounding_client_rect().height());
        let known = self.list.height;
        if let Some(measured) = measured.filter(|measured| *measured > 1.0)
            && (measured - known.get_untracked()).abs() > 0.01
        {
            known.set(measured);
        }
        let height = known.get_untracked();
        let first =
            floor_to_index(f64::from(scroller.scroll_top()) / height).saturating_sub(OVERSCAN_ROWS);
        let count = floor_to_index(f64::from(scroller.client_height()) / height) + MIN_ROWS;
        let count = count.min(MAX_ROWS);
        if self.list.window.get_untracked() != (first, count) {
            self.list.window.set((first, count));
        }
    }

    fn has_measured_view(&self) -> bool {
        let window = self.list.window.try_get_untracked();
        window.is_some_and(|(_, count)| count > MIN_ROWS)
    }
}

#[allow(clippy::cast_precision_loss, reason = "pixels of a page")]
pub(super) fn as_float(rows: usize) -> f64 {
    rows as f64
}

#[allow(clippy::cast_possible_truncation, reason = "pixels of a page")]
pub(super) fn truncate_to_pixels(number: f64) -> i32 {
    number as i32
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place in a list"
)]
pub(super) fn floor_to_index(number: f64) -> usize {
    number.max(0.0) as usize
}

/// Updates the visible rows now, when the rows change, and when the size of the view changes.
/// Scrolls the current row into view after a switch between list and drawing, and once the view has
/// a height.
pub(super) fn watch_rows(tree: &TreeState) {
    let of = tree.clone();
    effect(move |before: Option<bool>| {
        of.rows.track();
        let drawn = of.drawn.get();
        of.update_rows();
        // After a switch between list and drawing, the row has another position in the next layout.
        if before != Some(drawn) {
            let of = of.clone();
            after(0, move || {
                if of.drawn.try_get_untracked() == Some(drawn) {
                    of.update_rows();
                    of.bring_row_into_view(of.at.get_untracked());
                }
            });
        }
        drawn
    });
    let of = tree.clone();
    let sized = move || {
        let has_measured_view = of.has_measured_view();
        of.update_rows();
        if !has_measured_view {
            of.bring_row_into_view(of.at.get_untracked());
        }
    };
    let of = tree.clone();
    effect(move |_| {
        let Some(scroller) = of.scroller.get() else {
            return;
        };
        let changed = Closure::<dyn FnMut()>::new(sized.clone());
        let Ok(observer) = web_sys::ResizeObserver::new(changed.as_ref().unchecked_ref()) else {
            return;
        };
        observer.observe(&scroller);
        let watching = SendWrapper::new((observer, changed));
        on_cleanup(move || watching.0.disconnect());
    });
}
