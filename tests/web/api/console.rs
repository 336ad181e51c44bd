//! Console errors and visible effects of mistakes in an application.

use leptos::prelude::*;
use leptos_assistant::{
    ChatWindow, SessionOptions, StopCondition, ToolAction, ToolCallView, ToolError,
    testing::{MockAgent, mount, settle},
    use_assistant_action, use_assistant_context, use_part_renderer,
};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{act, calls};
use crate::support::{chat, chat_with, console_errors};

#[wasm_bindgen_test]
async fn hooks_outside_a_provider_log_an_error_with_their_name() {
    let console = console_errors();
    let page = mount(|| {
        use_assistant_action(act());
        use_assistant_context("The page", "here");
        use_part_renderer("weather", |_| ());
        view! { <ChatWindow /> }
    });
    settle().await;
    let logged = console.take();
    assert_eq!(logged.len(), 4, "{logged:?}");
    let names = [
        "use_assistant_action",
        "use_assistant_context",
        "use_part_renderer",
        "ChatWindow",
    ];
    for (logged, name) in logged.iter().zip(names) {
        assert!(
            logged.starts_with(name) && logged.contains("<AssistantProvider>"),
            "{logged}"
        );
    }
    assert!(
        logged[0].contains("(act)"),
        "the action is named: {logged:?}"
    );
    assert_eq!(
        page.count("[data-assistant-chat]"),
        1,
        "an empty shell is shown"
    );
}

#[wasm_bindgen_test]
async fn an_invalid_tool_name_logs_an_error() {
    let console = console_errors();
    let chat = chat(MockAgent::new(), || {
        use_assistant_action(ToolAction::new("no name", ""));
    })
    .await;
    let logged = console.take();
    assert_eq!(logged.len(), 1);
    assert!(logged[0].contains("no name"), "{logged:?}");
    assert!(chat.assistant.tools().offered().get_untracked().is_empty());
}

#[wasm_bindgen_test]
async fn a_missing_stop_rule_logs_an_error() {
    let options = SessionOptions::default().stop_when(StopCondition::Rule("budget".into()));
    let agent = MockAgent::new().answer(calls(json!({})));
    let chat = chat_with(agent, options, || use_assistant_action(act())).await;
    let console = console_errors();
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let logged = console.take();
    assert!(
        logged[0].contains("budget") && logged[0].contains("set_stop_rule"),
        "{logged:?}"
    );
    assert_eq!(chat.agent.inputs().len(), 2, "it ends nothing");
}

/// Returns the tone and the text of a call's card.
async fn card_tone_and_status(result: Value) -> (Option<String>, String) {
    let chat = chat(MockAgent::new().answer(calls(json!({}))), move || {
        let result = result.clone();
        let work = move |_: Value| {
            let result = result.clone();
            async move { Ok::<_, ToolError>(result) }
        };
        use_assistant_action(ToolAction::new("act", "").handler(work));
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let card = chat.page.find(".la-tool-card").unwrap();
    (
        card.get_attribute("data-tone"),
        chat.page.text(".la-tool-status"),
    )
}

#[wasm_bindgen_test]
async fn a_result_that_reports_failure_renders_as_failed() {
    assert_eq!(
        card_tone_and_status(json!({"success": true, "error": null})).await,
        (None, "Done".into())
    );
    for result in [
        json!({"success": false}),
        json!({"error": "no funds"}),
        json!({"isError": true, "content": []}),
        json!({"status": "error", "error_message": "no funds"}),
        json!("Error: Function failed."),
    ] {
        assert_eq!(
            card_tone_and_status(result).await,
            (Some("error".into()), "Failed".into())
        );
    }
}

#[wasm_bindgen_test]
async fn a_failed_renderer_shows_its_error_above_the_default_card() {
    let chat = chat(MockAgent::new().answer(calls(json!({}))), || {
        let fails = |_: ToolCallView| Err::<(), _>(std::io::Error::other("no chart"));
        use_assistant_action(act().render(fails));
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let shown = chat
        .page
        .text(".la-render-error > [data-tone=error][role=alert]");
    assert!(shown.contains("no chart"), "{shown}");
    assert_eq!(
        chat.page
            .text(".la-render-error > .la-tool-card .la-tool-name"),
        "act"
    );
}
