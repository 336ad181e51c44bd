//! `Assistant`: its commands.

use std::{cell::RefCell, rc::Rc, time::Duration};

use leptos::prelude::*;
use leptos_assistant::{
    Assistant, Refusal, SessionOptions, StopCondition, ToolAction, ToolError,
    agent::{Agent, EventSink, Failure, FailureKind, Script},
    event::{Content, Diagnostic, EventKind, RunInput},
    session::{FinishReason, StreamEnd, TreeChange},
    testing::{MockAgent, registrations, settle, until},
    use_assistant_action,
};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{act, calls};
use crate::support::{chat, chat_with, question};

#[wasm_bindgen_test]
async fn set_state_is_sent_with_the_next_run() {
    let chat = chat(MockAgent::new(), || ()).await;
    chat.assistant.set_state(json!({"draft": 1}));
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(chat.agent.inputs()[0].state, json!({"draft": 1}));
}

#[wasm_bindgen_test]
async fn forwarded_props_are_sent_with_every_run() {
    let chat = chat(MockAgent::new(), || ()).await;
    chat.assistant
        .set_forwarded_props(json!({"tenant": "harbor"}));
    for run in 0..2 {
        chat.assistant.send("go").unwrap();
        chat.idle().await;
        let props = chat.agent.inputs()[run].forwarded_props.clone();
        assert_eq!(props, json!({"tenant": "harbor"}));
    }
}

/// An agent that emits nothing but a diagnostic.
#[derive(Clone)]
struct Odd;

impl Agent for Odd {
    fn run(
        &self,
        _: RunInput,
        events: EventSink,
    ) -> std::pin::Pin<Box<dyn Future<Output = StreamEnd>>> {
        events.diagnostic(Diagnostic::new("odd", "Something is odd"));
        Box::pin(async { StreamEnd::Closed })
    }
}

#[wasm_bindgen_test]
async fn on_diagnostic_receives_diagnostics_of_the_agent() {
    let chat = chat(MockAgent::new(), || ()).await;
    let reported: Rc<RefCell<Vec<String>>> = Rc::default();
    let log = Rc::clone(&reported);
    let subscription = chat.assistant.on_diagnostic(move |found| {
        log.borrow_mut()
            .push(format!("{}: {}", found.code(), found.message()));
    });
    chat.assistant.set_agent(Odd);
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let reported = reported.borrow();
    assert!(
        reported.iter().any(|line| line == "odd: Something is odd"),
        "{reported:?}"
    );
    drop(subscription);
}

#[wasm_bindgen_test]
async fn continue_loop_runs_past_the_limit() {
    let options = SessionOptions::default().stop_when(StopCondition::RunCount(1));
    let agent = MockAgent::new()
        .answer(calls(json!({})))
        .answer(Script::new().text("Done."));
    let chat = chat_with(agent, options, || use_assistant_action(act())).await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(
        chat.assistant.summary().get_untracked().finish(),
        Some(FinishReason::Limit)
    );
    chat.assistant.continue_loop().unwrap();
    chat.idle().await;
    assert_eq!(chat.agent.inputs().len(), 2);
    assert_eq!(chat.assistant.continue_loop(), Err(Refusal::NothingToDo));
}

#[wasm_bindgen_test]
async fn retry_repeats_the_run_and_dismiss_removes_the_notice() {
    let lost = || Failure::new(FailureKind::Network, "no connection");
    let chat = chat(MockAgent::new().fail(lost()).fail(lost()), || ()).await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    chat.assistant.retry().unwrap();
    chat.idle().await;
    assert_eq!(chat.agent.inputs().len(), 2);
    let notice = chat.assistant.notices().get_untracked().remove(0);
    chat.assistant.dismiss(notice.id());
    settle().await;
    assert!(chat.assistant.notices().get_untracked().is_empty());
    assert_eq!(chat.page.count(".la-notice"), 0);
}

#[wasm_bindgen_test]
async fn answer_resumes_an_interrupt_and_give_up_drops_a_rejected_answer() {
    let wrong = Failure::new(FailureKind::Http { status: 422 }, "no such day");
    let questions = vec![question("day", None, json!({"type": "string"}))];
    let agent = MockAgent::new()
        .answer(Script::new().interrupt(questions))
        .fail(wrong);
    let chat = chat(agent, || ()).await;
    chat.assistant.send("go").unwrap();
    let open = chat.assistant.interrupts();
    assert!(until(|| open.with_untracked(|list| list.len() == 1)).await);
    assert!(
        chat.assistant.give_up("day").is_err(),
        "nothing was rejected"
    );
    chat.assistant.answer("day", Some(json!("Monday"))).unwrap();
    assert!(until(|| open.with_untracked(|list| list.iter().any(|one| one.is_rejected()))).await);
    assert_eq!(
        chat.agent.inputs()[1].resume[0].payload,
        Some(json!("Monday"))
    );
    chat.assistant.give_up("day").unwrap();
    chat.idle().await;
    assert!(open.get_untracked().is_empty());
    assert_eq!(chat.agent.inputs().len(), 2, "the agent is not notified");
}

#[wasm_bindgen_test]
async fn a_change_of_branches_edits_and_selects() {
    let chat = chat(MockAgent::new(), || ()).await;
    chat.assistant.send("one").unwrap();
    chat.idle().await;
    let first = chat.assistant.messages().get_untracked()[0].id().clone();
    let content = Content::Text("two".into());
    let edit = TreeChange::Edit {
        message: first.clone(),
        content,
    };
    chat.assistant.branches().change(edit).unwrap();
    chat.idle().await;
    assert_eq!(chat.page.text("[data-role=user] .la-text"), "two");
    let back = TreeChange::Select {
        message: first,
        exact: false,
    };
    chat.assistant.branches().change(back).unwrap();
    settle().await;
    assert_eq!(chat.page.text("[data-role=user] .la-text"), "one");
}

#[wasm_bindgen_test]
async fn send_takes_text_with_an_image() {
    let parts = json!([{"type": "text", "text": "Look:"}, {"type": "image",
        "source": {"type": "url", "value": "https://example.com/a.png", "mimeType": "image/png"}}]);
    let parts = leptos_assistant::event::content_from_value(parts).unwrap();
    let chat = chat(MockAgent::new(), || ()).await;
    chat.assistant.send(parts).unwrap();
    chat.idle().await;
    let sent = format!("{:?}", chat.agent.inputs()[0].messages[0]);
    assert!(sent.contains("Look:") && sent.contains("a.png"), "{sent}");
}

#[wasm_bindgen_test]
async fn stop_ends_the_current_run() {
    let long = Script::new().text("So").wait(Duration::from_secs(60));
    let chat = chat(MockAgent::new().answer(long), || ()).await;
    assert_eq!(chat.assistant.stop(), Err(Refusal::NothingToDo));
    chat.assistant.send("go").unwrap();
    let activity = chat.assistant.activity();
    assert!(until(|| activity.get_untracked().is_streaming()).await);
    chat.assistant.stop().unwrap();
    chat.idle().await;
    assert_eq!(
        chat.assistant.summary().get_untracked().finish(),
        Some(FinishReason::Stopped)
    );
}

#[wasm_bindgen_test]
async fn with_thread_id_sets_the_id_and_import_loads_messages() {
    let assistant = Assistant::with_thread_id(MockAgent::new(), SessionOptions::default(), "mine");
    assert_eq!(assistant.thread_id().get_untracked(), "mine");
    assert_eq!(assistant.export()["threadId"], "mine");
    let list = json!([{"id": "u", "role": "user", "content": "Before"}]);
    assistant.import(list).unwrap();
    assert_eq!(assistant.messages().get_untracked().len(), 1);
    assert_eq!(
        assistant.conversations().replaced().get_untracked(),
        Vec::<String>::new()
    );
}

#[wasm_bindgen_test]
async fn a_past_conversation_can_be_reopened() {
    let agent = MockAgent::new();
    let assistant = Assistant::with_thread_id(agent, SessionOptions::default(), "first");
    assistant.send("one").unwrap();
    assert!(until(|| !assistant.activity().get_untracked().is_busy()).await);
    assistant.new_conversation();
    assert!(assistant.messages().get_untracked().is_empty());
    assert_eq!(
        assistant.conversations().replaced().get_untracked(),
        ["first"]
    );
    assert!(assistant.conversations().open("unknown").is_err());
    assistant.conversations().open("first").unwrap();
    assert_eq!(assistant.thread_id().get_untracked(), "first");
    assert_eq!(assistant.messages().get_untracked().len(), 2);
}

#[wasm_bindgen_test]
async fn a_registration_lasts_as_long_as_its_guard() {
    let assistant = Assistant::new(MockAgent::new(), SessionOptions::default());
    assert!(assistant.register(ToolAction::new("no name", "")).is_err());
    let guard = assistant.register(act()).unwrap();
    assert_eq!(registrations(&assistant).len(), 1);
    let given = assistant.execute("act", json!({"a": 1})).await.unwrap();
    assert_eq!(given, json!({"a": 1}));
    drop(guard);
    assert!(registrations(&assistant).is_empty());
    assert!(assistant.execute("act", json!({})).await.is_err());
}

#[wasm_bindgen_test]
async fn side_events_returns_custom_events() {
    let custom = EventKind::Custom {
        name: "weather".into(),
        value: json!({"rain": true}),
    };
    let chat = chat(
        MockAgent::new().answer(Script::new().event(custom.clone())),
        || (),
    )
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let kinds: Vec<_> = chat
        .assistant
        .side_events()
        .into_iter()
        .map(|event| event.kind)
        .collect();
    assert_eq!(kinds, [custom]);
}

#[wasm_bindgen_test]
async fn summary_lists_runs_and_tools_of_the_turn() {
    let agent = MockAgent::new()
        .answer(calls(json!({})))
        .answer(Script::new().text("Done."));
    let chat = chat(agent, || {
        let work = |_: Value| async { Ok::<_, ToolError>(1) };
        use_assistant_action(ToolAction::new("act", "").handler(work));
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let summary = chat.assistant.summary().get_untracked();
    assert_eq!(summary.runs().len(), 2);
    assert_eq!(summary.runs()[0].tools(), ["act"]);
    assert!(summary.runs()[1].has_text());
    assert_eq!(summary.finish(), Some(FinishReason::Stop));
}
