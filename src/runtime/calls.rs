//! Notifies observers when calls need approval, start or end, and passes the events of calls to
//! recorders.
//!
//! The observers are called once the session is released, before the effects of the input are
//! carried out.

use std::rc::Rc;

use assistant_core::{
    conversation::{CallEvent, Phase},
    observe::{ObserverResult, Observers},
    session::{Output, Session},
};

use super::Runtime;
use crate::ui::{Subscription, subscribe};

pub(super) type CallObservers = Rc<Observers<CallEvent>>;

/// A recorder of call events, which the layers above the runtime add.
pub(crate) trait CallRecorder {
    /// Reads the events of an input while the session is borrowed, and returns a closure that the
    /// runtime calls once the session is released.
    fn record(&self, events: &[CallEvent], session: &Session) -> Box<dyn FnOnce()>;

    /// Returns true if the records have observers.
    fn has_observers(&self) -> bool;
}

impl Runtime {
    pub(crate) fn on_call_event<R: ObserverResult>(
        &self,
        observer: impl Fn(&CallEvent) -> R + 'static,
    ) -> Subscription {
        subscribe(&self.call_observers, observer)
    }

    /// Notifies the observers that calls need approval, have started or have ended because of one
    /// input.
    pub(super) fn notify_call_observers(&self, events: &[CallEvent]) {
        for event in events {
            self.report_observer_failures(self.call_observers.notify(event));
        }
    }

    /// Returns the events that observers of calls receive because of one input: approval requests,
    /// starts and ends. Returns an empty list if there is no observer.
    pub(super) fn observed_call_events(&self, output: &Output) -> Vec<CallEvent> {
        if self.call_observers.is_empty() || output.calls.is_empty() {
            return Vec::new();
        }
        let mut events = output.phase_changes();
        events.retain(is_observed);
        events
    }

    pub(crate) fn add_recorder(&self, recorder: Rc<dyn CallRecorder>) {
        self.recorders.borrow_mut().push(recorder);
    }

    /// Passes the events of an input to the recorders while the session is borrowed. Returns the
    /// closures of the recorders, which must be called once the session is released. A recorder is
    /// removed if it has no observers and no other owner.
    pub(super) fn record_call_events(&self, events: &[CallEvent]) -> Vec<Box<dyn FnOnce()>> {
        if events.is_empty() || self.recorders.borrow().is_empty() {
            return Vec::new();
        }
        let is_used = |recorder: &Rc<dyn CallRecorder>| {
            Rc::strong_count(recorder) > 1 || recorder.has_observers()
        };
        // Removed recorders are dropped after the borrow ends, since a destructor may add others.
        let (recorders, _removed): (Vec<_>, Vec<_>) =
            self.recorders.take().into_iter().partition(is_used);
        self.recorders.borrow_mut().clone_from(&recorders);
        let record_all = |session: &Session| {
            let callbacks = recorders
                .iter()
                .map(|recorder| recorder.record(events, session));
            callbacks.collect()
        };
        self.read(record_all).unwrap_or_default()
    }
}

fn is_observed(event: &CallEvent) -> bool {
    match event.phase() {
        Phase::ApprovalRequested | Phase::Running => true,
        // Reports only the first end of a call, because an agent may send another result for a call
        // that has already ended.
        phase => phase.is_final() && !event.before().is_some_and(Phase::is_final),
    }
}
