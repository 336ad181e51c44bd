//! Components that are unmounted while a call of theirs is open.

use std::time::Duration;

use leptos::prelude::*;
use leptos_assistant::{
    ConfirmOptions, ToolAction, ToolCallView, ToolContext, ToolError,
    agent::Script,
    event::EventKind,
    testing::{MockAgent, settle, until},
    use_assistant_action,
};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::support::chat;

/// A component with an action whose handler and card use the component's own signals.
#[component]
fn Panel(finishes: bool) -> impl IntoView {
    let own = RwSignal::new("of the panel".to_owned());
    use_assistant_action(
        ToolAction::new("work", "")
            .render(move |call: ToolCallView<Value>| {
                view! { <p class="card">{move || format!("{} {}", own.get(), call.status().as_str())}</p> }
            })
            .handler(move |_: Value, context: ToolContext| async move {
                loop {
                    context.progress(None, own.get_untracked());
                    settle().await;
                    if finishes {
                        return Ok::<_, ToolError>(1);
                    }
                }
            }),
    );
}

/// Rule "unmounting": the handler is dropped, the call answered as cancelled
#[wasm_bindgen_test]
async fn unmounting_a_component_cancels_its_running_handler() {
    let shown = RwSignal::new(true);
    let agent = MockAgent::new()
        .answer(Script::new().call("work", &json!({})))
        .answer(Script::new().text("I see, it is gone."));
    let chat = chat(
        agent,
        move || view! { <Show when=move || shown.get()><Panel finishes=false /></Show> },
    )
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears("[data-status=executing] .card").await;
    shown.set(false);
    chat.idle().await;
    assert_eq!(
        chat.results(1),
        ["{\"error\":\"cancelled\",\"reason\":\"unmounted\"}"]
    );
    assert_eq!(chat.page.count(".card"), 0, "its card is removed");
    assert_eq!(
        chat.page.text(".la-tool-name"),
        "work",
        "the default card is shown"
    );
    assert!(chat.page.text("[role=log]").contains("I see, it is gone."));
}

/// Rules "unmounting", "the default card": a finished card falls back when its component is
/// unmounted
#[wasm_bindgen_test]
async fn a_custom_card_falls_back_after_its_component_is_unmounted() {
    let shown = RwSignal::new(true);
    let agent = MockAgent::new()
        .answer(Script::new().call("work", &json!({})))
        .answer(Script::new().text("Done."));
    let chat = chat(
        agent,
        move || view! { <Show when=move || shown.get()><Panel finishes=true /></Show> },
    )
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(chat.page.text(".card"), "of the panel complete");
    shown.set(false);
    settle().await;
    assert_eq!(chat.page.count(".card"), 0);
    assert_eq!(chat.page.text(".la-tool-name"), "work");
    shown.set(true);
    settle().await;
    assert_eq!(
        chat.page.text(".card"),
        "of the panel complete",
        "and back when it returns"
    );
}

/// Rule "questions of handlers": the dialog of a handler is closed with it
#[wasm_bindgen_test]
async fn a_confirm_dialog_resolves_and_closes_on_stop() {
    let agent = MockAgent::new()
        .answer(Script::new().call("confirmDeletion", &json!({})))
        .answer(Script::new().call("confirmDeletion", &json!({})));
    let chat = chat(agent, || {
        use_assistant_action(ToolAction::new("confirmDeletion", "").handler(
            |_: Value, context: ToolContext| async move {
                Ok::<_, ToolError>(
                    context
                        .confirm(ConfirmOptions::new("Delete it?").danger())
                        .await,
                )
            },
        ));
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears("dialog[open]").await;
    let focused = document().active_element().unwrap();
    assert_eq!(focused.tag_name(), "DIALOG", "no key presses a button");
    chat.appears(".la-chat-status[data-state=waiting]").await;
    assert_eq!(chat.page.count(".la-working"), 0, "nothing runs meanwhile");
    chat.appears("dialog button[value=confirm]:not([aria-disabled])")
        .await;
    assert!(chat.page.click("dialog button[value=confirm]"));
    assert!(until(|| chat.agent.inputs().len() == 2).await);
    assert_eq!(chat.results(1), ["true"]);
    chat.appears("dialog[open]").await;
    chat.assistant.stop().unwrap();
    chat.idle().await;
    assert_eq!(chat.page.count("dialog"), 0, "Stop closes the dialog");
    chat.appears(".la-chat-status[data-state=ready]").await;
}

/// Rule "several conversations"
#[wasm_bindgen_test]
async fn the_previous_conversation_can_be_reopened_after_a_new_one() {
    let agent = MockAgent::new()
        .answer(Script::new().text("First answer."))
        .answer(Script::new().text("Second answer."));
    let chat = chat(agent, || ()).await;
    chat.assistant.send("one").unwrap();
    chat.idle().await;
    let first = chat.assistant.thread_id().get_untracked();
    chat.assistant.new_conversation();
    settle().await;
    assert_eq!(chat.page.count("[data-message-id]"), 0);
    chat.assistant.send("two").unwrap();
    chat.idle().await;
    let inputs = chat.agent.inputs();
    assert_ne!(inputs[0].thread_id, inputs[1].thread_id);
    assert_eq!(
        inputs[1].messages.len(),
        1,
        "nothing of the old one is sent"
    );
    chat.assistant.conversations().open(&first).unwrap();
    settle().await;
    assert!(chat.page.text("[role=log]").contains("First answer."));
    assert!(!chat.page.text("[role=log]").contains("Second answer."));
}

/// Rule "unmounting": a question whose action is gone says so; it can be denied, and approved once
/// the action is back
#[wasm_bindgen_test]
async fn an_approval_of_an_unmounted_action_can_only_be_dismissed() {
    let shown = RwSignal::new(true);
    let agent = MockAgent::new()
        .answer(Script::new().call("deploy", &json!({})))
        .answer(Script::new().text("Fine."));
    let chat = chat(agent, move || {
        view! {
            <Show when=move || shown.get()>
                {move || use_assistant_action(
                    ToolAction::new("deploy", "")
                        .approval(leptos_assistant::Approval::Always)
                        .handler(|_: Value| async { Ok::<_, ToolError>(1) }),
                )}
            </Show>
        }
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-approval").await;
    let approve = || {
        chat.page
            .find(".la-approval button[data-variant=primary]")
            .unwrap()
    };
    assert!(!approve().hidden());
    shown.set(false);
    settle().await;
    assert!(approve().hidden());
    let says_so = || {
        chat.page
            .text(".la-approval")
            .contains("no longer on the page")
    };
    assert!(!says_so(), "it has time to come back");
    shown.set(true);
    settle().await;
    assert!(!approve().hidden(), "it is back");
    shown.set(false);
    assert!(until(says_so).await);
    let buttons = chat
        .page
        .root
        .query_selector_all(".la-approval-actions button:not([hidden])")
        .unwrap();
    assert_eq!(buttons.length(), 1, "it can only be dismissed");
    let deny: web_sys::HtmlElement = wasm_bindgen::JsCast::unchecked_into(buttons.item(0).unwrap());
    assert_eq!(deny.text_content().as_deref(), Some("Dismiss"));
    deny.click();
    deny.click();
    chat.idle().await;
    let [sent] = &chat.results(1)[..] else {
        panic!("{:?}", chat.results(1));
    };
    assert!(sent.contains(r#""errorType":"tool_unavailable""#), "{sent}");
    chat.opens_card().await;
    let card = chat.page.text("[role=log]");
    assert!(card.contains("is not available any more"), "{card}");
    assert!(!card.contains("Denied"), "{card}");
}

/// A tool that runs for long is shown as slow.
#[wasm_bindgen_test]
async fn a_slow_call_is_marked_as_longer_than_usual() {
    use leptos_assistant::{AssistantProvider, chat::Transcript, testing::mount, use_assistant};
    let agent = MockAgent::new().answer(Script::new().call("work", &json!({})));
    let page = mount(move || {
        view! {
            <AssistantProvider agent=agent>
                <Panel finishes=false />
                {move || {
                    let assistant = use_assistant().unwrap();
                    assistant.send("go").unwrap();
                    view! { <Transcript assistant stuck_after_ms=100 /> }
                }}
            </AssistantProvider>
        }
    });
    let line = || page.text(".la-working");
    assert!(
        until(|| line().starts_with("Running work")).await,
        "{}",
        line()
    );
    assert!(
        until(|| line().contains("longer than usual")).await,
        "{}",
        line()
    );
}

/// An agent that sends nothing for long is shown as slow, until it sends more.
#[wasm_bindgen_test]
async fn a_silent_answer_is_marked_until_it_continues() {
    use leptos_assistant::{AssistantProvider, chat::Transcript, testing::mount, use_assistant};
    let pause = Duration::from_millis(2_500);
    let script = Script::new().text("One.").wait(pause).text("Two.");
    let agent = MockAgent::new().answer(script.wait(pause));
    let page = mount(move || {
        view! {
            <AssistantProvider agent=agent>
                {move || {
                    let assistant = use_assistant().unwrap();
                    assistant.send("go").unwrap();
                    view! { <Transcript assistant stuck_after_ms=600 /> }
                }}
            </AssistantProvider>
        }
    });
    let line = || page.text(".la-working");
    let is_marked = || line().contains("longer than usual");
    assert!(until(|| page.text("[role=log]").contains("One.")).await);
    assert!(!is_marked(), "{}", line());
    assert!(until(is_marked).await, "{}", line());
    assert!(until(|| page.text("[role=log]").contains("Two.")).await);
    assert!(until(|| !is_marked()).await, "{}", line());
    assert!(until(is_marked).await, "it is silent again");
}

/// An agent that writes the arguments of a call is not silent.
#[wasm_bindgen_test]
async fn arguments_that_arrive_are_no_silence() {
    use leptos_assistant::{AssistantProvider, chat::Transcript, testing::mount, use_assistant};
    let start = EventKind::ToolCallStart {
        tool_call_id: "c".to_owned(),
        tool_call_name: "write".to_owned(),
        parent_message_id: None,
    };
    let piece = |text: &str| EventKind::ToolCallArgs {
        tool_call_id: "c".to_owned(),
        delta: text.to_owned(),
    };
    let pause = Duration::from_millis(100);
    let script = Script::new().text("One.").event(start);
    let script = script.event(piece("{\"text\": \""));
    let script = (0..20).fold(script, |script, _| script.wait(pause).event(piece("x")));
    let agent = MockAgent::new().answer(script.wait(Duration::from_secs(60)));
    let page = mount(move || {
        view! {
            <AssistantProvider agent=agent>
                {move || {
                    let assistant = use_assistant().unwrap();
                    assistant.send("go").unwrap();
                    view! { <Transcript assistant stuck_after_ms=600 /> }
                }}
            </AssistantProvider>
        }
    });
    assert!(until(|| page.text("[role=log]").contains("One.")).await);
    let begun = js_sys::Date::now();
    assert!(until(|| page.text(".la-working").contains("longer than usual")).await);
    let marked_after = js_sys::Date::now() - begun;
    assert!(marked_after >= 1_900.0, "{marked_after} ms");
}

/// A component below the provider.
#[component]
fn Nested(children: ChildrenFn) -> impl IntoView {
    view! { <Show when=|| true>{children()}</Show> }
}

/// An unmounted page ends its handlers, and the agent is not notified.
#[wasm_bindgen_test]
async fn an_unmounted_provider_sends_no_further_request() {
    use leptos_assistant::{AssistantProvider, ChatWindow, testing::mount, use_assistant};
    let agent = MockAgent::new().answer(Script::new().call("work", &json!({})));
    let (shown, talks_to) = (
        RwSignal::new(true),
        send_wrapper::SendWrapper::new(agent.clone()),
    );
    let page = mount(move || {
        view! {
            <Show when=move || shown.get()>
                <AssistantProvider agent=(*talks_to).clone() thread_id="berth-7">
                    <Nested>
                        <Panel finishes=false />
                    </Nested>
                    {|| use_assistant().unwrap().send("go").unwrap()}
                    <ChatWindow />
                </AssistantProvider>
            </Show>
        }
    });
    let runs = || page.count("[data-status=executing] .card") == 1;
    assert!(until(runs).await);
    shown.set(false);
    for _ in 0..3 {
        settle().await;
    }
    assert_eq!(page.count(".la-chat"), 0);
    let inputs = agent.inputs();
    assert_eq!(inputs.len(), 1);
    assert_eq!(inputs[0].thread_id, "berth-7");
    drop(page);
    settle().await;
    assert_eq!(agent.inputs().len(), 1);
}

#[wasm_bindgen_test]
async fn replaced_conversations_are_a_signal_of_ids() {
    let chat = chat(MockAgent::new(), || ()).await;
    let past = chat.assistant.conversations().replaced();
    let count = Memo::new(move |_| past.with(Vec::len));
    assert_eq!(count.get_untracked(), 0);
    let first = chat.assistant.thread_id().get_untracked();
    chat.assistant.send("one").unwrap();
    chat.idle().await;
    chat.assistant.new_conversation();
    settle().await;
    assert_eq!(count.get_untracked(), 1);
    assert_eq!(
        chat.assistant.conversations().replaced().get_untracked(),
        [first]
    );
}
