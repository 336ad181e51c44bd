//! Divides work over frames, between which the page handles input: pieces of work by time, and the
//! rows of lists by number.

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

use super::{browser, in_browser, page_settled, sleep_by_browser, spawn_local};

/// The longest work in one frame, in milliseconds.
pub(crate) const SLICE_MS: f64 = 8.0;
/// The longest wait for a frame, which a browser may not draw.
const LONGEST_FRAME: Duration = Duration::from_millis(50);
/// The maximum number of rows that are drawn in a frame.
const ROWS: usize = 16;
/// The maximum number of rows that are drawn in a frame after one in which not all were drawn.
const NEXT_ROWS: usize = 4;

/// Work that ends once this frame has no time left. All work of the page shares that time.
#[derive(Debug)]
pub(crate) struct Slice {
    began: f64,
}

impl Slice {
    /// Begins now.
    pub(crate) fn begin() -> Self {
        Self { began: Date::now() }
    }

    /// Returns true if the rest of the work belongs into another frame.
    pub(crate) fn is_used_up(&self) -> bool {
        PAGE.with_borrow(|page| page.worked + self.elapsed() >= SLICE_MS)
    }

    fn elapsed(&self) -> f64 {
        // The clock may be set back.
        (Date::now() - self.began).max(0.0)
    }
}

impl Drop for Slice {
    fn drop(&mut self) {
        let elapsed = self.elapsed();
        if elapsed > 0.0 {
            PAGE.with_borrow_mut(|page| page.worked += elapsed);
            begin_frame_later();
        }
    }
}

/// Waits for the next frame and the tasks behind it. Hidden tabs draw no frames: they only handle
/// the tasks that wait.
pub(crate) async fn next_frame() {
    let Some(window) = browser() else { return };
    let is_hidden = window.document().is_none_or(|document| document.hidden());
    if !is_hidden {
        let (sender, receiver) = oneshot::channel();
        let drawn = Closure::once_into_js(move || {
            // The receiver is dropped if the future is.
            let _ = sender.send(());
        });
        // Fails only without a callback.
        let _ = window.request_animation_frame(drawn.unchecked_ref());
        let timeout = std::pin::pin!(sleep_by_browser(LONGEST_FRAME));
        select(receiver, timeout).await;
    }
    page_settled().await;
}

/// Calls back in the next frame.
pub(crate) fn in_next_frame(callback: impl FnOnce() + 'static) {
    spawn_local(async move {
        next_frame().await;
        callback();
    });
}

/// The work of the page in this frame.
struct Frame {
    /// The time that slices took, in milliseconds.
    worked: f64,
    /// The number of rows that may still be drawn, whatever list they belong to.
    left: usize,
    /// True while the next frame is awaited.
    waits: bool,
    /// The lists with rows that are not drawn.
    lists: Vec<ArcRwSignal<u32>>,
}

thread_local! {
    static PAGE: RefCell<Frame> = const {
        RefCell::new(Frame { worked: 0.0, left: ROWS, waits: false, lists: Vec::new() })
    };
}

/// Draws all rows in this frame, because the page is printed or searched.
pub(crate) fn draw_all_rows() {
    PAGE.with_borrow_mut(|page| page.left = usize::MAX);
    begin_frame_later();
    let lists = PAGE.with_borrow_mut(|page| std::mem::take(&mut page.lists));
    wake(lists);
}

/// Returns true while rows wait for a later frame.
pub(crate) fn rows_wait() -> bool {
    PAGE.with_borrow(|page| !page.lists.is_empty())
}

/// Takes a row of this frame; returns false if all of them were taken.
fn take_row() -> bool {
    let takes = PAGE.with_borrow_mut(|page| {
        let takes = page.left > 0;
        page.left = page.left.saturating_sub(1);
        takes
    });
    begin_frame_later();
    takes
}

fn begin_frame_later() {
    let waits = PAGE.with_borrow_mut(|page| std::mem::replace(&mut page.waits, true));
    if !waits {
        in_next_frame(begin_frame);
    }
}

fn begin_frame() {
    let lists = PAGE.with_borrow_mut(|page| {
        page.waits = false;
        page.worked = 0.0;
        page.left = if page.lists.is_empty() {
            ROWS
        } else {
            NEXT_ROWS
        };
        std::mem::take(&mut page.lists)
    });
    if lists.is_empty() {
        return;
    }
    // The frames after it have fewer rows as long as rows wait.
    begin_frame_later();
    wake(lists);
}

fn wake(lists: Vec<ArcRwSignal<u32>>) {
    for list in lists {
        list.update(|count| *count = count.wrapping_add(1));
    }
}

/// Returns a function that returns true while the current view is being hydrated.
pub(crate) fn hydrating() -> impl Fn() -> bool + Clone + 'static {
    let context = Owner::current_shared_context();
    move || {
        let context = context.as_ref();
        context.is_some_and(|context| context.during_hydration())
    }
}

/// The rows of a list that are drawn, of which each frame draws a few more.
pub(crate) struct PacedRows {
    drawn: Mutex<HashSet<String>>,
    more: ArcRwSignal<u32>,
    /// True where all rows are drawn at once: on a server, and while its page is hydrated.
    at_once: Box<dyn Fn() -> bool + Send>,
}

impl PacedRows {
    pub(crate) fn new() -> Self {
        let hydrating = hydrating();
        Self {
            drawn: Mutex::default(),
            more: ArcRwSignal::new(0),
            at_once: Box::new(move || !in_browser() || hydrating()),
        }
    }

    /// Removes the rows that are drawn in a later frame, at which the caller's dependencies change.
    /// A drawn row stays, and a list has at least one.
    pub(crate) fn cut<T>(&self, rows: &mut Vec<T>, key: impl Fn(&T) -> &str) {
        if (self.at_once)() {
            return;
        }
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut now, mut waits) = (HashSet::new(), false);
        rows.retain(|row| {
            let key = key(row);
            let draws = drawn.contains(key) || now.is_empty() || take_row();
            waits |= !draws;
            draws && now.insert(key.to_owned())
        });
        *drawn = now;
        drop(drawn);
        if waits {
            self.more.track();
            PAGE.with_borrow_mut(|page| page.lists.push(self.more.clone()));
            begin_frame_later();
        }
    }
}
