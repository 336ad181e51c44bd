//! Starts of calls without a confirmed claim in the journal (rule "failure of a store").

use assistant_core::session::{ClaimOutcome, StoredCalls};

use crate::support::*;

#[test]
fn a_call_unknown_to_every_store_may_start_without_a_claim() {
    let mut driver = with([action("f")]);
    let mut stored = StoredCalls::of(&driver.session);
    driver.events(calls("c", "f", "{}"));
    let call = driver.key("c");
    assert!(
        stored.may_start(call, ClaimOutcome::Failed),
        "known here alone"
    );
    assert!(!stored.may_start(call, ClaimOutcome::Refused));
    stored.add(StoredCalls::of(&driver.session));
    stored.add(StoredCalls::default());
    assert!(stored.contains(call));
    assert!(!stored.may_start(call, ClaimOutcome::Failed));
    assert!(!stored.may_start(call, ClaimOutcome::Refused));
    assert!(stored.may_start(call, ClaimOutcome::Written));
}
