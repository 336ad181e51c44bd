//! The inputs of a session.

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
    /// The person says something.
    Send {
        /// The text and files of the message.
        content: Content,
    },
    /// The person decides about a call.
    Decide {
        /// The call.
        call: CallKey,
        /// What they saw of it, from [`super::Session::fingerprint`] at the time when it was
        /// drawn. An approval is refused if the call is another by now; a denial lets nothing run,
        /// and holds whatever the call has become.
        shown: Fingerprint,
        /// Their decision.
        verdict: Verdict,
        /// The one who decides.
        by: Decider,
    },
    /// The person is to be asked again about what an approval is remembered for.
    ForgetApproval {
        /// Names the approval.
        id: String,
    },
    /// Approvals come back that [`super::Effect::KeepApprovals`] gave to the host.
    RestoreApprovals {
        /// All that it has kept.
        approvals: Vec<RememberedApproval>,
    },
    /// Something else than this session has changed what the host keeps, another tab: what is not there
    /// any longer is revoked.
    SyncApprovals {
        /// All that is kept now.
        approvals: Vec<RememberedApproval>,
    },
    /// The host has done what [`super::Effect::SwapApproval`] asked for, or has not.
    ApprovalSwapped {
        /// The ticket of the effect.
        ticket: Ticket,
        /// The result.
        outcome: Swap<RememberedApproval>,
    },
    /// The person answers what an agent waits for.
    Answer {
        /// The id of the interrupt.
        interrupt_id: String,
        /// What they saw of it, from [`super::Session::question_fingerprint`] at the time when it was
        /// drawn. An answer is refused if the question is another by now; giving it up is not.
        shown: Fingerprint,
        /// Answered or given up.
        status: ResumeStatus,
        /// The answer.
        payload: Option<Value>,
        /// The one who answers.
        by: Decider,
    },
    /// The person decides about each action that an agent asks about.
    DecideActions {
        /// The id of the interrupt.
        interrupt_id: String,
        /// What they saw of it, as for [`Self::Answer`].
        shown: Fingerprint,
        /// A decision for each of [`super::OpenInterrupt::actions`], in their order.
        decisions: Vec<ActionDecision>,
        /// The one who decides.
        by: Decider,
    },
    /// The person wants nothing more to do with a question whose answer the agent rejected.
    GiveUp {
        /// The id of the interrupt.
        interrupt_id: String,
    },
    /// The person denies everything that is open, gives up what cannot be denied, and stops what is
    /// under way: nothing new is asked until they speak.
    DenyAll {
        /// The one who denies.
        by: Decider,
    },
    /// The person wants to see the interrupts that were held back.
    ShowHeldBack,
    /// The person stops everything that is under way.
    Stop,
    /// The person wants the run that failed tried again.
    Retry,
    /// The person wants the loop to go on after a limit.
    Continue,
    /// An answer that was cut, by a reload or a lost connection, may still be under way: it is read
    /// on. Nothing is said to the agent.
    TakeUp,
    /// A notice has been read.
    Dismiss {
        /// The notice.
        notice: NoticeId,
    },
    /// The person begins another conversation.
    NewThread,
    /// A stored conversation takes the place of this one.
    Load {
        /// Its id.
        thread_id: String,
        /// The conversation as [`crate::conversation::Conversation::export`] wrote it.
        snapshot: Value,
    },
    /// This session goes on where another one was left, by a reload or a crash: questions are asked
    /// again, results that were not sent are offered, and of a handler that may have run a person is
    /// asked before it runs again.
    Restore {
        /// The conversation's id.
        thread_id: String,
        /// The newest [`super::Session::snapshot`] that was written.
        snapshot: Value,
        /// The journal of the conversation, oldest first.
        journal: Vec<JournalEntry>,
    },
    /// A stored conversation takes the place of this one, to be read alone: it is open elsewhere,
    /// where everything about it is done. Nothing of it is taken up, and what would act on it is
    /// refused, until another one is opened or this one restored.
    Follow {
        /// The conversation's id.
        thread_id: String,
        /// A [`super::Session::snapshot`].
        snapshot: Value,
    },
    /// The host has something to tell the person. It stands until it is taken back.
    Tell {
        /// What it is about; a host says [`NoticeKind::NotKept`] and [`NoticeKind::NotOpened`].
        kind: NoticeKind,
        /// A sentence in English; `None` takes it back.
        message: Option<String>,
    },
    /// The page itself asks for an action: by the same way as an agent, with schema, rules,
    /// approval, commit and limits. The answer comes as [`super::Effect::Executed`].
    Execute {
        /// Numbers the request.
        request: u64,
        /// The action.
        name: String,
        /// Its arguments.
        args: Value,
        /// The start of the handler that asks for it, if one does: it ends with that.
        within: Option<InvocationId>,
    },
    /// The person does something to the tree of messages.
    Tree {
        /// The change.
        change: TreeChange,
    },
    /// A component offers an action, or changes what it offers.
    Register {
        /// Names the registration.
        id: RegistrationId,
        /// The action.
        spec: Box<ActionSpec>,
    },
    /// A component is gone.
    Unregister {
        /// The registration.
        id: RegistrationId,
    },
    /// The application narrows what the agent is offered, from the next run on.
    Offer {
        /// What is offered; `None` offers everything.
        filter: Option<OfferFilter>,
    },
    /// The agent asked for actions that the filter keeps back: it is offered them, too, until the
    /// person speaks.
    Reveal {
        /// The actions.
        names: Vec<String>,
    },
    /// A component tells the agent something, or no longer does.
    SetContext {
        /// Names the component's entry.
        owner: u64,
        /// The entry; `None` removes it.
        item: Option<ContextItem>,
    },
    /// The page changes the shared state.
    SetState {
        /// The whole state.
        state: Value,
    },
    /// The host passes something through with every run.
    SetForwardedProps {
        /// The properties.
        props: Value,
    },
    /// The page is ready for a run that [`super::Effect::PrepareRun`] announced.
    OpenRun {
        /// The run.
        run: RunKey,
    },
    /// A server that runs the loop itself says what a message or a call is now. Nothing runs here.
    #[cfg(feature = "records")]
    Update {
        /// The state of the message or the call.
        update: Box<crate::records::Update>,
    },
    /// The agent says something.
    Event {
        /// The run that it belongs to.
        run: RunKey,
        /// The event.
        event: Box<Event>,
    },
    /// A decoder tolerated or dropped something.
    Diagnostic {
        /// The diagnostic.
        diagnostic: Diagnostic,
    },
    /// A run's stream is over.
    RunClosed {
        /// The run.
        run: RunKey,
        /// How it ended.
        end: StreamEnd,
    },
    /// An entry was written, or could not be.
    Committed {
        /// The number of the entry.
        commit: CommitId,
        /// `Err` with a sentence if it could not.
        outcome: Result<(), String>,
    },
    /// A rule that needed time has its answer.
    PolicyAnswer {
        /// The question's ticket.
        ticket: Ticket,
        /// Whether a person must be asked.
        ask: bool,
    },
    /// An action says what a call would change.
    Previewed {
        /// The question's ticket.
        ticket: Ticket,
        /// What would change; else why that is not known.
        outcome: Result<Value, String>,
    },
    /// The application, asked whether a call may start, has its answer.
    PermissionAnswer {
        /// The question's ticket.
        ticket: Ticket,
        /// `Ok` if it may; else why not, for the model and the person.
        outcome: Result<(), String>,
    },
    /// A handler reports its progress.
    Progress {
        /// The start of the handler.
        invocation: InvocationId,
        /// The progress.
        progress: Progress,
    },
    /// A handler shows a result that is not its last.
    Preliminary {
        /// The start of the handler.
        invocation: InvocationId,
        /// The result so far.
        value: Value,
    },
    /// A handler begins to ask the person, or has its answer. The time in between is the person's,
    /// unless something else goes on.
    Asking {
        /// The start of the handler.
        invocation: InvocationId,
        /// `true` when it begins to ask, `false` when it has its answer.
        asks: bool,
    },
    /// A handler is done.
    Finished {
        /// The start of the handler.
        invocation: InvocationId,
        /// Its output.
        outcome: Result<ToolOutcome, ToolError>,
    },
    /// A timer has run out.
    Timer {
        /// The timer.
        timer: TimerId,
    },
}

impl Input {
    /// Returns the one whose decision it is.
    pub(super) const fn decider(&self) -> Option<Decider> {
        match self {
            Self::Decide { by, .. }
            | Self::Answer { by, .. }
            | Self::DecideActions { by, .. }
            | Self::DenyAll { by } => Some(*by),
            _ => None,
        }
    }

    /// Returns whether it acts on the conversation, which only its owner does (rule "one owner").
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
                | Self::TakeUp
                | Self::Execute { .. }
                | Self::Tree { .. }
                | Self::Committed { .. }
        )
    }
}

/// A change that a person makes to the tree of messages.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TreeChange {
    /// Shows the branch through a message.
    Select {
        /// The message.
        message: MessageId,
        /// Ends the branch there, so that what is said next branches off.
        exact: bool,
    },
    /// Shows the version of a message before or after it.
    Switch {
        /// The message.
        message: MessageId,
        /// The version to show.
        to: Sibling,
    },
    /// Shows the branch on which a run, a handler or a question is open.
    ShowRun,
    /// Removes a message and all below it.
    Delete {
        /// The message.
        message: MessageId,
    },
    /// Brings back what was deleted last, as it was. What the deletion ended stays ended. It can be
    /// done until a run begins.
    Restore,
    /// Moves a message and all below it.
    Reparent {
        /// The message.
        message: MessageId,
        /// Below which one; `None` makes it a root.
        parent: Option<MessageId>,
    },
    /// Says something else than a message of the person says, as another version of it, and sends
    /// it.
    Edit {
        /// The message.
        message: MessageId,
        /// The new text and files.
        content: Content,
    },
    /// Corrects a message where it stands: no branch, and nothing is sent.
    EditInPlace {
        /// The message.
        message: MessageId,
        /// The new text and files.
        content: Content,
    },
    /// Asks for another version of an answer.
    Regenerate {
        /// A message of the answer.
        message: MessageId,
    },
    /// Says something while the loop goes on: it is delivered at the next boundary between tools.
    Interject {
        /// The text and files of the message.
        content: Content,
    },
}

/// A person's decision about a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Go on, perhaps with other arguments.
    Approve {
        /// The arguments as the person changed them.
        args: Option<Value>,
    },
    /// Go on, and do not ask again about calls like this one.
    Remember {
        /// The arguments as the person changed them.
        args: Option<Value>,
        /// The extent of the approval.
        what: Remember,
    },
    /// Do not.
    Deny {
        /// Why not.
        reason: Option<String>,
    },
}

impl Verdict {
    /// Returns whether it denies the call.
    #[must_use]
    pub const fn is_denial(&self) -> bool {
        matches!(self, Self::Deny { .. })
    }
}
