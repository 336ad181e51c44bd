//! Views of an application, without a built-in window, of conversations in a store.

use std::{cell::RefCell, rc::Rc, time::Duration};

use leptos::prelude::*;
use leptos_assistant::{
    Assistant, AssistantProvider,
    agent::Script,
    chat::{ComposerInput, ComposerRoot},
    event::EventKind,
    store::Store,
    testing::{MockAgent, Mounted, mount, settle, until},
    use_assistant,
};
use send_wrapper::SendWrapper;
use wasm_bindgen::JsCast as _;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    faults::Faulty,
    opening::{Page, database, two_threads},
};

/// Mounts a view below the provider of a conversation.
fn open<V: IntoView + 'static>(
    store: impl Store + Clone,
    thread_id: &'static str,
    draw: impl Fn(Assistant) -> V + 'static,
) -> (Mounted, Assistant) {
    let found = Rc::new(RefCell::new(None));
    let finds = Rc::clone(&found);
    let page = mount(move || {
        let children = SendWrapper::new(move || {
            let assistant = use_assistant().unwrap();
            *finds.borrow_mut() = Some(assistant.clone());
            draw(assistant)
        });
        view! {
            <AssistantProvider agent=MockAgent::new() store thread_id>
                {children.take()()}
            </AssistantProvider>
        }
    });
    let assistant = found.borrow_mut().take().unwrap();
    (page, assistant)
}

/// Renders the texts of a conversation.
fn texts(assistant: Assistant) -> impl IntoView {
    let messages = assistant.messages();
    view! {
        <For each=move || messages.get().to_vec() key=|entry| entry.id().clone() let:entry>
            <p>{assistant.message_text(entry.id())}</p>
        </For>
    }
}

#[wasm_bindgen_test]
async fn texts_of_a_custom_view_follow_the_conversation_of_another_tab() {
    let text = |delta: &str| EventKind::TextMessageContent {
        message_id: "m1".into(),
        delta: delta.into(),
    };
    let start = EventKind::TextMessageStart {
        message_id: "m1".into(),
        role: None,
        name: None,
    };
    let script = Script::new().event(start).event(text("So far"));
    let script = script.wait(Duration::from_secs(4)).event(text(" and on"));
    let (ones, twos) = Faulty::shared();
    let owner = Page::open(&ones, MockAgent::new().answer(script), "t").await;
    owner.assistant.send("go").unwrap();
    assert!(owner.shows("So far").await);
    let (follower, _) = open(twos, "t", texts);
    let content = || follower.root.text_content().unwrap();
    assert!(until(|| content() == "goSo far").await, "{}", content());
    let last = follower.find("p:last-child").unwrap();
    owner.idle().await;
    assert!(
        until(|| content() == "goSo far and on").await,
        "{}",
        content()
    );
    assert!(last.is_connected(), "it has the same row");
}

#[wasm_bindgen_test]
async fn a_message_refused_later_returns_to_a_composer_without_a_window() {
    let store = two_threads(database()).await;
    let (page, assistant) = open(store, "c", |_| {
        view! { <ComposerRoot><ComposerInput /></ComposerRoot> }
    });
    settle().await;
    assistant.conversations().open("b").unwrap();
    assistant.send("and the harbour fee?").unwrap();
    assistant.conversations().open("a").unwrap();
    let value = || {
        let text_box = page.find("textarea").unwrap();
        text_box
            .unchecked_into::<web_sys::HtmlTextAreaElement>()
            .value()
    };
    assert!(
        until(|| value() == "and the harbour fee?").await,
        "{}",
        value()
    );
    assert!(
        assistant
            .conversations()
            .returned_messages()
            .get_untracked()
            .is_empty()
    );
}

#[wasm_bindgen_test]
async fn a_message_refused_later_is_returned_to_the_application() {
    let store = two_threads(database()).await;
    let (_page, assistant) = open(store, "c", |_| ());
    settle().await;
    assistant.conversations().open("b").unwrap();
    assistant.send("and the harbour fee?").unwrap();
    assistant.conversations().open("a").unwrap();
    let returned = assistant.conversations().returned_messages();
    assert!(until(|| returned.with_untracked(|list| list.len() == 1)).await);
    let messages = assistant.conversations().take_returned_messages();
    assert_eq!(messages[0].display_text(), "and the harbour fee?");
    assert!(returned.get_untracked().is_empty());
}
