//! Notices for failed runs.

use std::{sync::Arc, time::Duration};

use leptos::prelude::*;
use leptos_assistant::{
    ConfirmOptions, LabelName, Labels, ToolAction, ToolContext, ToolError,
    agent::{Failure, FailureKind, HttpAgent, Script},
    testing::{MockAgent, settle, until},
    use_assistant_action,
};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::support::{chat, register_with_approval};

#[wasm_bindgen_test]
async fn a_failure_is_an_alert_and_retry_repeats_the_request() {
    let failure = Failure::new(FailureKind::Http { status: 500 }, "HTTP 500");
    let agent = MockAgent::new()
        .fail(failure)
        .answer(Script::new().text("Better."));
    let chat = chat(agent, || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears("[role=alert]").await;
    assert_eq!(
        chat.page.text("[role=alert] .la-notice-text"),
        "Try again in a moment."
    );
    assert!(
        chat.page
            .text("[role=alert] details:not([open])")
            .contains("HTTP 500"),
        "the details contain the server's message"
    );
    assert!(chat.page.click("[role=alert] button"));
    chat.idle().await;
    assert_eq!(chat.page.count("[role=alert]"), 0);
    assert!(chat.page.text("[role=log]").contains("Better."));
    assert_eq!(
        chat.page.count("[data-role=user]"),
        1,
        "the question is shown once"
    );
    let inputs = chat.agent.inputs();
    assert_eq!(inputs[0].messages, inputs[1].messages);
    assert_ne!(inputs[0].run_id, inputs[1].run_id);
}

#[wasm_bindgen_test]
async fn a_busy_agent_shows_its_wait_and_retry_works_at_once() {
    let busy = Failure::new(FailureKind::Http { status: 429 }, "HTTP 429");
    let agent = MockAgent::new()
        .fail(busy.clone().with_retry_after_ms(4_200))
        .fail(busy)
        .answer(Script::new().text("Better."));
    let chat = chat(agent, || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears("[role=alert]").await;
    let shown = chat.page.text("[role=alert] .la-notice-text");
    assert_eq!(shown, "The assistant is busy. Try again in 5 s.");
    for shown in [
        "The assistant is busy or unavailable. Try again in a moment.",
        "",
    ] {
        assert!(chat.page.click("[role=alert] button"));
        chat.idle().await;
        assert_eq!(chat.page.text("[role=alert] .la-notice-text"), shown);
    }
    assert!(chat.page.text("[role=log]").contains("Better."));
}

#[wasm_bindgen_test]
async fn a_truncated_stream_keeps_its_text_and_shows_an_alert() {
    let chat = chat(
        MockAgent::new().answer(Script::new().text("Half an").cut()),
        || (),
    )
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears("[role=alert]").await;
    assert!(chat.page.text("[role=log]").contains("Half an"));
    assert_eq!(chat.page.count("[data-streaming]"), 0);
}

/// Rule "the run limit"
#[wasm_bindgen_test]
async fn the_run_limit_stops_the_loop_and_continue_sends_the_results() {
    let mut agent = MockAgent::new();
    for _ in 0..3 {
        agent = agent.answer(Script::new().call("again", &json!({})));
    }
    let agent = agent.answer(Script::new().text("At last."));
    let options = leptos_assistant::SessionOptions::default()
        .stop_when(leptos_assistant::StopCondition::RunCount(2));
    let chat = super::support::chat_with(agent, options, || {
        use_assistant_action(
            ToolAction::new("again", "").handler(|_: Value| async { Ok::<_, ToolError>(1) }),
        );
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(chat.agent.inputs().len(), 2);
    assert!(
        chat.page
            .text(".la-notice")
            .contains("Paused after 2 steps")
    );
    assert!(chat.page.click(".la-notice button"));
    chat.idle().await;
    assert_eq!(chat.results(2), ["1", "1"]);
    assert!(chat.page.text("[role=log]").contains("At last."));
}

/// A wrong address leads to a clear message.
#[wasm_bindgen_test]
async fn an_unreachable_address_shows_a_notice_with_retry() {
    let chat = chat(MockAgent::new(), || ()).await;
    chat.assistant
        .set_agent(HttpAgent::new("http://127.0.0.1:9/"));
    chat.assistant.send("go").unwrap();
    chat.appears("[role=alert]").await;
    assert!(
        chat.page
            .text("[role=alert]")
            .contains("could not be reached")
    );
    assert_eq!(
        chat.assistant.notices().get_untracked()[0].action(),
        Some(leptos_assistant::NoticeAction::Retry)
    );
}

/// A program that has ended responds to nothing: the chat says so, and offers nothing else.
#[wasm_bindgen_test]
async fn a_stopped_chat_shows_an_alert_with_a_reload_link() {
    let chat = chat(MockAgent::new(), || ()).await;
    for _ in 0..2 {
        leptos_assistant::chat::show_stopped(&Labels::default());
    }
    assert_eq!(chat.page.count(".la-stopped[role=alert]"), 1);
    assert_eq!(chat.page.text(".la-chat-status"), "The chat has stopped");
    assert_eq!(chat.page.text(".la-stopped a[href='']"), "Reload the page");
    assert_eq!(
        chat.page.count(".la-chat > :not([inert]):not(.la-stopped)"),
        0
    );
}

/// All of the chat's own texts are the application's labels.
#[wasm_bindgen_test]
async fn notices_use_the_labels_of_the_application() {
    let answer = Script::new().text("So far").wait(Duration::from_secs(60));
    let words = || {
        Labels::default().with([
            (LabelName::NoticeStopped, "Angehalten."),
            (LabelName::NoticeUnreachable, "Nicht zu erreichen."),
            (LabelName::Details, "Genaueres"),
        ])
    };
    let agent = MockAgent::new().answer(answer);
    let chat = chat(agent, move || provide_context(Arc::new(words()))).await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-message[data-role=assistant]").await;
    chat.assistant.stop().unwrap();
    chat.appears(".la-notice").await;
    assert_eq!(chat.page.text(".la-notice-body"), "Angehalten.");
    chat.assistant
        .set_agent(HttpAgent::new("http://127.0.0.1:9/"));
    chat.assistant.send("again").unwrap();
    chat.appears("[role=alert]").await;
    let shown = chat.page.text(".la-notice-body");
    assert!(shown.starts_with("Nicht zu erreichen.Genaueres"), "{shown}");
    assert!(shown.contains("http://127.0.0.1:9/"), "{shown}");
}

/// An agent's error message can neither reorder or hide surrounding text, nor fill the page.
#[wasm_bindgen_test]
async fn an_error_message_in_a_notice_is_bounded_and_shows_hidden_characters() {
    let message = "Paid.\u{202e}deliaf\u{202c} \u{200b}Ask \u{e0041}again";
    let long = format!("{message} {}", "x".repeat(100_000));
    let http = Failure::new(FailureKind::Http { status: 500 }, long.clone());
    let agent = MockAgent::new()
        .answer(Script::new().error(message))
        .answer(Script::new().error(&long))
        .fail(http);
    let chat = chat(agent, || ()).await;
    for (place, most) in [
        (".la-notice-text", 100),
        (".la-notice-details pre", 4_100),
        (".la-notice-details pre", 4_100),
    ] {
        chat.assistant.send("go").unwrap();
        chat.appears(&format!("[role=alert] {place}")).await;
        let text = chat.page.text(&format!("[role=alert] {place}"));
        for code in ["U+202E", "U+202C", "U+200B", "U+E0041"] {
            assert!(text.contains(code), "{code} in {text}");
        }
        let hidden = |c: char| ('\u{2000}'..='\u{206f}').contains(&c) && c != '\u{2026}';
        assert!(!text.contains(hidden), "{text}");
        assert!(text.chars().count() < most, "{}", text.chars().count());
        chat.page.click("[role=alert] button:last-child");
        settle().await;
    }
}

/// Retry is announced, because its button is removed on click.
#[wasm_bindgen_test]
async fn retry_is_announced_and_moves_the_focus_to_the_composer() {
    let agent = MockAgent::new()
        .fail(Failure::new(FailureKind::Http { status: 500 }, "HTTP 500"))
        .answer(Script::new().text("Back."));
    let chat = chat(agent, || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-notice[role=alert]").await;
    let retry = chat.page.find(".la-notice-actions .la-button").unwrap();
    assert_eq!(retry.text_content().as_deref(), Some("Retry"));
    retry.focus().unwrap();
    retry.click();
    let announced = || chat.page.text("[data-speech=status]");
    assert!(
        until(|| announced().contains("Trying again")).await,
        "{}",
        announced()
    );
    let active = document().active_element().unwrap();
    assert!(active.class_list().contains("la-composer-input"));
    chat.idle().await;
}

/// Some screen readers announce an element with the role `status` even if it is empty.
#[wasm_bindgen_test]
async fn no_empty_element_has_the_role_status() {
    let agent = MockAgent::new().answer(Script::new().call("deploy", &json!({"to": "here"})));
    let chat = chat(agent, || {
        register_with_approval("deploy");
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.reads(".la-approval").await;
    let found = chat.page.root.query_selector_all("[role=status]").unwrap();
    for at in 0..found.length() {
        let text = found.item(at).unwrap().text_content().unwrap_or_default();
        assert!(!text.trim().is_empty(), "{}", chat.page.root.inner_html());
    }
}

/// Everything outside of a modal dialog is inert, so announcements are made inside of it.
#[wasm_bindgen_test]
async fn an_open_dialog_contains_the_announcements() {
    let agent = MockAgent::new().answer(Script::new().call("drop", &json!({})).text("Before."));
    let chat = chat(agent, || {
        use_assistant_action(ToolAction::new("drop", "").handler(
            |_: Value, cx: ToolContext| async move {
                let sure = cx.confirm(ConfirmOptions::new("Sure?")).await;
                Ok::<_, ToolError>(sure)
            },
        ));
        use_assistant_action(
            ToolAction::new("late", "")
                .title("Late tool")
                .handler(|_: Value| async { Err::<u32, _>(ToolError::new("no")) }),
        );
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears("dialog[open]").await;
    let announced = || chat.page.text("dialog .la-dialog-live");
    assert!(!announced().contains("Late"), "{}", announced());
    let assistant = chat.assistant.clone();
    leptos::task::spawn_local(async move { drop(assistant.execute("late", json!({})).await) });
    assert!(
        until(|| announced().contains("Failed: Late tool. no")).await,
        "{}",
        announced()
    );
}

/// A tool of the agent that reports its failure in its result is announced as failed, with the
/// reason.
#[wasm_bindgen_test]
async fn a_failed_tool_of_the_agent_is_announced_with_its_reason() {
    let result =
        json!({"isError": true, "content": [{"type": "text", "text": "The disk is full"}]});
    let script = Script::new()
        .call_as("b", "backup", "{}")
        .result("b", result.to_string())
        .text("It did not work.");
    let chat = chat(MockAgent::new().answer(script), || ()).await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let announced = || chat.page.text(".la-announcer");
    let expected = "Failed: backup. The disk is full";
    assert!(
        until(|| announced().contains(expected)).await,
        "{}",
        announced()
    );
    let card = chat.page.find(".la-tool-card").unwrap();
    assert_eq!(card.get_attribute("data-tone").as_deref(), Some("error"));
    assert_eq!(chat.page.text(".la-tool-reason"), "The disk is full");
}

/// The card of an action shows a result from the agent as its report, whatever it says.
#[wasm_bindgen_test]
async fn a_failure_that_the_agent_reports_for_an_action_of_the_page_is_not_announced() {
    let result = json!({"isError": true, "content": [{"type": "text", "text": "No money"}]});
    let script = Script::new()
        .call_as("b", "backup", "{}")
        .result("b", result.to_string())
        .call_as("a", "pay", "{}")
        .result("a", result.to_string())
        .text("It did not work.");
    let chat = chat(MockAgent::new().answer(script), || {
        use_assistant_action(
            ToolAction::new("pay", "").handler(|_: Value| async { Ok::<_, ToolError>("never") }),
        );
    })
    .await;
    chat.assistant.send("go").unwrap();
    let mut announced = Vec::new();
    for _ in 0..40 {
        settle().await;
        announced.push(chat.page.text(".la-announcer").to_lowercase());
    }
    let announces = |words: &str| announced.iter().any(|text| text.contains(words));
    assert!(announces("failed: backup"), "{announced:?}");
    assert!(!announces("failed: pay"), "{announced:?}");
    let status = chat.page.text("[data-tool-name=pay] .la-tool-status");
    assert_eq!(status, "Reported by the assistant");
}
