//! Agents: their options, and what they say of themselves.

use std::time::Duration;

use leptos_assistant::{
    agent::{Script, ScriptedAgent},
    testing::{FakeClock, MockAgent, settle, until},
};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::support::chat;

#[wasm_bindgen_test]
async fn pace_waits_between_the_words() {
    let chat = chat(MockAgent::new(), || ()).await;
    let clock = FakeClock::at(0);
    let agent = ScriptedAgent::new(|_| Script::new().text("one two three"));
    chat.assistant.set_agent(agent.pace(Duration::from_secs(1)));
    chat.assistant.send("go").unwrap();
    let said = || chat.page.text("[data-role=assistant] .la-markdown");
    for words in ["one", "one two", "one two three"] {
        assert!(until(|| said() == words).await, "{}", said());
        settle().await;
        assert_eq!(said(), words);
        clock.advance(Duration::from_secs(1));
    }
    chat.idle().await;
}

#[cfg(feature = "callouts")]
#[wasm_bindgen_test]
async fn transcript_gives_one_answer_to_whatever_is_said() {
    let chat = chat(MockAgent::new(), || ()).await;
    chat.assistant
        .set_agent(ScriptedAgent::transcript("What a *day*."));
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(
        chat.page.text("[data-role=assistant] .la-markdown"),
        "What a day."
    );
}
