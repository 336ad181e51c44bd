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
    /// A message of the user.
    Send {
        /// The text and files of the message.
        content: Content,
    },
    /// A decision of the user about a call.
    Decide {
        /// The key of the call.
        call: CallKey,
        /// The version that was shown: [`super::Session::fingerprint`] at the time of rendering. An
        /// approval is refused if the call has changed since; a denial runs nothing, and always
        /// applies.
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
    /// Reports that another tab has changed the stored approvals. Approvals that are missing now
    /// are revoked.
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
    /// An answer of the user to an interrupt.
    Answer {
        /// The id of the interrupt.
        interrupt_id: String,
        /// The version that was shown: [`super::Session::question_fingerprint`] at the time of
        /// rendering. An answer is refused if the question has changed since; a cancellation is
        /// not.
        shown: Fingerprint,
        /// The status: answered or cancelled.
        status: ResumeStatus,
        /// The value of the answer, if it has one.
        payload: Option<Value>,
        /// The author of the decision.
        by: Decider,
    },
    /// Decisions of the user about each action of an interrupt.
    DecideActions {
        /// The id of the interrupt.
        interrupt_id: String,
        /// The version that was shown, as for [`Self::Answer`].
        shown: Fingerprint,
        /// A decision for each of [`super::OpenInterrupt::actions`], in their order.
        decisions: Vec<ActionDecision>,
        /// The author of the decision.
        by: Decider,
    },
    /// Discards an interrupt whose answer the agent rejected. The agent is not notified.
    GiveUp {
        /// The id of the interrupt.
        interrupt_id: String,
    },
    /// Denies all open requests, cancels those that cannot be denied, and stops everything in
    /// progress. No further question is asked until the next message of the user.
    DenyAll {
        /// The author of the decision.
        by: Decider,
    },
    /// Shows the interrupts that were held back.
    ShowHeldBack,
    /// Stops everything in progress.
    Stop,
    /// Retries the failed run, or resumes its response if the network interrupted it.
    Retry,
    /// Continues the loop after a limit or a missing answer, if a notice offers it.
    Continue,
    /// Resumes reading an answer that was interrupted by a reload or a lost connection and may
    /// still be in progress. Nothing is sent to the agent.
    Resume,
    /// Dismisses a notice.
    Dismiss {
        /// The id of the notice.
        notice: NoticeId,
    },
    /// Begins another conversation.
    NewThread,
    /// Replaces this conversation with a stored conversation.
    Load {
        /// The conversation's id.
        thread_id: String,
        /// The conversation as [`super::Session::export`] wrote it.
        snapshot: Value,
    },
    /// Continues a stored session after a reload or a crash: questions are asked again, unsent
    /// results are offered, and the user is asked before a handler with an unknown outcome runs
    /// again.
    Restore {
        /// The conversation's id.
        thread_id: String,
        /// The newest [`super::Session::snapshot`] that was written.
        snapshot: Value,
        /// The journal of the conversation, oldest first.
        journal: Vec<JournalEntry>,
    },
    /// Replaces this conversation with a read-only view of a conversation that is open elsewhere.
    /// Nothing is continued, and inputs that would change the conversation are refused, until
    /// another conversation is opened or this one is restored.
    Follow {
        /// The conversation's id.
        thread_id: String,
        /// A [`super::Session::snapshot`].
        snapshot: Value,
    },
    /// Shows or removes a notice of the host.
    SetNotice {
        /// The kind of notice; a host uses [`NoticeKind::NotStored`] and [`NoticeKind::NotOpened`].
        kind: NoticeKind,
        /// The message in English; `None` removes the notice.
        message: Option<String>,
    },
    /// Requests an action for the page itself, with the same schema, rules, approval, commit and
    /// limits as for an agent. The outcome follows as [`super::Effect::Executed`].
    Execute {
        /// The number of the request.
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
        /// The entry; `None` removes it.
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
    /// An update of a message or a call by a server that runs the loop itself. Nothing runs in the
    /// page.
    #[cfg(feature = "records")]
    Update {
        /// The state of the message or the call.
        update: Box<crate::conversation::update::Update>,
    },
    /// An event of the agent.
    Event {
        /// The key of the run of the event.
        run: RunKey,
        /// The event to apply.
        event: Box<Event>,
    },
    /// A diagnostic of a decoder.
    Diagnostic {
        /// The reported diagnostic.
        diagnostic: Diagnostic,
    },
    /// The end of a run's stream.
    RunClosed {
        /// The key of the run.
        run: RunKey,
        /// The end of the stream.
        end: StreamEnd,
    },
    /// The result of writing a journal entry.
    Committed {
        /// The id of the entry.
        commit: CommitId,
        /// `Err` with a message if writing failed.
        outcome: Result<(), String>,
    },
    /// The answer of a rule that answered [`super::Answer::Later`] at first.
    PolicyAnswer {
        /// The ticket of the question.
        ticket: Ticket,
        /// True if the user must be asked.
        ask: bool,
    },
    /// The preview of a call's changes.
    Previewed {
        /// The ticket of the question.
        ticket: Ticket,
        /// The preview, or the reason for its absence.
        outcome: Result<Value, String>,
    },
    /// The asynchronous decision of the application about the start of a call.
    PermissionAnswer {
        /// The ticket of the question.
        ticket: Ticket,
        /// `Ok` if permitted; otherwise the reason for the model and the user.
        outcome: Result<(), String>,
    },
    /// A progress report of a handler.
    Progress {
        /// The id of the invocation.
        invocation: InvocationId,
        /// The reported progress.
        progress: Progress,
    },
    /// An intermediate result of a handler.
    Preliminary {
        /// The id of the invocation.
        invocation: InvocationId,
        /// The result so far.
        value: Value,
    },
    /// The start or end of a handler's question to the user. The time between start and end counts
    /// as time of the user, unless other work is in progress.
    Asking {
        /// The id of the invocation.
        invocation: InvocationId,
        /// True at the start, false at the end.
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
    /// Returns the decider, if the input is a decision.
    pub(super) const fn decider(&self) -> Option<Decider> {
        match self {
            Self::Decide { by, .. }
            | Self::Answer { by, .. }
            | Self::DecideActions { by, .. }
            | Self::DenyAll { by } => Some(*by),
            _ => None,
        }
    }

    /// Returns true if the input acts on the conversation, which is reserved for its owner (rule
    /// "one owner").
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

/// A change of the user to the tree of messages.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TreeChange {
    /// Shows the branch through a message.
    Select {
        /// The id of the message.
        message: MessageId,
        /// True to end the branch at the message, so that the next message branches off.
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
    /// Branches off a new version of a user message and sends it.
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
    /// Queues a message while the loop is running, for delivery at the next boundary between tools.
    /// Sends the message at once if nothing is in progress.
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
    /// Approves the call, optionally with other arguments.
    Approve {
        /// The arguments as edited by the user.
        args: Option<Value>,
    },
    /// Approves the call, and similar calls later without a question.
    Remember {
        /// The arguments as edited by the user.
        args: Option<Value>,
        /// The extent of the approval.
        what: Remember,
    },
    /// Denies the call.
    Deny {
        /// The reason for the agent.
        reason: Option<String>,
    },
}

impl Verdict {
    /// Returns true for a denial.
    #[must_use]
    pub const fn is_denial(&self) -> bool {
        matches!(self, Self::Deny { .. })
    }
}
