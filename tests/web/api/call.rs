//! `ToolCallView`: the view of a call that a renderer receives.

use std::{cell::RefCell, rc::Rc, time::Duration};

use leptos::prelude::*;
use leptos_assistant::{
    Phase, Status, ToolAction, ToolCallView, ToolContext, ToolError,
    agent::Script,
    event::EventKind,
    testing::{MockAgent, call_view, settle, until},
    use_assistant_action,
};
use send_wrapper::SendWrapper;
use serde::Deserialize;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{act, amount};
use crate::support::{Chat, chat, question};

/// Mounts a chat whose action was called; returns the call that its card received.
async fn rendered_call(
    script: Script,
    action: impl Fn() -> ToolAction + Clone + Send + Sync + 'static,
) -> (Chat, ToolCallView) {
    let kept: Rc<RefCell<Option<ToolCallView>>> = Rc::default();
    let place = SendWrapper::new(Rc::clone(&kept));
    let chat = chat(MockAgent::new().answer(script), move || {
        let place = place.clone();
        let keep = move |call: ToolCallView| {
            place.borrow_mut().replace(call);
        };
        use_assistant_action(action().render(keep));
    })
    .await;
    chat.assistant.send("go").unwrap();
    assert!(until(|| kept.borrow().is_some()).await);
    let call = kept.borrow_mut().take().unwrap();
    (chat, call)
}

fn one_call(args: &str) -> Script {
    Script::new().call_as("c-1", "act", args)
}

#[wasm_bindgen_test]
async fn a_call_view_describes_the_enabled_action_of_its_name() {
    let (chat, call) = rendered_call(one_call("{}"), || {
        use_assistant_action(act());
        ToolAction::new("act", "Waits").enabled(false)
    })
    .await;
    chat.idle().await;
    assert_eq!(call.description().as_deref(), Some("Acts"));
}

#[wasm_bindgen_test]
async fn a_call_view_returns_arguments_result_and_status() {
    let (chat, call) =
        rendered_call(one_call("{ \"amount\": 5 }"), || act().parameters(amount())).await;
    chat.idle().await;
    assert_eq!((call.id().as_str(), call.name().as_str()), ("c-1", "act"));
    let cell = chat.assistant.call(call.key()).unwrap();
    assert_eq!(&cell.key(), call.key());
    assert_eq!(
        (call.phase(), call.status()),
        (Phase::OutputAvailable, Status::Complete)
    );
    assert_eq!(call.args_text(), "{ \"amount\": 5 }");
    assert_eq!(call.args_value(), Some(json!({"amount": 5})));
    assert_eq!(call.original_args(), call.args_value());
    assert_eq!(call.result_value(), Some(json!({"amount": 5})));
    assert_eq!(call.result::<Value>(), call.result_value());
    assert_eq!(call.description().as_deref(), Some("Acts"));
    assert_eq!(call.parameters(), Some(amount()));
    assert_eq!(call.error(), None);
    assert!(!call.is_edited() && !call.is_reported() && !call.has_changed());
}

#[derive(Debug, Deserialize, PartialEq)]
struct Amount {
    amount: u32,
}

#[wasm_bindgen_test]
async fn cast_reads_the_arguments_as_another_type() {
    let (chat, call) = rendered_call(one_call("{\"amount\":5}"), act).await;
    chat.idle().await;
    assert_eq!(call.cast::<Amount>().args(), Some(Amount { amount: 5 }));
    assert_eq!(call.cast::<Vec<u8>>().args(), None);
}

#[wasm_bindgen_test]
async fn a_failed_call_returns_its_error() {
    let fails = || {
        let work = |_: Value| async { Err::<(), _>(ToolError::new("no funds")) };
        ToolAction::new("act", "").handler(work)
    };
    let (chat, call) = rendered_call(one_call("{}"), fails).await;
    chat.idle().await;
    assert_eq!(call.status(), Status::Failed);
    assert!(call.error().is_some_and(|why| why.contains("no funds")));
}

#[wasm_bindgen_test]
async fn preliminary_and_progress_precede_the_result() {
    let (chat, call) = rendered_call(one_call("{}"), || {
        let work = |_: Value, context: ToolContext| async move {
            context.progress(0.25, "a quarter");
            context.preliminary(json!([1]));
            std::future::pending::<Result<(), ToolError>>().await
        };
        ToolAction::new("act", "").handler(work)
    })
    .await;
    assert!(until(|| call.preliminary::<Vec<u8>>() == Some(vec![1])).await);
    assert_eq!(
        call.progress().and_then(|progress| progress.fraction()),
        Some(0.25)
    );
    assert_eq!(call.result_value(), None);
    drop(chat);
}

#[wasm_bindgen_test]
async fn stream_args_shows_arguments_before_they_are_complete() {
    let id = || "c-1".to_owned();
    let script = Script::new()
        .event(EventKind::ToolCallStart {
            tool_call_id: id(),
            tool_call_name: "act".into(),
            parent_message_id: None,
        })
        .event(EventKind::ToolCallArgs {
            tool_call_id: id(),
            delta: "{\"amount\": 5, ".into(),
        })
        .wait(Duration::from_secs(60));
    let (chat, call) = rendered_call(script.clone(), || act().stream_args()).await;
    let call = call.cast::<Amount>();
    assert!(until(|| call.args() == Some(Amount { amount: 5 })).await);
    assert_eq!(call.status(), Status::Pending);
    drop(chat);
    let (chat, call) = rendered_call(script, act).await;
    settle().await;
    assert_eq!(call.cast::<Amount>().args(), None);
    drop(chat);
}

#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(default)]
struct Trip {
    city: Option<String>,
    nights: Option<u8>,
    class: Option<Class>,
}

#[derive(Debug, Clone, Copy, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Class {
    First,
    Second,
}

/// Returns a call whose arguments stop after the given text.
async fn call_with_partial_args(text: &str) -> (Chat, ToolCallView<Trip>) {
    let id = || "c-1".to_owned();
    let script = Script::new()
        .event(EventKind::ToolCallStart {
            tool_call_id: id(),
            tool_call_name: "act".into(),
            parent_message_id: None,
        })
        .event(EventKind::ToolCallArgs {
            tool_call_id: id(),
            delta: text.into(),
        })
        .wait(Duration::from_secs(60));
    let (chat, call) = rendered_call(script, || act().stream_args()).await;
    assert!(until(|| call.args_text() == text).await);
    (chat, call.cast())
}

#[wasm_bindgen_test]
async fn stream_args_returns_complete_fields_in_any_order() {
    let fields = [
        r#""city": "Oslo""#,
        r#""nights": 12"#,
        r#""class": "first""#,
    ];
    let orders = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    for order in orders {
        for count in 0..=order.len() {
            let whole: Vec<&str> = order[..count].iter().map(|at| fields[*at]).collect();
            // The next one has begun, and its partial value does not have its type yet.
            let next = order
                .get(count)
                .map(|at| ["\"city\": \"O", "\"nights\": 1", "\"class\": \"fi"][*at]);
            let text: Vec<&str> = whole.iter().copied().chain(next).collect();
            let (chat, call) = call_with_partial_args(&format!("{{{}", text.join(", "))).await;
            let has = |at: usize| order[..count].contains(&at);
            assert_eq!(
                call.arg::<String>("city"),
                has(0).then(|| "Oslo".to_owned())
            );
            // The last number may continue until something follows it.
            let number = has(1) && text.last() != Some(&fields[1]);
            assert_eq!(call.arg::<u8>("nights"), number.then_some(12), "{text:?}");
            assert_eq!(call.arg::<Class>("class"), has(2).then_some(Class::First));
            assert_eq!(call.arg::<u8>("city"), None, "of another type");
            let args = call.args().unwrap_or_default();
            assert_eq!(args.class, has(2).then_some(Class::First), "{text:?}");
            if has(0) {
                assert_eq!(args.city.as_deref(), Some("Oslo"));
            }
            drop(chat);
        }
    }
}

#[wasm_bindgen_test]
async fn arg_reads_one_field_of_the_arguments() {
    let (chat, call) = rendered_call(one_call("{\"amount\":5}"), act).await;
    chat.idle().await;
    assert_eq!(
        (call.arg::<u8>("amount"), call.arg::<u8>("other")),
        (Some(5), None)
    );
    drop(chat);
    let (_chat, call) = call_with_partial_args(r#"{"city": "Oslo", "#).await;
    assert_eq!(call.arg::<String>("city").as_deref(), Some("Oslo"));
}

#[wasm_bindgen_test]
async fn render_only_shows_a_result_of_the_agent_and_its_files() {
    let picture = json!([{"type": "image",
        "source": {"type": "data", "value": "AA==", "mimeType": "image/png"}}]);
    let content = leptos_assistant::event::content_from_value(picture).unwrap();
    let script = one_call("{}").event(EventKind::ToolCallResult {
        message_id: "t".into(),
        tool_call_id: "c-1".into(),
        content,
    });
    let (chat, call) = rendered_call(script, || ToolAction::new("act", "").render_only()).await;
    chat.idle().await;
    assert!(chat.agent.inputs()[0].tools.is_empty(), "it is not offered");
    assert_eq!(call.status(), Status::Complete);
    assert_eq!(call.result_files().len(), 1);
    assert_eq!(chat.agent.inputs().len(), 1, "nothing was run here");
}

#[wasm_bindgen_test]
async fn default_card_renders_the_built_in_card() {
    let chat = chat(MockAgent::new().answer(one_call("{}")), || {
        let frame = |call: ToolCallView| view! { <div class="frame">{call.default_card()}</div> };
        use_assistant_action(act().render(frame));
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(chat.page.text(".frame .la-tool-card .la-tool-name"), "act");
}

#[wasm_bindgen_test]
async fn a_result_from_the_agent_is_marked_as_reported() {
    let script = one_call("{}").result("c-1", "done, trust me");
    let chat = chat(MockAgent::new().answer(script), || {
        use_assistant_action(act());
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(
        chat.page.text(".la-tool-status"),
        "Reported by the assistant"
    );
    let key = chat
        .assistant
        .with_conversation(|conversation| conversation.call_history()[0]);
    let call = call_view(&chat.assistant, &key.unwrap()).unwrap();
    assert!(call.is_reported());
}

#[wasm_bindgen_test]
async fn an_approval_requested_by_the_agent_is_distinguished() {
    let schema = json!({"type": "object", "properties": {
        "approved": {"type": "boolean"}, "reason": {"type": "string"}}});
    let mut asked = question("q", Some("c-1"), schema);
    asked.expires_at = Some("2099-01-01T00:00:00Z".into());
    let script = one_call("{}").interrupt(vec![asked]);
    let chat = chat(MockAgent::new().answer(script), || {
        use_assistant_action(act());
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-approval").await;
    let key = chat.assistant.pending_approvals().get_untracked()[0];
    let call = call_view(&chat.assistant, &key).unwrap();
    assert!(call.is_asked_by_agent() && call.can_run());
    assert_eq!(call.question().as_deref(), Some("Question q?"));
    assert_eq!(call.expires_at(), Some(4_070_908_800_000));
    let takes = call.approval_takes();
    assert!(takes.reason && !takes.edits);
}
