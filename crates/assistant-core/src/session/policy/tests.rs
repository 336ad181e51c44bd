//! Tests of the call policy, as tables with one line for each case.

use super::{CheckFacts, CheckResult, NextStep, OfferStatus, check, next_step};
use crate::{
    action::{ActionSpec, Execution, Policy},
    conversation::{
        AllowedEarlier, CallApproval, CallDataChange, CallError, Check, CheckSubject, Decider,
        Decision, ErrorKind, Origin, Review, State, StateEvent, ToolCall, UseCountState,
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

/// Returns a complete call that the user approved through an interrupt.
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

/// Returns the facts of a valid call without any restriction.
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
        (Policy::Never, None, CheckResult::Permit(None)),
        (
            Policy::Never,
            Some(earlier_approval()),
            CheckResult::Permit(None),
        ),
        (Policy::Always, None, CheckResult::Ask),
        (
            Policy::Always,
            Some(earlier_approval()),
            CheckResult::Permit(Some(earlier_approval())),
        ),
        (Policy::Ask, None, CheckResult::AskRule),
        (
            Policy::Ask,
            Some(earlier_approval()),
            CheckResult::Permit(Some(earlier_approval())),
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

/// Neither a rule nor an earlier approval permits a call that the user must be asked about.
#[test]
fn no_policy_or_grant_permits_a_call_that_must_be_asked_about() {
    let unchanged_call = complete_call();
    let changed_call = edited_call(|call| call.apply_data_change(CallDataChange::Changed));
    let asked_call = edited_call(|call| call.apply_data_change(CallDataChange::MustBeAsked));
    let unknown_call =
        edited_call(|call| call.edit_review(|review| review.history.unknown_outcome = true));
    for policy in [Policy::Never, Policy::Always, Policy::Ask] {
        let spec = action(policy);
        let facts = |call| CheckFacts {
            earlier: Some(earlier_approval()),
            ..plain_facts(call, Some(&spec))
        };
        for call in [&changed_call, &asked_call, &unknown_call] {
            assert_eq!(
                check(facts(call)),
                CheckResult::Ask,
                "{policy:?} {:?}",
                call.history()
            );
        }
        let facts_with_ask = CheckFacts {
            ask: true,
            ..facts(&unchanged_call)
        };
        assert_eq!(check(facts_with_ask), CheckResult::Ask);
        let facts_with_change = CheckFacts {
            is_unchanged_since_asked: false,
            ..facts(&unchanged_call)
        };
        assert_eq!(check(facts_with_change), CheckResult::Ask);
    }
    // An idempotent call with an unknown outcome is permitted, since such a call may run twice.
    let mut idempotent_spec = action(Policy::Never);
    idempotent_spec.idempotent = true;
    assert_eq!(
        check(plain_facts(&unknown_call, Some(&idempotent_spec))),
        CheckResult::Permit(None)
    );
}

#[test]
fn a_faulty_call_fails_before_any_question() {
    let changed_call = edited_call(|call| call.apply_data_change(CallDataChange::Changed));
    for policy in [Policy::Never, Policy::Always, Policy::Ask] {
        let spec = action(policy);
        let facts = CheckFacts {
            fault: Some(error()),
            ask: true,
            earlier: Some(earlier_approval()),
            ..plain_facts(&changed_call, Some(&spec))
        };
        assert_eq!(check(facts), CheckResult::Fault(error()));
    }
}

#[test]
fn a_call_without_an_action_is_remote_or_fails() {
    for (origin, offer, next) in [
        (Origin::Agent, OfferStatus::Unknown, CheckResult::Remote),
        (
            Origin::Agent,
            OfferStatus::Offered,
            CheckResult::Fault(not_found_error("pay")),
        ),
        (
            Origin::Agent,
            OfferStatus::HeldBack,
            CheckResult::Fault(not_offered_error("pay")),
        ),
        (
            Origin::Intercepted,
            OfferStatus::Unknown,
            CheckResult::Fault(not_found_error("pay")),
        ),
        (Origin::Provider, OfferStatus::Offered, CheckResult::Remote),
        (Origin::Provider, OfferStatus::HeldBack, CheckResult::Remote),
    ] {
        let call = call_from(origin);
        let facts = CheckFacts {
            offer,
            ..plain_facts(&call, None)
        };
        assert_eq!(check(facts), next, "{origin:?} {offer:?}");
    }
    // Calls that the provider ran never run in the page, even if an action is registered.
    let (call, spec) = (call_from(Origin::Provider), action(Policy::Never));
    assert_eq!(check(plain_facts(&call, Some(&spec))), CheckResult::Remote);
}

#[test]
fn an_approval_given_by_interrupt_is_not_handed_off_again() {
    let call = granted_call();
    let mut spec = action(Policy::Always);
    assert_eq!(check(plain_facts(&call, Some(&spec))), CheckResult::Ask);
    spec.execution = Execution::Agent;
    assert_eq!(check(plain_facts(&call, Some(&spec))), CheckResult::Remote);
}

#[test]
fn a_checked_call_proceeds_by_run_end_eagerness_and_order() {
    let step = |state: State, event| state.step(event).unwrap_or_default();
    let open_state = || State::Open(Box::default());
    let allowed_state = |eager, execution| {
        let mut check = Check::without_action(CheckSubject::new("pay", "{}", None), eager);
        check.execution = execution;
        let review = Review {
            check: Some(Box::new(check)),
            ..Review::default()
        };
        step(State::Open(Box::new(review)), StateEvent::Cleared)
    };
    let allowed = || allowed_state(false, Execution::Client);
    let eager = || allowed_state(true, Execution::Client);
    let by_agent = || allowed_state(false, Execution::Agent);
    let eager_by_agent = || allowed_state(true, Execution::Agent);
    let invalid = || step(open_state(), StateEvent::FoundInvalid(error()));
    let denied = || {
        step(
            open_state(),
            StateEvent::DeniedBefore(Some("no".to_owned())),
        )
    };
    let remote = || step(open_state(), StateEvent::FoundRemote);
    // Each row lists a state, whether the run is over and the call in order, and the next step.
    for (state, [run_over, in_order], next) in [
        (allowed(), [true, true], NextStep::Start),
        (allowed(), [true, false], NextStep::Wait),
        (allowed(), [false, true], NextStep::Wait),
        (eager(), [false, true], NextStep::Start),
        (by_agent(), [true, false], NextStep::HandOff),
        (eager_by_agent(), [false, true], NextStep::Wait),
        (remote(), [true, false], NextStep::NoResult),
        (remote(), [false, true], NextStep::Wait),
        (invalid(), [true, false], NextStep::Fault(error())),
        (invalid(), [false, true], NextStep::Wait),
        (
            denied(),
            [true, false],
            NextStep::Denied(Some("no".to_owned())),
        ),
        (denied(), [false, true], NextStep::Wait),
        (open_state(), [true, true], NextStep::Wait),
        (State::default(), [true, true], NextStep::Wait),
    ] {
        let step = next_step(&state, run_over, || in_order);
        assert_eq!(step, next, "{state:?} {run_over} {in_order}");
    }
}
