//! The basis of decisions: exact arguments, read to their end, and the source of the question.

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
    approval::{button, weather},
    support::{chat, question},
};

/// Equal values are shown as equal texts, in full: no line break pushes one out of sight.
#[wasm_bindgen_test]
async fn arguments_are_shown_sorted_with_escaped_line_breaks() {
    let text = format!("hello{}", "\n".repeat(40));
    let (chat, _) = weather(
        || Approval::Always,
        json!({"to": "p\u{430}ul", "body": text}),
    )
    .await;
    chat.appears(".la-approval").await;
    let shown = format!(
        "{{\n  \"body\": \"hello{}\",\n  \"to\": \"p\u{430}U+0430ul\"\n}}",
        "\\n".repeat(40)
    );
    assert_eq!(chat.page.text(".la-approval pre"), shown);
}

/// Approving before the arguments can have been read does nothing; denying always works.
#[wasm_bindgen_test]
async fn an_approval_counts_once_the_end_was_visible() {
    let many: Vec<u32> = (0..500).collect();
    let agent = MockAgent::new()
        .answer(Script::new().call("count", &json!({"numbers": many})))
        .answer(Script::new().text("Counted."));
    let ran = RwSignal::new(0);
    let chat = chat(agent, move || {
        use_assistant_action(
            ToolAction::new("count", "")
                .approval(Approval::Always)
                .handler(move |_: Value| async move {
                    ran.update(|n| *n += 1);
                    Ok::<_, ToolError>(1)
                }),
        );
        view! { <style>".la-approval pre { max-block-size: 4rem; overflow: auto; }"</style> }
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-approval").await;
    let pre = chat.page.find(".la-approval pre").unwrap();
    let (scrolled, approve) = (|| pre.scroll_top(), button(&chat, "Approve"));
    pre.scroll_into_view();
    for _ in 0..10 {
        settle().await;
    }
    assert_eq!(
        approve.get_attribute("aria-disabled").as_deref(),
        Some("true")
    );
    assert_eq!(scrolled(), 0);
    approve.focus().unwrap();
    approve.click();
    assert!(until(|| scrolled() > 0).await, "it shows the end");
    assert!(
        document()
            .active_element()
            .is_some_and(|active| active.is_same_node(Some(&approve)))
    );
    chat.reads(".la-approval").await;
    assert_eq!(ran.get_untracked(), 0, "the click was ignored");
    approve.click();
    chat.idle().await;
    assert_eq!(ran.get_untracked(), 1);
}

/// A change of the rules makes another question: the card shows the change, and starts over.
#[wasm_bindgen_test]
async fn a_changed_approval_is_announced_and_must_be_read_again() {
    let schema = |limit: u32| json!({"type": "object", "properties": {"amount": {"type": "integer", "maximum": limit}}});
    let parameters = RwSignal::new(schema(100));
    let agent = MockAgent::new()
        .answer(Script::new().call("pay", &json!({"amount": 5})))
        .answer(Script::new().text("Paid."));
    let chat = chat(agent, move || {
        use_assistant_action(
            ToolAction::new("pay", "")
                .parameters(parameters)
                .approval(Approval::Always)
                .handler(|_: Value| async { Ok::<_, ToolError>(1) }),
        );
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.reads(".la-approval").await;
    let note = || chat.page.text(".la-approval-changed[aria-live=polite]");
    assert_eq!(note(), "");
    parameters.set(schema(1_000));
    settle().await;
    button(&chat, "Approve").click();
    assert!(
        until(|| note().contains("details changed")).await,
        "{}",
        note()
    );
    settle().await;
    assert_eq!(chat.agent.inputs().len(), 1, "nothing ran");
    chat.reads(".la-approval").await;
    button(&chat, "Approve").click();
    chat.idle().await;
    assert_eq!(chat.results(1), ["1"]);
}

/// The agent's question about an action of the page looks different, with the agent's text below
/// the arguments, and its schema does not shape the form.
#[wasm_bindgen_test]
async fn an_approval_of_the_agent_is_distinct_from_one_of_the_page() {
    let schema = json!({
        "type": "object",
        "properties": {
            "approved": {"type": "boolean"},
            "editedArgs": {"type": "object", "properties": {
                "amount": {"type": "integer", "title": "Tip"}, "to": {"const": "mallory"}}}
        }
    });
    let mut asked = question("q", Some("c1"), schema);
    asked.message = Some(format!("Approve this. {}", "Really! ".repeat(200)));
    let agent = MockAgent::new()
        .answer(
            Script::new()
                .call_as("c1", "pay", "{\"amount\":5,\"kind\":\"gift\"}")
                .interrupt(vec![asked]),
        )
        .answer(Script::new().text("Well."));
    let chat = chat(agent, || {
        use_assistant_action(
            ToolAction::new("pay", "Pays from the account of the page")
                .parameters(json!({"type": "object", "properties": {
                    "amount": {"oneOf": [{"const": 5, "title": "Five"}, {"const": 6}]},
                    "kind": {"const": "gift", "title": "Kind"}
                }}))
                .approval(Approval::Always)
                .handler(|_: Value| async { Ok::<_, ToolError>("paid") }),
        );
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-approval[data-kind=agent] .la-approval-question")
        .await;
    let head = chat.page.find(".la-approval-head").unwrap();
    assert!(
        head.query_selector("[data-icon=question]")
            .unwrap()
            .is_some()
    );
    let title = chat.page.text(".la-approval-title");
    assert!(
        title.starts_with("The assistant wants to continue with") && title.ends_with("pay"),
        "{title}"
    );
    let words = chat.page.text(".la-approval-question");
    assert!(words.starts_with("Approve this.") && words.ends_with('…'));
    assert!(words.chars().count() <= 501);
    assert_eq!(chat.page.count("details:not([open]) > .la-agent-text"), 1);
    let whole = chat.page.text(".la-approval-body");
    assert!(whole.find("\"amount\": 5") < whole.find("The assistant says"));
    button(&chat, "Change…").click();
    chat.appears(".la-approval form select").await;
    let form = chat.page.text(".la-approval form");
    assert!(!form.contains("Tip") && !form.contains("mallory"), "{form}");
    assert!(
        form.contains("Five (5)") && form.contains("Kind\"gift\""),
        "{form}"
    );
    button(&chat, "Cancel").click();
    settle().await;
    chat.reads(".la-approval").await;
    button(&chat, "Approve").click();
    // The agent leaves the call to the page after all: now the page asks for itself.
    chat.appears(".la-approval[data-kind=page]").await;
    let title = chat.page.text(".la-approval-title");
    assert_eq!(title, "Runs on this page: pay");
    assert!(
        chat.page
            .text(".la-approval")
            .contains("Pays from the account")
    );
    assert_eq!(chat.page.count(".la-approval-question"), 0);
}

/// Element ids are generated by this page, regardless of the agent's names.
#[wasm_bindgen_test]
async fn ids_from_the_agent_never_become_element_ids() {
    let evil = "la-approval-1 evil";
    let approved = json!({"type": "object", "properties": {
        "approved": {"type": "boolean"}, "reason": {"type": "string", "title": evil},
        "editedArgs": {"type": "object", "properties": {evil: {"type": "string"}}}}});
    let form = json!({"type": "object", "title": evil, "properties": {
        evil: {"type": "string", "title": evil, "description": evil},
        "evil2": {"enum": [evil, "x"]}, "evil3": {"type": "array", "items": {"enum": [evil]}}}});
    let agent = MockAgent::new().answer(
        Script::new()
            .text("# evil\n\nNote[^evil]\n\n[^evil]: text")
            .call_as(evil, evil, &format!("{{\"{evil}\": \"{evil}\"}}"))
            .interrupt(vec![
                question(evil, Some(evil), approved),
                question("evil2", None, form),
            ]),
    );
    let chat = chat(agent, || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-approval-edit").await;
    button(&chat, "Change…").click();
    chat.appears(".la-approval form").await;
    settle().await;
    let all = chat.page.root.query_selector_all("*").unwrap();
    let mut ids = std::collections::HashSet::new();
    for element in (0..all.length()).filter_map(|at| all.item(at)) {
        let element: web_sys::Element = wasm_bindgen::JsCast::unchecked_into(element);
        for name in [
            "id",
            "for",
            "list",
            "form",
            "headers",
            "aria-labelledby",
            "aria-describedby",
            "aria-controls",
            "aria-owns",
            "aria-details",
            "aria-flowto",
            "aria-errormessage",
            "aria-activedescendant",
        ] {
            let value = element.get_attribute(name).unwrap_or_default();
            assert!(!value.contains("evil"), "{name}={value}");
            assert!(
                name != "id" || value.is_empty() || ids.insert(value.clone()),
                "{value} twice"
            );
        }
    }
    assert!(!ids.is_empty());
}

/// An action may render the approval itself; the exact arguments stay within reach.
#[wasm_bindgen_test]
async fn a_custom_approval_renderer_keeps_the_exact_arguments_available() {
    let agent = MockAgent::new()
        .answer(Script::new().call("pay", &json!({"amount": 5})))
        .answer(Script::new().text("Paid."));
    let chat = chat(agent, || {
        use_assistant_action(
            ToolAction::new("pay", "")
                .parameters(json!({"type": "object", "properties": {"amount": {}}}))
                .approval(Approval::Always)
                .render_approval(|call: leptos_assistant::ToolCallView<Value>| {
                    view! {
                        <button class="yes" on:click=move |_| drop(call.approve())>"Go"</button>
                    }
                })
                .handler(|_: Value| async { Ok::<_, ToolError>("paid") }),
        );
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-approval-custom .yes").await;
    assert_eq!(chat.page.count(".la-approval"), 0);
    let exact = chat
        .page
        .text("details:not([open]) > [data-kind=arguments]");
    assert!(exact.contains("\"amount\": 5"), "{exact}");
    assert!(chat.page.click(".yes"));
    settle().await;
    assert_eq!(
        chat.agent.inputs().len(),
        1,
        "the user cannot have read it yet"
    );
    assert!(
        until(|| {
            chat.page.click(".yes");
            chat.page.count(".yes") == 0
        })
        .await
    );
    chat.idle().await;
    assert_eq!(chat.results(1), ["\"paid\""]);
}
