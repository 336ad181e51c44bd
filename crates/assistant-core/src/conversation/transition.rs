//! What happened to calls, in order, for those who keep a record of it ([`crate::session::AuditEntry`]).

use super::state::{State, StateEvent};

/// Something that happened to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Transition {
    /// Its action is not on the page: it waits.
    Waited,
    /// The page asks a person about it.
    Asked,
    /// The agent asks a person about it.
    AskedByAgent,
    /// It may start, by what the page's rules or a person say.
    Allowed,
    /// A person denied it.
    Denied,
    /// A person answered what the agent asked about it with an approval.
    AllowedToAgent,
    /// It is left to the agent to run.
    LeftToAgent,
    /// Its handler started.
    Started,
    /// What was made of it is void: it changed, or its action did.
    Voided,
    /// It has come to its last phase.
    Ended,
}

impl Transition {
    /// What of the life of a call is kept on record.
    pub(super) const fn of(before: &State, what: &StateEvent) -> Option<Self> {
        Some(match what {
            StateEvent::FoundMissing => Self::Waited,
            StateEvent::QuestionPut => Self::Asked,
            StateEvent::Interrupted { .. } | StateEvent::InterruptReopened { .. } => {
                Self::AskedByAgent
            }
            StateEvent::Cleared => Self::Allowed,
            StateEvent::Denied(_) | StateEvent::DeniedBefore(_) => Self::Denied,
            StateEvent::InterruptAnswered { approved: true, .. } => Self::AllowedToAgent,
            StateEvent::InterruptAnswered { .. } => Self::Denied,
            StateEvent::FoundRemote => Self::LeftToAgent,
            StateEvent::Started(..) => Self::Started,
            StateEvent::Settled(_) if before.is_done() => return None,
            StateEvent::Settled(_) => Self::Ended,
            StateEvent::Rewritten
            | StateEvent::Voided
            | StateEvent::Revoked
            | StateEvent::Reopened => match before {
                State::Streaming | State::Open(_) => return None,
                _ => Self::Voided,
            },
            _ => return None,
        })
    }
}
