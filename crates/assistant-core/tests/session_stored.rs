//! Starts of calls without a confirmed claim in the journal (rule "when a store fails").

use assistant_core::session::{ClaimOutcome, StoredCalls};

use crate::support::*;

#[test]
fn what_no_store_was_given_starts_without_its_word() {
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
