//! The forms of handlers, and the results sent to the agent.

use leptos::{prelude::*, server_fn::error::ServerFnError};
use leptos_assistant::{
    Approval, Json, ToolAction, ToolCallView, ToolContext, ToolError,
    agent::Script,
    testing::{MockAgent, settle, until},
    use_assistant_action,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::support::{Chat, chat, console_warnings};

#[derive(Deserialize, Clone)]
struct Order {
    id: String,
    amount: f64,
}

#[derive(Serialize)]
struct Receipt {
    total: f64,
}

async fn on_server(fails: bool) -> Result<u8, ServerFnError> {
    match fails {
        true => Err(ServerFnError::new("no stock")),
        false => Ok(3),
    }
}

/// Returns the results of calling all actions that `setup` registers, each once with the same
/// arguments.
async fn results(names: &[&str], setup: fn()) -> Vec<String> {
    let args = json!({"id": "o1", "amount": 20.0});
    let script = names
        .iter()
        .fold(Script::new(), |script, name| script.call(*name, &args));
    let chat = chat(MockAgent::new().answer(script), setup).await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    chat.results(1)
}

#[wasm_bindgen_test]
async fn handlers_return_values_synchronously_or_asynchronously() {
    let answers = results(
        &[
            "none", "text", "sum", "json", "later", "context", "alone", "list",
        ],
        || {
            use_assistant_action(ToolAction::new("none", "").handler(|| ()));
            use_assistant_action(ToolAction::new("text", "").handler(|| "done").text_result());
            use_assistant_action(
                ToolAction::new("sum", "").handler(|order: Order| order.amount + 1.0),
            );
            use_assistant_action(ToolAction::new("json", "").handler(|order: Order| {
                Json(Receipt {
                    total: order.amount,
                })
            }));
            use_assistant_action(
                ToolAction::new("later", "").handler(|order: Order| async move {
                    settle().await;
                    order.id
                }),
            );
            use_assistant_action(
                ToolAction::new("context", "")
                    .handler(|_: Value, context: ToolContext| context.iteration()),
            );
            use_assistant_action(ToolAction::new("alone", "").handler(
                |context: ToolContext| async move {
                    settle().await;
                    context.iteration()
                },
            ));
            use_assistant_action(ToolAction::new("list", "").handler(|| async { vec![1, 2] }));
        },
    )
    .await;
    assert_eq!(
        answers,
        [
            "null",
            "done",
            "21.0",
            r#"{"total":20.0}"#,
            "\"o1\"",
            "0",
            "0",
            "[1,2]"
        ]
    );
}

#[wasm_bindgen_test]
async fn handler_errors_of_any_type_are_sent_to_the_agent() {
    let answers =
        results(&["text", "boxed", "server", "std", "mixed", "fine"], || {
            use_assistant_action(ToolAction::new("text", "").handler(|| Err::<(), _>("closed")));
            use_assistant_action(ToolAction::new("boxed", "").handler(|| async {
                Err::<u8, Box<dyn std::error::Error>>("no such order".into())
            }));
            use_assistant_action(ToolAction::new("server", "").handler(|| on_server(true)));
            use_assistant_action(ToolAction::new("std", "").handler(|| "x".parse::<u8>()));
            use_assistant_action(ToolAction::new("mixed", "").handler(|| async {
                let stock = on_server(true).await?;
                Ok::<_, ToolError>(stock)
            }));
            use_assistant_action(ToolAction::new("fine", "").handler(|| on_server(false)));
        })
        .await;
    let values: Vec<Value> = answers
        .iter()
        .map(|text| serde_json::from_str(text).unwrap())
        .collect();
    assert_eq!(values[0], json!({"error": "closed"}));
    assert_eq!(values[1], json!({"error": "no such order"}));
    assert!(values[2]["error"].as_str().unwrap().contains("no stock"));
    assert_eq!(values[3], json!({"error": "invalid digit found in string"}));
    assert!(values[4]["error"].as_str().unwrap().contains("no stock"));
    assert_eq!(values[5], json!(3));
}

async fn ordered(amount: Value) -> Chat {
    let args = json!({"id": "o1", "amount": amount});
    let agent = MockAgent::new().answer(Script::new().call("order", &args));
    let chat = chat(agent, || {
        use_assistant_action(
            ToolAction::new("order", "")
                .handler(|order: Order| order.id)
                .approval(Approval::when(|order: &Order| order.amount > 100.0))
                .denial(|order, reason| json!({"kept": order.id, "why": reason}))
                .render(|call| view! { <p class="order">{move || call.args().map(|order| order.id)}</p> }),
        );
    })
    .await;
    chat.assistant.send("order").unwrap();
    chat
}

#[wasm_bindgen_test]
async fn rules_denials_and_renderers_use_the_type_of_the_handler() {
    let chat = ordered(json!(5.0)).await;
    chat.idle().await;
    assert_eq!(chat.results(1), ["\"o1\""]);
    assert_eq!(chat.page.text(".order"), "o1");

    let chat = ordered(json!(500.0)).await;
    chat.appears(".la-approval").await;
    let call = chat.assistant.pending_approvals().get_untracked()[0];
    chat.assistant
        .deny(&call, Some("too much".to_owned()))
        .unwrap();
    chat.idle().await;
    assert_eq!(chat.results(1), [r#"{"kept":"o1","why":"too much"}"#]);

    // Arguments without the rule's type need approval.
    let chat = ordered(json!("a lot")).await;
    chat.appears(".la-approval").await;
}

/// Renderers after a handler infer its type, in every form, without annotations.
#[wasm_bindgen_test]
async fn renderers_infer_their_type_from_any_handler() {
    async fn by_name(order: Order) -> String {
        order.id
    }
    let own = |call: ToolCallView<Order>| move || call.args().map(|order| order.id);
    let actions = [
        ToolAction::new("a", "")
            .handler(|order: Order| order.id)
            .render(|call| move || call.args().map(|order| order.id))
            .args::<Value>(),
        ToolAction::new("a", "")
            .handler(by_name)
            .render(|call| move || call.args().map(|order| order.id))
            .args(),
        ToolAction::new("a", "")
            .handler(|order: Order, _: ToolContext| async move { order.id })
            .render(|call| move || call.args().map(|order| order.id))
            .args(),
        ToolAction::new("a", "")
            .args::<Order>()
            .render(|call| move || call.args().map(|order| order.id))
            .args(),
        ToolAction::new("a", "").args::<Order>().render(own).args(),
        ToolAction::new("a", "")
            .handler(|order: Order| order.id)
            .render_approval(|call| move || call.args().map(|order| order.id))
            .describe(|order| order.id.clone())
            .render(|call| move || call.args().map(|order| order.id))
            .args(),
    ];
    for action in actions {
        let kept = std::cell::RefCell::new(Some(action));
        let kept = send_wrapper::SendWrapper::new(kept);
        let script = Script::new().call("a", &json!({"id": "A-1", "amount": 1.5}));
        let chat = chat(MockAgent::new().answer(script), move || {
            use_assistant_action(kept.borrow_mut().take().unwrap());
        })
        .await;
        chat.assistant.send("go").unwrap();
        chat.appears(".la-custom").await;
        assert!(until(|| chat.page.text(".la-custom") == "A-1").await);
    }
}

/// Code of an action has the contexts of its component, also after a pause, and reads signals
/// without tracking them.
#[wasm_bindgen_test]
async fn handlers_and_rules_have_the_contexts_of_their_component() {
    #[derive(Clone)]
    struct Berth(&'static str);
    let agent = MockAgent::new().answer(Script::new().call("book", &json!({})));
    let warned = console_warnings();
    let chat = chat(agent, || {
        provide_context(Berth("B-7"));
        let nights = RwSignal::new(2);
        let rule = move |_: &Value| nights.get() > 2 || use_context::<Berth>().is_none();
        let book = move || async move {
            let before = (nights.get(), use_context::<Berth>().map(|berth| berth.0));
            settle().await;
            let after = (nights.get(), use_context::<Berth>().map(|berth| berth.0));
            json!([before, after])
        };
        let action = ToolAction::new("book", "").approval(Approval::when(rule));
        use_assistant_action(action.handler(book));
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(chat.results(1), [r#"[[2,"B-7"],[2,"B-7"]]"#]);
    let warned = warned.take();
    assert!(
        warned
            .iter()
            .all(|text| !text.contains("reactive tracking")),
        "{warned:?}"
    );
}
