//! Decision tables of the call policy, with one line for each case.

use super::{CallReply, CheckFacts, NextStep, OfferStatus, ProceedConditions, check, next_step};
use crate::{
    action::{ActionSpec, Execution, Policy},
    conversation::{
        AllowedEarlier, CallApproval, CallError, Decider, Decision, ErrorKind, Note, Origin, State,
        StateEvent, ToolCall, UseCountState,
    },
    session::offer::{not_found_error, not_offered_error},
};

fn complete_call() -> ToolCall {
    let mut call = ToolCall::new("c", "pay", 0);
    call.push_args("{}");
    call.end_args();
    call
}

fn call_from(origin: Origin) -> ToolCall {
    edited_call(|call| call.origin = origin)
}

/// Returns a call with an approved interrupt that the agent has withdrawn.
fn granted_call() -> ToolCall {
    let mut call = complete_call();
    call.edit_review(|review| {
        review.approval = Some(CallApproval {
            decision: Some(Decision::Approved),
            interrupt_id: Some("i".to_owned()),
            ..CallApproval::default()
        });
    });
    call
}

fn edited_call(edit: impl FnOnce(&mut ToolCall)) -> ToolCall {
    let mut call = complete_call();
    edit(&mut call);
    call
}

fn action(approval: Policy) -> ActionSpec {
    let mut spec = ActionSpec::new("pay", "Pays");
    spec.approval = approval;
    spec
}

fn error() -> CallError {
    CallError::new(ErrorKind::InvalidArguments, "wrong")
}

fn earlier_approval() -> AllowedEarlier {
    AllowedEarlier {
        id: "grant".to_owned(),
        at: 0,
        by: Decider::Person,
        count: UseCountState::No,
    }
}

/// Returns the facts of a valid call without objections.
fn plain_facts<'a>(call: &'a ToolCall, action: Option<&'a ActionSpec>) -> CheckFacts<'a> {
    CheckFacts {
        call,
        action,
        offer: OfferStatus::Offered,
        fault: None,
        earlier: None,
        is_unchanged_since_asked: true,
        ask: false,
    }
}

#[test]
fn policy_and_grant_decide_whether_a_call_is_permitted_or_asked() {
    let call = complete_call();
    for (policy, grant, next) in [
        (Policy::Never, None, NextStep::Permit(None)),
        (
            Policy::Never,
            Some(earlier_approval()),
            NextStep::Permit(None),
        ),
        (Policy::Always, None, NextStep::Ask),
        (
            Policy::Always,
            Some(earlier_approval()),
            NextStep::Permit(Some(earlier_approval())),
        ),
        (Policy::Ask, None, NextStep::AskRule),
        (
            Policy::Ask,
            Some(earlier_approval()),
            NextStep::Permit(Some(earlier_approval())),
        ),
    ] {
        let spec = action(policy);
        let facts = CheckFacts {
            earlier: grant.clone(),
            ..plain_facts(&call, Some(&spec))
        };
        assert_eq!(check(facts), next, "{policy:?} {grant:?}");
    }
}

/// A call that the user must be asked about passes neither by a rule nor by an earlier approval.
#[test]
fn no_policy_or_grant_permits_a_call_that_must_be_asked_about() {
    let honest = complete_call();
    let changed = edited_call(|call| call.apply_note(Note::Changed));
    let asked = edited_call(|call| call.apply_note(Note::MustBeAsked));
    let unknown =
        edited_call(|call| call.edit_review(|review| review.history.unknown_outcome = true));
    for policy in [Policy::Never, Policy::Always, Policy::Ask] {
        let spec = action(policy);
        let facts = |call| CheckFacts {
            earlier: Some(earlier_approval()),
            ..plain_facts(call, Some(&spec))
        };
        for call in [&changed, &asked, &unknown] {
            assert_eq!(
                check(facts(call)),
                NextStep::Ask,
                "{policy:?} {:?}",
                call.history()
            );
        }
        let by_caller = CheckFacts {
            ask: true,
            ..facts(&honest)
        };
        assert_eq!(check(by_caller), NextStep::Ask);
        let changed_since_asked = CheckFacts {
            is_unchanged_since_asked: false,
            ..facts(&honest)
        };
        assert_eq!(check(changed_since_asked), NextStep::Ask);
    }
    // An idempotent call is not asked about because of its unknown outcome.
    let mut twice = action(Policy::Never);
    twice.idempotent = true;
    assert_eq!(
        check(plain_facts(&unknown, Some(&twice))),
        NextStep::Permit(None)
    );
}

#[test]
fn a_faulty_call_fails_before_any_question() {
    let changed = edited_call(|call| call.apply_note(Note::Changed));
    for policy in [Policy::Never, Policy::Always, Policy::Ask] {
        let spec = action(policy);
        let facts = CheckFacts {
            fault: Some(error()),
            ask: true,
            earlier: Some(earlier_approval()),
            ..plain_facts(&changed, Some(&spec))
        };
        assert_eq!(check(facts), NextStep::Answer(CallReply::Fault(error())));
    }
}

#[test]
fn a_call_without_an_action_is_remote_or_fails() {
    let wrong = |error| NextStep::Answer(CallReply::Fault(error));
    for (origin, offer, next) in [
        (Origin::Agent, OfferStatus::Unknown, NextStep::Remote),
        (
            Origin::Agent,
            OfferStatus::Offered,
            wrong(not_found_error("pay")),
        ),
        (
            Origin::Agent,
            OfferStatus::HeldBack,
            wrong(not_offered_error("pay")),
        ),
        (
            Origin::Intercepted,
            OfferStatus::Unknown,
            wrong(not_found_error("pay")),
        ),
        (Origin::Provider, OfferStatus::Offered, NextStep::Remote),
        (Origin::Provider, OfferStatus::HeldBack, NextStep::Remote),
    ] {
        let call = call_from(origin);
        let facts = CheckFacts {
            offer,
            ..plain_facts(&call, None)
        };
        assert_eq!(check(facts), next, "{origin:?} {offer:?}");
    }
    // Calls that the provider ran are never run here, even if an action is registered.
    let (call, spec) = (call_from(Origin::Provider), action(Policy::Never));
    assert_eq!(check(plain_facts(&call, Some(&spec))), NextStep::Remote);
}

#[test]
fn an_approval_given_by_interrupt_is_not_handed_off_again() {
    let call = granted_call();
    let mut spec = action(Policy::Always);
    assert_eq!(check(plain_facts(&call, Some(&spec))), NextStep::Ask);
    spec.execution = Execution::Agent;
    assert_eq!(check(plain_facts(&call, Some(&spec))), NextStep::Remote);
}

#[test]
fn a_checked_call_proceeds_by_run_end_eagerness_and_order() {
    let open = || State::Open(Box::default());
    let step = |event| open().step(event).unwrap_or_default();
    let allowed = || step(StateEvent::Cleared);
    let invalid = || step(StateEvent::FoundInvalid(error()));
    let denied = || step(StateEvent::DeniedBefore(Some("no".to_owned())));
    let remote = || step(StateEvent::FoundRemote);
    let no = || NextStep::Answer(CallReply::Denied(Some("no".to_owned())));
    let fault = || NextStep::Answer(CallReply::Fault(error()));
    // Columns: run over, eager, by the agent, in order.
    for (state, [run_over, eager, by_agent, in_order], next) in [
        (allowed(), [true, false, false, true], NextStep::Start),
        (allowed(), [true, false, false, false], NextStep::Wait),
        (allowed(), [false, false, false, true], NextStep::Wait),
        (allowed(), [false, true, false, true], NextStep::Start),
        (allowed(), [true, false, true, false], NextStep::HandOff),
        (allowed(), [false, true, true, true], NextStep::Wait),
        (
            remote(),
            [true, false, false, false],
            NextStep::Answer(CallReply::NoResult),
        ),
        (remote(), [false, true, false, true], NextStep::Wait),
        (invalid(), [true, false, false, false], fault()),
        (invalid(), [false, true, false, true], NextStep::Wait),
        (denied(), [true, false, false, false], no()),
        (denied(), [false, true, false, true], NextStep::Wait),
        (open(), [true, true, false, true], NextStep::Wait),
        (State::default(), [true, true, false, true], NextStep::Wait),
    ] {
        let at = ProceedConditions {
            run_over,
            eager,
            by_agent,
            in_order,
        };
        assert_eq!(next_step(&state, at), next, "{state:?} {at:?}");
    }
}
