//! Rule "long content": the page has a bounded number of elements, whatever a message contains, and
//! the rest is shown on request.

use leptos::prelude::*;
use leptos_assistant::{
    Approval, QuestionLimits, SessionOptions, ToolAction,
    agent::Script,
    event::EventKind,
    testing::{MockAgent, settle, until},
    use_assistant_action,
};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    support::{Chat, chat, chat_with, open_text},
    transcript::{add_styles, frames},
};

const ANSWER: &str = "[data-message-id=m] .la-markdown";

/// Plays an answer that arrives at once.
async fn answered(text: String) -> Chat {
    let end = EventKind::TextMessageEnd {
        message_id: "m".to_owned(),
    };
    let script = open_text(&text).event(end);
    let chat = chat(MockAgent::new().answer(script), || ()).await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    chat.appears(&format!("{ANSWER} *")).await;
    drawn(&chat).await;
    chat
}

/// Waits until no further frame draws more of the answer.
async fn drawn(chat: &Chat) {
    let now = || (elements(chat), hidden(chat));
    let mut before = None;
    while before.as_ref() != Some(&now()) {
        before = Some(now());
        frames().await;
    }
}

fn elements(chat: &Chat) -> u32 {
    chat.page.count(&format!("{ANSWER} *"))
}

fn hidden(chat: &Chat) -> Option<String> {
    let rest = chat.page.find("[data-message-id=m] [data-hidden]")?;
    rest.get_attribute("data-hidden")
}

#[wasm_bindgen_test]
async fn a_long_table_is_truncated_and_expandable() {
    let rows = |from: usize, to: usize| (from..to).map(|at| format!("| {at} | x |\n"));
    let text: String = rows(0, 450).collect();
    let chat = answered(format!("| a | b |\n| - | - |\n{text}")).await;
    let row = format!("{ANSWER} tbody tr, {ANSWER} table > tr");
    assert_eq!(chat.page.count(&row), 199);
    assert_eq!(hidden(&chat).as_deref(), Some("251"));
    let button = format!("{ANSWER} .la-markdown-more");
    assert_eq!(chat.page.text(&button), "Show 100 of 251 more");
    assert!(chat.page.click(&button));
    assert_eq!(chat.page.count(&row), 299);
    assert!(chat.page.click(&button));
    assert!(chat.page.click(&button));
    assert_eq!(chat.page.count(&row), 450);
    assert_eq!(hidden(&chat), None);
    assert_eq!(
        chat.page
            .text(&format!("{row}:last-child > td:first-child")),
        "449"
    );
}

#[wasm_bindgen_test]
async fn a_text_of_many_blocks_is_truncated_and_expandable() {
    let text: String = (0..1_000)
        .map(|at| format!("```\nnumber {at}\n```\n\n"))
        .collect();
    let chat = answered(text).await;
    let block = format!("{ANSWER} > .la-code-block");
    let first = chat.page.count(&block);
    assert!((100..=300).contains(&first), "{first}");
    assert_eq!(hidden(&chat), Some((1_000 - first).to_string()));
    assert!(chat.page.click(&format!("{ANSWER} .la-markdown-more")));
    assert_eq!(chat.page.count(&block), first + 100);
    let texts = chat.page.text(ANSWER);
    assert!(texts.contains(&format!("number {}", first + 99)));
    assert!(!texts.contains(&format!("number {}", first + 100)));
}

#[wasm_bindgen_test]
async fn a_text_of_megabytes_is_truncated_with_the_rest_on_request() {
    let text = "word ".repeat(100_000);
    let chat = answered(text.clone()).await;
    let first = chat.page.text(ANSWER).len();
    assert!((128 << 10..256 << 10).contains(&first), "{first}");
    assert!(hidden(&chat).is_some());
    let button = format!("{ANSWER} .la-markdown-more");
    assert!(chat.page.click(&button));
    let second = chat.page.text(ANSWER).len();
    assert!((first + (128 << 10)..first + (256 << 10)).contains(&second));
    while hidden(&chat).is_some() {
        assert!(chat.page.click(&button));
    }
    assert_eq!(chat.page.text(ANSWER).matches("word").count(), 100_000);
}

#[wasm_bindgen_test]
async fn a_long_line_of_code_is_broken_and_whole() {
    let line = "x".repeat(50_000);
    let chat = answered(format!("```\n{line}\nlast\n```\n")).await;
    let pieces = chat.page.count(&format!("{ANSWER} .la-code-piece"));
    assert!((4..8).contains(&pieces), "{pieces}");
    let code = chat.page.find(&format!("{ANSWER} code")).unwrap();
    assert_eq!(code.text_content(), Some(format!("{line}\nlast\n")));
}

#[wasm_bindgen_test]
async fn lists_columns_and_inline_elements_are_bounded() {
    for text in [
        "- item\n".repeat(5_000),
        format!(
            "{}|\n{}|\n{}|\n",
            "| a ".repeat(3_000),
            "| - ".repeat(3_000),
            "| 1 ".repeat(3_000)
        ),
        "*a* **b** `c` ".repeat(3_000),
        format!("> {}", "- [ ] *a*\n> ".repeat(4_000)),
        "- a\n  - b\n    - c\n".repeat(2_000),
    ] {
        let begins: String = text.chars().take(20).collect();
        let chat = answered(text).await;
        let count = elements(&chat);
        assert!(count < 4_000, "{count} elements: {begins}");
        assert!(hidden(&chat).is_some(), "{begins}");
        let before = chat.page.text(ANSWER).len();
        assert!(chat.page.click(&format!("{ANSWER} .la-markdown-more")));
        assert!(chat.page.text(ANSWER).len() > before);
    }
}

/// A block that grows counts like one that arrives complete.
#[wasm_bindgen_test]
async fn lists_that_grow_are_bounded() {
    let item = format!("- item\n{}", "  - *b*\n".repeat(300));
    let list = format!("{}\n# Next\n\n", item.repeat(8));
    let chat = answered(list.repeat(4)).await;
    let count = elements(&chat);
    assert!(count < 6_000, "{count} elements");
    assert!(count > 1_000 && hidden(&chat).is_some());
}

#[wasm_bindgen_test]
async fn an_answer_of_ordinary_length_is_not_truncated() {
    let table: String = (0..150).map(|at| format!("| {at} | x |\n")).collect();
    let list = "- item\n".repeat(250);
    let code = format!("```js\n{}```\n", "const a = 1;\n".repeat(3_000));
    let chat = answered(format!("| a | b |\n| - | - |\n{table}\n\n{list}\n\n{code}")).await;
    assert_eq!(hidden(&chat), None);
}

fn calls(count: usize) -> Script {
    (0..count).fold(Script::new(), |script, at| {
        script.call_as(format!("c{at}"), "sink", &json!({"ship": at}).to_string())
    })
}

#[wasm_bindgen_test]
async fn batch_approval_lists_only_the_rendered_approvals() {
    let ran = StoredValue::new(0);
    let options = SessionOptions::default()
        .questions(QuestionLimits::default().per_run(None).per_minute(None));
    let agent = MockAgent::new().answer(calls(200));
    let chat = chat_with(agent, options, move || {
        let sink = ToolAction::new("sink", "Sinks a ship")
            .parameters(json!({"type": "object", "properties": {"ship": {"type": "number"}}}))
            .handler(move |_: Value| ran.update_value(|ran| *ran += 1))
            .approval(Approval::Always);
        use_assistant_action(sink);
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears("[data-tool-name=sink] .la-approval").await;
    let cards = || chat.page.count("[data-tool-name=sink]");
    assert!(
        until(|| chat.page.count("[data-tool-name=sink]") == 120).await,
        "{}",
        cards()
    );
    assert_eq!(
        chat.assistant.pending_approvals().get_untracked().len(),
        200
    );
    let rows = || chat.page.count(".la-batch li");
    assert_eq!(rows(), 120);
    let more = ".la-tool-group-head[data-hidden] button";
    assert_eq!(chat.page.text(more), "Show 80 more");
    assert!(chat.page.click(more));
    assert!(until(|| cards() == 200).await, "{}", cards());
    assert_eq!(rows(), 200);
    assert!(chat.page.find(more).is_none());
}

#[wasm_bindgen_test]
async fn a_request_far_above_the_end_is_scrolled_into_view() {
    let text = "More news. ".repeat(30);
    let script = (0..200).fold(calls(1), |script, _| script.text(&text));
    let chat = chat(MockAgent::new().answer(script), || {
        let sink = ToolAction::new("sink", "Sinks a ship")
            .parameters(json!({"type": "object", "properties": {"ship": {"type": "number"}}}))
            .handler(|_: Value| ())
            .approval(Approval::Always);
        use_assistant_action(sink);
    })
    .await;
    add_styles(&chat);
    chat.assistant.send("go").unwrap();
    let request = || chat.page.find("[data-tool-name=sink] .la-approval");
    assert!(until(|| request().is_some()).await, "it is mounted");
    let log = chat.page.find("[role=log]").unwrap();
    let in_view = || {
        let card = request()?.get_bounding_client_rect().top();
        let distance = card - log.get_bounding_client_rect().top();
        Some((0.0..50.0).contains(&distance))
    };
    assert!(until(|| in_view() == Some(true)).await, "it is in view");
    // Far below the request, which is unmounted: the button leads back to it.
    let is_unmounted = || {
        log.set_scroll_top(log.scroll_height() * 3 / 4);
        request().is_none()
    };
    assert!(until(is_unmounted).await, "it is unmounted");
    settle().await;
    assert!(chat.page.click(".la-jump"));
    assert!(
        until(|| in_view() == Some(true)).await,
        "it is in view again"
    );
}
