//! Props of windows, and the options of markdown.

use std::sync::Arc;

use leptos::prelude::*;
use leptos_assistant::{
    AssistantProvider, ChatWindow, Icon, LabelName, Labels, MediaPolicy, Suggestion,
    agent::Script,
    markdown::MarkdownOptions,
    media_policy,
    testing::{MockAgent, mount, settle, until},
};
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
async fn a_suggestion_can_show_a_label_and_send_another_text() {
    let agent = MockAgent::new();
    let asked = agent.clone();
    let page = mount(move || {
        let suggestions = vec![
            Suggestion::new("List all open issues")
                .label("Issues")
                .icon(Icon::Question),
            Suggestion::new("Hello").icon(|| view! { <b class="own-icon">"!"</b> }),
        ];
        view! {
            <AssistantProvider agent>
                <ChatWindow suggestions label="Support" empty_title="Well?" empty_text="Ask away." />
            </AssistantProvider>
        }
    });
    settle().await;
    assert_eq!(page.text(".la-suggestion"), "Issues");
    assert_eq!(page.count(".la-suggestion [data-icon=question]"), 1);
    assert_eq!(page.count(".la-suggestion .own-icon"), 1);
    assert_eq!(page.text(".la-chat-title"), "Support");
    assert_eq!(page.text(".la-empty-title"), "Well?");
    assert_eq!(page.text(".la-empty-text"), "Ask away.");
    assert!(page.click(".la-suggestion"));
    assert!(until(|| asked.inputs().len() == 1).await);
    let sent = format!("{:?}", asked.inputs()[0].messages);
    assert!(sent.contains("List all open issues"), "{sent}");
}

/// Returns the tag of a first-level heading in an answer.
async fn heading(options: Option<MarkdownOptions>) -> String {
    let agent = MockAgent::new().answer(Script::new().text("# Title"));
    let page = mount(move || {
        if let Some(options) = options {
            provide_context(options);
        }
        let suggestions = vec![Suggestion::new("go")];
        view! { <AssistantProvider agent><ChatWindow suggestions /></AssistantProvider> }
    });
    settle().await;
    assert!(page.click(".la-suggestion"));
    let title = || page.find(".la-markdown > *");
    assert!(until(|| title().is_some_and(|title| title.text_content().is_some())).await);
    title().unwrap().tag_name()
}

#[wasm_bindgen_test]
async fn heading_offset_moves_headings_down() {
    assert_eq!(heading(None).await, "H3");
    assert_eq!(
        heading(Some(MarkdownOptions::new().heading_offset(4))).await,
        "H5"
    );
}

#[wasm_bindgen_test]
async fn a_window_uses_labels_and_media_policy_of_the_context() {
    assert_eq!(*media_policy(), MediaPolicy::default());
    let differs = RwSignal::new(false);
    let page = mount(move || {
        let labels = Labels::default().with([(LabelName::Send, "Senden")]);
        provide_context(Arc::new(labels));
        let look = move || differs.set(*media_policy() != MediaPolicy::default());
        let media = MediaPolicy::default().allow("https://example.com");
        view! {
            <AssistantProvider agent=MockAgent::new() media=media>
                {look}
                <ChatWindow />
            </AssistantProvider>
        }
    });
    settle().await;
    assert!(differs.get_untracked());
    assert_eq!(page.text(".la-composer button[type=submit]"), "Senden");
}

#[wasm_bindgen_test]
async fn follow_ups_appear_after_an_answer_while_idle() {
    let agent = MockAgent::new().answer(Script::new().text("An answer"));
    let asked = agent.clone();
    let next = RwSignal::new(vec![Suggestion::new("Go on")]);
    let page = mount(move || {
        view! {
            <AssistantProvider agent>
                <ChatWindow suggestions=vec![Suggestion::new("Begin")] follow_ups=next />
            </AssistantProvider>
        }
    });
    settle().await;
    assert_eq!(page.count(".la-suggestion"), 1, "nothing to follow yet");
    let button = page.find(".la-suggestion").unwrap();
    button.focus().unwrap();
    button.click();
    let strip = || page.text(".la-suggestions[data-layout=strip] .la-suggestion");
    assert!(until(|| strip() == "Go on").await);
    let focused = document().active_element().unwrap();
    assert_eq!(
        focused.tag_name(),
        "TEXTAREA",
        "the button is removed, the focus is not lost"
    );
    next.set(vec![Suggestion::new("Something else")]);
    settle().await;
    assert_eq!(strip(), "Something else");
    assert!(page.click(".la-suggestion"));
    assert!(until(|| asked.inputs().len() == 2).await);
}

#[wasm_bindgen_test]
async fn more_than_four_suggestions_are_shown_on_demand() {
    let agent = MockAgent::new().answer(Script::new().text("Here."));
    let names = ["a", "b", "c", "d", "e", "f"];
    let page = mount(move || {
        let suggestions: Vec<_> = names.into_iter().map(Suggestion::new).collect();
        view! { <AssistantProvider agent><ChatWindow suggestions /></AssistantProvider> }
    });
    settle().await;
    let shown = || page.count(".la-suggestions > li:not([hidden])");
    assert_eq!(shown(), 5, "four, and More");
    assert_eq!(page.text("li:not([hidden]) > .la-suggestions-more"), "More");
    let more = page.find(".la-suggestions-more").unwrap();
    more.focus().unwrap();
    more.click();
    let focused = || document().active_element().unwrap();
    assert!(until(|| focused().text_content().as_deref() == Some("e")).await);
    assert_eq!(shown(), 6);
    page.find("li:nth-child(6) > .la-suggestion")
        .unwrap()
        .click();
    assert!(until(|| page.count(".la-suggestions") == 0).await);
    assert_eq!(
        focused().tag_name(),
        "TEXTAREA",
        "the button is removed, the focus is not lost"
    );
}
