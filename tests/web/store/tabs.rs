//! Two tabs with one conversation, one of which cannot write or is gone.

use std::rc::Rc;

use leptos::prelude::*;
use leptos_assistant::store::{Ownership, Store, StoreErrorKind};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    browser::Broken,
    faults::{Fault, Faulty, Operation},
    journey::Journey,
};

impl Journey {
    fn ownership(&self) -> Ownership {
        self.assistant.ownership().get_untracked()
    }

    async fn acts(&self) -> bool {
        self.wait_until(|it| matches!(it.ownership(), Ownership::ThisTab { .. }))
            .await
    }
}

/// Changes that a page could not write stay on its screen, and its call starts only there.
#[wasm_bindgen_test]
async fn who_cannot_write_keeps_what_it_has_when_another_tab_takes_over() {
    let (ones, twos) = Faulty::shared();
    let clock = Journey::clock();
    let one = Journey::open_at(Rc::clone(&clock), ones.clone(), Some("t"));
    assert!(one.acts().await);
    one.says("one").await;
    one.hears("Hello.").await;
    one.passes(2_000).await;
    let full = Fault::Fails(StoreErrorKind::Full);
    ones.fault.set(Some((Operation::Write, full)));
    one.says("two").await;
    one.is_asked().await;
    assert!(one.wait_until(Journey::shows_not_saved).await);

    let two = Journey::open_at(clock, twos.clone(), Some("t"));
    let follows = |it: &Journey| it.ownership() == Ownership::OtherTab;
    assert!(two.wait_until(follows).await, "one acts on it, and lives");
    two.assistant.use_here();
    assert!(two.acts().await);
    assert!(two.page.text("[role=log]").contains("Hello."));
    assert_eq!(
        two.assistant.pending_approvals().with_untracked(Vec::len),
        0
    );

    one.assert_usable();
    assert_eq!(one.ownership(), Ownership::NotStored);
    one.approves();
    one.hears("Paid.").await;
    assert_eq!((one.ran.get(), two.ran.get()), (1, 0));
    ones.fault.set(None);
    one.long_passes().await;
    one.assert_usable();
    assert!(
        one.shows_not_saved(),
        "it is not written over what the other one has"
    );
    assert!(one.page.text("[role=log]").contains("Paid."));
    let stored = twos.load("t").await.unwrap().unwrap();
    assert!(!stored.records.iter().any(|it| it.text.contains("Paid.")));
    assert!(matches!(two.ownership(), Ownership::ThisTab { .. }));
}

/// A writer that does not answer is not a live tab.
#[wasm_bindgen_test]
async fn a_tab_that_is_gone_has_no_conversation() {
    let (store, other) = Faulty::shared();
    let chat = Journey::open(store, Some("t"));
    assert!(chat.acts().await);
    chat.says("one").await;
    chat.hears("Hello.").await;
    chat.passes(2_000).await;
    other.take("t", "another").await.unwrap();
    chat.assistant.send("two").unwrap();
    for _ in 0..100 {
        chat.passes(100).await;
        chat.assert_usable();
    }
    assert!(chat.acts().await);
}

/// Locks that never answer name no owner; a live tab does.
#[wasm_bindgen_test]
async fn a_tab_that_answers_is_followed_without_locks_that_do() {
    let locks = Broken::by(
        "const value = { request: () => new Promise(() => {}), query: () => new Promise(() => {}) };
         return put(navigator, 'locks', { value, configurable: true });",
    );
    let (ones, twos) = Faulty::shared();
    let clock = Journey::clock();
    let one = Journey::open_at(Rc::clone(&clock), ones, Some("t"));
    assert!(one.acts().await);
    one.says("one").await;
    one.hears("Hello.").await;
    let two = Journey::open_at(clock, twos, Some("t"));
    let follows = |it: &Journey| it.ownership() == Ownership::OtherTab;
    assert!(two.wait_until(follows).await);
    one.assert_usable();
    drop(locks);
}
