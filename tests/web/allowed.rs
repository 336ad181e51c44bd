//! Remembered approvals: the choice on the card, the mark, the list, the store.

use std::{
    cell::{Cell, RefCell},
    pin::Pin,
    rc::Rc,
};

use futures_channel::oneshot;
use leptos::prelude::*;
use leptos_assistant::{
    Approval, ApprovalStore, Assistant, Subscription, ToolAction,
    agent::Script,
    store::IndexedDbApprovals,
    testing::{MockAgent, settle, until},
    tool::AllowedActions,
    use_assistant_action,
};
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    approval::{button, deny},
    support::{Chat, chat},
};

/// Mounts a chat whose agent pays Ann, then Ann, then Bob, then Ann; returns a count of payments.
async fn payments(configure: fn(ToolAction<Value>) -> ToolAction<Value>) -> (Chat, RwSignal<u32>) {
    let paid = RwSignal::new(0);
    let mut agent = MockAgent::new();
    for to in ["Ann", "Ann", "Bob", "Ann"] {
        agent = agent
            .answer(Script::new().call("pay", &json!({"to": to, "sum": 1})))
            .answer(Script::new().text("Done."));
    }
    let chat = chat(agent, move || {
        let pay = ToolAction::new("pay", "Pays somebody").handler(move |_: Value| {
            paid.update(|count| *count += 1);
            "paid"
        });
        use_assistant_action(configure(pay.approval(Approval::Always)));
        view! { <AllowedActions /> }
    })
    .await;
    (chat, paid)
}

pub const DURATION_BUTTON: &str = ".la-approval-longer";
const SCOPES: &str = ".la-approval-scopes";

/// Opens the choice of how long an approval applies.
pub async fn open_scopes(chat: &Chat) {
    assert!(chat.page.click(DURATION_BUTTON));
    chat.appears(SCOPES).await;
}

/// Returns the radio button of a scope in the open group.
pub fn scope(chat: &Chat, value: &str) -> web_sys::HtmlInputElement {
    let radio = chat.page.find(&format!("{SCOPES} [value={value}]"));
    radio.unwrap().unchecked_into()
}

async fn choose(chat: &Chat, value: &str) {
    open_scopes(chat).await;
    scope(chat, value).click();
}

async fn approve_and_finish(chat: &Chat) {
    chat.reads(".la-approval").await;
    button(chat, "Approve").click();
    chat.idle().await;
}

async fn request_approval(chat: &Chat) {
    chat.assistant.send("Pay").unwrap();
    chat.appears(".la-approval").await;
}

async fn run_without_approval(chat: &Chat) {
    chat.assistant.send("Pay").unwrap();
    chat.idle().await;
    assert!(chat.page.find(".la-approval").is_none());
}

/// Rule "remembered approvals"
#[wasm_bindgen_test]
async fn an_approval_for_the_conversation_applies_again_and_can_be_revoked() {
    let (chat, paid) = payments(|pay| pay).await;
    assert!(chat.page.text(".la-allowed").contains("asked every time"));
    request_approval(&chat).await;
    choose(&chat, "conversation").await;
    approve_and_finish(&chat).await;
    assert!(
        chat.page.find(".la-tool-allowed").is_none(),
        "this one was asked about"
    );
    assert!(
        chat.page.text(".la-allowed-item").contains("Ann"),
        "the list has it"
    );
    run_without_approval(&chat).await;
    assert_eq!(paid.get_untracked(), 2);
    assert_eq!(chat.page.text(".la-tool-allowed").trim(), "Allowed earlier");
    // It leads to the list in which it can be revoked, in plain words.
    assert!(chat.page.click(".la-tool-allowed button"));
    let dialog = "dialog[open] .la-allowed-item[data-current]";
    chat.appears(dialog).await;
    assert_eq!(
        chat.page.text(&format!("{dialog} .la-approval-rows")),
        "toAnnsum1"
    );
    assert_eq!(chat.page.count(&format!("{dialog} > pre")), 0);
    assert!(chat.page.click("dialog[open] .la-dialog-actions button"));
    assert!(until(|| chat.page.find("dialog[open]").is_none()).await);
    // Other arguments need approval.
    request_approval(&chat).await;
    deny(&chat);
    chat.idle().await;
    let revoke = chat.page.find(".la-allowed-item button").unwrap();
    assert_eq!(
        revoke.get_attribute("aria-label").as_deref(),
        Some("Revoke pay")
    );
    revoke.unchecked_into::<web_sys::HtmlElement>().click();
    assert!(until(|| chat.page.find(".la-allowed-item").is_none()).await);
    request_approval(&chat).await;
    assert_eq!(paid.get_untracked(), 2);
}

/// Rule "remembered approvals": one control for the duration, another for the arguments
#[wasm_bindgen_test]
async fn an_approval_covers_other_arguments_only_if_the_box_is_checked() {
    let (chat, paid) = payments(|pay| pay).await;
    request_approval(&chat).await;
    let wider = ".la-approval [type=checkbox]";
    assert!(chat.page.find(wider).is_none(), "this time only");
    choose(&chat, "session").await;
    chat.appears(wider).await;
    let tick = chat.page.find(wider).unwrap();
    tick.unchecked_into::<web_sys::HtmlElement>().click();
    approve_and_finish(&chat).await;
    assert!(chat.page.text(".la-allowed-which").contains("Any values"));
    run_without_approval(&chat).await;
    run_without_approval(&chat).await;
    assert_eq!(paid.get_untracked(), 3, "to Bob, too");
    let args = || chat.page.find(".la-allowed-item pre").is_none();
    assert!(args());
}

/// Rule "remembered approvals": the action may exclude them
#[wasm_bindgen_test]
async fn always_ask_and_remember_for_limit_remembered_approvals() {
    let (chat, _) = payments(ToolAction::always_ask).await;
    request_approval(&chat).await;
    assert!(chat.page.find(DURATION_BUTTON).is_none());
    let key = chat.assistant.pending_approvals().get_untracked()[0];
    use leptos_assistant::action::{Remember, RememberScope};
    let what = Remember::new(RememberScope::Session, true);
    let refused = chat.assistant.approve_and_remember(&key, None, what);
    assert_eq!(refused, Err(leptos_assistant::Refusal::NotRemembered));

    let (chat, paid) = payments(|pay| pay.remember_for(["to"])).await;
    request_approval(&chat).await;
    choose(&chat, "session").await;
    let wider = ".la-approval .la-field-check:has([type=checkbox])";
    chat.appears(wider).await;
    assert!(chat.page.text(wider).contains("same to"));
    let tick = chat.page.find(".la-approval [type=checkbox]").unwrap();
    tick.unchecked_into::<web_sys::HtmlElement>().click();
    approve_and_finish(&chat).await;
    run_without_approval(&chat).await;
    request_approval(&chat).await;
    assert_eq!(paid.get_untracked(), 2, "Bob is another recipient");
}

/// Rule "remembered approvals": the choice is in the page only while it is open, and closed it is
/// the approval of one call
#[wasm_bindgen_test]
async fn the_duration_of_an_approval_is_chosen_in_a_disclosed_group() {
    let (chat, _) = payments(|pay| pay).await;
    request_approval(&chat).await;
    let expanded = || {
        let longer = chat.page.find(DURATION_BUTTON).unwrap();
        longer.get_attribute("aria-expanded").unwrap()
    };
    let named = |selector: &'static str| {
        let active = document().active_element();
        active.is_some_and(|active| active.matches(selector).unwrap())
    };
    assert_eq!(expanded(), "false");
    assert_eq!(chat.page.count(".la-approval input"), 0);
    open_scopes(&chat).await;
    assert_eq!(expanded(), "true");
    assert_eq!(
        chat.page.text(SCOPES),
        "AllowJust this onceFor this conversationUntil I close this page"
    );
    assert!(scope(&chat, "once").checked());
    assert!(until(|| named("[type=radio][value=once]")).await);
    let card = chat.page.find(".la-approval").unwrap();
    scope(&chat, "session").click();
    settle().await;
    assert!(scope(&chat, "session").checked() && !scope(&chat, "once").checked());
    let still = chat.page.find(".la-approval").unwrap();
    assert!(still.is_same_node(Some(&card)), "the card stays");
    let init = web_sys::KeyboardEventInit::new();
    init.set_key("Escape");
    init.set_bubbles(true);
    let escape = web_sys::KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init);
    let radio = scope(&chat, "session");
    radio.dispatch_event(&escape.unwrap()).unwrap();
    assert!(until(|| named(DURATION_BUTTON)).await);
    assert_eq!((expanded().as_str(), chat.page.count(SCOPES)), ("false", 0));
    open_scopes(&chat).await;
    assert!(
        scope(&chat, "once").checked(),
        "what is closed is not chosen"
    );
    scope(&chat, "session").click();
    assert!(chat.page.click(DURATION_BUTTON));
    approve_and_finish(&chat).await;
    assert_eq!(count(&chat.assistant), 0);
}

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

fn count(assistant: &Assistant) -> usize {
    assistant
        .remembered_approvals()
        .list()
        .get_untracked()
        .len()
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
    let memory = Memory::default();
    let (chat, _) = payments(|pay| pay).await;
    let approvals = chat.assistant.remembered_approvals();
    approvals.persist_in(memory.clone());
    allow_always(&chat).await;
    let stored = memory.0.borrow().clone();

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
    let memory = Memory::default();
    let (chat, _) = payments(|pay| pay).await;
    let approvals = chat.assistant.remembered_approvals();
    approvals.persist_in(memory.clone());
    allow_always(&chat).await;
    let stored = memory.0.borrow().clone();

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
    let reading = slow.readings.borrow_mut().remove(0);
    reading.send(Err("it is locked".to_owned())).unwrap();
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

/// Rule "remembered approvals": a store that could not be read loses nothing
#[wasm_bindgen_test]
async fn a_store_that_is_attached_again_after_a_failed_reading_is_not_overwritten() {
    let (chat, _) = payments(|pay| pay).await;
    let approvals = chat.assistant.remembered_approvals();
    let (locked, again) = (Slow::default(), Slow::default());
    approvals.persist_in(locked.clone());
    let reading = locked.readings.borrow_mut().remove(0);
    reading.send(Err("it is locked".to_owned())).unwrap();
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

fn set(chat: &Chat, selector: &str, value: &str) {
    let field = chat.page.find(selector).unwrap();
    js_sys::Reflect::set(&field, &"value".into(), &value.into()).unwrap();
    for name in ["input", "change"] {
        let event = web_sys::Event::new(name).unwrap();
        field.dispatch_event(&event).unwrap();
    }
}

fn bounded(pay: ToolAction<Value>) -> ToolAction<Value> {
    pay.title("Pay somebody")
        .remember_uses(5)
        .remember_lasts(std::time::Duration::from_secs(3_600))
        .remember_up_to("/sum", 50)
}

/// Rule "remembered approvals": bounds narrowed by the user, and the remaining bounds in the list
#[wasm_bindgen_test]
async fn bounds_are_narrowed_on_the_card_and_remaining_uses_are_listed() {
    let (chat, paid) = payments(bounded).await;
    request_approval(&chat).await;
    assert!(chat.page.find(".la-approval-bounds").is_none());
    choose(&chat, "session").await;
    chat.appears(".la-approval-bounds [name=uses]").await;
    let most = chat.page.find("[name=uses]").unwrap();
    assert_eq!(most.get_attribute("max").as_deref(), Some("5"));
    assert!(chat.page.find("[name=maximum]").is_none(), "the same sum");
    let tick = chat.page.find(".la-approval [type=checkbox]").unwrap();
    tick.unchecked_into::<web_sys::HtmlElement>().click();
    chat.appears("[name=maximum]").await;
    let label = chat.page.text(".la-approval-bounds");
    assert!(label.contains("Highest sum"), "{label}");
    set(&chat, "[name=uses]", "1");
    set(&chat, "[name=maximum]", "20");
    approve_and_finish(&chat).await;
    let kept = chat.assistant.remembered_approvals().list().get_untracked();
    assert_eq!(kept[0].uses(), Some(1));
    assert_eq!(*kept[0].maxima()[0].max(), 20.into());
    let item = || chat.page.text(".la-allowed-item");
    assert!(item().contains("1 of 1 uses left"), "{}", item());
    assert!(item().contains("sum up to 20") && item().contains("until "));
    // The title, and the name in the details only.
    assert_eq!(chat.page.text(".la-allowed-name"), "Pay somebody");
    assert_eq!(chat.page.count(".la-allowed-head code"), 0);
    let details = ".la-allowed-item details:not([open])";
    assert_eq!(chat.page.text(&format!("{details} code")), "pay");
    let revoke = chat.page.find(".la-allowed-item button").unwrap();
    let label = revoke.get_attribute("aria-label");
    assert_eq!(label.as_deref(), Some("Revoke Pay somebody"));
    run_without_approval(&chat).await;
    assert_eq!(paid.get_untracked(), 2);
    assert!(until(|| item().contains("Used up")).await, "{}", item());
    request_approval(&chat).await;
    deny(&chat);
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
    use leptos_assistant::store::Swap;
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
