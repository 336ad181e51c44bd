//! Questions of handlers in the card of a call, asked by a renderer or by a form.

use futures_util::FutureExt;
use leptos::prelude::*;
use leptos_assistant::{
    Assistant, ChatWindow, SessionOptions, ToolAction, ToolCallView, ToolContext, ToolError,
    ToolTarget,
    agent::Script,
    testing::{MockAgent, settle, until},
    use_assistant_action, use_tool_renderer,
};
use serde_json::{Value, json};
use wasm_bindgen_futures::spawn_local;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    interrupts::{click, fill},
    support::{Chat, chat, console_errors, provided},
};

const FORM: &str = ".la-ask";

fn paints() -> MockAgent {
    MockAgent::new().answer(Script::new().call("paint", &json!({})))
}

fn colour() -> Value {
    json!({
        "type": "object",
        "properties": {"colour": {"type": "string", "title": "Colour", "pattern": "^[a-z]+$"}},
        "required": ["colour"]
    })
}

/// Returns an action whose handler asks with a schema.
fn painter() -> ToolAction {
    ToolAction::new("paint", "").handler(|_: Value, context: ToolContext| async move {
        let answer: Value = context.ask_with("Which colour?", colour()).await?;
        Ok::<_, ToolError>(answer["colour"].clone())
    })
}

/// Returns an action whose handler can ask through a renderer only.
fn asking_action() -> ToolAction {
    ToolAction::new("paint", "").handler(|_: Value, context: ToolContext| async move {
        let colour: String = context.ask("Which colour?").await?;
        Ok::<_, ToolError>(colour)
    })
}

fn button(call: ToolCallView) -> impl IntoView {
    view! { <button class="red" on:click=move |_| call.reply("red")>{move || call.preliminary::<String>()}</button> }
}

async fn asked(action: impl Fn() -> ToolAction + Send + Sync + 'static) -> Chat {
    let chat = chat(paints(), move || use_assistant_action(action())).await;
    chat.assistant.send("go").unwrap();
    chat.appears(FORM).await;
    chat
}

#[wasm_bindgen_test]
async fn ask_with_shows_a_form_in_the_card_of_the_call() {
    let chat = asked(painter).await;
    assert!(chat.page.text(FORM).contains("Which colour?"));
    assert!(chat.assistant.activity().get_untracked().is_asking());
    let tool = chat.page.count(&format!("[data-tool-name=paint] {FORM}"));
    assert_eq!(tool, 1, "it is in the card of its call");
    fill(&chat, &format!("{FORM} input"), "Red!");
    click(&chat, FORM, "Submit");
    settle().await;
    assert!(
        chat.page.find(&format!("{FORM} [role=alert]")).is_some(),
        "what does not fit the schema is not taken: {}",
        chat.page.text(FORM)
    );
    fill(&chat, &format!("{FORM} input"), "red");
    click(&chat, FORM, "Submit");
    chat.idle().await;
    assert_eq!(chat.results(1), ["\"red\""]);
    assert_eq!(chat.page.count(FORM), 0);
    assert!(!chat.assistant.activity().get_untracked().is_asking());
    let cost = chat.assistant.cost().get_untracked();
    let waited = cost.waited_ms().unwrap_or_default();
    assert!(
        waited > 0 && waited <= cost.duration_ms().unwrap_or_default(),
        "the time until the answer was the person's: {cost:?}"
    );
}

#[wasm_bindgen_test]
async fn a_question_of_a_handler_can_be_skipped() {
    let chat = asked(painter).await;
    click(&chat, FORM, "Skip");
    chat.idle().await;
    assert!(
        chat.results(1)[0].contains("no answer"),
        "{:?}",
        chat.results(1)
    );
}

#[wasm_bindgen_test]
async fn ask_without_renderer_or_schema_fails_at_once() {
    let console = console_errors();
    let chat = chat(paints(), || use_assistant_action(asking_action())).await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let result = chat.results(1).remove(0);
    assert!(
        result.contains("paint") && result.contains("renderer"),
        "{result}"
    );
    let logged = console.take();
    assert_eq!(logged.len(), 1, "{logged:?}");
    assert!(logged[0].contains("Action paint"), "{logged:?}");
}

#[wasm_bindgen_test]
async fn unmounting_the_renderer_ends_its_question() {
    let console = console_errors();
    let shown = RwSignal::new(true);
    let draws = || use_tool_renderer("paint", button);
    let chat = chat(paints(), move || {
        use_assistant_action(asking_action());
        view! { <Show when=move || shown.get()>{draws}</Show> }
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(".red").await;
    shown.set(false);
    chat.idle().await;
    let result = chat.results(1).remove(0);
    assert!(result.contains("renderer"), "{result}");
    assert_eq!(console.take().len(), 1);
}

#[wasm_bindgen_test]
async fn a_form_replaces_an_unmounted_renderer() {
    let shown = RwSignal::new(true);
    let draws = || use_tool_renderer("paint", button);
    let chat = chat(paints(), move || {
        use_assistant_action(painter());
        view! { <Show when=move || shown.get()>{draws}</Show> }
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(".red").await;
    assert_eq!(chat.page.count(FORM), 0, "the renderer asks");
    shown.set(false);
    chat.appears(FORM).await;
    fill(&chat, &format!("{FORM} input"), "blue");
    click(&chat, FORM, "Submit");
    chat.idle().await;
    assert_eq!(chat.results(1), ["\"blue\""]);
}

#[wasm_bindgen_test]
async fn a_question_survives_a_change_of_renderer() {
    let first = RwSignal::new(true);
    let draws = || use_tool_renderer("paint", button);
    let chat = chat(paints(), move || {
        use_assistant_action(asking_action());
        view! {
            <Show when=move || first.get()>{draws}</Show>
            <Show when=move || !first.get()>{draws}</Show>
        }
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(".red").await;
    first.set(false);
    settle().await;
    chat.appears(".red").await;
    chat.page.click(".red");
    chat.idle().await;
    assert_eq!(chat.results(1), ["\"red\""]);
}

#[wasm_bindgen_test]
async fn a_renderer_for_all_tools_keeps_the_form() {
    let chat = chat(paints(), || {
        use_tool_renderer(ToolTarget::All, |call: ToolCallView| {
            view! { <p class="all">{move || call.name()}</p> }
        });
        use_assistant_action(painter());
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(FORM).await;
    click(&chat, FORM, "Skip");
    chat.idle().await;
    assert_eq!(chat.page.text(".all"), "paint");
}

#[wasm_bindgen_test]
async fn an_answer_of_another_type_is_an_error() {
    let chat = chat(paints(), || {
        use_assistant_action(asking_action().render(|call: ToolCallView| {
            view! { <button class="red" on:click=move |_| call.reply(7)>"7"</button> }
        }));
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(".red").await;
    settle().await;
    chat.page.click(".red");
    chat.idle().await;
    assert!(
        chat.results(1)[0].contains("another type"),
        "{:?}",
        chat.results(1)
    );
}

/// A call of the page has no message; its handler's question is in the inbox.
#[wasm_bindgen_test]
async fn a_call_from_the_page_shows_its_question_in_the_inbox() {
    let chat = chat(MockAgent::new(), || use_assistant_action(painter())).await;
    let answer = RwSignal::new(None);
    let assistant: Assistant = chat.assistant.clone();
    spawn_local(async move {
        answer.set(assistant.execute("paint", json!({})).await.ok());
    });
    chat.appears(&format!(".la-inbox {FORM}")).await;
    fill(&chat, &format!("{FORM} input"), "green");
    click(&chat, FORM, "Submit");
    assert!(until(move || answer.get_untracked() == Some(json!("green"))).await);
    settle().await;
    assert_eq!(chat.page.count(".la-inbox .la-tool"), 0);
}

/// Two questions of one call of the page share its card, also in a window that is opened later.
#[wasm_bindgen_test]
async fn a_call_from_the_page_with_two_questions_leaves_no_card() {
    let shown = RwSignal::new(false);
    let chat = provided(MockAgent::new(), SessionOptions::default(), move || {
        use_assistant_action(ToolAction::new("paint", "").handler(
            |_: Value, context: ToolContext| async move {
                let mut first = context
                    .ask_with::<Value>("Which colour?", colour())
                    .boxed_local();
                let _ = first.as_mut().now_or_never();
                let answer: Value = context.ask_with("Which other colour?", colour()).await?;
                drop(first);
                Ok::<_, ToolError>(answer["colour"].clone())
            },
        ));
        view! {
            <Show when=move || shown.get()>
                <ChatWindow />
            </Show>
        }
    })
    .await;
    let answer = RwSignal::new(None);
    let assistant: Assistant = chat.assistant.clone();
    spawn_local(async move {
        answer.set(assistant.execute("paint", json!({})).await.ok());
    });
    let activity = chat.assistant.activity();
    assert!(until(move || activity.get_untracked().is_asking()).await);
    shown.set(true);
    chat.appears(&format!(".la-inbox {FORM}")).await;
    settle().await;
    assert_eq!(chat.page.count(".la-inbox .la-tool"), 1);
    fill(&chat, &format!("{FORM} input"), "green");
    click(&chat, FORM, "Submit");
    assert!(until(move || answer.get_untracked() == Some(json!("green"))).await);
    settle().await;
    assert_eq!(chat.page.count(".la-inbox .la-tool"), 0);
}
