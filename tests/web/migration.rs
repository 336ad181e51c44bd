//! The examples of the guide "Moving from another library", as an application would test them.

use leptos::prelude::*;
use leptos_assistant::{
    AssistantProvider, ChatWindow, ConfirmOptions, Suggestion, ToolAction, ToolContext,
    agent::Script,
    definitions_from_json,
    testing::{MockAgent, mount, until},
    use_assistant_action,
};
use serde::Deserialize;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::support::results_of;

#[derive(Deserialize)]
struct Asked {
    action: String,
    importance: Option<String>,
}

fn definition() -> Value {
    json!({
        "name": "confirmAction",
        "description": "Ask the user to confirm an action before proceeding",
        "parameters": {
            "type": "object",
            "properties": {
                "action": {"type": "string", "description": "The action that needs confirmation"},
                "importance": {
                    "type": "string",
                    "enum": ["low", "medium", "high", "critical"],
                    "description": "The importance level of the action"
                }
            },
            "required": ["action"]
        }
    })
}

/// The action of a plain list of tools, with its handler attached by name.
#[component]
fn Confirms() -> impl IntoView {
    let (definitions, refused) = definitions_from_json(&[definition()]);
    assert_eq!(refused, Vec::<String>::new());
    for definition in definitions {
        use_assistant_action(ToolAction::from_definition(definition).handler(
            |asked: Asked, context: ToolContext| async move {
                let question = ConfirmOptions::new(format!("Do you want to {}?", asked.action));
                let question = match asked.importance.as_deref() {
                    Some("high" | "critical") => question.danger(),
                    _ => question,
                };
                match context.confirm(question).await {
                    true => "approved",
                    false => "rejected",
                }
            },
        ));
    }
}

/// Answers the question of `confirmAction` with a button, and returns the result that is sent.
async fn answered_with(button: &str) -> String {
    let args = json!({"action": "rotate the keys", "importance": "critical"});
    let agent = MockAgent::new()
        .answer(Script::new().call("confirmAction", &args))
        .answer(Script::new().text("Done."));
    let requests = agent.clone();
    let page = mount(move || {
        view! {
            <AssistantProvider agent=agent>
                <Confirms />
                <ChatWindow suggestions=vec![Suggestion::new("Go")] />
            </AssistantProvider>
        }
    });
    assert!(until(|| page.click(".la-suggestion")).await);
    let question = "Do you want to rotate the keys?";
    assert!(until(|| page.text("dialog").contains(question)).await);
    assert_eq!(page.count("dialog [data-variant=danger]"), 1);
    let button = format!("dialog button[value={button}]:not([aria-disabled])");
    assert!(until(|| page.click(&button)).await);
    assert!(until(|| requests.inputs().len() == 2).await);
    let tool = requests.inputs()[0].tools.remove(0);
    let offered = json!({
        "name": tool.name, "description": tool.description, "parameters": tool.parameters,
    });
    assert_eq!(offered, definition());
    results_of(&requests.inputs()[1]).concat()
}

#[wasm_bindgen_test]
async fn a_handler_of_a_tool_list_asks_and_answers_the_agent() {
    assert_eq!(answered_with("confirm").await, "\"approved\"");
    assert_eq!(answered_with("cancel").await, "\"rejected\"");
}
