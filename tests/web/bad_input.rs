//! Errors of an application: one clear message that names the action, and nothing else is affected.
//! Neighbours: `api::console` for hooks without a provider and names, `fresh` for context,
//! `lifecycle` for components that are unmounted, `api::action` for handlers that never end.

use leptos::prelude::*;
use leptos_assistant::{
    Approval, Status, ToolAction, ToolCallView, ToolError,
    agent::Script,
    testing::{MockAgent, registrations, settle, until},
    use_assistant_action,
};
use serde::Deserialize;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    interrupts::click,
    support::{chat, console_errors, console_warnings},
};

fn calls() -> MockAgent {
    MockAgent::new().answer(Script::new().call("act", &json!({})))
}

fn act(says: &'static str) -> ToolAction {
    ToolAction::new("act", "").handler(move |_: Value| says)
}

#[wasm_bindgen_test]
async fn an_empty_approval_renderer_falls_back_to_the_built_in_card() {
    let console = console_errors();
    let chat = chat(calls(), || {
        let asking = act("done").approval(Approval::Always);
        use_assistant_action(asking.render_approval(|_: ToolCallView| ()));
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.reads(".la-approval").await;
    click(&chat, ".la-approval", "Approve");
    chat.idle().await;
    assert_eq!(chat.results(1), ["\"done\""]);
    let logged = console.take();
    assert_eq!(logged.len(), 1, "{logged:?}");
    assert!(logged[0].contains("action act"), "{logged:?}");
}

/// An empty card is not an error.
#[wasm_bindgen_test]
async fn a_renderer_that_returns_nothing_is_no_error() {
    let (errors, warnings) = (console_errors(), console_warnings());
    let chat = chat(calls(), || use_assistant_action(act("done").render(|_| ()))).await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(chat.page.text(".la-tool"), "");
    assert_eq!(chat.results(1), ["\"done\""]);
    assert_eq!((errors.take(), warnings.take()), (vec![], vec![]));
}

#[wasm_bindgen_test]
async fn a_duplicate_action_is_reported_once_and_the_newest_runs() {
    let console = console_warnings();
    let newest = RwSignal::new(true);
    let agent = calls()
        .answer(Script::new().text("A."))
        .answer(Script::new().call("act", &json!({})));
    let chat = chat(agent, move || {
        use_assistant_action(act("first"));
        use_assistant_action(act("second"));
        view! { <Show when=move || newest.get()>{|| use_assistant_action(act("third"))}</Show> }
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(chat.results(1), ["\"third\""]);
    let logged = console.take();
    assert_eq!(logged.len(), 1, "{logged:?}");
    assert!(logged[0].starts_with("Action act:"), "{logged:?}");
    newest.set(false);
    settle().await;
    chat.assistant.send("again").unwrap();
    chat.idle().await;
    assert_eq!(chat.results(3).last().unwrap(), "\"second\"");
    assert_eq!(console.take(), Vec::<String>::new());
}

#[wasm_bindgen_test]
async fn an_action_moved_between_components_is_not_a_duplicate() {
    let console = console_warnings();
    let first = RwSignal::new(true);
    let offer = || use_assistant_action(act("done"));
    let chat = chat(calls(), move || {
        view! {
            <Show when=move || !first.get()>{offer}</Show>
            <Show when=move || first.get()>{offer}</Show>
        }
    })
    .await;
    first.set(false);
    settle().await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(chat.results(1), ["\"done\""]);
    assert_eq!(console.take(), Vec::<String>::new());
}

#[wasm_bindgen_test]
async fn an_action_with_an_invalid_schema_is_reported_and_not_offered() {
    for none in [
        json!("object"),
        json!(null),
        json!({"type": "string"}),
        json!({"properties": ["amount"]}),
        json!({"properties": {"amount": "integer"}}),
        json!({"required": "amount"}),
    ] {
        let console = console_errors();
        let chat = chat(calls(), move || {
            use_assistant_action(act("done"));
            use_assistant_action(
                ToolAction::new("pay", "")
                    .parameters(none.clone())
                    .handler(|| ()),
            );
        })
        .await;
        chat.assistant.send("go").unwrap();
        chat.idle().await;
        let logged = console.take();
        assert_eq!(logged.len(), 1, "{logged:?}");
        assert!(
            logged[0].contains("'pay'") && logged[0].contains("schema"),
            "{logged:?}"
        );
        let names: Vec<String> = registrations(&chat.assistant)
            .into_iter()
            .map(|of| of.name().to_owned())
            .collect();
        assert_eq!(names, ["act"]);
        assert_eq!(chat.results(1), ["\"done\""]);
    }
}

/// A schema that becomes invalid leaves the previous one in force.
#[wasm_bindgen_test]
async fn a_schema_that_turns_invalid_keeps_the_previous_schema() {
    let schema = RwSignal::new(json!({"type": "object", "title": "Good"}));
    let chat = chat(calls(), move || {
        use_assistant_action(act("done").parameters(schema));
    })
    .await;
    let console = console_errors();
    schema.set(json!(7));
    settle().await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(console.take().len(), 1);
    let sent = chat.agent.inputs()[0].tools[0].parameters.clone().unwrap();
    assert_eq!(sent["title"], "Good");
}

#[wasm_bindgen_test]
async fn an_action_can_be_disabled_while_its_schema_is_invalid() {
    let schema = RwSignal::new(json!({"type": "object"}));
    let enabled = RwSignal::new(true);
    let chat = chat(MockAgent::new(), move || {
        use_assistant_action(act("done").parameters(schema).enabled(enabled));
    })
    .await;
    let console = console_errors();
    schema.set(json!(7));
    settle().await;
    enabled.set(false);
    settle().await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(console.take().len(), 1);
    assert!(chat.agent.inputs()[0].tools.is_empty());
}

/// A definition that follows signals is registered repeatedly, but an error is logged once.
#[wasm_bindgen_test]
async fn an_invalid_name_is_reported_once_despite_updates() {
    let console = console_errors();
    let open = RwSignal::new(1);
    let chat = chat(calls(), move || {
        use_assistant_action(act("done"));
        use_assistant_action(
            ToolAction::new("no name", "")
                .description(move || format!("Closes {}", open.get()))
                .handler(|| ()),
        );
    })
    .await;
    for now in [2, 3] {
        open.set(now);
        settle().await;
    }
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let lines = console.take();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("no name"), "{lines:?}");
    assert_eq!(chat.results(1), ["\"done\""]);
}

#[wasm_bindgen_test]
async fn a_refused_registration_leaves_no_effect_behind() {
    let chat = chat(calls(), || use_assistant_action(act("done"))).await;
    let open = RwSignal::new(1);
    let named = ToolAction::new("no name", "").description(move || format!("{}", open.get()));
    assert!(chat.assistant.register(named.handler(|| ())).is_err());
    let console = console_errors();
    open.set(2);
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(console.take(), Vec::<String>::new());
    assert_eq!(chat.results(1), ["\"done\""]);
}

#[derive(Deserialize)]
struct Amount {
    amount: u32,
}

#[wasm_bindgen_test]
async fn a_struct_that_mismatches_its_schema_is_reported_once() {
    let console = console_warnings();
    let wrong = Script::new()
        .call("pay", &json!({"amount": "5"}))
        .call("pay", &json!({"amount": -5}))
        .call("act", &json!({}));
    let chat = chat(MockAgent::new().answer(wrong), || {
        use_assistant_action(act("done"));
        let schema =
            json!({"type": "object", "properties": {"amount": {}}, "required": ["amount"]});
        let pay = ToolAction::new("pay", "").parameters(schema);
        use_assistant_action(pay.handler(|pay: Amount| pay.amount));
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let results = chat.results(1);
    assert!(
        results[0].contains("amount") && results[1].contains("amount"),
        "{results:?}"
    );
    assert_eq!(results[2], "\"done\"");
    let logged = console.take();
    assert_eq!(logged.len(), 1, "{logged:?}");
    assert!(
        logged[0].starts_with("Action pay:") && logged[0].contains("amount"),
        "{logged:?}"
    );
}

/// Signals of a component are disposed with it; a handler that continues may still set them,
/// without effect.
#[wasm_bindgen_test]
async fn a_handler_can_set_signals_of_a_disposed_owner() {
    let (shown, ready) = (RwSignal::new(true), RwSignal::new(false));
    let offer = move || {
        let own = RwSignal::new(0);
        let work = move |_: Value| async move {
            until(move || ready.get_untracked()).await;
            own.set(1);
            own.update(|own| *own += 1);
            Ok::<_, ToolError>(own.try_get_untracked())
        };
        use_assistant_action(ToolAction::new("act", "").handler(work).detached());
        view! { <p class="own">{move || own.get()}</p> }
    };
    let chat = chat(
        calls(),
        move || view! { <Show when=move || shown.get()>{offer}</Show> },
    )
    .await;
    let console = console_errors();
    chat.assistant.send("go").unwrap();
    let activity = chat.assistant.tools().running();
    assert!(until(move || !activity.get_untracked().is_empty()).await);
    shown.set(false);
    settle().await;
    ready.set(true);
    chat.idle().await;
    assert_eq!(chat.results(1), ["null"]);
    assert_eq!(console.take(), Vec::<String>::new());
    let key = chat
        .assistant
        .with_conversation(|conversation| conversation.call_history()[0]);
    let call = leptos_assistant::testing::call_view(&chat.assistant, &key.unwrap()).unwrap();
    assert_eq!(call.status(), Status::Complete);
    drop(chat);
}
