//! Defines the inputs of a session.

use serde_json::Value;

use super::{
    ActionDecision, CommitId, InvocationId, JournalEntry, NoticeId, NoticeKind, RunKey, StreamEnd,
    Swap, Ticket, TimerId,
};
use crate::{
    action::{
        ActionSpec, OfferFilter, RegistrationId, Remember, RememberedApproval, ToolError,
        ToolOutcome,
    },
    conversation::{CallKey, Decider, Fingerprint, MessageId, Progress, Sibling},
    event::{Content, ContextItem, Diagnostic, Event, ResumeStatus},
};

/// An input of a session.
#[derive(Debug, Clone)]
pub enum Input {
    /// A message from the user.
    Send {
        /// The text and files of the message.
        content: Content,
    },
    /// A decision of the user or the application about a call.
    Decide {
        /// The key of the call.
        call: CallKey,
        /// The fingerprint of the version that was shown, from [`super::Session::fingerprint`] at
        /// the time of rendering. An approval is refused if the call has changed since. A denial is
        /// accepted even then, since a denial runs nothing.
        shown: Fingerprint,
        /// The decision about the call.
        verdict: Verdict,
        /// The author of the decision.
        by: Decider,
    },
    /// Revokes a remembered approval.
    ForgetApproval {
        /// The id of the approval.
        id: String,
    },
    /// Restores the approvals that [`super::Effect::StoreApprovals`] passed to the host.
    RestoreApprovals {
        /// All stored approvals.
        approvals: Vec<RememberedApproval>,
    },
    /// Reports that another tab has changed the stored approvals. Approvals that are missing from
    /// the new list are revoked.
    SyncApprovals {
        /// All stored approvals.
        approvals: Vec<RememberedApproval>,
    },
    /// The result of [`super::Effect::SwapApproval`].
    ApprovalSwapped {
        /// The ticket of the effect.
        ticket: Ticket,
        /// The result of the compare-and-set.
        outcome: Swap<RememberedApproval>,
    },
    /// An answer of the user or the application to an interrupt.
    Answer {
        /// The id of the interrupt.
        interrupt_id: String,
        /// The fingerprint of the version that was shown, from
        /// [`super::Session::question_fingerprint`] at the time of rendering. An answer is refused
        /// if the question has changed since. A cancellation is accepted even then.
        shown: Fingerprint,
        /// The status of the interrupt, which is answered or cancelled.
        status: ResumeStatus,
        /// The value of the answer; `None` for an answer without a value.
        payload: Option<Value>,
        /// The author of the answer.
        by: Decider,
    },
    /// A decision of the user or the application about each action of an interrupt.
    DecideActions {
        /// The id of the interrupt.
        interrupt_id: String,
        /// The fingerprint of the version that was shown, as in [`Self::Answer`].
        shown: Fingerprint,
        /// A decision for each of [`super::OpenInterrupt::actions`], in the order of the actions.
        decisions: Vec<ActionDecision>,
        /// The author of the decision.
        by: Decider,
    },
    /// Discards an interrupt whose answer the agent rejected. The agent is not notified.
    GiveUp {
        /// The id of the interrupt.
        interrupt_id: String,
    },
    /// Denies all open requests, cancels the requests that cannot be denied, and stops everything
    /// in progress. No further question is asked until the next message of the user.
    DenyAll {
        /// The author of the decision.
        by: Decider,
    },
    /// Shows the interrupts that were held back.
    ShowHeldBack,
    /// Stops everything in progress.
    Stop,
    /// Retries the failed run, or resumes the response of the run if the network interrupted the
    /// response.
    Retry,
    /// Continues the loop after a limit or a missing answer, if a notice offers to continue.
    Continue,
    /// Resumes reading an answer that was interrupted by a reload or a lost connection and may
    /// still be in progress. Nothing is sent to the agent.
    Resume,
    /// Dismisses a notice.
    Dismiss {
        /// The id of the notice.
        notice: NoticeId,
    },
    /// Begins a new, empty conversation.
    NewThread,
    /// Replaces this conversation with a stored conversation.
    Load {
        /// The conversation's id.
        thread_id: String,
        /// The conversation as [`super::Session::export`] wrote it.
        snapshot: Value,
    },
    /// Continues a stored session after a reload or a crash: questions are asked again, a notice
    /// offers to send unsent results, and the user is asked before a handler with an unknown
    /// outcome runs again.
    Restore {
        /// The conversation's id.
        thread_id: String,
        /// The newest [`super::Session::snapshot`] that was written.
        snapshot: Value,
        /// The journal of the conversation, oldest first.
        journal: Vec<JournalEntry>,
    },
    /// Replaces this conversation with a read-only view of a conversation that is open in another
    /// session. Inputs that would change the conversation are refused until a different
    /// conversation is opened or this conversation is restored.
    Follow {
        /// The conversation's id.
        thread_id: String,
        /// A snapshot from [`super::Session::snapshot`].
        snapshot: Value,
    },
    /// Shows or removes a notice from the host.
    SetNotice {
        /// The kind of notice; a host uses [`NoticeKind::NotStored`] and [`NoticeKind::NotOpened`].
        kind: NoticeKind,
        /// The message in English; `None` removes the notice.
        message: Option<String>,
    },
    /// Requests an action for the page itself, with the same schema, rules, approval, commit and
    /// limits as for a request from an agent. The outcome follows as [`super::Effect::Executed`].
    Execute {
        /// The number of the request, which [`super::Effect::Executed`] repeats.
        request: u64,
        /// The action's name.
        name: String,
        /// The arguments of the action.
        args: Value,
        /// The invocation of the requesting handler, if any. The call ends with that invocation.
        within: Option<InvocationId>,
    },
    /// Changes the tree of messages.
    Tree {
        /// The change to apply.
        change: TreeChange,
    },
    /// Registers an action, or updates a registration.
    Register {
        /// The id of the registration.
        id: RegistrationId,
        /// The definition of the action.
        spec: Box<ActionSpec>,
    },
    /// Removes a registration.
    Unregister {
        /// The id of the registration.
        id: RegistrationId,
    },
    /// Filters the actions that are offered to the agent, starting with the next run.
    Offer {
        /// The filter; `None` offers all actions.
        filter: Option<OfferFilter>,
    },
    /// Offers excluded actions that the agent has requested, until the next message of the user.
    Reveal {
        /// The names of the actions.
        names: Vec<String>,
    },
    /// Sets or removes a context entry of a component.
    SetContext {
        /// The id of the component.
        owner: u64,
        /// The entry; `None` removes the entry.
        item: Option<ContextItem>,
    },
    /// Sets the shared state.
    SetState {
        /// The whole state.
        state: Value,
    },
    /// Sets the properties that are forwarded with every run.
    SetForwardedProps {
        /// The new properties.
        props: Value,
    },
    /// Opens a run that [`super::Effect::PrepareRun`] announced, after the host has updated
    /// actions, context and state.
    OpenRun {
        /// The key of the run.
        run: RunKey,
    },
    /// An update of a message or a call from a server that runs the loop itself. The update runs
    /// nothing in the page.
    #[cfg(feature = "records")]
    Update {
        /// The state of the message or the call.
        update: Box<crate::conversation::update::Update>,
    },
    /// An event from the agent.
    Event {
        /// The key of the run to which the event belongs.
        run: RunKey,
        /// The event to apply.
        event: Box<Event>,
    },
    /// A diagnostic from a decoder.
    Diagnostic {
        /// The reported diagnostic.
        diagnostic: Diagnostic,
    },
    /// The end of a run's stream.
    RunClosed {
        /// The key of the run.
        run: RunKey,
        /// The way in which the stream ended.
        end: StreamEnd,
    },
    /// The result of writing a journal entry.
    Committed {
        /// The id of the entry.
        commit: CommitId,
        /// `Ok` if the entry was written; `Err` with a message if writing failed.
        outcome: Result<(), String>,
    },
    /// The answer of a rule that first returned [`super::Answer::Later`].
    PolicyAnswer {
        /// The ticket of the question.
        ticket: Ticket,
        /// True if the user must be asked.
        ask: bool,
    },
    /// The preview of a call's changes.
    Previewed {
        /// The ticket of the preview request.
        ticket: Ticket,
        /// The preview, or the reason for its absence.
        outcome: Result<Value, String>,
    },
    /// The asynchronous decision of the application about the start of a call.
    PermissionAnswer {
        /// The ticket of the question.
        ticket: Ticket,
        /// `Ok` if the call may start; `Err` with the reason for the model and the user otherwise.
        outcome: Result<(), String>,
    },
    /// A progress report from a handler.
    Progress {
        /// The id of the invocation.
        invocation: InvocationId,
        /// The reported progress.
        progress: Progress,
    },
    /// An intermediate result from a handler.
    Preliminary {
        /// The id of the invocation.
        invocation: InvocationId,
        /// The result so far.
        value: Value,
    },
    /// The start or end of a handler's question to the user. The time between start and end counts
    /// as time in which the user is awaited, unless other work is in progress.
    Asking {
        /// The id of the invocation.
        invocation: InvocationId,
        /// True at the start of the question, false at its end.
        is_open: bool,
    },
    /// The end of a handler.
    Finished {
        /// The id of the invocation.
        invocation: InvocationId,
        /// The output of the handler, or its error.
        outcome: Result<ToolOutcome, ToolError>,
    },
    /// The expiry of a timer.
    Timer {
        /// The id of the timer.
        timer: TimerId,
    },
}

impl Input {
    /// Returns the author of the decision; `None` if the input is not a decision.
    pub(super) const fn decider(&self) -> Option<Decider> {
        match self {
            Self::Decide { by, .. }
            | Self::Answer { by, .. }
            | Self::DecideActions { by, .. }
            | Self::DenyAll { by } => Some(*by),
            _ => None,
        }
    }

    /// Returns true if only the owner of the conversation may use this input (rule "one owner").
    pub(super) const fn is_for_owner(&self) -> bool {
        matches!(
            self,
            Self::Send { .. }
                | Self::Decide { .. }
                | Self::Answer { .. }
                | Self::DecideActions { .. }
                | Self::GiveUp { .. }
                | Self::DenyAll { .. }
                | Self::ShowHeldBack
                | Self::Stop
                | Self::Retry
                | Self::Continue
                | Self::Resume
                | Self::Execute { .. }
                | Self::Tree { .. }
                | Self::Committed { .. }
        )
    }
}

/// A change by the user to the tree of messages.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TreeChange {
    /// Shows the branch that contains a message.
    Select {
        /// The id of the message.
        message: MessageId,
        /// True if the branch ends at the message, so that the next message branches off.
        exact: bool,
    },
    /// Shows the previous or next version of a message.
    Switch {
        /// The id of the message.
        message: MessageId,
        /// The version to show.
        to: Sibling,
    },
    /// Shows the branch on which runs continue, with the open run, handlers and questions.
    ShowRun,
    /// Deletes a message and all messages below it.
    Delete {
        /// The id of the message.
        message: MessageId,
    },
    /// Undoes the last deletion, which is possible until a run begins. Calls that the deletion
    /// ended stay ended.
    Restore,
    /// Moves a message and all messages below it.
    Reparent {
        /// The id of the message.
        message: MessageId,
        /// The id of the new parent; `None` makes the message a root.
        parent: Option<MessageId>,
    },
    /// Branches off a new version of a user message and sends the new version.
    Edit {
        /// The id of the message.
        message: MessageId,
        /// The new text and files.
        content: Content,
    },
    /// Corrects a message in place, without a branch and without sending the message.
    EditInPlace {
        /// The id of the message.
        message: MessageId,
        /// The new text and files.
        content: Content,
    },
    /// Regenerates an answer as a new branch.
    Regenerate {
        /// The id of a message of the answer.
        message: MessageId,
    },
    /// Queues a message until the current run and the running handlers have ended. Sends the
    /// message at once if nothing is in progress.
    Interject {
        /// The text and files of the message.
        content: Content,
    },
    /// Removes a queued message that has not been sent. Of several messages with the same content,
    /// the newest is removed.
    Withdraw {
        /// The text and files of the message.
        content: Content,
    },
}

/// The user's decision about a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Approves the call, optionally with edited arguments.
    Approve {
        /// The edited arguments; `None` leaves the arguments unchanged.
        args: Option<Value>,
    },
    /// Approves the call, and later approves similar calls without a question.
    Remember {
        /// The edited arguments; `None` leaves the arguments unchanged.
        args: Option<Value>,
        /// The calls to which the approval applies.
        what: Remember,
    },
    /// Denies the call.
    Deny {
        /// The reason for the denial, as sent to the agent.
        reason: Option<String>,
    },
}

impl Verdict {
    /// Returns true if the verdict is a denial.
    #[must_use]
    pub const fn is_denial(&self) -> bool {
        matches!(self, Self::Deny { .. })
    }
}
