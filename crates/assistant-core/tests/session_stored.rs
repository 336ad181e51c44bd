//! Starts of calls without a confirmed claim in the journal (rule "failure of a store").

use assistant_core::session::{AgentTraits, ClaimOutcome, Input, SessionOptions, StoredCalls};

use crate::support::*;

#[test]
fn a_call_unknown_to_every_store_may_start_without_a_claim() {
    let mut driver = with([action("f")]);
    let mut stored = StoredCalls::of(&driver.session);
    driver.events(calls("c", "f", "{}"));
    let call = driver.key("c");
    assert!(
        stored.may_start(call, ClaimOutcome::Failed, &driver.session),
        "known here alone"
    );
    assert!(!stored.may_start(call, ClaimOutcome::Refused, &driver.session));
    stored.add(StoredCalls::of(&driver.session));
    stored.add(StoredCalls::default());
    assert!(stored.contains(call, &driver.session));
    assert!(!stored.may_start(call, ClaimOutcome::Failed, &driver.session));
    assert!(!stored.may_start(call, ClaimOutcome::Refused, &driver.session));
    assert!(stored.may_start(call, ClaimOutcome::Written, &driver.session));
}

/// The run is stored as open before its call arrives, and then a later run that no store has.
#[test]
fn a_call_of_a_run_that_another_page_can_resume_needs_a_claim() {
    let once = AgentTraits::default();
    let resumes = once.with_resumes(true);
    let replays = resumes.with_replays(true);
    for (agent, [is_known, is_later_known]) in [
        (once, [false, false]),
        (resumes, [true, true]),
        (replays, [true, false]),
    ] {
        let options = SessionOptions::default().with_agent(agent);
        let mut driver = Driver::with(options);
        driver.register(action("f"));
        driver.send("go");
        driver.event(started());
        let stored = StoredCalls::of(&driver.session);
        driver.events(calls("c", "f", "{}"));
        let call = driver.key("c");
        assert_eq!(stored.contains(call, &driver.session), is_known);
        assert_eq!(
            stored.may_start(call, ClaimOutcome::Failed, &driver.session),
            !is_known
        );
        driver.input(Input::Stop);
        driver.send("again");
        driver.event(started());
        driver.events(calls("d", "f", "{}"));
        let call = driver.key("d");
        assert_eq!(stored.contains(call, &driver.session), is_later_known);
    }
}
