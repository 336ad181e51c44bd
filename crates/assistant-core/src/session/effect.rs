//! What handling an input yields: changes for readers, effects for the host.

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
pub struct Output {
    /// The changes, in order.
    pub changes: Vec<Change>,
    /// The events of calls, in order; [`super::Session::audit_entry`] makes records of them.
    pub calls: Vec<CallEvent>,
    /// The effects to carry out, in order.
    pub effects: Vec<Effect>,
    /// Diagnostics about what was tolerated or dropped.
    pub diagnostics: Vec<Diagnostic>,
    /// Why the input was not accepted. Nothing has changed then.
    pub refused: Option<Refusal>,
}

/// Something to be done outside. Nothing here may be left undone.
#[derive(Debug, Clone)]
pub enum Effect {
    /// A run is about to begin: bring what the page offers and says up to date
    /// ([`super::Input::Register`], [`super::Input::SetContext`], [`super::Input::SetState`]), then
    /// say [`super::Input::OpenRun`]. What is sent is made from what is true by then.
    PrepareRun {
        /// Names the run.
        run: RunKey,
    },
    /// Start a run and feed its events back as [`super::Input::Event`].
    OpenRun {
        /// Names the run.
        run: RunKey,
        /// What to send.
        input: Box<RunInput>,
    },
    /// End the run's request; whatever still comes from it is ignored.
    AbortRun {
        /// Which run.
        run: RunKey,
    },
    /// Write the entry down, then answer with [`super::Input::Committed`]. Where that fails,
    /// [`super::StoredCalls`] says whether the call may start.
    Commit {
        /// Names the entry.
        commit: CommitId,
        /// What to write.
        entry: JournalEntry,
    },
    /// Write the entry down; no answer is needed.
    Record {
        /// What to write.
        entry: JournalEntry,
    },
    /// Ask an action what a call would change, then answer with [`super::Input::Previewed`]. It changes
    /// nothing by that.
    Preview(Box<PreviewRequest>),
    /// Run a handler, then answer with [`super::Input::Finished`].
    Invoke(Box<Invocation>),
    /// Tell a handler that its result is no longer wanted, and drop it.
    CancelHandler {
        /// The start of the handler.
        invocation: InvocationId,
    },
    /// Answer with [`super::Input::Timer`] after some time.
    StartTimer {
        /// Names the timer.
        timer: TimerId,
        /// After how many milliseconds.
        ms: u32,
    },
    /// Tell who asked by [`super::Input::Execute`] what came of it.
    Executed {
        /// The number of the request.
        request: u64,
        /// The handler's value, or why there is none.
        outcome: Result<Value, ToolError>,
    },
    /// Keep these approvals in place of all that were kept before; they come back as
    /// [`super::Input::RestoreApprovals`]. A host that keeps nothing leaves it.
    KeepApprovals {
        /// All that outlive the session.
        approvals: Vec<RememberedApproval>,
    },
    /// Count a use of an approval that the host keeps: put `after` in the place of `before`, in one
    /// step, if what is kept is still `before`. Then answer with [`super::Input::ApprovalSwapped`]. A
    /// host that keeps nothing answers with [`super::Swap::Done`].
    SwapApproval {
        /// Names the question.
        ticket: Ticket,
        /// What is kept, as far as is known here.
        before: Box<RememberedApproval>,
        /// What is to be kept.
        after: Box<RememberedApproval>,
    },
    /// Keep the conversation: another takes its place.
    Archive {
        /// Its id.
        thread_id: String,
        /// The conversation as [`crate::conversation::Conversation::export`] writes it.
        snapshot: Value,
    },
}

/// A question to an action: what a call would change.
#[derive(Debug, Clone, PartialEq)]
pub struct PreviewRequest {
    /// Names the question.
    pub ticket: Ticket,
    /// The registration of the action.
    pub registration: RegistrationId,
    /// The arguments, validated.
    pub args: Value,
}

/// One start of a handler.
#[derive(Debug, Clone, PartialEq)]
pub struct Invocation {
    /// Names this start.
    pub id: InvocationId,
    /// The registration of the handler.
    pub registration: RegistrationId,
    /// The call.
    pub call: CallKey,
    /// The message that made it, if one did.
    pub message: Option<MessageId>,
    /// The agent's id of the call.
    pub call_id: String,
    /// The tool.
    pub name: String,
    /// The arguments, validated.
    pub args: Value,
    /// The number of runs between the last user message and the one that made the call.
    pub iteration: u32,
}
