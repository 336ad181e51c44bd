//! Defines the events of calls, for records, observers and the page. The module `call_step` creates
//! events when a state changes, and the module `call` creates events when the outcome of an ended
//! call is corrected.

use serde_json::Value;

use super::{Author, CallKey, CallOutcome, Decider, ErrorKind, Phase};
use crate::action::ActionFingerprint;

/// An event of a call.
///
/// One input may cause several events of a call.
/// [`Output::phase_changes`](crate::session::Output::phase_changes) reduces these events to their
/// net effect.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CallEvent {
    pub(crate) call: CallKey,
    pub(crate) name: String,
    pub(crate) kind: CallEventKind,
    pub(crate) before: Option<Phase>,
    pub(crate) phase: Phase,
    /// The properties of the call, for records, if the conversation has removed the call.
    pub(crate) removed: Option<Box<CallFacts>>,
    /// The id of the call's conversation, if that conversation has been replaced with another
    /// conversation.
    pub(crate) thread_id: Option<String>,
}

impl CallEvent {
    /// Returns the key of the call.
    #[must_use]
    pub const fn call_key(&self) -> CallKey {
        self.call
    }

    /// Returns the tool's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the kind of the event, including details.
    #[must_use]
    pub const fn kind(&self) -> &CallEventKind {
        &self.kind
    }

    /// Returns the phase before the event. Returns `None` for a call that arrived with its history
    /// in a list of messages.
    #[must_use]
    pub const fn before(&self) -> Option<Phase> {
        self.before
    }

    /// Returns the phase after the event.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }
}

/// The kind of an event, including details.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum CallEventKind {
    /// The call waits for an action that is not on the page.
    Waited,
    /// The user is asked about the call.
    Asked {
        /// The author of the question: the page or the agent.
        by: Author,
    },
    /// The call may start.
    Allowed {
        /// The reason why the call may start.
        by: AllowedBy,
    },
    /// The call was denied.
    Denied {
        /// The reason for the denial, if a reason was given.
        reason: Option<String>,
        /// The decider, or `None` if the denial follows from another event, such as a new message
        /// or a stop.
        by: Option<Decider>,
    },
    /// The call equals a call that the user denied in this turn, and was denied without asking the
    /// user again.
    DeniedBefore {
        /// The reason for the earlier denial.
        reason: Option<String>,
    },
    /// The call is remote, which means that the agent runs the call.
    Remote,
    /// A run sends the approval to the agent, which runs the call. No record is kept.
    SendStarted,
    /// The run that sent the approval failed. No record is kept.
    SendFailed,
    /// The agent's interrupt is closed, and the agent has sent no result. No record is kept.
    InterruptLifted,
    /// The call's handler started.
    Started {
        /// The number of claims that earlier attempts to start the handler have used.
        attempt: u32,
    },
    /// The call or its action has changed, so the decision about the call is void.
    Voided,
    /// The call was restored with its conversation, and still waits for a decision or is still
    /// running. No record is kept.
    Resumed,
    /// The call remains open in a conversation that was replaced with another conversation, and
    /// does not continue on this page. No record is kept.
    Detached,
    /// The call has ended. A record is kept for each attempt. If the agent later corrects the
    /// outcome, an additional record is kept. The newest record applies.
    Ended {
        /// The outcome of the call.
        outcome: CallOutcome,
        /// The author of the outcome.
        by: Author,
        /// The kind of the error and the error message, if the call failed.
        error: Option<(ErrorKind, String)>,
        /// The time since the call appeared, in milliseconds.
        duration_ms: u64,
    },
}

impl CallEventKind {
    /// Returns true if a record is kept of the event.
    pub(crate) const fn is_audited(&self) -> bool {
        !matches!(
            self,
            Self::SendStarted
                | Self::SendFailed
                | Self::InterruptLifted
                | Self::Resumed
                | Self::Detached
        )
    }
}

/// The properties of a call that a record contains.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CallFacts {
    /// The id that the agent assigned to the call.
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) action: Option<ActionFingerprint>,
    pub(crate) parent: Option<CallKey>,
    /// The arguments with which the handler runs or would run, or the original text of the
    /// arguments if the text is not JSON.
    pub(crate) args: Value,
}

/// The reason why a call may start.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AllowedBy {
    /// The action requires no approval.
    Policy,
    /// A rule of the action permitted the call.
    Rule,
    /// The user approved the call in answer to the page's question.
    Person {
        /// True if the user changed the agent's arguments.
        edited: bool,
    },
    /// The user approved the call in answer to the agent's question.
    PersonToAgent,
    /// The application's code approved the call.
    Application {
        /// True if the decision replaced the agent's arguments.
        edited: bool,
    },
    /// The application's code approved the call in answer to the agent's question.
    ApplicationToAgent,
    /// A remembered approval applied to the call.
    Earlier {
        /// The id of the remembered approval.
        id: String,
        /// The decider that gave the remembered approval.
        by: Decider,
    },
}
