//! Two tabs with one conversation, one of which cannot write or is closed.

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
        self.assistant.conversations().ownership().get_untracked()
    }

    async fn becomes_owner(&self) -> bool {
        self.wait_until(|it| matches!(it.ownership(), Ownership::ThisTab { .. }))
            .await
    }
}

/// Changes that a page could not write stay on its screen, and its call starts only there.
#[wasm_bindgen_test]
async fn a_tab_that_cannot_write_keeps_its_content_after_a_takeover() {
    let (ones, twos) = Faulty::shared();
    let clock = Journey::clock();
    let one = Journey::open_at(Rc::clone(&clock), ones.clone(), Some("t"));
    assert!(one.becomes_owner().await);
    one.send("one").await;
    one.wait_for_answer("Hello.").await;
    one.advance(2_000).await;
    let full = Fault::Fails(StoreErrorKind::Full);
    ones.fault.set(Some((Operation::Write, full)));
    one.send("two").await;
    one.wait_for_approval().await;
    assert!(one.wait_until(Journey::shows_not_saved).await);

    let two = Journey::open_at(clock, twos.clone(), Some("t"));
    let follows = |it: &Journey| it.ownership() == Ownership::OtherTab;
    assert!(
        two.wait_until(follows).await,
        "the first tab is alive and owns it"
    );
    two.assistant.conversations().use_here();
    assert!(two.becomes_owner().await);
    assert!(two.page.text("[role=log]").contains("Hello."));
    assert_eq!(
        two.assistant.pending_approvals().with_untracked(Vec::len),
        0
    );

    one.assert_usable();
    assert_eq!(one.ownership(), Ownership::NotStored);
    one.approve();
    one.wait_for_answer("Paid.").await;
    assert_eq!((one.ran.get(), two.ran.get()), (1, 0));
    ones.fault.set(None);
    one.advance_past_retries().await;
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

/// The version that the owner shows is shown, the end is followed, and no focus is lost by taking
/// the conversation over.
#[wasm_bindgen_test]
async fn a_following_tab_switches_no_versions_and_keeps_the_focus_on_a_takeover() {
    let (ones, twos) = Faulty::shared();
    let clock = Journey::clock();
    let one = Journey::open_at(Rc::clone(&clock), ones, Some("t"));
    assert!(one.becomes_owner().await);
    one.send("one").await;
    one.wait_for_answer("Hello.").await;
    let message = one.assistant.messages().get_untracked()[0].id().clone();
    one.assistant.edit(&message, "again").unwrap();
    one.wait_for_approval().await;
    one.approve();
    one.wait_for_answer("Paid.").await;
    one.advance(2_000).await;

    let two = Journey::open_at(clock, twos, Some("t"));
    let follows = |it: &Journey| {
        it.ownership() == Ownership::OtherTab && it.page.count(".la-branch-picker") == 1
    };
    assert!(two.wait_until(follows).await);
    let previous = two.page.find("[aria-label='Previous version']").unwrap();
    let is_disabled = || previous.get_attribute("aria-disabled").as_deref() == Some("true");
    assert!(is_disabled());
    previous.click();
    two.advance(200).await;
    assert_eq!(
        two.page.count(".la-jump[hidden]"),
        1,
        "the end is still followed"
    );

    let button = two.page.find("[data-kind=elsewhere] button").unwrap();
    button.focus().unwrap();
    button.click();
    assert!(two.becomes_owner().await);
    two.advance(200).await;
    assert!(!button.is_connected(), "the notice is removed");
    let active = document().active_element().unwrap();
    let log = two.page.find("[role=log]").unwrap();
    assert!(
        active.is_same_node(Some(&log)),
        "{} has the focus",
        active.tag_name()
    );
    assert!(!is_disabled());
}

/// A writer that does not answer is not a live tab.
#[wasm_bindgen_test]
async fn a_closed_tab_does_not_own_a_conversation() {
    let (store, other) = Faulty::shared();
    let chat = Journey::open(store, Some("t"));
    assert!(chat.becomes_owner().await);
    chat.send("one").await;
    chat.wait_for_answer("Hello.").await;
    chat.advance(2_000).await;
    other.take("t", "another").await.unwrap();
    chat.assistant.send("two").unwrap();
    for _ in 0..100 {
        chat.advance(100).await;
        chat.assert_usable();
    }
    assert!(chat.becomes_owner().await);
}

/// Web locks that never resolve name no owner; a live tab is still found.
#[wasm_bindgen_test]
async fn a_live_owner_is_followed_if_web_locks_never_resolve() {
    let locks = Broken::by(
        "const value = { request: () => new Promise(() => {}), query: () => new Promise(() => {}) };
         return put(navigator, 'locks', { value, configurable: true });",
    );
    let (ones, twos) = Faulty::shared();
    let clock = Journey::clock();
    let one = Journey::open_at(Rc::clone(&clock), ones, Some("t"));
    assert!(one.becomes_owner().await);
    one.send("one").await;
    one.wait_for_answer("Hello.").await;
    let two = Journey::open_at(clock, twos, Some("t"));
    let follows = |it: &Journey| it.ownership() == Ownership::OtherTab;
    assert!(two.wait_until(follows).await);
    one.assert_usable();
    drop(locks);
}
