//! What happened to calls, in order, for those who keep a record of it ([`crate::session::AuditEntry`]).

use super::{CallKey, Happening, ToolCall, state::State};

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

/// Something that happened to a call in the input that was handled.
#[derive(Debug, Clone)]
pub struct CallTransition {
    /// The call.
    pub call: CallKey,
    /// The event.
    pub what: Transition,
    /// The call as it was, where the session has let go of it.
    pub(crate) gone: Option<Box<ToolCall>>,
    /// The conversation that it was in, where that went.
    pub(crate) thread_id: Option<String>,
}

impl Transition {
    /// What of the life of a call is kept on record.
    pub(super) const fn of(before: &State, what: &Happening) -> Option<Self> {
        Some(match what {
            Happening::FoundMissing => Self::Waited,
            Happening::QuestionPut => Self::Asked,
            Happening::Gated { .. } | Happening::GateReopened { .. } => Self::AskedByAgent,
            Happening::Cleared => Self::Allowed,
            Happening::Denied(_) | Happening::DeniedBefore(_) => Self::Denied,
            Happening::GateAnswered { approved: true, .. } => Self::AllowedToAgent,
            Happening::GateAnswered { .. } => Self::Denied,
            Happening::TakenByAgent => Self::LeftToAgent,
            Happening::Started(..) => Self::Started,
            Happening::Settled(_) if before.is_done() => return None,
            Happening::Settled(_) => Self::Ended,
            Happening::Rewritten | Happening::Voided | Happening::Revoked | Happening::Reopened => {
                match before {
                    State::Streaming | State::Ended => return None,
                    _ => Self::Voided,
                }
            }
            _ => return None,
        })
    }
}
