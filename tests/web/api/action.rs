//! `ToolAction`: the options of an action other than its handler.

use std::time::Duration;

use leptos::prelude::*;
use leptos_assistant::{
    ToolAction, ToolError,
    action::{Availability, Execution, Policy, ResultEncoding},
    agent::Script,
    definitions_from_json,
    testing::{FakeClock, MockAgent, registrations, settle, until},
    use_assistant_action,
};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{act, amount, calls};
use crate::support::{Chat, chat};

/// Mounts a chat in which an action was called once, to its end.
async fn called(args: Value, action: impl Fn() -> ToolAction + Send + Sync + 'static) -> Chat {
    let chat = chat(MockAgent::new().answer(calls(args)), move || {
        use_assistant_action(action());
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    chat
}

#[wasm_bindgen_test]
async fn text_result_sends_a_string_unquoted() {
    let says = || {
        ToolAction::new("act", "")
            .handler(|_: Value| async { Ok::<_, ToolError>("It is \"done\".") })
    };
    let chat = called(json!({}), says).await;
    assert_eq!(chat.results(1), [r#""It is \"done\".""#]);
    let chat = called(json!({}), move || says().text_result()).await;
    assert_eq!(chat.results(1), ["It is \"done\"."]);
}

#[wasm_bindgen_test]
async fn unchecked_passes_invalid_arguments_to_the_handler() {
    let wrong = json!({"amount": "much"});
    let chat = called(wrong.clone(), || act().parameters(amount())).await;
    assert!(
        chat.results(1)[0].contains("error"),
        "{:?}",
        chat.results(1)
    );
    let chat = called(wrong.clone(), || act().parameters(amount()).unchecked()).await;
    assert_eq!(chat.results(1), [wrong.to_string()]);
}

/// Returns the maximum number of two parallel handlers that run at the same time.
async fn max_parallel_handlers(action: fn(ToolAction) -> ToolAction) -> u32 {
    let (now, most) = (RwSignal::new(0), RwSignal::new(0));
    let work = move |_: Value| async move {
        now.update(|count| *count += 1);
        most.update(|most| *most = now.get_untracked().max(*most));
        settle().await;
        now.update(|count| *count -= 1);
        Ok::<_, ToolError>(1)
    };
    let script = calls(json!({})).call("other", &json!({}));
    let chat = chat(MockAgent::new().answer(script), move || {
        use_assistant_action(action(ToolAction::new("act", "").handler(work)));
        use_assistant_action(ToolAction::new("other", "").handler(work));
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(chat.results(1), ["1", "1"]);
    most.get_untracked()
}

#[wasm_bindgen_test]
async fn an_exclusive_action_runs_alone() {
    assert_eq!(max_parallel_handlers(|action| action).await, 2);
    assert_eq!(max_parallel_handlers(ToolAction::exclusive).await, 1);
}

/// Returns the result sent for a call whose component is unmounted while the handler runs.
async fn result_after_unmount(action: fn(ToolAction) -> ToolAction) -> String {
    let (shown, ready) = (RwSignal::new(true), RwSignal::new(false));
    let started = RwSignal::new(false);
    let offer = move || {
        let work = move |_: Value| async move {
            started.set(true);
            until(move || ready.get_untracked()).await;
            Ok::<_, ToolError>("written")
        };
        use_assistant_action(action(ToolAction::new("act", "").handler(work)));
    };
    let chat = chat(MockAgent::new().answer(calls(json!({}))), move || {
        view! { <Show when=move || shown.get()>{offer}</Show> }
    })
    .await;
    chat.assistant.send("go").unwrap();
    assert!(until(|| started.get_untracked()).await);
    shown.set(false);
    settle().await;
    ready.set(true);
    chat.idle().await;
    chat.results(1).remove(0)
}

#[wasm_bindgen_test]
async fn a_detached_handler_survives_its_component() {
    assert!(
        result_after_unmount(|action| action)
            .await
            .contains("unmounted")
    );
    assert_eq!(
        result_after_unmount(ToolAction::detached).await,
        "\"written\""
    );
}

#[wasm_bindgen_test]
async fn timeout_ms_ends_a_pending_handler() {
    let agent = MockAgent::new().answer(calls(json!({})));
    let started = RwSignal::new(false);
    let chat = chat(agent, move || {
        let forever = move |_: Value| async move {
            started.set(true);
            std::future::pending::<()>().await;
            Ok::<_, ToolError>(1)
        };
        let action = ToolAction::new("act", "").handler(forever);
        use_assistant_action(action.timeout_ms(60_000));
    })
    .await;
    let clock = FakeClock::at(1_700_000_000_000);
    chat.assistant.send("go").unwrap();
    assert!(until(|| started.get_untracked()).await);
    clock.advance(Duration::from_millis(59_999));
    settle().await;
    assert_eq!(chat.agent.inputs().len(), 1, "it still has a millisecond");
    clock.advance(Duration::from_millis(1));
    chat.idle().await;
    assert!(
        chat.results(1)[0].contains("error"),
        "{:?}",
        chat.results(1)
    );
}

#[wasm_bindgen_test]
async fn an_eager_action_runs_while_the_agent_streams() {
    let ran = RwSignal::new(false);
    let long = Script::new()
        .call("act", &json!({}))
        .wait(Duration::from_secs(60));
    let chat = chat(MockAgent::new().answer(long), move || {
        let work = move |_: Value| async move {
            ran.set(true);
            Ok::<_, ToolError>(1)
        };
        use_assistant_action(ToolAction::new("act", "").handler(work).eager());
    })
    .await;
    chat.assistant.send("go").unwrap();
    assert!(until(|| ran.get_untracked()).await);
    assert!(chat.assistant.activity().get_untracked().is_streaming());
}

#[wasm_bindgen_test]
async fn from_definition_offers_the_tool_of_the_list() {
    let chat = chat(MockAgent::new(), || {
        let list = [json!({"name": "pay", "description": "Pays", "parameters": amount()})];
        let (mut found, refused) = definitions_from_json(&list);
        assert_eq!(refused, Vec::<String>::new());
        use_assistant_action(ToolAction::from_definition(found.remove(0)));
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let tool = chat.agent.inputs()[0].tools.remove(0);
    assert_eq!(
        (tool.name.as_str(), tool.description.as_str()),
        ("pay", "Pays")
    );
    assert_eq!(tool.parameters, Some(amount()));
}

#[wasm_bindgen_test]
async fn a_schema_signal_is_read_for_each_run() {
    let limit = RwSignal::new(10);
    let schema = move || json!({"type": "object", "properties": {"amount": {"type": "integer", "maximum": limit.get()}}});
    let agent = MockAgent::new()
        .answer(Script::new().text("Hello."))
        .answer(calls(json!({"amount": 11})));
    let chat = chat(agent, move || {
        use_assistant_action(act().parameters(schema));
    })
    .await;
    chat.assistant.send("hello").unwrap();
    chat.idle().await;
    limit.set(20);
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let inputs = chat.agent.inputs();
    let maximum = |run: usize| {
        let schema = inputs[run].tools[0].parameters.clone().unwrap();
        schema["properties"]["amount"]["maximum"].clone()
    };
    assert_eq!((maximum(0), maximum(1)), (json!(10), json!(20)));
    assert_eq!(chat.results(2), [r#"{"amount":11}"#]);
}

#[wasm_bindgen_test]
async fn registrations_return_the_options_of_each_action() {
    let shown = RwSignal::new(true);
    let chat = chat(MockAgent::new(), move || {
        let plain = || use_assistant_action(ToolAction::new("plain", "").enabled(false));
        use_assistant_action(
            act()
                .parameters(amount())
                .exclusive()
                .eager()
                .detached()
                .timeout_ms(5)
                .text_result()
                .unchecked()
                .render_only()
                .run_by_agent(),
        );
        view! { <Show when=move || shown.get()>{plain}</Show> }
    })
    .await;
    let [act, plain] = &registrations(&chat.assistant)[..] else {
        panic!("two are registered")
    };
    assert_eq!((act.name(), act.description()), ("act", "Acts"));
    assert_eq!(*act.parameters(), amount());
    assert!(act.is_exclusive() && act.is_eager() && act.is_detached() && act.has_handler());
    assert_eq!(act.timeout_ms(), Some(5));
    assert_eq!(
        (act.encoding(), act.validates()),
        (ResultEncoding::Text, false)
    );
    assert_eq!(act.availability(), Availability::RenderOnly);
    assert_eq!(act.execution(), Execution::Agent);
    assert_eq!((plain.name(), plain.is_enabled()), ("plain", false));
    assert!(!plain.has_handler() && plain.approval() == Policy::Never);
    shown.set(false);
    settle().await;
    assert_eq!(registrations(&chat.assistant).len(), 1, "one was removed");
}
