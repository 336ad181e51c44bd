//! Custom renderers of interrupts.

use leptos::prelude::*;
use leptos_assistant::{
    InterruptTarget, InterruptView, Refusal,
    agent::{Failure, FailureKind, Script},
    event::ResumeStatus,
    testing::{MockAgent, settle, until},
    use_interrupt_renderer,
};
use serde_json::json;
use std::{cell::RefCell, rc::Rc};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    interrupts::click,
    support::{Chat, chat, console_errors, question},
};

const OWN: &str = ".la-approval-custom";

fn seat(asked: InterruptView) -> impl IntoView {
    view! {
        <div class="seat">
            <p>{asked.message()}</p>
            <button
                aria-disabled=move || (!asked.can_answer()).then_some("true")
                on:click=move |_| drop(asked.answer(json!("12A")))
            >
                "12A"
            </button>
            <button on:click=move |_| drop(asked.give_up())>"None"</button>
            <div class="default">{asked.default_view()}</div>
        </div>
    }
}

fn asking_agent(reason: &str) -> MockAgent {
    let mut asked = question("q", None, json!({"type": "string"}));
    asked.reason = reason.to_owned();
    MockAgent::new()
        .answer(Script::new().interrupt(vec![asked]))
        .answer(Script::new().text("Well."))
}

async fn asked<V: IntoView + 'static>(
    reason: &str,
    setup: impl Fn() -> V + Send + Sync + 'static,
) -> Chat {
    let chat = chat(asking_agent(reason), setup).await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-inbox [data-interrupt-id=q]").await;
    settle().await;
    chat
}

#[wasm_bindgen_test]
async fn a_custom_interrupt_renderer_replaces_the_built_in_question() {
    let chat = asked("choose_seat", || {
        use_interrupt_renderer("choose_seat", seat);
    })
    .await;
    assert_eq!(chat.page.text(".seat > p"), "Question q?");
    assert_eq!(
        chat.page.count(".la-inbox > * .default .la-question"),
        1,
        "only where it is asked for"
    );
    click(&chat, ".seat", "12A");
    settle().await;
    assert_eq!(
        chat.agent.inputs().len(),
        1,
        "the user cannot have read it yet"
    );
    let own = ".la-approval-custom";
    chat.dwells_on(&format!("{own} > .la-approval-end, {own} button"))
        .await;
    chat.appears(".seat > button:first-of-type:not([aria-disabled])")
        .await;
    click(&chat, ".seat", "12A");
    chat.idle().await;
    let resumed = chat.agent.inputs()[1].resume[0].clone();
    assert_eq!(resumed.status, ResumeStatus::Resolved);
    assert_eq!(resumed.payload, Some(json!("12A")));
    assert_eq!(chat.page.count(OWN), 0);
}

#[wasm_bindgen_test]
async fn a_custom_interrupt_renderer_can_skip_at_once() {
    let chat = asked("choose_seat", || {
        use_interrupt_renderer("choose_seat", seat);
    })
    .await;
    click(&chat, ".seat", "None");
    chat.idle().await;
    let resumed = chat.agent.inputs()[1].resume[0].clone();
    assert_eq!(resumed.status, ResumeStatus::Cancelled);
}

#[wasm_bindgen_test]
async fn an_interrupt_renderer_for_the_reason_precedes_the_one_for_all() {
    let named = RwSignal::new(true);
    let seats = || use_interrupt_renderer("choose_seat", seat);
    let chat = asked("choose_seat", move || {
        use_interrupt_renderer(InterruptTarget::All, |asked: InterruptView| {
            view! { <p class="all">{asked.reason()}</p> }
        });
        view! { <Show when=move || named.get()>{seats}</Show> }
    })
    .await;
    assert_eq!((chat.page.count(".seat"), chat.page.count(".all")), (1, 0));
    named.set(false);
    settle().await;
    assert_eq!(chat.page.count(".seat"), 0);
    assert_eq!(chat.page.text(".all"), "choose_seat");
}

#[wasm_bindgen_test]
async fn unmounting_an_interrupt_renderer_restores_the_built_in_question() {
    let shown = RwSignal::new(true);
    let seats = || use_interrupt_renderer("choose_seat", seat);
    let chat = asked("choose_seat", move || {
        view! { <Show when=move || shown.get()>{seats}</Show> }
    })
    .await;
    assert_eq!(chat.page.count(OWN), 1);
    shown.set(false);
    settle().await;
    assert_eq!(chat.page.count(OWN), 0);
    assert_eq!(chat.page.count(".la-inbox .la-question"), 1);
}

#[wasm_bindgen_test]
async fn an_empty_interrupt_renderer_falls_back_to_the_built_in_question() {
    let console = console_errors();
    let chat = asked("choose_seat", || {
        use_interrupt_renderer("choose_seat", |_: InterruptView| ());
    })
    .await;
    assert_eq!(chat.page.count(".la-inbox .la-question"), 1);
    let logged = console.take();
    assert_eq!(logged.len(), 1, "{logged:?}");
    assert!(logged[0].contains("choose_seat"), "{logged:?}");
    click(&chat, ".la-question", "Skip");
    chat.idle().await;
    assert_eq!(chat.agent.inputs().len(), 2);
}

#[wasm_bindgen_test]
async fn a_failed_interrupt_renderer_falls_back_to_the_built_in_question() {
    let chat = asked("choose_seat", || {
        use_interrupt_renderer("choose_seat", |_: InterruptView| {
            Err::<(), _>(std::io::Error::other("no plane"))
        });
    })
    .await;
    assert!(chat.page.text(".la-render-error").contains("no plane"));
    assert_eq!(chat.page.count(".la-inbox .la-question"), 1);
}

#[wasm_bindgen_test]
async fn render_interrupts_applies_until_its_guard_is_dropped() {
    let chat = asked("choose_seat", || ()).await;
    let guard = chat.assistant.render_interrupts("choose_seat", seat);
    chat.appears(".seat").await;
    drop(guard);
    settle().await;
    assert_eq!(chat.page.count(".seat"), 0);
    assert_eq!(chat.page.count(".la-inbox .la-question"), 1);
}

#[wasm_bindgen_test]
async fn an_interrupt_view_returns_its_expiry_and_rejection() {
    let kept: Rc<RefCell<Vec<InterruptView>>> = Rc::default();
    let place = send_wrapper::SendWrapper::new(Rc::clone(&kept));
    let mut expiring = question("q", None, json!({"type": "string"}));
    expiring.expires_at = Some("2099-01-01T00:00:00Z".to_owned());
    let agent = MockAgent::new()
        .answer(Script::new().interrupt(vec![expiring]))
        .fail(Failure::new(
            FailureKind::Http { status: 422 },
            "no such day",
        ));
    let chat = chat(agent, move || {
        let place = place.clone();
        use_interrupt_renderer(InterruptTarget::All, move |asked: InterruptView| {
            place.borrow_mut().push(asked);
            let again = asked.is_rejected().then_some("again");
            view! { <p class="question" data-again=again></p> }
        });
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(".question:not([data-again])").await;
    let first = kept.borrow()[0];
    assert_eq!(first.expires_at(), Some(4_070_908_800_000));
    assert!(until(|| first.can_answer()).await);
    first.answer("Monday").unwrap();
    chat.appears(".question[data-again]").await;
}

/// An answer counts for the question as shown, once it can have been read.
#[wasm_bindgen_test]
async fn an_answer_to_a_replaced_question_is_refused() {
    let kept: Rc<RefCell<Vec<InterruptView>>> = Rc::default();
    let place = send_wrapper::SendWrapper::new(Rc::clone(&kept));
    let mut other = question("q", None, json!({"type": "string"}));
    other.message = Some("Which wing?".into());
    let first = question("q", None, json!({"type": "string"}));
    let refused = Failure::new(FailureKind::Network, "gone");
    let agent = MockAgent::new()
        .answer(Script::new().interrupt(vec![first]))
        .fail(refused)
        .answer(Script::new().interrupt(vec![other]));
    let chat = chat(agent, move || {
        let place = place.clone();
        use_interrupt_renderer(InterruptTarget::All, move |asked: InterruptView| {
            place.borrow_mut().push(asked);
            view! { <p class="question">{asked.message()}</p> }
        });
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(".question").await;
    let shown = kept.borrow()[0];
    assert!(matches!(shown.answer(json!("1")), Err(Refusal::TooEarly)));
    assert!(!shown.can_answer());
    chat.scrolls_through("[data-interrupt-id=q]").await;
    assert!(until(|| untrack(|| shown.can_answer())).await);
    assert_eq!((shown.id().as_str(), shown.is_rejected()), ("q", false));
    assert_eq!(shown.schema(), Some(json!({"type": "string"})));
    assert_eq!(
        (shown.reason().as_str(), shown.expires_at()),
        ("input", None)
    );
    assert_eq!(shown.interrupt().unwrap().id, "q");
    assert!(matches!(
        shown.answer(json!(7)),
        Err(Refusal::InvalidEdit(_))
    ));
    shown.answer(json!("1")).unwrap();
    chat.idle().await;
    assert!(chat.assistant.retry().is_ok());
    assert!(until(|| chat.page.text(".question") == "Which wing?").await);
    // A view of a question that is gone cannot answer.
    assert!(shown.answer(json!("2")).is_err());
    assert_eq!(chat.agent.inputs().len(), 3);
}
