//! Applies changes to the signals once per animation frame. Streaming output from an agent is
//! applied about thirty times a second: layout is most of the cost of an answer, and a higher rate
//! would not help users to read the answer.
//!
//! Even an empty frame costs nearly a millisecond, so streaming output waits for a timer first, and
//! only then for a frame. Frames stop in hidden tabs, so a fallback timer runs in parallel; the frame
//! or the fallback timer, whichever fires first, applies the changes. When a run begins, ends or
//! advances a step, changes are applied at once.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashSet;

use assistant_core::{conversation::Change, session::Session};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};

use super::{Changes, Runtime};
use crate::ui::{after, after_by_browser, browser};

/// The maximum delay until queued changes are applied, in milliseconds, even without a frame.
const FALLBACK_MS: u32 = 250;
/// The delay after which a frame is requested for streaming output, in milliseconds. The delay is
/// longer than one frame of most screens, and shorter than two frames.
const STREAMING_DELAY_MS: u32 = 20;

/// The changes that have not been applied to signals, and the scheduled frame and timers.
#[derive(Default)]
pub(super) struct FrameSchedule {
    order: RefCell<Vec<Change>>,
    known: RefCell<HashSet<Change>>,
    /// The callback for requested frames. The callback is created once and owned by the page, since
    /// a frame may fire after the runtime was dropped.
    tick: OnceCell<JsValue>,
    /// True while a requested frame is pending.
    asked: Cell<bool>,
    /// True while the request for a frame for streaming output is delayed.
    waits: Cell<bool>,
    /// True while the fallback timer runs.
    timed: Cell<bool>,
}

impl Runtime {
    /// Queues changes, without duplicates, and schedules a frame that applies the changes. If a run
    /// has begun, ended or advanced a step, all queued changes are applied at once.
    pub(super) fn queue_changes(&self, changes: Changes) {
        if changes.is_empty() {
            return;
        }
        let is_immediate = changes.run;
        let is_streamed = !is_immediate && self.are_streamed(&changes);
        for change in changes.into_list() {
            // Skips a change that equals the previous change, which is the most frequent case while
            // a part grows.
            if self.frames.order.borrow().last() == Some(&change) {
                continue;
            }
            if self.frames.known.borrow_mut().insert(change.clone()) {
                self.frames.order.borrow_mut().push(change);
            }
        }
        if is_immediate {
            self.apply_queued_changes();
        } else {
            self.schedule_frame(is_streamed);
        }
    }

    /// Requests a frame, delayed if `is_streamed` is true, and starts a fallback timer; the first
    /// of the two to fire applies the changes.
    fn schedule_frame(&self, is_streamed: bool) {
        match is_streamed {
            true => self.request_delayed_frame(),
            false => self.request_frame(),
        }
        if !self.frames.timed.replace(true) {
            let runtime = self.weak();
            after(FALLBACK_MS, move || {
                if let Some(runtime) = runtime.upgrade() {
                    runtime.frames.timed.set(false);
                    runtime.apply_queued_changes();
                }
            });
        }
    }

    fn request_delayed_frame(&self) {
        if self.frames.asked.get() || self.frames.waits.replace(true) {
            return;
        }
        let runtime = self.weak();
        // The timer uses the browser's time, as frames do, even if a test has a fake clock.
        after_by_browser(STREAMING_DELAY_MS, move || {
            let Some(runtime) = runtime.upgrade() else {
                return;
            };
            runtime.frames.waits.set(false);
            if !runtime.frames.order.borrow().is_empty() {
                runtime.request_frame();
            }
        });
    }

    fn request_frame(&self) {
        let Some(window) = browser() else { return };
        if self.frames.asked.replace(true) {
            return;
        }
        let tick = self.frames.tick.get_or_init(|| {
            let runtime = self.weak();
            let tick = Closure::<dyn FnMut()>::new(move || {
                if let Some(runtime) = runtime.upgrade() {
                    runtime.frames.asked.set(false);
                    runtime.apply_queued_changes();
                }
            });
            tick.into_js_value()
        });
        // The request fails only without a callback.
        let _ = window.request_animation_frame(tick.unchecked_ref());
    }

    /// Returns true if the changes are only appended text, or if an answer is being streamed and
    /// only parts, messages, calls or the path have changed.
    fn are_streamed(&self, changes: &Changes) -> bool {
        let is_streaming = || self.read(Session::is_streaming).unwrap_or_default();
        changes.only_growth || (changes.only_speech && is_streaming())
    }

    /// Applies queued changes to the signals.
    pub(crate) fn apply_queued_changes(&self) {
        self.frames.known.borrow_mut().clear();
        let changes = std::mem::take(&mut *self.frames.order.borrow_mut());
        if changes.is_empty() {
            return;
        }
        let updates = self.read(|session| self.view.collect_updates(&changes, session));
        // The updates are applied after the session is released, because effects of the signals may
        // dispatch inputs.
        if let Some(updates) = updates {
            self.view.apply_updates(updates);
        }
    }
}
