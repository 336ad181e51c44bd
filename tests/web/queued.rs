//! Messages of the user that wait until an answer to the agent was sent.

use std::time::Duration;

use leptos::prelude::*;
use leptos_assistant::{
    Attachments, ChatWindow, NoticeAction,
    agent::{Failure, FailureKind, Script},
    event::{Content, ContentPart, PartBody, Source},
    testing::{MockAgent, settle, until},
};
use serde_json::json;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    attachments::give,
    interrupts::answer,
    support::{Chat, chat, provided, question},
};

fn lost() -> Failure {
    Failure::new(FailureKind::Network, "no connection")
}

/// Mounts a chat whose answer to a question did not reach the agent.
async fn chat_with_undelivered_answer(then: impl Fn(MockAgent) -> MockAgent) -> Chat {
    let questions = vec![question("q", None, json!({"type": "boolean"}))];
    let agent = MockAgent::new().answer(Script::new().text("Well?").interrupt(questions));
    let chat = chat(then(agent.fail(lost())), || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-question").await;
    answer(&chat, ".la-question", "Yes").await;
    chat.appears(".la-notice[role=alert]").await;
    chat
}

#[wasm_bindgen_test]
async fn a_queued_message_is_shown_until_the_answer_is_sent() {
    let chat = chat_with_undelivered_answer(|agent| {
        agent
            .answer(Script::new().wait(Duration::from_millis(300)).text("Good."))
            .answer(Script::new().text("At once."))
    })
    .await;
    chat.assistant.send("and hurry").unwrap();
    chat.appears("[data-role=user][data-pending]").await;
    let bubble = chat.page.find("[data-pending]").unwrap();
    assert_eq!(bubble.get_attribute("aria-label").as_deref(), Some("You"));
    assert_eq!(bubble.text_content().unwrap(), "and hurryQueued");
    let names = names(&bubble);
    assert_eq!(names, ["Edit message", "Remove"]);
    assert_eq!(chat.page.count("[data-role=user]"), 2);
    let saved = chat.assistant.export();
    chat.idle().await;
    assert_eq!(chat.page.count("[data-pending]"), 0);
    assert_eq!(chat.page.count("[data-role=user]"), 2);
    let inputs = chat.agent.inputs();
    assert_eq!(inputs.len(), 4);
    assert_eq!(inputs[2].messages.len(), 2, "the answer goes alone");
    assert!(format!("{:?}", inputs[3].messages).contains("and hurry"));
    assert!(inputs[3].resume.is_empty());
    chat.assistant.import(saved).unwrap();
    settle().await;
    let log = chat.page.text("[role=log]");
    assert!(log.contains("and hurry"), "a saved chat keeps it: {log}");
}

#[wasm_bindgen_test]
async fn retrying_a_failed_answer_keeps_queued_messages() {
    let chat = chat_with_undelivered_answer(|agent| {
        agent
            .fail(lost())
            .answer(Script::new().text("Good."))
            .answer(Script::new().text("At once."))
    })
    .await;
    chat.assistant.send("and hurry").unwrap();
    assert!(until(|| chat.agent.inputs().len() == 3).await);
    chat.idle().await;
    assert_eq!(chat.page.count(".la-notice[role=alert]"), 1);
    assert_eq!(chat.page.count("[data-pending]"), 1, "it still waits");
    let offered = chat.assistant.notices().get_untracked()[0].action();
    assert_eq!(offered, Some(NoticeAction::Retry));
    chat.assistant.retry().unwrap();
    assert!(until(|| chat.agent.inputs().len() == 5).await);
    chat.idle().await;
    let log = chat.page.text("[role=log]");
    let place = |text| log.find(text).unwrap_or_else(|| panic!("{text} in {log}"));
    assert!(place("Good.") < place("and hurry") && place("and hurry") < place("At once."));
    assert_eq!(chat.page.count("[data-pending]"), 0);
}

fn names(bubble: &web_sys::Element) -> Vec<String> {
    let buttons = bubble.query_selector_all("button").unwrap();
    let buttons = (0..buttons.length()).filter_map(|place| buttons.item(place));
    let name = |button: web_sys::Node| -> String {
        let button: web_sys::Element = button.unchecked_into();
        button.get_attribute("aria-label").unwrap_or_default()
    };
    buttons.map(name).collect()
}

/// Creates a message with a text and a file.
fn content_with_file(base64: &str) -> Content {
    let body = PartBody::Media {
        kind: "document".to_owned(),
        source: Source::Data {
            value: base64.to_owned(),
            mime_type: "text/plain".to_owned(),
        },
    };
    let file = ContentPart {
        id: None,
        metadata: Some(json!({"filename": "a.txt"})),
        body,
    };
    let text = ContentPart {
        id: None,
        metadata: None,
        body: PartBody::Text("see".to_owned()),
    };
    Content::Parts(vec![text, file])
}

/// Presses a button of the queued message with a text, as a key does.
fn press(chat: &Chat, text: &str, name: &str) {
    let bubbles = chat.page.root.query_selector_all("[data-pending]").unwrap();
    let bubbles = (0..bubbles.length()).filter_map(|place| bubbles.item(place));
    let bubble = bubbles
        .map(|bubble| bubble.unchecked_into::<web_sys::Element>())
        .find(|bubble| bubble.text_content().unwrap().starts_with(text))
        .unwrap_or_else(|| panic!("no queued message {text}"));
    let button = bubble.query_selector(&format!("[aria-label='{name}']"));
    let button: web_sys::HtmlElement = button.unwrap().unwrap().unchecked_into();
    button.focus().unwrap();
    button.click();
}

fn input(chat: &Chat) -> web_sys::HtmlTextAreaElement {
    chat.page
        .find(".la-composer-input")
        .unwrap()
        .unchecked_into()
}

fn queued(chat: &Chat) -> Vec<String> {
    let queued = chat.assistant.queued();
    queued.with_untracked(|list| list.iter().map(Content::display_text).collect())
}

#[wasm_bindgen_test]
async fn a_queued_message_can_be_edited_or_removed() {
    let slow = Script::new().text("A").wait(Duration::from_secs(60));
    let chat = chat(MockAgent::new().answer(slow), || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears("[data-role=assistant]").await;
    for text in ["one", "two", "two", "three"] {
        chat.assistant.interject(text).unwrap();
    }
    assert!(until(|| chat.page.count("[data-pending]") == 4).await);

    press(&chat, "two", "Remove");
    let active = || document().active_element().unwrap();
    assert_eq!(
        active().get_attribute("aria-label").as_deref(),
        Some("Remove")
    );
    assert!(until(|| chat.page.count("[data-pending]") == 3).await);
    assert_eq!(queued(&chat), ["one", "two", "three"]);
    let bubble = active().closest("[data-pending]").unwrap().unwrap();
    assert!(
        !bubble.text_content().unwrap().is_empty(),
        "it is still in the page"
    );

    input(&chat).set_value("and more");
    press(&chat, "three", "Edit message");
    assert_eq!(input(&chat).value(), "three\n\nand more");
    assert_eq!(active(), **input(&chat));
    assert!(until(|| chat.page.count("[data-pending]") == 2).await);
    for left in [1, 0] {
        let text = queued(&chat)[0].clone();
        press(&chat, &text, "Remove");
        assert!(until(|| chat.page.count("[data-pending]") == left).await);
    }
    assert_eq!(active(), **input(&chat), "the focus is not lost");
    chat.assistant.stop().unwrap();
    chat.idle().await;
    assert_eq!(
        chat.page.count("[data-role=user]"),
        1,
        "nothing of it was sent"
    );
}

#[wasm_bindgen_test]
async fn a_queued_message_is_edited_with_its_files() {
    let slow = Script::new().text("A").wait(Duration::from_secs(60));
    let content = content_with_file("YWJj");
    for files in [false, true] {
        let agent = MockAgent::new().answer(slow.clone());
        let chat = provided(agent, Default::default(), move || {
            let attachments = Attachments::new();
            match files {
                true => view! { <ChatWindow attachments /> }.into_any(),
                false => view! { <ChatWindow /> }.into_any(),
            }
        })
        .await;
        chat.assistant.send("go").unwrap();
        chat.appears("[data-role=assistant]").await;
        chat.assistant.interject(content.clone()).unwrap();
        chat.appears("[data-pending]").await;
        if !files {
            let names = names(&chat.page.find("[data-pending]").unwrap());
            let edit = "Edit message".to_owned();
            assert!(!names.contains(&edit), "the composer cannot hold the file");
            continue;
        }
        press(&chat, "see", "Edit message");
        assert!(until(|| chat.page.count("[data-pending]") == 0).await);
        assert_eq!(input(&chat).value(), "see");
        chat.appears(".la-attachment[data-state=ready]").await;
        let named = chat.page.text(".la-attachment-name");
        assert_eq!(named, "a.txt");
        assert!(chat.page.click(".la-composer [type=submit]"));
        assert!(until(|| chat.page.count("[data-pending]") == 1).await);
        let again = chat.assistant.queued().get_untracked();
        assert_eq!(
            again,
            std::slice::from_ref(&content),
            "it is the same message again"
        );
    }
}

/// Files are attached beside a queued message with a file of three bytes, and one is removed again.
async fn edit_with_attached(rules: Attachments, files: &[(&str, &str, &str)]) {
    let slow = Script::new().text("A").wait(Duration::from_secs(60));
    let chat = provided(
        MockAgent::new().answer(slow),
        Default::default(),
        move || view! { <ChatWindow attachments=rules.clone() /> },
    )
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears("[data-role=assistant]").await;
    let content = content_with_file("YWJj");
    chat.assistant.interject(content).unwrap();
    chat.appears("[data-pending]").await;
    let can_edit = || {
        let bubble = chat.page.find("[data-pending]").unwrap();
        names(&bubble).contains(&"Edit message".to_owned())
    };
    assert!(can_edit());
    let picker = chat.page.find("input[type=file]").unwrap();
    give(&picker, "pick", files);
    let attached = || chat.page.count(".la-attachment") as usize;
    assert!(until(|| attached() == files.len()).await);
    settle().await;
    assert!(!can_edit(), "the composer holds {files:?}");
    assert!(chat.page.click(".la-attachment button"));
    settle().await;
    assert!(can_edit());
    press(&chat, "see", "Edit message");
    assert!(until(|| attached() == files.len()).await);
}

#[wasm_bindgen_test]
async fn a_queued_message_is_edited_only_if_the_composer_has_room_for_its_files() {
    let count = Attachments::new().max_files(2);
    edit_with_attached(count, &[("b", "", "x"), ("c", "", "x")]).await;
    let size = Attachments::new().max_inline_bytes(4);
    edit_with_attached(size, &[("b", "", "xy")]).await;
}

fn memory_bytes() -> u32 {
    let memory: js_sys::WebAssembly::Memory = wasm_bindgen::memory().unchecked_into();
    memory
        .buffer()
        .unchecked_into::<js_sys::ArrayBuffer>()
        .byte_length()
}

#[wasm_bindgen_test]
async fn a_queued_file_is_copied_a_few_times_only() {
    const FILE_BYTES: u32 = 16 << 20;
    let slow = Script::new().text("A").wait(Duration::from_secs(60));
    let chat = provided(MockAgent::new().answer(slow), Default::default(), || {
        view! { <ChatWindow attachments=Attachments::new() /> }
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears("[data-role=assistant]").await;
    let content = content_with_file(&"A".repeat(FILE_BYTES as usize));
    let before = memory_bytes();
    chat.assistant.interject(content).unwrap();
    chat.appears("[data-pending]").await;
    chat.assistant.interject("more").unwrap();
    assert!(until(|| chat.page.count("[data-pending]") == 2).await);
    let copies = (memory_bytes() - before) / FILE_BYTES;
    assert!(copies <= 6, "{copies} copies");
}
