//! Changes reach the signals once per animation frame; what an agent sends while it speaks about thirty
//! times a second, because laying it out is what an answer costs, and no one reads faster.
//!
//! A frame in which nothing is drawn costs nearly a millisecond all the same: what streams in waits by a
//! timer, and only then for a frame. Frames stop in hidden tabs, so another timer runs beside; what comes
//! first flushes. The end of a run does not wait for either.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashSet;

use assistant_core::{conversation::Change, session::Session};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};

use super::{Changes, Runtime};
use crate::ui::{after, after_by_browser, browser};

/// How long changes wait at most, in milliseconds.
const HIDDEN_MS: u32 = 250;
/// How long what streams in waits before it asks for a frame, in milliseconds: more than one frame of most
/// screens, and less than two.
const STREAMING_MS: u32 = 20;

/// Changes that no signal has seen yet.
#[derive(Default)]
pub(super) struct Frames {
    order: RefCell<Vec<Change>>,
    known: RefCell<HashSet<Change>>,
    /// Called at each frame that was asked for. Made once, and the page's to let go of: a frame may
    /// come when the runtime is gone.
    tick: OnceCell<JsValue>,
    /// A frame was asked for and has not come.
    asked: Cell<bool>,
    /// What streams in waits before it asks for a frame.
    waits: Cell<bool>,
    /// A timer runs for the case that no frame comes.
    timed: Cell<bool>,
}

impl Runtime {
    /// Remembers changes for the next frame; each place only once.
    pub(super) fn note_changes(&self, changes: Changes) {
        if changes.is_empty() {
            return;
        }
        let at_once = changes.run;
        let streams = !at_once && self.stream_in(&changes);
        for change in changes.into_list() {
            // Most events are about the part that grew just now.
            if self.frames.order.borrow().last() == Some(&change) {
                continue;
            }
            if self.frames.known.borrow_mut().insert(change.clone()) {
                self.frames.order.borrow_mut().push(change);
            }
        }
        if at_once {
            self.flush();
        } else {
            self.schedule(streams);
        }
    }

    /// Asks for a frame, soon or at once, and for a timer beside it: one of either is enough.
    fn schedule(&self, streams: bool) {
        match streams {
            true => self.later_frame(),
            false => self.next_frame(),
        }
        if !self.frames.timed.replace(true) {
            let runtime = self.weak();
            after(HIDDEN_MS, move || {
                if let Some(runtime) = runtime.upgrade() {
                    runtime.frames.timed.set(false);
                    runtime.flush();
                }
            });
        }
    }

    fn later_frame(&self) {
        if self.frames.asked.get() || self.frames.waits.replace(true) {
            return;
        }
        let runtime = self.weak();
        // By the browser's time even where a test has its own, as frames are.
        after_by_browser(STREAMING_MS, move || {
            let Some(runtime) = runtime.upgrade() else {
                return;
            };
            runtime.frames.waits.set(false);
            if !runtime.frames.order.borrow().is_empty() {
                runtime.next_frame();
            }
        });
    }

    fn next_frame(&self) {
        let Some(window) = browser() else { return };
        if self.frames.asked.replace(true) {
            return;
        }
        let tick = self.frames.tick.get_or_init(|| {
            let runtime = self.weak();
            let tick = Closure::<dyn FnMut()>::new(move || {
                if let Some(runtime) = runtime.upgrade() {
                    runtime.tick();
                }
            });
            tick.into_js_value()
        });
        // Fails only without a callback.
        let _ = window.request_animation_frame(tick.unchecked_ref());
    }

    fn tick(&self) {
        self.frames.asked.set(false);
        self.flush();
    }

    /// Whether all that has changed is what an agent says and does while it speaks.
    fn stream_in(&self, changes: &Changes) -> bool {
        let speaks = || self.read(Session::is_streaming).unwrap_or_default();
        changes.only_growth || (changes.only_speech && speaks())
    }

    /// Tells the signals what has changed.
    pub(crate) fn flush(&self) {
        self.frames.known.borrow_mut().clear();
        let changes = std::mem::take(&mut *self.frames.order.borrow_mut());
        if changes.is_empty() {
            return;
        }
        let updates = self.read(|session| self.view.collect(&changes, session));
        // The session is free again: what follows a signal may call back in.
        if let Some(updates) = updates {
            self.view.apply(updates);
        }
    }
}
