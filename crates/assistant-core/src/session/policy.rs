//! Computes the next step of a call, as a pure function of the call, its action and the session's
//! state.
//!
//! Nothing in this module has side effects. The module `prepare` collects the facts of a check and
//! applies the result, `execute` advances a checked call, and `start` checks the call again
//! independently before its handler runs.

use super::offer::{not_found_error, not_offered_error};
use crate::{
    action::{ActionSpec, Execution, Policy},
    conversation::{AllowedEarlier, CallError, Origin, State, ToolCall},
};

#[cfg(test)]
mod tests;

/// The next step of a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum NextStep {
    /// The call waits until an input changes the conditions for its next step.
    Wait,
    /// The user is asked.
    Ask,
    /// The approval rule of the call's action is evaluated.
    AskRule,
    /// The call may start: it needs no approval, or this earlier approval applies.
    Permit(Option<AllowedEarlier>),
    /// The agent runs the call.
    Remote,
    /// The call's handler starts, unless a limit or the application prevents it.
    Start,
    /// The call is handed off to the agent.
    HandOff,
    /// The call ends with this result.
    Answer(CallReply),
}

/// The result of a call that runs no handler.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum CallReply {
    /// The call is invalid or not permitted.
    Fault(CallError),
    /// The call was denied, with this reason.
    Denied(Option<String>),
    /// The agent ran the call and sent no result.
    NoResult,
}

/// The inputs of a call's check.
#[derive(Debug)]
pub(super) struct CheckFacts<'a> {
    pub(super) call: &'a ToolCall,
    /// The action that is registered for the call.
    pub(super) action: Option<&'a ActionSpec>,
    pub(super) offer: OfferStatus,
    /// The error of an invalid call, or of a call that exceeds a limit.
    pub(super) fault: Option<CallError>,
    /// The remembered approval that applies to the call.
    pub(super) earlier: Option<AllowedEarlier>,
    /// True if the call is unchanged since the agent asked the user about it, or if the agent did
    /// not ask.
    pub(super) is_unchanged_since_asked: bool,
    /// True if the user must be asked about the call, regardless of the rules of its action.
    pub(super) ask: bool,
}

/// The status of a tool's name in the offer to the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OfferStatus {
    /// The tool was offered, or the page itself made the call.
    Offered,
    /// The tool is registered, but a filter excludes it from the offer.
    HeldBack,
    /// The page did not offer a tool with this name.
    Unknown,
}

/// Returns the next step of an unchecked call with complete arguments.
pub(super) fn check(facts: CheckFacts<'_>) -> NextStep {
    let call = facts.call;
    if call.origin == Origin::Provider {
        return NextStep::Remote;
    }
    let Some(action) = facts.action else {
        // A call that the agent wrote as text is not remote, since the agent does not run such
        // calls itself.
        let is_written_as_text = call.origin == Origin::Intercepted;
        return match facts.offer {
            OfferStatus::HeldBack => fault_step(not_offered_error(&call.name)),
            OfferStatus::Unknown if !is_written_as_text => NextStep::Remote,
            OfferStatus::Offered | OfferStatus::Unknown => fault_step(not_found_error(&call.name)),
        };
    };
    if let Some(error) = facts.fault {
        return fault_step(error);
    }
    // If the agent runs the call and obtained the approval through its own protocol, the user is
    // not asked again.
    if call.is_approved_for_agent() && action.execution == Execution::Agent {
        return NextStep::Remote;
    }
    let may_repeat = !call.has_unknown_outcome() || action.idempotent;
    // True if the call differs from the version that the user was asked about.
    let has_changed = call.has_changed() || !facts.is_unchanged_since_asked;
    if facts.ask || has_changed || call.must_be_asked() || !may_repeat {
        return NextStep::Ask;
    }
    match (action.approval, facts.earlier) {
        (Policy::Never, _) => NextStep::Permit(None),
        (_, Some(earlier)) => NextStep::Permit(Some(earlier)),
        (Policy::Always, None) => NextStep::Ask,
        (Policy::Ask, None) => NextStep::AskRule,
    }
}

const fn fault_step(error: CallError) -> NextStep {
    NextStep::Answer(CallReply::Fault(error))
}

/// The conditions under which a checked call may proceed.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProceedConditions {
    /// True if the call need not wait for a run in progress.
    pub(super) run_over: bool,
    /// True if the call's action may start during a run.
    pub(super) eager: bool,
    /// True if the agent runs the call.
    pub(super) by_agent: bool,
    /// True if the order of calls permits the call to start.
    pub(super) in_order: bool,
}

/// Returns the next step of a checked call.
pub(super) fn next_step(state: &State, conditions: ProceedConditions) -> NextStep {
    let may_run = conditions.run_over || conditions.eager;
    match state {
        State::Allowed(_) if conditions.by_agent && conditions.run_over => NextStep::HandOff,
        State::Allowed(_) if !conditions.by_agent && may_run && conditions.in_order => {
            NextStep::Start
        }
        State::Remote {
            delegated: false, ..
        } if conditions.run_over => NextStep::Answer(CallReply::NoResult),
        State::Invalid(error, _) if conditions.run_over => fault_step(error.clone()),
        State::Denied { reason, .. } if conditions.run_over => {
            NextStep::Answer(CallReply::Denied(reason.clone()))
        }
        State::Streaming(_)
        | State::Open(_)
        | State::Missing(_)
        | State::RuleAsked { .. }
        | State::Asked(_)
        | State::Allowed(_)
        | State::Invalid(..)
        | State::Denied { .. }
        | State::Committing(..)
        | State::Running(..)
        | State::Remote { .. }
        | State::HandedOff { .. }
        | State::Interrupted { .. }
        | State::InterruptApproved { .. }
        | State::InterruptDenied { .. }
        | State::Ended(_) => NextStep::Wait,
    }
}
