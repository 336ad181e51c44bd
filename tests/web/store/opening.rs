//! Opening another conversation: while one is being opened, and from an observer.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use leptos::prelude::*;
use leptos_assistant::{
    Approval, Assistant, AssistantProvider, ChatWindow, ToolAction,
    agent::Script,
    store::{IndexedDbStore, MemoryStore, Ownership, Store},
    testing::{MockAgent, Mounted, mount, settle, until},
    use_assistant, use_assistant_action,
};
use send_wrapper::SendWrapper;
use serde_json::json;
use wasm_bindgen::JsCast as _;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{faults::Faulty, is_stored};

/// A page with a chat whose actions count their runs: `pay` needs approval, `book` does not.
pub(super) struct Page {
    pub(super) mounted: Mounted,
    pub(super) assistant: Assistant,
    agent: MockAgent,
    pub(super) ran: Rc<Cell<u32>>,
}

impl Page {
    pub(super) async fn open(
        store: &(impl Store + Clone),
        agent: MockAgent,
        thread_id: &'static str,
    ) -> Self {
        let page = Self::begin(store, agent, thread_id);
        page.owns(thread_id).await;
        page
    }

    /// Mounts a chat, whose conversation is not read yet.
    pub(super) fn begin(
        store: &(impl Store + Clone),
        agent: MockAgent,
        thread_id: &'static str,
    ) -> Self {
        let (ran, found) = (Rc::new(Cell::new(0)), Rc::new(RefCell::new(None)));
        let (finds, counted) = (Rc::clone(&found), Rc::clone(&ran));
        let (store, used_agent) = (store.clone(), agent.clone());
        let mounted = mount(move || {
            let children = SendWrapper::new(move || {
                let counts = Rc::clone(&counted);
                let pay = ToolAction::new("pay", "").approval(Approval::Always);
                use_assistant_action(pay.handler(move || counts.set(counts.get() + 1)));
                let book = ToolAction::new("book", "");
                use_assistant_action(book.handler(move || {
                    counted.set(counted.get() + 1);
                    "berth 7"
                }));
                *finds.borrow_mut() = use_assistant();
            });
            view! {
                <AssistantProvider agent=used_agent store thread_id>
                    {children.take()()}
                    <ChatWindow />
                </AssistantProvider>
            }
        });
        let assistant = found.borrow_mut().take().unwrap();
        Self {
            mounted,
            assistant,
            agent,
            ran,
        }
    }

    /// Waits until this page owns a conversation.
    async fn owns(&self, thread_id: &str) {
        let ownership = self.assistant.conversations().ownership();
        let owns = || matches!(ownership.get_untracked(), Ownership::ThisTab { .. });
        assert!(until(owns).await, "{:?}", ownership.get_untracked());
        settle().await;
        assert_eq!(self.assistant.thread_id().get_untracked(), thread_id);
    }

    /// Waits until this page follows another page.
    async fn follows(&self) {
        let ownership = self.assistant.conversations().ownership();
        let follows = || ownership.get_untracked() == Ownership::OtherTab;
        assert!(until(follows).await, "{:?}", ownership.get_untracked());
    }

    pub(super) async fn shows(&self, text: &str) -> bool {
        until(|| self.mounted.text("[role=log]").contains(text)).await
    }

    pub(super) async fn send(&self, text: &str) {
        self.assistant.send(text).unwrap();
        self.idle().await;
    }

    fn open_thread(&self, thread_id: &str) {
        self.assistant.conversations().open(thread_id).unwrap();
    }

    pub(super) async fn ask(&self) {
        self.assistant.send("go").unwrap();
        assert!(until(|| self.approval_count() == 1).await, "it is asked");
        settle().await;
    }

    pub(super) async fn idle(&self) {
        let activity = self.assistant.activity();
        settle().await;
        assert!(until(|| !activity.get_untracked().is_busy()).await);
        settle().await;
    }

    pub(super) fn approval_count(&self) -> usize {
        let approvals = self.assistant.pending_approvals();
        approvals.with_untracked(Vec::len)
    }

    fn composer_text(&self) -> String {
        let text_box = self.mounted.find(".la-composer textarea").unwrap();
        text_box
            .unchecked_into::<web_sys::HtmlTextAreaElement>()
            .value()
    }
}

pub(super) fn database() -> IndexedDbStore {
    IndexedDbStore::new(format!("opening-{}", js_sys::Math::random()))
}

fn paying() -> MockAgent {
    MockAgent::new().answer(Script::new().call("pay", &json!({})))
}

fn answering() -> MockAgent {
    MockAgent::new()
        .answer(Script::new().text("Hello."))
        .answer(Script::new().text("Hello again."))
}

/// Writes two conversations to a store: `a` with an answer, and `b` with an open approval.
pub(super) async fn two_threads<S: Store + Clone>(store: S) -> S {
    let answering = MockAgent::new().answer(Script::new().text("Hello."));
    let page = Page::open(&store, answering, "a").await;
    page.assistant.send("hi").unwrap();
    page.idle().await;
    drop(page);
    let page = Page::open(&store, paying(), "b").await;
    page.ask().await;
    drop(page);
    settle().await;
    store
}

#[wasm_bindgen_test]
async fn a_conversation_opened_while_another_one_opens_stays_open() {
    async fn open_both(store: impl Store + Clone) {
        let page = Page::open(&two_threads(store).await, MockAgent::new(), "c").await;
        page.open_thread("a");
        page.open_thread("b");
        page.owns("b").await;
        assert_eq!(page.approval_count(), 1, "its call still waits");
        assert!(page.mounted.text("[role=log]").contains("go"));
    }
    open_both(MemoryStore::default()).await;
    open_both(database()).await;
}

#[wasm_bindgen_test]
async fn a_message_to_a_conversation_that_is_not_opened_returns_to_the_composer() {
    let page = Page::open(&two_threads(database()).await, MockAgent::new(), "c").await;
    page.open_thread("b");
    page.assistant.send("and the harbour fee?").unwrap();
    page.open_thread("a");
    page.owns("a").await;
    assert!(
        until(|| page.composer_text() == "and the harbour fee?").await,
        "{:?}",
        page.composer_text()
    );
    assert!(page.agent.inputs().is_empty(), "nothing is sent");
    assert!(!page.mounted.text("[role=log]").contains("harbour"));
}

/// Both conversations wait for an approval of the same call.
#[wasm_bindgen_test]
async fn a_decision_made_during_a_takeover_does_not_apply_to_another_conversation() {
    let store = two_threads(MemoryStore::default()).await;
    let page = Page::open(&store, paying(), "c").await;
    page.ask().await;
    let call = page.assistant.pending_approvals().get_untracked()[0];
    store.take("c", "another").await.unwrap();
    page.assistant.approve(&call).unwrap();
    let ownership = page.assistant.conversations().ownership();
    let follows = || ownership.get_untracked() == Ownership::OtherTab;
    assert!(until(follows).await, "another page has it");
    page.assistant.conversations().use_here();
    page.assistant.approve(&call).unwrap();
    page.open_thread("b");
    page.owns("b").await;
    assert_eq!(page.approval_count(), 1, "the user was not asked about it");
    assert_eq!(page.ran.get(), 0);
}

/// Another conversation is begun by an observer that is notified of the end of a call.
#[wasm_bindgen_test]
async fn the_result_of_a_call_is_stored_if_an_observer_of_its_end_leaves_the_conversation() {
    let leave: [fn(&Assistant); 3] = [
        |assistant| assistant.conversations().open("a").unwrap(),
        Assistant::new_conversation,
        |assistant| assistant.conversations().delete("t"),
    ];
    for leave in leave {
        let store = two_threads(MemoryStore::default()).await;
        let agent = MockAgent::new().answer(Script::new().call("book", &json!({})));
        let page = Page::open(&store, agent, "t").await;
        let assistant = page.assistant.clone();
        let observation = page.assistant.on_call_event(move |event| {
            if event.phase().is_final() {
                leave(&assistant);
            }
        });
        page.assistant.send("go").unwrap();
        let left = || page.assistant.thread_id().get_untracked() != "t";
        assert!(until(left).await, "it is left");
        page.idle().await;
        drop(observation);
        assert_eq!(page.ran.get(), 1);
        let stored = store.load("t").await.unwrap().unwrap();
        let mut journal = stored.journal.iter();
        assert!(
            journal.any(|entry| entry.name.ends_with("/finished")),
            "the result is in the journal: {:?}",
            stored.journal
        );
        let mut records = stored.records.iter();
        assert!(
            records.any(|record| record.text.contains("berth 7")),
            "and in its message"
        );
    }
}

/// The removal refuses the next write of the page that has the conversation open.
#[wasm_bindgen_test]
async fn a_conversation_that_another_tab_removed_is_stored_completely() {
    let store = database();
    let page = Page::open(&store, answering(), "t").await;
    page.send("one").await;
    store.remove("t").await.unwrap();
    page.send("two").await;
    assert!(is_stored(&store, "t", "two").await);
    drop(page);
    settle().await;
    let next = Page::open(&store, MockAgent::new(), "t").await;
    assert!(next.shows("one").await && next.shows("Hello again.").await);
}

#[wasm_bindgen_test]
async fn a_followed_conversation_that_was_removed_continues_after_a_takeover() {
    let (ones, twos) = Faulty::shared();
    let one = Page::open(&ones, answering(), "t").await;
    one.send("one").await;
    let two = Page::begin(&twos, answering(), "t");
    two.follows().await;
    assert!(two.shows("one").await);
    twos.remove("t").await.unwrap();
    two.assistant.conversations().use_here();
    two.owns("t").await;
    two.send("two").await;
    assert!(is_stored(&twos, "t", "two").await);
    drop((one, two));
    settle().await;
    let next = Page::open(&ones, MockAgent::new(), "t").await;
    assert!(next.shows("one").await && next.shows("two").await);
}

/// Two pages have a conversation that is not stored yet.
#[wasm_bindgen_test]
async fn a_follower_of_a_conversation_that_is_not_stored_is_read_only() {
    let (ones, twos) = Faulty::shared();
    let one = Page::open(&ones, answering(), "t").await;
    let two = Page::begin(&twos, answering(), "t");
    two.assistant.send("hi").unwrap();
    two.follows().await;
    let is_returned = until(|| two.composer_text() == "hi").await;
    assert!(is_returned, "{:?}", two.composer_text());
    assert!(two.agent.inputs().is_empty(), "nothing is sent");
    two.assistant.conversations().use_here();
    two.owns("t").await;
    assert_eq!(ones.load("t").await, Ok(None), "it is still empty");
    two.send("hi").await;
    assert_eq!(two.agent.inputs().len(), 1);
    assert!(is_stored(&twos, "t", "Hello.").await);
    drop(one);
}
