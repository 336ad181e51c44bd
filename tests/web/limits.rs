//! The application's rules for calls: permission, limits, sanitized arguments, records.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use leptos::prelude::*;
use leptos_assistant::{
    Approval, AuditSink, CallLimits, ToolAction, agent::Script, session::AuditEntry,
    testing::MockAgent, use_assistant_action,
};
use serde::Deserialize;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    approval::{button, deny},
    support::{Chat, chat},
};

#[derive(Deserialize)]
struct Mail {
    to: String,
}

/// Mounts a chat whose agent sends a mail to each address; returns the sent mails.
async fn mails(
    to: &[&str],
    rules: fn(ToolAction<Mail>) -> ToolAction<Mail>,
) -> (Chat, RwSignal<Vec<String>>) {
    let sent = RwSignal::new(Vec::new());
    let mut agent = MockAgent::new();
    for to in to {
        agent = agent
            .answer(Script::new().call("send", &json!({"to": to})))
            .answer(Script::new().text("Done."));
    }
    let chat = chat(agent, move || {
        let send = ToolAction::new("send", "Sends a mail").handler(move |mail: Mail| {
            sent.update(|sent| sent.push(mail.to));
            "sent"
        });
        use_assistant_action(rules(send));
    })
    .await;
    (chat, sent)
}

async fn turn(chat: &Chat) {
    chat.assistant.send("Send it").unwrap();
    chat.idle().await;
}

/// Rule "permission"
#[wasm_bindgen_test]
async fn a_refused_permission_is_reported_to_the_agent_and_on_the_card() {
    let (chat, sent) = mails(
        &["eve@evil.test", "ann@example.com", "bob@example.com"],
        |send| {
            send.permission(|mail| async move {
                match mail.to.ends_with("@example.com") {
                    true => Ok(()),
                    false => Err("Mails go to customers only".to_owned()),
                }
            })
        },
    )
    .await;
    turn(&chat).await;
    let error = r#"{"error":"Mails go to customers only","errorType":"permission"}"#;
    assert_eq!(chat.results(1), [error]);
    chat.opens_card().await;
    assert!(
        chat.page
            .text("[data-tool-name=send]")
            .contains("Mails go to customers only")
    );
    turn(&chat).await;
    assert_eq!(sent.get_untracked(), ["ann@example.com"]);
    chat.assistant
        .set_permission(|name, _| async move { Err(format!("No {name} today")) });
    turn(&chat).await;
    chat.opens_card().await;
    assert!(chat.page.text("[role=log]").contains("No send today"));
    assert_eq!(sent.get_untracked().len(), 1);
}

/// Rule "limits"
#[wasm_bindgen_test]
async fn a_call_over_its_limit_requests_no_approval() {
    let (chat, sent) = mails(&["a", "b"], |send| {
        send.limits(CallLimits::default().calls(1, 3_600_000))
            .approval(Approval::Always)
    })
    .await;
    chat.assistant.send("Send it").unwrap();
    chat.reads(".la-approval").await;
    button(&chat, "Approve").click();
    chat.idle().await;
    turn(&chat).await;
    assert_eq!(sent.get_untracked(), ["a"]);
    assert!(
        chat.results(3)[1].contains("retryAfterMs"),
        "{:?}",
        chat.results(3)
    );
}

/// Rule "cleaned arguments"
#[wasm_bindgen_test]
async fn sanitized_arguments_are_shown_on_the_card_and_run() {
    let (chat, sent) = mails(&["  ANN "], |send| {
        let clean = |args: &mut Value| {
            let to = args["to"]
                .as_str()
                .unwrap_or_default()
                .trim()
                .to_lowercase();
            args["to"] = to.into();
        };
        send.sanitize(clean).approval(Approval::Always)
    })
    .await;
    chat.assistant.send("Send it").unwrap();
    chat.appears(".la-approval").await;
    assert!(
        chat.page
            .text(".la-approval pre")
            .contains(r#""to": "ann""#)
    );
    let key = chat.assistant.pending_approvals().get_untracked()[0];
    let call = chat.assistant.tool_call(&key).unwrap();
    assert!(call.is_cleaned());
    assert_eq!(call.original_args().unwrap()["to"], "  ANN ");
    chat.reads(".la-approval").await;
    button(&chat, "Approve").click();
    chat.idle().await;
    assert_eq!(sent.get_untracked(), ["ann"]);
}

#[wasm_bindgen_test]
async fn a_recording_ends_with_its_log_and_subscriptions() {
    let (chat, _) = mails(&["ann", "bob", "cid"], |send| send).await;
    let count = Rc::new(Cell::new(0));
    let counter = Rc::clone(&count);
    let log = chat
        .assistant
        .start_audit(move |_| counter.set(counter.get() + 1));
    let sends = async || {
        turn(&chat).await;
        count.replace(0)
    };
    assert_ne!(sends().await, 0);
    let subscription = log.on_entry(|_| ());
    drop(log);
    assert_ne!(sends().await, 0, "the subscription continues it");
    drop(subscription);
    assert_eq!(sends().await, 0);
}

/// A sink that fails at each record, after noting its event.
#[derive(Clone, Default)]
struct Lines(Rc<RefCell<Vec<String>>>);

impl AuditSink for Lines {
    fn write(&self, entry: &AuditEntry) -> Result<(), String> {
        let event = entry.to_value()["event"].as_str().unwrap().to_owned();
        self.0.borrow_mut().push(event);
        Err("the disk is full".to_owned())
    }
}

/// Rule "audit"
#[wasm_bindgen_test]
async fn each_attempt_is_recorded_redacted_and_passed_to_observers() {
    let (chat, _) = mails(&["ann", "bob"], |send| send.approval(Approval::Always)).await;
    let log = chat.assistant.start_audit(|entry| {
        if let Some(to) = entry.args_mut().get_mut("to") {
            *to = json!("…");
        }
    });
    let lines: Rc<RefCell<Vec<String>>> = Rc::default();
    let (list, assistant) = (Rc::clone(&lines), chat.assistant.clone());
    let subscription = log.on_entry(move |entry| {
        assert!(
            assistant.with_conversation(|_| ()).is_some(),
            "the session is free"
        );
        list.borrow_mut()
            .push(entry.to_value()["event"].as_str().unwrap().to_owned());
    });
    let sink = Lines::default();
    log.write_to(sink.clone()).forget();
    chat.assistant.send("Send it").unwrap();
    chat.reads(".la-approval").await;
    button(&chat, "Approve").click();
    chat.idle().await;
    chat.assistant.send("Send it").unwrap();
    chat.appears(".la-approval").await;
    deny(&chat);
    chat.idle().await;
    assert_eq!(
        *sink.0.borrow(),
        *lines.borrow(),
        "a sink gets every record"
    );
    let events = [
        "asked", "allowed", "started", "ended", "asked", "denied", "ended",
    ];
    assert_eq!(*lines.borrow(), events);
    let export = log.export();
    assert_eq!(log.entries().len(), events.len());
    assert!(!export.to_string().contains("ann"), "{export}");
    assert_eq!(export["entries"][3]["outcome"], "done");
    assert_eq!(export["entries"][6]["outcome"], "denied");
    drop(subscription);
}
