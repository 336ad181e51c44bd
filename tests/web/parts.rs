//! Parts of messages: reasoning, activities, sources, steps. Files are in `files`, custom renderers
//! in `part_renderers`.

use leptos::prelude::*;
use leptos_assistant::{
    agent::Script,
    event::{EncryptedEntity, EventKind},
    testing::{MockAgent, settle},
};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::support::{Chat, chat};

fn thought(id: &str, text: &str) -> [EventKind; 2] {
    let message_id = id.to_owned();
    [
        EventKind::ReasoningMessageStart {
            message_id: message_id.clone(),
        },
        EventKind::ReasoningMessageContent {
            message_id,
            delta: text.to_owned(),
        },
    ]
}

fn thought_end(id: &str) -> EventKind {
    EventKind::ReasoningMessageEnd {
        message_id: id.to_owned(),
    }
}

pub(super) fn activity(id: &str, kind: &str, content: Value) -> EventKind {
    EventKind::ActivitySnapshot {
        message_id: id.to_owned(),
        activity_type: kind.to_owned(),
        content: content.as_object().cloned().unwrap(),
        replace: true,
    }
}

pub(super) fn delta(id: &str, kind: &str, patch: Value) -> EventKind {
    EventKind::ActivityDelta {
        message_id: id.to_owned(),
        activity_type: kind.to_owned(),
        patch: patch.as_array().cloned().unwrap(),
    }
}

pub(super) fn says(events: impl IntoIterator<Item = EventKind>) -> Script {
    events.into_iter().fold(Script::new(), Script::event)
}

pub(super) async fn answered(script: Script) -> Chat {
    let chat = chat(MockAgent::new().answer(script), || ()).await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    chat
}

#[wasm_bindgen_test]
async fn reasoning_shows_its_latest_line_and_then_its_duration() {
    let wait = std::time::Duration::from_millis(150);
    let script = says(thought("r", "First line.\n\n**Second** line"))
        .wait(wait)
        .event(thought_end("r"))
        .text("Done.");
    let chat = chat(MockAgent::new().answer(script), || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-reasoning-latest").await;
    assert!(
        chat.page
            .text(".la-reasoning-title")
            .starts_with("Thinking")
    );
    assert_eq!(chat.page.text(".la-reasoning-latest"), "Second line");
    assert_eq!(chat.page.count(".la-reasoning[open]"), 0, "closed at first");
    chat.idle().await;
    assert!(
        chat.page
            .text(".la-reasoning-title")
            .starts_with("Thought for")
    );
    assert_eq!(chat.page.count(".la-reasoning-latest"), 0);
    assert!(chat.page.text(".la-reasoning-text").contains("First line."));
}

#[wasm_bindgen_test]
async fn opened_reasoning_keeps_the_focus_and_stays_open() {
    let wait = std::time::Duration::from_millis(200);
    let script = says(thought("r", "Hm")).wait(wait).event(thought_end("r"));
    let chat = chat(MockAgent::new().answer(script), || ()).await;
    chat.page.find("textarea").unwrap().focus().unwrap();
    chat.assistant.send("go").unwrap();
    chat.appears(".la-reasoning").await;
    assert!(chat.page.click(".la-reasoning > summary"));
    let focused = document().active_element().unwrap();
    assert_eq!(focused.tag_name(), "TEXTAREA");
    chat.idle().await;
    assert_eq!(chat.page.count(".la-reasoning[open]"), 1, "it stays open");
}

#[wasm_bindgen_test]
async fn encrypted_reasoning_without_text_is_not_shown() {
    let sealed = EventKind::ReasoningEncryptedValue {
        entity: EncryptedEntity::Message,
        entity_id: "r".to_owned(),
        encrypted_value: "sealed".to_owned(),
    };
    let start = EventKind::ReasoningMessageStart {
        message_id: "r".to_owned(),
    };
    let chat = answered(says([start, sealed, thought_end("r")]).text("Done.")).await;
    assert_eq!(chat.page.count(".la-reasoning"), 0);
    assert_eq!(chat.page.count("[data-message-id]"), 2);
}

#[wasm_bindgen_test]
async fn an_activity_is_updated_by_deltas_in_place() {
    let wait = std::time::Duration::from_millis(120);
    let script = says([activity(
        "a",
        "web_search",
        json!({"status": "Looking", "hits": []}),
    )])
    .wait(wait)
    .event(delta(
        "a",
        "web_search",
        json!([{"op": "replace", "path": "/status", "value": "Found 2"},
                   {"op": "add", "path": "/hits/-", "value": "one"}]),
    ));
    let chat = chat(MockAgent::new().answer(script), || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-activity").await;
    assert_eq!(chat.page.text(".la-activity-title"), "Web search");
    assert_eq!(chat.page.text(".la-activity-state"), "Looking");
    assert_eq!(
        chat.page.text(".la-activity .la-tool-body"),
        "",
        "a closed card renders no content"
    );
    chat.page.click(".la-activity > summary");
    let before = chat.page.find(".la-activity").unwrap();
    chat.idle().await;
    assert_eq!(chat.page.text(".la-activity-state"), "Found 2");
    assert_eq!(chat.page.text(".la-activity dt:last-of-type"), "Hits");
    assert_eq!(chat.page.text(".la-activity dd:last-of-type"), "one");
    assert!(before.is_same_node(Some(&chat.page.find(".la-activity").unwrap())));
    assert!(before.has_attribute("open"), "it stays open");
}

/// Plain values are shown as text; nested ones are JSON, and markup is text.
#[wasm_bindgen_test]
async fn an_unknown_activity_is_shown_as_names_and_values() {
    let content = json!({
        "berthName": "Quay <b>4</b>",
        "depth_m": 7.5,
        "free": true,
        "ship": null,
        "tags": ["long", "deep"],
        "notes": "",
        "crane": {"load": 12},
    });
    let chat = answered(says([activity("a", "berth", content)])).await;
    chat.page.click(".la-activity > summary");
    settle().await;
    let all = |selector| {
        let list = chat.page.root.query_selector_all(selector).unwrap();
        (0..list.length())
            .filter_map(|place| list.item(place)?.text_content())
            .collect::<Vec<_>>()
    };
    let names = [
        "Berth name",
        "Depth m",
        "Free",
        "Ship",
        "Tags",
        "Notes",
        "Crane",
    ];
    assert_eq!(all(".la-activity dt"), names);
    let values = all(".la-activity dd");
    let plain = ["Quay <b>4</b>", "7.5", "Yes", "–", "long, deep", "–"];
    assert_eq!(values[..6], plain);
    assert_eq!(values[6], "{\n  \"load\": 12\n}");
    assert_eq!(chat.page.count(".la-activity dd b"), 0);
    assert_eq!(chat.page.count(".la-activity dd pre"), 1);
}

#[wasm_bindgen_test]
async fn an_activity_with_many_fields_is_truncated() {
    let many: serde_json::Map<_, _> = (0..500)
        .map(|n| (format!("k{n}"), "é".repeat(300).into()))
        .collect();
    let chat = answered(says([activity("a", "many", many.into())])).await;
    chat.page.click(".la-activity > summary");
    settle().await;
    let rows = chat.page.count(".la-activity dt");
    assert!((20..=100).contains(&rows), "{rows}");
    let body = chat.page.text(".la-activity .la-tool-body");
    assert!(body.len() < 20_000 && body.ends_with('…'), "{}", body.len());
}

#[wasm_bindgen_test]
async fn a_huge_activity_is_truncated() {
    let long = json!({"rows": vec!["x".repeat(100); 2_000]});
    let chat = answered(says([activity("a", "table", long)])).await;
    chat.page.click(".la-activity > summary");
    settle().await;
    let shown = chat.page.text(".la-activity pre");
    assert!(
        shown.len() < 20_000 && shown.ends_with('…'),
        "{}",
        shown.len()
    );
}

#[wasm_bindgen_test]
async fn sources_with_safe_addresses_are_links() {
    let list = json!({"sources": [
        {"title": "Tides", "url": "https://tides.example/a", "snippet": "High and low"},
        {"title": "Evil", "url": "javascript:alert(1)"},
        {"url": "https://bare.example/"},
        {"title": 7},
        "no object",
    ]});
    let chat = answered(
        Script::new()
            .text("See")
            .event(activity("s", "sources", list)),
    )
    .await;
    assert_eq!(chat.page.count(".la-source"), 3);
    assert_eq!(chat.page.count(".la-source a"), 2);
    assert_eq!(
        chat.page.count(".la-sources[open]"),
        1,
        "a short list is open"
    );
    let text = chat.page.text(".la-sources");
    assert!(
        text.contains("tides.example") && text.contains("High and low"),
        "{text}"
    );
    assert!(
        text.contains("Evil") && text.contains("https://bare.example/"),
        "{text}"
    );
}

#[wasm_bindgen_test]
async fn a_title_does_not_reorder_the_host_beside_it() {
    let list = json!([{"title": "Google \u{202e}", "url": "https://moc.elgoog.io/"}]);
    let event = activity("s", "sources", json!({"sources": list}));
    let chat = answered(says([event])).await;
    let host = chat.page.find(".la-source-host").unwrap();
    assert_eq!(host.text_content().unwrap(), "moc.elgoog.io");
    let left = |index: u32| {
        let range = web_sys::Range::new().unwrap();
        let text = host.first_child().unwrap();
        range.set_start(&text, index).unwrap();
        range.set_end(&text, index + 1).unwrap();
        range.get_bounding_client_rect().left()
    };
    assert!(left(0) < left(12), "the host is drawn from left to right");
}

#[wasm_bindgen_test]
async fn many_sources_are_folded_and_malformed_ones_shown_as_data() {
    let many: Vec<Value> = (0..5)
        .map(|n| json!({"title": n.to_string(), "url": "/x"}))
        .collect();
    let chat = answered(says([
        activity("s", "sources", json!({"sources": many})),
        activity("t", "sources", json!({"sources": "none"})),
    ]))
    .await;
    assert_eq!(chat.page.count(".la-sources"), 1);
    assert_eq!(chat.page.count(".la-sources[open]"), 0);
    assert_eq!(chat.page.text(".la-sources .la-count"), "5");
    assert_eq!(chat.page.count(".la-activity"), 1, "no list: shown as data");
}

#[wasm_bindgen_test]
async fn steps_show_the_current_one_and_then_their_count() {
    let step = |name: &str| EventKind::StepStarted {
        step_name: name.to_owned(),
    };
    let end = |name: &str| EventKind::StepFinished {
        step_name: name.to_owned(),
    };
    let wait = std::time::Duration::from_millis(150);
    let script = says([step("Plan"), end("Plan"), step("Look")])
        .wait(wait)
        .event(end("Look"));
    let chat = chat(MockAgent::new().answer(script), || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-steps").await;
    assert_eq!(chat.page.text(".la-steps-summary"), "Look");
    chat.idle().await;
    assert_eq!(chat.page.text(".la-steps-summary"), "2 steps");
    assert_eq!(chat.page.count(".la-run-step [data-icon=check]"), 2);
    chat.assistant.send("again").unwrap();
    chat.idle().await;
    assert_eq!(
        chat.page.count(".la-steps"),
        0,
        "they belong to the last answer"
    );
}

/// Rule "interrupted answers": an incomplete message keeps its mark after more messages, and in
/// another window.
#[wasm_bindgen_test]
async fn steps_and_answers_of_a_stopped_run_keep_their_mark() {
    let step = |name: &str| EventKind::StepStarted {
        step_name: name.to_owned(),
    };
    let open = EventKind::TextMessageStart {
        message_id: "m".to_owned(),
        role: None,
        name: None,
    };
    let half = EventKind::TextMessageContent {
        message_id: "m".to_owned(),
        delta: "Half".to_owned(),
    };
    let wait = std::time::Duration::from_millis(400);
    let agent = MockAgent::new()
        .answer(says([step("Look"), open, half]).wait(wait))
        .answer(Script::new().event(step("Again")).text("Whole.").wait(wait));
    let first = chat(agent, || ()).await;
    first.assistant.send("go").unwrap();
    first.appears("[data-role=assistant]").await;
    first.assistant.stop().unwrap();
    first.idle().await;
    let marked = |chat: &Chat| {
        let steps = "[data-message-id=m] .la-steps";
        assert_eq!(chat.page.count(steps), 1);
        let says = chat.page.text(&format!("{steps} .la-steps-summary"));
        assert!(
            says.contains("1 step") && says.contains("Not finished"),
            "{says}"
        );
        assert_eq!(chat.page.count("[data-message-id=m] [data-cut=stopped]"), 1);
        assert_eq!(chat.page.count("[data-message-id=m] .la-spinner"), 0);
    };
    marked(&first);
    first.assistant.send("again").unwrap();
    first
        .appears(".la-transcript-content > .la-steps .la-spinner")
        .await;
    marked(&first);
    first.idle().await;
    marked(&first);
    let later = chat(MockAgent::new(), || ()).await;
    later.assistant.import(first.assistant.export()).unwrap();
    later.appears("[data-message-id=m]").await;
    marked(&later);
}

#[wasm_bindgen_test]
async fn a_failed_subagent_shows_its_error() {
    let subagent_run_id = || "sub".to_owned();
    let script = Script::new()
        .event(EventKind::SubagentStarted {
            subagent_run_id: subagent_run_id(),
            name: "Writer".to_owned(),
            description: None,
            parent_subagent_run_id: None,
            parent_tool_call_id: None,
            parent_message_id: None,
        })
        .event(EventKind::SubagentError {
            subagent_run_id: subagent_run_id(),
            message: "Out of <ink>".to_owned(),
            code: None,
        })
        .text("Sorry.");
    let chat = chat(MockAgent::new().answer(script), || ()).await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(chat.page.count(".la-run-step [data-icon=alert]"), 1);
    assert_eq!(
        chat.page.text(".la-run-step"),
        "Writer, Failed: Out of <ink>"
    );
}

#[wasm_bindgen_test]
async fn a_stopped_answer_is_marked() {
    let wait = std::time::Duration::from_millis(400);
    let open = EventKind::TextMessageStart {
        message_id: "m".to_owned(),
        role: None,
        name: None,
    };
    let half = EventKind::TextMessageContent {
        message_id: "m".to_owned(),
        delta: "Half".to_owned(),
    };
    let script = says([open, half]).wait(wait);
    let chat = chat(MockAgent::new().answer(script), || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears("[data-role=assistant]").await;
    assert_eq!(chat.page.count("[data-cut]"), 0);
    chat.assistant.stop().unwrap();
    chat.idle().await;
    assert_eq!(
        chat.page.count("[data-role=assistant] [data-cut=stopped]"),
        1
    );
}

/// Each of several agents in one run has its own name.
#[wasm_bindgen_test]
async fn a_message_with_a_name_shows_its_speaker() {
    let start = |id: &str, name: Option<&str>| EventKind::TextMessageStart {
        message_id: id.to_owned(),
        role: None,
        name: name.map(str::to_owned),
    };
    let says = |id: &str| EventKind::TextMessageContent {
        message_id: id.to_owned(),
        delta: "Something.".to_owned(),
    };
    let end = |id: &str| EventKind::TextMessageEnd {
        message_id: id.to_owned(),
    };
    let mut script = Script::new();
    for (id, name) in [("a", Some("critic")), ("b", None)] {
        for event in [start(id, name), says(id), end(id)] {
            script = script.event(event);
        }
    }
    let chat = chat(MockAgent::new().answer(script), || ()).await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(chat.page.count(".la-message-speaker"), 1);
    assert_eq!(
        chat.page
            .text("[aria-label='Assistant · critic'] .la-message-speaker"),
        "Assistant · critic"
    );
    assert_eq!(
        chat.page.count("[data-message-id=b]:not([aria-label])"),
        1,
        "its turn names the author"
    );
}
