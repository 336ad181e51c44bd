//! The end of a run according to its events.

use crate::event::EventKind;

/// The end of a run according to its events.
#[derive(Debug, Clone)]
pub(super) enum Finish {
    Success,
    Cancelled,
    RunError(String),
}

impl Finish {
    /// Returns true if an event of this kind may follow the end: the start of the next run in the
    /// same stream, or an error that revokes the end.
    pub(super) fn accepts_after_end(&self, kind: &EventKind) -> bool {
        match kind {
            EventKind::RunStarted { .. } => true,
            EventKind::RunError { .. } => !matches!(self, Self::RunError(_)),
            _ => false,
        }
    }
}
