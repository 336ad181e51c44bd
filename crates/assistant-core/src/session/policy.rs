//! The next step of a call: one answer for each state, from the call, its action and the moment.
//!
//! Nothing here changes anything or asks anybody. `prepare` gathers the facts of a check and carries its
//! outcome out, `execute` takes a checked call on, and `start` checks once more by itself before a
//! handler runs.

use super::offer::{not_found, not_offered};
use crate::{
    action::{ActionSpec, Execution, Policy},
    conversation::{AllowedEarlier, CallError, Origin, State, ToolCall},
};

#[cfg(test)]
mod tests;

/// The next step of a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Next {
    /// Nothing, until something else happens.
    Wait,
    /// The user is asked.
    Ask,
    /// The rule of its action is asked whether the user must be.
    AskRule,
    /// It may start: nobody must be asked, or this earlier approval lets it pass.
    Permit(Option<AllowedEarlier>),
    /// The agent runs it.
    Remote,
    /// Its handler starts, unless a limit or the application holds it back.
    Start,
    /// The agent is told that it may run it.
    HandOff,
    /// It gets its answer.
    Answer(Reply),
}

/// The answer to a call that runs no handler.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Reply {
    /// It is wrong, or may not run now.
    Fault(CallError),
    /// It was denied, with this reason.
    Denied(Option<String>),
    /// The agent ran it and gave no result.
    NoResult,
}

/// The facts that a check of a call depends on.
#[derive(Debug)]
pub(super) struct Check<'a> {
    pub(super) call: &'a ToolCall,
    /// The action that answers for it.
    pub(super) action: Option<&'a ActionSpec>,
    pub(super) offer: Offer,
    /// The fault of its arguments, or the limit that it exceeds.
    pub(super) fault: Option<CallError>,
    /// The remembered approval that lets it pass.
    pub(super) earlier: Option<AllowedEarlier>,
    /// True if it is what the user saw when the agent asked about it, or the agent did not ask.
    pub(super) is_as_asked: bool,
    /// True if the user is asked, no matter what the rules say.
    pub(super) ask: bool,
}

/// The place of a tool's name in what the agent was offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Offer {
    /// It was offered, or the page itself made the call.
    Offered,
    /// It is registered, and a filter kept it back.
    HeldBack,
    /// The agent did not have it from here.
    Unknown,
}

/// Returns the next step of a call whose arguments are complete and that nothing was made of yet.
pub(super) fn check(check: Check<'_>) -> Next {
    let call = check.call;
    if call.origin == Origin::Provider {
        return Next::Remote;
    }
    let Some(action) = check.action else {
        // An agent that writes its calls down runs none of them itself.
        let written = call.origin == Origin::Intercepted;
        return match check.offer {
            Offer::HeldBack => fault(not_offered(&call.name)),
            Offer::Unknown if !written => Next::Remote,
            Offer::Offered | Offer::Unknown => fault(not_found(&call.name)),
        };
    };
    if let Some(error) = check.fault {
        return fault(error);
    }
    // The agent has a way of its own to hear an approval, and took it.
    if call.is_granted() && action.execution == Execution::Agent {
        return Next::Remote;
    }
    let may_repeat = !call.has_unknown_outcome() || action.idempotent;
    // It is not what the user saw when they were asked.
    let is_other = call.lasting.changed || !check.is_as_asked;
    if check.ask || is_other || call.must_be_asked() || !may_repeat {
        return Next::Ask;
    }
    match (action.approval, check.earlier) {
        (Policy::Never, _) => Next::Permit(None),
        (_, Some(earlier)) => Next::Permit(Some(earlier)),
        (Policy::Always, None) => Next::Ask,
        (Policy::Ask, None) => Next::AskRule,
    }
}

const fn fault(error: CallError) -> Next {
    Next::Answer(Reply::Fault(error))
}

/// The moment at which a checked call may go on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    /// True if no run is under way that the call would wait for.
    pub(super) run_over: bool,
    /// True if its action starts while the run is under way.
    pub(super) eager: bool,
    /// True if the agent runs it, once it may.
    pub(super) by_agent: bool,
    /// True if the order of calls lets it start.
    pub(super) in_order: bool,
}

/// Returns the next step of a call that was checked.
pub(super) fn proceed(state: &State, at: Moment) -> Next {
    let may_run = at.run_over || at.eager;
    match state {
        State::Allowed(_) if at.by_agent && at.run_over => Next::HandOff,
        State::Allowed(_) if !at.by_agent && may_run && at.in_order => Next::Start,
        State::Remote { left: false, .. } if at.run_over => Next::Answer(Reply::NoResult),
        State::Invalid(error, _) if at.run_over => fault(error.clone()),
        State::Denied { reason, .. } if at.run_over => Next::Answer(Reply::Denied(reason.clone())),
        State::Streaming
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
        | State::Ended(_) => Next::Wait,
    }
}
