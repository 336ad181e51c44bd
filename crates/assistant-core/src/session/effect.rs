//! Defines the outputs of the session: changes for views and observers, effects for the host.

use serde_json::Value;

use super::{JournalEntry, Refusal};
use crate::{
    action::{RegistrationId, RememberedApproval, ToolError},
    conversation::{CallEvent, CallKey, Change, MessageId},
    event::{Diagnostic, RunInput},
    id::{CommitId, InvocationId, RunKey, Ticket, TimerId},
};

/// The changes and effects of one input.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Output {
    /// The changes, in order.
    pub changes: Vec<Change>,
    /// The call events, in order; [`super::Session::audit_entry`] creates audit records of the
    /// events.
    pub calls: Vec<CallEvent>,
    /// The effects to carry out, in order.
    pub effects: Vec<Effect>,
    /// Diagnostics about input that was tolerated or dropped.
    pub diagnostics: Vec<Diagnostic>,
    /// The reason for the refusal of the input; `None` if the input was accepted.
    pub refused: Option<Refusal>,
}

/// A task for the host. Every effect must be carried out.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Prepares a run. The host updates the page's actions, context and state
    /// ([`super::Input::Register`], [`super::Input::SetContext`], [`super::Input::SetState`]), and
    /// then sends [`super::Input::OpenRun`]. The request is built from the state at that time.
    PrepareRun {
        /// The key of the run.
        run: RunKey,
    },
    /// Starts a run, whose events are passed back as [`super::Input::Event`].
    OpenRun {
        /// The key of the run.
        run: RunKey,
        /// The request. The host adds [`RunInput::history`] if the agent uses its own format for
        /// messages.
        input: Box<RunInput>,
    },
    /// Aborts the run's request; later events of the run are ignored. If the agent replays events,
    /// the run is also ended at the agent's server. This effect may then follow
    /// [`super::Input::RunClosed`], if the end of the run is missing.
    AbortRun {
        /// The key of the run.
        run: RunKey,
    },
    /// Writes a journal entry, then answers with [`super::Input::Committed`]. If writing fails,
    /// [`super::StoredCalls`] determines whether the call may start.
    Commit {
        /// The id of the entry.
        commit: CommitId,
        /// The entry to write.
        entry: JournalEntry,
    },
    /// Writes a journal entry; no answer is needed.
    Record {
        /// The entry to write.
        entry: JournalEntry,
    },
    /// Requests a preview of a call's changes from the preview function of the action, which must
    /// not have side effects, then answers with [`super::Input::Previewed`].
    Preview(Box<PreviewRequest>),
    /// Runs a handler, then answers with [`super::Input::Finished`].
    Invoke(Box<Invocation>),
    /// Notifies a handler that its result is no longer needed, and drops the handler.
    CancelHandler {
        /// The id of the invocation.
        invocation: InvocationId,
    },
    /// Answers with [`super::Input::Timer`] after a delay.
    StartTimer {
        /// The id of the timer.
        timer: TimerId,
        /// The delay in milliseconds.
        ms: u32,
    },
    /// Delivers the outcome of the call that [`super::Input::Execute`] requested.
    Executed {
        /// The number of the request, as in [`super::Input::Execute`].
        request: u64,
        /// The value that the handler returned, or an error.
        outcome: Result<Value, ToolError>,
    },
    /// Replaces all stored approvals with these approvals. The host passes the stored approvals to
    /// later sessions with [`super::Input::RestoreApprovals`]. A host without storage ignores this
    /// effect.
    StoreApprovals {
        /// All approvals that remain valid after the session.
        approvals: Vec<RememberedApproval>,
    },
    /// Counts a use of a stored approval by compare-and-set: replaces the stored approval with
    /// `after` if the stored approval equals `before`. Then answers with
    /// [`super::Input::ApprovalSwapped`]. A host without storage answers with
    /// [`super::Swap::Done`].
    SwapApproval {
        /// The ticket of the request.
        ticket: Ticket,
        /// The approval that this session expects in the store.
        before: Box<RememberedApproval>,
        /// The approval after the use.
        after: Box<RememberedApproval>,
    },
    /// Stores the conversation that is about to be replaced.
    Archive {
        /// The id of the conversation.
        thread_id: String,
        /// The conversation as [`super::Session::export`] writes it.
        snapshot: Value,
    },
}

/// A request for the preview of a call's changes.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PreviewRequest {
    pub(crate) ticket: Ticket,
    pub(crate) registration: RegistrationId,
    pub(crate) args: Value,
}

impl PreviewRequest {
    /// Returns the ticket of the request.
    #[must_use]
    pub const fn ticket(&self) -> Ticket {
        self.ticket
    }

    /// Returns the id of the registration of the action.
    #[must_use]
    pub const fn registration(&self) -> RegistrationId {
        self.registration
    }

    /// Returns the effective arguments, validated unless the action turns validation off.
    #[must_use]
    pub fn into_args(self) -> Value {
        self.args
    }
}

/// An invocation of a handler.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Invocation {
    pub(crate) id: InvocationId,
    pub(crate) registration: RegistrationId,
    pub(crate) call: CallKey,
    pub(crate) message: Option<MessageId>,
    pub(crate) call_id: String,
    pub(crate) name: String,
    pub(crate) args: Value,
    pub(crate) iteration: u32,
}

impl Invocation {
    /// Returns the id of the invocation.
    #[must_use]
    pub const fn id(&self) -> InvocationId {
        self.id
    }

    /// Returns the id of the registration of the handler.
    #[must_use]
    pub const fn registration(&self) -> RegistrationId {
        self.registration
    }

    /// Returns the key of the call.
    #[must_use]
    pub const fn call_key(&self) -> CallKey {
        self.call
    }

    /// Returns the id of the message with the call; `None` for a call of the page itself.
    #[must_use]
    pub const fn message_id(&self) -> Option<&MessageId> {
        self.message.as_ref()
    }

    /// Returns the agent's id of the call; empty for a call of the page itself.
    #[must_use]
    pub fn call_id(&self) -> &str {
        &self.call_id
    }

    /// Returns the tool's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the effective arguments, validated unless the action turns validation off.
    #[must_use]
    pub const fn args(&self) -> &Value {
        &self.args
    }

    /// Returns the number of runs of the turn before the newest one; 0 in the first run.
    #[must_use]
    pub const fn iteration(&self) -> u32 {
        self.iteration
    }
}
