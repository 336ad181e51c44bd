//! A conversation with a call that needs approval, played while a store fails.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    time::Duration,
};

use leptos::prelude::*;
use leptos_assistant::{
    Approval, Assistant, AssistantProvider, ChatWindow, ToolAction,
    agent::Script,
    conversation::{CallKey, Phase},
    event::{MessageBody, RunInput},
    session::NoticeKind,
    store::{Ownership, Store},
    testing::{FakeClock, MockAgent, Mounted, mount, settle},
    use_assistant, use_assistant_action,
};
use send_wrapper::SendWrapper;
use serde_json::json;

/// A function that the handler calls before it ends, once a test has set it.
type InHandler = Rc<RefCell<Option<Box<dyn Fn()>>>>;

/// A chat in the only tab, with a clock that the test controls.
pub(super) struct Journey {
    pub(super) page: Mounted,
    pub(super) assistant: Assistant,
    pub(super) agent: MockAgent,
    pub(super) ran: Rc<Cell<u32>>,
    call: Cell<Option<CallKey>>,
    /// Called in the middle of the handler.
    in_handler: InHandler,
    clock: Rc<FakeClock>,
}

impl Journey {
    /// Opens a chat; if a name is given, it loads the conversation of this name.
    pub(super) fn open(store: impl Store, name: Option<&str>) -> Self {
        Self::open_at(Self::clock(), store, name)
    }

    pub(super) fn clock() -> Rc<FakeClock> {
        Rc::new(FakeClock::at(1_700_000_000_000))
    }

    /// Opens a chat in addition to another one, which owns the clock.
    pub(super) fn open_at(clock: Rc<FakeClock>, store: impl Store, name: Option<&str>) -> Self {
        let agent = MockAgent::new()
            .answer(Script::new().text("Hello."))
            .answer(Script::new().call("pay", &json!({"euros": 3})))
            .answer(Script::new().text("Paid."))
            .answer(Script::new().text("Goodbye."));
        let ran = Rc::new(Cell::new(0));
        let (counted, found) = (Rc::clone(&ran), Rc::new(RefCell::new(None)));
        let in_handler = InHandler::default();
        let happens = Rc::clone(&in_handler);
        let (finds, talks_to) = (Rc::clone(&found), agent.clone());
        let thread_id = name.map(str::to_owned).unwrap_or_default();
        let page = mount(move || {
            let children = move || {
                let (counts, happens) = (Rc::clone(&counted), Rc::clone(&happens));
                let pays = move || {
                    counts.set(counts.get() + 1);
                    if let Some(happens) = &*happens.borrow() {
                        happens();
                    }
                };
                let action = ToolAction::new("pay", "").approval(Approval::Always);
                use_assistant_action(action.handler(pays));
                *finds.borrow_mut() = use_assistant();
            };
            let children = SendWrapper::new(children);
            view! {
                <AssistantProvider agent=talks_to store=store thread_id>
                    {children.take()()}
                    <ChatWindow />
                </AssistantProvider>
            }
        });
        let assistant = found.borrow_mut().take().unwrap();
        Self {
            page,
            assistant,
            agent,
            ran,
            call: Cell::new(None),
            in_handler,
            clock,
        }
    }

    /// Advances the time until a condition holds; `false` if it does not within a minute.
    pub(super) async fn wait_until(&self, holds: impl Fn(&Self) -> bool) -> bool {
        for _ in 0..600 {
            if holds(self) {
                return true;
            }
            self.advance(100).await;
        }
        false
    }

    /// Advances the time, and lets the browser run due tasks.
    pub(super) async fn advance(&self, ms: u64) {
        self.clock.advance(Duration::from_millis(ms));
        tick().await;
    }

    /// Advances the time enough for a store to be retried.
    pub(super) async fn advance_past_retries(&self) {
        for _ in 0..20 {
            self.advance(5_000).await;
        }
        settle().await;
    }

    pub(super) async fn send(&self, words: &str) {
        self.assistant.send(words).unwrap();
        assert!(
            self.wait_until(|it| it.page.text("[role=log]").contains(words))
                .await,
            "{words:?} is on the screen"
        );
    }

    /// Waits until the assistant has answered with a text and is idle.
    pub(super) async fn wait_for_answer(&self, words: &str) {
        let answered = self
            .wait_until(|it| {
                it.page.text("[role=log]").contains(words)
                    && !it.assistant.activity().get_untracked().is_busy()
            })
            .await;
        assert!(
            answered,
            "{words:?} is answered: {}",
            self.page.text("[role=log]")
        );
    }

    pub(super) async fn wait_for_approval(&self) {
        let asked = |it: &Self| {
            let waits = it.assistant.pending_approvals().get_untracked();
            !waits.is_empty() && it.page.count(".la-approval") == 1
        };
        assert!(self.wait_until(asked).await, "the approval is there");
    }

    pub(super) fn approve(&self) {
        let call = self.assistant.pending_approvals().get_untracked()[0];
        self.call.set(Some(call));
        self.assistant.approve(&call).unwrap();
    }

    /// Asserts that the chat can be used in this page, whatever the store does.
    pub(super) fn assert_usable(&self) {
        assert_eq!(self.page.count(".la-composer textarea"), 1, "the composer");
        assert_eq!(
            self.page.count("[data-kind=elsewhere]"),
            0,
            "no other tab has it"
        );
        let kept = self.assistant.conversations().ownership().get_untracked();
        assert_ne!(kept, Ownership::OtherTab);
    }

    /// Returns true if one notice says that nothing is saved.
    pub(super) fn shows_not_saved(&self) -> bool {
        let notices = self.assistant.notices().get_untracked();
        let not_stored = notices.iter();
        let not_stored = not_stored
            .filter(|it| it.kind() == NoticeKind::NotStored)
            .count();
        assert!(not_stored <= 1, "the notice is shown once");
        not_stored == 1
    }

    pub(super) fn last_request(&self) -> RunInput {
        self.agent.inputs().pop().unwrap()
    }

    /// Asserts that the whole conversation is on the screen and in the newest request, with its one
    /// result.
    pub(super) fn assert_nothing_lost(&self, ran: bool, what: &str) {
        let screen = self.page.text("[role=log]");
        for words in ["one", "Hello.", "two", "Paid.", "three", "Goodbye."] {
            assert!(
                screen.contains(words),
                "{what}: {words:?} on the screen: {screen}"
            );
        }
        assert_eq!(
            self.ran.get(),
            u32::from(ran),
            "{what}: it ran once, or not at all"
        );
        let request = self.last_request();
        let mut users = 0;
        let mut results = 0;
        for message in &request.messages {
            users += u32::from(matches!(message.body, MessageBody::User { .. }));
            results += u32::from(matches!(message.body, MessageBody::Tool { .. }));
        }
        assert_eq!((users, results), (3, 1), "{what}: in the request");
        let call = self.assistant.tool_call(&self.call.get().unwrap()).unwrap();
        let ended = match ran {
            true => Phase::OutputAvailable,
            false => Phase::OutputError,
        };
        assert_eq!(call.phase(), ended, "{what}");
    }

    /// Plays from the first message to the last; `at` is called before each moment.
    pub(super) async fn play(&self, at: impl Fn(Moment) + Clone + 'static) {
        let now = at.clone();
        *self.in_handler.borrow_mut() = Some(Box::new(move || now(Moment::Runs)));
        at(Moment::Before);
        self.send("one").await;
        self.wait_for_answer("Hello.").await;
        self.send("two").await;
        self.wait_for_approval().await;
        self.advance(100).await;
        at(Moment::Asked);
        self.advance(100).await;
        self.wait_for_approval().await;
        self.approve();
        self.wait_for_answer("Paid.").await;
        at(Moment::Result);
        self.send("three").await;
        self.wait_for_answer("Goodbye.").await;
        self.assert_usable();
    }
}

/// The moment at which a store begins to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// Before the first message.
    Before,
    /// While an approval waits.
    Asked,
    /// While the handler runs.
    Runs,
    /// Once the call has its result.
    Result,
}

/// Waits for a moment of the browser's time.
async fn tick() {
    let promise = js_sys::Promise::new(&mut |resolve, _| {
        let window = web_sys::window().unwrap();
        window
            .set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, 4)
            .unwrap();
    });
    wasm_bindgen_futures::JsFuture::from(promise).await.unwrap();
}
