//! Changes reach the signals once per animation frame; text that only grows at every second one,
//! because laying it out is what an answer costs, and no one reads that fast.
//!
//! Frames stop in hidden tabs, so a timer runs beside each; what comes first flushes. The end of
//! a run does not wait for either.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;

use assistant_core::conversation::Change;
use wasm_bindgen::{JsCast, closure::Closure};

use super::Runtime;
use crate::ui::{after, browser};

/// How long changes wait at most, in milliseconds.
const HIDDEN_MS: u32 = 250;

/// Changes that no signal has seen yet.
#[derive(Default)]
pub(super) struct Frames {
    order: RefCell<Vec<Change>>,
    known: RefCell<HashSet<Change>>,
    scheduled: Cell<bool>,
    /// Counts the flushes: what was scheduled before the last one has nothing to do any more.
    flushed: Cell<u32>,
}

impl Frames {
    fn only_growth(&self) -> bool {
        let grew = |change: &Change| matches!(change, Change::PartGrew { .. });
        self.order.borrow().iter().all(grew)
    }
}

fn next_frame(act: impl FnOnce() + 'static) {
    if let Some(window) = browser() {
        let callback = Closure::once_into_js(act);
        // Fails only without a callback.
        let _ = window.request_animation_frame(callback.unchecked_ref());
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
        } else if !self.frames.scheduled.replace(true) {
            self.schedule();
        }
    }

    fn schedule(&self) {
        let (runtime, round) = (self.weak(), self.frames.flushed.get());
        let flush = move || {
            let runtime = runtime.upgrade();
            if let Some(runtime) = runtime.filter(|runtime| runtime.frames.flushed.get() == round) {
                runtime.flush();
            }
        };
        let (runtime, first) = (self.weak(), flush.clone());
        next_frame(move || match runtime.upgrade() {
            Some(runtime) if runtime.frames.only_growth() => next_frame(first),
            _ => first(),
        });
        after(HIDDEN_MS, flush);
    }

    /// Tells the signals what has changed.
    pub(crate) fn flush(&self) {
        self.frames.scheduled.set(false);
        let flushed = &self.frames.flushed;
        flushed.set(flushed.get().wrapping_add(1));
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
