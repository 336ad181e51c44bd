//! What can happen to a session.

use std::fmt;

use serde_json::Value;

use super::{CommitId, InvocationId, JournalEntry, NoticeId, NoticeKind, RunKey, Ticket, TimerId};
use crate::{
    action::{
        ActionSpec, InvalidAction, OfferFilter, RegistrationId, Remember, RememberedApproval,
        ToolError, ToolOutcome, schema::Violation,
    },
    conversation::{CallKey, Fingerprint, MessageId, Progress, Sibling, TreeError},
    event::{Content, ContextItem, Diagnostic, Event, ResumeStatus},
};

/// An input of a session.
#[derive(Debug, Clone)]
pub enum Input {
    /// The person says something.
    Send {
        /// What.
        content: Content,
    },
    /// The person decides about a call.
    Decide {
        /// Which call.
        call: CallKey,
        /// What they saw of it, from [`super::Session::fingerprint`] at the time when it was
        /// drawn: the decision is refused if the call is another by now. `None` binds it to what
        /// the call is now, for programs that show nothing.
        shown: Option<Fingerprint>,
        /// What they say.
        verdict: Verdict,
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
    /// The person answers what an agent waits for.
    Answer {
        /// Which interrupt.
        interrupt_id: String,
        /// Answered or given up.
        status: ResumeStatus,
        /// The answer.
        payload: Option<Value>,
    },
    /// The person wants nothing more to do with a question whose answer the agent rejected.
    GiveUp {
        /// Which interrupt.
        interrupt_id: String,
    },
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
        /// Which.
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
        /// What.
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
        /// Which registration.
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
        /// What it says.
        item: Option<ContextItem>,
    },
    /// The page changes the shared state.
    SetState {
        /// The whole state.
        state: Value,
    },
    /// The host passes something through with every run.
    SetForwardedProps {
        /// What.
        props: Value,
    },
    /// The page is ready for a run that [`super::Effect::PrepareRun`] announced.
    OpenRun {
        /// Which run.
        run: RunKey,
    },
    /// A server that runs the loop itself says what a message or a call is now. Nothing runs here.
    #[cfg(feature = "records")]
    Update {
        /// What it says.
        update: Box<crate::records::Update>,
    },
    /// The agent says something.
    Event {
        /// In which run.
        run: RunKey,
        /// What.
        event: Box<Event>,
    },
    /// A decoder tolerated or dropped something.
    Diagnostic {
        /// What.
        diagnostic: Diagnostic,
    },
    /// A run's stream is over.
    RunClosed {
        /// Which run.
        run: RunKey,
        /// How it ended.
        end: StreamEnd,
    },
    /// An entry was written, or could not be.
    Committed {
        /// Which.
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
    /// A handler says how far it is.
    Progress {
        /// Which.
        invocation: InvocationId,
        /// How far.
        progress: Progress,
    },
    /// A handler shows a result that is not its last.
    Preliminary {
        /// Which.
        invocation: InvocationId,
        /// The result so far.
        value: Value,
    },
    /// A handler begins to ask the person, or has its answer. The time in between is the person's,
    /// unless something else goes on.
    Asking {
        /// The start of the handler.
        invocation: InvocationId,
        /// Whether it asks.
        asks: bool,
    },
    /// A handler is done.
    Finished {
        /// Which.
        invocation: InvocationId,
        /// What it gave back.
        outcome: Result<ToolOutcome, ToolError>,
    },
    /// A timer has run out.
    Timer {
        /// Which.
        timer: TimerId,
    },
}

impl Input {
    /// Returns whether it acts on the conversation, which only its owner does (rule "one owner").
    pub(super) const fn is_for_owner(&self) -> bool {
        matches!(
            self,
            Self::Send { .. }
                | Self::Decide { .. }
                | Self::Answer { .. }
                | Self::GiveUp { .. }
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
        /// Which version.
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
        /// What is said.
        content: Content,
    },
    /// Corrects a message where it stands: no branch, and nothing is sent.
    EditInPlace {
        /// The message.
        message: MessageId,
        /// What it says from now on.
        content: Content,
    },
    /// Asks for another version of an answer.
    Regenerate {
        /// A message of the answer.
        message: MessageId,
    },
    /// Says something while the loop goes on: it is delivered at the next boundary between tools.
    Interject {
        /// What.
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
        /// What is remembered.
        what: Remember,
    },
    /// Do not.
    Deny {
        /// Why not.
        reason: Option<String>,
    },
}

/// The end of a run's stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StreamEnd {
    /// It ended by itself. Whether the run was over is known from its events.
    Closed,
    /// There was no answer under way that could be read on.
    Nothing,
    /// It could not be opened or read on.
    Failed(Failure),
}

impl StreamEnd {
    /// Whether it makes a failure of a run that said this of its end. Once the last word was said,
    /// a connection that goes takes nothing away.
    pub(super) fn breaks(&self, finish: &Option<super::run::Finish>) -> bool {
        match self {
            Self::Closed | Self::Nothing => false,
            Self::Failed(failure) => finish.is_none() || failure.kind != FailureKind::Network,
        }
    }
}

/// Why a run could not be had.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// Which kind.
    pub kind: FailureKind,
    /// A sentence for the person.
    pub message: String,
    /// How long the server asks to wait before the next request, in milliseconds.
    pub retry_after_ms: Option<u64>,
}

impl Failure {
    /// Returns a failure after which nobody has to wait.
    #[must_use]
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            retry_after_ms: None,
        }
    }

    /// Says how long the server asks to wait before the next request.
    #[must_use]
    pub fn retry_after_ms(mut self, ms: u64) -> Self {
        self.retry_after_ms = Some(ms);
        self
    }
}

/// The kind of a run's failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureKind {
    /// No connection: wrong address, refused, blocked by the browser.
    Network,
    /// The request could not be made: its address or one of its headers is not valid.
    Request,
    /// An answer with an error status.
    Http {
        /// The status.
        status: u16,
    },
    /// An answer that is no event stream.
    NotAStream,
    /// Events that break the protocol.
    Protocol,
}

/// Why an input was not accepted.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Refusal {
    /// There is nothing in the message.
    EmptyMessage,
    /// A run or a handler is under way.
    Busy,
    /// Calls wait for a decision.
    ApprovalsPending,
    /// The agent waits for an answer.
    InterruptsPending,
    /// The decision was taken before, or was never asked for.
    AlreadyResolved,
    /// The call is no longer what the person saw when they decided.
    Changed,
    /// Nobody can have read yet what is to be approved.
    TooEarly,
    /// The approval cannot be remembered: the call is asked about each time.
    NotRemembered,
    /// The action of the call is not on the page.
    NotRegistered,
    /// The tree of messages does not allow it.
    Tree(TreeError),
    /// The agent waits no longer: it can only be given up.
    Expired,
    /// The edited arguments break the schema.
    InvalidEdit(Vec<Violation>),
    /// The edited arguments hold something that the application does not let pass.
    Unclean,
    /// The agent runs the call, and takes no other arguments.
    NoEdits,
    /// There is nothing to try again or to go on with.
    NothingToDo,
    /// The action cannot be registered.
    InvalidAction(InvalidAction),
    /// The stored conversation cannot be read.
    InvalidSnapshot(String),
    /// The conversation is open elsewhere, and only shown here.
    Elsewhere,
    /// The assistant has ended: its provider is gone.
    Ended,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyMessage => f.write_str("There is nothing to send."),
            Self::Busy => f.write_str("The assistant is still at work."),
            Self::ApprovalsPending => f.write_str("Approve or deny the open request first."),
            Self::InterruptsPending => f.write_str("Answer what the assistant asks first."),
            Self::AlreadyResolved => f.write_str("This was decided before."),
            Self::Changed => {
                f.write_str("The call has changed since it was shown. Look at it again.")
            }
            Self::TooEarly => f.write_str("Nobody can have read yet what is to be approved."),
            Self::NotRemembered => f.write_str("This is asked each time."),
            Self::NotRegistered => f.write_str("The action is not on this page."),
            Self::Tree(error) => error.fmt(f),
            Self::Expired => f.write_str("This can no longer be answered. Cancel it to go on."),
            Self::InvalidEdit(violations) => {
                f.write_str("The arguments do not fit:")?;
                violations
                    .iter()
                    .try_for_each(|v| write!(f, " {}: {};", v.path, v.message))
            }
            Self::Unclean => f.write_str("The arguments hold something that is not let pass."),
            Self::NoEdits => f.write_str("The arguments of this call cannot be changed."),
            Self::NothingToDo => f.write_str("There is nothing to go on with."),
            Self::InvalidAction(error) => error.fmt(f),
            Self::InvalidSnapshot(error) => {
                write!(f, "The stored conversation cannot be read: {error}")
            }
            Self::Elsewhere => f.write_str("The conversation is open in another tab."),
            Self::Ended => f.write_str("The assistant has ended."),
        }
    }
}

impl std::error::Error for Refusal {}
