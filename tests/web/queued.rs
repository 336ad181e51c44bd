//! Messages of the user that wait until an answer to the agent was sent.

use std::time::Duration;

use leptos::prelude::*;
use leptos_assistant::{
    NoticeAction,
    agent::{Failure, FailureKind, Script},
    testing::{MockAgent, settle, until},
};
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    interrupts::answer,
    support::{Chat, chat, question},
};

fn lost() -> Failure {
    Failure::new(FailureKind::Network, "no connection")
}

/// Mounts a chat whose answer to a question did not reach the agent.
async fn unanswered(then: impl Fn(MockAgent) -> MockAgent) -> Chat {
    let asks = vec![question("q", None, json!({"type": "boolean"}))];
    let agent = MockAgent::new().answer(Script::new().text("Well?").interrupt(asks));
    let chat = chat(then(agent.fail(lost())), || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-question").await;
    answer(&chat, ".la-question", "Yes").await;
    chat.appears(".la-notice[role=alert]").await;
    chat
}

#[wasm_bindgen_test]
async fn a_message_waits_in_sight_until_the_answer_is_out() {
    let chat = unanswered(|agent| {
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
async fn retrying_a_failed_answer_keeps_what_was_said_since() {
    let chat = unanswered(|agent| {
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
    let offered = chat.assistant.notices().get_untracked()[0].action;
    assert_eq!(offered, Some(NoticeAction::Retry));
    chat.assistant.retry().unwrap();
    assert!(until(|| chat.agent.inputs().len() == 5).await);
    chat.idle().await;
    let log = chat.page.text("[role=log]");
    let place = |text| log.find(text).unwrap_or_else(|| panic!("{text} in {log}"));
    assert!(place("Good.") < place("and hurry") && place("and hurry") < place("At once."));
    assert_eq!(chat.page.count("[data-pending]"), 0);
}
