//! Notifies the readers of a run when the run has changed.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::sync::watch;

use crate::store::RunKey;

/// The state of a run that its readers are notified of.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Change {
    /// True after the run was closed, so that nothing may be added to it.
    pub(crate) is_closed: bool,
    /// The number of times that changes may have been missed.
    pub(crate) gaps: u32,
}

/// The readers of runs that wait for further events. A store that several relays share also reports
/// the changes that other relays make.
#[derive(Debug, Default)]
pub struct Changes {
    watched: Mutex<HashMap<RunKey, watch::Sender<Change>>>,
}

impl Changes {
    /// Reports a change of a run to its readers.
    pub fn report(&self, key: &RunKey, is_closed: bool) {
        if let Some(sender) = self.watched().get(key) {
            sender.send_modify(|change| change.is_closed |= is_closed);
        }
    }

    /// Notifies all readers that changes may have been missed.
    pub fn report_all(&self) {
        for sender in self.watched().values() {
            sender.send_modify(|change| change.gaps = change.gaps.wrapping_add(1));
        }
    }

    /// Returns a receiver of the changes of a run from now on.
    pub(crate) fn watch(&self, key: &RunKey) -> watch::Receiver<Change> {
        let mut watched = self.watched();
        watched.entry(key.clone()).or_default().subscribe()
    }

    /// Removes the runs that have no readers.
    pub(crate) fn sweep(&self) {
        let mut watched = self.watched();
        watched.retain(|_, sender| sender.receiver_count() > 0);
    }

    fn watched(&self) -> MutexGuard<'_, HashMap<RunKey, watch::Sender<Change>>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
