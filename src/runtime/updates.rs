//! Creates records of changes, and passes the records to observers.

use std::{cell::RefCell, rc::Rc};

use assistant_core::{
    observe::{ObserverResult, Observers},
    records::{Recorder, Update},
};

use super::{Changes, Runtime};
use crate::ui::{Subscription, now, subscribe};

/// The observers, and the state of the recorder. The state is updated only while there is an
/// observer.
#[derive(Default)]
pub(super) struct UpdateObservers {
    observers: Rc<Observers<Update>>,
    recorder: RefCell<Recorder>,
}

impl Runtime {
    pub(crate) fn on_update<R: ObserverResult>(
        &self,
        observer: impl Fn(&Update) -> R + 'static,
    ) -> Subscription {
        if self.updates.observers.is_empty() {
            self.updates.recorder.take();
        }
        subscribe(&self.updates.observers, observer)
    }

    /// Creates the records of these changes, and passes the records to the observers. The session
    /// is not borrowed during the calls of the observers.
    pub(super) fn notify_update_observers(&self, changes: &Changes) {
        if self.updates.observers.is_empty() || changes.is_empty() {
            return;
        }
        if changes.thread {
            self.updates.recorder.take();
        }
        let updates = self.read(|session| {
            let mut recorder = self.updates.recorder.borrow_mut();
            recorder.record(session, changes.list(), now())
        });
        for update in updates.unwrap_or_default() {
            self.report_observer_failures(self.updates.observers.notify(&update));
        }
    }
}
