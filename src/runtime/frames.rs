//! Changes reach the signals once per animation frame; what an agent sends while it speaks at every
//! second one, because laying it out is what an answer costs, and no one reads that fast.
//!
//! Frames stop in hidden tabs, so a timer runs beside each; what comes first flushes. The end of
//! a run does not wait for either.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashSet;

use assistant_core::{conversation::Change, session::Session};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};

use super::Runtime;
use crate::ui::{after, browser};

/// How long changes wait at most, in milliseconds.
const HIDDEN_MS: u32 = 250;

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
    /// What streams in has waited for a frame already.
    waited: Cell<bool>,
    /// A timer runs for the case that no frame comes.
    timed: Cell<bool>,
}

impl Frames {
    /// Whether all that has changed is what an agent says and does while it speaks.
    fn streams_in(&self, speaks: bool) -> bool {
        let streams = |change: &Change| match change {
            Change::PartGrew { .. } => true,
            Change::PartAdded { .. }
            | Change::MessageAdded(_)
            | Change::Message(_)
            | Change::Path
            | Change::Call(_) => speaks,
            _ => false,
        };
        self.order.borrow().iter().all(streams)
    }
}

impl Runtime {
    /// Remembers changes for the next frame; each place only once.
    pub(super) fn note_changes(&self, changes: Vec<Change>) {
        if changes.is_empty() {
            return;
        }
        let at_once = changes.contains(&Change::Run);
        for change in changes {
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
            self.schedule();
        }
    }

    /// Asks for a frame, and for a timer beside it: one of either is enough.
    fn schedule(&self) {
        self.next_frame();
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
        let nothing = self.frames.order.borrow().is_empty();
        if !nothing && self.streams_in() && !self.frames.waited.replace(true) {
            self.next_frame();
        } else {
            self.flush();
        }
    }

    fn streams_in(&self) -> bool {
        let speaks = self.read(Session::is_streaming).unwrap_or_default();
        self.frames.streams_in(speaks)
    }

    /// Tells the signals what has changed.
    pub(crate) fn flush(&self) {
        self.frames.waited.set(false);
        self.frames.known.borrow_mut().clear();
        let changes = std::mem::take(&mut *self.frames.order.borrow_mut());
        if changes.is_empty() {
            return;
        }
        let show = self.read(|session| self.screen.changed(&changes, session));
        if let Some(show) = show {
            show();
        }
    }
}
