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

/// The result of a call's check.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum CheckResult {
    /// The call is invalid or not permitted.
    Fault(CallError),
    /// The user is asked.
    Ask,
    /// The approval rule of the call's action is evaluated.
    AskRule,
    /// The call may start: it needs no approval, or this earlier approval applies.
    Permit(Option<AllowedEarlier>),
    /// The agent runs the call.
    Remote,
}

/// The next step of a checked call.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum NextStep {
    /// The call waits until an input changes the conditions for its next step.
    Wait,
    /// The call's handler starts, unless a limit or the application prevents it.
    Start,
    /// The call is handed off to the agent.
    HandOff,
    /// The call ends, because it is invalid or not permitted.
    Fault(CallError),
    /// The call ends, because it was denied, with this reason.
    Denied(Option<String>),
    /// The call ends without a result: the agent ran the call and sent none.
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

/// Checks a call with complete arguments.
pub(super) fn check(facts: CheckFacts<'_>) -> CheckResult {
    let call = facts.call;
    if call.origin == Origin::Provider {
        return CheckResult::Remote;
    }
    let Some(action) = facts.action else {
        // A call that the agent wrote as text is not remote, since the agent does not run such
        // calls itself.
        let is_written_as_text = call.origin == Origin::Intercepted;
        return match facts.offer {
            OfferStatus::HeldBack => CheckResult::Fault(not_offered_error(&call.name)),
            OfferStatus::Unknown if !is_written_as_text => CheckResult::Remote,
            OfferStatus::Offered | OfferStatus::Unknown => {
                CheckResult::Fault(not_found_error(&call.name))
            }
        };
    };
    if let Some(error) = facts.fault {
        return CheckResult::Fault(error);
    }
    // If the agent runs the call and obtained the approval through its own protocol, the user is
    // not asked again.
    if call.is_approved_for_agent() && action.execution == Execution::Agent {
        return CheckResult::Remote;
    }
    let may_repeat = !call.has_unknown_outcome() || action.idempotent;
    // True if the call differs from the version that the user was asked about.
    let has_changed = call.has_changed() || !facts.is_unchanged_since_asked;
    if facts.ask || has_changed || call.must_be_asked() || !may_repeat {
        return CheckResult::Ask;
    }
    match (action.approval, facts.earlier) {
        (Policy::Never, _) => CheckResult::Permit(None),
        (_, Some(earlier)) => CheckResult::Permit(Some(earlier)),
        (Policy::Always, None) => CheckResult::Ask,
        (Policy::Ask, None) => CheckResult::AskRule,
    }
}

/// Returns the next step of a checked call. `is_run_over` is true if the call need not wait for a
/// run in progress. `is_in_order` returns true if the order of calls permits the call to start.
pub(super) fn next_step(
    state: &State,
    is_run_over: bool,
    is_in_order: impl FnOnce() -> bool,
) -> NextStep {
    match state {
        State::Allowed(clearance) => {
            let check = clearance.review.check.as_deref();
            let is_run_by_agent = check.is_some_and(|check| check.execution == Execution::Agent);
            let may_run = is_run_over || check.is_some_and(|check| check.eager);
            match is_run_by_agent {
                true if is_run_over => NextStep::HandOff,
                false if may_run && is_in_order() => NextStep::Start,
                _ => NextStep::Wait,
            }
        }
        State::Remote {
            delegated: false, ..
        } if is_run_over => NextStep::NoResult,
        State::Invalid(error, _) if is_run_over => NextStep::Fault(error.clone()),
        State::Denied { reason, .. } if is_run_over => NextStep::Denied(reason.clone()),
        State::Streaming(_)
        | State::Open(_)
        | State::Missing(_)
        | State::RuleAsked { .. }
        | State::Asked(_)
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
