//! Events in the life of calls, for records, observers and the page. Neighbour: `call_step` makes them where
//! a state steps.

use serde_json::Value;

use super::{AllowedBy, Author, CallKey, CallOutcome, Decider, ErrorKind, Phase};
use crate::action::ActionFingerprint;

/// Something that happened to a call.
///
/// One input may cause several events of one call; [`Output::phase_changes`](crate::session::Output::phase_changes)
/// reduces them to the net effect.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CallEvent {
    /// The call.
    pub call: CallKey,
    /// The tool's name.
    pub name: String,
    /// The event.
    pub kind: CallEventKind,
    /// The phase before the event; `None` for a call that came with its history, in a list of messages.
    pub before: Option<Phase>,
    /// The phase after the event.
    pub phase: Phase,
    /// The facts about a call that the conversation has removed, for records.
    pub(crate) removed: Option<Box<CallFacts>>,
    /// The conversation of the call, where another has replaced it.
    pub(crate) thread_id: Option<String>,
}

/// The kind of an event, with what is known at that moment.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum CallEventKind {
    /// It waits for an action that is not on the page.
    Waited,
    /// A person is asked about it.
    Asked {
        /// The one who asks: the page, or the agent.
        by: Author,
    },
    /// It may start.
    Allowed {
        /// By whom or what.
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
    /// It is equal to a call that a person denied in this turn, so that no one was asked.
    DeniedBefore {
        /// The reason that they gave then.
        reason: Option<String>,
    },
    /// It is left to the agent to run.
    LeftToAgent,
    /// A run carries its approval to the agent, which runs it. No record is kept.
    SendStarted,
    /// The run that carried its approval failed. No record is kept.
    SendFailed,
    /// The agent's question about it is over, and the agent gave no result. No record is kept.
    InterruptLifted,
    /// Its handler started.
    Started {
        /// The number of starts before.
        attempt: u32,
    },
    /// It is another call than it was, or its action is: what was decided about it is void.
    Voided,
    /// It came with a conversation that was opened, and is asked about or runs as before. No record is
    /// kept.
    Resumed,
    /// It stays open in a conversation that another has replaced: nothing here continues it. No record is
    /// kept.
    Left,
    /// It has come to its end: the one record that every attempt has.
    Ended {
        /// The outcome.
        outcome: CallOutcome,
        /// The author of the end.
        by: Author,
        /// The kind of error, and what it says.
        error: Option<(ErrorKind, String)>,
        /// The time from its appearance on, in milliseconds.
        duration_ms: u64,
    },
}

impl CallEventKind {
    /// Returns whether records are kept of such events.
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
    /// The arguments that run or would run; as they were written where they are no JSON.
    pub(crate) args: Value,
}
