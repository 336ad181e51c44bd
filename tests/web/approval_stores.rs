//! Stores of remembered approvals: of the application, and in `IndexedDB`.

use std::{
    cell::{Cell, RefCell},
    pin::Pin,
    rc::Rc,
    time::Duration,
};

use futures_channel::oneshot;
use leptos::prelude::*;
use leptos_assistant::{
    ApprovalStore, Subscription,
    store::{IndexedDbApprovals, Swap},
    testing::{FakeClock, settle, until},
};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    allowed::{
        approve_and_finish, choose, count, open_scopes, payments, request_approval,
        run_without_approval,
    },
    approval::deny,
    support::Chat,
};

/// Requests approval of a payment, and allows such payments permanently.
async fn allow_always(chat: &Chat) {
    request_approval(chat).await;
    choose(chat, "always").await;
    approve_and_finish(chat).await;
}

/// Stores approvals in memory.
#[derive(Clone, Default)]
struct Memory(Rc<RefCell<Vec<Value>>>);

impl ApprovalStore for Memory {
    fn load(&self) -> Pin<Box<dyn Future<Output = Result<Vec<Value>, String>>>> {
        let kept = self.0.borrow().clone();
        Box::pin(async move { Ok(kept) })
    }

    fn change(&self, added: Vec<Value>, removed: Vec<String>) {
        let mut approvals = self.0.borrow_mut();
        approvals.extend(added);
        approvals.retain(|approval| removed.iter().all(|id| approval["id"] != *id));
    }
}

/// Returns the approval of an ended chat that allowed payments to Ann permanently, as stored.
async fn stored_approval() -> Vec<Value> {
    let memory = Memory::default();
    let (chat, _) = payments(|pay| pay).await;
    chat.assistant
        .remembered_approvals()
        .persist_in(memory.clone());
    allow_always(&chat).await;
    memory.0.take()
}

/// Rule "remembered approvals": permanent approvals are stored by the application
#[wasm_bindgen_test]
async fn a_permanent_approval_is_loaded_in_another_session() {
    let memory = Memory::default();
    let (chat, _) = payments(|pay| pay).await;
    request_approval(&chat).await;
    open_scopes(&chat).await;
    let always = ".la-approval-scopes [value=always]";
    assert!(chat.page.find(always).is_none(), "no store would keep it");
    deny(&chat);
    chat.idle().await;
    chat.assistant
        .remembered_approvals()
        .persist_in(memory.clone());
    allow_always(&chat).await;
    assert_eq!(memory.0.borrow().len(), 1);

    let (other, paid) = payments(|pay| pay).await;
    memory.0.borrow_mut().push(json!("nonsense"));
    other
        .assistant
        .remembered_approvals()
        .persist_in(memory.clone());
    assert!(until(|| count(&other.assistant) == 1).await);
    run_without_approval(&other).await;
    assert_eq!(paid.get_untracked(), 1);
    let id = other
        .assistant
        .remembered_approvals()
        .list()
        .get_untracked()[0]
        .id()
        .to_owned();
    other.assistant.remembered_approvals().revoke(&id);
    assert_eq!(*memory.0.borrow(), [json!("nonsense")]);
}

/// Rule "remembered approvals": a page changes no approvals of other tabs
#[wasm_bindgen_test]
async fn a_revocation_removes_no_approval_that_another_tab_has_just_added() {
    let memory = Memory::default();
    let (chat, _) = payments(|pay| pay).await;
    let approvals = chat.assistant.remembered_approvals();
    approvals.persist_in(memory.clone());
    allow_always(&chat).await;
    let own = memory.0.borrow()[0].clone();
    // The page does not notice it.
    let mut added = own.clone();
    added["id"] = json!("of another tab");
    memory.0.borrow_mut().push(added.clone());
    approvals.revoke(own["id"].as_str().unwrap());
    assert_eq!(*memory.0.borrow(), [added]);
}

/// Rule "remembered approvals": a revocation counts, even if the store cannot write it
#[wasm_bindgen_test]
async fn a_revocation_that_a_store_did_not_write_counts_and_is_repeated() {
    let memory = Memory::default();
    let (chat, _) = payments(|pay| pay).await;
    let approvals = chat.assistant.remembered_approvals();
    approvals.persist_in(memory.clone());
    allow_always(&chat).await;
    let stored = memory.0.borrow().clone();
    let id = stored[0]["id"].as_str().unwrap().to_owned();

    // This store ignores all changes.
    let slow = Slow::default();
    approvals.persist_in(slow.clone());
    approvals.revoke(&id);
    let removal = || slow.changes.borrow_mut().pop();
    assert_eq!(
        removal(),
        Some((Vec::new(), vec![id.clone()])),
        "before the reading"
    );
    // The first reading began before the revocation, so the store is read again.
    for _ in 0..2 {
        slow.end_reading(0, &stored);
        settle().await;
        assert_eq!(count(&chat.assistant), 0, "it stays revoked");
    }
    assert_eq!(
        removal(),
        Some((Vec::new(), vec![id.clone()])),
        "it is repeated"
    );

    let again = Slow::default();
    approvals.persist_in(again.clone());
    again.end_reading(0, &stored);
    settle().await;
    assert_eq!(
        count(&chat.assistant),
        0,
        "also in a store that is attached again"
    );
}

/// Rule "remembered approvals": a revocation counts, even before the approval was read
#[wasm_bindgen_test]
async fn an_approval_that_is_revoked_before_it_is_read_does_not_apply() {
    let stored = stored_approval().await;

    let (other, _) = payments(|pay| pay).await;
    let slow = Slow::default();
    let approvals = other.assistant.remembered_approvals();
    approvals.persist_in(slow.clone());
    let id = stored[0]["id"].as_str().unwrap().to_owned();
    approvals.revoke(&id);
    // The first reading began before the revocation, so the store is read again.
    for _ in 0..2 {
        slow.end_reading(0, &stored);
        settle().await;
        assert_eq!(count(&other.assistant), 0);
    }
    let removed = slow.changes.borrow_mut().pop();
    assert_eq!(removed, Some((Vec::new(), vec![id])), "it is removed");
}

/// Rule "remembered approvals": assistants of one page share a store as tabs do
#[wasm_bindgen_test]
async fn assistants_of_a_page_share_stored_approvals_and_revocations() {
    let store = IndexedDbApprovals::new(format!("test-{}", js_sys::Math::random()));
    let (one, _) = payments(|pay| pay).await;
    let (other, _) = payments(|pay| pay).await;
    for chat in [&one, &other] {
        let approvals = chat.assistant.remembered_approvals();
        approvals.persist_in(store.clone());
    }
    allow_always(&one).await;
    assert!(until(|| count(&other.assistant) == 1).await);
    let approvals = one.assistant.remembered_approvals();
    approvals.revoke(approvals.list().get_untracked()[0].id());
    assert!(until(|| count(&other.assistant) == 0).await);
}

/// Rule "remembered approvals": stored by the browser, and revoked in all tabs at once
#[wasm_bindgen_test]
async fn tabs_share_stored_approvals_and_revocations() {
    let name = format!("test-{}", js_sys::Math::random());
    // Each has its own connection and channel, as a tab has.
    let tab = async || {
        let (chat, paid) = payments(|pay| pay).await;
        chat.assistant
            .remembered_approvals()
            .persist_in(IndexedDbApprovals::new(name.as_str()));
        (chat, paid)
    };
    let (one, _) = tab().await;
    let (other, paid) = tab().await;
    allow_always(&one).await;
    assert!(until(|| count(&other.assistant) == 1).await);
    run_without_approval(&other).await;
    assert_eq!(paid.get_untracked(), 1);

    // A page that is loaded later has it; approvals given here do not remove those of other tabs.
    let (late, late_paid) = tab().await;
    assert!(until(|| count(&late.assistant) == 1).await);
    run_without_approval(&late).await;
    run_without_approval(&late).await;
    assert_eq!(late_paid.get_untracked(), 2);
    allow_always(&late).await;
    for tab in [&one, &other, &late] {
        assert!(until(|| count(&tab.assistant) == 2).await);
    }
    let to_ann = other
        .assistant
        .remembered_approvals()
        .list()
        .get_untracked()[0]
        .id()
        .to_owned();
    other.assistant.remembered_approvals().revoke(&to_ann);
    for tab in [&one, &late] {
        assert!(until(|| count(&tab.assistant) == 1).await, "it is revoked");
    }
    request_approval(&one).await;
    deny(&one);
    let (last, _) = tab().await;
    assert!(until(|| count(&last.assistant) == 1).await);
    settle().await;
    let left = last.assistant.remembered_approvals().list().get_untracked();
    assert_ne!(left[0].id(), to_ann);
}

/// A store that counts the subscriptions to its changes.
#[derive(Clone, Default)]
struct Observed(Rc<Cell<u32>>);

impl ApprovalStore for Observed {
    fn load(&self) -> Pin<Box<dyn Future<Output = Result<Vec<Value>, String>>>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    fn change(&self, _: Vec<Value>, _: Vec<String>) {}

    fn on_change(&self, _: Box<dyn Fn()>) -> Subscription {
        self.0.set(self.0.get() + 1);
        let count = Rc::clone(&self.0);
        Subscription::new(move || count.set(count.get() - 1))
    }
}

type Reading = oneshot::Sender<Result<Vec<Value>, String>>;
type Changed = Rc<dyn Fn()>;
/// The added approvals and the removed ids.
type Change = (Vec<Value>, Vec<String>);

/// A store whose readings end when the test ends them.
#[derive(Clone, Default)]
struct Slow {
    readings: Rc<RefCell<Vec<Reading>>>,
    changes: Rc<RefCell<Vec<Change>>>,
    changed: Rc<RefCell<Option<Changed>>>,
}

impl Slow {
    fn report_change(&self) {
        let changed = self.changed.borrow().clone();
        changed.unwrap()();
    }

    fn fail_reading(&self) {
        let reading = self.readings.borrow_mut().remove(0);
        reading.send(Err("it is locked".to_owned())).unwrap();
    }

    fn end_reading(&self, index: usize, approvals: &[Value]) {
        let reading = self.readings.borrow_mut().remove(index);
        reading.send(Ok(approvals.to_vec())).unwrap();
    }
}

impl ApprovalStore for Slow {
    fn load(&self) -> Pin<Box<dyn Future<Output = Result<Vec<Value>, String>>>> {
        let (sender, receiver) = oneshot::channel();
        self.readings.borrow_mut().push(sender);
        Box::pin(async move { receiver.await.map_err(|_| "closed".to_owned())? })
    }

    fn change(&self, added: Vec<Value>, removed: Vec<String>) {
        self.changes.borrow_mut().push((added, removed));
    }

    fn on_change(&self, changed: Box<dyn Fn()>) -> Subscription {
        self.changed.replace(Some(changed.into()));
        Subscription::new(|| ())
    }
}

/// Rule "remembered approvals": an outdated list of a store is not applied
#[wasm_bindgen_test]
async fn approvals_that_were_revoked_while_a_store_was_read_do_not_apply() {
    let stored = stored_approval().await;

    let (other, _) = payments(|pay| pay).await;
    let (slow, next) = (Slow::default(), Slow::default());
    let approvals = other.assistant.remembered_approvals();
    approvals.persist_in(slow.clone());
    // Another tab revokes the approval while it is read.
    slow.report_change();
    settle().await;
    slow.end_reading(1, &[]);
    slow.end_reading(0, &stored);
    settle().await;
    assert_eq!(count(&other.assistant), 0, "the later reading counts");

    slow.report_change();
    settle().await;
    approvals.persist_in(next.clone());
    slow.end_reading(0, &stored);
    settle().await;
    assert_eq!(count(&other.assistant), 0, "the store was replaced");
    next.end_reading(0, &stored);
    assert!(until(|| count(&other.assistant) == 1).await);
}

/// Rule "remembered approvals": a list without the stored approvals does not replace them
#[wasm_bindgen_test]
async fn approvals_are_stored_only_together_with_those_that_were_read() {
    let memory = Memory::default();
    let (chat, _) = payments(|pay| pay).await;
    let approvals = chat.assistant.remembered_approvals();
    approvals.persist_in(memory.clone());
    // The first two payments are to Ann, the third is to Bob.
    for _ in 0..2 {
        request_approval(&chat).await;
        deny(&chat);
        chat.idle().await;
    }
    allow_always(&chat).await;
    let stored = memory.0.borrow().clone();

    let (other, _) = payments(|pay| pay).await;
    let slow = Slow::default();
    let approvals = other.assistant.remembered_approvals();
    approvals.persist_in(slow.clone());
    allow_always(&other).await;
    assert_eq!(slow.changes.borrow().len(), 0, "nothing was read yet");
    slow.fail_reading();
    settle().await;
    assert_eq!(slow.changes.borrow().len(), 0, "nothing could be read");
    assert_eq!(count(&other.assistant), 1);

    slow.report_change();
    settle().await;
    slow.end_reading(0, &stored);
    assert!(until(|| count(&other.assistant) == 2).await);
    let (added, removed) = slow.changes.borrow_mut().pop().unwrap();
    assert_eq!(
        (added.len(), removed.len()),
        (1, 0),
        "only its own is added"
    );
    assert_ne!(added[0]["id"], stored[0]["id"]);
}

/// Rule "remembered approvals": a failed reading is repeated, since it may contain a revocation
#[wasm_bindgen_test]
async fn a_failed_reading_of_a_store_is_repeated_after_a_growing_delay() {
    let stored = stored_approval().await;
    let (chat, _) = payments(|pay| pay).await;
    let clock = FakeClock::at(1_700_000_000_000);
    let slow = Slow::default();
    let approvals = chat.assistant.remembered_approvals();
    approvals.persist_in(slow.clone());
    for seconds in [5, 10] {
        slow.fail_reading();
        settle().await;
        clock.advance(Duration::from_secs(seconds - 1));
        settle().await;
        assert_eq!(slow.readings.borrow().len(), 0, "before {seconds} s");
        clock.advance(Duration::from_secs(1));
        settle().await;
        assert_eq!(slow.readings.borrow().len(), 1, "after {seconds} s");
    }
    slow.end_reading(0, &stored);
    assert!(until(|| count(&chat.assistant) == 1).await);
}

/// Rule "remembered approvals": a store that could not be read loses nothing
#[wasm_bindgen_test]
async fn a_store_that_is_attached_again_after_a_failed_reading_is_not_overwritten() {
    let (chat, _) = payments(|pay| pay).await;
    let approvals = chat.assistant.remembered_approvals();
    let (locked, again) = (Slow::default(), Slow::default());
    approvals.persist_in(locked.clone());
    locked.fail_reading();
    settle().await;
    approvals.persist_in(again.clone());
    allow_always(&chat).await;
    assert_eq!(again.changes.borrow().len(), 0, "nothing was read yet");
    again.end_reading(0, &[]);
    assert!(until(|| again.changes.borrow().len() == 1).await);
}

#[wasm_bindgen_test]
async fn a_replaced_store_of_approvals_is_not_observed_any_more() {
    let (chat, _) = payments(|pay| pay).await;
    let (first, second) = (Observed::default(), Observed::default());
    let approvals = chat.assistant.remembered_approvals();
    approvals.persist_in(first.clone());
    assert_eq!((first.0.get(), second.0.get()), (1, 0));
    approvals.persist_in(second.clone());
    assert_eq!((first.0.get(), second.0.get()), (0, 1));
    drop((chat, approvals));
    assert!(until(|| second.0.get() == 0).await, "the chat has ended");
}

#[wasm_bindgen_test]
async fn a_store_of_approvals_reports_changes_until_it_is_unsubscribed() {
    let name = format!("test-{}", js_sys::Math::random());
    // Each has its own connection and channel, as a tab has.
    let [here, other_tab, last_tab] = [(); 3].map(|()| IndexedDbApprovals::new(name.as_str()));
    let observe = |store: &IndexedDbApprovals| {
        let count = Rc::new(Cell::new(0));
        let counted = Rc::clone(&count);
        let subscription = store.on_change(Box::new(move || counted.set(counted.get() + 1)));
        (count, subscription)
    };
    let (ended, subscription) = observe(&here);
    let (count, other_subscription) = observe(&here.clone());
    let (witness, last_subscription) = observe(&last_tab);
    other_tab.change(vec![json!({"id": "a"})], Vec::new());
    assert!(until(|| (ended.get(), count.get(), witness.get()) == (1, 1, 1)).await);
    drop(subscription);
    other_tab.change(vec![json!({"id": "b"})], Vec::new());
    assert!(until(|| (count.get(), witness.get()) == (2, 2)).await);
    assert_eq!(ended.get(), 1, "it was unsubscribed");
    drop(other_subscription);
    other_tab.change(Vec::new(), vec!["a".to_owned()]);
    assert!(until(|| witness.get() == 3).await);
    settle().await;
    assert_eq!((ended.get(), count.get()), (1, 2), "both were unsubscribed");
    drop(last_subscription);
}

/// Rule "remembered approvals": the content of a store is untrusted
#[wasm_bindgen_test]
async fn malformed_stored_approvals_are_ignored() {
    let nonsense = IndexedDbApprovals::new(format!("test-{}", js_sys::Math::random()));
    let added = vec![json!(7), json!({"id": "a"}), json!({"id": 3})];
    nonsense.change(added, Vec::new());
    let loaded = nonsense.load().await.unwrap();
    assert_eq!(loaded, [json!({"id": "a"})], "only what has an id is kept");
    let (chat, _) = payments(|pay| pay).await;
    chat.assistant.remembered_approvals().persist_in(nonsense);
    settle().await;
    request_approval(&chat).await;
    assert_eq!(count(&chat.assistant), 0);
}

/// Rule "remembered approvals": of two tabs with one use left, one runs
#[wasm_bindgen_test]
async fn two_tabs_share_the_last_use_of_an_approval() {
    let name = format!("test-{}", js_sys::Math::random());
    let tab = async || {
        let (chat, paid) = payments(|pay| pay.remember_uses(1)).await;
        let store = IndexedDbApprovals::new(name.as_str());
        chat.assistant.remembered_approvals().persist_in(store);
        (chat, paid)
    };
    let (one, one_paid) = tab().await;
    let (other, other_paid) = tab().await;
    allow_always(&one).await;
    assert!(until(|| count(&other.assistant) == 1).await);
    assert_eq!(one_paid.get_untracked(), 1);
    one.assistant.send("Pay").unwrap();
    other.assistant.send("Pay").unwrap();
    let ran = || one_paid.get_untracked() - 1 + other_paid.get_untracked();
    let asked = |chat: &Chat| chat.page.find(".la-approval").is_some();
    assert!(until(|| ran() == 1 && (asked(&one) || asked(&other))).await);
    settle().await;
    assert_eq!(ran(), 1, "exactly one");
    assert!(asked(&one) != asked(&other), "the other one asks");
    for tab in [&one, &other] {
        let list = tab.assistant.remembered_approvals().list();
        assert!(until(|| list.get_untracked()[0].uses_left() == Some(0)).await);
    }
}

/// Rule "remembered approvals": of two connections to one database, one replaces an approval that
/// both have read
#[wasm_bindgen_test]
async fn only_one_of_two_connections_swaps_an_approval() {
    let name = format!("test-{}", js_sys::Math::random());
    let tabs = [0, 1].map(|_| IndexedDbApprovals::new(name.as_str()));
    let (before, after) = (json!({"id": "a", "used": 0}), json!({"id": "a", "used": 1}));
    tabs[0].change(vec![before.clone()], Vec::new());
    assert_eq!(tabs[0].load().await.unwrap(), std::slice::from_ref(&before));
    let swaps = tabs
        .each_ref()
        .map(|tab| tab.swap(before.clone(), after.clone()));
    let mut outcomes = futures_util::future::join_all(swaps).await;
    outcomes.sort_by_key(|outcome| *outcome != Swap::Done);
    assert_eq!(outcomes, [Swap::Done, Swap::Found(Some(after.clone()))]);
    assert_eq!(tabs[1].load().await.unwrap(), [after]);
    let missing = json!({"id": "b"});
    assert_eq!(
        tabs[1].swap(missing.clone(), missing).await,
        Swap::Found(None)
    );
}
