//! The reason why a call may start, and the way in which it ended.

use super::{Decider, ErrorKind, Phase};

/// The reason why a call may start.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AllowedBy {
    /// The action asks nobody.
    Policy,
    /// The rule of the action let it pass.
    Rule,
    /// A person who was asked.
    Person {
        /// With other arguments than the agent's.
        edited: bool,
    },
    /// A person who was asked by the agent: it says nothing to the page.
    PersonToAgent,
    /// The application, by its own code.
    Application {
        /// True if it put other arguments in place of the agent's.
        edited: bool,
    },
    /// The application, which the agent asked: it says nothing to the page.
    ApplicationToAgent,
    /// An approval that was given earlier.
    Earlier {
        /// Which one.
        id: String,
        /// The one who gave it.
        by: Decider,
    },
}

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
