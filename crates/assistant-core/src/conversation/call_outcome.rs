//! The end of an attempt, for records and observers.

use super::{ErrorKind, Phase};

/// The end of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CallOutcome {
    /// With a result.
    Done,
    /// Its handler failed, or the agent says that it did.
    Failed,
    /// Its handler took too long.
    TimedOut,
    /// It was refused before anything ran: no such action, arguments that do not fit, a limit, no
    /// permission.
    Refused,
    /// A person denied it.
    Denied,
    /// Something that the person said came first.
    Skipped,
    /// It was given up.
    Cancelled,
}

impl CallOutcome {
    /// The word for it in JSON.
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
