//! The end of an attempt, for records and observers.

use super::{ErrorKind, Phase};

/// The end of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CallOutcome {
    /// With a result.
    Done,
    /// Its handler failed, or the agent reports a failure.
    Failed,
    /// Its handler exceeded its time limit.
    TimedOut,
    /// It was refused before anything ran: unknown action, invalid arguments, a limit, no
    /// permission.
    Refused,
    /// The user denied it.
    Denied,
    /// A new message of the user preceded it.
    Skipped,
    /// It was cancelled.
    Cancelled,
}

impl CallOutcome {
    /// Returns its word in JSON.
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

    pub(super) fn of(phase: Phase, error: Option<ErrorKind>) -> Self {
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
