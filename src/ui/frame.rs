//! Divides work over frames, between which the page handles input. Work is limited by time, and the
//! rows of lists are limited in number.

use std::{
    cell::RefCell,
    collections::HashSet,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use futures_channel::oneshot;
use futures_util::future::select;
use js_sys::Date;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, closure::Closure};

use super::{browser, in_browser, sleep_by_browser, spawn_local, wait_for_pending_work};

/// The maximum time for work in one frame, in milliseconds.
pub(crate) const SLICE_MS: f64 = 8.0;
/// The maximum time to wait for a frame. A browser may not draw any frame.
const LONGEST_FRAME: Duration = Duration::from_millis(50);
/// The maximum number of rows that are drawn in a frame.
const FRAME_ROWS: usize = 16;
/// The maximum number of rows that are drawn in a frame while rows of earlier frames are waiting.
const CONTINUED_FRAME_ROWS: usize = 4;

/// A measurement of work against the time limit that all work of the page in one frame shares.
/// Dropping the slice adds the elapsed time to the time used in the frame.
///
/// A slice must end in the task in which it began, because only then does it belong to one frame.
#[derive(Debug)]
pub(crate) struct WorkSlice {
    began: f64,
    /// The time that was left in the frame when the slice began, in milliseconds.
    left: f64,
}

impl WorkSlice {
    /// Creates a slice that begins now.
    pub(crate) fn begin() -> Self {
        let left = FRAME_WORK.with_borrow_mut(|page| SLICE_MS - page.current().worked);
        let began = Date::now();
        Self { began, left }
    }

    /// Returns true if the rest of the work must wait for another frame.
    pub(crate) fn is_used_up(&self) -> bool {
        self.elapsed() >= self.left
    }

    fn elapsed(&self) -> f64 {
        // The elapsed time is not negative, even if the clock was set back.
        (Date::now() - self.began).max(0.0)
    }
}

impl Drop for WorkSlice {
    fn drop(&mut self) {
        let elapsed = self.elapsed();
        if elapsed > 0.0 {
            FRAME_WORK.with_borrow_mut(|page| page.current().worked += elapsed);
        }
    }
}

/// Waits for the next frame, for at most [`LONGEST_FRAME`], and then for the tasks that are queued.
/// Hidden tabs draw no frames, so in a hidden tab only the tasks are waited for. Returns at once on
/// a server.
pub(crate) async fn next_frame() {
    let Some(window) = browser() else { return };
    let is_hidden = window.document().is_none_or(|document| document.hidden());
    if !is_hidden {
        let (sender, receiver) = oneshot::channel();
        let on_frame = Closure::once_into_js(move || {
            // The error is ignored, because sending fails only if the future, which owns the
            // receiver, was dropped.
            let _ = sender.send(());
        });
        // The error is ignored, because the request fails only without a callback.
        let _ = window.request_animation_frame(on_frame.unchecked_ref());
        let timeout = std::pin::pin!(sleep_by_browser(LONGEST_FRAME));
        select(receiver, timeout).await;
    }
    wait_for_pending_work().await;
}

/// Calls `callback` in the next frame. Never calls `callback` on a server.
pub(crate) fn in_next_frame(callback: impl FnOnce() + 'static) {
    spawn_local(async move {
        next_frame().await;
        callback();
    });
}

/// The work of the page in a frame, and the rows that may still be drawn.
struct FrameWork {
    /// The time of the frame on the timeline of the document, in milliseconds.
    frame: f64,
    /// The time at which `worked` was last reset, in milliseconds since 1970.
    reset_at: f64,
    /// The time used by slices, in milliseconds.
    worked: f64,
    /// The number of rows that may still be drawn, in all lists together.
    left: usize,
    /// True while the next frame is awaited, because rows wait for that frame.
    is_frame_scheduled: bool,
    /// The signals of the lists with rows that are not drawn yet.
    lists: Vec<ArcRwSignal<u32>>,
}

impl FrameWork {
    /// Returns the work of the current frame. A frame begins when the time of the document's
    /// timeline has moved by at least [`SLICE_MS`]: the time is constant during a frame, and in
    /// some browsers during a task. While rows are waiting, `begin_frame` sets the number of rows
    /// instead.
    fn current(&mut self) -> &mut Self {
        let (frame, now) = (timeline_ms(), Date::now());
        let is_new_frame = (frame - self.frame).abs() >= SLICE_MS;
        // The timeline does not advance in documents that are not rendered.
        let is_overdue = (now - self.reset_at).abs() >= LONGEST_FRAME.as_millis() as f64;
        if is_new_frame || is_overdue {
            self.worked = 0.0;
            self.reset_at = now;
        }
        if is_new_frame {
            self.frame = frame;
            if !self.is_frame_scheduled {
                self.left = FRAME_ROWS;
            }
        }
        self
    }
}

thread_local! {
    static FRAME_WORK: RefCell<FrameWork> = const {
        RefCell::new(FrameWork {
            frame: 0.0,
            reset_at: 0.0,
            worked: 0.0,
            left: FRAME_ROWS,
            is_frame_scheduled: false,
            lists: Vec::new(),
        })
    };
}

/// Returns the time of the document's timeline, in milliseconds; zero without a document.
fn timeline_ms() -> f64 {
    let document = browser().and_then(|window| window.document());
    let timeline_time = document.and_then(|document| document.timeline().current_time());
    timeline_time.unwrap_or_default()
}

/// Draws all rows in this frame, because the page is printed or searched.
pub(crate) fn draw_all_rows() {
    FRAME_WORK.with_borrow_mut(|page| page.left = usize::MAX);
    begin_frame_later();
    let lists = FRAME_WORK.with_borrow_mut(|page| std::mem::take(&mut page.lists));
    notify_lists(lists);
}

/// Returns true if rows are waiting for a later frame.
pub(crate) fn has_waiting_rows() -> bool {
    FRAME_WORK.with_borrow(|page| !page.lists.is_empty())
}

/// Takes a row from the budget of this frame. Returns false if the budget is used up.
fn try_take_row() -> bool {
    FRAME_WORK.with_borrow_mut(|page| {
        let rows_left = &mut page.current().left;
        let has_row = *rows_left > 0;
        *rows_left = rows_left.saturating_sub(1);
        has_row
    })
}

fn begin_frame_later() {
    let was_scheduled =
        FRAME_WORK.with_borrow_mut(|page| std::mem::replace(&mut page.is_frame_scheduled, true));
    if !was_scheduled {
        in_next_frame(begin_frame);
    }
}

fn begin_frame() {
    let lists = FRAME_WORK.with_borrow_mut(|page| {
        page.current().worked = 0.0;
        page.is_frame_scheduled = false;
        page.left = if page.lists.is_empty() {
            FRAME_ROWS
        } else {
            CONTINUED_FRAME_ROWS
        };
        std::mem::take(&mut page.lists)
    });
    if lists.is_empty() {
        return;
    }
    // While rows are waiting, later frames have a smaller budget.
    begin_frame_later();
    notify_lists(lists);
}

fn notify_lists(lists: Vec<ArcRwSignal<u32>>) {
    for list in lists {
        list.update(|count| *count = count.wrapping_add(1));
    }
}

/// Returns a function that checks whether the current view is being hydrated.
pub(crate) fn hydration_check() -> impl Fn() -> bool + Clone + 'static {
    let context = Owner::current_shared_context();
    move || {
        let context = context.as_ref();
        // A page with islands stays in hydration, and hydrates only while an island is rendered.
        context.is_some_and(|context| context.during_hydration() && context.get_is_hydrating())
    }
}

/// The drawn rows of a list, to which each frame adds a few rows.
pub(crate) struct PacedRows {
    drawn: Mutex<HashSet<String>>,
    more: ArcRwSignal<u32>,
    /// The function that returns true if all rows must be drawn at once: on a server, and during
    /// hydration.
    at_once: Box<dyn Fn() -> bool + Send>,
}

impl PacedRows {
    pub(crate) fn new() -> Self {
        let is_hydrating = hydration_check();
        Self {
            drawn: Mutex::default(),
            more: ArcRwSignal::new(0),
            at_once: Box::new(move || !in_browser() || is_hydrating()),
        }
    }

    /// Removes the rows that must wait for a later frame; the reactive caller runs again in that
    /// frame. A row that is already drawn stays, and at least one row is drawn. Removes nothing on
    /// a server and during hydration.
    pub(crate) fn remove_waiting<T>(&self, rows: &mut Vec<T>, key: impl Fn(&T) -> &str) {
        if (self.at_once)() {
            return;
        }
        let mut drawn_keys = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut new_keys, mut has_waiting) = (HashSet::new(), false);
        rows.retain(|row| {
            let key = key(row);
            let is_drawn = drawn_keys.contains(key) || new_keys.is_empty() || try_take_row();
            has_waiting |= !is_drawn;
            is_drawn && new_keys.insert(key.to_owned())
        });
        *drawn_keys = new_keys;
        drop(drawn_keys);
        if has_waiting {
            self.more.track();
            FRAME_WORK.with_borrow_mut(|page| page.lists.push(self.more.clone()));
            begin_frame_later();
        }
    }
}
