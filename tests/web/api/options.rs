//! `SessionOptions` passed to a provider.

use leptos::prelude::*;
use leptos_assistant::{
    SessionOptions, ToolAction, ToolError,
    agent::Script,
    testing::{MockAgent, settle, until},
    use_assistant_action,
};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::support::{Chat, chat_with};

/// Mounts a chat with two parallel calls of one action; returns how many ran at once.
async fn two_calls(options: SessionOptions) -> (Chat, u32) {
    let (now, most) = (RwSignal::new(0), RwSignal::new(0));
    let script = Script::new()
        .call("act", &json!({"n": 1}))
        .call("act", &json!({"n": 2}));
    let chat = chat_with(MockAgent::new().answer(script), options, move || {
        let work = move |args: Value| async move {
            now.update(|count| *count += 1);
            most.update(|most| *most = now.get_untracked().max(*most));
            settle().await;
            now.update(|count| *count -= 1);
            Ok::<_, ToolError>(args["n"].clone())
        };
        use_assistant_action(ToolAction::new("act", "").handler(work));
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    (chat, most.get_untracked())
}

#[wasm_bindgen_test]
async fn the_sequential_option_runs_calls_one_by_one() {
    let (chat, most) = two_calls(SessionOptions::default()).await;
    assert_eq!((chat.results(1), most), (vec!["1".into(), "2".into()], 2));
    drop(chat);
    let options = SessionOptions::default().sequential(true);
    let (chat, most) = two_calls(options).await;
    assert_eq!((chat.results(1), most), (vec!["1".into(), "2".into()], 1));
}

#[wasm_bindgen_test]
async fn the_eager_option_runs_calls_while_the_agent_streams() {
    let ran = RwSignal::new(false);
    let options = SessionOptions::default().eager(true);
    let long = Script::new()
        .call("act", &json!({}))
        .wait(std::time::Duration::from_secs(60));
    let chat = chat_with(MockAgent::new().answer(long), options, move || {
        use_assistant_action(ToolAction::new("act", "").handler(move |_: Value| ran.set(true)));
    })
    .await;
    chat.assistant.send("go").unwrap();
    assert!(until(move || ran.get_untracked()).await);
    assert!(chat.assistant.activity().get_untracked().is_streaming());
}
