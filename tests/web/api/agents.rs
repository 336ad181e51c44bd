//! Agents: their options and their debug output.

use std::time::Duration;

use leptos_assistant::{
    ToolAction,
    agent::{Script, ScriptedAgent, last_user_text, results_since_user},
    testing::{FakeClock, MockAgent, settle, until},
    use_assistant_action,
};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::support::chat;

#[wasm_bindgen_test]
async fn pace_delays_each_word() {
    let chat = chat(MockAgent::new(), || ()).await;
    let clock = FakeClock::at(0);
    let agent = ScriptedAgent::new(|_| Script::new().text("one two three"));
    chat.assistant.set_agent(agent.pace(Duration::from_secs(1)));
    chat.assistant.send("go").unwrap();
    let shown = || chat.page.text("[data-role=assistant] .la-markdown");
    for words in ["one", "one two", "one two three"] {
        assert!(until(|| shown() == words).await, "{}", shown());
        settle().await;
        assert_eq!(shown(), words);
        clock.advance(Duration::from_secs(1));
    }
    chat.idle().await;
}

#[wasm_bindgen_test]
async fn a_script_reads_the_last_message_and_its_results() {
    let chat = chat(MockAgent::new(), || {
        use_assistant_action(ToolAction::new("add", "").handler(|_: Value| 3));
    })
    .await;
    chat.assistant.set_agent(ScriptedAgent::new(|input| {
        let question = last_user_text(input);
        match results_since_user(input).as_slice() {
            [] => Script::new().call("add", &json!({})),
            [(tool, result)] => Script::new().text(format!("{question}: {tool} gives {result}")),
            more => Script::new().text(format!("{} results", more.len())),
        }
    }));
    for question in ["one", "two"] {
        chat.assistant.send(question).unwrap();
        chat.idle().await;
        let answer = format!("{question}: add gives 3");
        assert!(chat.page.root.text_content().unwrap().contains(&answer));
    }
}

#[cfg(feature = "callouts")]
#[wasm_bindgen_test]
async fn transcript_gives_one_fixed_answer() {
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
