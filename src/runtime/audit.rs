//! Records of what happens to calls. What keeps them is given from above, and nothing of it is here
//! where nobody asks for records.

use std::rc::Rc;

use assistant_core::{conversation::CallEvent, session::Session};

use super::Runtime;

/// Keeps records.
pub(crate) trait Recorder {
    /// Reads the events of an input while the session is borrowed. What it gives back is called when
    /// the session is free again.
    fn record(&self, events: &[CallEvent], session: &Session) -> Box<dyn FnOnce()>;
}

impl Runtime {
    pub(crate) fn add_recorder(&self, recorder: Rc<dyn Recorder>) {
        self.recorders.borrow_mut().push(recorder);
    }

    pub(super) fn record(&self, events: &[CallEvent]) -> Vec<Box<dyn FnOnce()>> {
        let recorders = self.recorders.borrow();
        if events.is_empty() || recorders.is_empty() {
            return Vec::new();
        }
        let tell = |session: &Session| {
            let told = recorders.iter().map(|one| one.record(events, session));
            told.collect()
        };
        self.read(tell).unwrap_or_default()
    }
}
