//! Derives loop events from the changes of the session, and passes the events to observers.

use std::{cell::RefCell, rc::Rc};

use assistant_core::{
    loop_events::{LoopEvent, LoopEvents},
    observe::{ObserverResult, Observers},
};

use super::{Changes, Runtime};
use crate::ui::{Subscription, subscribe};

/// The observers of loop events, and the state from which the events are derived. The state is
/// updated only while there is an observer.
#[derive(Default)]
pub(super) struct LoopObservers {
    observers: Rc<Observers<LoopEvent>>,
    events: RefCell<LoopEvents>,
}

impl Runtime {
    pub(crate) fn on_loop_event<R: ObserverResult>(
        &self,
        observer: impl Fn(&LoopEvent) -> R + 'static,
    ) -> Subscription {
        if self.loop_events.observers.is_empty() {
            let current_events = self.read(LoopEvents::of);
            *self.loop_events.events.borrow_mut() = current_events.unwrap_or_default();
        }
        subscribe(&self.loop_events.observers, observer)
    }

    /// Derives the loop events from these changes, and passes the events to the observers. The
    /// session is not borrowed during the calls of the observers.
    pub(super) fn notify_loop_observers(&self, changes: &Changes) {
        if self.loop_events.observers.is_empty() || changes.is_empty() {
            return;
        }
        let events = self.read(|session| {
            let mut converter = self.loop_events.events.borrow_mut();
            converter.record(session, changes.list())
        });
        for event in events.unwrap_or_default() {
            self.report_observer_failures(self.loop_events.observers.notify(&event));
        }
    }
}
