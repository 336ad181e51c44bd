//! Agents of other protocols, from the request to the card and back.
//!
//! No server is involved: the page's `fetch` is replaced.

use leptos::prelude::*;
use leptos_assistant::{
    Approval, SessionOptions, ToolAction,
    agent::{Agent, CompletionsAgent, UiStreamAgent},
    use_assistant_action,
};
use serde::Deserialize;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    http::{Server, error, events, stream},
    support::{Chat, chat_of},
};

#[derive(Deserialize)]
struct Place {
    city: String,
}

async fn chat_with(agent: impl Agent + Clone) -> Chat {
    chat_of(agent, SessionOptions::default(), || {
        use_assistant_action(
            ToolAction::new("get_weather", "Looks up the weather")
                .parameters(json!({"type": "object", "properties": {"city": {"type": "string"}}}))
                .handler(|place: Place| format!("sunny in {}", place.city)),
        );
        use_assistant_action(
            ToolAction::new("delete_all", "Deletes all")
                .handler(|| "deleted")
                .approval(Approval::Always),
        );
    })
    .await
}

fn ui_call(name: &str) -> Value {
    stream(&events(&[
        json!({"type": "start", "messageId": "a1"}),
        json!({"type": "start-step"}),
        json!({"type": "text-start", "id": "t"}),
        json!({"type": "text-delta", "id": "t", "delta": "Looking."}),
        json!({"type": "text-end", "id": "t"}),
        json!({"type": "tool-input-start", "toolCallId": "c1", "toolName": name}),
        json!({"type": "tool-input-delta", "toolCallId": "c1", "inputTextDelta": "{\"city\":\"Oslo\"}"}),
        json!({"type": "tool-input-available", "toolCallId": "c1", "toolName": name, "input": {"city": "Oslo"}}),
        json!({"type": "finish-step"}),
        json!({"type": "finish"}),
    ]))
}

fn ui_text(text: &str) -> Value {
    stream(&events(&[
        json!({"type": "start", "messageId": "a1"}),
        json!({"type": "start-step"}),
        json!({"type": "text-start", "id": "t2"}),
        json!({"type": "text-delta", "id": "t2", "delta": text}),
        json!({"type": "text-end", "id": "t2"}),
        json!({"type": "finish-step"}),
        json!({"type": "finish"}),
    ]))
}

#[wasm_bindgen_test]
async fn an_ai_sdk_backend_calls_a_tool_of_the_page() {
    let server = Server::answers([ui_call("get_weather"), ui_text("It is sunny.")]);
    let chat = chat_with(UiStreamAgent::ui_stream("/api/chat")).await;
    chat.assistant.send("weather?").unwrap();
    chat.idle().await;
    let page = chat.page.text("[role=log]");
    assert!(
        page.contains("Looking.") && page.contains("It is sunny."),
        "{page}"
    );
    assert_eq!(server.count(), 2);
    let sent = server.body(1);
    let parts = sent["messages"][1]["parts"].as_array().unwrap();
    let call = parts
        .iter()
        .find(|part| part["type"] == "tool-get_weather")
        .unwrap();
    assert_eq!(call["state"], "output-available");
    assert_eq!(
        (&call["toolCallId"], &call["output"]),
        (&json!("c1"), &json!("sunny in Oslo"))
    );
    assert_eq!(call["input"], json!({"city": "Oslo"}));
}

#[wasm_bindgen_test]
async fn approvals_apply_to_calls_of_an_ai_sdk_backend() {
    let server = Server::answers([ui_call("delete_all"), ui_text("All right.")]);
    let chat = chat_with(UiStreamAgent::ui_stream("/api/chat")).await;
    chat.assistant.send("delete").unwrap();
    chat.appears(".la-approval").await;
    assert_eq!(server.count(), 1);
    let call = chat.assistant.pending_approvals().get_untracked()[0];
    chat.assistant.deny(&call, None).unwrap();
    chat.idle().await;
    let sent = server.body(1).to_string();
    assert!(
        sent.contains("denied") && !sent.contains("deleted\""),
        "{sent}"
    );
}

#[wasm_bindgen_test]
async fn the_session_runs_the_loop_against_a_completions_endpoint() {
    let chunk = |delta: Value, finish: Value| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
    let call = |args: &str, head: bool| match head {
        true => json!({"tool_calls": [{"index": 0, "id": "c1", "type": "function",
            "function": {"name": "get_weather", "arguments": args}}]}),
        false => json!({"tool_calls": [{"index": 0, "function": {"arguments": args}}]}),
    };
    let calls = events(&[
        chunk(call("{\"city\":", true), Value::Null),
        chunk(call("\"Oslo\"}", false), Value::Null),
        chunk(json!({}), json!("tool_calls")),
    ]);
    let says = events(&[
        chunk(json!({"content": "It is sunny."}), Value::Null),
        chunk(json!({}), json!("stop")),
    ]);
    let done = |body: String| stream(&format!("{body}data: [DONE]\n\n"));
    let server = Server::answers([done(calls), done(says)]);
    let chat = chat_with(CompletionsAgent::completions("/v1/", "small")).await;
    chat.assistant.send("weather?").unwrap();
    chat.idle().await;
    assert!(chat.page.text("[role=log]").contains("It is sunny."));
    let first = server.body(0);
    assert_eq!(
        (&first["model"], &first["stream"]),
        (&json!("small"), &json!(true))
    );
    assert_eq!(first["tools"][0]["function"]["name"], "get_weather");
    let sent = server.body(1)["messages"].as_array().unwrap().clone();
    let result = sent
        .iter()
        .find(|message| message["role"] == "tool")
        .unwrap();
    assert_eq!(
        (&result["tool_call_id"], &result["content"]),
        (&json!("c1"), &json!("\"sunny in Oslo\""))
    );
}

#[wasm_bindgen_test]
async fn a_refused_api_key_shows_a_notice_and_can_be_retried() {
    let refused = error(401, r#"{"error":{"message":"no such key"}}"#, json!({}));
    let server = Server::answers([refused, stream("data: [DONE]\n\n")]);
    let chat = chat_with(CompletionsAgent::completions("/v1", "small")).await;
    chat.assistant.send("hi").unwrap();
    chat.idle().await;
    assert!(chat.page.text(".la-chat-notices").contains("no such key"));
    chat.assistant.retry().unwrap();
    chat.idle().await;
    assert_eq!(server.count(), 2);
}
