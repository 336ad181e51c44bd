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
    Ended,
    /// Its action is not registered here yet; it waits.
    Missing,
    /// A rule of the application decides whether a person must be asked.
    Ruling(Ticket),
    /// The page asks a person.
    Asked,
    /// It may start.
    Allowed,
    /// It is wrong, and is answered so once its run is over.
    Invalid(CallError),
    /// A person denied it; it is answered so once its run is over.
    Refused {
        /// Why.
        reason: Option<String>,
    },
    /// Its start is being written down.
    Committing(CommitId),
    /// Its handler runs.
    Running(InvocationId, Option<TimerId>),
    /// The agent runs it. `left` says that results of the page may go out before its own comes.
    AtAgent {
        /// Whether it was left to the agent for the next run.
        left: bool,
    },
    /// A tool message tells the agent that it may run it.
    Told {
        /// The id of that message, for the call that was approved.
        message: Consent<String>,
        /// Whether a run carries it right now.
        out: bool,
    },
    /// The agent asks about it by an interrupt that is not answered yet.
    Gated {
        /// Whether its card asks for approve or deny.
        card: bool,
    },
    /// The agent's interrupt was answered with an approval.
    GateOpen {
        /// Whether a run carries the answer right now.
        out: bool,
    },
    /// The agent's interrupt was answered with a denial, or given up.
    GateShut {
        /// Why.
        reason: Option<String>,
    },
    /// It has its answer, or never will have one.
    Done(Done),
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Done {
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
pub(crate) enum Happening {
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
    TakenByAgent,
    /// It is left to the agent for the next run.
    Left,
    /// The agent is to be told that it may run it, by a message with this id.
    ToldToGoOn(Consent<String>),
    /// The agent asks about it by an interrupt; `card` says whether approve or deny answer that.
    Gated { card: bool },
    /// The agent's interrupt was answered.
    GateAnswered {
        approved: bool,
        reason: Option<String>,
    },
    /// The interrupt is over, and the agent gave no result.
    GateLifted,
    /// The agent did not take the answer: the question is open again.
    GateReopened {
        /// Whether its card asks for approve or deny.
        card: bool,
    },
    /// A run carries its approval to the agent.
    HandedOver,
    /// The run that carried its approval failed.
    HandedBack,
    /// It has its answer, or never will have one.
    Settled(Done),
    /// A run that carries its result began.
    Delivered,
}

impl State {
    /// A call that nobody will answer any more, on a branch that the run has left.
    pub(crate) const fn abandoned() -> Self {
        Self::Done(Done {
            end: End::Cancelled,
            by: Author::Page,
            sent: true,
        })
    }

    /// The table: what follows when something happens. `None` where it changes nothing: it came
    /// too late, or what happened before stands above it.
    #[allow(clippy::use_self, reason = "the table reads in columns")]
    pub(crate) fn after(&self, what: &Happening) -> Option<Self> {
        use Happening as H;
        let next = match (self, what) {
            // What has an answer keeps it. Only its delivery is still to come.
            (Self::Done(done), H::Delivered) if !done.sent => Self::Done(Done {
                sent: true,
                ..*done
            }),
            // An agent may say its own result again. What the page did is not rewritten.
            (Self::Done(done), H::Settled(anew))
                if done.by != Author::Page && anew.by == Author::Agent =>
            {
                Self::Done(*anew)
            }
            (Self::Done(_), _) => return None,

            (_, H::Settled(done)) => match self {
                // A denial stands whatever the agent says of the call.
                Self::Refused { .. } if done.by == Author::Agent => return None,
                Self::GateShut { .. } if done.end == End::Output => Self::Done(Done {
                    end: End::Denied,
                    ..*done
                }),
                _ => Self::Done(*done),
            },

            // What started stays started; what was denied stays denied; what the agent was told
            // stays told.
            (
                Self::Running(..) | Self::Refused { .. } | Self::GateShut { .. },
                H::Reopened | H::Rewritten,
            ) => {
                return None;
            }
            (Self::Told { .. }, H::Reopened) => return None,
            (Self::Gated { .. }, H::Reopened | H::Rewritten) => return None,
            (_, H::Reopened) => Self::Streaming,
            (Self::Streaming, H::ArgsEnded) => Self::Ended,
            (Self::Streaming | Self::Ended, H::Rewritten) => return None,
            (_, H::Rewritten) => Self::Ended,

            // Judgements, each made again from `Ended`.
            (Self::Ended, H::FoundMissing) => Self::Missing,
            (Self::Ended, H::RuleAsked(ticket)) => Self::Ruling(*ticket),
            (Self::Ended | Self::Ruling(_), H::FoundInvalid(error)) => Self::Invalid(error.clone()),
            (Self::Ended, H::TakenByAgent) => Self::AtAgent { left: false },
            (Self::Ended | Self::Ruling(_), H::QuestionPut) => Self::Asked,
            (Self::Ended | Self::Ruling(_) | Self::Asked, H::Cleared) => Self::Allowed,
            (
                Self::Missing
                | Self::Ruling(_)
                | Self::Asked
                | Self::Allowed
                | Self::Invalid(_)
                | Self::AtAgent { .. }
                | Self::Committing(_),
                H::Voided,
            ) => Self::Ended,
            (Self::Told { out: false, .. }, H::Revoked) => Self::Ended,
            (Self::Asked | Self::Missing | Self::Ruling(_), H::Denied(reason)) => Self::Refused {
                reason: reason.clone(),
            },
            (Self::Ended | Self::Ruling(_), H::DeniedBefore(reason)) => Self::Refused {
                reason: reason.clone(),
            },

            // To the handler in two steps, and only from here.
            (Self::Allowed, H::CommitAsked(commit)) => Self::Committing(*commit),
            (Self::Committing(_), H::Started(id, timer)) => Self::Running(*id, *timer),

            // What the agent runs.
            (Self::AtAgent { .. }, H::Left) => Self::AtAgent { left: true },
            (Self::Allowed, H::ToldToGoOn(message)) => Self::Told {
                message: message.clone(),
                out: false,
            },
            (Self::Told { message, .. }, H::HandedOver | H::HandedBack) => Self::Told {
                message: message.clone(),
                out: *what == H::HandedOver,
            },

            // What the agent asks about. A running handler or a denial is not asked about again.
            (Self::Running(..) | Self::Refused { .. } | Self::GateShut { .. }, H::Gated { .. }) => {
                return None;
            }
            (_, H::Gated { card }) => Self::Gated { card: *card },
            (Self::Gated { .. }, H::GateAnswered { approved: true, .. }) => {
                Self::GateOpen { out: false }
            }
            // Where the agent asks twice about one call, one denial is enough.
            (
                Self::Gated { .. } | Self::GateOpen { .. },
                H::GateAnswered {
                    approved: false,
                    reason,
                },
            ) => Self::GateShut {
                reason: reason.clone(),
            },
            (Self::GateOpen { .. }, H::HandedOver) => Self::GateOpen { out: true },
            (Self::GateOpen { .. }, H::HandedBack) => Self::GateOpen { out: false },
            (Self::GateOpen { .. } | Self::Gated { .. }, H::GateLifted) => Self::Ended,
            (Self::GateOpen { .. } | Self::GateShut { .. }, H::GateReopened { card }) => {
                Self::Gated { card: *card }
            }
            _ => return None,
        };
        (next != *self).then_some(next)
    }

    /// The phase that it shows as.
    pub(crate) const fn phase(&self) -> Phase {
        match self {
            Self::Streaming => Phase::InputStreaming,
            Self::Ended | Self::Ruling(_) | Self::Invalid(_) | Self::Gated { card: false } => {
                Phase::InputAvailable
            }
            Self::Missing | Self::Asked | Self::Gated { card: true } => Phase::ApprovalRequested,
            Self::Allowed
            | Self::Committing(_)
            | Self::Refused { .. }
            | Self::GateShut { .. }
            | Self::Told { out: false, .. }
            | Self::GateOpen { out: false } => Phase::ApprovalResponded,
            Self::Running(..)
            | Self::AtAgent { .. }
            | Self::Told { out: true, .. }
            | Self::GateOpen { out: true } => Phase::Running,
            Self::Done(done) => match done.end {
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
        matches!(self, Self::Done(_))
    }

    /// Whether something is under way that the loop waits for before it goes on.
    pub(crate) const fn is_under_way(&self) -> bool {
        matches!(
            self,
            Self::Missing
                | Self::Ruling(_)
                | Self::Asked
                | Self::Allowed
                | Self::Invalid(_)
                | Self::Refused { .. }
                | Self::Committing(_)
                | Self::Running(..)
                | Self::AtAgent { left: false }
        )
    }

    /// Whether its handler is about to start or has started.
    pub(crate) const fn is_at_work(&self) -> bool {
        matches!(self, Self::Committing(_) | Self::Running(..))
    }

    /// Whether an interrupt of the agent holds it back.
    pub(crate) const fn is_gated(&self) -> bool {
        matches!(
            self,
            Self::Gated { .. } | Self::GateOpen { .. } | Self::GateShut { .. }
        )
    }
}
