//! `Approval`, and the effects of a decision.

use std::{cell::RefCell, rc::Rc};

use leptos::prelude::*;
use leptos_assistant::{
    Approval, Phase, Status, ToolAction, ToolCallView,
    testing::{MockAgent, settle, until},
    use_assistant_action,
};
use send_wrapper::SendWrapper;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{act, amount, calls};
use crate::support::{Chat, chat};

/// Mounts a chat in which `act` was called; waits until it needs approval or is done.
async fn called(
    args: Value,
    action: impl Fn() -> ToolAction + Clone + Send + Sync + 'static,
) -> Chat {
    let chat = chat(MockAgent::new().answer(calls(args)), move || {
        use_assistant_action(action());
    })
    .await;
    chat.assistant.send("go").unwrap();
    let asked = chat.assistant.pending_approvals();
    let waits = || asked.with_untracked(|list| !list.is_empty());
    assert!(until(|| waits() || chat.agent.inputs().len() == 2).await);
    chat
}

#[wasm_bindgen_test]
async fn denial_sets_the_result_of_a_denied_call() {
    let chat = called(json!({"amount": 5}), || {
        act()
            .approval(Approval::Always)
            .denial(|args, reason| json!({"kept": args["amount"], "because": reason}))
    })
    .await;
    let call = chat.assistant.pending_approvals().get_untracked()[0];
    chat.assistant.deny(&call, Some("too much".into())).unwrap();
    chat.idle().await;
    assert_eq!(chat.results(1), [r#"{"kept":5,"because":"too much"}"#]);
}

/// Returns true if an amount needs approval.
async fn requires_approval(amount: u32, approval: fn() -> Approval) -> bool {
    let chat = called(json!({"amount": amount}), move || {
        act().approval(approval())
    })
    .await;
    let asked = !chat
        .assistant
        .pending_approvals()
        .get_untracked()
        .is_empty();
    assert_eq!(asked, chat.agent.inputs().len() == 1);
    asked
}

fn is_much(args: &Value) -> bool {
    args["amount"].as_u64() > Some(100)
}

#[wasm_bindgen_test]
async fn approval_when_depends_on_the_arguments() {
    assert!(requires_approval(500, || Approval::when(is_much)).await);
    assert!(!requires_approval(5, || Approval::when(is_much)).await);
}

#[wasm_bindgen_test]
async fn approval_when_async_waits_for_its_rule() {
    let rule = || {
        Approval::when_async(|args| async move {
            settle().await;
            is_much(&args)
        })
    };
    assert!(requires_approval(500, rule).await);
    assert!(!requires_approval(5, rule).await);
}

#[wasm_bindgen_test]
async fn approve_runs_a_call_and_approve_with_replaces_its_arguments() {
    let action = || act().parameters(amount()).approval(Approval::Always);
    let chat = called(json!({"amount": 5}), action).await;
    chat.appears(".la-approval").await;
    let call = chat.assistant.pending_approvals().get_untracked()[0];
    chat.assistant.approve(&call).unwrap();
    chat.idle().await;
    assert_eq!(chat.results(1), [r#"{"amount":5}"#]);
    let chat = called(json!({"amount": 5}), action).await;
    chat.appears(".la-approval").await;
    let call = chat.assistant.pending_approvals().get_untracked()[0];
    let refused = chat
        .assistant
        .approve_with(&call, json!({"amount": "much"}));
    assert!(refused.is_err(), "the schema counts for the person, too");
    chat.assistant
        .approve_with(&call, json!({"amount": 3}))
        .unwrap();
    chat.idle().await;
    assert!(
        chat.results(1)[0].contains(r#"{"amount":3}"#),
        "{:?}",
        chat.results(1)
    );
}

/// Returns the call that `render_approval` received.
async fn custom_card() -> (Chat, ToolCallView) {
    let kept: Rc<RefCell<Option<ToolCallView>>> = Rc::default();
    let place = SendWrapper::new(Rc::clone(&kept));
    let chat = called(json!({"amount": 5}), move || {
        let place = place.clone();
        let keep = move |call: ToolCallView| {
            place.borrow_mut().replace(call);
            view! { <p class="own">"Pay?"</p> }
        };
        act()
            .parameters(amount())
            .approval(Approval::Always)
            .render_approval(keep)
    })
    .await;
    chat.appears(".own").await;
    let call = kept.borrow_mut().take().unwrap();
    (chat, call)
}

#[wasm_bindgen_test]
async fn a_custom_card_approves_with_other_arguments() {
    let (chat, call) = custom_card().await;
    assert!(call.can_run() && !call.is_asked_by_agent());
    assert!(call.approval_takes().edits && call.approval_takes().reason);
    assert_eq!(call.edit_schema(), Some(amount()));
    assert_eq!((call.question(), call.expires_at()), (None, None));
    assert_eq!((call.decision(), call.is_edited()), (None, false));
    chat.scrolls_through(".la-approval-custom").await;
    assert!(
        until(move || untrack(|| call.can_approve())).await,
        "it can be read by then"
    );
    call.approve_with(json!({"amount": 3})).unwrap();
    chat.idle().await;
    assert!(call.is_edited() && call.decision().is_some());
    assert_eq!(call.args_value(), Some(json!({"amount": 3})));
    assert_eq!(call.original_args(), Some(json!({"amount": 5})));
}

#[wasm_bindgen_test]
async fn a_custom_card_denies() {
    let (chat, call) = custom_card().await;
    call.deny(Some("too much".into())).unwrap();
    chat.idle().await;
    assert_eq!(
        (call.phase(), call.status()),
        (Phase::OutputDenied, Status::Failed)
    );
    assert_eq!(call.denial_reason().as_deref(), Some("too much"));
    assert_eq!(chat.results(1).len(), 1);
    assert!(chat.results(1)[0].contains("too much"));
}

#[wasm_bindgen_test]
async fn a_custom_card_approves() {
    let (chat, call) = custom_card().await;
    chat.scrolls_through(".la-approval-custom").await;
    assert!(
        until(move || untrack(|| call.can_approve())).await,
        "it can be read by then"
    );
    call.approve().unwrap();
    chat.idle().await;
    assert_eq!(chat.results(1), [r#"{"amount":5}"#]);
}
