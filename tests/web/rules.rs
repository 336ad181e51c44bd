//! Stop conditions of the loop, and their notices.

use std::{cell::Cell, rc::Rc};

use leptos_assistant::{
    SessionOptions, StopCondition, ToolAction, ToolError,
    agent::Script,
    testing::{MockAgent, settle},
    use_assistant, use_assistant_action,
};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    interrupts::{answer, click},
    support::{Chat, chat, chat_with, question},
};

fn again() {
    use_assistant_action(
        ToolAction::new("again", "").handler(|_: Value| async { Ok::<_, ToolError>(1) }),
    );
}

async fn looping(stop_when: StopCondition, setup: impl Fn() + Send + Sync + 'static) -> Chat {
    let call = || Script::new().call("again", &json!({}));
    let agent = MockAgent::new().answer(call()).answer(call());
    let options = SessionOptions::default().stop_when(stop_when);
    let chat = chat_with(agent.answer(Script::new().text("At last.")), options, setup).await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    chat
}

#[wasm_bindgen_test]
async fn a_stop_rule_of_the_application_ends_the_loop() {
    let free = Rc::new(Cell::new(true));
    let slot = send_wrapper::SendWrapper::new(Rc::clone(&free));
    let chat = looping(StopCondition::Rule("enough".into()), move || {
        again();
        let assistant = use_assistant().unwrap();
        let (handle, slot) = (assistant.clone(), Rc::clone(&slot));
        assistant.set_stop_rule("enough", move |summary| {
            slot.set(handle.with_conversation(|_| ()).is_some());
            summary.runs().len() == 2
        });
    })
    .await;
    assert!(!free.get(), "a rule gets the summary and nothing else");
    assert_eq!(chat.agent.inputs().len(), 2);
    let shown = chat.page.text(".la-notice:not([role])");
    assert!(shown.contains("Paused. Continue?"), "{shown}");
    assert!(!shown.contains("maximum"), "no limit was reached: {shown}");
    click(&chat, ".la-notice", "Continue");
    chat.idle().await;
    assert!(chat.page.text("[role=log]").contains("At last."));
}

#[wasm_bindgen_test]
async fn a_missing_stop_rule_does_not_end_the_loop() {
    let chat = looping(StopCondition::Rule("unknown".into()), again).await;
    assert_eq!(chat.agent.inputs().len(), 3);
    assert_eq!(chat.page.count(".la-notice"), 0);
}

/// An answer to the agent is sent regardless of the limit; the notice names the limit anyway.
#[wasm_bindgen_test]
async fn the_notice_of_a_run_limit_names_the_limit() {
    let agent = MockAgent::new()
        .answer(Script::new().interrupt(vec![question("q", None, json!({"type": "boolean"}))]))
        .answer(Script::new().call("again", &json!({})));
    let options = SessionOptions::default().stop_when(StopCondition::Any(vec![
        StopCondition::HasToolCall("other".into()),
        StopCondition::RunCount(1),
    ]));
    let chat = chat_with(agent, options, again).await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-question").await;
    answer(&chat, ".la-question", "Yes").await;
    chat.idle().await;
    let shown = chat.page.text(".la-notice");
    assert!(shown.contains("Paused after 1 step."), "{shown}");
}

#[wasm_bindgen_test]
async fn results_of_an_imported_conversation_are_sent_on_continue() {
    let chat = looping(StopCondition::RunCount(1), again).await;
    assert_eq!(chat.agent.inputs().len(), 1);
    let saved = chat.assistant.export();
    let chat = super::support::chat(MockAgent::new(), again).await;
    chat.assistant.import(saved).unwrap();
    settle().await;
    let shown = chat.page.text(".la-notice:not([role])");
    assert!(shown.contains("hasn't seen the last results"), "{shown}");
    assert_eq!(chat.agent.inputs().len(), 0);
    click(&chat, ".la-notice", "Continue");
    chat.idle().await;
    assert_eq!(chat.results(0), ["1"]);
}

#[wasm_bindgen_test]
async fn a_reused_call_id_shows_a_warning() {
    let call = || Script::new().call_as("c1", "again", "{}");
    let agent = MockAgent::new()
        .answer(call())
        .answer(Script::new().text("Once."))
        .answer(call());
    let chat = chat(agent, again).await;
    for text in ["one", "two"] {
        chat.assistant.send(text).unwrap();
        chat.idle().await;
    }
    let shown = chat.page.text(".la-notice[data-tone=warning]");
    assert!(shown.contains("repeated an earlier step"), "{shown}");
}
