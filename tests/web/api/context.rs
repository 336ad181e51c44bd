//! `ToolContext` and `Cancellation`.

use std::{cell::RefCell, rc::Rc, time::Duration};

use leptos::prelude::*;
use leptos_assistant::{
    ConfirmOptions, ToolAction, ToolCallView, ToolContext, ToolError,
    agent::Script,
    testing::{FakeClock, MockAgent, settle, until},
    use_assistant_action,
};
use send_wrapper::SendWrapper;
use serde_json::{Value, json};
use wasm_bindgen_futures::spawn_local;
use wasm_bindgen_test::wasm_bindgen_test;

use super::calls;
use crate::{
    interrupts::click,
    support::{Chat, chat},
};

/// Mounts a chat with a handler that never ends; returns its context.
async fn running(script: Script) -> (Chat, ToolContext) {
    let kept: Rc<RefCell<Option<ToolContext>>> = Rc::default();
    let place = SendWrapper::new(Rc::clone(&kept));
    let chat = chat(MockAgent::new().answer(script), move || {
        let place = place.clone();
        let keep = move |_: Value, context: ToolContext| {
            place.borrow_mut().replace(context);
            std::future::pending::<Result<(), ToolError>>()
        };
        let shows = |call: ToolCallView| {
            let early = move || call.preliminary::<String>().unwrap_or_default();
            view! { <p class="early">{early}</p> }
        };
        use_assistant_action(ToolAction::new("act", "").handler(keep).render(shows));
    })
    .await;
    chat.assistant.send("go").unwrap();
    assert!(until(|| kept.borrow().is_some()).await);
    let context = kept.borrow_mut().take().unwrap();
    (chat, context)
}

#[wasm_bindgen_test]
async fn a_context_identifies_its_call_and_message() {
    let script = Script::new().text("Well,").call_as("c-1", "act", "{}");
    let (chat, context) = running(script).await;
    assert_eq!((context.call_id(), context.iteration()), ("c-1", 0));
    let cell = chat.assistant.call(&context.call_key()).unwrap();
    assert_eq!(
        (cell.id(), cell.name().get_untracked().as_str()),
        ("c-1", "act")
    );
    let listed = chat.assistant.messages().get_untracked();
    assert_eq!(context.message_id(), listed.last().map(|entry| entry.id()));
    let history: Vec<_> = context
        .history()
        .into_iter()
        .map(|message| message.id().clone())
        .collect();
    let shown: Vec<_> = listed.iter().map(|entry| entry.id().clone()).collect();
    assert_eq!(history, shown);
}

#[wasm_bindgen_test]
async fn a_cancellation_token_resolves_on_stop() {
    let (chat, context) = running(calls(json!({}))).await;
    let token = context.cancellation().clone();
    let was_cancelled = RwSignal::new(false);
    let waits = token.clone();
    spawn_local(async move {
        waits.cancelled().await;
        was_cancelled.set(true);
    });
    settle().await;
    assert!(!token.is_cancelled() && !was_cancelled.get_untracked());
    chat.assistant.stop().unwrap();
    assert!(token.is_cancelled());
    assert!(until(|| was_cancelled.get_untracked()).await);
}

#[wasm_bindgen_test]
async fn a_handler_publishes_progress_and_a_preliminary_result() {
    let (chat, context) = running(calls(json!({}))).await;
    context.progress(0.5, "half of it");
    context.preliminary("the first half");
    assert!(until(|| chat.page.text(".early") == "the first half").await);
    let progress = chat.assistant.with_conversation(|conversation| {
        let call = conversation.call(&context.call_key())?;
        call.progress().cloned()
    });
    let progress = progress.flatten().unwrap();
    assert_eq!(progress.fraction(), Some(0.5));
    assert_eq!(progress.text(), Some("half of it"));
}

#[wasm_bindgen_test]
async fn until_registered_fails_after_five_seconds() {
    let clock = FakeClock::at(0);
    let (_chat, context) = running(calls(json!({}))).await;
    let outcome: Rc<RefCell<Option<Result<(), ToolError>>>> = Rc::default();
    let answer = Rc::clone(&outcome);
    spawn_local(async move {
        answer.replace(Some(context.until_registered("nobody").await));
    });
    settle().await;
    assert!(outcome.borrow().is_none());
    clock.advance(Duration::from_secs(5));
    assert!(until(|| outcome.borrow().is_some()).await);
    let error = outcome.take().unwrap().unwrap_err();
    assert!(error.message().contains("nobody"), "{error:?}");
}

#[wasm_bindgen_test]
async fn confirm_shows_its_text_and_the_danger_variant() {
    let (chat, context) = running(calls(json!({}))).await;
    let answers: Rc<RefCell<Vec<bool>>> = Rc::default();
    for danger in [false, true] {
        let plain = ConfirmOptions::new("Delete it?").text("It is gone then.");
        let options = if danger { plain.danger() } else { plain };
        let (context, list) = (context.clone(), Rc::clone(&answers));
        spawn_local(async move {
            let answer = context.confirm(options).await;
            list.borrow_mut().push(answer);
        });
        chat.appears("dialog[open]").await;
        let shown = chat.page.text("dialog");
        assert!(
            shown.contains("Delete it?") && shown.contains("It is gone then."),
            "{shown}"
        );
        assert_eq!(
            chat.page.count("dialog [data-variant=danger]"),
            u32::from(danger)
        );
        // Confirm waits until the dialog was visible, Cancel only for half a second.
        for button in ["cancel", "confirm"] {
            chat.appears(&format!("dialog [value={button}]:not([aria-disabled])"))
                .await;
        }
        click(&chat, "dialog", if danger { "Cancel" } else { "Confirm" });
        assert!(until(|| chat.page.count("dialog") == 0).await);
    }
    assert_eq!(*answers.borrow(), [true, false]);
}

#[wasm_bindgen_test]
async fn ask_waits_for_the_reply_of_the_card() {
    let agent = MockAgent::new().answer(calls(json!({})));
    let chat = chat(agent, || {
        let act = |_: Value, context: ToolContext| async move {
            let colour: String = context.ask("Which colour?").await?;
            Ok::<_, ToolError>(colour)
        };
        let shows = |call: ToolCallView| {
            let question = call;
            let question = move || question.preliminary::<String>();
            view! { <button class="red" on:click=move |_| call.reply("red")>{question}</button> }
        };
        use_assistant_action(ToolAction::new("act", "").handler(act).render(shows));
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(".red").await;
    assert!(until(|| chat.page.text(".red") == "Which colour?").await);
    assert!(chat.assistant.activity().get_untracked().is_asking());
    chat.page.click(".red");
    chat.idle().await;
    assert_eq!(chat.results(1), ["\"red\""]);
}

#[wasm_bindgen_test]
async fn stop_loop_sends_the_result_with_the_next_message() {
    let chat = chat(MockAgent::new().answer(calls(json!({}))), || {
        let last = |_: Value, context: ToolContext| async move {
            context.stop_loop();
            Ok::<_, ToolError>("the end")
        };
        use_assistant_action(ToolAction::new("act", "").handler(last));
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(chat.agent.inputs().len(), 1);
    chat.assistant.send("and now?").unwrap();
    chat.idle().await;
    assert_eq!(chat.results(1), ["\"the end\""]);
}
