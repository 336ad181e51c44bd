//! Questions about several actions: each is shown, and decided individually
//! (rule "one decision for each action").

use leptos_assistant::{
    agent::{Failure, FailureKind, Script},
    event::Interrupt,
    testing::{MockAgent, settle, until},
};
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    interrupts::{answer, click, fill},
    support::{Chat, chat, question},
};

const CARD: &str = ".la-question";
const SEND: &str = "Send decisions";

/// Chooses a decision about the action at an index of the list.
pub fn choose(chat: &Chat, place: usize, decision: &str) {
    radio(chat, place, decision).click();
}

fn radio(chat: &Chat, place: usize, decision: &str) -> web_sys::HtmlInputElement {
    let action = format!(".la-question-action:nth-of-type({})", place + 1);
    let found = chat
        .page
        .find(&format!("{action} input[data-decision={decision}]"));
    found.unwrap().unchecked_into()
}

fn list(call: Option<&str>, raw: &Value) -> Interrupt {
    let metadata = json!({"langgraph": {"raw": raw}});
    Interrupt {
        message: None,
        metadata: metadata.as_object().cloned(),
        ..question("q", call, Value::Null)
    }
}

fn pay_and_delete() -> Value {
    json!({
        "action_requests": [
            {"name": "pay", "args": {"to": "a\u{202e}b", "euros": 10}, "description": "Pays the bill."},
            {"name": "delete_all"},
        ],
        "review_configs": [
            {"action_name": "pay", "allowed_decisions": ["approve", "edit", "reject"]},
            {"action_name": "delete_all", "allowed_decisions": ["reject", "respond"]},
        ],
    })
}

async fn asked(interrupt: Interrupt) -> Chat {
    asked_of(MockAgent::new(), interrupt).await
}

async fn asked_of(agent: MockAgent, interrupt: Interrupt) -> Chat {
    let first = Script::new()
        .call_as("c1", "pay", "{\"euros\": 10}")
        .interrupt(vec![interrupt]);
    let agent = agent.answer(first).answer(Script::new().text("Well."));
    let chat = chat(agent, || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears(CARD).await;
    chat
}

fn decisions(chat: &Chat) -> Value {
    let resume = chat.agent.inputs()[1].resume.clone();
    resume[0].payload.clone().unwrap()["decisions"].take()
}

#[wasm_bindgen_test]
async fn each_action_request_has_its_own_decision() {
    // It names one of the calls, which has no card.
    let chat = asked(list(Some("c1"), &pay_and_delete())).await;
    assert_eq!(chat.page.count("[data-tool-name=pay] .la-approval"), 0);
    assert_eq!(chat.page.count(".la-question fieldset > legend"), 2);
    let names = chat.page.text(".la-question-action:nth-of-type(2)");
    assert!(names.starts_with("2. delete_allNo values"), "{names}");
    assert_eq!(
        chat.page.text(".la-question pre .la-control-char"),
        "U+202E"
    );
    assert!(chat.page.text(CARD).contains("Pays the bill."));
    for (place, kinds) in [(1, 3), (2, 2)] {
        let radios = format!(".la-question-action:nth-of-type({place}) input[type=radio]");
        assert_eq!(chat.page.count(&radios), kinds);
    }
    chat.scrolls_through(CARD).await;
    choose(&chat, 0, "approve");
    let primary = ".la-question button[data-variant=primary]";
    assert_eq!(chat.page.count(&format!("{primary}[aria-disabled]")), 1);
    click(&chat, CARD, SEND);
    chat.appears(".la-question [role=alert]").await;
    let alert = chat.page.text(".la-question [role=alert]");
    assert_eq!(alert, "Decide about each action first.");
    let first = "input[data-decision=reject]:focus";
    chat.appears(&format!(".la-question-action:nth-of-type(2) {first}"))
        .await;
    assert_eq!(chat.agent.inputs().len(), 1, "nothing is sent");
    choose(&chat, 1, "reject");
    chat.appears(".la-question-action:nth-of-type(2) textarea")
        .await;
    fill(
        &chat,
        ".la-question-action:nth-of-type(2) textarea",
        "Keep it.",
    );
    answer(&chat, CARD, SEND).await;
    chat.idle().await;
    let sent = json!([{"type": "approve"}, {"type": "reject", "message": "Keep it."}]);
    assert_eq!(decisions(&chat), sent);
}

#[wasm_bindgen_test]
async fn edit_and_respond_decisions_take_arguments_and_text() {
    let chat = asked(list(None, &pay_and_delete())).await;
    choose(&chat, 0, "edit");
    choose(&chat, 1, "respond");
    let args = ".la-question-action:nth-of-type(1) textarea";
    chat.appears(args).await;
    assert_eq!(
        chat.page
            .text(".la-question .la-field-exact .la-control-char"),
        "U+202E"
    );
    fill(&chat, args, "{\"euros\": ");
    click(&chat, CARD, SEND);
    chat.appears(&format!("{args}[aria-invalid=true]")).await;
    fill(&chat, args, "{\"euros\": 5}");
    fill(
        &chat,
        ".la-question-action:nth-of-type(2) textarea",
        "Ask the owner.",
    );
    answer(&chat, CARD, SEND).await;
    chat.idle().await;
    let action = json!({"name": "pay", "args": {"euros": 5}});
    let edit = json!({"type": "edit", "edited_action": action});
    let respond = json!({"type": "respond", "message": "Ask the owner."});
    assert_eq!(decisions(&chat), json!([edit, respond]));
}

#[wasm_bindgen_test]
async fn all_action_requests_are_shown_and_must_be_read() {
    let requests: Vec<Value> = (0..25)
        .map(|at| json!({"name": format!("tool-{at}"), "args": {"at": at}}))
        .collect();
    let chat = asked(list(None, &json!({"action_requests": requests}))).await;
    assert_eq!(chat.page.count(".la-question-action"), 25);
    assert_eq!(chat.page.count(".la-question-action .la-approval-end"), 25);
    for place in 0..25 {
        choose(&chat, place, if place == 24 { "reject" } else { "approve" });
    }
    click(&chat, CARD, SEND);
    settle().await;
    assert_eq!(chat.agent.inputs().len(), 1, "the last ones were not read");
    answer(&chat, CARD, SEND).await;
    chat.idle().await;
    let sent = decisions(&chat);
    assert_eq!(sent.as_array().unwrap().len(), 25);
    assert_eq!(sent[24], json!({"type": "reject"}));
    assert_eq!(sent[23], json!({"type": "approve"}));
}

#[wasm_bindgen_test]
async fn a_scripted_click_does_not_choose_a_decision() {
    let chat = asked(list(None, &pay_and_delete())).await;
    choose(&chat, 0, "reject");
    choose(&chat, 1, "reject");
    chat.reads(CARD).await;
    let user = chat.scripted.take();
    drop(user);
    choose(&chat, 0, "approve");
    settle().await;
    assert!(!radio(&chat, 0, "approve").checked());
    assert!(radio(&chat, 0, "reject").checked());
    click(&chat, CARD, SEND);
    settle().await;
    assert_eq!(chat.agent.inputs().len(), 1, "nor does it send them");
}

#[wasm_bindgen_test]
async fn rejected_decisions_can_be_repeated_or_skipped() {
    let wrong = Failure::new(FailureKind::Http { status: 422 }, "no such resume");
    let first = Script::new().interrupt(vec![list(None, &pay_and_delete())]);
    let agent = MockAgent::new()
        .answer(first)
        .fail(wrong)
        .answer(Script::new().text("Well."));
    let chat = chat(agent, || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears(CARD).await;
    choose(&chat, 0, "approve");
    choose(&chat, 1, "reject");
    answer(&chat, CARD, SEND).await;
    chat.appears(".la-question[data-rejected]").await;
    assert_eq!(chat.page.count(".la-question-action input:disabled"), 5);
    click(&chat, CARD, "Answer again");
    chat.appears(".la-question-action input:not(:disabled)")
        .await;
    choose(&chat, 0, "reject");
    choose(&chat, 1, "reject");
    answer(&chat, CARD, SEND).await;
    chat.idle().await;
    let resume = chat.agent.inputs()[2].resume.clone();
    let reject = json!({"type": "reject"});
    assert_eq!(
        resume[0].payload,
        Some(json!({"decisions": [reject, reject]}))
    );

    let skipped = asked(list(None, &pay_and_delete())).await;
    click(&skipped, CARD, "Skip");
    skipped.idle().await;
    let resume = skipped.agent.inputs()[1].resume.clone();
    assert_eq!(
        resume[0].payload,
        Some(json!({"decisions": [reject, reject]}))
    );
}

#[wasm_bindgen_test]
async fn a_boolean_among_other_types_has_buttons_and_a_form() {
    for (press, sent) in [("Yes", json!(true)), ("No", json!(false))] {
        let open = question("q", None, json!({"type": ["string", "boolean"]}));
        let chat = asked(open).await;
        answer(&chat, CARD, press).await;
        chat.idle().await;
        let resume = chat.agent.inputs()[1].resume.clone();
        assert_eq!(resume[0].payload, Some(sent));
    }
    let schema = json!({"anyOf": [{"type": "boolean"}, {"type": "string"}]});
    let chat = asked(question("q", None, schema)).await;
    click(&chat, CARD, "Answer in detail");
    let field = ".la-question :is(input, textarea)";
    assert!(until(|| chat.page.find(field).is_some()).await);
    fill(&chat, field, "Only on Monday.");
    answer(&chat, CARD, "Submit").await;
    chat.idle().await;
    let resume = chat.agent.inputs()[1].resume.clone();
    assert_eq!(resume[0].payload, Some(json!("Only on Monday.")));
}
