//! Defines the outcome of an attempt to run a call, for records and observers.

use super::{ErrorKind, Phase};

/// The outcome of an attempt to run a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CallOutcome {
    /// The call succeeded and has a result.
    Done,
    /// The call's handler failed, or the agent reports a failure.
    Failed,
    /// The call's handler exceeded its time limit.
    TimedOut,
    /// The call was refused before its handler started, because of an unknown action, invalid
    /// arguments, a limit or a missing permission.
    Refused,
    /// The user or the application denied the call.
    Denied,
    /// The call was not run on this page, because the user sent a new message, or because the tool
    /// belongs to the agent and needs no answer from the page.
    Skipped,
    /// The call was cancelled.
    Cancelled,
}

impl CallOutcome {
    /// Returns the name of the outcome in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::TimedOut => "timed-out",
            Self::Refused => "refused",
            Self::Denied => "denied",
            Self::Skipped => "skipped",
            Self::Cancelled => "cancelled",
        }
    }

    pub(super) fn from_phase(phase: Phase, error: Option<ErrorKind>) -> Self {
        match (phase, error) {
            (Phase::OutputError, Some(ErrorKind::Timeout)) => Self::TimedOut,
            (Phase::OutputError, Some(kind)) if kind.is_refusal() => Self::Refused,
            (Phase::OutputError, _) => Self::Failed,
            (Phase::OutputDenied, _) => Self::Denied,
            (Phase::Skipped, _) => Self::Skipped,
            (Phase::Cancelled, _) => Self::Cancelled,
            _ => Self::Done,
        }
    }
}
