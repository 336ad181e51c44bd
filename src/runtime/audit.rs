//! Passes the events of calls to recorders, which the layers above the runtime add. Without a
//! recorder, nothing is recorded.

use std::rc::Rc;

use assistant_core::{conversation::CallEvent, session::Session};

use super::Runtime;

/// A recorder of call events.
pub(crate) trait CallRecorder {
    /// Reads the events of an input while the session is borrowed, and returns a closure that the
    /// runtime calls once the session is released.
    fn record(&self, events: &[CallEvent], session: &Session) -> Box<dyn FnOnce()>;
}

impl Runtime {
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
