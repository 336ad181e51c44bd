//! Files in the composer: added by button, paste and drop, refused with a reason, sent as parts.

use leptos::prelude::*;
use leptos_assistant::{
    AssistantProvider, Attachments, ChatWindow, SessionOptions,
    agent::Script,
    event::{Content, ContentPart, MessageBody, PartBody, Source},
    testing::{MockAgent, Mounted, mount, settle, until},
};
use serde_json::json;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

async fn chat(agent: &MockAgent, attachments: Attachments) -> Mounted {
    chat_with(agent, attachments, SessionOptions::default()).await
}

async fn chat_with(
    agent: &MockAgent,
    attachments: Attachments,
    options: SessionOptions,
) -> Mounted {
    let agent = agent.clone();
    let page = mount(move || {
        view! {
            <AssistantProvider agent options>
                <ChatWindow attachments />
            </AssistantProvider>
        }
    });
    settle().await;
    page
}

/// Passes files, each as (name, type, content), to an element in one of the ways of a browser.
pub fn give(target: &web_sys::HtmlElement, way: &str, files: &[(&str, &str, &str)]) -> bool {
    let list = js_sys::Array::new();
    for (name, kind, content) in files {
        list.push(&js_sys::Array::of3(
            &JsValue::from_str(name),
            &JsValue::from_str(kind),
            &JsValue::from_str(content),
        ));
    }
    let body = "
        const data = new DataTransfer();
        for (const [name, type, text] of files) data.items.add(new File([text], name, { type }));
        const options = { bubbles: true, cancelable: true, composed: true };
        if (way === 'pick') {
            target.files = data.files;
            return target.dispatchEvent(new Event('change', options));
        }
        if (way === 'paste') {
            const event = new ClipboardEvent('paste', options);
            // Firefox replaces the clipboard of scripted events.
            Object.defineProperty(event, 'clipboardData', { value: data });
            return target.dispatchEvent(event);
        }
        return target.dispatchEvent(new DragEvent(way, { ...options, dataTransfer: data }));
    ";
    let give = js_sys::Function::new_with_args("target, way, files", body);
    let done = give
        .call3(&JsValue::NULL, target, &way.into(), &list)
        .unwrap();
    done.as_bool().unwrap()
}

fn find(page: &Mounted, selector: &str) -> web_sys::HtmlElement {
    page.find(selector).unwrap()
}

async fn attached(page: &Mounted, count: u32) {
    let ready = until(|| page.count(".la-attachment[data-state=ready]") == count).await;
    assert!(ready, "{count} are ready: {}", page.text(".la-composer"));
}

fn send(page: &Mounted, text: &str) {
    let input: web_sys::HtmlTextAreaElement = find(page, "textarea").unchecked_into();
    input.set_value(text);
    page.click("button[type=submit]");
}

/// Returns the content of the user's newest message in the newest run.
fn content(agent: &MockAgent) -> Content {
    let input = agent.inputs().pop().unwrap();
    let mut contents = input
        .messages
        .into_iter()
        .filter_map(|message| match message.body {
            MessageBody::User { content } => Some(content),
            _ => None,
        });
    contents.next_back().unwrap()
}

fn parts(agent: &MockAgent) -> Vec<ContentPart> {
    match content(agent) {
        Content::Parts(parts) => parts,
        Content::Text(text) => panic!("only a text went out: {text}"),
    }
}

#[wasm_bindgen_test]
async fn files_are_not_accepted_without_the_attachments_prop() {
    let agent = MockAgent::new();
    let talks_to = agent.clone();
    let page = mount(move || {
        view! { <AssistantProvider agent=talks_to><ChatWindow /></AssistantProvider> }
    });
    settle().await;
    assert_eq!(page.count("input[type=file]"), 0);
    let untouched = give(
        &find(&page, "textarea"),
        "paste",
        &[("a.txt", "text/plain", "a")],
    );
    assert!(untouched, "a paste is the browser's");
    assert_eq!(page.count(".la-attachment"), 0);
}

#[wasm_bindgen_test]
async fn files_are_sent_as_parts_of_the_message() {
    let agent = MockAgent::new();
    let page = chat(&agent, Attachments::new()).await;
    let picker = find(&page, "input[type=file]");
    give(
        &picker,
        "pick",
        &[
            ("a.txt", "text/plain", "Hello"),
            ("b.mp3", "audio/mpeg", "x"),
        ],
    );
    attached(&page, 2).await;
    send(&page, "look at this");
    assert!(until(|| agent.inputs().len() == 1).await);
    let parts = parts(&agent);
    assert_eq!(parts[0].body, PartBody::Text("look at this".to_owned()));
    let expected = PartBody::Media {
        kind: "document".to_owned(),
        source: Source::Data {
            value: "SGVsbG8=".to_owned(),
            mime_type: "text/plain".to_owned(),
        },
    };
    assert_eq!(parts[1].body, expected);
    assert_eq!(parts[1].metadata.as_ref().unwrap()["filename"], "a.txt");
    assert!(matches!(&parts[2].body, PartBody::Media { kind, .. } if kind == "audio"));
    settle().await;
    assert_eq!(
        page.count(".la-attachment"),
        0,
        "a sent file is removed from the composer"
    );
    assert!(page.text("[data-role=user]").contains("a.txt"));
}

#[wasm_bindgen_test]
async fn files_can_be_sent_without_text() {
    let agent = MockAgent::new();
    let page = chat(&agent, Attachments::new()).await;
    send(&page, " ");
    settle().await;
    assert_eq!(agent.inputs().len(), 0);
    give(
        &find(&page, "textarea"),
        "paste",
        &[("a.png", "image/png", "x")],
    );
    attached(&page, 1).await;
    send(&page, "");
    assert!(until(|| agent.inputs().len() == 1).await);
    assert_eq!(parts(&agent).len(), 1);
}

#[wasm_bindgen_test]
async fn pasted_text_with_an_image_stays_text() {
    let page = chat(&MockAgent::new(), Attachments::new()).await;
    let event = js_sys::Function::new_with_args(
        "target",
        "const data = new DataTransfer();
         data.setData('text/plain', 'words');
         data.items.add(new File(['x'], 'picture.png', { type: 'image/png' }));
         const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true });
         Object.defineProperty(event, 'clipboardData', { value: data });
         return target.dispatchEvent(event);",
    );
    let untouched = event
        .call1(&JsValue::NULL, &find(&page, "textarea"))
        .unwrap();
    assert_eq!(untouched.as_bool(), Some(true));
    assert_eq!(page.count(".la-attachment"), 0);
}

#[wasm_bindgen_test]
async fn files_can_be_dropped_on_the_chat_only() {
    let page = chat(&MockAgent::new(), Attachments::new()).await;
    let file = [("a.txt", "text/plain", "a")];
    let log = find(&page, "[role=log]");
    assert!(!give(&log, "dragover", &file), "the chat takes it");
    settle().await;
    assert_eq!(page.count(".la-drop-zone"), 1);
    let elsewhere = document().body().unwrap();
    assert!(
        give(&elsewhere, "dragover", &file),
        "the page may do what it likes"
    );
    settle().await;
    assert_eq!(page.count(".la-drop-zone"), 0);
    assert!(give(&elsewhere, "drop", &file));
    assert!(!give(&log, "drop", &file));
    attached(&page, 1).await;
}

#[wasm_bindgen_test]
async fn files_can_be_dropped_on_a_shadow_tree_in_the_chat() {
    let page = chat(&MockAgent::new(), Attachments::new()).await;
    let file = [("a.txt", "text/plain", "a")];
    let element =
        || -> web_sys::HtmlElement { document().create_element("p").unwrap().unchecked_into() };
    let (host, target) = (element(), element());
    let init = web_sys::ShadowRootInit::new(web_sys::ShadowRootMode::Open);
    let shadow_root = host.attach_shadow(&init).unwrap();
    shadow_root.append_child(&target).unwrap();
    find(&page, "[role=log]").append_child(&host).unwrap();
    assert!(!give(&target, "dragover", &file), "the chat takes it");
    assert!(!give(&target, "drop", &file));
    attached(&page, 1).await;
}

#[wasm_bindgen_test]
async fn an_attached_file_is_announced_with_its_name() {
    let page = chat(&MockAgent::new(), Attachments::new()).await;
    let regions = page.root.query_selector_all("[aria-live=polite]").unwrap();
    let picker = find(&page, "input[type=file]");
    give(&picker, "pick", &[("a.txt", "text/plain", "Hello")]);
    attached(&page, 1).await;
    let facts = find(&page, ".la-attachment-facts");
    let region = facts.closest("[aria-live]").unwrap();
    let is_earlier_region = (0..regions.length()).any(|index| {
        let region = region.as_deref();
        regions.item(index).as_ref() == region
    });
    assert!(is_earlier_region, "the live region existed before the file");
    let announced = facts.closest("[aria-atomic=true]").unwrap().unwrap();
    assert_eq!(announced.text_content().unwrap(), "a.txt5 B");
}

#[wasm_bindgen_test]
async fn refused_files_show_the_reason() {
    let rules = Attachments::new()
        .accept("image/*, .TXT,application/pdf")
        .max_bytes(10)
        .max_files(2);
    let page = chat(&MockAgent::new(), rules).await;
    let files = [
        ("a.exe", "application/x-msdownload", "x"),
        ("long.txt", "", "0123456789ab"),
        ("a.txt", "", "x"),
        ("b.webp", "image/webp", "x"),
        ("c.pdf", "application/pdf", "x"),
    ];
    give(&find(&page, "input[type=file]"), "pick", &files);
    attached(&page, 2).await;
    let shown = page.text("[role=alert] .la-attachment-refusals");
    for reason in [
        "a.exe can't be attached: this type",
        "long.txt: larger than 10 B",
        "c.pdf: only 2 at a time",
    ] {
        assert!(shown.contains(reason), "{reason} in {shown}");
    }
    page.click(".la-attachment button");
    settle().await;
    assert_eq!(
        page.count(".la-attachment-refusals"),
        0,
        "making room dismisses the refusal"
    );
}

#[wasm_bindgen_test]
async fn inline_files_have_a_total_size() {
    let files = [
        ("a.txt", "", "123"),
        ("b.txt", "", "12"),
        ("c.txt", "", "1"),
    ];
    let rules = Attachments::new().max_inline_bytes(4);
    let page = chat(&MockAgent::new(), rules.clone()).await;
    give(&find(&page, "input[type=file]"), "pick", &files);
    attached(&page, 2).await;
    let shown = page.text("[role=alert] .la-attachment-refusals");
    assert_eq!(shown, "b.txt: all files together would be larger than 4 B");
    let uploads = rules.upload(|_| async { Ok("https://files.example/".to_owned()) });
    let page = chat(&MockAgent::new(), uploads).await;
    give(&find(&page, "input[type=file]"), "pick", &files);
    attached(&page, 3).await;
}

#[wasm_bindgen_test]
async fn removing_a_file_moves_the_focus_to_the_next() {
    let page = chat(&MockAgent::new(), Attachments::new()).await;
    let files = [("a", "", "x"), ("b", "", "x")];
    give(&find(&page, "input[type=file]"), "pick", &files);
    attached(&page, 2).await;
    let label = |element: web_sys::Element| element.get_attribute("aria-label");
    let first = find(&page, ".la-attachment button");
    first.focus().unwrap();
    first.click();
    settle().await;
    let focused = document().active_element().unwrap();
    assert_eq!(label(focused).as_deref(), Some("Remove b"));
    page.click(".la-attachment button");
    settle().await;
    assert_eq!(document().active_element().unwrap().tag_name(), "TEXTAREA");
    assert_eq!(page.count(".la-attachments"), 0);
}

#[wasm_bindgen_test]
async fn a_refused_message_keeps_its_text_and_files() {
    let wait = std::time::Duration::from_millis(400);
    let agent = MockAgent::new().answer(Script::new().text("A").wait(wait));
    let options = SessionOptions::default().interjections(false);
    let page = chat_with(&agent, Attachments::new(), options).await;
    send(&page, "first");
    assert!(until(|| agent.inputs().len() == 1).await);
    give(
        &find(&page, "textarea"),
        "paste",
        &[("a.txt", "text/plain", "a")],
    );
    attached(&page, 1).await;
    let input: web_sys::HtmlTextAreaElement = find(&page, "textarea").unchecked_into();
    input.set_value("second");
    let form: web_sys::HtmlFormElement = find(&page, "form").unchecked_into();
    form.request_submit().unwrap();
    settle().await;
    assert_eq!(agent.inputs().len(), 1);
    assert_eq!(
        (input.value().as_str(), page.count(".la-attachment")),
        ("second", 1)
    );
}

#[wasm_bindgen_test]
async fn an_uploaded_file_is_sent_as_a_url() {
    let agent = MockAgent::new();
    let rules = Attachments::new().upload(|file: web_sys::File| async move {
        match file.name().as_str() {
            "bad.txt" => Err("no room".to_owned()),
            name => Ok(format!("https://files.example/{name}")),
        }
    });
    let page = chat(&agent, rules).await;
    let picker = find(&page, "input[type=file]");
    give(
        &picker,
        "pick",
        &[("bad.txt", "text/plain", "x"), ("a.txt", "text/plain", "x")],
    );
    attached(&page, 1).await;
    assert!(
        page.text(".la-attachment[data-state=failed]")
            .contains("no room")
    );
    send(&page, "look");
    settle().await;
    assert_eq!(agent.inputs().len(), 0, "nothing is left out silently");
    assert!(page.text(".la-composer").contains("First remove the files"));
    page.click(".la-attachment[data-state=failed] button");
    send(&page, "look");
    assert!(until(|| agent.inputs().len() == 1).await);
    let expected = Source::Url {
        value: "https://files.example/a.txt".to_owned(),
        mime_type: Some("text/plain".to_owned()),
    };
    assert!(
        matches!(&parts(&agent)[1].body, PartBody::Media { source, .. } if *source == expected)
    );
}

#[wasm_bindgen_test]
async fn a_picture_has_a_thumbnail() {
    let page = chat(&MockAgent::new(), Attachments::new()).await;
    give(
        &find(&page, "textarea"),
        "paste",
        &[("a.gif", "image/gif", "GIF89a")],
    );
    give(
        &find(&page, "textarea"),
        "paste",
        &[("a.svg", "image/svg+xml", "<svg/>")],
    );
    attached(&page, 2).await;
    assert!(
        until(|| page.count(".la-attachment img") == 1).await,
        "an SVG is a document"
    );
}

#[wasm_bindgen_test]
async fn a_file_name_is_shown_without_controls_and_sent_unchanged() {
    let agent = MockAgent::new();
    let page = chat(&agent, Attachments::new().max_files(1)).await;
    let picker = find(&page, "input[type=file]");
    let files = [
        ("bill\u{202e}fdp.exe", "text/plain", "x"),
        ("more\u{200b}.txt", "text/plain", "x"),
    ];
    give(&picker, "pick", &files);
    attached(&page, 1).await;
    assert_eq!(page.text(".la-attachment-name"), "billfdp.exe");
    let refused = page.text(".la-attachment-refusals");
    assert!(refused.contains("more.txt"), "{refused:?}");
    send(&page, "look");
    assert!(until(|| agent.inputs().len() == 1).await);
    assert_eq!(
        parts(&agent)[1].metadata,
        Some(json!({"filename": "bill\u{202e}fdp.exe"}))
    );
}
