//! Offered tools, the history of calls, and actions that call actions.

use std::{cell::RefCell, rc::Rc};

use leptos::prelude::*;
use leptos_assistant::{
    Approval, OfferFilter, Phase, ToolAction, ToolContext, ToolError,
    agent::Script,
    list_tools_action,
    session::AuditEntry,
    testing::{MockAgent, until},
    use_assistant_action,
};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::support::{Chat, chat};

fn offered(chat: &Chat, run: usize) -> Vec<String> {
    let input = chat.agent.inputs().remove(run);
    input.tools.into_iter().map(|tool| tool.name).collect()
}

fn tagged(name: &'static str, tag: &'static str) -> ToolAction {
    let does = format!("Does {tag} things");
    let action = ToolAction::new(name, does).tags([tag]);
    action.handler(|args: Value| async move { Ok::<_, ToolError>(args) })
}

/// Rule "offered in a run"
#[wasm_bindgen_test]
async fn a_filter_signal_is_read_at_the_start_of_a_run() {
    let agent = MockAgent::new()
        .answer(Script::new().text("One"))
        .answer(Script::new().call("read_mail", &json!({})))
        .answer(Script::new().text("Two"));
    let chat = chat(agent, || {
        use_assistant_action(tagged("pay", "cart").version("3"));
        use_assistant_action(tagged("read_mail", "mail"));
    })
    .await;
    let tag = RwSignal::new(None::<&str>);
    let filter = move || tag.get().map(|tag| OfferFilter::default().tag(tag));
    chat.assistant.tools().offer_only(filter);
    chat.assistant.send("all").unwrap();
    chat.idle().await;
    assert_eq!(offered(&chat, 0), ["pay", "read_mail"]);
    tag.set(Some("cart"));
    chat.assistant.send("some").unwrap();
    chat.idle().await;
    assert_eq!(offered(&chat, 1), ["pay"]);
    let tools = chat.assistant.tools().offered();
    assert!(until(|| tools.with_untracked(Vec::len) == 1).await);
    let history = chat.assistant.tools().history();
    assert_eq!((history.total(), history.count("read_mail")), (1, 1));
    let record = &history.records()[0];
    assert_eq!(record.phase(), Phase::OutputError);
    let error = record.error();
    assert_eq!(error, Some("Action read_mail is not offered in this run"));
    let list = chat.assistant.tools().list();
    let facts: Vec<_> = list
        .iter()
        .map(|tool| (tool.name(), tool.version(), tool.is_offered()))
        .collect();
    assert_eq!(
        facts,
        [("pay", Some("3"), true), ("read_mail", None, false)]
    );
}

/// Rule "offered in a run"
#[wasm_bindgen_test]
async fn list_tools_finds_actions_that_a_filter_excludes() {
    let agent = MockAgent::new()
        .answer(Script::new().call("list_tools", &json!({"query": "MAIL"})))
        .answer(Script::new().call("read_mail", &json!({"id": 7})))
        .answer(Script::new().text("Read."))
        .answer(Script::new().text("Later."));
    let chat = chat(agent, || {
        use_assistant_action(tagged("pay", "cart"));
        use_assistant_action(tagged("read_mail", "mail"));
        use_assistant_action(list_tools_action());
    })
    .await;
    chat.assistant
        .tools()
        .offer_only(Some(OfferFilter::default()));
    chat.assistant.send("read it").unwrap();
    chat.idle().await;
    assert_eq!(offered(&chat, 0), ["list_tools"]);
    assert_eq!(offered(&chat, 1), ["read_mail", "list_tools"]);
    let history = chat.assistant.tools().history();
    let found = &history.records()[0].result().cloned().unwrap();
    assert_eq!(found.as_array().map(Vec::len), Some(1));
    assert_eq!(found[0]["name"], "read_mail");
    assert_eq!(history.records()[1].result(), Some(&json!({"id": 7})));
    chat.assistant.send("thanks").unwrap();
    chat.idle().await;
    assert_eq!(offered(&chat, 3), ["list_tools"]);
}

#[wasm_bindgen_test]
async fn a_handler_reads_iteration_parent_message_and_tool_history() {
    let kept: Rc<RefCell<Vec<Value>>> = Rc::default();
    let agent = MockAgent::new()
        .answer(Script::new().call("look", &json!({})))
        .answer(Script::new().call("look", &json!({})))
        .answer(Script::new().text("Done."));
    let place = send_wrapper::SendWrapper::new(Rc::clone(&kept));
    let chat = chat(agent, move || {
        let kept = place.clone();
        let look = move |_: Value, context: ToolContext| {
            let question = context.history().first().map(|message| message.text());
            let parent = context.parent_message_id().unwrap();
            kept.borrow_mut().push(json!([
                context.iteration(),
                question,
                parent.as_str(),
                context.client_id(),
                context.tool_history().count("look"),
            ]));
            "seen"
        };
        use_assistant_action(ToolAction::new("look", "").handler(look));
    })
    .await;
    chat.assistant.send("What is here?").unwrap();
    chat.idle().await;
    let messages = chat.assistant.messages().get_untracked();
    let ids: Vec<&str> = messages.iter().map(|entry| entry.id().as_str()).collect();
    let client = chat.assistant.client_id();
    assert_eq!(
        *kept.borrow(),
        [
            json!([0, "What is here?", ids[0], client, 1]),
            json!([1, "What is here?", ids[1], client, 2]),
        ]
    );
}

/// Mounts an action that buys and a nested one that needs approval; returns the audit records and
/// the runs.
async fn nested() -> (
    Chat,
    Rc<RefCell<Vec<AuditEntry>>>,
    RwSignal<Vec<&'static str>>,
) {
    let agent = MockAgent::new()
        .answer(Script::new().call("check_out", &json!({})))
        .answer(Script::new().text("Done."));
    let ran = RwSignal::new(Vec::new());
    let chat = chat(agent, move || {
        let buys = move |(): (), context: ToolContext| async move {
            let paid = context.execute("pay", json!({"amount": 5})).await;
            ran.update(|ran| ran.push("bought"));
            Ok::<_, ToolError>(json!({"paid": paid?}))
        };
        use_assistant_action(ToolAction::new("check_out", "Buys").handler(buys));
        let pays = move |_: Value| async move {
            ran.update(|ran| ran.push("paying"));
            std::future::pending::<()>().await;
            "paid"
        };
        let pay = ToolAction::new("pay", "Pays").handler(pays);
        use_assistant_action(pay.approval(Approval::Always));
    })
    .await;
    let records: Rc<RefCell<Vec<AuditEntry>>> = Rc::default();
    let log = chat.assistant.start_audit(|_| ());
    let list = Rc::clone(&records);
    log.on_entry(move |entry| list.borrow_mut().push(entry.clone()))
        .forget();
    (chat, records, ran)
}

/// Rule "steps before a handler"
#[wasm_bindgen_test]
async fn stopping_a_parent_call_cancels_its_nested_call() {
    let (chat, records, ran) = nested().await;
    chat.assistant.send("buy").unwrap();
    chat.appears(".la-approval").await;
    assert!(
        chat.page.text(".la-approval").contains("pay"),
        "the child's question is shown"
    );
    let running = chat.assistant.tools().running();
    assert!(until(|| running.get_untracked() == ["check_out"]).await);
    let child = chat.assistant.pending_approvals().get_untracked()[0];
    let parent = chat.assistant.tools().running_calls().get_untracked()[0];
    chat.assistant.approve(&child).unwrap();
    assert!(until(|| ran.get_untracked() == ["paying"]).await);
    chat.assistant.stop().unwrap();
    chat.idle().await;
    assert_eq!(ran.get_untracked(), ["paying"], "neither continues");
    let history = chat.assistant.tools().history();
    let listed: Vec<_> = history
        .records()
        .iter()
        .map(|one| (one.call_key(), one.name(), one.phase(), one.parent()))
        .collect();
    assert_eq!(
        listed,
        [
            (parent, "check_out", Phase::Cancelled, None),
            (child, "pay", Phase::Cancelled, Some(parent)),
        ]
    );
    let records = records.borrow();
    let of = |call| -> Vec<String> {
        let its = records.iter().filter(|entry| entry.call_key() == call);
        its.map(|entry| entry.to_value()["event"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(of(parent), ["allowed", "started", "ended"]);
    assert_eq!(of(child), ["asked", "allowed", "started", "ended"]);
    let mut its = records.iter().filter(|entry| entry.call_key() == child);
    assert!(its.all(|entry| entry.parent() == Some(parent)));
}

#[wasm_bindgen_test]
async fn a_denied_nested_call_is_an_error_of_its_parent() {
    let (chat, _, ran) = nested().await;
    chat.assistant.send("buy").unwrap();
    chat.appears(".la-approval").await;
    let child = chat.assistant.pending_approvals().get_untracked()[0];
    chat.assistant.deny(&child, None).unwrap();
    chat.idle().await;
    assert_eq!(ran.get_untracked(), ["bought"]);
    let history = chat.assistant.tools().history();
    let phases: Vec<_> = history.records().iter().map(|one| one.phase()).collect();
    assert_eq!(phases, [Phase::OutputError, Phase::OutputDenied]);
    let inputs = chat.agent.inputs();
    let sent = inputs[1].messages.last().unwrap();
    assert!(format!("{:?}", sent.body).contains("The person denied it"));
}
