//! The text of the composer of a chat with a store, after the page was reloaded.

use std::{cell::RefCell, rc::Rc};

use leptos::prelude::*;
use leptos_assistant::{
    Assistant, AssistantProvider, ChatWindow,
    agent::Script,
    chat::{Composer, ComposerHandle},
    store::{IndexedDbStore, MemoryStore, Ownership, Store},
    testing::{MockAgent, Mounted, mount, settle, until},
    use_assistant,
};
use send_wrapper::SendWrapper;
use wasm_bindgen::JsCast as _;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlTextAreaElement;

use super::{
    browser::Broken,
    faults::{Fault, Faulty, Operation},
};

const BOX: &str = ".la-composer-input";

/// A page with a chat, whose composer has a handle.
struct Page {
    mounted: Mounted,
    composer: ComposerHandle,
    assistant: Assistant,
}

impl Page {
    async fn open(store: impl Store + Clone, thread_id: &'static str) -> Self {
        Self::open_with(store, thread_id, "").await
    }

    /// Opens a page on which the application sets a text before the composer is mounted.
    async fn open_with(
        store: impl Store + Clone,
        thread_id: &'static str,
        text: &'static str,
    ) -> Self {
        let page = Self::begin(store, thread_id, text);
        settle().await;
        page
    }

    /// Mounts a page, whose store has not answered yet.
    fn begin(store: impl Store + Clone, thread_id: &'static str, text: &'static str) -> Self {
        let provide = move |agent: MockAgent, inside: ViewFn| {
            view! { <AssistantProvider agent store thread_id>{inside.run()}</AssistantProvider> }
                .into_any()
        };
        Self::mount(provide, text)
    }

    /// Opens a page whose provider has no store.
    async fn without_store(text: &'static str) -> Self {
        let provide = |agent, inside: ViewFn| {
            view! { <AssistantProvider agent>{inside.run()}</AssistantProvider> }.into_any()
        };
        let page = Self::mount(provide, text);
        settle().await;
        page
    }

    /// Mounts a page with a provider, whose children the second argument of `provide` renders.
    fn mount(
        provide: impl FnOnce(MockAgent, ViewFn) -> AnyView + 'static,
        text: &'static str,
    ) -> Self {
        let opened = Rc::new(RefCell::new(None));
        let found = SendWrapper::new(Rc::clone(&opened));
        let agent = MockAgent::new().answer(Script::new().text("Hello."));
        let inside = move || {
            let composer = ComposerHandle::new();
            composer.set_text(text);
            found.borrow_mut().replace((composer, use_assistant()));
            view! { <ChatWindow composer /> }
        };
        let mounted = mount(move || provide(agent, inside.into()));
        let (composer, assistant) = opened.take().unwrap();
        Self {
            mounted,
            composer,
            assistant: assistant.unwrap(),
        }
    }

    async fn set_text(&self, text: &str) {
        self.composer.set_text(text);
        settle().await;
    }

    fn text(&self) -> String {
        let text_box = self.mounted.find(BOX).unwrap();
        text_box.unchecked_into::<HtmlTextAreaElement>().value()
    }
}

fn database() -> IndexedDbStore {
    IndexedDbStore::new(format!("draft-{}", js_sys::Math::random()))
}

#[wasm_bindgen_test]
async fn an_unsent_text_is_restored_until_it_is_removed() {
    let store = database();
    let page = Page::open(store.clone(), "").await;
    page.set_text("Half a sent").await;
    drop(page);
    let page = Page::open(store.clone(), "").await;
    assert_eq!(page.text(), "Half a sent");
    assert_eq!(page.composer.text(), "Half a sent");
    assert_eq!(page.mounted.count(".la-message"), 0, "nothing was sent");
    drop(page);
    let page = Page::open(store.clone(), "").await;
    assert_eq!(page.text(), "Half a sent");
    page.set_text("").await;
    drop(page);
    assert_eq!(Page::open(store, "").await.text(), "");
}

#[wasm_bindgen_test]
async fn a_text_that_the_application_sets_on_each_page_is_not_doubled() {
    let store = database();
    let restored = async |set: &'static str| {
        let page = Page::open_with(store.clone(), "", set).await;
        page.text()
    };
    assert_eq!(restored("Translate: ").await, "Translate: ");
    assert_eq!(restored("Correct: ").await, "Correct: ");
    let page = Page::open(store.clone(), "").await;
    page.set_text("Translate: good morning").await;
    drop(page);
    assert_eq!(restored("Translate: ").await, "Translate: good morning");
    let both = "Translate: good morning\n\nSummarize:";
    assert_eq!(restored("Summarize: ").await, both);
    assert_eq!(restored("Summarize: ").await, both);
}

#[wasm_bindgen_test]
async fn each_store_and_each_named_conversation_has_a_text_of_its_own() {
    let (one, other) = (database(), database());
    let private = MemoryStore::default();
    let (first, last) = (
        Page::open(one.clone(), "").await,
        Page::open(private.clone(), "").await,
    );
    first.set_text("For one").await;
    last.set_text("For none").await;
    drop((first, last));
    assert_eq!(Page::open(other, "").await.text(), "");
    assert_eq!(Page::open(private, "").await.text(), "");
    let named = Page::open(one.clone(), "order-1").await;
    assert_eq!(named.text(), "");
    named.set_text("For an order").await;
    drop(named);
    assert_eq!(Page::open(one.clone(), "order-2").await.text(), "");
    assert_eq!(
        Page::open(one.clone(), "order-1").await.text(),
        "For an order"
    );
    assert_eq!(Page::open(one, "").await.text(), "For one");
}

/// The conversation is still being loaded, so the session does not have the message.
#[wasm_bindgen_test]
async fn a_message_that_waits_for_its_conversation_is_restored_before_the_text() {
    let (store, _) = Faulty::shared();
    store.fault.set(Some((Operation::Load, Fault::Silent)));
    let page = Page::open(store.clone(), "t").await;
    let opening = || page.assistant.conversations().ownership().get_untracked();
    assert_eq!(opening(), Ownership::Opening);
    page.assistant.send("First").unwrap();
    page.set_text("Second").await;
    drop(page);
    store.fault.set(None);
    let page = Page::open(store.clone(), "t").await;
    assert_eq!(page.text(), "First\n\nSecond");
}

/// The message is sent before the store answers, and a reload follows after it was handled.
#[wasm_bindgen_test]
async fn a_message_that_has_waited_is_not_restored_as_text() {
    let store = database();
    let page = Page::begin(store.clone(), "t", "");
    page.assistant.send("First").unwrap();
    assert!(until(|| page.mounted.text("[role=log]").contains("Hello.")).await);
    page.set_text("Second").await;
    drop(page);
    assert_eq!(Page::open(store, "t").await.text(), "Second");
}

/// Each composer has a text, and the removed one has none.
#[wasm_bindgen_test]
async fn the_texts_of_all_mounted_composers_are_restored() {
    let store = database();
    let handles = Rc::new(RefCell::new(Vec::new()));
    let has_note = ArcRwSignal::new(true);
    let open = || {
        let (store, handles) = (store.clone(), Rc::clone(&handles));
        let has_note = has_note.clone();
        mount(move || {
            let handles = SendWrapper::new(handles);
            let inside = move || {
                let [question, note] = [ComposerHandle::new(), ComposerHandle::new()];
                handles.replace(vec![question, note]);
                let kept = SendWrapper::new(Rc::clone(&handles));
                let second = move || {
                    let own = ComposerHandle::new();
                    kept.borrow_mut().push(own);
                    view! { <Composer handle=own /> }
                };
                view! {
                    <ChatWindow composer=question />
                    <Composer handle=note />
                    {move || has_note.get().then(|| second.clone()())}
                }
            };
            let agent = MockAgent::new();
            view! { <AssistantProvider agent store>{inside()}</AssistantProvider> }
        })
    };
    let set = async |index: usize, text: &str| {
        let handle = handles.borrow()[index];
        handle.set_text(text);
        settle().await;
    };
    let page = open();
    settle().await;
    set(0, "A question").await;
    set(1, "A note").await;
    set(2, "A removed note").await;
    set(0, "A long question").await;
    has_note.set(false);
    settle().await;
    set(1, "A long note").await;
    drop(page);
    let page = open();
    settle().await;
    let restored = handles.borrow()[0].text();
    assert_eq!(restored, "A long question\n\nA long note");
    assert_eq!(handles.borrow()[1].text(), "");
    drop(page);
}

/// The application empties the text while the composer is not mounted, and mounts it again.
#[wasm_bindgen_test]
async fn a_text_that_is_emptied_without_a_composer_is_not_restored() {
    let store = database();
    let opened = Rc::new(RefCell::new(None));
    let is_shown = ArcRwSignal::new(true);
    let (found, shown, place) = (Rc::clone(&opened), is_shown.clone(), store.clone());
    let page = mount(move || {
        let found = SendWrapper::new(found);
        let inside = move || {
            let composer = ComposerHandle::new();
            found.borrow_mut().replace(composer);
            move || shown.get().then(|| view! { <ChatWindow composer /> })
        };
        let agent = MockAgent::new();
        view! { <AssistantProvider agent store=place>{inside()}</AssistantProvider> }
    });
    settle().await;
    let composer = opened.take().unwrap();
    composer.set_text("Half");
    settle().await;
    is_shown.set(false);
    settle().await;
    composer.set_text("");
    is_shown.set(true);
    settle().await;
    drop(page);
    assert_eq!(Page::open(store, "").await.text(), "");
}

/// As an application does whose provider has no store.
#[wasm_bindgen_test]
async fn a_text_is_restored_from_a_store_that_is_set_later() {
    let store = database();
    let page = Page::open(store.clone(), "").await;
    page.set_text("First").await;
    drop(page);
    let page = Page::without_store("").await;
    page.set_text("Second").await;
    page.assistant.conversations().persist_in(store.clone());
    settle().await;
    assert_eq!(page.text(), "First\n\nSecond");
    page.set_text("").await;
    drop(page);
    // A text of the application is not stored then either.
    let page = Page::without_store("Translate: ").await;
    page.assistant.conversations().persist_in(store.clone());
    settle().await;
    drop(page);
    assert_eq!(Page::open(store, "").await.text(), "");
}

/// The composer is removed before the browser runs any effect.
#[wasm_bindgen_test]
async fn a_text_that_is_sent_by_a_removed_composer_is_not_restored() {
    let store = database();
    let page = Page::open(store.clone(), "").await;
    page.set_text("Sent").await;
    assert!(page.mounted.click(".la-composer [type=submit]"));
    drop(page);
    assert_eq!(Page::open(store, "").await.text(), "");
}

#[wasm_bindgen_test]
async fn a_sent_text_is_not_restored() {
    let store = database();
    let page = Page::open(store.clone(), "").await;
    page.set_text("Sent").await;
    assert!(page.mounted.click(".la-composer [type=submit]"));
    assert!(until(|| page.mounted.text("[role=log]").contains("Hello.")).await);
    assert_eq!(page.text(), "");
    drop(page);
    assert_eq!(Page::open(store, "").await.text(), "");
}

#[wasm_bindgen_test]
async fn the_composer_works_without_session_storage() {
    let broken = Broken::by(
        "return put(window, 'sessionStorage', { configurable: true,
           get() { throw new DOMException('denied', 'SecurityError'); } });",
    );
    let store = database();
    let page = Page::open(store.clone(), "").await;
    page.set_text("Half").await;
    assert_eq!(page.text(), "Half");
    drop(page);
    assert_eq!(Page::open(store, "").await.text(), "");
    drop(broken);
}
