//! Registration of actions, typed handlers and their contexts.

use std::time::Duration;

use leptos::prelude::*;
use leptos_assistant::{
    ToolAction, ToolContext, ToolError,
    agent::Script,
    event::MessageBody,
    testing::{MockAgent, settle},
    use_assistant_action, use_assistant_context,
};
use serde::Deserialize;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::support::{chat, results_of};

#[derive(Deserialize)]
struct Query {
    query: String,
}

fn names(assistant: &leptos_assistant::Assistant) -> Vec<String> {
    assistant
        .tools()
        .offered()
        .get_untracked()
        .into_iter()
        .map(|tool| tool.name)
        .collect()
}

/// Rule "registration"
#[wasm_bindgen_test]
async fn an_action_is_listed_while_mounted_and_enabled() {
    let shown = RwSignal::new(true);
    let enabled = RwSignal::new(false);
    let chat = chat(MockAgent::new(), move || {
        view! {
            <Show when=move || shown.get()>
                {move || {
                    use_assistant_action(ToolAction::new("always", "Always there"));
                    use_assistant_action(
                        ToolAction::new("sometimes", "").enabled(enabled).handler(|| "ran"),
                    );
                }}
            </Show>
        }
    })
    .await;
    assert_eq!(names(&chat.assistant), ["always"]);
    enabled.set(true);
    settle().await;
    assert_eq!(names(&chat.assistant), ["always", "sometimes"]);
    let run = || chat.assistant.execute("sometimes", json!({}));
    assert_eq!(run().await, Ok(json!("ran")));
    enabled.set(false);
    settle().await;
    assert_eq!(names(&chat.assistant), ["always"]);
    let refused = run().await.unwrap_err();
    assert_eq!(refused.message(), "Action sometimes not found");
    shown.set(false);
    settle().await;
    assert_eq!(names(&chat.assistant), Vec::<String>::new());
}

/// Rules "results on the wire", "order of calls": any serialisable value, once, in call order
#[wasm_bindgen_test]
async fn results_of_one_run_are_sent_together_in_call_order() {
    let agent = MockAgent::new()
        .answer(
            Script::new()
                .call("text", &json!({}))
                .call("flag", &json!({}))
                .call("list", &json!({}))
                .call("unit", &json!({})),
        )
        .answer(Script::new().text("Thanks."));
    let chat = chat(agent, || {
        use_assistant_action(ToolAction::new("text", "").handler(|_: Value| async {
            settle().await;
            Ok::<_, ToolError>("approved")
        }));
        use_assistant_action(
            ToolAction::new("flag", "").handler(|_: Value| async { Ok::<_, ToolError>(true) }),
        );
        use_assistant_action(
            ToolAction::new("list", "").handler(|_: Value| async { Ok::<_, ToolError>([1, 2]) }),
        );
        use_assistant_action(
            ToolAction::new("unit", "").handler(|_: Value| async { Ok::<_, ToolError>(()) }),
        );
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(chat.agent.inputs().len(), 2);
    assert_eq!(chat.results(1), ["\"approved\"", "true", "[1,2]", "null"]);
}

/// Rules "typed arguments", "errors for the model": a mismatch names the field, an error reaches the model
#[wasm_bindgen_test]
async fn an_argument_mismatch_is_reported_with_its_field() {
    let agent = MockAgent::new()
        .answer(Script::new().call("web_search", &json!({"query": 1, "n": 2})))
        .answer(Script::new().text("I see."));
    let chat = chat(agent, || {
        use_assistant_action(
            ToolAction::new("web_search", "")
                .handler(|args: Query| async move { Ok::<_, ToolError>(args.query) }),
        );
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let result: Value = serde_json::from_str(&chat.results(1)[0]).unwrap();
    assert!(
        result["error"].as_str().unwrap().contains("query"),
        "{result}"
    );
    assert_eq!(
        chat.page
            .find("[data-tool-name]")
            .unwrap()
            .get_attribute("data-status")
            .as_deref(),
        Some("failed")
    );
}

/// Rule "tool context"
#[wasm_bindgen_test]
async fn a_handler_reads_its_iteration_and_the_history() {
    let agent = MockAgent::new()
        .answer(Script::new().call("look", &json!({})))
        .answer(Script::new().call("look", &json!({})))
        .answer(Script::new().text("Done."));
    let chat = chat(agent, || {
        use_assistant_action(ToolAction::new("look", "").handler(
            |_: Value, context: ToolContext| async move {
                let history = context.history();
                let question = history.first().map(|message| message.text());
                Ok::<_, ToolError>(json!([context.iteration(), question]))
            },
        ));
    })
    .await;
    chat.assistant.send("Where am I?").unwrap();
    chat.idle().await;
    assert_eq!(
        chat.results(2),
        ["[0,\"Where am I?\"]", "[1,\"Where am I?\"]"]
    );
}

/// Rule "context"
#[wasm_bindgen_test]
async fn context_is_sent_while_its_component_is_mounted() {
    let shown = RwSignal::new(true);
    let project = RwSignal::new("atlas".to_owned());
    let chat = chat(MockAgent::new(), move || {
        view! {
            <Show when=move || shown.get()>
                {move || use_assistant_context("The selected project", project)}
            </Show>
        }
    })
    .await;
    chat.assistant.send("one").unwrap();
    chat.idle().await;
    project.set("borealis".to_owned());
    settle().await;
    chat.assistant.send("two").unwrap();
    chat.idle().await;
    shown.set(false);
    settle().await;
    chat.assistant.send("three").unwrap();
    chat.idle().await;
    let results: Vec<Vec<String>> = chat
        .agent
        .inputs()
        .iter()
        .map(|input| {
            input
                .context
                .iter()
                .map(|item| item.value.clone())
                .collect()
        })
        .collect();
    assert_eq!(
        results,
        [
            vec!["atlas".to_owned()],
            vec!["borealis".to_owned()],
            vec![]
        ]
    );
}

/// Rule "ending the loop"
#[wasm_bindgen_test]
async fn a_handler_can_stop_the_loop() {
    let agent = MockAgent::new().answer(Script::new().call("last", &json!({})));
    let chat = chat(agent, || {
        use_assistant_action(ToolAction::new("last", "").handler(
            |_: Value, context: ToolContext| async move {
                context.stop_loop();
                Ok::<_, ToolError>("enough")
            },
        ));
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(chat.agent.inputs().len(), 1, "no continuation");
    chat.assistant.send("and now?").unwrap();
    chat.idle().await;
    assert_eq!(
        chat.results(1),
        ["\"enough\""],
        "the result goes along with the next message"
    );
}

/// Rule "a hook without a provider"
#[wasm_bindgen_test]
async fn a_hook_without_a_provider_is_inert() {
    let page = leptos_assistant::testing::mount(|| {
        use_assistant_action(ToolAction::new("lost", ""));
        use_assistant_context("lost", "x".to_owned());
        view! { <p class="still-here"></p> }
    });
    settle().await;
    assert_eq!(page.count(".still-here"), 1);
}

/// Rules "names are a stack", "separate providers": several providers share nothing
#[wasm_bindgen_test]
async fn two_providers_do_not_share_actions() {
    let say = |word: &'static str| {
        let agent = MockAgent::new().answer(Script::new().call("who", &json!({})));
        chat(agent, move || {
            use_assistant_action(
                ToolAction::new("who", "")
                    .handler(move |_: Value| async move { Ok::<_, ToolError>(word) }),
            );
        })
    };
    let (a, b) = (say("a").await, say("b").await);
    for (chat, word) in [(&a, "\"a\""), (&b, "\"b\"")] {
        chat.assistant.send("who are you?").unwrap();
        chat.idle().await;
        assert_eq!(chat.results(1), [word]);
    }
}

/// Rule "silent tools": a handler that never answers
#[wasm_bindgen_test]
async fn a_handler_without_a_result_fails_after_its_timeout() {
    let agent = MockAgent::new().answer(Script::new().call("silent", &json!({})));
    let chat = chat(agent, || {
        use_assistant_action(ToolAction::new("silent", "").timeout_ms(50).handler(
            |_: Value| async {
                std::future::pending::<()>().await;
                Ok::<_, ToolError>(())
            },
        ));
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert!(
        chat.results(1)[0].contains("too long"),
        "{:?}",
        chat.results(1)
    );
}

/// Rule "start of a tool": an eager action runs before its run is over; its result goes out with the continuation
#[wasm_bindgen_test]
async fn an_eager_action_starts_once_its_arguments_are_complete() {
    let agent = MockAgent::new()
        .answer(
            Script::new()
                .call("peek", &json!({}))
                .wait(Duration::from_millis(150))
                .text("Hm."),
        )
        .answer(Script::new().text("Done."));
    let ran = RwSignal::new(false);
    let chat = chat(agent, move || {
        use_assistant_action(ToolAction::new("peek", "").eager().handler(
            move |_: Value| async move {
                ran.set(true);
                Ok::<_, ToolError>(7)
            },
        ));
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears("[data-status=complete]").await;
    assert!(ran.get_untracked());
    assert_eq!(chat.agent.inputs().len(), 1, "the first run is still open");
    chat.idle().await;
    let inputs = chat.agent.inputs();
    assert_eq!(results_of(&inputs[1]), ["7"]);
    assert!(matches!(
        inputs[1].messages[0].body,
        MessageBody::User { .. }
    ));
}

/// Rule "steps before a handler": calling an action from the page
#[wasm_bindgen_test]
async fn an_action_can_be_executed_from_the_page() {
    let chat = chat(MockAgent::new(), || {
        use_assistant_action(
            ToolAction::new("web_search", "")
                .parameters(json!({"type": "object", "required": ["query"]}))
                .handler(|args: Query| async move { Ok::<_, ToolError>(args.query) }),
        );
        use_assistant_action(ToolAction::new("bare", ""));
        use_assistant_action(
            ToolAction::new("shown", "")
                .render_only()
                .handler(|_: Value| async { Ok::<_, ToolError>(1) }),
        );
    })
    .await;
    let assistant = &chat.assistant;
    assert_eq!(
        assistant.execute("web_search", json!({"query": "x"})).await,
        Ok(json!("x"))
    );
    let wrong = assistant
        .execute("web_search", json!({}))
        .await
        .unwrap_err();
    assert!(wrong.message().contains("/query"), "{wrong:?}");
    for (name, message) in [
        ("nobody", "Action nobody not found"),
        ("bare", "Action bare has no handler"),
        ("shown", "Action shown not found"),
    ] {
        assert_eq!(
            assistant
                .execute(name, json!({}))
                .await
                .unwrap_err()
                .message(),
            message
        );
    }
}
