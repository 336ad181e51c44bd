//! Held-back questions, denying all of them, and the mark on a call that was denied before (rule
//! "attention").

use leptos_assistant::{
    Approval, QuestionLimits, SessionOptions, ToolAction,
    agent::Script,
    testing::{MockAgent, settle, until},
    use_assistant_action,
};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    interrupts::click,
    support::{Chat, chat_with, question},
};

fn limited(per_run: u32) -> SessionOptions {
    SessionOptions::default().questions(QuestionLimits::default().per_run(per_run).per_minute(None))
}

async fn pays(agent: MockAgent, options: SessionOptions) -> Chat {
    let chat = chat_with(agent, options, || {
        let pay = ToolAction::new("pay", "Pays").handler(|_: Value| "paid");
        use_assistant_action(pay.approval(Approval::Always));
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat
}

#[wasm_bindgen_test]
async fn a_repeated_denied_call_is_marked_as_decided() {
    let again = || Script::new().call("pay", &json!({"sum": 1}));
    let agent = MockAgent::new().answer(again()).answer(again());
    let chat = pays(agent.answer(Script::new().text("Fine.")), limited(20)).await;
    chat.appears(".la-approval").await;
    click(&chat, ".la-approval", "Deny");
    chat.idle().await;
    assert!(chat.page.find(".la-approval").is_none());
    let mark = ".la-tool-allowed[data-kind=denied]";
    assert_eq!(chat.page.text(mark).trim(), "You already decided this.");
    assert_eq!(chat.page.count(mark), 1);
}

#[wasm_bindgen_test]
async fn calls_over_the_question_limit_show_one_notice() {
    let script = (0..6).fold(Script::new(), |all, n| all.call("pay", &json!({"sum": n})));
    let chat = pays(MockAgent::new().answer(script), limited(2)).await;
    chat.appears(".la-batch").await;
    assert_eq!(chat.page.count(".la-approval"), 2);
    assert_eq!(chat.page.count(".la-notice"), 1);
    let shown = chat.page.text(".la-notice");
    assert!(
        shown.contains("asked too often") && shown.contains('4'),
        "{shown}"
    );
    // One button ends everything.
    click(&chat, ".la-batch", "Deny all and stop");
    settle().await;
    assert_eq!(chat.page.count(".la-approval"), 0);
    assert_eq!(chat.agent.inputs().len(), 1, "the agent does not continue");
}

#[wasm_bindgen_test]
async fn interrupts_over_the_question_limit_are_collapsed() {
    let schema = || json!({"type": "boolean"});
    let ids = ["a", "b", "c", "d", "e"];
    let questions = || ids.iter().map(|id| question(id, None, schema())).collect();
    let agent = MockAgent::new()
        .answer(Script::new().interrupt(questions()))
        .answer(Script::new().text("Well."));
    let chat = pays(agent, limited(2)).await;
    chat.appears("[data-interrupt-id=b]").await;
    assert_eq!(chat.page.count("[data-interrupt-id]"), 2);
    let line = chat.page.text(".la-held-back");
    assert!(line.contains("More requests are waiting: 3"), "{line}");
    click(&chat, ".la-held-back", "Show");
    chat.appears("[data-interrupt-id=e]").await;
    assert_eq!(chat.page.count("[data-interrupt-id]"), 5);
    assert!(until(|| chat.page.find(".la-held-back-show").is_none()).await);
    click(&chat, ".la-held-back", "Deny all and stop");
    settle().await;
    assert_eq!(chat.page.count("[data-interrupt-id]"), 0);
    assert_eq!(chat.page.count(".la-held-back"), 0);
    assert_eq!(chat.agent.inputs().len(), 1);
    chat.assistant.send("and now?").unwrap();
    chat.idle().await;
    assert_eq!(chat.agent.inputs()[1].resume.len(), 5);
}
