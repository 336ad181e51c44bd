//! Parts of messages: thoughts, files, activities, sources, steps, and renderers of the host.

use leptos::prelude::*;
use leptos_assistant::{
    AssistantProvider, ChatWindow, MediaPolicy,
    agent::Script,
    core::event::{Content, ContentPart, EncryptedEntity, EventKind, PartBody, Source},
    part::PartTarget,
    testing::{MockAgent, mount, settle},
    use_part_renderer,
};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::support::{Chat, chat};

const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

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

fn activity(id: &str, kind: &str, content: Value) -> EventKind {
    EventKind::ActivitySnapshot {
        message_id: id.to_owned(),
        activity_type: kind.to_owned(),
        content: content.as_object().cloned().unwrap(),
        replace: true,
    }
}

fn delta(id: &str, kind: &str, patch: Value) -> EventKind {
    EventKind::ActivityDelta {
        message_id: id.to_owned(),
        activity_type: kind.to_owned(),
        patch: patch.as_array().cloned().unwrap(),
    }
}

fn says(events: impl IntoIterator<Item = EventKind>) -> Script {
    events.into_iter().fold(Script::new(), Script::event)
}

async fn answered(script: Script) -> Chat {
    let chat = chat(MockAgent::new().answer(script), || ()).await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    chat
}

fn media(kind: &str, source: Source, name: Option<&str>) -> ContentPart {
    ContentPart {
        id: None,
        metadata: name.map(|name| json!({"filename": name})),
        body: PartBody::Media {
            kind: kind.to_owned(),
            source,
        },
    }
}

fn data(mime_type: &str, value: &str) -> Source {
    Source::Data {
        value: value.to_owned(),
        mime_type: mime_type.to_owned(),
    }
}

fn url(value: &str) -> Source {
    Source::Url {
        value: value.to_owned(),
        mime_type: None,
    }
}

/// Sends files and waits for the answer.
async fn sent(chat: &Chat, parts: Vec<ContentPart>) {
    chat.assistant.send_content(Content::Parts(parts)).unwrap();
    chat.idle().await;
}

#[wasm_bindgen_test]
async fn a_thought_shows_its_newest_line_then_how_long_it_took() {
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
    assert_eq!(chat.page.text(".la-reasoning-latest"), "Second** line");
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
async fn opening_a_thought_takes_no_focus_and_lasts() {
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
async fn a_sealed_thought_without_words_shows_nothing() {
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
async fn a_picture_in_the_message_is_shown_and_nothing_is_fetched() {
    let chat = chat(MockAgent::new(), || ()).await;
    let parts = vec![
        media("image", data("image/png", PIXEL), Some("pixel.png")),
        media("image", url("https://media.example/leak.png?x=1"), None),
        media("image", data("image/svg+xml", "PHN2Zy8+"), None),
        media("audio", url("https://media.example/a.mp3"), None),
    ];
    sent(&chat, parts).await;
    assert_eq!(chat.page.count("[data-role=user] img"), 1);
    let image = chat.page.find("[data-role=user] img").unwrap();
    assert_eq!(image.get_attribute("alt").as_deref(), Some("pixel.png"));
    assert_eq!(chat.page.count("[data-role=user] audio"), 0);
    let named = chat.page.text("[data-role=user]");
    assert!(
        named.contains("media.example"),
        "it says where it lies: {named}"
    );
    assert!(named.contains("leak.png"));
    let link = chat.page.find("a.la-button").unwrap();
    assert_eq!(
        link.get_attribute("rel").as_deref(),
        Some("noopener noreferrer nofollow")
    );
}

#[wasm_bindgen_test]
async fn what_cannot_be_followed_is_no_link() {
    let chat = chat(MockAgent::new(), || ()).await;
    let handle = Source::File {
        value: "file-123".to_owned(),
        provider: Some("acme".to_owned()),
        mime_type: Some("application/pdf".to_owned()),
    };
    let parts = vec![
        media("image", url("javascript:alert(1)"), None),
        media("document", url("data:text/html,<script>"), None),
        media("document", handle, Some("plan.pdf")),
        media(
            "document",
            data("text/plain", "SGVsbG8="),
            Some("hello.txt"),
        ),
    ];
    sent(&chat, parts).await;
    assert_eq!(chat.page.count("[data-role=user] a"), 0);
    assert_eq!(chat.page.count("[data-role=user] .la-file"), 4);
    let named = chat.page.text("[data-role=user]");
    assert!(
        named.contains("plan.pdf") && named.contains("acme"),
        "{named}"
    );
    assert!(
        named.contains("hello.txt") && named.contains("5 B"),
        "{named}"
    );
    assert_eq!(
        chat.page.count("[data-role=user] button"),
        1,
        "what is here can be saved"
    );
}

#[wasm_bindgen_test]
async fn a_picture_that_is_none_becomes_a_file() {
    let chat = chat(MockAgent::new(), || ()).await;
    let broken = media("image", data("image/png", "AAAA"), Some("broken.png"));
    sent(&chat, vec![broken]).await;
    chat.appears(".la-file").await;
    assert_eq!(chat.page.count("[data-role=user] img"), 0);
}

#[wasm_bindgen_test]
async fn media_of_an_allowed_origin_are_shown() {
    let agent = MockAgent::new();
    let talks_to = agent.clone();
    let policy = MediaPolicy::default().allow("https://media.example");
    let page = mount(move || {
        view! {
            <AssistantProvider agent=talks_to media=policy>
                <Sender />
                <ChatWindow />
            </AssistantProvider>
        }
    });
    settle().await;
    settle().await;
    let video = page.find("[data-role=user] video").unwrap();
    assert_eq!(
        video.get_attribute("src").as_deref(),
        Some("https://media.example/a.mp4")
    );
    assert_eq!(
        page.count("[data-role=user] audio"),
        0,
        "the other origin is not allowed"
    );
}

#[component]
fn Sender() -> impl IntoView {
    let assistant = leptos_assistant::use_assistant().unwrap();
    let parts = vec![
        media("video", url("https://media.example/a.mp4"), None),
        media("audio", url("https://other.example/a.mp3"), None),
    ];
    assistant.send_content(Content::Parts(parts)).unwrap();
}

#[wasm_bindgen_test]
async fn an_activity_follows_its_deltas_in_the_same_elements() {
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
        chat.page.text(".la-activity pre"),
        "",
        "nothing is written out unseen"
    );
    chat.page.click(".la-activity > summary");
    let before = chat.page.find(".la-activity").unwrap();
    chat.idle().await;
    assert_eq!(chat.page.text(".la-activity-state"), "Found 2");
    assert!(chat.page.text(".la-activity pre").contains("\"one\""));
    assert!(before.is_same_node(Some(&chat.page.find(".la-activity").unwrap())));
    assert!(before.has_attribute("open"), "it stays open");
}

#[wasm_bindgen_test]
async fn a_huge_activity_is_cut() {
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
async fn sources_are_links_where_they_may_be_followed() {
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
async fn files_of_the_agent_are_shown_under_the_same_rules() {
    let list = json!({"files": [
        {"type": "image", "source": {"type": "data", "value": PIXEL, "mimeType": "image/png"}},
        {"type": "image", "source": {"type": "url", "value": "https://media.example/a.png"}},
        {"type": "hologram"},
    ]});
    let chat = answered(says([
        activity("f", "files", list),
        activity("g", "files", json!({"count": 0})),
    ]))
    .await;
    assert_eq!(chat.page.count(".la-files img"), 1);
    assert_eq!(chat.page.count(".la-files .la-file"), 1);
    assert_eq!(chat.page.count(".la-activity"), 1, "no list: shown as data");
}

#[wasm_bindgen_test]
async fn files_in_the_result_of_a_tool_are_shown() {
    let image = media("image", data("image/png", PIXEL), Some("chart.png"));
    let result = EventKind::ToolCallResult {
        message_id: "r".to_owned(),
        tool_call_id: "c".to_owned(),
        content: Content::Parts(vec![image]),
    };
    let chat = answered(Script::new().call_as("c", "draw", "{}").event(result)).await;
    assert_eq!(chat.page.count(".la-tool img"), 1);
    assert_eq!(
        chat.page.count(".la-tool [data-kind=result]"),
        0,
        "there are no words in it"
    );
}

#[wasm_bindgen_test]
async fn many_sources_are_folded_and_others_are_data() {
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
async fn steps_show_what_goes_on_then_how_many_there_were() {
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
    assert!(chat.page.text(".la-steps-summary").starts_with("Steps"));
    assert_eq!(chat.page.count(".la-run-step [data-icon=check]"), 2);
    chat.assistant.send("again").unwrap();
    chat.idle().await;
    assert_eq!(
        chat.page.count(".la-steps"),
        0,
        "they belong to the last answer"
    );
}

#[wasm_bindgen_test]
async fn a_stopped_answer_says_so() {
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

#[wasm_bindgen_test]
async fn a_host_draws_its_own_kinds() {
    let chat = chat(
        MockAgent::new().answer(
            says([
                activity("w", "weather", json!({"city": "Oslo"})),
                activity("o", "other", json!({})),
            ])
            .wait(std::time::Duration::from_millis(120))
            .event(delta(
                "w",
                "weather",
                json!([{"op": "add", "path": "/city", "value": "Bergen"}]),
            )),
        ),
        || {
            use_part_renderer(PartTarget::AnyData, |_| view! { <p class="any">"any"</p> });
            use_part_renderer("weather", |part| {
                let city = move || part.data_value().map(|data| data["city"].to_string());
                view! { <p class="weather">{city}</p> }
            });
        },
    )
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(".weather").await;
    let before = chat.page.find(".weather").unwrap();
    chat.idle().await;
    assert_eq!(chat.page.text(".weather"), "\"Bergen\"");
    assert!(before.is_same_node(Some(&chat.page.find(".weather").unwrap())));
    assert_eq!(chat.page.count(".any"), 1);
    assert_eq!(chat.page.count(".la-activity"), 0);
}

#[wasm_bindgen_test]
async fn what_a_component_draws_goes_with_it() {
    let here = RwSignal::new(true);
    let chat = chat(
        MockAgent::new().answer(says([activity("w", "weather", json!({"title": "Rain"}))])),
        move || {
            view! {
                <Show when=move || here.get()>
                    <Weather />
                </Show>
            }
        },
    )
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(chat.page.text(".weather"), "7");
    here.set(false);
    settle().await;
    assert_eq!(chat.page.count(".weather"), 0);
    assert_eq!(chat.page.text(".la-activity-title"), "Rain");
    here.set(true);
    settle().await;
    assert_eq!(chat.page.count(".weather"), 1);
}

#[component]
fn Weather() -> impl IntoView {
    let degrees = RwSignal::new(7);
    use_part_renderer("weather", move |_| {
        view! { <p class="weather">{move || degrees.get()}</p> }
    });
}

#[wasm_bindgen_test]
async fn a_renderer_that_fails_shows_an_error_and_the_default() {
    let chat = chat(
        MockAgent::new().answer(says([activity("w", "weather", json!({}))]).text("And on.")),
        || {
            use_part_renderer("weather", |_| {
                Err::<String, _>(std::io::Error::other("no degrees"))
            });
        },
    )
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert!(
        chat.page
            .text("[role=log] [role=alert]")
            .contains("no degrees")
    );
    assert_eq!(chat.page.text(".la-activity-title"), "Weather");
    assert!(chat.page.text("[role=log]").contains("And on."));
}

/// 3 parts; append to a text part → DOM nodes of the others are the same objects
#[wasm_bindgen_test]
async fn a_part_that_grows_leaves_the_others_alone() {
    let wait = std::time::Duration::from_millis(120);
    let script = says([activity("a", "one", json!({"title": "One"}))])
        .text("Some")
        .call_as("c", "unknown", "{}")
        .wait(wait)
        .event(delta(
            "a",
            "one",
            json!([{"op": "add", "path": "/title", "value": "Two"}]),
        ));
    let chat = chat(MockAgent::new().answer(script), || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-tool").await;
    let classes = [
        ".la-tool",
        "[data-role=assistant] .message-content",
        ".la-activity",
    ];
    let kept = classes.map(|class| chat.page.find(class).unwrap());
    chat.idle().await;
    assert_eq!(chat.page.text(".la-activity-title"), "Two");
    for (node, class) in kept.iter().zip(classes) {
        assert!(
            node.is_same_node(Some(&chat.page.find(class).unwrap())),
            "{class}"
        );
    }
}
