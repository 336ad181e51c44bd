//! Changes of the language without remounting.

use leptos::prelude::*;
use leptos_assistant::{
    Approval, AssistantProvider, Attachments, ChatWindow, LabelName, Labels, Suggestion,
    ToolAction, ToolContext,
    agent::Script,
    event::{Content, ContentPart, EventKind, PartBody, Source},
    provide_labels,
    testing::{MockAgent, mount, settle, until},
    tool::SchemaForm,
    use_assistant, use_assistant_action,
};
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    attachments::give,
    interrupts::{click, fill},
    support::{Chat, provided},
};

#[component]
fn Actions() -> impl IntoView {
    let action = |name: &str| ToolAction::new(name, "Acts").handler(|_: Value| "fine");
    use_assistant_action(action("quick"));
    use_assistant_action(action("careful").approval(Approval::Always));
}

#[wasm_bindgen_test]
async fn changed_labels_update_the_mounted_chat() {
    let agent = MockAgent::new().answer(
        Script::new()
            .text("Two calls")
            .call("quick", &json!({}))
            .call("careful", &json!({"a": 1})),
    );
    let german = RwSignal::new(false);
    let page = mount(move || {
        provide_labels(Signal::derive(move || match german.get() {
            false => Labels::default(),
            true => Labels::default().with([
                (LabelName::Title, "Assistentin"),
                (LabelName::Send, "Senden"),
                (LabelName::Placeholder, "Frag etwas"),
                (LabelName::Message, "Nachricht"),
                (LabelName::ApprovalsHint, "Erst zustimmen oder ablehnen."),
                (LabelName::Waiting, "Wartet auf dich"),
                (LabelName::Done, "Fertig"),
                (LabelName::Approve, "Zustimmen"),
                (LabelName::Deny, "Ablehnen"),
                (LabelName::PageWillRun, "Diese Seite tut"),
                (LabelName::You, "Du"),
                (LabelName::NewConversation, "Neu"),
                (LabelName::Suggestions, "Vorschläge"),
                (LabelName::Arguments, "Argumente"),
            ]),
        }));
        view! {
            <AssistantProvider agent>
                <Actions />
                <ChatWindow suggestions=vec![Suggestion::new("go")] />
            </AssistantProvider>
        }
    });
    settle().await;
    assert_eq!(page.text(".la-composer [type=submit]"), "Send");
    assert!(page.click(".la-suggestion"));
    let is_asked = || page.count(".la-approval") == 1 && page.text(".la-tool-status") == "Done";
    assert!(until(is_asked).await, "{}", page.root.inner_html());
    settle().await;
    let input: web_sys::HtmlTextAreaElement = page.find("textarea").unwrap().unchecked_into();
    input.set_value("half a sentence");
    assert!(page.click(".la-tool-summary"));
    assert!(until(|| page.find(".la-tool-body").is_some()).await);
    let card = page.find(".la-approval").unwrap();
    german.set(true);
    settle().await;
    for (place, word) in [
        (".la-chat-title", "Assistentin"),
        (".la-composer [type=submit]", "Senden"),
        (".la-composer-reason", "Erst zustimmen oder ablehnen."),
        (".la-chat-status", "Wartet auf dich"),
        (".la-tool-status", "Fertig"),
        (".la-approval-approve", "Zustimmen"),
        (".la-chat-actions button", "Neu"),
        (".la-tool-label", "Argumente"),
    ] {
        assert_eq!(page.text(place), word, "{place}");
    }
    assert!(page.text(".la-approval-title").contains("Diese Seite tut"));
    let attribute = |place: &str, name: &str| page.find(place).unwrap().get_attribute(name);
    assert_eq!(
        attribute("textarea", "placeholder").as_deref(),
        Some("Frag etwas")
    );
    assert_eq!(
        attribute("textarea", "aria-label").as_deref(),
        Some("Nachricht")
    );
    assert_eq!(
        page.find(".la-turn h3").unwrap().text_content().as_deref(),
        Some("Du")
    );
    assert_eq!(
        attribute(".la-chat", "aria-label").as_deref(),
        Some("Assistentin")
    );
    assert_eq!(
        attribute(".la-approval-approve", "aria-label").as_deref(),
        Some("Zustimmen: careful")
    );
    assert_eq!(
        input.value(),
        "half a sentence",
        "nothing was mounted again"
    );
    assert!(page.find(".la-approval").unwrap().is_same_node(Some(&card)));
    german.set(false);
    settle().await;
    assert_eq!(page.text(".la-composer [type=submit]"), "Send");
}

/// The texts in rendered markdown, in a file's card and in a form, apart from reactive attributes.
#[wasm_bindgen_test]
async fn changed_labels_update_rendered_answers_in_place() {
    const MARKDOWN: &str = "```rust\nfn main() {}\n```\n\n> [!TIP]\n> Try it.\n\n- [x] one\n- [ ] two\n\n\
        | a |\n| - |\n| b |\n\n![pic](https://media.example/p.png) A note.[^1]\n\n[^1]: Here.\n";
    let agent = MockAgent::new().answer(Script::new().text(MARKDOWN));
    let german = RwSignal::new(false);
    let made = StoredValue::new(None);
    let page = mount(move || {
        provide_labels(Signal::derive(move || match german.get() {
            false => Labels::default(),
            true => Labels::default().with([
                (LabelName::Copy, "Kopieren"),
                (LabelName::AlertTip, "Tipp"),
                (LabelName::TaskDone, "Erledigt"),
                (LabelName::TaskOpen, "Offen"),
                (LabelName::Table, "Tabelle"),
                (LabelName::Footnote, "Fußnote"),
                (LabelName::ImageNotShown, "Bild nicht gezeigt"),
                (LabelName::File, "Datei"),
                (LabelName::OpenFile, "Öffnen"),
                (LabelName::Answer, "Antwort"),
                (LabelName::Json, "Als JSON"),
            ]),
        }));
        let form = |schema: Value| {
            let on_submit = Callback::new(|_: Value| ());
            view! { <SchemaForm schema problems=Vec::new() submit=String::new() on_submit /> }
        };
        view! {
            <AssistantProvider agent>
                {made.set_value(use_assistant())}
                <ChatWindow />
            </AssistantProvider>
            <div class="whole">{form(json!({"type": "string"}))}</div>
            <div class="json">{form(json!({"type": "array", "items": {"type": "array"}}))}</div>
        }
    });
    settle().await;
    let file = ContentPart {
        id: None,
        metadata: None,
        body: PartBody::Media {
            kind: "document".to_owned(),
            source: Source::Url {
                value: "https://media.example/".to_owned(),
                mime_type: None,
            },
        },
    };
    let assistant = made.get_value().unwrap();
    assistant.send(Content::Parts(vec![file])).unwrap();
    assert!(until(|| page.count(".la-footnote-button") == 1).await);
    settle().await;
    let places = [
        (".la-code-copy", "Copy", "Kopieren"),
        (".la-alert-title", "Tip from the assistant", "Tipp"),
        (
            ".la-image-chip > span",
            "Image not shown",
            "Bild nicht gezeigt",
        ),
        (".la-file-name", "File", "Datei"),
        (".whole .la-field-label", "Your answer", "Antwort"),
        (".json .la-field-label", "Answer as JSON", "Als JSON"),
    ];
    let named = [
        (".la-alert", "Tip from the assistant", "Tipp"),
        (".la-task-mark[data-done]", "Done", "Erledigt"),
        (".la-task-mark:not([data-done])", "Open", "Offen"),
        (".la-table", "Table", "Tabelle"),
        (".la-footnote-button", "Footnote 1", "Fußnote 1"),
        (".la-file a", "Open File", "Öffnen Datei"),
    ];
    let button = page.find(".la-code-copy").unwrap();
    for german_now in [false, true, false] {
        german.set(german_now);
        settle().await;
        let word = |english: &'static str, german: &'static str| match german_now {
            true => german,
            false => english,
        };
        for (place, english, german) in places {
            assert_eq!(page.text(place), word(english, german), "{place}");
        }
        for (place, english, german) in named {
            let name = page.find(place).unwrap().get_attribute("aria-label");
            assert_eq!(name.as_deref(), Some(word(english, german)), "{place}");
        }
    }
    let same = page.find(".la-code-copy").unwrap();
    assert!(
        same.is_same_node(Some(&button)),
        "nothing was rendered again"
    );
}

/// Checks the given texts in English, in German, and in English again.
async fn assert_follows_language(
    chat: &Chat,
    german: RwSignal<bool>,
    places: &[(&str, &str, &str)],
) {
    for german_now in [false, true, false] {
        german.set(german_now);
        settle().await;
        for (place, in_english, in_german) in places {
            let word = if german_now { in_german } else { in_english };
            let text = chat.page.text(place);
            assert!(text.contains(word), "{place}: {text}");
        }
    }
}

#[wasm_bindgen_test]
async fn changed_labels_update_refusals_and_validation_problems() {
    let german = RwSignal::new(false);
    let words = move || match german.get() {
        false => Labels::default(),
        true => Labels::default()
            .with([
                (LabelName::FilesFailed, "Entferne die Dateien"),
                (LabelName::FileTypeRefused, "{name} geht nicht"),
                (LabelName::BusyHint, "Gerade nicht"),
                (LabelName::NoNumber, "Keine Zahl"),
            ])
            .with_reasons([("minimum", "mindestens {limit}")]),
    };
    let ask = |_: Value, context: ToolContext| async move {
        let sizes = json!({
            "type": "object",
            "properties": {"size": {"type": "integer", "minimum": 3}},
            "required": ["size"]
        });
        context.ask_with::<Value>("How large?", sizes).await
    };
    let agent = MockAgent::new()
        .answer(Script::new().text("Hello"))
        .answer(Script::new().call("paint", &json!({})));
    let chat = provided(agent, Default::default(), move || {
        provide_labels(words);
        use_assistant_action(ToolAction::new("paint", "Paints").handler(ask));
        let full = |_| async { Err::<String, _>("no room".to_owned()) };
        view! { <ChatWindow attachments=Attachments::new().accept("text/*").upload(full) /> }
    })
    .await;
    chat.assistant.send("hello").unwrap();
    chat.idle().await;

    let files = [("a.txt", "text/plain", "a"), ("b.png", "image/png", "b")];
    give(&chat.page.find("input[type=file]").unwrap(), "pick", &files);
    chat.appears(".la-attachment[data-state=failed]").await;
    let input = chat.page.find(".la-composer textarea").unwrap();
    let input: web_sys::HtmlTextAreaElement = input.unchecked_into();
    input.set_value("look");
    assert!(chat.page.click(".la-composer [type=submit]"));
    let files = [
        (
            ".la-composer [role=alert].la-composer-reason",
            "First remove",
            "Entferne",
        ),
        (".la-attachment-refusals", "b.png", "b.png geht nicht"),
    ];
    assert_follows_language(&chat, german, &files).await;

    assert!(chat.page.click(".la-message-edit"));
    chat.appears(".la-message-editor").await;
    chat.assistant.send("paint").unwrap();
    chat.appears(".la-ask").await;
    click(&chat, ".la-message-editor", "Send");
    let box_ = (".la-message-editor [role=alert]", "work", "Gerade nicht");
    assert_follows_language(&chat, german, &[box_]).await;

    for (text, english, german_words) in [("x", "number", "Keine Zahl"), ("1", "3", "mindestens 3")]
    {
        fill(&chat, ".la-ask input", text);
        click(&chat, ".la-ask", "Submit");
        let places = [
            (".la-ask .la-form-problems", english, german_words),
            (".la-ask .la-field-problem", english, german_words),
        ];
        assert_follows_language(&chat, german, &places).await;
    }
}

#[wasm_bindgen_test]
async fn a_count_selects_the_plural_form_of_the_language_of_the_labels() {
    const FORMS: &str = "{count, plural, one {one} two {two} few {few: #} other {other: #}}";
    for (language, count, expected) in [
        ("ar", 1, "one"),
        ("ar", 2, "two"),
        ("ar", 7, "few: 7"),
        ("ar", 11, "other: 11"),
        ("de", 1, "one"),
        ("de", 2, "other: 2"),
    ] {
        let script = (0..count).fold(Script::new().text("Done"), |script, number| {
            let step_name = number.to_string();
            let started = EventKind::StepStarted {
                step_name: step_name.clone(),
            };
            script
                .event(started)
                .event(EventKind::StepFinished { step_name })
        });
        let agent = MockAgent::new().answer(script);
        let page = mount(move || {
            let labels = Labels::default().with([(LabelName::ToolCalls, FORMS)]);
            provide_labels(labels.in_language(language));
            view! {
                <AssistantProvider agent>
                    <ChatWindow suggestions=vec![Suggestion::new("go")] />
                </AssistantProvider>
            }
        });
        assert!(until(|| page.click(".la-suggestion")).await);
        let is_expected = || page.text(".la-steps-summary") == expected;
        assert!(
            until(is_expected).await,
            "{language}, {count}: {}",
            page.text(".la-steps-summary")
        );
    }
}

#[wasm_bindgen_test]
async fn times_follow_the_language_of_the_labels() {
    const GERMAN: [&str; 7] = [
        "Montag",
        "Dienstag",
        "Mittwoch",
        "Donnerstag",
        "Freitag",
        "Samstag",
        "Sonntag",
    ];
    const SPANISH: [&str; 7] = [
        "lunes",
        "martes",
        "miércoles",
        "jueves",
        "viernes",
        "sábado",
        "domingo",
    ];
    let html = document().document_element().unwrap();
    html.set_attribute("lang", "en-GB").unwrap();
    let language = RwSignal::new("de");
    let page = mount(move || {
        provide_labels(move || Labels::default().in_language(language.get()));
        view! {
            <AssistantProvider agent=MockAgent::new().answer(Script::new().text("Done"))>
                <ChatWindow suggestions=vec![Suggestion::new("go")] />
            </AssistantProvider>
        }
    });
    assert!(until(|| page.click(".la-suggestion")).await);
    assert!(until(|| page.find(".la-message-time").is_some()).await);
    let date = || {
        page.find(".la-message-time")
            .unwrap()
            .get_attribute("title")
            .unwrap()
    };
    let names_day = |days: &[&str]| days.iter().any(|day| date().starts_with(day));
    assert!(names_day(&GERMAN), "{}", date());
    language.set("es");
    settle().await;
    assert!(names_day(&SPANISH), "{}", date());
    // The page adds its region to its own language: "Friday 27 November", not "Friday, November 27".
    language.set("en");
    settle().await;
    html.remove_attribute("lang").unwrap();
    let second_word = date().split(' ').nth(1).map(str::to_owned);
    let is_number = second_word.is_some_and(|word| word.parse::<u8>().is_ok());
    assert!(is_number, "{}", date());
}

/// Labels of an application are text, wherever they are shown.
#[wasm_bindgen_test]
async fn markup_in_labels_is_shown_as_text() {
    const EVIL: &str = "<img src=x onerror=globalThis.hit=1><b>bold</b>";
    let agent = MockAgent::new().answer(Script::new().call("careful", &json!({"a": 1})));
    let page = mount(move || {
        let names = [
            LabelName::Title,
            LabelName::Send,
            LabelName::Placeholder,
            LabelName::Message,
            LabelName::Approve,
            LabelName::Deny,
            LabelName::Waiting,
            LabelName::More,
        ];
        provide_labels(Labels::default().with(names.map(|name| (name, EVIL))));
        view! {
            <AssistantProvider agent=agent>
                <Actions />
                <ChatWindow suggestions=vec![Suggestion::new("Go").label(EVIL)] />
            </AssistantProvider>
        }
    });
    assert!(until(|| page.count(".la-suggestion") == 1).await);
    assert_eq!(page.text(".la-suggestion"), EVIL);
    page.click(".la-suggestion");
    assert!(until(|| page.count(".la-approval-approve") == 1).await);
    assert_eq!(page.text(".la-approval-approve"), EVIL);
    assert_eq!(page.text(".la-approval-deny"), EVIL);
    assert_eq!(page.count("img, b"), 0);
    let input = page.find("textarea").unwrap();
    assert_eq!(input.get_attribute("placeholder").as_deref(), Some(EVIL));
}
