//! The end of a run, as far as its events say.

use crate::event::EventKind;

/// The end of a run, as far as its events say.
#[derive(Debug, Clone)]
pub(super) enum Finish {
    Success,
    Cancelled,
    RunError(String),
}

impl Finish {
    /// Returns whether an event may come after the end: the next run of the same stream, or the news that
    /// the end was none.
    pub(super) fn lets_follow(&self, kind: &EventKind) -> bool {
        match kind {
            EventKind::RunStarted { .. } => true,
            EventKind::RunError { .. } => !matches!(self, Self::RunError(_)),
            _ => false,
        }
    }
}
