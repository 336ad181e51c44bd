//! `Assistant`: its signals and their updates.

use std::time::Duration;

use leptos::prelude::*;
use leptos_assistant::{
    Approval, InterruptView, ToolAction, ToolError,
    agent::{Failure, FailureKind, Script},
    event::EventKind,
    session::AgentStep,
    testing::{MockAgent, settle, until},
    use_assistant_action, use_assistant_context,
};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{act, calls};
use crate::support::{Chat, chat, question};

/// The successive values of a signal.
struct Followed<T>(RwSignal<Vec<T>>);

impl<T: Clone + PartialEq + Send + Sync + 'static> Followed<T> {
    /// Tracks a value from now on, as a view would.
    fn by(read: impl Fn() -> T + Send + Sync + 'static) -> Self {
        let lengths = RwSignal::new(Vec::new());
        Effect::new(move |_| {
            let now = read();
            lengths.update(|list| {
                if list.last() != Some(&now) {
                    list.push(now);
                }
            });
        });
        Self(lengths)
    }

    fn values(&self) -> Vec<T> {
        self.0.get_untracked()
    }
}

/// Mounts a chat whose `setup` may track the assistant, and runs it to its end.
async fn finished_run(script: Script, setup: impl Fn() + Send + Sync + 'static) -> Chat {
    let chat = chat(MockAgent::new().answer(script), setup).await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    chat
}

#[wasm_bindgen_test]
async fn the_state_signal_follows_agent_and_page() {
    let snapshot = |count: u32| EventKind::StateSnapshot {
        snapshot: json!({"count": count}),
    };
    let wait = Duration::from_millis(100);
    let script = Script::new()
        .event(snapshot(1))
        .wait(wait)
        .event(snapshot(2))
        .text("There.");
    let chat = chat(MockAgent::new().answer(script), || ()).await;
    let state = chat.assistant.state();
    let owner = Owner::new();
    let followed = owner.with(|| Followed::by(move || state.get()["count"].clone()));
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    chat.assistant.set_state(json!({"count": 3}));
    settle().await;
    assert_eq!(
        followed.values(),
        [Value::Null, json!(1), json!(2), json!(3)]
    );
}

#[wasm_bindgen_test]
async fn running_tools_and_activity_follow_a_handler() {
    let ready = RwSignal::new(false);
    let agent = MockAgent::new().answer(calls(json!({})));
    let chat = chat(agent, move || {
        let work = move |_: Value| async move {
            until(move || ready.get_untracked()).await;
            Ok::<_, ToolError>(1)
        };
        use_assistant_action(ToolAction::new("act", "").handler(work));
    })
    .await;
    let (running, activity) = (chat.assistant.tools().running(), chat.assistant.activity());
    assert!(running.get_untracked().is_empty() && !activity.get_untracked().is_busy());
    chat.assistant.send("go").unwrap();
    assert!(until(|| running.get_untracked() == ["act"]).await);
    assert!(activity.get_untracked().is_busy() && !activity.get_untracked().is_waiting());
    ready.set(true);
    chat.idle().await;
    assert!(running.get_untracked().is_empty());
}

#[wasm_bindgen_test]
async fn agent_steps_lists_the_steps_of_the_run() {
    let step_name = || "look up".to_owned();
    let script = Script::new()
        .event(EventKind::StepStarted {
            step_name: step_name(),
        })
        .event(EventKind::StepFinished {
            step_name: step_name(),
        })
        .wait(Duration::from_millis(150))
        .text("Found.");
    let chat = chat(MockAgent::new().answer(script), || ()).await;
    chat.assistant.send("go").unwrap();
    let steps = chat.assistant.agent_steps();
    let names = |steps: &[AgentStep]| {
        let names = steps.iter().map(|step| step.name().to_owned());
        names.collect::<Vec<_>>()
    };
    let there = || steps.with_untracked(|steps| names(steps) == ["look up"]);
    assert!(until(there).await, "{:?}", steps.get_untracked());
    chat.idle().await;
    assert!(steps.with_untracked(Vec::is_empty), "they are kept with it");
    let entries = chat.assistant.messages().get_untracked();
    let cell = chat.assistant.message(entries[1].id()).unwrap();
    assert_eq!(names(&cell.steps().get_untracked()), ["look up"]);
}

#[wasm_bindgen_test]
async fn summary_follows_the_steps_of_the_agent() {
    let pause = Duration::from_millis(150);
    let script = Script::new().text("Let me see.").wait(pause);
    let script = script.event(EventKind::StepStarted {
        step_name: "look up".to_owned(),
    });
    let chat = chat(
        MockAgent::new().answer(script.wait(Duration::from_secs(60))),
        || (),
    )
    .await;
    let summary = chat.assistant.summary();
    let count = Memo::new(move |_| {
        let runs = summary.read();
        runs.runs()
            .iter()
            .map(|run| run.steps().len())
            .sum::<usize>()
    });
    assert_eq!(count.get_untracked(), 0);
    chat.assistant.send("go").unwrap();
    chat.appears("[data-role=assistant]").await;
    assert_eq!(count.get_untracked(), 0);
    let steps = chat.assistant.agent_steps();
    assert!(until(move || steps.with_untracked(Vec::len) == 1).await);
    assert_eq!(count.get_untracked(), 1);
}

#[wasm_bindgen_test]
async fn messages_lists_entries_and_their_cells() {
    let chat = finished_run(Script::new().text("Hello there."), || ()).await;
    let entries = chat.assistant.messages().get_untracked();
    assert_eq!(entries.len(), 2);
    let ids: Vec<_> = entries
        .clone()
        .into_iter()
        .map(|entry| entry.id().clone())
        .collect();
    assert!(entries.iter().zip(&ids).all(|(entry, id)| entry.id() == id));
    let cell = chat.assistant.message(entries[1].id()).unwrap();
    assert_eq!(cell.id(), entries[1].id());
    assert!(!cell.is_streaming().get_untracked() && !cell.is_empty().get_untracked());
    let parts = cell.parts().get_untracked();
    assert_eq!(parts.len(), 1);
    assert_eq!(parts[0].mark().get_untracked().len(), "Hello there.".len());
    chat.assistant.new_conversation();
    assert!(chat.assistant.message(entries[1].id()).is_none());
}

#[wasm_bindgen_test]
async fn interrupts_and_pending_approvals_list_open_questions() {
    let script = Script::new().interrupt(vec![question("day", None, Value::Null)]);
    let chat = chat(
        MockAgent::new().answer(script).answer(calls(json!({}))),
        || {
            use_assistant_action(act().approval(Approval::Always));
        },
    )
    .await;
    let interrupts = chat.assistant.interrupts();
    chat.assistant.send("go").unwrap();
    assert!(until(|| interrupts.with_untracked(|list| list.len() == 1)).await);
    let open = interrupts.get_untracked().remove(0);
    assert_eq!(open.interrupt().id, "day");
    chat.assistant.answer("day", None).unwrap();
    let asked = chat.assistant.pending_approvals();
    assert!(until(|| interrupts.with_untracked(Vec::is_empty)).await);
    assert!(until(|| asked.with_untracked(|list| list.len() == 1)).await);
}

#[wasm_bindgen_test]
async fn queued_lists_messages_behind_an_undelivered_answer() {
    let lost = Failure::new(FailureKind::Network, "no connection");
    let questions = vec![question("q", None, json!({"type": "boolean"}))];
    let agent = MockAgent::new()
        .answer(Script::new().interrupt(questions))
        .fail(lost.clone())
        .fail(lost);
    let chat = chat(agent, || ()).await;
    chat.assistant.send("go").unwrap();
    let open = chat.assistant.interrupts();
    assert!(until(|| open.with_untracked(|list| list.len() == 1)).await);
    chat.assistant.answer("q", Some(json!(true))).unwrap();
    chat.idle().await;
    let queued = chat.assistant.queued();
    assert!(queued.get_untracked().is_empty());
    chat.assistant.send("and hurry").unwrap();
    chat.idle().await;
    let texts: Vec<_> = queued
        .get_untracked()
        .iter()
        .map(|message| message.display_text())
        .collect();
    assert_eq!(texts, ["and hurry"]);
}

#[wasm_bindgen_test]
async fn tools_lists_the_offered_actions() {
    let enabled = RwSignal::new(true);
    let chat = chat(MockAgent::new(), move || {
        use_assistant_action(act().enabled(enabled));
    })
    .await;
    let tools = chat.assistant.tools().offered();
    assert!(until(|| tools.with_untracked(|list| list.len() == 1)).await);
    assert_eq!(tools.get_untracked()[0].description, "Acts");
    enabled.set(false);
    assert!(until(|| tools.with_untracked(Vec::is_empty)).await);
}

#[wasm_bindgen_test]
async fn message_text_follows_a_streaming_message() {
    let wait = Duration::from_millis(150);
    let more = |delta: &str| EventKind::TextMessageContent {
        message_id: "m1".into(),
        delta: delta.into(),
    };
    let start = EventKind::TextMessageStart {
        message_id: "m1".into(),
        role: None,
        name: None,
    };
    let script = Script::new().event(start).event(more("So far"));
    let agent = MockAgent::new().answer(script.wait(wait).event(more(" and on")));
    let chat = chat(agent, || ()).await;
    let messages = chat.assistant.messages();
    chat.assistant.send("go").unwrap();
    assert!(until(|| messages.with_untracked(|list| list.len() == 2)).await);
    let [second, first] = [0, 1].map(|at| {
        let id = messages.with_untracked(|list| list[at].id().clone());
        chat.assistant.message_text(&id)
    });
    let owner = Owner::new();
    let (text, followed) = owner.with(|| (first.clone(), Followed::by(move || first.get())));
    chat.idle().await;
    assert_eq!(second.get_untracked(), "go");
    assert_eq!(text.get_untracked(), "So far and on");
    assert_eq!(followed.values(), ["So far", "So far and on"]);
    let unknown = leptos_assistant::conversation::MessageId::from("unknown");
    assert_eq!(chat.assistant.message_text(&unknown).get_untracked(), "");
}

#[wasm_bindgen_test]
async fn running_calls_lists_calls_with_a_running_handler() {
    let ready = RwSignal::new(false);
    let agent = MockAgent::new().answer(calls(json!({})));
    let chat = chat(agent, move || {
        let work = move |_: Value| async move {
            until(move || ready.get_untracked()).await;
            Ok::<_, ToolError>(())
        };
        use_assistant_action(ToolAction::new("act", "").handler(work));
    })
    .await;
    let calls = chat.assistant.tools().running_calls();
    let owner = Owner::new();
    let followed = owner.with(|| {
        let calls = calls.clone();
        Followed::by(move || calls.get().len())
    });
    chat.assistant.send("go").unwrap();
    assert!(until(|| calls.get_untracked().len() == 1).await);
    let call = chat.assistant.tool_call(&calls.get_untracked()[0]).unwrap();
    assert_eq!(call.name(), "act");
    ready.set(true);
    chat.idle().await;
    assert_eq!(followed.values(), [0, 1, 0]);
}

#[wasm_bindgen_test]
async fn an_interrupt_view_answers_only_the_question_that_it_shows() {
    let ask = |text: &str| {
        let mut question = question("one", None, json!({"type": "boolean"}));
        question.message = Some(text.to_owned());
        Script::new().interrupt(vec![question])
    };
    let agent = MockAgent::new()
        .answer(ask("Delete the draft?"))
        .answer(ask("Delete the archive?"))
        .answer(Script::new().text("Done."));
    let chat = chat(agent, || ()).await;
    assert!(InterruptView::find(&chat.assistant, "one").is_none());
    chat.assistant.send("go").unwrap();
    let message = || InterruptView::find(&chat.assistant, "one").and_then(|view| view.message());
    assert!(until(|| message().as_deref() == Some("Delete the draft?")).await);
    let owner = Owner::new();
    let first = owner.with(|| InterruptView::find(&chat.assistant, "one").unwrap());
    chat.assistant.answer("one", Some(json!(true))).unwrap();
    assert!(until(|| message().as_deref() == Some("Delete the archive?")).await);
    assert!(first.answer(true).is_err(), "it is another question now");
    let second = owner.with(|| InterruptView::find(&chat.assistant, "one").unwrap());
    second.answer(true).unwrap();
    chat.idle().await;
    assert!(chat.page.text("[role=log]").contains("Done."));
}

#[wasm_bindgen_test]
async fn contexts_and_conditions_read_the_contexts_of_their_component() {
    #[derive(Clone)]
    struct Cart(u32);
    let count = || use_context::<Cart>().map_or(0, |cart| cart.0);
    let chat = chat(MockAgent::new(), move || {
        provide_context(Cart(3));
        use_assistant_context("Items in the cart", count);
        let action = act().enabled(Signal::derive(move || count() > 0));
        use_assistant_action(
            action.description(Signal::derive(move || format!("{} items", count()))),
        );
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let input = chat.agent.inputs().remove(0);
    assert_eq!(input.context[0].value, "3");
    assert_eq!(input.tools[0].description, "3 items");
}
