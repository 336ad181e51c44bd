//! A chat with a store: its writes, restoring, and failures.

use std::{cell::Cell, cell::RefCell, rc::Rc};

use futures_util::future::{FutureExt as _, ready};
use leptos::prelude::*;
use leptos_assistant::{
    Approval, Assistant, AssistantProvider, ChatWindow, SessionOptions, ToolAction,
    agent::Script,
    event::EventKind,
    session::JournalEntry,
    store::{
        Batch, Label, MemoryStore, Ownership, Store, StoreError, StoreErrorKind, StoreFuture,
        StoredThread, ThreadInfo,
    },
    testing::{MockAgent, Mounted, mount, settle, until},
    use_assistant, use_assistant_action,
};
use send_wrapper::SendWrapper;
use serde_json::json;
use wasm_bindgen::JsCast as _;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{batch, is_stored, record};

/// A store that fails on demand, and records its writes.
#[derive(Clone, Default)]
struct FailingStore {
    inner: MemoryStore,
    fails: Rc<Cell<Option<StoreErrorKind>>>,
    /// True if it cannot be opened.
    closed: Rc<Cell<bool>>,
    written: Rc<RefCell<Vec<Batch>>>,
}

impl FailingStore {
    fn failing(kind: StoreErrorKind) -> Self {
        let store = Self::default();
        store.fails.set(Some(kind));
        store
    }

    fn or_fail<T: 'static>(
        &self,
        fails: bool,
        or: impl FnOnce() -> StoreFuture<T>,
    ) -> StoreFuture<T> {
        match self.fails.get().filter(|_| fails) {
            Some(kind) => ready(Err(StoreError::new(kind, "moody"))).boxed_local(),
            None => or(),
        }
    }
}

impl Store for FailingStore {
    fn load(&self, thread_id: &str) -> StoreFuture<Option<StoredThread>> {
        self.or_fail(self.closed.get(), || self.inner.load(thread_id))
    }

    fn take(&self, thread_id: &str, writer: &str) -> StoreFuture<()> {
        self.or_fail(self.closed.get(), || self.inner.take(thread_id, writer))
    }

    fn write(&self, batch: Batch) -> StoreFuture<()> {
        self.written.borrow_mut().push(batch.clone());
        self.or_fail(true, || self.inner.write(batch))
    }

    fn threads(&self) -> StoreFuture<Vec<ThreadInfo>> {
        self.inner.threads()
    }

    fn label(&self, thread_id: &str, label: Label) -> StoreFuture<()> {
        self.inner.label(thread_id, label)
    }

    fn remove(&self, thread_id: &str) -> StoreFuture<()> {
        self.inner.remove(thread_id)
    }
}

/// A chat whose action `pay` needs approval and counts its runs.
struct Chat {
    page: Mounted,
    assistant: Assistant,
    ran: Rc<Cell<u32>>,
}

async fn open(store: impl Store + Clone, agent: MockAgent) -> Chat {
    open_with(store, agent, pay).await
}

fn pay(ran: Rc<Cell<u32>>) -> ToolAction {
    ToolAction::new("pay", "")
        .approval(Approval::Always)
        .handler(move || ran.set(ran.get() + 1))
}

/// Opens a chat with another action, which receives the counter.
async fn open_with(
    store: impl Store + Clone,
    agent: MockAgent,
    action: fn(Rc<Cell<u32>>) -> ToolAction,
) -> Chat {
    let ran = Rc::new(Cell::new(0));
    let counted = Rc::clone(&ran);
    let (page, assistant) = begin(store, agent, move || action(Rc::clone(&counted)));
    let opened = || assistant.conversations().ownership().get_untracked() != Ownership::Opening;
    assert!(until(opened).await, "it is opened");
    settle().await;
    Chat {
        page,
        assistant,
        ran,
    }
}

/// Mounts a chat, whose conversation is not read yet.
fn begin(
    store: impl Store + Clone,
    agent: MockAgent,
    action: impl Fn() -> ToolAction + 'static,
) -> (Mounted, Assistant) {
    let found = Rc::new(RefCell::new(None));
    let finds = Rc::clone(&found);
    let page = mount(move || {
        let children = move || {
            use_assistant_action(action());
            *finds.borrow_mut() = use_assistant();
        };
        let children = SendWrapper::new(children);
        view! {
            <AssistantProvider agent store=store thread_id="t">
                {children.take()()}
                <ChatWindow />
            </AssistantProvider>
        }
    });
    let assistant = found.borrow_mut().take().unwrap();
    (page, assistant)
}

fn paying() -> MockAgent {
    MockAgent::new()
        .answer(Script::new().call("pay", &json!({})))
        .answer(Script::new().text("Paid."))
}

impl Chat {
    async fn ask(&self) {
        self.assistant.send("go").unwrap();
        let asked = || {
            !self
                .assistant
                .pending_approvals()
                .get_untracked()
                .is_empty()
        };
        assert!(until(asked).await, "it is asked");
    }

    async fn idle(&self) {
        let busy = || self.assistant.activity().get_untracked().is_busy();
        settle().await;
        assert!(until(|| !busy()).await, "it comes to an end");
        settle().await;
    }

    fn approve(&self) {
        let call = self.assistant.pending_approvals().get_untracked()[0];
        self.assistant.approve(&call).unwrap();
    }
}

/// Rule "after a reload": an approval is restored, and counts once
#[wasm_bindgen_test]
async fn a_pending_approval_is_restored_after_a_reload() {
    let store = MemoryStore::default();
    let first = open(store.clone(), paying()).await;
    first.ask().await;
    settle().await;
    drop(first.page);
    settle().await;
    let agent = MockAgent::new().answer(Script::new().text("Paid."));
    let next = open(store, agent.clone()).await;
    assert_eq!(next.page.text("[data-role=user] .la-text"), "go");
    next.approve();
    next.idle().await;
    assert_eq!((first.ran.get(), next.ran.get()), (0, 1));
    assert_eq!(agent.inputs().len(), 1);
    assert!(next.page.text("[role=log]").contains("Paid."));
}

/// Two messages are sent before the stored conversation is read, which then waits for an approval.
#[wasm_bindgen_test]
async fn messages_refused_by_an_opened_conversation_return_to_the_composer() {
    let store = MemoryStore::default();
    let first = open(store.clone(), paying()).await;
    first.ask().await;
    settle().await;
    drop(first.page);
    settle().await;
    let agent = MockAgent::new();
    let (next, assistant) = begin(store, agent.clone(), || pay(Rc::default()));
    assistant.send("Is it").unwrap();
    assistant.send("still open?").unwrap();
    let written = || {
        let text_box = next.find(".la-composer textarea").unwrap();
        text_box
            .unchecked_into::<web_sys::HtmlTextAreaElement>()
            .value()
    };
    let returned = until(|| written() == "Is it\n\nstill open?").await;
    assert!(returned, "{:?}", written());
    assert_eq!(next.text("[data-role=user] .la-text"), "go");
    assert_eq!(assistant.pending_approvals().get_untracked().len(), 1);
    assert_eq!(agent.inputs().len(), 0);
}

/// Rule "export and import": the initial conversation of a host is stored with its messages
#[wasm_bindgen_test]
async fn an_initial_conversation_is_restored_after_a_reload() {
    let store = FailingStore::default();
    let begin = |initial| {
        let store = store.clone();
        mount(move || {
            view! {
                <AssistantProvider agent=MockAgent::new() store=store thread_id="t" initial=initial>
                    <ChatWindow />
                </AssistantProvider>
            }
        })
    };
    let first = begin(json!([{"id": "u", "role": "user", "content": "What did I say?"}]));
    let is_written = || {
        let written = store.written.borrow();
        let mut records = written.iter().flat_map(|batch| &batch.put);
        records.any(|record| record.text.contains("What did I say?"))
    };
    assert!(until(is_written).await, "it is written");
    drop(first);
    settle().await;
    let next = begin(json!([]));
    let shows = || next.text("[role=log]").contains("What did I say?");
    assert!(until(shows).await, "it is restored");
}

/// Ends a page in the middle of a handler, and returns the next one.
async fn reopened_during_handler(action: fn(Rc<Cell<u32>>) -> ToolAction) -> Chat {
    let store = FailingStore::default();
    let first = open_with(store.clone(), paying(), action).await;
    first.assistant.send("go").unwrap();
    assert!(until(|| first.ran.get() == 1).await, "it runs");
    settle().await;
    // Writes after the end are ignored.
    store.fails.set(Some(StoreErrorKind::TakenOver));
    drop(first.page);
    settle().await;
    store.fails.set(None);
    let agent = MockAgent::new().answer(Script::new().text("Paid."));
    open_with(store, agent, action).await
}

/// Returns an action whose handler never ends.
fn hangs(ran: Rc<Cell<u32>>) -> ToolAction {
    ToolAction::new("pay", "").handler(move || {
        ran.set(ran.get() + 1);
        std::future::pending::<()>()
    })
}

/// Rule "after a reload": the outcome of the earlier start is unknown, so the user is asked
#[wasm_bindgen_test]
async fn a_call_with_unknown_outcome_needs_approval_after_a_reload() {
    let chat = reopened_during_handler(hangs).await;
    let waits = chat.assistant.pending_approvals();
    assert!(until(|| waits.with_untracked(Vec::len) == 1).await);
    let call = chat.assistant.tool_call(&waits.get_untracked()[0]).unwrap();
    assert!(call.has_unknown_outcome());
    assert!(
        chat.page
            .text(".la-approval")
            .contains("may already have run")
    );
    assert_eq!(chat.ran.get(), 0);
    chat.approve();
    assert!(until(|| chat.ran.get() == 1).await);
}

/// Rule "after a reload": an idempotent action runs again automatically
#[wasm_bindgen_test]
async fn an_idempotent_call_runs_again_after_a_reload() {
    let chat = reopened_during_handler(|ran| hangs(ran).idempotent()).await;
    assert!(until(|| chat.ran.get() == 1).await);
    let waits = chat.assistant.pending_approvals();
    assert_eq!(waits.with_untracked(Vec::len), 0);
}

/// Titles and deletion marks of conversations, by the handle alone.
#[wasm_bindgen_test]
async fn conversations_are_listed_renamed_deleted_and_restored() {
    let agent = MockAgent::new().answer(Script::new().text("Here."));
    let assistant = Assistant::with_thread_id(agent, SessionOptions::default(), "t");
    assistant.conversations().persist_in(MemoryStore::default());
    let kept = assistant.conversations().ownership();
    assert!(until(|| matches!(kept.get_untracked(), Ownership::ThisTab { .. })).await);
    assistant.send("Where is my order?").unwrap();
    let (busy, listed) = (assistant.activity(), assistant.conversations().list());
    assert!(until(|| !busy.get_untracked().is_busy()).await);
    settle().await;
    assert!(
        listed.get_untracked().is_empty(),
        "the list was not requested"
    );
    let id = assistant.thread_id().get_untracked();
    let of = || {
        let list = listed.get_untracked();
        list.into_iter().find(|thread| thread.id == id)
    };
    let becomes = |is: fn(&ThreadInfo) -> bool| until(move || of().is_some_and(|it| is(&it)));
    assistant.conversations().refresh();
    assert!(becomes(|it| it.title == "Where is my order?" && !it.named).await);
    assistant.conversations().rename(&id, "The late tea");
    assert!(becomes(|it| it.title == "The late tea" && it.named).await);
    assistant.conversations().delete(&id);
    assert!(becomes(|it| it.deleted_at.is_some()).await);
    assert_ne!(
        assistant.thread_id().get_untracked(),
        id,
        "another one is open"
    );
    assistant.conversations().restore(&id);
    assert!(becomes(|it| it.deleted_at.is_none() && it.title == "The late tea").await);
}

#[wasm_bindgen_test]
async fn use_here_takes_ownership_from_another_tab() {
    let store = MemoryStore::default();
    let chat = open(store.clone(), paying()).await;
    chat.ask().await;
    settle().await;
    store.take("t", "another").await.unwrap();
    chat.approve();
    let kept = chat.assistant.conversations().ownership();
    assert!(until(|| kept.get_untracked() == Ownership::OtherTab).await);
    assert_eq!(chat.ran.get(), 0);
    chat.assistant.conversations().use_here();
    assert!(until(|| matches!(kept.get_untracked(), Ownership::ThisTab { .. })).await);
}

/// Rule "exactly once": nothing runs if its start cannot be written
#[wasm_bindgen_test]
async fn a_full_store_blocks_calls_but_not_the_chat() {
    let store = FailingStore::default();
    let chat = open(store.clone(), paying()).await;
    chat.ask().await;
    store.fails.set(Some(StoreErrorKind::Full));
    chat.approve();
    chat.idle().await;
    assert_eq!(chat.ran.get(), 0);
    assert!(
        chat.page.text("[role=log]").contains("Paid."),
        "the agent receives the result, and answers"
    );
    assert!(
        chat.page
            .text(".la-chat-notices")
            .contains("aren't being saved")
    );
    store.fails.set(None);
    chat.assistant.send("again").unwrap();
    chat.idle().await;
    let is_notified = || {
        let notices = chat.page.text(".la-chat-notices");
        notices.contains("aren't being saved")
    };
    assert!(
        until(|| !is_notified()).await || until(|| !is_notified()).await,
        "it is saved again"
    );
    assert!(store.load("t").await.unwrap().is_some());
}

#[wasm_bindgen_test]
async fn a_chat_without_a_store_shows_that_nothing_is_saved() {
    let store = FailingStore::failing(StoreErrorKind::Unavailable);
    store.closed.set(true);
    let chat = open(store.clone(), paying()).await;
    assert_eq!(
        chat.assistant.conversations().ownership().get_untracked(),
        Ownership::NotStored
    );
    assert!(
        chat.page
            .text(".la-chat-notices")
            .contains("aren't being saved")
    );
    chat.ask().await;
    chat.approve();
    chat.idle().await;
    assert_eq!(chat.ran.get(), 1, "within the tab it runs, once");
    assert!(store.written.borrow().is_empty());
}

#[wasm_bindgen_test]
async fn a_damaged_conversation_is_not_overwritten() {
    let store = FailingStore::default();
    let mut damaged = batch("before");
    damaged.put = vec![record("outline", "{\"messages\": [{\"id\": \"a\"}]}")];
    store.inner.write(damaged).await.unwrap();
    let chat = open(store.clone(), paying()).await;
    assert!(
        chat.page
            .text(".la-chat-notices")
            .contains("couldn't be opened")
    );
    assert_ne!(chat.assistant.thread_id().get_untracked(), "t");
    chat.ask().await;
    chat.approve();
    chat.idle().await;
    assert_eq!(chat.ran.get(), 1);
    let stored = store.load("t").await.unwrap().unwrap();
    assert_eq!(stored.records.len(), 1, "nothing is written over it");
}

/// A conversation with an unreadable journal entry does not start the call that it may be about.
#[wasm_bindgen_test]
async fn an_unreadable_journal_entry_still_claims_its_call() {
    let store = FailingStore::default();
    let first = open(store.clone(), paying()).await;
    first.ask().await;
    settle().await;
    let key = first.assistant.pending_approvals().get_untracked()[0];
    drop(first.page);
    settle().await;
    store.take("t", "another").await.unwrap();
    let mut wrote = batch("another");
    let name = format!("t/{}/started/0", key.number());
    wrote.claim = Some(record(&name, "from the future"));
    store.inner.write(wrote).await.unwrap();
    let next = open(store, MockAgent::new()).await;
    next.approve();
    next.idle().await;
    assert_eq!(next.ran.get(), 0);
}

/// Only changes are written: a token does not write the whole conversation.
#[wasm_bindgen_test]
async fn a_long_answer_is_written_in_few_batches_of_its_own() {
    let store = FailingStore::default();
    let message_id = || "m".to_owned();
    let mut script = Script::new().event(EventKind::TextMessageStart {
        message_id: message_id(),
        role: None,
        name: None,
    });
    for number in 0..60 {
        let delta = format!("word{number} ");
        script = script
            .event(EventKind::TextMessageContent {
                message_id: message_id(),
                delta,
            })
            .wait(std::time::Duration::from_millis(15));
    }
    let script = script.event(EventKind::TextMessageEnd {
        message_id: message_id(),
    });
    let agent = MockAgent::new()
        .answer(Script::new().text("The first answer."))
        .answer(script);
    let chat = open(store.clone(), agent).await;
    chat.assistant.send("one").unwrap();
    chat.idle().await;
    store.written.borrow_mut().clear();
    chat.assistant.send("two").unwrap();
    chat.idle().await;
    let written = store.written.borrow();
    assert!(written.len() < 12, "{} batches for 60 words", written.len());
    let again = written.iter().flat_map(|batch| &batch.put);
    let first = again.filter(|record| record.text.contains("The first answer."));
    assert_eq!(first.count(), 0, "what has not changed is not written");
}

/// Each call of the agent is written, and each result, without waiting for the end of the answer.
#[wasm_bindgen_test]
async fn agent_calls_and_results_are_written_while_streaming() {
    let store = FailingStore::default();
    // Longer than a save takes on a busy machine, shorter than the time between saves of text.
    let pause = std::time::Duration::from_millis(300);
    let script = Script::new()
        .wait(pause)
        .call_as("c1", "look_up", "{}")
        .wait(pause);
    let script = script.result("c1", "{\"found\":3}").wait(pause);
    let chat = open(
        store.clone(),
        MockAgent::new().answer(script.text("Three.")),
    )
    .await;
    chat.assistant.send("one").unwrap();
    chat.idle().await;
    settle().await;
    let written = store.written.borrow();
    let holds = |word: &str| {
        let has = |batch: &Batch| batch.put.iter().any(|record| record.text.contains(word));
        written.iter().position(has)
    };
    let (call, result, text) = (holds("c1"), holds("found"), holds("Three."));
    // Each is in a later batch than the one before.
    assert!(
        call.is_some() && call < result && result < text,
        "{call:?} {result:?} {text:?}"
    );
}

/// Calls that the agent runs itself are collected for a short time, and for a longer one in a series,
/// also when the timer of a slower save has ended; the list entry is written once a second. A question is written at once.
#[wasm_bindgen_test]
async fn many_agent_calls_are_written_in_few_batches() {
    let store = FailingStore::default();
    let mut script = Script::new();
    for number in 0..150 {
        let id = format!("c{number}");
        let pause = std::time::Duration::from_millis(15);
        script = script.wait(pause).call_as(&id, "look_up", "{}");
        script = script.result(&id, "{\"found\":3}");
    }
    let pay = json!({});
    let agent = MockAgent::new()
        .answer(script)
        .answer(Script::new().call("pay", &pay));
    let chat = open(store.clone(), agent).await;
    let begin = js_sys::Date::now();
    chat.assistant.send("one").unwrap();
    chat.idle().await;
    let count = store.written.borrow().len();
    let elapsed = js_sys::Date::now() - begin;
    // At most one batch in 200 ms, the first eight of the series, and those of the message and of the
    // end of the run.
    let most = 14.0 + elapsed / 200.0;
    assert!(
        (count as f64) < most,
        "{count} batches for 150 calls, at most {most}"
    );
    let listed = |batch: &&Batch| batch.info.is_some();
    let listed = store.written.borrow().iter().filter(listed).count();
    let most = 5.0 + elapsed / 1_000.0;
    assert!(
        (listed as f64) < most,
        "{listed} list entries, at most {most}"
    );
    let holds = |word: &str| {
        let written = store.written.borrow();
        let mut records = written.iter().flat_map(|batch| &batch.put);
        records.any(|record| record.text.contains(word))
    };
    assert!(holds("c149"), "the end of the run is written");
    chat.ask().await;
    settle().await;
    assert!(holds("\"pay\""), "a question is there after a reload");
}

/// The start is in the journal before the handler runs, with the snapshot that has the call.
#[wasm_bindgen_test]
async fn a_call_start_is_recorded_in_the_journal_with_one_result() {
    let store = FailingStore::default();
    let chat = open(store.clone(), paying()).await;
    chat.ask().await;
    chat.approve();
    chat.idle().await;
    let written = store.written.borrow();
    let start = written.iter().find(|batch| batch.claim.is_some()).unwrap();
    let entry = start.claim.as_ref().unwrap();
    let entry = JournalEntry::from_value(&serde_json::from_str(&entry.text).unwrap()).unwrap();
    assert!(matches!(entry, JournalEntry::Started { attempt: 0, .. }));
    let finished = written.iter().flat_map(|batch| &batch.add);
    assert_eq!(finished.count(), 1);
}

/// The messages are written after the failure, or with the next attempt.
#[wasm_bindgen_test]
async fn unwritten_messages_are_shown_if_their_conversation_is_opened_again() {
    for works_again in [true, false] {
        let store = FailingStore::default();
        let agent = MockAgent::new()
            .answer(Script::new().text("Hello."))
            .answer(Script::new().text("Hello again."));
        let chat = open(store.clone(), agent).await;
        let conversations = chat.assistant.conversations();
        let owns = || {
            matches!(
                conversations.ownership().get_untracked(),
                Ownership::ThisTab { .. }
            )
        };
        chat.assistant.send("one").unwrap();
        chat.idle().await;
        store.fails.set(Some(StoreErrorKind::Full));
        chat.assistant.send("two").unwrap();
        chat.idle().await;
        conversations.open("other").unwrap();
        let leaves = || !chat.page.text("[role=log]").contains("two");
        assert!(until(leaves).await);
        settle().await;
        if works_again {
            store.fails.set(None);
        }
        conversations.open("t").unwrap();
        let shows = || chat.page.text("[role=log]").contains("two");
        assert!(until(shows).await, "{works_again}");
        store.fails.set(None);
        assert!(is_stored(&store, "t", "two").await, "{works_again}");
        assert!(until(owns).await, "{works_again}");
        assert_eq!(chat.assistant.thread_id().get_untracked(), "t");
    }
}
