//! `Assistant`: versions of messages, and interjections.

use std::time::Duration;

use leptos::prelude::*;
use leptos_assistant::{
    OfferFilter, ToolAction,
    agent::{Script, last_user_text},
    conversation::Sibling,
    event::Content,
    testing::{MockAgent, settle, until},
    use_assistant_action,
};
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{act, calls};
use crate::support::{Chat, chat};

/// Returns the texts on the path that is shown.
fn texts(chat: &Chat) -> Vec<String> {
    let path = |all: &leptos_assistant::conversation::Conversation| {
        all.path().map(|message| message.text()).collect()
    };
    chat.assistant.with_conversation(path).unwrap()
}

async fn answered(answers: [&str; 2]) -> Chat {
    let [first, second] = answers.map(|text| Script::new().text(text));
    let chat = chat(MockAgent::new().answer(first).answer(second), || ()).await;
    chat.assistant.send("one").unwrap();
    chat.idle().await;
    chat
}

#[wasm_bindgen_test]
async fn edit_creates_a_version_and_branches_show_the_earlier_one() {
    let chat = answered(["First.", "Second."]).await;
    let first = chat.assistant.messages().get_untracked()[0].id().clone();
    chat.assistant.edit(&first, "two").unwrap();
    chat.idle().await;
    assert_eq!(texts(&chat), ["two", "Second."]);
    let second = chat.assistant.messages().get_untracked()[0].id().clone();
    let version = chat.assistant.branches().version(&second);
    assert_eq!(version.get_untracked(), Some((2, 2)));
    chat.assistant
        .branches()
        .show(&second, Sibling::Previous)
        .unwrap();
    settle().await;
    assert_eq!(texts(&chat), ["one", "First."]);
}

#[wasm_bindgen_test]
async fn regenerate_requests_another_answer() {
    let chat = answered(["First.", "Second."]).await;
    let changes = chat.assistant.branches().changes();
    let before = changes.get_untracked();
    let answer = chat.assistant.messages().get_untracked()[1].id().clone();
    chat.assistant.regenerate(&answer).unwrap();
    chat.idle().await;
    assert_eq!(texts(&chat), ["one", "Second."]);
    assert!(changes.get_untracked() > before);
}

#[wasm_bindgen_test]
async fn show_run_branch_selects_the_branch_of_the_run() {
    let slow = Script::new()
        .wait(Duration::from_millis(600))
        .text("Second.");
    let agent = MockAgent::new()
        .answer(Script::new().text("First."))
        .answer(slow);
    let chat = chat(agent, || ()).await;
    chat.assistant.send("one").unwrap();
    chat.idle().await;
    let first = chat.assistant.messages().get_untracked()[0].id().clone();
    chat.assistant.edit(&first, "two").unwrap();
    settle().await;
    let second = chat.assistant.messages().get_untracked()[0].id().clone();
    chat.assistant
        .branches()
        .show(&second, Sibling::Previous)
        .unwrap();
    let activity = chat.assistant.activity();
    assert!(until(|| activity.get_untracked().is_elsewhere()).await);
    chat.assistant.branches().show_run();
    assert!(until(|| !activity.get_untracked().is_elsewhere()).await);
    chat.idle().await;
    assert_eq!(texts(&chat), ["two", "Second."]);
}

#[wasm_bindgen_test]
async fn an_interjection_is_sent_with_the_results() {
    for content in [false, true] {
        let ready = RwSignal::new(false);
        let chat = chat(MockAgent::new().answer(calls(json!({}))), move || {
            let work = move || async move {
                until(move || ready.get_untracked()).await;
            };
            use_assistant_action(ToolAction::new("act", "").handler(work));
        })
        .await;
        chat.assistant.send("go").unwrap();
        let running = chat.assistant.tools().running();
        assert!(until(|| !running.get_untracked().is_empty()).await);
        let accepted = match content {
            false => chat.assistant.interject("Only the north"),
            true => chat
                .assistant
                .interject(Content::Text("Only the north".to_owned())),
        };
        accepted.unwrap();
        ready.set(true);
        chat.idle().await;
        assert_eq!(last_user_text(&chat.agent.inputs()[1]), "Only the north");
        assert_eq!(chat.results(1), ["null"]);
    }
}

#[wasm_bindgen_test]
async fn offer_also_overrides_the_filter_until_the_next_message() {
    let agent = MockAgent::new().answer(Script::new().call("look", &json!({})));
    let chat = chat(agent, || {
        let assistant = leptos_assistant::use_assistant().unwrap();
        assistant
            .tools()
            .offer_only(Some(OfferFilter::default().tag("first")));
        let look = move || assistant.tools().offer_also(["act"]);
        use_assistant_action(ToolAction::new("look", "").tags(["first"]).handler(look));
        use_assistant_action(act());
    })
    .await;
    for text in ["one", "two"] {
        chat.assistant.send(text).unwrap();
        chat.idle().await;
    }
    let offered = |run: usize| chat.agent.inputs()[run].tools.len();
    assert_eq!((offered(0), offered(1), offered(2)), (1, 2, 1));
}
