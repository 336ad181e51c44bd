//! Streaming text.

use std::{cell::RefCell, rc::Rc};

use leptos_assistant::{
    agent::Script,
    testing::{MockAgent, settle, until},
};
use wasm_bindgen::{JsCast, closure::Closure};
use wasm_bindgen_test::wasm_bindgen_test;

use super::support::chat;

/// Rule "text grows in place": text is appended to its node; other messages are not touched
#[wasm_bindgen_test]
async fn streaming_text_is_appended_without_touching_other_messages() {
    let pause = std::time::Duration::from_millis(400);
    let mut script = Script::new();
    let id = "m".to_owned();
    use leptos_assistant::event::EventKind;
    script = script.event(EventKind::TextMessageStart {
        message_id: id.clone(),
        role: None,
        name: None,
    });
    for word in ["one ", "two ", "three "] {
        let (message_id, delta) = (id.clone(), word.to_owned());
        script = script
            .event(EventKind::TextMessageContent { message_id, delta })
            .wait(pause);
    }
    script = script.event(EventKind::TextMessageEnd { message_id: id });
    let agent = MockAgent::new()
        .answer(Script::new().text("Earlier."))
        .answer(script);
    let chat = chat(agent, || ()).await;
    chat.assistant.send("first").unwrap();
    chat.idle().await;
    let earlier = chat.page.find("[data-role=assistant]").unwrap();
    let touched: Rc<RefCell<u32>> = Rc::default();
    let count = Rc::clone(&touched);
    let callback = Closure::<dyn FnMut(js_sys::Array)>::new(move |records: js_sys::Array| {
        *count.borrow_mut() += records.length();
    });
    let observer = web_sys::MutationObserver::new(callback.as_ref().unchecked_ref()).unwrap();
    let all = web_sys::MutationObserverInit::new();
    all.set_child_list(true);
    all.set_character_data(true);
    all.set_attributes(true);
    all.set_subtree(true);
    observer.observe_with_options(&earlier, &all).unwrap();
    chat.assistant.send("second").unwrap();
    chat.appears("[data-message-id=m] .la-markdown p").await;
    settle().await;
    let block = chat
        .page
        .find("[data-message-id=m] .la-markdown p")
        .unwrap();
    let node = block.first_child().unwrap();
    assert!(
        chat.page
            .find("[data-message-id=m]")
            .unwrap()
            .has_attribute("data-streaming")
    );
    let shown = || block.text_content().unwrap_or_default();
    assert!(
        until(|| shown().starts_with("one two")).await && !shown().contains("three"),
        "a word is shown before the next arrives: {}",
        shown()
    );
    chat.idle().await;
    assert_eq!(block.text_content().as_deref(), Some("one two three"));
    assert!(
        block.first_child().unwrap() == node,
        "the text node is the one it began with"
    );
    assert_eq!(block.child_nodes().length(), 1);
    assert!(
        !chat
            .page
            .find("[data-message-id=m]")
            .unwrap()
            .has_attribute("data-streaming")
    );
    assert_eq!(*touched.borrow(), 0, "an earlier message sees no mutation");
}

/// Markup in a text of the model or the user creates no elements.
#[wasm_bindgen_test]
async fn markup_from_a_model_is_shown_as_text() {
    let evil = "<img src=x onerror=globalThis.hit=1><script>globalThis.hit=2</script>";
    let chat = chat(MockAgent::new().answer(Script::new().text(evil)), || ()).await;
    chat.assistant.send(evil).unwrap();
    chat.idle().await;
    assert_eq!(chat.page.count("[role=log] img, [role=log] script"), 0);
    assert!(chat.page.text("[data-role=assistant]").contains(evil));
}

/// An empty message has no element.
#[wasm_bindgen_test]
async fn an_empty_message_is_not_shown() {
    let chat = chat(MockAgent::new().answer(Script::new().text("")), || ()).await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(chat.page.count("[data-message-id]"), 1);
}
