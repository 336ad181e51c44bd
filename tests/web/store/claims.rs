//! Claims whose outcome is unknown, and calls that another page may get by other ways than the
//! batch with the claim.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    time::Duration,
};

use futures_util::future::{FutureExt as _, LocalBoxFuture, pending};
use leptos::prelude::*;
use leptos_assistant::{
    Approval, Assistant, AssistantProvider, ChatWindow, ToolAction,
    agent::{Agent, AgentTraits, EventSink, Script, ScriptedAgent, results_since_user},
    conversation::{Conversation, Phase, ToolCall},
    event::{EventKind, RunInput},
    session::StreamEnd,
    store::{
        Batch, Label, MemoryStore, Ownership, Store, StoreErrorKind, StoreFuture, StoredThread,
        ThreadInfo,
    },
    testing::{FakeClock, Mounted, mount, settle, until},
    use_assistant, use_assistant_action,
};
use send_wrapper::SendWrapper;
use wasm_bindgen_test::wasm_bindgen_test;

use super::faults::{Fault, Faulty, Operation};

/// A store that never answers a batch with a claim.
#[derive(Clone, Default)]
struct SilentClaims {
    inner: MemoryStore,
    claims: Rc<Cell<u32>>,
}

impl Store for SilentClaims {
    fn load(&self, thread_id: &str) -> StoreFuture<Option<StoredThread>> {
        self.inner.load(thread_id)
    }

    fn take(&self, thread_id: &str, writer: &str) -> StoreFuture<()> {
        self.inner.take(thread_id, writer)
    }

    fn write(&self, batch: Batch) -> StoreFuture<()> {
        if batch.claim.is_some() {
            self.claims.set(self.claims.get() + 1);
            return pending().boxed_local();
        }
        self.inner.write(batch)
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

/// A page with a chat whose actions count their runs: `look` starts at once, `pay` needs approval.
struct Page {
    _mounted: Mounted,
    assistant: Assistant,
    looked: Rc<Cell<u32>>,
    paid: Rc<Cell<u32>>,
}

impl Page {
    fn open(store: impl Store, agent: impl Agent) -> Self {
        let (looked, paid) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
        let found = Rc::new(RefCell::new(None));
        let finds = Rc::clone(&found);
        let (looks, pays) = (Rc::clone(&looked), Rc::clone(&paid));
        let mounted = mount(move || {
            let children = SendWrapper::new(move || {
                let look = ToolAction::new("look", "").eager();
                use_assistant_action(look.handler(move || looks.set(looks.get() + 1)));
                let pay = ToolAction::new("pay", "").approval(Approval::Always);
                use_assistant_action(pay.handler(move || pays.set(pays.get() + 1)));
                *finds.borrow_mut() = use_assistant();
            });
            view! {
                <AssistantProvider agent store thread_id="t">
                    {children.take()()}
                    <ChatWindow />
                </AssistantProvider>
            }
        });
        let assistant = found.borrow_mut().take().unwrap();
        Self {
            _mounted: mounted,
            assistant,
            looked,
            paid,
        }
    }

    async fn has_ownership(&self, is: fn(Ownership) -> bool) {
        let ownership = self.assistant.conversations().ownership();
        let holds = until(|| is(ownership.get_untracked())).await;
        assert!(holds, "{:?}", ownership.get_untracked());
        settle().await;
    }

    async fn idle(&self) {
        let activity = self.assistant.activity();
        settle().await;
        assert!(until(|| !activity.get_untracked().is_busy()).await);
        settle().await;
    }

    /// Returns the phase of the call of an action, once there is one.
    fn phase(&self, name: &str) -> Option<Phase> {
        let phase_of_call = |conversation: &Conversation| {
            let parts = conversation.path().flat_map(|message| message.parts());
            let mut calls = parts.filter_map(|part| conversation.call(&part.call_key()?));
            let call = calls.find(|call| call.name() == name);
            call.map(ToolCall::phase)
        };
        self.assistant.with_conversation(phase_of_call).flatten()
    }

    async fn has_ended(&self, name: &str) {
        let has_ended = || self.phase(name).is_some_and(Phase::is_final);
        assert!(until(has_ended).await, "{:?}", self.phase(name));
        self.idle().await;
    }
}

fn is_this_tab(ownership: Ownership) -> bool {
    matches!(ownership, Ownership::ThisTab { .. })
}

async fn advance(clock: &FakeClock, ms: u64) {
    clock.advance(Duration::from_millis(ms));
    settle().await;
}

fn change_visibility() {
    let event = web_sys::Event::new("visibilitychange").unwrap();
    web_sys::window().unwrap().dispatch_event(&event).unwrap();
}

/// While the claim is being written, the call is stored without it.
#[wasm_bindgen_test]
async fn a_call_stored_while_its_claim_is_written_does_not_start_without_the_claim() {
    let clock = FakeClock::at(1_700_000_000_000);
    let store = SilentClaims::default();
    let pause = Duration::from_millis(100);
    let script = Script::new().wait(pause).text("Hm.");
    let script = script.call_as("c1", "look", "{}").wait(pause);
    let script = script.call_as("c2", "elsewhere", "{}").wait(pause);
    let page = Page::open(store.clone(), ScriptedAgent::new(move |_| script.clone()));
    page.has_ownership(is_this_tab).await;
    page.assistant.send("go").unwrap();
    settle().await;
    advance(&clock, 100).await;
    assert_eq!(store.claims.get(), 1, "the claim is being written");
    advance(&clock, 100).await;
    change_visibility();
    settle().await;
    let stored = store.load("t").await.unwrap().unwrap();
    let mut records = stored.records.iter();
    assert!(records.any(|record| record.text.contains("\"c1\"")));
    advance(&clock, 8_000).await;
    assert_eq!(page.looked.get(), 0, "another page may start it");
    assert_eq!(page.phase("look"), Some(Phase::OutputError));
}

/// The unanswered batch contains two calls, and the claim of one of them.
#[wasm_bindgen_test]
async fn a_call_in_the_unanswered_batch_of_another_claim_does_not_start() {
    let clock = FakeClock::at(1_700_000_000_000);
    let store = SilentClaims::default();
    let script = Script::new().wait(Duration::from_millis(100)).text("Hm.");
    let script = script.call_as("c1", "pay", "{}");
    let script = script.call_as("c2", "look", "{}");
    let page = Page::open(store.clone(), ScriptedAgent::new(move |_| script.clone()));
    page.has_ownership(is_this_tab).await;
    page.assistant.send("go").unwrap();
    settle().await;
    advance(&clock, 100).await;
    assert_eq!(store.claims.get(), 1, "the claim is being written");
    advance(&clock, 8_000).await;
    assert_eq!(page.looked.get(), 1, "only this page can start it");
    let approvals = page.assistant.pending_approvals();
    assert!(until(|| approvals.with_untracked(Vec::len) == 1).await);
    page.assistant
        .approve(&approvals.get_untracked()[0])
        .unwrap();
    settle().await;
    advance(&clock, 8_000).await;
    assert_eq!(page.paid.get(), 0, "another page may start it");
    assert_eq!(page.phase("pay"), Some(Phase::OutputError));
}

/// An agent whose server stores a run, and repeats its events to each page that resumes it.
struct ReplayingAgent(ScriptedAgent);

impl ReplayingAgent {
    fn new() -> Self {
        let text = |kind: fn(String) -> EventKind| kind("m".to_owned());
        let script = Script::new()
            .event(text(|message_id| EventKind::TextMessageStart {
                message_id,
                role: None,
                name: None,
            }))
            .event(text(|message_id| EventKind::TextMessageEnd { message_id }))
            .wait(Duration::from_millis(600))
            .call_as("c1", "look", "{}");
        Self(ScriptedAgent::new(move |input| {
            match results_since_user(input).is_empty() {
                true => script.clone(),
                false => Script::new().text("Done."),
            }
        }))
    }
}

impl Agent for ReplayingAgent {
    fn traits(&self) -> AgentTraits {
        let traits = self.0.traits();
        traits.with_resumes(true).with_replays(true)
    }

    fn run(&self, input: RunInput, events: EventSink) -> LocalBoxFuture<'static, StreamEnd> {
        self.0.run(input, events)
    }
}

/// A page cannot store the call of a run that it has stored as open. Another page resumes the run.
#[wasm_bindgen_test]
async fn a_call_of_a_resumable_run_starts_once_in_two_tabs() {
    let (ones, twos) = Faulty::shared();
    let one = Page::open(ones.clone(), ReplayingAgent::new());
    one.has_ownership(is_this_tab).await;
    one.assistant.send("go").unwrap();
    settle().await;
    let full = Fault::Fails(StoreErrorKind::Full);
    ones.fault.set(Some((Operation::Write, full)));
    one.has_ended("look").await;

    let two = Page::open(twos, ReplayingAgent::new());
    two.has_ownership(|it| it == Ownership::OtherTab).await;
    two.assistant.conversations().use_here();
    two.has_ownership(is_this_tab).await;
    two.has_ended("look").await;
    assert_eq!((one.looked.get(), two.looked.get()), (0, 1));
    assert_eq!(one.phase("look"), Some(Phase::OutputError));
}
