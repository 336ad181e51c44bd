//! Records of what happens, to those who forward them.

use std::{cell::RefCell, rc::Rc};

use assistant_core::{
    conversation::Change,
    records::{Recorder, Update},
};

use super::Runtime;
use crate::ui::now;

/// Who hears of each record.
pub(crate) type UpdateObserver = Rc<dyn Fn(&Update)>;

/// The observers, and what was recorded for them.
#[derive(Default)]
pub(super) struct Updates {
    observers: RefCell<Vec<UpdateObserver>>,
    recorder: RefCell<Recorder>,
}

impl Runtime {
    pub(crate) fn on_update(&self, observer: UpdateObserver) {
        self.updates.observers.borrow_mut().push(observer);
    }

    /// Tells what changed. The session is free meanwhile.
    pub(super) fn tell_updates(&self, changes: &[Change]) {
        let observers = self.updates.observers.borrow().clone();
        if observers.is_empty() || changes.is_empty() {
            return;
        }
        if changes.contains(&Change::Thread) {
            self.updates.recorder.take();
        }
        let updates = self.read(|session| {
            let mut recorder = self.updates.recorder.borrow_mut();
            recorder.record(session, changes, now())
        });
        for update in updates.unwrap_or_default() {
            for observer in &observers {
                observer(&update);
            }
        }
    }
}
