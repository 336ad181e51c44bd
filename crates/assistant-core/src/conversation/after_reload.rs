//! Defines the states that calls have after a reload, and the names of these states in stored
//! conversations.
//!
//! Handlers, checks by rules and timers end when the page is unloaded. [`State::after_reload`]
//! returns the state that a call has on the next page. Stored conversations contain only these
//! states. `state` defines the events that change states, and `json_call` writes the other fields
//! of a call.

use super::{Clearance, Consent, Decision, Phase, Review, UserQuestion, state::State};

const STREAMING: &str = "streaming";

/// The record of a call's last start in the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LastStart {
    /// The journal has not been read, or contains no start of the call without an end.
    Unrecorded,
    /// The journal contains a start of the call's handler without an end.
    Recorded,
}

impl State {
    /// Converts the state that a call had when its page was unloaded to the state of the call on
    /// the next page. After a recorded start, the call is open, unless the call was streaming,
    /// denied, handed off, interrupted or ended. A second reload does not change the state again.
    pub(crate) fn after_reload(self, start: LastStart) -> Self {
        match (self, start) {
            // These states stay unchanged, because the agent, the user or the journal determines
            // them.
            (
                state @ (Self::Streaming(_)
                | Self::Denied { .. }
                | Self::HandedOff { .. }
                | Self::Interrupted { .. }
                | Self::InterruptDenied { .. }
                | Self::Ended(_)),
                _,
            )
            | (state @ Self::InterruptApproved { out: false, .. }, LastStart::Unrecorded) => state,

            // The call becomes open and is checked again, because its outcome is unknown.
            (state, LastStart::Recorded) => Self::Open(state.into_review()),

            // The call becomes open, because the next page repeats the checks.
            (
                Self::Open(review) | Self::RuleAsked { review, .. } | Self::Invalid(_, review),
                LastStart::Unrecorded,
            ) => Self::Open(review),
            (
                Self::Missing(review) | Self::Asked(UserQuestion { review, .. }),
                LastStart::Unrecorded,
            ) => Self::Asked(UserQuestion::new(review)),
            (
                Self::Allowed(Clearance { review, .. }) | Self::Committing(_, review),
                LastStart::Unrecorded,
            ) => Self::from_allowed_review(review),

            // The call becomes remote, because the next page does not run the call and has no
            // pending answer to the agent.
            (
                Self::Running(_, _, review)
                | Self::Remote { review, .. }
                | Self::InterruptApproved { review, .. },
                LastStart::Unrecorded,
            ) => Self::Remote {
                delegated: false,
                review,
            },
        }
    }

    /// Returns the state of a call whose handler was started before the reload, according to the
    /// journal: open, with an unknown outcome, so that the call is checked again. A call that is
    /// streaming, denied, handed off, interrupted or ended keeps its state, and only the number of
    /// its starts is increased. `attempt` is the number of claims that were used before that start.
    pub(super) fn into_unknown_outcome(mut self, attempt: u32) -> Self {
        if let Some(history) = self.history_mut() {
            let claims = attempt.saturating_add(1);
            let start_count = claims.saturating_sub(history.void_starts);
            history.starts = history.starts.max(start_count);
        }
        let mut next = self.after_reload(LastStart::Recorded);
        if let Self::Open(review) = &mut next {
            review.history.unknown_outcome = true;
        }
        next
    }

    /// Returns the state of a call that was about to start: `Allowed` if the user approved a
    /// question of the page, `InterruptApproved` if the user approved a question of the agent, and
    /// `Open` if the user approved no question. An open call is checked again.
    fn from_allowed_review(review: Box<Review>) -> Self {
        let approval = review.approval.as_ref();
        let user_approval =
            approval.filter(|approval| approval.decision == Some(Decision::Approved));
        match user_approval.map(|approval| approval.interrupt_id.is_some()) {
            None => Self::Open(review),
            Some(false) => Self::Allowed(Clearance::new(review)),
            Some(true) => Self::InterruptApproved { out: false, review },
        }
    }

    /// Returns the name under which the state after a reload is stored. Returns `None` if the call
    /// has ended, or if the phase alone determines the state.
    pub(super) fn stored_state_name(&self, phase: Phase) -> Option<&'static str> {
        if self.is_done() {
            return None;
        }
        let name = match self.clone().after_reload(LastStart::Unrecorded) {
            Self::Streaming(_) => STREAMING,
            Self::Asked(_) => "asked",
            Self::Allowed(_) => "allowed",
            Self::Denied { .. } => "denied",
            Self::Remote { .. } => "remote",
            Self::HandedOff { .. } => "handed-off",
            Self::Interrupted { .. } => "interrupted",
            Self::InterruptApproved { .. } => "interrupt-approved",
            Self::InterruptDenied { .. } => "interrupt-denied",
            Self::Open(_)
            | Self::Missing(_)
            | Self::RuleAsked { .. }
            | Self::Invalid(..)
            | Self::Committing(..)
            | Self::Running(..)
            | Self::Ended(_) => "open",
        };
        Some(name).filter(|name| Some(*name) != state_name_of(phase))
    }

    /// Returns the state of a stored call that has not ended. The state is determined by its name,
    /// or by the phase if the name is missing. `hand_off_id` is the id of the tool message that
    /// hands the call off to the agent, if the call was handed off. Returns `None` if the name is unknown, if the name
    /// is missing and the phase is final, or if only one of name and phase represents streaming
    /// arguments.
    pub(super) fn from_stored(
        name: Option<&str>,
        phase: Phase,
        review: Box<Review>,
        hand_off_id: Option<String>,
    ) -> Option<Self> {
        let reason = match review.approval.as_ref().map(|asked| &asked.decision) {
            Some(Some(Decision::Denied { reason })) => reason.clone(),
            _ => None,
        };
        let name = name.or_else(|| state_name_of(phase))?;
        // A record with only one of the streaming state and the streaming phase is invalid.
        if (name == STREAMING) != (phase == Phase::InputStreaming) {
            return None;
        }
        Some(match name {
            STREAMING => Self::Streaming(review.history),
            "open" => Self::Open(review),
            "asked" => Self::Asked(UserQuestion::new(review)),
            "allowed" => Self::from_allowed_review(review),
            "denied" => Self::Denied { reason, review },
            "remote" => Self::Remote {
                delegated: false,
                review,
            },
            // A restored hand-off sends nothing to the agent, because the author of a stored record
            // is unknown.
            "handed-off" => Self::HandedOff {
                message: Consent::from_record(hand_off_id.unwrap_or_default()),
                out: phase == Phase::Running,
                review,
            },
            "interrupted" => Self::Interrupted {
                card: phase == Phase::ApprovalRequested,
                review,
            },
            "interrupt-approved" => Self::InterruptApproved { out: false, review },
            "interrupt-denied" => Self::InterruptDenied { reason, review },
            _ => return None,
        })
    }
}

/// Returns the name of the state that a phase alone determines, or `None` if the call has ended.
const fn state_name_of(phase: Phase) -> Option<&'static str> {
    Some(match phase {
        Phase::InputStreaming => STREAMING,
        Phase::InputAvailable => "open",
        Phase::ApprovalRequested => "asked",
        Phase::ApprovalResponded => "interrupt-approved",
        Phase::Running => "remote",
        Phase::OutputAvailable
        | Phase::OutputError
        | Phase::OutputDenied
        | Phase::Skipped
        | Phase::Cancelled => return None,
    })
}
