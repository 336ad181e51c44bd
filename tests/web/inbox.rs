//! The inbox: questions that are answered by Approve or Deny, answers that the agent rejects, and
//! calls made by the page.

use std::{cell::RefCell, rc::Rc};

use leptos::prelude::*;
use leptos_assistant::{
    Approval, Phase, Refusal, ToolAction, ToolError,
    agent::{Failure, FailureKind, Script},
    event::{Interrupt, ResumeStatus},
    testing::{MockAgent, settle, until},
    use_assistant_action,
};
use serde_json::{Value, json};
use wasm_bindgen_futures::spawn_local;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    interrupts::{answer, click, fill},
    support::{Chat, chat, question, register_with_approval},
};

/// Returns a confirmation that names no call, as frameworks send it: without a schema, or without a
/// text.
fn confirmation(id: &str, metadata: Value) -> Interrupt {
    Interrupt {
        reason: "tool_confirmation".to_owned(),
        message: None,
        metadata: metadata.as_object().cloned(),
        ..question(id, None, Value::Null)
    }
}

async fn asked(interrupts: Vec<Interrupt>, then: impl Fn(MockAgent) -> MockAgent) -> Chat {
    let agent = MockAgent::new().answer(Script::new().interrupt(interrupts));
    let chat = chat(then(agent), || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-question").await;
    chat
}

#[wasm_bindgen_test]
async fn a_confirmation_without_a_call_has_buttons_and_no_text_field() {
    let action = json!({"name": "refund", "args": {"order": "A-17", "amount": 40}});
    let metadata = json!({"adk": {"originalFunctionCall": action}});
    let chat = asked(vec![confirmation("c", metadata)], |agent| {
        agent.answer(Script::new().text("Then not."))
    })
    .await;
    let card = "[data-interrupt-id=c]";
    assert_eq!(
        chat.page.count(&format!("{card} textarea, {card} input")),
        0
    );
    let wording = chat.page.text(card);
    assert!(
        wording.starts_with("The assistant has a question"),
        "{wording}"
    );
    assert_eq!(chat.page.text(&format!("{card} code")), "refund");
    let shown = chat.page.text(&format!("{card} pre"));
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown, json!({"order": "A-17", "amount": 40}));
    click(&chat, card, "Deny");
    chat.idle().await;
    let resume = chat.agent.inputs()[1].resume.clone();
    assert_eq!(resume[0].status, ResumeStatus::Resolved);
    assert_eq!(resume[0].payload, Some(json!({"approved": false})));
}

#[wasm_bindgen_test]
async fn a_confirmation_of_many_tools_shows_all_of_them() {
    let tool = |at: usize| json!({"name": format!("tool-{at}"), "args": {"at": at}});
    let few: Vec<Value> = (0..3).map(tool).collect();
    let many: Vec<Value> = (0..30).map(tool).collect();
    let bare = json!([tool(0), {"name": "delete_all"}]);
    for (tools, blocks, last) in [
        (json!(few), 3, "2"),
        (json!(many), 1, "tool-29"),
        (bare, 1, "delete_all"),
    ] {
        let metadata = json!({"tools": tools});
        let chat = asked(vec![confirmation("c", metadata)], |agent| agent).await;
        assert_eq!(chat.page.count(".la-question pre"), blocks);
        let all = chat.page.text(".la-question .la-approval-body");
        assert!(all.contains(last), "{all}");
    }
}

#[wasm_bindgen_test]
async fn a_question_of_the_agent_is_truncated_and_quoted() {
    let mut open = question("c", None, json!({"type": "boolean"}));
    open.message = Some("Approved by the page. ".repeat(5_000));
    let chat = asked(vec![open], |agent| agent).await;
    let words = chat.page.text("blockquote.la-question-words");
    assert_eq!(words.chars().count(), 100_001);
    assert_eq!(
        chat.page.text(".la-approval-title"),
        "The assistant has a question"
    );
    assert_eq!(chat.page.count("blockquote[tabindex='0']"), 1, "it scrolls");
}

#[wasm_bindgen_test]
async fn an_expired_question_can_only_be_skipped() {
    let at = js_sys::Date::new(&(js_sys::Date::now() + 1_000.0).into());
    let expires_at = Some(String::from(at.to_iso_string()));
    let late = |id: &str, schema: Value| Interrupt {
        expires_at: expires_at.clone(),
        ..question(id, None, schema)
    };
    let list = vec![
        late("yes", json!({"type": "boolean"})),
        late(
            "form",
            json!({"type": "object", "properties": {"a": {"type": "string"}}}),
        ),
    ];
    let chat = asked(list, |agent| agent.answer(Script::new().text("All right."))).await;
    assert_eq!(chat.page.count(".la-question button:disabled"), 0);
    assert!(until(|| chat.page.count(".la-expiry[data-over]") == 2).await);
    settle().await;
    let open = |id: &str| {
        chat.page
            .count(&format!("[data-interrupt-id={id}] button:enabled"))
    };
    assert_eq!((open("yes"), open("form")), (1, 1));
    assert_eq!(chat.page.count("input:enabled"), 0);
    click(&chat, "[data-interrupt-id=yes]", "Skip");
    click(&chat, "[data-interrupt-id=form]", "Skip");
    chat.idle().await;
    let resume = chat.agent.inputs()[1].resume.clone();
    assert!(
        resume
            .iter()
            .all(|entry| entry.status == ResumeStatus::Cancelled)
    );
}

#[wasm_bindgen_test]
async fn a_rejected_answer_can_be_repeated_or_skipped() {
    let wrong = || Failure::new(FailureKind::Http { status: 422 }, "no such day");
    let text = json!({"type": "object", "properties": {"day": {"type": "string"}}});
    let chat = asked(vec![question("day", None, text)], |agent| {
        agent.fail(wrong()).fail(wrong())
    })
    .await;
    for day in ["Sunday", "Monday"] {
        if chat.page.count("[data-rejected]") == 1 {
            click(&chat, ".la-question", "Answer again");
            chat.appears(".la-question input").await;
        }
        fill(&chat, ".la-question input", day);
        answer(&chat, ".la-question", "Submit").await;
        chat.appears(".la-question[data-rejected]:not([inert]) .la-question-rejected")
            .await;
    }
    settle().await;
    assert_eq!(chat.agent.inputs().len(), 3);
    assert!(chat.page.text(".la-question").contains("did not accept"));
    assert_eq!(chat.page.text(".la-notice-actions"), "Dismiss", "no Retry");
    click(&chat, ".la-question", "Skip");
    chat.idle().await;
    assert_eq!(chat.page.count(".la-question"), 0);
    assert_eq!(chat.agent.inputs().len(), 3, "the agent is not notified");
    chat.assistant.send("never mind").unwrap();
    chat.idle().await;
    assert!(chat.agent.inputs()[3].resume.is_empty());
}

/// Rule "approvals of the page": a call of the page itself needs approval like any other,
/// outside of the messages
#[wasm_bindgen_test]
async fn a_call_from_the_page_asks_for_approval_in_the_inbox() {
    let runs = RwSignal::new(0);
    let chat = chat(MockAgent::new(), move || {
        use_assistant_action(
            ToolAction::new("deploy", "Puts it online")
                .approval(Approval::Always)
                .handler(move |_: Value| async move {
                    runs.update(|count| *count += 1);
                    Ok::<_, ToolError>("online")
                }),
        );
    })
    .await;
    let phases: Rc<RefCell<Vec<Phase>>> = Rc::default();
    let log = Rc::clone(&phases);
    let subscription = chat.assistant.on_call_event(move |event| {
        assert_eq!(event.name(), "deploy");
        log.borrow_mut().push(event.phase());
    });
    let outcome: Rc<RefCell<Option<Result<Value, ToolError>>>> = Rc::default();
    let ask = || {
        let (assistant, slot) = (chat.assistant.clone(), Rc::clone(&outcome));
        spawn_local(async move {
            let result = assistant.execute("deploy", json!({"to": "prod"})).await;
            slot.borrow_mut().replace(result);
        });
    };
    ask();
    chat.appears(".la-inbox .la-approval").await;
    let card = chat.page.text(".la-inbox .la-approval");
    assert!(card.contains("deploy") && card.contains("prod"), "{card}");
    assert_eq!(chat.page.count(".la-chat-status[data-state=waiting]"), 1);
    chat.reads(".la-inbox .la-approval").await;
    click(&chat, ".la-inbox .la-approval", "Approve");
    assert!(until(|| outcome.borrow().is_some()).await);
    settle().await;
    assert_eq!(outcome.borrow_mut().take().unwrap().unwrap(), "online");
    assert_eq!(chat.page.count(".la-inbox > *"), 0);
    ask();
    chat.appears(".la-inbox .la-approval").await;
    click(&chat, ".la-inbox .la-approval", "Deny");
    assert!(until(|| outcome.borrow().is_some()).await);
    settle().await;
    assert!(outcome.borrow_mut().take().unwrap().is_err());
    assert_eq!(chat.page.count(".la-inbox > *"), 0);
    assert_eq!(runs.get_untracked(), 1);
    let story = [
        Phase::ApprovalRequested,
        Phase::Running,
        Phase::OutputAvailable,
        Phase::ApprovalRequested,
        Phase::OutputDenied,
    ];
    assert_eq!(*phases.borrow(), story);
    drop(subscription);
    ask();
    chat.appears(".la-inbox .la-approval").await;
    assert_eq!(
        phases.borrow().len(),
        story.len(),
        "the subscription has ended"
    );
}

/// Commands of an observer take effect after the step that it was notified of.
#[wasm_bindgen_test]
async fn a_call_observer_can_use_the_assistant_handle() {
    let agent = MockAgent::new()
        .answer(Script::new().call("deploy", &json!({})))
        .answer(Script::new().text("Fine."));
    let chat = chat(agent, || {
        register_with_approval("deploy");
    })
    .await;
    let assistant = chat.assistant.clone();
    let outcomes: Rc<RefCell<Vec<Result<(), Refusal>>>> = Rc::default();
    let log = Rc::clone(&outcomes);
    let subscription = chat.assistant.on_call_event(move |event| {
        if event.phase() == Phase::ApprovalRequested {
            assert!(assistant.with_conversation(|_| ()).is_some());
            log.borrow_mut()
                .push(assistant.deny(&event.call_key(), None));
        }
    });
    subscription.forget();
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(*outcomes.borrow(), [Ok(())]);
    assert_eq!(chat.results(1), ["\"denied\""]);
}
