//! Exact text that grows: the streaming arguments in the default card.

use std::time::Duration;

use leptos_assistant::{
    agent::Script,
    event::EventKind,
    testing::{MockAgent, until},
};
use wasm_bindgen_test::wasm_bindgen_test;

use super::support::chat;

const ARGUMENTS: &str = "[data-kind=arguments]";

fn start() -> EventKind {
    EventKind::ToolCallStart {
        tool_call_id: "c".to_owned(),
        tool_call_name: "write".to_owned(),
        parent_message_id: None,
    }
}

fn delta(delta: &str) -> EventKind {
    EventKind::ToolCallArgs {
        tool_call_id: "c".to_owned(),
        delta: delta.to_owned(),
    }
}

/// Rendered blocks are kept, and new text is appended after them.
#[wasm_bindgen_test]
async fn streaming_arguments_are_appended_in_blocks() {
    let half = "\"väder, \u{202e}wind\" ".repeat(800);
    let end = EventKind::ToolCallEnd {
        tool_call_id: "c".to_owned(),
    };
    let agent = MockAgent::new().answer(
        Script::new()
            .event(start())
            .event(delta(&half))
            .wait(Duration::from_millis(600))
            .event(delta(&half))
            .event(end)
            .result("c", "done"),
    );
    let chat = chat(agent, || ()).await;
    chat.assistant.send("go").unwrap();
    let shown = half.replace('\u{202e}', "U+202E");
    chat.opens_card().await;
    let text = || chat.page.text(ARGUMENTS);
    assert!(
        until(|| text() == shown).await,
        "the first half: {}",
        text()
    );
    let first = chat.page.find(".la-exact-block").unwrap();
    let blocks = chat.page.count(".la-exact-block");
    assert!(blocks > 1, "{blocks} blocks");
    let whole = shown.repeat(2);
    assert!(until(|| text() == whole).await, "all of it");
    assert!(chat.page.count(".la-exact-block") > blocks);
    let still = chat.page.find(".la-exact-block").unwrap();
    assert!(still.is_same_node(Some(&first)));
    chat.idle().await;
}

/// A snapshot may replace the arguments.
#[wasm_bindgen_test]
async fn a_snapshot_replaces_the_shown_arguments() {
    use leptos_assistant::event::message_from_value;
    let call = serde_json::json!({
        "id": "a",
        "role": "assistant",
        "toolCalls": [{
            "id": "c",
            "type": "function",
            "function": { "name": "write", "arguments": "{\"other\": 2}" },
        }],
    });
    let messages = vec![message_from_value(call).unwrap()];
    let agent = MockAgent::new().answer(
        Script::new()
            .event(start())
            .event(delta("{\"one\": 1"))
            .wait(Duration::from_millis(600))
            .event(EventKind::MessagesSnapshot { messages })
            .result("c", "done"),
    );
    let chat = chat(agent, || ()).await;
    chat.assistant.send("go").unwrap();
    chat.opens_card().await;
    let text = || chat.page.text(ARGUMENTS);
    assert!(until(|| text() == "{\"one\": 1").await, "{}", text());
    chat.idle().await;
    // Another message holds it now, so it has a new card.
    chat.opens_card().await;
    assert!(until(|| text() == "{\"other\": 2}").await, "{}", text());
}
