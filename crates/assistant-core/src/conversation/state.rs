//! The states of a tool call, and the table of the transitions between them.
//!
//! The state determines the phase that views show, the permission to start a handler, and the
//! content of the next request. Each state contains the values that are valid in it, such as a
//! [`UserQuestion`], a [`Clearance`], an [`EndedCall`] or a [`Review`]. [`State::step`] consumes
//! the state. Within a state, only a [`CallDataChange`](super::CallDataChange) changes these
//! values. Every transition passes on the [`History`] of the call. The events come from
//! [`crate::session`], or from the reducer if an event of the agent is sufficient.

use super::{
    CallError, Clearance, Consent, Decider, Fingerprint, History, Phase, Review, UserQuestion,
    outcome::{Author, CallEnd, EndedCall},
};
use crate::id::{CommitId, InvocationId, Ticket, TimerId};

/// The state of a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum State {
    /// The call's arguments are streaming.
    Streaming(History),
    /// The call's arguments are complete, and the call is not checked yet.
    Open(Box<Review>),
    /// The call waits until its action is registered.
    Missing(Box<Review>),
    /// A rule of the application was asked whether the user must be asked.
    RuleAsked {
        /// The ticket of the question to the rule.
        ticket: Ticket,
        /// The fingerprint of the call that the rule was asked about.
        about: Option<Fingerprint>,
        review: Box<Review>,
    },
    /// The page asks the user.
    Asked(UserQuestion),
    /// The call may start.
    Allowed(Clearance),
    /// The call is invalid. The error is sent once the run is over.
    Invalid(CallError, Box<Review>),
    /// The call was denied. The denial is sent once the run is over.
    Denied {
        /// The reason for the denial, if one was given.
        reason: Option<String>,
        review: Box<Review>,
    },
    /// The start of the call is being written to the journal.
    Committing(CommitId, Box<Review>),
    /// The call's handler runs.
    Running(InvocationId, Option<TimerId>, Box<Review>),
    /// The agent runs the call.
    Remote {
        /// True if the next run need not wait for the call's result.
        delegated: bool,
        review: Box<Review>,
    },
    /// A tool message hands the call off to the agent.
    HandedOff {
        /// The id of the tool message, bound to the fingerprint of the approved call.
        message: Consent<String>,
        /// True while a run is sending the tool message to the agent.
        out: bool,
        review: Box<Review>,
    },
    /// An interrupt of the agent asks about the call and is not answered yet.
    Interrupted {
        /// True if the buttons of the call's card answer the interrupt.
        card: bool,
        review: Box<Review>,
    },
    /// The agent's interrupt was answered with an approval.
    InterruptApproved {
        /// True while a run is sending the approval to the agent.
        out: bool,
        review: Box<Review>,
    },
    /// The agent's interrupt was answered with a denial, or was cancelled.
    InterruptDenied {
        /// The reason for the denial, if one was given.
        reason: Option<String>,
        review: Box<Review>,
    },
    /// The call has ended, with or without a result.
    Ended(Box<EndedCall>),
}

impl Default for State {
    fn default() -> Self {
        Self::Streaming(History::default())
    }
}

/// An event of a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum StateEvent {
    /// The agent announced the call again, or sent more arguments for it.
    Reopened,
    /// The call's arguments are complete.
    ArgsEnded,
    /// The agent changed the call's name or arguments.
    Rewritten,
    /// The check of the call is no longer valid, because the action has changed or was removed.
    Voided,
    /// The call's approval is no longer valid, and was not sent to the agent yet.
    Revoked,
    /// The call's action is not registered yet.
    FoundMissing,
    /// A rule of the application was asked whether the user must be asked.
    RuleAsked(Ticket, Option<Fingerprint>),
    /// The page asks the user.
    QuestionPut,
    /// The call may start, because the action requires no approval, a rule permits the call, or the
    /// call was approved.
    Cleared,
    /// The call is invalid.
    FoundInvalid(CallError),
    /// The call was denied: by the user or the application, automatically because of a new message,
    /// or because an interrupt about the action was rejected.
    Denied(Option<String>),
    /// The user denied an equal call in this turn, so the user is not asked about this call.
    DeniedBefore(Option<String>),
    /// The call's start is being written to the journal.
    CommitAsked(CommitId),
    /// The call's handler was started.
    Started(InvocationId, Option<TimerId>),
    /// The agent runs the call.
    FoundRemote,
    /// The agent runs the call, and the next run does not wait for the call's result.
    Delegated,
    /// A tool message with this id hands the call off to the agent.
    HandedOff(Consent<String>),
    /// An interrupt of the agent asks about the call. `card` is true if the buttons of the call's
    /// card answer the interrupt.
    Interrupted { card: bool },
    /// The agent's interrupt was answered.
    InterruptAnswered {
        approved: bool,
        reason: Option<String>,
        /// The user or the rule that decided, if known.
        by: Option<Decider>,
    },
    /// The agent's interrupt is over, and the agent sent no result for the call.
    InterruptLifted,
    /// The agent rejected the answer, so the interrupt must be answered again.
    InterruptReopened {
        /// True if the buttons of the call's card answer the interrupt.
        card: bool,
    },
    /// A run that sends the call's approval to the agent has begun.
    SendStarted,
    /// The run that sent the call's approval failed.
    SendFailed,
    /// The call has ended, with or without a result.
    Settled(Box<EndedCall>),
    /// The result need not be sent any more: a run that sends it has begun, the agent sent a result
    /// itself, or the call's run is over.
    Delivered,
}

impl State {
    /// Consumes a state and returns the state that follows an event, according to the table in
    /// `docs/calls.md`. Returns the unchanged state as `Err` if the event has no effect, because it
    /// is late or an earlier event takes precedence.
    ///
    /// A state owns its values, so an approval remains valid only if the transition moves the
    /// review to the next state.
    pub(crate) fn step(self, event: StateEvent) -> Result<Self, Self> {
        let is_rewrite = matches!(event, StateEvent::Rewritten | StateEvent::Reopened);
        let was_decided = self.review().is_some_and(Review::is_decided);
        let voids_question = is_rewrite && (was_decided || self.must_be_asked());
        let was_claimed = matches!(self, Self::Committing(..));
        let mut next = self.next_state(event)?;
        next.record_transition(voids_question, was_claimed);
        Ok(next)
    }

    /// Updates the history after a transition. Counts starts and claims that did not lead to a
    /// start, records that a decided call changed, and marks the outcome as known once the handler
    /// starts or the call ends other than by a denial.
    fn record_transition(&mut self, voids_question: bool, was_claimed: bool) {
        let (is_running, is_known, is_asked_again) = (
            matches!(self, Self::Running(..)),
            matches!(self, Self::Ended(outcome) if !matches!(outcome.end, CallEnd::Denied)),
            matches!(
                self,
                Self::Streaming(_) | Self::Open(_) | Self::Interrupted { .. }
            ),
        );
        let is_void = was_claimed && !is_running && !self.is_done();
        let Some(history) = self.history_mut() else {
            return;
        };
        history.changed |= is_asked_again && voids_question;
        history.unknown_outcome &= !(is_running || is_known);
        if is_running {
            history.starts = history.starts.saturating_add(1);
        }
        if is_void {
            history.void_starts = history.void_starts.saturating_add(1);
        }
    }

    fn next_state(self, event: StateEvent) -> Result<Self, Self> {
        use StateEvent as E;
        Ok(match (self, event) {
            // The result of an ended call is final, so only its delivery is recorded.
            (Self::Ended(mut outcome), E::Delivered) if !outcome.sent => {
                outcome.sent = true;
                Self::Ended(outcome)
            }
            // An ended call accepts a repeated result of the agent, unless the first result is from
            // the page.
            (Self::Ended(known), E::Settled(mut corrected))
                if known.by != Author::Page && corrected.by == Author::Agent =>
            {
                corrected.at = known.at.or(corrected.at);
                corrected.review = known.review.clone();
                if corrected == known {
                    return Err(Self::Ended(known));
                }
                Self::Ended(corrected)
            }
            (state @ Self::Ended(_), _) => return Err(state),

            // The denial is kept if the agent also sends a result, because a denial takes
            // precedence.
            (state @ Self::Denied { .. }, E::Settled(outcome)) if outcome.by == Author::Agent => {
                return Err(state);
            }
            (Self::InterruptDenied { review, .. }, E::Settled(mut outcome))
                if outcome.end == CallEnd::Output =>
            {
                outcome.end = CallEnd::Denied;
                outcome.review = review.without_check();
                Self::Ended(outcome)
            }
            (state, E::Settled(mut outcome)) => {
                outcome.review = state.into_review().without_check();
                Self::Ended(outcome)
            }

            // In these states, the event has no effect. In particular, a start or a denial is not
            // undone.
            (
                state @ (Self::Running(..)
                | Self::Denied { .. }
                | Self::InterruptDenied { .. }
                | Self::Interrupted { .. }),
                E::Reopened | E::Rewritten,
            )
            | (state @ (Self::HandedOff { .. } | Self::Streaming(_)), E::Reopened)
            | (state @ (Self::Streaming(_) | Self::Open(_)), E::Rewritten) => return Err(state),
            (state, E::Reopened) => Self::Streaming(state.history()),
            (state @ Self::Streaming(_), E::ArgsEnded) | (state, E::Rewritten) => {
                Self::Open(state.to_blank_review())
            }

            // A check begins in `Open`, and the call returns to `Open` to be checked again.
            (Self::Open(review), E::FoundMissing) => Self::Missing(review),
            (Self::Open(review), E::RuleAsked(ticket, about)) => Self::RuleAsked {
                ticket,
                about,
                review,
            },
            (Self::Open(review) | Self::RuleAsked { review, .. }, E::FoundInvalid(error)) => {
                Self::Invalid(error, review)
            }
            (Self::Open(review), E::FoundRemote) => Self::Remote {
                delegated: false,
                review,
            },
            (Self::Open(review) | Self::RuleAsked { review, .. }, E::QuestionPut) => {
                Self::Asked(UserQuestion::new(review))
            }
            (Self::Open(review) | Self::Asked(UserQuestion { review, .. }), E::Cleared) => {
                Self::Allowed(Clearance::new(review))
            }
            (
                Self::RuleAsked {
                    about, mut review, ..
                },
                E::Cleared,
            ) => {
                review.cleared = about;
                Self::Allowed(Clearance::new(review))
            }
            (
                state @ (Self::Missing(_)
                | Self::RuleAsked { .. }
                | Self::Asked(_)
                | Self::Allowed(_)
                | Self::Invalid(..)
                | Self::Remote { .. }
                | Self::Committing(..)),
                E::Voided,
            ) => Self::Open(state.into_review().into_voided()),
            (state @ Self::HandedOff { out: false, .. }, E::Revoked) => {
                Self::Open(state.to_blank_review())
            }
            (
                state @ (Self::Asked(_)
                | Self::Missing(_)
                | Self::RuleAsked { .. }
                | Self::Remote {
                    delegated: true, ..
                }),
                E::Denied(reason),
            )
            | (state @ (Self::Open(_) | Self::RuleAsked { .. }), E::DeniedBefore(reason)) => {
                Self::Denied {
                    reason,
                    review: state.into_review(),
                }
            }

            // A handler starts in two steps, and only from `Allowed`, so that the journal contains
            // the start before the handler runs.
            (Self::Allowed(clearance), E::CommitAsked(commit)) => {
                Self::Committing(commit, clearance.review)
            }
            (Self::Committing(_, mut review), E::Started(id, timer)) => {
                review.cleared = None;
                Self::Running(id, timer, review)
            }

            // These transitions apply to calls that the agent runs.
            (
                Self::Remote {
                    delegated: false,
                    review,
                },
                E::Delegated,
            ) => Self::Remote {
                delegated: true,
                review,
            },
            (Self::Allowed(clearance), E::HandedOff(message)) => Self::HandedOff {
                message,
                out: false,
                review: clearance.review.without_check(),
            },
            (mut state, event @ (E::SendStarted | E::SendFailed)) => {
                let is_sending = matches!(event, E::SendStarted);
                match &mut state {
                    Self::HandedOff { out, .. } | Self::InterruptApproved { out, .. }
                        if *out != is_sending =>
                    {
                        *out = is_sending;
                    }
                    _ => return Err(state),
                }
                state
            }

            // A running or denied call ignores interrupts of the agent.
            (
                state @ (Self::Running(..) | Self::Denied { .. } | Self::InterruptDenied { .. }),
                E::Interrupted { .. },
            ) => return Err(state),
            (state @ Self::Interrupted { card: true, .. }, E::Interrupted { card: true })
            | (state @ Self::Interrupted { card: false, .. }, E::Interrupted { card: false }) => {
                return Err(state);
            }
            (state, E::Interrupted { card })
            | (
                state @ (Self::InterruptApproved { .. } | Self::InterruptDenied { .. }),
                E::InterruptReopened { card },
            ) => Self::Interrupted {
                card,
                review: state.to_blank_review(),
            },
            (Self::Interrupted { review, .. }, E::InterruptAnswered { approved: true, .. }) => {
                Self::InterruptApproved { out: false, review }
            }
            // A denial also applies to an approved call, because a second interrupt may refer to
            // the same call.
            (
                Self::Interrupted { review, .. } | Self::InterruptApproved { review, .. },
                E::InterruptAnswered {
                    approved: false,
                    reason,
                    ..
                },
            ) => Self::InterruptDenied { reason, review },
            (
                Self::InterruptApproved { review, .. } | Self::Interrupted { review, .. },
                E::InterruptLifted,
            ) => Self::Open(review.into_uninterrupted()),
            (state, _) => return Err(state),
        })
    }

    /// Returns the call's review, or `None` while the arguments are streaming.
    pub(crate) const fn review(&self) -> Option<&Review> {
        match self {
            Self::Streaming(_) => None,
            Self::Open(review)
            | Self::Missing(review)
            | Self::RuleAsked { review, .. }
            | Self::Asked(UserQuestion { review, .. })
            | Self::Allowed(Clearance { review, .. })
            | Self::Invalid(_, review)
            | Self::Denied { review, .. }
            | Self::Committing(_, review)
            | Self::Running(_, _, review)
            | Self::Remote { review, .. }
            | Self::HandedOff { review, .. }
            | Self::Interrupted { review, .. }
            | Self::InterruptApproved { review, .. }
            | Self::InterruptDenied { review, .. } => Some(review),
            Self::Ended(outcome) => Some(&outcome.review),
        }
    }

    /// Returns a mutable reference to the call's review, or `None` while the arguments are
    /// streaming.
    pub(super) const fn review_mut(&mut self) -> Option<&mut Review> {
        match self {
            Self::Streaming(_) => None,
            Self::Open(review)
            | Self::Missing(review)
            | Self::RuleAsked { review, .. }
            | Self::Asked(UserQuestion { review, .. })
            | Self::Allowed(Clearance { review, .. })
            | Self::Invalid(_, review)
            | Self::Denied { review, .. }
            | Self::Committing(_, review)
            | Self::Running(_, _, review)
            | Self::Remote { review, .. }
            | Self::HandedOff { review, .. }
            | Self::Interrupted { review, .. }
            | Self::InterruptApproved { review, .. }
            | Self::InterruptDenied { review, .. } => Some(review),
            Self::Ended(outcome) => Some(&mut outcome.review),
        }
    }

    pub(super) fn into_review(mut self) -> Box<Review> {
        match self.review_mut() {
            Some(review) => Box::new(std::mem::take(review)),
            None => self.to_blank_review(),
        }
    }

    /// Returns a new review that keeps only the history.
    fn to_blank_review(&self) -> Box<Review> {
        Box::new(Review {
            history: self.history(),
            ..Review::default()
        })
    }

    pub(crate) fn history(&self) -> History {
        match self {
            Self::Streaming(history) => *history,
            state => state
                .review()
                .map_or_else(History::default, |review| review.history),
        }
    }

    pub(super) fn history_mut(&mut self) -> Option<&mut History> {
        match self {
            Self::Streaming(history) => Some(history),
            state => Some(&mut state.review_mut()?.history),
        }
    }

    /// Returns true if the user must be asked on this page, because the call's history requires it,
    /// or because a question of the page has not been answered.
    pub(super) fn must_be_asked(&self) -> bool {
        let approval = self.review().and_then(|review| review.approval.as_ref());
        let is_open =
            approval.is_some_and(|asked| asked.interrupt_id.is_none() && asked.decision.is_none());
        self.history().must_be_asked || is_open
    }

    /// Returns the phase that views show for a call in this state.
    pub(crate) const fn phase(&self) -> Phase {
        match self {
            Self::Streaming(_) => Phase::InputStreaming,
            Self::Open(_)
            | Self::RuleAsked { .. }
            | Self::Invalid(..)
            | Self::Interrupted { card: false, .. } => Phase::InputAvailable,
            Self::Missing(_) | Self::Asked(_) | Self::Interrupted { card: true, .. } => {
                Phase::ApprovalRequested
            }
            Self::Allowed(_)
            | Self::Committing(..)
            | Self::Denied { .. }
            | Self::InterruptDenied { .. }
            | Self::HandedOff { out: false, .. }
            | Self::InterruptApproved { out: false, .. } => Phase::ApprovalResponded,
            Self::Running(..)
            | Self::Remote { .. }
            | Self::HandedOff { out: true, .. }
            | Self::InterruptApproved { out: true, .. } => Phase::Running,
            Self::Ended(outcome) => match outcome.end {
                CallEnd::Output => Phase::OutputAvailable,
                CallEnd::Error => Phase::OutputError,
                CallEnd::Denied => Phase::OutputDenied,
                CallEnd::Skipped => Phase::Skipped,
                CallEnd::Cancelled => Phase::Cancelled,
            },
        }
    }

    /// Returns true if the call has ended.
    pub(crate) const fn is_done(&self) -> bool {
        matches!(self, Self::Ended(_))
    }

    /// Returns true if the agent loop waits for the call.
    pub(crate) const fn is_awaited_by_loop(&self) -> bool {
        matches!(
            self,
            Self::Missing(_)
                | Self::RuleAsked { .. }
                | Self::Asked(_)
                | Self::Allowed(_)
                | Self::Invalid(..)
                | Self::Denied { .. }
                | Self::Committing(..)
                | Self::Running(..)
                | Self::Remote {
                    delegated: false,
                    ..
                }
        )
    }

    /// Returns true if the user is asked about the call. The action of the call may be missing, in
    /// which case the user can only deny the call.
    pub(crate) const fn is_asked(&self) -> bool {
        matches!(self, Self::Asked(_) | Self::Missing(_))
    }

    /// Returns true if the call waits for a decision of the user or of a rule of the application.
    pub(crate) const fn is_undecided(&self) -> bool {
        self.is_asked() || matches!(self, Self::RuleAsked { .. })
    }

    /// Returns true if the agent can no longer start the call again or add arguments, because the
    /// call is running, was denied, or was handed off.
    pub(crate) const fn is_closed_to_args(&self) -> bool {
        matches!(
            self,
            Self::Running(..)
                | Self::HandedOff { .. }
                | Self::Denied { .. }
                | Self::InterruptDenied { .. }
        )
    }

    /// Returns true if the call's handler is being started or is running.
    pub(crate) const fn is_starting_or_running(&self) -> bool {
        matches!(self, Self::Committing(..) | Self::Running(..))
    }

    /// Returns true if an interrupt of the agent blocks the call.
    pub(crate) const fn is_interrupted(&self) -> bool {
        matches!(
            self,
            Self::Interrupted { .. }
                | Self::InterruptApproved { .. }
                | Self::InterruptDenied { .. }
        )
    }
}
