//! Files in messages: shown or named, and never fetched automatically.

use assistant_core::text::hidden::is_hidden;
use leptos::prelude::*;
use leptos_assistant::{
    AssistantProvider, ChatWindow, MediaPolicy,
    agent::Script,
    event::{Content, ContentPart, EventKind, PartBody, Source},
    testing::{MockAgent, mount, settle},
};
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    parts::{activity, answered, says},
    support::{Chat, chat},
};

const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

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
    chat.assistant.send(Content::Parts(parts)).unwrap();
    chat.idle().await;
}

#[wasm_bindgen_test]
async fn inline_images_are_shown_and_remote_media_are_not_fetched() {
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
        "it names the host: {named}"
    );
    assert!(named.contains("leak.png"));
    let link = chat.page.find("a.la-button").unwrap();
    assert_eq!(
        link.get_attribute("rel").as_deref(),
        Some("noopener noreferrer nofollow")
    );
}

#[wasm_bindgen_test]
async fn unsafe_and_opaque_file_addresses_are_not_links() {
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
async fn a_type_is_shown_unless_the_name_ends_with_it() {
    let chat = chat(MockAgent::new(), || ()).await;
    let sheet = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
    let cases = [
        ("application/pdf", Some("Plan.PDF"), "1 B"),
        ("text/plain", Some("a.txt"), "1 B"),
        (sheet, Some("a.xlsx"), "1 B"),
        ("text/html", Some("plan.pdf"), "text/html · 1 B"),
        ("application/pdf", Some("pdf"), "application/pdf · 1 B"),
        ("application/pdf", None, "application/pdf · 1 B"),
    ];
    let parts = cases.map(|(kind, name, _)| media("document", data(kind, "eA=="), name));
    sent(&chat, parts.to_vec()).await;
    let details = chat
        .page
        .root
        .query_selector_all("[data-role=user] .la-file-facts")
        .unwrap();
    for (at, (_, _, expected)) in (0..).zip(cases) {
        let text = details.get(at).unwrap().text_content().unwrap();
        assert_eq!(text, expected);
    }
}

#[wasm_bindgen_test]
async fn a_broken_image_is_shown_as_a_file() {
    let chat = chat(MockAgent::new(), || ()).await;
    let broken = media("image", data("image/png", "AAAA"), Some("broken.png"));
    sent(&chat, vec![broken]).await;
    chat.appears(".la-file").await;
    assert_eq!(chat.page.count("[data-role=user] img"), 0);
}

#[wasm_bindgen_test]
async fn hidden_characters_are_removed_from_file_names() {
    let chat = chat(MockAgent::new(), || ()).await;
    let parts = vec![
        media(
            "document",
            data("text/plain\u{202e}", "eA=="),
            Some("bill\u{202e}fdp.exe\u{2800}"),
        ),
        media(
            "image",
            data("image/png", PIXEL),
            Some("a\u{200b}\n\n b.png"),
        ),
        media("document", data("text/plain", "eA=="), Some("\u{3164}")),
        media("document", url("https://аррӏе.com/x\u{200f}.pdf"), None),
    ];
    sent(&chat, parts).await;
    let text = |selector: &str| chat.page.text(&format!("[data-role=user] {selector}"));
    assert_eq!(text(".la-file-name"), "billfdp.exe");
    let button = chat.page.find(".la-file button").unwrap();
    let label = button.get_attribute("aria-label").unwrap();
    assert!(label.ends_with(" billfdp.exe"), "{label}");
    let image = chat.page.find("[data-role=user] img").unwrap();
    assert_eq!(image.get_attribute("alt").as_deref(), Some("a b.png"));
    let all = text("");
    assert!(!all.contains(is_hidden), "{all:?}");
    assert!(all.contains("xn--80ak6aa92e.com"), "{all}");
    assert!(all.contains("x.pdf") && all.contains("File"), "{all}");
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
    assistant.send(Content::Parts(parts)).unwrap();
}

#[wasm_bindgen_test]
async fn files_of_the_agent_follow_the_same_media_rules() {
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
async fn files_in_a_tool_result_are_shown() {
    let image = media("image", data("image/png", PIXEL), Some("chart.png"));
    let result = EventKind::ToolCallResult {
        message_id: "r".to_owned(),
        tool_call_id: "c".to_owned(),
        content: Content::Parts(vec![image]),
    };
    let chat = answered(Script::new().call_as("c", "draw", "{}").event(result)).await;
    chat.opens_card().await;
    assert_eq!(chat.page.count(".la-tool img"), 1);
    assert_eq!(
        chat.page.count(".la-tool [data-kind=result]"),
        0,
        "there are no words in it"
    );
}
