//! The life of a tool call: one enum of states, one table of what leads from one to the next.
//!
//! Nothing else says what happened to a call. The phase that views show, whether a handler may
//! start, what goes out with the next request: all of it is read off the state. The state stands
//! in the call and moves with it, so that a snapshot that moves a call moves its whole history.
//! [`crate::session`] makes things happen; the reducer does where an agent's word is enough.

use super::{CallError, Consent, Phase};
use crate::session::{CommitId, InvocationId, Ticket, TimerId};

/// Where a call stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum State {
    /// Its arguments arrive.
    #[default]
    Streaming,
    /// Its arguments are complete, and nothing was made of it yet.
    Open,
    /// Its action is not registered here yet; it waits.
    Missing,
    /// A rule of the application decides whether a person must be asked.
    RuleAsked(Ticket),
    /// The page asks a person.
    Asked,
    /// It may start.
    Allowed,
    /// It is wrong, and is answered so once its run is over.
    Invalid(CallError),
    /// A person denied it; it is answered so once its run is over.
    Denied {
        /// Why.
        reason: Option<String>,
    },
    /// Its start is being written down.
    Committing(CommitId),
    /// Its handler runs.
    Running(InvocationId, Option<TimerId>),
    /// The agent runs it. `left` says that results of the page may go out before its own comes.
    Remote {
        /// Whether it was left to the agent for the next run.
        left: bool,
    },
    /// A tool message tells the agent that it may run it.
    HandedOff {
        /// The id of that message, for the call that was approved.
        message: Consent<String>,
        /// Whether a run carries it right now.
        out: bool,
    },
    /// The agent asks about it by an interrupt that is not answered yet.
    Interrupted {
        /// Whether its card asks for approve or deny.
        card: bool,
    },
    /// The agent's interrupt was answered with an approval.
    InterruptApproved {
        /// Whether a run carries the answer right now.
        out: bool,
    },
    /// The agent's interrupt was answered with a denial, or given up.
    InterruptDenied {
        /// Why.
        reason: Option<String>,
    },
    /// It has its answer, or never will have one.
    Ended(Outcome),
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) end: End,
    /// Who says so.
    pub(crate) by: Author,
    /// Whether an agent has its result: it came from one, or went out with a run that began.
    pub(crate) sent: bool,
}

/// The way in which a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Output,
    Error,
    Denied,
    Skipped,
    Cancelled,
}

impl End {
    /// The end that shows as this phase, if it is one.
    pub(crate) const fn of(phase: Phase) -> Option<Self> {
        Some(match phase {
            Phase::OutputAvailable => Self::Output,
            Phase::OutputError => Self::Error,
            Phase::OutputDenied => Self::Denied,
            Phase::Skipped => Self::Skipped,
            Phase::Cancelled => Self::Cancelled,
            _ => return None,
        })
    }
}

/// The author of a result or of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Author {
    /// This page: its handler ran, or the user decided or said it here.
    Page,
    /// The agent.
    Agent,
    /// A stored conversation or list of messages that the application loaded.
    Record,
}

impl Author {
    /// The word in stored conversations.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Agent => "agent",
            Self::Record => "record",
        }
    }

    /// The author that a word stands for.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let all = [Self::Page, Self::Agent, Self::Record];
        all.into_iter().find(|author| author.as_str() == word)
    }
}

/// What can happen to a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum StateEvent {
    /// The agent announces it again, or more of its arguments.
    Reopened,
    /// Its arguments are complete.
    ArgsEnded,
    /// The agent gave it another name or other arguments.
    Rewritten,
    /// What was made of it no longer holds: its action changed or went.
    Voided,
    /// The approval that let it pass holds no longer, and the agent was not told yet.
    Revoked,
    /// Nothing here knows its action yet.
    FoundMissing,
    /// A rule of the application was asked.
    RuleAsked(Ticket),
    /// A person must be asked.
    QuestionPut,
    /// It may start: nobody must be asked, a rule said so, or a person approved it.
    Cleared,
    /// It is wrong.
    FoundInvalid(CallError),
    /// A person denied it.
    Denied(Option<String>),
    /// A person denied an equal call in this turn, and is not asked again.
    DeniedBefore(Option<String>),
    /// Its start is being written down.
    CommitAsked(CommitId),
    /// Its handler was started.
    Started(InvocationId, Option<TimerId>),
    /// It is the agent's to run.
    FoundRemote,
    /// It is left to the agent for the next run.
    LeftRemote,
    /// The agent is to be told that it may run it, by a message with this id.
    HandedOff(Consent<String>),
    /// The agent asks about it by an interrupt; `card` says whether approve or deny answer that.
    Interrupted { card: bool },
    /// The agent's interrupt was answered.
    InterruptAnswered {
        approved: bool,
        reason: Option<String>,
    },
    /// The interrupt is over, and the agent gave no result.
    InterruptLifted,
    /// The agent did not take the answer: the question is open again.
    InterruptReopened {
        /// Whether its card asks for approve or deny.
        card: bool,
    },
    /// A run carries its approval to the agent.
    SendStarted,
    /// The run that carried its approval failed.
    SendFailed,
    /// It has its answer, or never will have one.
    Settled(Outcome),
    /// A run that carries its result began.
    Delivered,
}

impl State {
    /// A call that nobody will answer any more, on a branch that the run has left.
    pub(crate) const fn abandoned() -> Self {
        Self::Ended(Outcome {
            end: End::Cancelled,
            by: Author::Page,
            sent: true,
        })
    }

    /// The table: what follows when something happens. `None` where it changes nothing: it came
    /// too late, or what happened before stands above it.
    #[allow(clippy::use_self, reason = "the table reads in columns")]
    pub(crate) fn after(&self, what: &StateEvent) -> Option<Self> {
        use StateEvent as E;
        let next = match (self, what) {
            // What has an answer keeps it. Only its delivery is still to come.
            (Self::Ended(done), E::Delivered) if !done.sent => Self::Ended(Outcome {
                sent: true,
                ..*done
            }),
            // An agent may say its own result again. What the page did is not rewritten.
            (Self::Ended(done), E::Settled(anew))
                if done.by != Author::Page && anew.by == Author::Agent =>
            {
                Self::Ended(*anew)
            }
            (Self::Ended(_), _) => return None,

            (_, E::Settled(done)) => match self {
                // A denial stands whatever the agent says of the call.
                Self::Denied { .. } if done.by == Author::Agent => return None,
                Self::InterruptDenied { .. } if done.end == End::Output => Self::Ended(Outcome {
                    end: End::Denied,
                    ..*done
                }),
                _ => Self::Ended(*done),
            },

            // What started stays started; what was denied stays denied; what the agent was told
            // stays told.
            (
                Self::Running(..) | Self::Denied { .. } | Self::InterruptDenied { .. },
                E::Reopened | E::Rewritten,
            ) => {
                return None;
            }
            (Self::HandedOff { .. }, E::Reopened) => return None,
            (Self::Interrupted { .. }, E::Reopened | E::Rewritten) => return None,
            (_, E::Reopened) => Self::Streaming,
            (Self::Streaming, E::ArgsEnded) => Self::Open,
            (Self::Streaming | Self::Open, E::Rewritten) => return None,
            (_, E::Rewritten) => Self::Open,

            // Judgements, each made again from `Ended`.
            (Self::Open, E::FoundMissing) => Self::Missing,
            (Self::Open, E::RuleAsked(ticket)) => Self::RuleAsked(*ticket),
            (Self::Open | Self::RuleAsked(_), E::FoundInvalid(error)) => {
                Self::Invalid(error.clone())
            }
            (Self::Open, E::FoundRemote) => Self::Remote { left: false },
            (Self::Open | Self::RuleAsked(_), E::QuestionPut) => Self::Asked,
            (Self::Open | Self::RuleAsked(_) | Self::Asked, E::Cleared) => Self::Allowed,
            (
                Self::Missing
                | Self::RuleAsked(_)
                | Self::Asked
                | Self::Allowed
                | Self::Invalid(_)
                | Self::Remote { .. }
                | Self::Committing(_),
                E::Voided,
            ) => Self::Open,
            (Self::HandedOff { out: false, .. }, E::Revoked) => Self::Open,
            (Self::Asked | Self::Missing | Self::RuleAsked(_), E::Denied(reason)) => Self::Denied {
                reason: reason.clone(),
            },
            (Self::Open | Self::RuleAsked(_), E::DeniedBefore(reason)) => Self::Denied {
                reason: reason.clone(),
            },

            // To the handler in two steps, and only from here.
            (Self::Allowed, E::CommitAsked(commit)) => Self::Committing(*commit),
            (Self::Committing(_), E::Started(id, timer)) => Self::Running(*id, *timer),

            // What the agent runs.
            (Self::Remote { .. }, E::LeftRemote) => Self::Remote { left: true },
            (Self::Allowed, E::HandedOff(message)) => Self::HandedOff {
                message: message.clone(),
                out: false,
            },
            (Self::HandedOff { message, .. }, E::SendStarted | E::SendFailed) => Self::HandedOff {
                message: message.clone(),
                out: *what == E::SendStarted,
            },

            // What the agent asks about. A running handler or a denial is not asked about again.
            (
                Self::Running(..) | Self::Denied { .. } | Self::InterruptDenied { .. },
                E::Interrupted { .. },
            ) => {
                return None;
            }
            (_, E::Interrupted { card }) => Self::Interrupted { card: *card },
            (Self::Interrupted { .. }, E::InterruptAnswered { approved: true, .. }) => {
                Self::InterruptApproved { out: false }
            }
            // Where the agent asks twice about one call, one denial is enough.
            (
                Self::Interrupted { .. } | Self::InterruptApproved { .. },
                E::InterruptAnswered {
                    approved: false,
                    reason,
                },
            ) => Self::InterruptDenied {
                reason: reason.clone(),
            },
            (Self::InterruptApproved { .. }, E::SendStarted) => {
                Self::InterruptApproved { out: true }
            }
            (Self::InterruptApproved { .. }, E::SendFailed) => {
                Self::InterruptApproved { out: false }
            }
            (Self::InterruptApproved { .. } | Self::Interrupted { .. }, E::InterruptLifted) => {
                Self::Open
            }
            (
                Self::InterruptApproved { .. } | Self::InterruptDenied { .. },
                E::InterruptReopened { card },
            ) => Self::Interrupted { card: *card },
            _ => return None,
        };
        (next != *self).then_some(next)
    }

    /// The phase that it shows as.
    pub(crate) const fn phase(&self) -> Phase {
        match self {
            Self::Streaming => Phase::InputStreaming,
            Self::Open
            | Self::RuleAsked(_)
            | Self::Invalid(_)
            | Self::Interrupted { card: false } => Phase::InputAvailable,
            Self::Missing | Self::Asked | Self::Interrupted { card: true } => {
                Phase::ApprovalRequested
            }
            Self::Allowed
            | Self::Committing(_)
            | Self::Denied { .. }
            | Self::InterruptDenied { .. }
            | Self::HandedOff { out: false, .. }
            | Self::InterruptApproved { out: false } => Phase::ApprovalResponded,
            Self::Running(..)
            | Self::Remote { .. }
            | Self::HandedOff { out: true, .. }
            | Self::InterruptApproved { out: true } => Phase::Running,
            Self::Ended(done) => match done.end {
                End::Output => Phase::OutputAvailable,
                End::Error => Phase::OutputError,
                End::Denied => Phase::OutputDenied,
                End::Skipped => Phase::Skipped,
                End::Cancelled => Phase::Cancelled,
            },
        }
    }

    /// Whether it ended.
    pub(crate) const fn is_done(&self) -> bool {
        matches!(self, Self::Ended(_))
    }

    /// Whether something is under way that the loop waits for before it goes on.
    pub(crate) const fn is_under_way(&self) -> bool {
        matches!(
            self,
            Self::Missing
                | Self::RuleAsked(_)
                | Self::Asked
                | Self::Allowed
                | Self::Invalid(_)
                | Self::Denied { .. }
                | Self::Committing(_)
                | Self::Running(..)
                | Self::Remote { left: false }
        )
    }

    /// Whether its handler is about to start or has started.
    pub(crate) const fn is_at_work(&self) -> bool {
        matches!(self, Self::Committing(_) | Self::Running(..))
    }

    /// Whether an interrupt of the agent holds it back.
    pub(crate) const fn is_interrupted(&self) -> bool {
        matches!(
            self,
            Self::Interrupted { .. }
                | Self::InterruptApproved { .. }
                | Self::InterruptDenied { .. }
        )
    }
}
