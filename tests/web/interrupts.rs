//! Interrupts of agents: approval cards and the inbox.

use leptos::prelude::*;
use leptos_assistant::{
    Approval, ToolAction, ToolError,
    agent::Script,
    event::ResumeStatus,
    testing::{MockAgent, settle, until},
    use_assistant_action,
};
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;

use super::support::{Chat, chat, question};

pub fn click(chat: &Chat, within: &str, name: &str) {
    let list = chat
        .page
        .root
        .query_selector_all(&format!("{within} button"))
        .unwrap();
    let button = (0..list.length())
        .filter_map(|i| list.item(i)?.dyn_into::<web_sys::HtmlElement>().ok())
        .find(|button| has_label(button, name))
        .unwrap_or_else(|| panic!("{name} in {}", chat.page.root.inner_html()));
    button.click();
    // Deny asks for a reason first, if one is accepted.
    if name == "Deny" && button.has_attribute("aria-expanded") {
        button.click();
    }
}

/// Returns true if a button has this label, with or without its subject.
pub fn has_label(button: &web_sys::Node, name: &str) -> bool {
    let text = button.text_content().unwrap_or_default();
    text.split(": ").next() == Some(name)
}

/// Reads a question, and answers it by a button.
pub async fn answer(chat: &Chat, within: &str, name: &str) {
    chat.reads(within).await;
    click(chat, within, name);
}

pub fn fill(chat: &Chat, selector: &str, text: &str) {
    let field = chat.page.find(selector).unwrap();
    js_sys::Reflect::set(&field, &"value".into(), &text.into()).unwrap();
    let init = web_sys::EventInit::new();
    init.set_bubbles(true);
    field
        .dispatch_event(&web_sys::Event::new_with_event_init_dict("input", &init).unwrap())
        .unwrap();
}

#[wasm_bindgen_test]
async fn interrupts_are_forms_and_all_answers_are_sent_together() {
    let schema = json!({
        "type": "object",
        "properties": {
            "colour": {"type": "string", "title": "Colour"},
            "count": {"type": "integer"}
        },
        "required": ["colour", "count"]
    });
    let free = question("free", None, Value::Null);
    let agent = MockAgent::new()
        .answer(
            Script::new()
                .text("I must know.")
                .interrupt(vec![question("form", None, schema), free]),
        )
        .answer(Script::new().text("Thanks."));
    let chat = chat(agent, || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears("[data-interrupt-id=form] input").await;
    assert!(
        chat.page
            .find("[data-assistant-chat]")
            .unwrap()
            .has_attribute("data-running")
    );
    assert!(
        chat.page
            .text("[data-interrupt-id=form]")
            .contains("Question form?")
    );
    fill(
        &chat,
        "[data-interrupt-id=form] label:nth-of-type(1) input",
        "red",
    );
    fill(
        &chat,
        "[data-interrupt-id=form] label:nth-of-type(2) input",
        "1.5",
    );
    answer(&chat, "[data-interrupt-id=form]", "Submit").await;
    settle().await;
    let wrong = chat.page.text("[data-interrupt-id=form] [role=alert]");
    assert!(
        wrong.contains("count: "),
        "the answer is held to its schema: {wrong}"
    );
    fill(
        &chat,
        "[data-interrupt-id=form] label:nth-of-type(2) input",
        "2",
    );
    answer(&chat, "[data-interrupt-id=form]", "Submit").await;
    settle().await;
    assert_eq!(chat.agent.inputs().len(), 1, "one answer is still missing");
    fill(&chat, "[data-interrupt-id=free] textarea", "{nonsense");
    answer(&chat, "[data-interrupt-id=free]", "Submit").await;
    settle().await;
    assert_eq!(chat.page.count("[data-interrupt-id=free] [role=alert]"), 1);
    click(&chat, "[data-interrupt-id=free]", "Skip");
    chat.idle().await;
    let resume = chat.agent.inputs()[1].resume.clone();
    assert_eq!(
        resume[0].payload,
        Some(json!({"colour": "red", "count": 2}))
    );
    assert_eq!(resume[1].status, ResumeStatus::Cancelled);
    assert_eq!(chat.page.count("[data-interrupt-id]"), 0);
}

/// After one of several was answered, the rest is still shown as needed.
#[wasm_bindgen_test]
async fn several_interrupts_are_numbered_and_counted() {
    let approved = json!({"type": "object", "properties": {"approved": {"type": "boolean"}}});
    let agent = MockAgent::new()
        .answer(Script::new().call_as("c1", "pay", "{}").interrupt(vec![
            question("a", None, json!({"type": "boolean"})),
            question("card", Some("c1"), approved),
            question("b", None, json!({"type": "boolean"})),
        ]))
        .answer(Script::new().interrupt(vec![question("one", None, json!({"type": "boolean"}))]))
        .answer(Script::new().text("Thanks."));
    let chat = chat(agent, || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears("[data-interrupt-id=b]").await;
    let group = chat.page.find("[data-interrupt-id=a]").unwrap();
    let name = group.get_attribute("aria-labelledby").unwrap();
    let parts = name.split(' ').map(|id| chat.page.text(&format!("#{id}")));
    let name = parts.collect::<Vec<_>>().join(" ");
    assert_eq!(name, "The assistant has a question Question a? 1 of 3");
    let number = |of: &str| chat.page.text(&format!("{of} .la-approval-place"));
    assert_eq!(number("[data-tool-name=pay]"), "2 of 3");
    assert_eq!(number("[data-interrupt-id=b]"), "3 of 3");
    let progress = || chat.page.text(".la-inbox-progress[aria-live=polite]");
    assert!(progress().starts_with("0 of 3 answered"), "{}", progress());
    let announced = || chat.page.text("[data-speech=urgent]");
    let both = "The assistant has a question for you. Approval needed: ";
    assert!(
        until(|| announced().starts_with(both)).await,
        "neither interrupts the other: {}",
        announced()
    );
    answer(&chat, "[data-interrupt-id=a]", "Yes").await;
    settle().await;
    assert!(progress().starts_with("1 of 3 answered"), "{}", progress());
    assert_eq!(
        number("[data-interrupt-id=b]"),
        "3 of 3",
        "it keeps its number"
    );
    answer(&chat, "[data-interrupt-id=b]", "No").await;
    settle().await;
    assert!(progress().starts_with("2 of 3"), "a card of a call counts");
    assert_eq!(chat.agent.inputs().len(), 1, "one answer is still missing");
    chat.reads("[data-tool-name=pay]").await;
    click(&chat, "[data-tool-name=pay]", "Approve");
    chat.appears("[data-interrupt-id=one]").await;
    assert_eq!(
        chat.page.count(".la-approval-place"),
        0,
        "there is only one"
    );
    assert_eq!(chat.page.count(".la-inbox-progress"), 0);
    answer(&chat, "[data-interrupt-id=one]", "Yes").await;
    chat.idle().await;
    let resume = chat.agent.inputs()[1].resume.clone();
    assert_eq!(resume.len(), 3);
    assert_eq!(chat.page.count(".la-inbox > *"), 0);
}

#[wasm_bindgen_test]
async fn an_interrupt_about_a_call_is_its_approval_card() {
    let schema = json!({
        "type": "object",
        "properties": {"approved": {"type": "boolean"}, "editedArgs": {"type": "object"}},
        "required": ["approved"]
    });
    let agent = MockAgent::new()
        .answer(
            Script::new()
                .call_as("c1", "pay", "{\"amount\":5}")
                .interrupt(vec![question("int-c1", Some("c1"), schema)]),
        )
        .answer(Script::new().result("c1", "paid").text("Paid."));
    let chat = chat(agent, || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears("[data-tool-name=pay] .la-approval").await;
    assert_eq!(
        chat.page.text(".la-approval-question"),
        "Question int-c1?",
        "the agent's own words are shown"
    );
    assert_eq!(
        chat.page.count(".la-approval input"),
        0,
        "the schema takes no reason"
    );
    chat.reads(".la-approval").await;
    click(&chat, ".la-approval", "Approve");
    chat.idle().await;
    let resume = chat.agent.inputs()[1].resume.clone();
    assert_eq!(resume[0].payload, Some(json!({"approved": true})));
    let card = chat.page.find("[data-tool-name=pay]").unwrap();
    assert_eq!(
        card.get_attribute("data-status").as_deref(),
        Some("complete")
    );
}

/// Rule "editing before approving"
#[wasm_bindgen_test]
async fn arguments_can_be_edited_before_approving() {
    let agent = MockAgent::new()
        .answer(Script::new().call("get_weather", &json!({"city": "Bern"})))
        .answer(Script::new().text("Done."));
    let got = RwSignal::new(String::new());
    let chat = chat(agent, move || {
        use_assistant_action(
            ToolAction::new("get_weather", "")
                .parameters(json!({
                    "type": "object",
                    "properties": {"city": {"type": "string", "minLength": 2}},
                    "required": ["city"]
                }))
                .approval(Approval::Always)
                .handler(move |args: Value| async move {
                    got.set(args.to_string());
                    Ok::<_, ToolError>(1)
                }),
        );
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-approval").await;
    click(&chat, ".la-approval", "Change…");
    chat.appears(".la-approval form input").await;
    fill(&chat, ".la-approval form input", "O");
    chat.reads(".la-approval").await;
    click(&chat, ".la-approval", "Approve");
    settle().await;
    assert!(
        chat.page
            .text(".la-approval [role=alert]")
            .contains("city: ")
    );
    fill(&chat, ".la-approval form input", "Oslo");
    chat.reads(".la-approval").await;
    click(&chat, ".la-approval", "Approve");
    chat.idle().await;
    assert!(
        until(move || got.get_untracked() == "{\"city\":\"Oslo\"}").await,
        "{}",
        got.get_untracked()
    );
    let sent = &chat.agent.inputs()[1].messages;
    assert!(
        format!("{sent:?}").contains("Bern"),
        "the agent's own words stay as they were"
    );
}

/// A question with a time limit; after it, the question can only be cancelled.
#[wasm_bindgen_test]
async fn the_time_limit_of_an_interrupt_is_shown_and_enforced() {
    let soon = |ms: f64| {
        let at = js_sys::Date::new(&(js_sys::Date::now() + ms).into());
        Some(String::from(at.to_iso_string()))
    };
    let schema = json!({"type": "object", "properties": {"approved": {"type": "boolean"}}});
    let mut form = question("form", None, Value::Null);
    form.expires_at = soon(3_600_000.0);
    let mut card = question("card", Some("c1"), schema);
    card.expires_at = soon(300.0);
    let agent = MockAgent::new()
        .answer(
            Script::new()
                .call_as("c1", "pay", "{}")
                .interrupt(vec![form, card]),
        )
        .answer(Script::new().text("All right."));
    let chat = chat(agent, || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears("[data-interrupt-id=form] .la-expiry").await;
    chat.appears("[data-tool-name=pay] .la-expiry[data-over] [role=alert]")
        .await;
    assert_eq!(chat.page.count(".la-expiry[data-over]"), 1);
    assert_eq!(
        chat.page
            .count("[data-tool-name=pay] [data-variant=primary]:not([hidden])"),
        0,
        "nothing to approve any more"
    );
    click(&chat, "[data-tool-name=pay]", "Deny");
    click(&chat, "[data-interrupt-id=form]", "Skip");
    chat.idle().await;
    let resume = chat.agent.inputs()[1].resume.clone();
    assert!(resume.iter().all(|e| e.status == ResumeStatus::Cancelled));
}
