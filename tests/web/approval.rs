//! Approval cards.

use leptos::prelude::*;
use leptos_assistant::{
    Approval, ToolAction, ToolError,
    agent::Script,
    testing::{MockAgent, settle, until},
    use_assistant_action,
};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    interrupts::{click, has_label},
    support::{Chat, chat},
};

pub async fn weather(approval: fn() -> Approval, args: Value) -> (Chat, RwSignal<u32>) {
    let ran = RwSignal::new(0);
    let agent = MockAgent::new()
        .answer(
            Script::new()
                .text("Let me check…")
                .call("get_weather", &args),
        )
        .answer(Script::new().text("There you are."));
    let chat = chat(agent, move || {
        use_assistant_action(
            ToolAction::new("get_weather", "Look the weather up")
                .approval(approval())
                .handler(move |_: Value| async move {
                    ran.update(|n| *n += 1);
                    Ok::<_, ToolError>("sunny")
                }),
        );
    })
    .await;
    chat.assistant.send("What's the weather?").unwrap();
    (chat, ran)
}

pub fn button(chat: &Chat, name: &str) -> web_sys::HtmlElement {
    use wasm_bindgen::JsCast;
    let list = chat
        .page
        .root
        .query_selector_all(".la-approval button")
        .unwrap();
    (0..list.length())
        .filter_map(|i| list.item(i)?.dyn_into::<web_sys::HtmlElement>().ok())
        .find(|button| has_label(button, name))
        .unwrap()
}

/// Denies without a reason.
pub fn deny(chat: &Chat) {
    click(chat, ".la-approval", "Deny");
}

/// Rules "asking first", "cards and focus", "approving", "order after a call"
#[wasm_bindgen_test]
async fn an_approved_call_runs_once_and_the_run_continues() {
    let (chat, ran) = weather(|| Approval::Always, json!({"location": "Bern"})).await;
    chat.appears(".la-approval").await;
    assert_eq!(ran.get_untracked(), 0, "nothing runs unasked");
    assert!(
        chat.page
            .find("[data-assistant-chat]")
            .unwrap()
            .has_attribute("data-running")
    );
    assert!(
        chat.page.text(".la-approval pre").contains("Bern"),
        "it shows the exact arguments"
    );
    chat.reads(".la-approval").await;
    let approve = button(&chat, "Approve");
    approve.click();
    approve.click();
    chat.idle().await;
    assert_eq!(ran.get_untracked(), 1);
    assert_eq!(chat.results(1), ["\"sunny\""]);
    assert!(
        !chat
            .page
            .find("[data-assistant-chat]")
            .unwrap()
            .has_attribute("data-running")
    );
    assert!(chat.page.text("[role=log]").contains("There you are."));
}

#[wasm_bindgen_test]
async fn stop_closes_a_pending_approval_and_runs_nothing() {
    let (chat, ran) = weather(|| Approval::Always, json!({"location": "Oslo"})).await;
    chat.appears(".la-approval").await;
    chat.assistant.stop().unwrap();
    chat.idle().await;
    assert!(until(|| chat.page.count(".la-approval") == 0).await);
    let card = "[data-tool-name=get_weather][data-status=failed]";
    assert_eq!(chat.page.count(card), 1);
    chat.assistant.send("And now?").unwrap();
    chat.idle().await;
    assert!(chat.page.text("[role=log]").contains("There you are."));
    assert_eq!(ran.get_untracked(), 0);
}

/// Rules "denying", "words of a denial"
#[wasm_bindgen_test]
async fn a_denied_call_does_not_run_and_is_reported_to_the_agent() {
    let (chat, ran) = weather(|| Approval::Always, json!({})).await;
    chat.appears(".la-approval").await;
    deny(&chat);
    chat.idle().await;
    assert_eq!(ran.get_untracked(), 0);
    assert_eq!(chat.results(1), ["\"denied\""]);
    let card = chat.page.find("[data-tool-name=get_weather]").unwrap();
    assert_eq!(card.get_attribute("data-status").as_deref(), Some("failed"));
    assert_eq!(
        card.get_attribute("data-phase").as_deref(),
        Some("output-denied")
    );
}

/// Rule "denying": with a reason
#[wasm_bindgen_test]
async fn the_reason_of_a_denial_is_sent_to_the_agent() {
    let (chat, _) = weather(|| Approval::Always, json!({})).await;
    chat.appears(".la-approval").await;
    assert!(
        chat.page.find(".la-approval-reason").is_none(),
        "not asked yet"
    );
    button(&chat, "Deny").click();
    chat.appears(".la-approval-reason").await;
    assert!(
        button(&chat, "Approve").hidden(),
        "nothing approves meanwhile"
    );
    let input: web_sys::HtmlInputElement =
        wasm_bindgen::JsCast::unchecked_into(chat.page.find(".la-approval-reason").unwrap());
    input.set_value("too risky");
    // Keys of an input method neither deny nor go back. In Safari only their code identifies them.
    for (key, composing, code) in [
        ("Enter", true, 13),
        ("Enter", false, 229),
        ("Escape", false, 229),
    ] {
        let init = web_sys::KeyboardEventInit::new();
        init.set_key(key);
        init.set_is_composing(composing);
        init.set_key_code(code);
        init.set_bubbles(true);
        let event = web_sys::KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init);
        input.dispatch_event(&event.unwrap()).unwrap();
    }
    settle().await;
    assert_eq!(chat.page.count(".la-approval-reason"), 1);
    assert_eq!(chat.assistant.pending_approvals().get_untracked().len(), 1);
    button(&chat, "Deny").click();
    chat.idle().await;
    assert_eq!(
        chat.results(1),
        ["{\"status\":\"denied\",\"reason\":\"too risky\"}"]
    );
}

/// Rule "rules about asking": the rule sees the arguments
#[wasm_bindgen_test]
async fn an_approval_rule_checks_the_arguments() {
    let rule = || Approval::when(|args: &Value| args["amount"].as_f64().is_none_or(|n| n > 100.0));
    let (small, ran) = weather(rule, json!({"amount": 50})).await;
    small.idle().await;
    assert_eq!(ran.get_untracked(), 1, "50 runs at once");
    let (large, ran) = weather(rule, json!({"amount": 500})).await;
    large.appears(".la-approval").await;
    settle().await;
    assert_eq!(ran.get_untracked(), 0, "500 asks");
}

/// Rule "cards and focus": the card never takes the focus; the text of the composer stays
#[wasm_bindgen_test]
async fn an_approval_card_keeps_focus_and_text_of_the_composer() {
    let ran = RwSignal::new(0);
    let _ = ran;
    let agent = MockAgent::new().answer(
        Script::new()
            .wait(std::time::Duration::from_millis(100))
            .call("get_weather", &json!({})),
    );
    let chat = chat(agent, || {
        use_assistant_action(
            ToolAction::new("get_weather", "")
                .approval(Approval::Always)
                .handler(|_: Value| async { Ok::<_, ToolError>(()) }),
        );
    })
    .await;
    let input: web_sys::HtmlTextAreaElement =
        wasm_bindgen::JsCast::unchecked_into(chat.page.find("textarea").unwrap());
    chat.assistant.send("go").unwrap();
    input.focus().unwrap();
    input.set_value("my next thought");
    chat.appears("[data-tool-name=get_weather] .la-approval")
        .await;
    settle().await;
    assert!(
        document()
            .active_element()
            .is_some_and(|active| active == **input)
    );
    assert_eq!(input.value(), "my next thought");
    assert!(!input.read_only(), "only sending has to wait");
    assert_eq!(
        chat.assistant.send("x").unwrap_err(),
        leptos_assistant::Refusal::ApprovalsPending
    );
    chat.assistant.stop().unwrap();
    chat.idle().await;
    assert!(!input.read_only());
}

/// Hidden characters in arguments are shown by their code points.
#[wasm_bindgen_test]
async fn hidden_characters_in_arguments_are_made_visible() {
    let (chat, _) = weather(|| Approval::Always, json!({"file": "gpj.\u{202e}exe"})).await;
    chat.appears(".la-approval .la-control-char").await;
    assert_eq!(chat.page.text(".la-approval .la-control-char"), "U+202E");
}

/// Rule "execution side of a call": the agent runs its own tool, and gets the decision as the call's tool
/// message.
#[wasm_bindgen_test]
async fn decisions_about_an_agent_tool_are_sent_to_the_agent() {
    for (decision, answered) in [("Approve", "approved"), ("Deny", "denied")] {
        let mut answer = Script::new();
        if decision == "Approve" {
            answer = answer.result("w1", "\"sunny\"");
        }
        let agent = MockAgent::new()
            .answer(Script::new().call_as("w1", "get_weather", "{}"))
            .answer(answer.text("There you are."));
        let chat = chat(agent, || {
            use_assistant_action(
                ToolAction::new("get_weather", "Look the weather up")
                    .render_only()
                    .approval(Approval::Always)
                    .run_by_agent(),
            );
        })
        .await;
        chat.assistant.send("What's the weather?").unwrap();
        chat.appears(".la-approval").await;
        assert!(chat.page.find(".la-approval-edit").is_none(), "no edits");
        chat.reads(".la-approval").await;
        click(&chat, ".la-approval", decision);
        chat.idle().await;
        assert_eq!(chat.results(1), [answered]);
        let phase = chat
            .page
            .find("[data-tool-name=get_weather]")
            .unwrap()
            .get_attribute("data-phase");
        let expected = match decision {
            "Approve" => "output-available",
            _ => "output-denied",
        };
        assert_eq!(phase.as_deref(), Some(expected));
        assert!(chat.page.text("[role=log]").contains("There you are."));
    }
}

/// Rule "timing of an answer": the hint is about Approve, which a user who denies does not see
#[wasm_bindgen_test]
async fn the_reading_hint_is_absent_while_a_reason_is_given() {
    let lines: Vec<u32> = (0..400).collect();
    let (chat, _) = weather(|| Approval::Always, json!({"lines": lines})).await;
    chat.appears(".la-approval").await;
    let hint = || chat.page.text(".la-approval-hint");
    assert!(until(|| hint() == "Scroll to the end to approve.").await);
    button(&chat, "Deny").click();
    chat.appears(".la-approval-reason").await;
    assert_eq!(hint(), "");
    button(&chat, "Back").click();
    assert!(until(|| hint() == "Scroll to the end to approve.").await);
}
