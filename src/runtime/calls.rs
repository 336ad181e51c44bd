//! Notifies observers when calls need approval, start or end, and passes the events of calls to
//! recorders.
//!
//! The observers are called once the session is released, before the effects of the input are
//! carried out.

use std::{
    fmt,
    rc::{Rc, Weak},
};

use assistant_core::{
    conversation::{CallEvent, Phase},
    observe::{ObserverId, ObserverResult, Observers},
    session::{Output, Session},
};
use send_wrapper::SendWrapper;

use super::Runtime;

pub(super) type CallObservers = Observers<CallEvent>;

/// A recorder of call events, which the layers above the runtime add.
pub(crate) trait CallRecorder {
    /// Reads the events of an input while the session is borrowed, and returns a closure that the
    /// runtime calls once the session is released.
    fn record(&self, events: &[CallEvent], session: &Session) -> Box<dyn FnOnce()>;
}

/// The subscription of an observer. Dropping the subscription unsubscribes the observer.
#[must_use = "dropping it unsubscribes at once"]
pub struct Subscription(SendWrapper<ObserverHandle>);

struct ObserverHandle {
    runtime: Weak<Runtime>,
    id: ObserverId,
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Subscription").field(&self.0.id).finish()
    }
}

impl Subscription {
    /// Keeps the observer subscribed for the life of the assistant.
    pub fn forget(self) {
        let mut entry = self.0.take();
        entry.runtime = Weak::new();
    }
}

impl Drop for ObserverHandle {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.upgrade() {
            runtime.call_observers.remove(self.id);
        }
    }
}

impl Runtime {
    pub(crate) fn on_call_event<R: ObserverResult>(
        &self,
        observer: impl Fn(&CallEvent) -> R + 'static,
    ) -> Subscription {
        Subscription(SendWrapper::new(ObserverHandle {
            runtime: self.weak(),
            id: self.call_observers.add(observer),
        }))
    }

    /// Notifies the observers that calls need approval, have started or have ended because of one
    /// input.
    pub(super) fn notify_call_observers(&self, events: &[CallEvent]) {
        for event in events {
            self.report_observer_failures(self.call_observers.notify(event));
        }
    }

    /// Returns the events that observers of calls receive because of one input: approval requests,
    /// starts and ends. Empty if there is no observer.
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

    /// Passes the events of an input to the recorders while the session is borrowed, and returns the
    /// closures of the recorders, to be called once the session is released.
    pub(super) fn record_call_events(&self, events: &[CallEvent]) -> Vec<Box<dyn FnOnce()>> {
        let recorders = self.recorders.borrow();
        if events.is_empty() || recorders.is_empty() {
            return Vec::new();
        }
        let record_all = |session: &Session| {
            let callbacks = recorders.iter().map(|one| one.record(events, session));
            callbacks.collect()
        };
        self.read(record_all).unwrap_or_default()
    }
}

fn is_observed(event: &CallEvent) -> bool {
    match event.phase() {
        Phase::ApprovalRequested | Phase::Running => true,
        // The agent may send another result, which ends it once more.
        phase => phase.is_final() && !event.before().is_some_and(Phase::is_final),
    }
}
