//! Defines the end of a run that its events report.

use crate::event::EventKind;

/// The end of a run that its events report.
#[derive(Debug, Clone)]
pub(super) enum ReportedEnd {
    Success,
    Cancelled,
    RunError(String),
}

impl ReportedEnd {
    /// Returns true if an event of this kind may follow the end: the start of the next run in the
    /// same stream, or an error that revokes the end.
    pub(super) fn may_be_followed_by(&self, kind: &EventKind) -> bool {
        match kind {
            EventKind::RunStarted { .. } => true,
            EventKind::RunError { .. } => !matches!(self, Self::RunError(_)),
            _ => false,
        }
    }
}
