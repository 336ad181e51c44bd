//! The text of the composer of a chat with a store, after the page was reloaded.

use std::{cell::RefCell, rc::Rc};

use leptos::prelude::*;
use leptos_assistant::{
    Assistant, AssistantProvider, ChatWindow,
    agent::Script,
    chat::ComposerHandle,
    store::{IndexedDbStore, MemoryStore, Ownership, Store},
    testing::{MockAgent, Mounted, mount, settle, until},
    use_assistant,
};
use send_wrapper::SendWrapper;
use wasm_bindgen::JsCast as _;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{Event, HtmlTextAreaElement};

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
        let opened = Rc::new(RefCell::new(None));
        let kept = Rc::clone(&opened);
        let agent = MockAgent::new().answer(Script::new().text("Hello."));
        let mounted = mount(move || {
            let kept = SendWrapper::new(kept);
            let inside = move || {
                let composer = ComposerHandle::new();
                composer.set_text(text);
                kept.borrow_mut().replace((composer, use_assistant()));
                view! { <ChatWindow composer /> }
            };
            view! { <AssistantProvider agent store thread_id>{inside()}</AssistantProvider> }
        });
        settle().await;
        let (composer, assistant) = opened.take().unwrap();
        Self {
            mounted,
            composer,
            assistant: assistant.unwrap(),
        }
    }

    fn text(&self) -> String {
        let text_box = self.mounted.find(BOX).unwrap();
        text_box.unchecked_into::<HtmlTextAreaElement>().value()
    }
}

fn unload() {
    dispatch_to_window("pagehide");
}

/// Reports a change of the visibility. The page of the tests is visible.
fn show_again() {
    dispatch_to_window("visibilitychange");
}

fn dispatch_to_window(name: &str) {
    let event = Event::new(name).unwrap();
    web_sys::window().unwrap().dispatch_event(&event).unwrap();
}

fn database() -> IndexedDbStore {
    IndexedDbStore::new(format!("draft-{}", js_sys::Math::random()))
}

#[wasm_bindgen_test]
async fn an_unsent_text_is_kept_across_one_reload() {
    let store = database();
    let page = Page::open(store.clone(), "").await;
    page.composer.set_text("Half a sent");
    unload();
    drop(page);
    let page = Page::open(store.clone(), "").await;
    assert_eq!((page.text(), page.composer.text()), two("Half a sent"));
    assert_eq!(page.mounted.count(".la-message"), 0);
    drop(page);
    let page = Page::open(store, "").await;
    assert_eq!(page.text(), "", "the text was not kept again");
}

fn two(text: &str) -> (String, String) {
    (text.to_owned(), text.to_owned())
}

#[wasm_bindgen_test]
async fn a_text_that_the_application_sets_on_each_page_is_not_doubled() {
    let store = database();
    let page = Page::open_with(store.clone(), "", "Translate: ").await;
    assert_eq!(page.text(), "Translate: ");
    unload();
    drop(page);
    let page = Page::open_with(store.clone(), "", "Translate: ").await;
    assert_eq!(page.text(), "Translate: ");
    page.composer.set_text("Translate: good morning");
    unload();
    drop(page);
    let page = Page::open_with(store.clone(), "", "Translate: ").await;
    assert_eq!(page.text(), "Translate: good morning");
    unload();
    drop(page);
    let page = Page::open_with(store, "", "Summarize: ").await;
    assert_eq!(page.text(), "Translate: good morning\n\nSummarize: ");
}

#[wasm_bindgen_test]
async fn a_text_of_a_page_that_is_shown_again_is_not_kept() {
    let store = database();
    let page = Page::open(store.clone(), "").await;
    page.composer.set_text("Hello");
    unload();
    show_again();
    assert_eq!(page.text(), "Hello");
    drop(page);
    assert_eq!(Page::open(store, "").await.text(), "");
}

#[wasm_bindgen_test]
async fn texts_of_two_stores_and_of_a_chat_without_a_shared_store_are_separate() {
    let (one, two) = (database(), database());
    let private = MemoryStore::default();
    let (first, last) = (
        Page::open(one.clone(), "").await,
        Page::open(private.clone(), "").await,
    );
    first.composer.set_text("For one");
    last.composer.set_text("For none");
    unload();
    drop((first, last));
    assert_eq!(Page::open(two, "").await.text(), "");
    assert_eq!(Page::open(private, "").await.text(), "");
    assert_eq!(Page::open(one, "").await.text(), "For one");
}

/// The conversation is still being loaded, so the session does not have the message.
#[wasm_bindgen_test]
async fn a_message_that_waits_for_its_conversation_is_kept_before_the_text() {
    let (store, _) = Faulty::shared();
    store.fault.set(Some((Operation::Load, Fault::Silent)));
    let page = Page::open(store.clone(), "t").await;
    let opening = || page.assistant.conversations().ownership().get_untracked();
    assert_eq!(opening(), Ownership::Opening);
    page.assistant.send("First").unwrap();
    page.composer.set_text("Second");
    unload();
    drop(page);
    store.fault.set(None);
    let page = Page::open(store, "t").await;
    assert_eq!(page.text(), "First\n\nSecond");
}

#[wasm_bindgen_test]
async fn a_sent_message_is_not_kept_as_text() {
    let store = database();
    let page = Page::open(store.clone(), "").await;
    page.composer.set_text("Sent");
    page.assistant.send("Sent").unwrap();
    page.composer.set_text("");
    assert!(until(|| page.mounted.text("[role=log]").contains("Hello.")).await);
    unload();
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
    page.composer.set_text("Half");
    unload();
    show_again();
    assert_eq!(page.text(), "Half");
    drop(page);
    assert_eq!(Page::open(store, "").await.text(), "");
    drop(broken);
}
