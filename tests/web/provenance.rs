//! Whose word it is: what a person changed, what the agent only reports, what it has a person say.

use leptos::prelude::*;
use leptos_assistant::{
    Approval, Phase, ToolAction, ToolCallView, ToolError,
    agent::Script,
    engine::{
        conversation::Decision,
        event::{EventKind, MessageBody},
        wire::agui::message_from_value,
    },
    testing::{MockAgent, settle},
    use_assistant_action,
};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::support::chat;

/// The card shows what ran, and keeps what the agent had asked for one click away.
#[wasm_bindgen_test]
async fn changed_arguments_are_shown_beside_the_agents() {
    let agent = MockAgent::new()
        .answer(Script::new().call("pay", &json!({"amount": 500})))
        .answer(Script::new().text("Paid."));
    let seen: RwSignal<Option<ToolCallView<Value>>, LocalStorage> = RwSignal::new_local(None);
    let chat = chat(agent, move || {
        use_assistant_action(
            ToolAction::new("pay", "")
                .parameters(
                    json!({"type": "object", "properties": {"amount": {"type": "integer"}}}),
                )
                .approval(Approval::Always)
                .render(move |call: ToolCallView<Value>| {
                    seen.set(Some(call));
                    call.default_card()
                })
                .handler(|args: Value| async move { Ok::<_, ToolError>(args) }),
        );
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-approval-edit").await;
    assert!(chat.page.click(".la-approval-edit"));
    chat.appears(".la-approval form input").await;
    let field = chat.page.find(".la-approval form input").unwrap();
    js_sys::Reflect::set(&field, &"value".into(), &"5".into()).unwrap();
    field
        .dispatch_event(&web_sys::Event::new("input").unwrap())
        .unwrap();
    chat.reads(".la-approval").await;
    assert!(chat.page.click(".la-approval button[type=submit]"));
    chat.idle().await;
    assert_eq!(chat.results(1), ["{\"amount\":5}"]);
    chat.opens_card().await;
    assert_eq!(
        chat.page.text("[data-kind=arguments]"),
        "{\n  \"amount\": 5\n}"
    );
    let wanted = "details:not([open]) > [data-kind=original-arguments]";
    assert_eq!(chat.page.text(wanted), "{\n  \"amount\": 500\n}");
    let call = seen.get_untracked().unwrap();
    assert_eq!(call.args_value(), Some(json!({"amount": 5})));
    assert_eq!(call.original_args(), Some(json!({"amount": 500})));
    assert_eq!(call.decision(), Some(Decision::Approved));
    assert_eq!(call.denial_reason(), None);
    assert!(call.is_edited());
}

/// The card of an action shows what this page did; what the agent says instead is its report.
#[wasm_bindgen_test]
async fn a_result_of_the_agent_for_the_pages_action_is_a_report() {
    let agent = MockAgent::new().answer(
        Script::new()
            .call_as("c1", "pay", "{}")
            .result("c1", "\"paid\"")
            .text("I have paid."),
    );
    let chat = chat(agent, || {
        use_assistant_action(
            ToolAction::new("pay", "")
                .render(|call: ToolCallView<Value>| {
                    view! { <p class="card">{move || call.phase() == Phase::OutputAvailable}</p> }
                })
                .handler(|_: Value| async { Ok::<_, ToolError>("never") }),
        );
        use_assistant_action(
            ToolAction::new("look", "")
                .render_only()
                .render(|_: ToolCallView<Value>| view! { <p class="card">"own"</p> }),
        );
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears("[data-tool-name=pay][data-status=complete] .la-tool-card")
        .await;
    chat.idle().await;
    assert_eq!(chat.page.text(".la-tool-status"), "Reported by the agent");
    assert_eq!(chat.page.count(".card"), 0);
}

/// A person's words stay; that the agent has them say something else is marked.
#[wasm_bindgen_test]
async fn another_wording_of_the_agent_is_marked() {
    let agent = MockAgent::new().answer(Script::new().text("Good."));
    let chat = chat(agent, || ()).await;
    chat.assistant.send("Pay 5").unwrap();
    chat.idle().await;
    let said = chat.agent.inputs()[0].messages.clone();
    let user = said
        .iter()
        .find(|m| matches!(m.body, MessageBody::User { .. }));
    let id = user.unwrap().id.clone();
    let other = json!({"id": id, "role": "user", "content": "Pay 5000"});
    let messages = vec![message_from_value(other).unwrap()];
    let _ = chat.agent.clone().answer(
        Script::new()
            .event(EventKind::MessagesSnapshot { messages })
            .text("Paid."),
    );
    chat.assistant.send("And?").unwrap();
    chat.appears(".la-message-disputed").await;
    chat.idle().await;
    settle().await;
    let message = "[data-role=user]:has(.la-message-disputed)";
    assert_eq!(
        chat.page.text(&format!("{message} .la-message-parts")),
        "Pay 5"
    );
    assert!(
        chat.page
            .text(".la-fold-summary")
            .contains("record of this message differs")
    );
    assert_eq!(
        chat.page
            .text("details:not([open]) > [data-kind=agents-version]"),
        "Pay 5000"
    );
    assert_eq!(chat.page.count(".la-message-disputed"), 1);
}
