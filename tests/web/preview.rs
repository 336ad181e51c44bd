//! Rule "preview": the preview of a call is on its card, and the approval applies to it.

use std::time::Duration;

use leptos::prelude::*;
use leptos_assistant::{
    Approval, ToolAction,
    agent::Script,
    testing::{FakeClock, MockAgent, settle, until},
    use_assistant_action,
};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    approval::{button, deny},
    interrupts::fill,
    support::{Chat, chat},
};

/// Mounts a chat whose agent empties a folder with this many files; counts the runs.
async fn emptying(files: RwSignal<Result<u32, &'static str>>) -> (Chat, RwSignal<u32>) {
    let emptied = RwSignal::new(0);
    let agent = MockAgent::new()
        .answer(Script::new().call("empty", &json!({"path": "/tmp"})))
        .answer(Script::new().text("Done."));
    let chat = chat(agent, move || {
        use_assistant_action(
            ToolAction::new("empty", "Empties a folder")
                .approval(Approval::Always)
                .handler(move |_: Value| emptied.update(|count| *count += 1))
                .preview(move |args: Value| async move {
                    let path = args["path"].as_str().unwrap_or_default().to_owned();
                    let files = files.get_untracked()?;
                    Ok::<_, &str>(format!("{files} files of {path}"))
                }),
        );
    })
    .await;
    chat.assistant.send("Empty it").unwrap();
    chat.appears(".la-approval [data-kind=preview]").await;
    (chat, emptied)
}

#[wasm_bindgen_test]
async fn an_approval_is_void_if_the_preview_has_changed() {
    let files = RwSignal::new(Ok(2));
    let (chat, emptied) = emptying(files).await;
    let preview = || chat.page.text(".la-approval [data-kind=preview]");
    assert_eq!(preview(), "2 files of /tmp");
    assert_eq!(chat.page.count(".la-approval-preview pre"), 0, "a sentence");
    chat.reads(".la-approval").await;
    // A file is added meanwhile.
    files.set(Ok(3));
    button(&chat, "Approve").click();
    assert!(until(|| preview() == "3 files of /tmp").await);
    assert_eq!(emptied.get_untracked(), 0);
    assert!(chat.page.text(".la-approval-changed").contains("changed"));
    chat.reads(".la-approval").await;
    button(&chat, "Approve").click();
    chat.idle().await;
    assert_eq!(emptied.get_untracked(), 1);
}

#[wasm_bindgen_test]
async fn the_preview_is_checked_again_before_the_call_runs() {
    let (looks, ready, ran) = (RwSignal::new(0), RwSignal::new(true), RwSignal::new(0));
    let agent = MockAgent::new().answer(Script::new().call("empty", &json!({})));
    let chat = chat(agent, move || {
        use_assistant_action(
            ToolAction::new("empty", "Empties a folder")
                .approval(Approval::Always)
                .handler(move |_: Value| ran.update(|count| *count += 1))
                .preview(move |_: Value| async move {
                    looks.update(|count| *count += 1);
                    until(move || ready.get_untracked()).await;
                    Ok::<_, String>("2 files")
                }),
        );
    })
    .await;
    chat.assistant.send("Empty it").unwrap();
    chat.reads(".la-approval").await;
    let key = chat.assistant.pending_approvals().get_untracked()[0];
    let call = chat.assistant.tool_call(&key).unwrap();
    assert!(call.has_preview() && !call.is_checking_preview());
    assert_eq!(call.preview(), Some(Ok(json!("2 files"))));
    ready.set(false);
    button(&chat, "Approve").click();
    assert!(until(|| call.is_checking_preview()).await);
    assert!(until(|| looks.get_untracked() == 2).await);
    assert!(call.is_checking_preview());
    assert_eq!(ran.get_untracked(), 0);
    ready.set(true);
    chat.idle().await;
    assert!(!call.is_checking_preview());
    assert_eq!(ran.get_untracked(), 1);
}

#[wasm_bindgen_test]
async fn a_preview_that_arrives_after_the_card_is_not_a_change() {
    let ready = RwSignal::new(false);
    let agent = MockAgent::new().answer(Script::new().call("empty", &json!({})));
    let chat = chat(agent, move || {
        use_assistant_action(
            ToolAction::new("empty", "Empties a folder")
                .approval(Approval::Always)
                .handler(|_: Value| ())
                .preview(move |_: Value| async move {
                    until(move || ready.get_untracked()).await;
                    Ok::<_, String>("2 files")
                }),
        );
    })
    .await;
    chat.assistant.send("Empty it").unwrap();
    chat.appears(".la-approval").await;
    assert_eq!(chat.page.count("[data-kind=preview]"), 0);
    ready.set(true);
    chat.appears(".la-approval [data-kind=preview]").await;
    assert_eq!(chat.page.text(".la-approval-changed"), "");
}

/// Rules "preview", "editing before approving"
#[wasm_bindgen_test]
async fn edited_arguments_are_reviewed_in_one_step() {
    let files = RwSignal::new(Ok(2));
    let (chat, emptied) = emptying(files).await;
    let preview = || chat.page.text(".la-approval [data-kind=preview]");
    let note = || chat.page.text(".la-approval-changed");
    chat.reads(".la-approval").await;
    button(&chat, "Change…").click();
    let field = ".la-approval form :is(input, textarea)";
    chat.appears(field).await;
    fill(&chat, field, "{\"path\": \"/var/tmp\"}");
    chat.reads(".la-approval").await;
    button(&chat, "Review").click();
    assert!(until(|| preview() == "2 files of /var/tmp").await);
    assert_eq!(chat.page.count(".la-approval form"), 0);
    assert_eq!(note(), "You changed this. Check it and approve.");
    let focused = || document().active_element().unwrap();
    assert!(until(|| focused().matches(".la-approval").unwrap()).await);
    assert_eq!(emptied.get_untracked(), 0);
    // A change by anything else is another note.
    chat.reads(".la-approval").await;
    files.set(Ok(3));
    button(&chat, "Approve").click();
    assert!(until(|| preview() == "3 files of /var/tmp").await);
    assert!(note().contains("details changed"), "{}", note());
    assert_eq!(emptied.get_untracked(), 0);
    chat.reads(".la-approval").await;
    button(&chat, "Approve").click();
    chat.idle().await;
    assert_eq!(emptied.get_untracked(), 1);
}

#[wasm_bindgen_test]
async fn a_failed_preview_is_reported_on_the_card() {
    let files = RwSignal::new(Ok(2));
    let (chat, emptied) = emptying(files).await;
    chat.reads(".la-approval").await;
    files.set(Err("The disk does not answer"));
    button(&chat, "Approve").click();
    let text = || chat.page.text(".la-approval-preview");
    assert!(until(|| text().contains("The disk does not answer")).await);
    assert_eq!(emptied.get_untracked(), 0);
    deny(&chat);
    chat.idle().await;
    assert_eq!(chat.results(1), ["\"denied\""]);
}

#[wasm_bindgen_test]
async fn a_preview_that_never_answers_fails_and_the_call_can_be_denied() {
    let clock = FakeClock::at(1_700_000_000_000);
    let agent = MockAgent::new()
        .answer(Script::new().call("empty", &json!({"path": "/tmp"})))
        .answer(Script::new().text("Kept."));
    let ran = RwSignal::new(0);
    let chat = chat(agent, move || {
        use_assistant_action(
            ToolAction::new("empty", "Empties a folder")
                .approval(Approval::Always)
                .handler(move |_: Value| ran.update(|count| *count += 1))
                .preview(|_: Value| std::future::pending::<Result<String, String>>()),
        );
    })
    .await;
    chat.assistant.send("Empty it").unwrap();
    chat.appears(".la-approval-preview").await;
    clock.advance(Duration::from_secs(19));
    settle().await;
    let preview = || chat.page.text(".la-approval-preview");
    assert!(!preview().contains("It took too long"), "{}", preview());
    clock.advance(Duration::from_secs(2));
    assert!(until(|| preview().contains("It took too long")).await);
    drop(clock);
    deny(&chat);
    chat.idle().await;
    assert_eq!(ran.get_untracked(), 0);
    assert!(chat.page.text("[role=log]").contains("Kept."));
}
