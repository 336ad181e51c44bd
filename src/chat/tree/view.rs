//! Mounts only the visible rows of the tree's list, and a few rows above and below them.

use leptos::prelude::*;
use send_wrapper::SendWrapper;
use wasm_bindgen::{JsCast, closure::Closure};

use super::{TreeItem, TreeState};
use crate::ui::{after, effect, format_float};

/// The height of a row that is assumed until a row is measured, in pixels.
const INITIAL_ROW_HEIGHT: f64 = 40.0;
/// The number of additional rows that are mounted on each side of the visible rows.
const OVERSCAN_ROWS: usize = 6;
/// The maximum number of mounted rows, independent of the height of the view.
const MAX_ROWS: usize = 200;
/// The number of mounted rows before the height of the view is known.
const MIN_ROWS: usize = 2 * OVERSCAN_ROWS + 1;

/// The row height and the range of mounted rows of the list.
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
            let (first_index, count) = self.list.window.get();
            let first_index = first_index.min(rows.len().saturating_sub(count));
            let mounted_rows = rows.iter().enumerate().skip(first_index).take(count);
            mounted_rows
                .map(|(index, row)| (index, row.clone(), None))
                .collect()
        })
    }

    /// Returns a function that computes the CSS height of the list. The function returns `None` for
    /// a drawing, which sets its own height.
    pub(super) fn list_height(&self) -> impl Fn() -> Option<String> + Send + 'static {
        let (rows, is_drawn, list) = (self.rows, self.is_drawn, self.list);
        move || {
            let height = || rows.with(|rows| as_float(rows.len())) * list.height.get();
            (!is_drawn.get()).then(|| format_float(height()) + "px")
        }
    }

    /// Scrolls the list or the drawing so that a row is in view.
    pub(super) fn bring_row_into_view(&self, index: usize) {
        let Some(scroller) = self.scroller.get_untracked() else {
            return;
        };
        if self.is_drawn.get_untracked() {
            return self.bring_spot_into_view(index, false);
        }
        let row_height = self.list.height.get_untracked();
        let row_top = as_float(index) * row_height;
        let (scroll_top, view_height) = (
            f64::from(scroller.scroll_top()),
            f64::from(scroller.client_height()),
        );
        let target_top = match () {
            () if row_top < scroll_top => row_top,
            () if row_top + row_height > scroll_top + view_height => {
                row_top + row_height - view_height
            }
            () => return,
        };
        scroller.set_scroll_top(truncate_to_pixels(target_top.ceil()));
        self.update_rows();
    }

    /// Scrolls the current row into view if the view received the focus by keyboard. Focus by a
    /// click does not scroll, so that the clicked row does not move.
    pub(super) fn handle_focus(&self) {
        let is_keyboard_focus = self.scroller.get_untracked().is_some_and(|scroller| {
            // `matches` fails only if the selector is invalid.
            scroller.matches(":focus-visible").unwrap_or_default()
        });
        if is_keyboard_focus {
            self.bring_row_into_view(self.current_index.get_untracked());
        }
    }

    /// Updates the row height and the range of mounted rows, or the visible area of the drawing.
    pub(super) fn update_rows(&self) {
        if self.is_drawn.get_untracked() {
            return self.update_viewport();
        }
        let Some(scroller) = self.scroller.get_untracked() else {
            return;
        };
        let first_row = scroller.query_selector(".la-tree-row").ok().flatten();
        let measured_height =
            first_row.map(|first_row| first_row.get_bounding_client_rect().height());
        let row_height = self.list.height;
        if let Some(measured_height) =
            measured_height.filter(|measured_height| *measured_height > 1.0)
            && (measured_height - row_height.get_untracked()).abs() > 0.01
        {
            row_height.set(measured_height);
        }
        let height = row_height.get_untracked();
        let first_index =
            floor_to_index(f64::from(scroller.scroll_top()) / height).saturating_sub(OVERSCAN_ROWS);
        let count = floor_to_index(f64::from(scroller.client_height()) / height) + MIN_ROWS;
        let count = count.min(MAX_ROWS);
        if self.list.window.get_untracked() != (first_index, count) {
            self.list.window.set((first_index, count));
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
    reason = "an index of a list"
)]
pub(super) fn floor_to_index(number: f64) -> usize {
    number.max(0.0) as usize
}

/// Updates the mounted rows now, when the rows change, and when the size of the view changes.
/// Scrolls the current row into view after a switch between list and drawing, and once the view has
/// a height.
pub(super) fn watch_rows(tree: &TreeState) {
    let rows_tree = tree.clone();
    effect(move |was_drawn: Option<bool>| {
        rows_tree.rows.track();
        let is_drawn = rows_tree.is_drawn.get();
        rows_tree.update_rows();
        // Scrolls to the current row after the next layout, because a switch between list and
        // drawing changes the position of the row.
        if was_drawn != Some(is_drawn) {
            let tree = rows_tree.clone();
            after(0, move || {
                if tree.is_drawn.try_get_untracked() == Some(is_drawn) {
                    tree.update_rows();
                    tree.bring_row_into_view(tree.current_index.get_untracked());
                }
            });
        }
        is_drawn
    });
    let resize_tree = tree.clone();
    let on_resize = move || {
        let has_measured_view = resize_tree.has_measured_view();
        resize_tree.update_rows();
        if !has_measured_view {
            resize_tree.bring_row_into_view(resize_tree.current_index.get_untracked());
        }
    };
    let observer_tree = tree.clone();
    effect(move |_| {
        let Some(scroller) = observer_tree.scroller.get() else {
            return;
        };
        let callback = Closure::<dyn FnMut()>::new(on_resize.clone());
        let Ok(observer) = web_sys::ResizeObserver::new(callback.as_ref().unchecked_ref()) else {
            return;
        };
        observer.observe(&scroller);
        let observer_with_callback = SendWrapper::new((observer, callback));
        on_cleanup(move || observer_with_callback.0.disconnect());
    });
}
