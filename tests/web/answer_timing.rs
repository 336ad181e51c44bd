//! Rule "timing of an answer": its subject was visible to its end, and unchanged in its place for
//! half a second, regardless of what renders the question and who asks.

use std::{cell::RefCell, rc::Rc};

use leptos::prelude::*;
use leptos_assistant::{
    Approval, Refusal, ToolAction, ToolCallView, ToolError,
    agent::{Failure, FailureKind, Script},
    event::Interrupt,
    testing::{MockAgent, settle, until},
    use_assistant_action,
};
use send_wrapper::SendWrapper;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    interrupts::{answer, click, fill, has_label},
    support::{Chat, chat, question},
    verdicts::choose,
};

/// Makes long content scroll, as the style sheet does.
const SCROLLS: &str =
    ".la-question-words, .la-approval pre { max-block-size: 4rem; overflow: auto; }";

async fn asked(interrupt: Interrupt) -> Chat {
    let agent = MockAgent::new()
        .answer(Script::new().interrupt(vec![interrupt]))
        .answer(Script::new().text("Well."));
    let chat = chat(agent, || view! { <style>{SCROLLS}</style> }).await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-question").await;
    chat.page.find(".la-question").unwrap().scroll_into_view();
    chat
}

/// Clicks the button of this name as a pointer does: scripts and keys have no click count.
fn click_as_pointer(chat: &Chat, within: &str, name: &str) {
    let list = chat
        .page
        .root
        .query_selector_all(&format!("{within} button"));
    let list = list.unwrap();
    let mut buttons = (0..list.length()).filter_map(|at| list.item(at));
    let named = |button: &web_sys::Node| has_label(button, name);
    let init = web_sys::MouseEventInit::new();
    init.set_bubbles(true);
    init.set_cancelable(true);
    init.set_detail(1);
    let event = web_sys::MouseEvent::new_with_mouse_event_init_dict("click", &init).unwrap();
    buttons.find(named).unwrap().dispatch_event(&event).unwrap();
}

async fn wait_a_while() {
    for _ in 0..10 {
        settle().await;
    }
}

#[wasm_bindgen_test]
async fn an_answer_counts_once_the_question_was_read_to_its_end() {
    let mut open = question("q", None, json!({"type": "boolean"}));
    open.message = Some("Shall I keep everything?\n".repeat(60));
    let chat = asked(open).await;
    wait_a_while().await;
    let words = chat.page.find("blockquote").unwrap();
    assert_eq!(words.scroll_top(), 0);
    let hint = || {
        chat.page
            .text(".la-question .la-approval-hint[aria-live=polite]")
    };
    assert!(until(|| hint() == "Scroll to the end to answer.").await);
    // Only the agent knows which of the two is harmless.
    assert_eq!(chat.page.count(".la-question [aria-disabled=true]"), 2);
    click(&chat, ".la-question", "No");
    assert!(until(|| words.scroll_top() > 0).await, "it shows the end");
    assert_eq!(chat.agent.inputs().len(), 1);
    answer(&chat, ".la-question", "Yes").await;
    chat.idle().await;
    let resume = chat.agent.inputs()[1].resume.clone();
    assert_eq!(resume[0].payload, Some(json!(true)));
}

/// A long question is shown to its end, since the user can approve only what is shown.
#[wasm_bindgen_test]
async fn a_long_question_is_shown_completely() {
    let mut open = question("q", None, json!({"type": "boolean"}));
    open.message = Some(format!(
        "{}Also delete the rest?",
        "Keep it?\n".repeat(2_000)
    ));
    let chat = asked(open).await;
    assert!(
        chat.page
            .text("blockquote")
            .ends_with("Also delete the rest?")
    );
}

#[wasm_bindgen_test]
async fn every_action_request_must_be_read_before_deciding() {
    let lines: Vec<u32> = (0..200).collect();
    let action = |name: &str| json!({"name": name, "args": {"lines": lines}});
    let metadata = json!({"action_requests": [action("write"), action("delete")]});
    let chat = asked(Interrupt {
        reason: "tool_confirmation".to_owned(),
        message: None,
        metadata: metadata.as_object().cloned(),
        ..question("q", None, Value::Null)
    })
    .await;
    let ends = chat.page.root.query_selector_all("pre .la-approval-end");
    assert_eq!(ends.unwrap().length(), 2);
    choose(&chat, 0, "approve");
    choose(&chat, 1, "reject");
    let first = chat.page.find("pre .la-approval-end").unwrap();
    first.scroll_into_view();
    wait_a_while().await;
    click(&chat, ".la-question", "Send decisions");
    settle().await;
    assert_eq!(chat.agent.inputs().len(), 1, "the second was not read");
    answer(&chat, ".la-question", "Send decisions").await;
    chat.idle().await;
    assert_eq!(chat.agent.inputs().len(), 2);
}

#[wasm_bindgen_test]
async fn a_form_answer_requires_reading_but_skipping_does_not() {
    let text = json!({"type": "object", "properties": {"day": {"type": "string"}}});
    let mut open = question("q", None, text);
    open.message = Some("Which day?\n".repeat(60));
    let chat = asked(open.clone()).await;
    fill(&chat, ".la-question input", "Monday");
    click(&chat, ".la-question", "Submit");
    settle().await;
    assert_eq!(chat.agent.inputs().len(), 1);
    answer(&chat, ".la-question", "Submit").await;
    chat.idle().await;
    let resume = chat.agent.inputs()[1].resume.clone();
    assert_eq!(resume[0].payload, Some(json!({"day": "Monday"})));

    let given_up = asked(open).await;
    click(&given_up, ".la-question", "Skip");
    given_up.idle().await;
    assert_eq!(given_up.agent.inputs().len(), 2);
}

#[wasm_bindgen_test]
async fn a_custom_approval_renderer_counts_no_earlier() {
    let agent = MockAgent::new()
        .answer(Script::new().call("pay", &json!({"amount": 5})))
        .answer(Script::new().text("Paid."));
    let outcomes: Rc<RefCell<Vec<Result<(), Refusal>>>> = Rc::default();
    let log = SendWrapper::new(Rc::clone(&outcomes));
    let chat = chat(agent, move || {
        let log = log.clone();
        let draw = move |call: ToolCallView<Value>| {
            let (shown, log) = (call, log.clone());
            view! {
                <div style="block-size: 300vh">"Shall it be paid?"</div>
                <button
                    class="yes"
                    aria-disabled=move || (!shown.can_approve()).then_some("true")
                    on:click=move |_| log.borrow_mut().push(call.approve())
                >
                    "Go"
                </button>
            }
        };
        use_assistant_action(
            ToolAction::new("pay", "")
                .parameters(json!({"type": "object", "properties": {"amount": {}}}))
                .approval(Approval::Always)
                .render_approval(draw)
                .handler(|_: Value| async { Ok::<_, ToolError>("paid") }),
        );
        view! { <style>".la-chat { block-size: 20rem; overflow: auto; }"</style> }
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-approval-custom .yes[aria-disabled]")
        .await;
    assert!(chat.page.click(".yes"));
    assert_eq!(outcomes.borrow_mut().split_off(0), [Err(Refusal::TooEarly)]);
    chat.scrolls_through(".la-approval-custom").await;
    chat.appears(".yes:not([aria-disabled])").await;
    assert_eq!(chat.agent.inputs().len(), 1);
    assert!(chat.page.click(".yes"));
    assert_eq!(outcomes.borrow_mut().split_off(0), [Ok(())]);
    chat.idle().await;
    assert_eq!(chat.results(1), ["\"paid\""]);
}

/// A card may move under the pointer when another one is removed.
#[wasm_bindgen_test]
async fn a_click_on_a_card_that_just_moved_is_ignored() {
    let schema = json!({"type": "object", "properties": {"approved": {"type": "boolean"}}});
    let question_script = Script::new().interrupt(vec![question("q", None, schema)]);
    let pays = |name: &str| Script::new().call(name, &json!({}));
    for (script, card) in [
        (question_script, ".la-question"),
        (pays("pay"), ".la-approval"),
        (pays("pay_own"), ".la-approval-custom"),
    ] {
        let agent = MockAgent::new()
            .answer(script)
            .answer(Script::new().text("Well."));
        let chat = chat(agent, || {
            let action = |name| {
                ToolAction::new(name, "")
                    .approval(Approval::Always)
                    .handler(|_: Value| async { Ok::<_, ToolError>(1) })
            };
            use_assistant_action(action("pay"));
            use_assistant_action(
                action("pay_own").render_approval(|call: ToolCallView<Value>| {
                    let shown = call;
                    let early = move || (!shown.can_approve()).then_some("true");
                    view! {
                        <button
                            data-variant="primary"
                            aria-disabled=early
                            on:click=move |_| drop(call.approve())
                        >
                            "Approve"
                        </button>
                    }
                }),
            );
        })
        .await;
        chat.assistant.send("go").unwrap();
        chat.reads(card).await;
        // Beside it, not above: scroll anchoring keeps a reader's position if it can.
        let move_down = "transform: translateY(40px)";
        chat.page.root.set_attribute("style", move_down).unwrap();
        click_as_pointer(&chat, card, "Approve");
        assert_eq!(chat.agent.inputs().len(), 1, "{card}");
        chat.appears(&format!("{card} button[aria-disabled]")).await;
        chat.reads(card).await;
        click_as_pointer(&chat, card, "Approve");
        chat.idle().await;
        assert_eq!(chat.agent.inputs().len(), 2, "{card}");
    }
}

/// For a question that has a card, the inbox only shows how to cancel it after its answer was
/// rejected.
#[wasm_bindgen_test]
async fn a_rejected_answer_about_a_call_can_be_skipped_in_the_inbox() {
    let wrong = Failure::new(FailureKind::Http { status: 422 }, "no such resume");
    let schema = json!({"type": "object", "properties": {"approved": {"type": "boolean"}}});
    let questions = vec![question("q", Some("c1"), schema)];
    let agent = MockAgent::new()
        .answer(
            Script::new()
                .call_as("c1", "pay", "{}")
                .interrupt(questions),
        )
        .fail(wrong)
        .answer(Script::new().text("Then not."));
    let chat = chat(agent, || ()).await;
    chat.assistant.send("go").unwrap();
    let card = "[data-tool-name=pay]";
    chat.reads(card).await;
    assert_eq!(chat.page.count(".la-question"), 0, "its card asks");
    click(&chat, card, "Approve");
    chat.appears(".la-question[data-rejected]").await;
    assert!(chat.page.text(".la-question").contains("did not accept"));
    let buttons = chat.page.text(".la-question .la-approval-actions");
    assert_eq!(buttons, "Skip");
    chat.appears(&format!("{card} .la-approval")).await;
    click(&chat, ".la-question", "Skip");
    chat.idle().await;
    assert_eq!(chat.page.count(".la-question, .la-approval"), 0);
    assert_eq!(chat.agent.inputs().len(), 2, "the agent is not notified");
    chat.assistant.send("never mind").unwrap();
    chat.idle().await;
    assert!(chat.agent.inputs()[2].resume.is_empty());
}
