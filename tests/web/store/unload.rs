//! A page that is unloaded before its writes end.
//!
//! A write that never ends represents a write that the browser aborts, because it waits for an
//! earlier write.

use std::{cell::RefCell, rc::Rc};

use leptos::prelude::*;
use leptos_assistant::{
    Assistant, AssistantProvider, ChatWindow,
    agent::Script,
    store::{Store as _, StoreErrorKind},
    testing::{MockAgent, Mounted, mount, settle, until},
    use_assistant,
};
use send_wrapper::SendWrapper;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::Event;

use super::{
    faults::{Fault, Faulty, Operation},
    is_stored,
    opening::Page,
};

const LOST_WRITES: Option<(Operation, Fault)> = Some((Operation::Write, Fault::Silent));

fn dispatch(name: &str) {
    let event = Event::new(name).unwrap();
    web_sys::window().unwrap().dispatch_event(&event).unwrap();
}

/// Unloads a page whose writes do not end.
async fn unload(page: Page) {
    dispatch("pagehide");
    drop(page);
    settle().await;
}

fn greeting() -> MockAgent {
    MockAgent::new()
        .answer(Script::new().text("Hello."))
        .answer(Script::new().call("pay", &serde_json::json!({})))
}

/// Returns a page whose answer is stored, and whose open approval is not.
async fn page_with_lost_approval(store: &Faulty) -> Page {
    let page = Page::open(store, greeting(), "t").await;
    page.send("hi").await;
    assert!(is_stored(store, "t", "Hello.").await);
    store.fault.set(LOST_WRITES);
    page.ask().await;
    page
}

#[wasm_bindgen_test]
async fn writes_that_do_not_end_before_a_reload_are_repeated() {
    let (before, after) = Faulty::shared();
    unload(page_with_lost_approval(&before).await).await;
    let page = Page::open(&after, MockAgent::new(), "t").await;
    assert!(page.shows("Hello.").await && page.shows("go").await);
    assert_eq!(page.approval_count(), 1, "it still waits");
    let call = page.assistant.pending_approvals().get_untracked()[0];
    page.assistant.approve(&call).unwrap();
    page.idle().await;
    assert_eq!(page.ran.get(), 1);
}

/// Mounts a chat whose conversation the application does not name.
fn begin_unnamed(store: &Faulty) -> (Mounted, Assistant) {
    let (store, found) = (store.clone(), Rc::new(RefCell::new(None)));
    let finds = Rc::clone(&found);
    let page = mount(move || {
        let children = SendWrapper::new(move || *finds.borrow_mut() = use_assistant());
        view! {
            <AssistantProvider agent=MockAgent::new() store>
                {children.take()()}
                <ChatWindow />
            </AssistantProvider>
        }
    });
    let assistant = found.borrow_mut().take().unwrap();
    (page, assistant)
}

/// The page is unloaded before the store has registered the writer of a new conversation, or before
/// it has written the conversation.
#[wasm_bindgen_test]
async fn a_conversation_that_was_never_written_is_restored_after_a_reload() {
    for operation in [Operation::Take, Operation::Write] {
        let (before, after) = Faulty::shared();
        before.fault.set(Some((operation, Fault::Silent)));
        let (page, assistant) = begin_unnamed(&before);
        assistant.send("hi").unwrap();
        settle().await;
        dispatch("pagehide");
        drop(page);
        settle().await;
        let (page, _) = begin_unnamed(&after);
        let shows = until(|| page.text("[role=log]").contains("hi")).await;
        assert!(shows, "{operation:?}");
    }
}

#[wasm_bindgen_test]
async fn writes_of_an_unloaded_page_do_not_replace_those_of_another_tab() {
    let (before, after) = Faulty::shared();
    unload(page_with_lost_approval(&before).await).await;
    after.take("t", "another tab").await.unwrap();
    let page = Page::open(&after, MockAgent::new(), "t").await;
    assert!(page.shows("Hello.").await);
    assert_eq!(page.approval_count(), 0);
}

#[wasm_bindgen_test]
async fn a_page_that_is_shown_again_does_not_repeat_its_writes() {
    let (before, after) = Faulty::shared();
    let agent = MockAgent::new()
        .answer(Script::new().text("Hello."))
        .answer(Script::new().text("Hello again."));
    let page = Page::open(&before, agent, "t").await;
    before.fault.set(Some((Operation::Write, Fault::Mute)));
    page.assistant.send("one").unwrap();
    dispatch("pagehide");
    before.fault.set(None);
    dispatch("visibilitychange");
    page.idle().await;
    page.send("two").await;
    assert!(is_stored(&after, "t", "Hello again.").await);
    drop(page);
    settle().await;
    let page = Page::open(&after, MockAgent::new(), "t").await;
    assert!(page.shows("two").await && page.shows("Hello again.").await);
}

/// The next page ends, or cannot write, before it is the writer.
#[wasm_bindgen_test]
async fn unwritten_changes_survive_further_reloads() {
    for fault in [Fault::Silent, Fault::Fails(StoreErrorKind::Failed)] {
        let (before, after) = Faulty::shared();
        unload(page_with_lost_approval(&before).await).await;
        before.fault.set(Some((Operation::Write, fault)));
        let page = Page::begin(&before, MockAgent::new(), "t");
        for _ in 0..20 {
            settle().await;
        }
        unload(page).await;
        let page = Page::open(&after, MockAgent::new(), "t").await;
        assert!(page.shows("go").await, "{fault:?}");
        assert_eq!(page.approval_count(), 1, "{fault:?}");
    }
}

/// Any script of the page can write to the session storage.
#[wasm_bindgen_test]
async fn an_unreadable_copy_of_unwritten_changes_is_ignored() {
    let (before, after) = Faulty::shared();
    let page = page_with_lost_approval(&before).await;
    dispatch("pagehide");
    let storage = web_sys::window()
        .unwrap()
        .session_storage()
        .unwrap()
        .unwrap();
    let count = storage.length().unwrap();
    let keys: Vec<String> = (0..count)
        .filter_map(|at| storage.key(at).unwrap())
        .collect();
    let name = after.shared_as().unwrap();
    let copies = keys
        .iter()
        .filter(|key| key.contains("unwritten") && key.contains(&name));
    let copies: Vec<&String> = copies.collect();
    assert_eq!(copies.len(), 1);
    storage
        .set_item(
            copies[0],
            r#"{"isRegistered":true,"batches":[{"writer":7}]}"#,
        )
        .unwrap();
    drop(page);
    settle().await;
    let page = Page::open(&after, MockAgent::new(), "t").await;
    assert!(page.shows("Hello.").await);
    assert_eq!(page.approval_count(), 0);
}
