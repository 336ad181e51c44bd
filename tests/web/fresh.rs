//! A run sends the values at its opening; disabling an action ends nothing (rules
//! "fresh when a run opens", "disabled actions").

use std::{cell::RefCell, rc::Rc, time::Duration};

use leptos::prelude::*;
use leptos_assistant::{
    AgentProp, Assistant, AssistantProvider, ChatWindow, Refusal, SessionOptions, ToolAction,
    ToolContext, ToolError,
    agent::Script,
    event::RunInput,
    testing::{MockAgent, mount, settle, until},
    use_assistant, use_assistant_action, use_assistant_context,
};
use send_wrapper::SendWrapper;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::support::{chat, console_errors};

fn context_values(input: &RunInput) -> Vec<String> {
    let context = input.context.iter();
    context.map(|item| item.value.clone()).collect()
}

fn offered(input: &RunInput) -> Vec<String> {
    let tools = input.tools.iter();
    tools.map(|tool| tool.name.clone()).collect()
}

#[wasm_bindgen_test]
async fn a_message_is_sent_with_context_changed_right_before() {
    let selected = RwSignal::new("atlas".to_owned());
    let urgent = RwSignal::new(false);
    let chat = chat(MockAgent::new(), move || {
        use_assistant_context("The selected project", selected);
        use_assistant_action(ToolAction::new("escalate", "").enabled(urgent));
        use_assistant_action(
            ToolAction::new("open", "").description(move || format!("Open {}", selected.get())),
        );
    })
    .await;
    selected.set("borealis".to_owned());
    urgent.set(true);
    chat.assistant.send("what is this?").unwrap();
    chat.idle().await;
    let input = &chat.agent.inputs()[0];
    assert_eq!(context_values(input), ["borealis"]);
    assert_eq!(offered(input), ["escalate", "open"]);
    assert_eq!(input.tools[1].description, "Open borealis");
}

#[wasm_bindgen_test]
async fn a_continuation_is_sent_with_changes_of_the_handler() {
    let page = RwSignal::new("list".to_owned());
    let agent = MockAgent::new().answer(Script::new().call("go_to_cart", &json!({})));
    let chat = chat(agent, move || {
        use_assistant_context("Where the person is", move || json!({"page": page.get()}));
        use_assistant_action(ToolAction::new("go_to_cart", "").handler(
            move |_: Value| async move {
                page.set("cart".to_owned());
                Ok::<_, ToolError>("there")
            },
        ));
        view! {
            <Show when=move || page.get() == "cart">
                {move || use_assistant_action(ToolAction::new("check_out", ""))}
            </Show>
        }
    })
    .await;
    chat.assistant.send("to the cart").unwrap();
    chat.idle().await;
    let inputs = chat.agent.inputs();
    assert_eq!(context_values(&inputs[0]), [r#"{"page":"list"}"#]);
    assert_eq!(offered(&inputs[0]), ["go_to_cart"]);
    assert_eq!(context_values(&inputs[1]), [r#"{"page":"cart"}"#]);
    assert_eq!(offered(&inputs[1]), ["go_to_cart", "check_out"]);
}

#[wasm_bindgen_test]
async fn a_handler_waits_for_a_later_registration() {
    let shown = RwSignal::new(false);
    let agent = MockAgent::new().answer(Script::new().call("open", &json!({})));
    let chat = chat(agent, move || {
        use_assistant_action(ToolAction::new("open", "").handler(
            move |_: Value, context: ToolContext| async move {
                set_timeout(move || shown.set(true), Duration::from_millis(80));
                context.until_registered("save").await?;
                Ok::<_, ToolError>("open")
            },
        ));
        view! {
            <Show when=move || shown.get()>
                {move || {
                    let save = |_: Value| async { Ok::<_, ToolError>("saved") };
                    use_assistant_action(ToolAction::new("save", "").handler(save));
                }}
            </Show>
        }
    })
    .await;
    chat.assistant.send("open it").unwrap();
    chat.idle().await;
    assert_eq!(chat.results(1), ["\"open\""]);
    assert_eq!(offered(&chat.agent.inputs()[1]), ["open", "save"]);
}

#[wasm_bindgen_test]
async fn an_action_disabled_while_running_finishes_and_keeps_its_card() {
    let items = RwSignal::new(2);
    let agent = MockAgent::new().answer(Script::new().call("buy", &json!({})));
    let chat = chat(agent, move || {
        use_assistant_action(
            ToolAction::new("buy", "")
                .enabled(move || items.get() > 0)
                .handler(move |_: Value| async move {
                    items.set(0);
                    settle().await;
                    Ok::<_, ToolError>("charged")
                })
                .render(|_: leptos_assistant::ToolCallView<Value>| {
                    view! { <p class="receipt">"Receipt"</p> }
                }),
        );
    })
    .await;
    chat.assistant.send("buy").unwrap();
    chat.idle().await;
    assert_eq!(chat.results(1), ["\"charged\""]);
    assert_eq!(offered(&chat.agent.inputs()[1]), Vec::<String>::new());
    assert_eq!(chat.page.count(".receipt"), 1);
}

#[wasm_bindgen_test]
async fn context_that_is_not_json_is_omitted_and_reported_once() {
    let errors = console_errors();
    let chat = chat(MockAgent::new(), || {
        let bad = || std::collections::HashMap::from([(vec![1], 2)]);
        use_assistant_context("A strange map", bad);
        use_assistant_context("A number", || 7);
    })
    .await;
    for text in ["one", "two"] {
        chat.assistant.send(text).unwrap();
        chat.idle().await;
    }
    for input in chat.agent.inputs() {
        assert_eq!(context_values(&input), ["7"]);
    }
    let logged = errors.take();
    let logged: Vec<_> = logged
        .iter()
        .filter(|text| text.contains("A strange map"))
        .collect();
    assert_eq!(logged.len(), 1, "{logged:?}");
}

type Found = SendWrapper<Rc<RefCell<Option<Assistant>>>>;

#[component]
fn Finder(found: Found) -> impl IntoView {
    *found.borrow_mut() = use_assistant();
}

#[wasm_bindgen_test]
async fn a_handle_is_refused_after_its_provider_is_unmounted() {
    let found: Found = SendWrapper::new(Rc::default());
    let (agent, slot) = (MockAgent::new(), found.clone());
    let talks_to = agent.clone();
    let page = mount(move || {
        view! {
            <AssistantProvider agent=talks_to>
                <Finder found=slot />
            </AssistantProvider>
        }
    });
    settle().await;
    let assistant = found.borrow_mut().take().unwrap();
    drop(page);
    assert_eq!(assistant.send("anybody?"), Err(Refusal::Ended));
    settle().await;
    assert_eq!(agent.inputs().len(), 0);
}

#[wasm_bindgen_test]
async fn an_existing_assistant_outlives_its_provider() {
    let agent = MockAgent::new().answer(Script::new().text("First."));
    let assistant = Assistant::new(agent.clone(), SessionOptions::default());
    let shown = assistant.clone();
    let window = move |shown: Assistant| {
        mount(move || {
            view! {
                <AssistantProvider agent=AgentProp::existing(shown)>
                    <ChatWindow />
                </AssistantProvider>
            }
        })
    };
    let page = window(shown.clone());
    assistant.send("one").unwrap();
    assert!(until(|| page.text("[role=log]").contains("First.")).await);
    drop(page);
    assistant.send("two").unwrap();
    assert!(until(|| agent.inputs().len() == 2).await);
    settle().await;
    let page = window(shown);
    settle().await;
    assert!(page.text("[role=log]").contains("(no answer)"));
}

#[wasm_bindgen_test]
async fn the_summary_signal_is_updated_after_a_turn() {
    let chat = chat(MockAgent::new(), || ()).await;
    let counts = RwSignal::new(Vec::new());
    let summary = chat.assistant.summary();
    let watch = Effect::watch(
        move || summary.get().runs().len(),
        move |runs, _, _| counts.update(|list| list.push(*runs)),
        true,
    );
    settle().await;
    chat.assistant.send("hi").unwrap();
    chat.idle().await;
    watch.stop();
    assert_eq!(counts.get_untracked().first(), Some(&0));
    assert_eq!(counts.get_untracked().last(), Some(&1));
}
