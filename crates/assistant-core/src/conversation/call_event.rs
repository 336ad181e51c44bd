//! Events in the life of calls, for records, observers and the page. Neighbour: `call_step` makes them where
//! a state steps.

use serde_json::Value;

use super::{AllowedBy, Author, CallKey, CallOutcome, Decider, ErrorKind, Phase};
use crate::action::ActionFingerprint;

/// An event of a call.
///
/// One input may cause several events of one call;
/// [`Output::phase_changes`](crate::session::Output::phase_changes) reduces them to the net effect.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CallEvent {
    /// The call.
    pub call: CallKey,
    /// The tool's name.
    pub name: String,
    /// The event.
    pub kind: CallEventKind,
    /// The phase before the event; `None` for a call that arrived with its history, in a list of
    /// messages.
    pub before: Option<Phase>,
    /// The phase after the event.
    pub phase: Phase,
    /// The facts about a call that the conversation has removed, for records.
    pub(crate) removed: Option<Box<CallFacts>>,
    /// The conversation of the call, if another has replaced it.
    pub(crate) thread_id: Option<String>,
}

/// The kind of an event, with its details.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum CallEventKind {
    /// It waits for an action that is not on the page.
    Waited,
    /// The user is asked about it.
    Asked {
        /// The one who asks: the page, or the agent.
        by: Author,
    },
    /// It may start.
    Allowed {
        /// The reason why it may start.
        by: AllowedBy,
    },
    /// It was denied.
    Denied {
        /// The reason that was given.
        reason: Option<String>,
        /// The one who denied it; `None` if the denial follows from another event, such as a new
        /// message or a stop.
        by: Option<Decider>,
    },
    /// It equals a call that the user denied in this turn, so that the user was not asked.
    DeniedBefore {
        /// The reason that was given then.
        reason: Option<String>,
    },
    /// It is handed off to the agent.
    LeftToAgent,
    /// A run carries its approval to the agent, which runs it. No record is kept.
    SendStarted,
    /// The run that carried its approval failed. No record is kept.
    SendFailed,
    /// The agent's question about it is over, and the agent gave no result. No record is kept.
    InterruptLifted,
    /// Its handler started.
    Started {
        /// The number of earlier starts.
        attempt: u32,
    },
    /// The call or its action has changed: the decision about it is void.
    Voided,
    /// It arrived with an opened conversation, and is asked about or runs as before. No record is
    /// kept.
    Resumed,
    /// It stays open in a conversation that another has replaced: nothing here continues it. No
    /// record is kept.
    Left,
    /// It has ended: the one record that every attempt has.
    Ended {
        /// The outcome.
        outcome: CallOutcome,
        /// The author of the end.
        by: Author,
        /// The kind of error, and its message.
        error: Option<(ErrorKind, String)>,
        /// The time since it appeared, in milliseconds.
        duration_ms: u64,
    },
}

impl CallEventKind {
    /// Returns true if records are kept of such events.
    pub(crate) const fn is_audited(&self) -> bool {
        !matches!(
            self,
            Self::SendStarted
                | Self::SendFailed
                | Self::InterruptLifted
                | Self::Resumed
                | Self::Left
        )
    }
}

/// The facts about a call that a record repeats.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CallFacts {
    /// The id that the agent gave it.
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) action: Option<ActionFingerprint>,
    pub(crate) parent: Option<CallKey>,
    /// The arguments that run or would run; the original text if they are not JSON.
    pub(crate) args: Value,
}
