//! Props of components that no other test covers.

use leptos::prelude::*;
use leptos_assistant::{
    Assistant, AssistantProvider, ChatWindow, SessionOptions, Suggestion,
    agent::Script,
    chat::{
        Announcer, ChatHeader, ChatRoot, ChatStatus, Composer, ComposerRoot, ConfirmDialogs,
        EmptyState, NewConversation, Notices, OtherBranch, PastConversations, Speech, Suggestions,
        Transcript, TreeView,
    },
    part::RunSteps,
    store::MemoryStore,
    testing::{MockAgent, Mounted, mount, settle, until},
    tool::{AllowedActions, ExactText, InterruptInbox, SchemaForm},
    use_assistant,
};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::support::console_errors;

/// Mounts every component with an `assistant` prop outside of a provider.
#[wasm_bindgen_test]
async fn components_accept_an_assistant_prop_outside_a_provider() {
    let console = console_errors();
    let given = Assistant::new(MockAgent::new(), SessionOptions::default());
    let suggestions = || vec![Suggestion::new("Begin")];
    let page = mount(move || {
        let to = || given.clone();
        view! {
            <ChatHeader assistant=to() />
            <NewConversation assistant=to() />
            <ChatStatus assistant=to() />
            <Notices assistant=to() />
            <Transcript assistant=to() />
            <InterruptInbox assistant=to() />
            <OtherBranch assistant=to() />
            <ConfirmDialogs assistant=to() />
            <Announcer assistant=to() />
            <Composer assistant=to() />
            <ComposerRoot assistant=to()>""</ComposerRoot>
            <EmptyState assistant=to() suggestions=suggestions() />
            <Suggestions assistant=to() suggestions=suggestions() strip=true />
            <TreeView assistant=to() />
            <RunSteps assistant=to() />
            <PastConversations assistant=to() />
            <AllowedActions assistant=to() />
            <ChatRoot assistant=to() label="Other">
                <ChatStatus />
            </ChatRoot>
        }
    });
    settle().await;
    assert_eq!(console.take(), Vec::<String>::new());
    assert_eq!(page.count("form.la-composer"), 2);
    assert_eq!(page.count(".la-suggestions"), 2);
    assert_eq!(page.count(".la-suggestions[data-layout=strip]"), 1);
    assert_eq!(page.count("section[aria-label=Other] .la-chat-status"), 1);
}

/// Returns the announcements for an answer, in a built-in or a custom window.
async fn announcements(speech: Speech, own: bool) -> String {
    let agent = MockAgent::new().answer(Script::new().text("Sunny."));
    let page = mount(move || {
        view! {
            <AssistantProvider agent>
                <Ask />
                {match own {
                    true => view! { <Transcript /> <Announcer speech /> }.into_any(),
                    false => view! { <ChatWindow speech /> }.into_any(),
                }}
            </AssistantProvider>
        }
    });
    settle().await;
    assert!(page.click(".ask"));
    let announced = || {
        let all = page.root.query_selector_all("[data-speech]").unwrap();
        let text = |at| all.item(at).and_then(|one| one.text_content());
        (0..all.length()).filter_map(text).collect::<String>()
    };
    assert!(until(|| page.text("[role=log]").contains("Sunny.")).await);
    until(|| announced().contains("Sunny.")).await;
    announced()
}

#[component]
fn Ask() -> impl IntoView {
    let assistant = use_assistant()?;
    Some(view! { <button class="ask" on:click=move |_| assistant.send("go").unwrap()></button> })
}

#[wasm_bindgen_test]
async fn speech_controls_whether_answers_are_announced() {
    for own in [false, true] {
        let announced = announcements(Speech::AtTheEnd, own).await;
        assert!(announced.contains("Sunny."), "{announced}");
        let announced = announcements(Speech::Off, own).await;
        assert!(!announced.contains("Sunny."), "{announced}");
    }
}

#[wasm_bindgen_test]
async fn a_tree_view_can_start_as_a_drawing() {
    let begins = |drawn: bool| {
        mount(move || {
            let initial = json!([{"id": "q", "role": "user", "content": "q"},
                {"id": "a", "role": "assistant", "content": "a"}]);
            view! {
                <style>{leptos_assistant::STYLE}</style>
                <div style="block-size: 400px; inline-size: 600px">
                    <AssistantProvider agent=MockAgent::new() initial>
                        <TreeView drawn />
                    </AssistantProvider>
                </div>
            }
        })
    };
    let (list, drawing) = (begins(false), begins(true));
    assert!(until(|| drawing.count(".la-tree-way") == 1).await);
    assert_eq!(list.count(".la-tree-way"), 0);
    assert_eq!(list.count(".la-tree-row"), 2);
}

#[wasm_bindgen_test]
async fn an_empty_state_renders_its_children() {
    let page = mount(|| {
        view! {
            <AssistantProvider agent=MockAgent::new()>
                <EmptyState title="Hello">
                    <a class="more" href="/help">"Help"</a>
                </EmptyState>
            </AssistantProvider>
        }
    });
    settle().await;
    assert_eq!(page.text(".la-empty .more"), "Help");
}

#[wasm_bindgen_test]
async fn on_open_fires_when_a_conversation_is_selected() {
    let chosen = RwSignal::new(0);
    let agent = MockAgent::new().answer(Script::new().text("Here."));
    let page = mount(move || {
        let on_open = move |()| chosen.update(|count| *count += 1);
        view! {
            <AssistantProvider agent store=MemoryStore::default()>
                <Ask />
                <PastConversations on_open />
            </AssistantProvider>
        }
    });
    settle().await;
    page.click(".ask");
    let row = ".la-past-item button";
    assert!(until(|| page.count(row) > 0).await);
    assert!(page.click(row));
    assert!(until(|| chosen.get_untracked() == 1).await);
}

/// Mounts a form with a filled field; returns the submitted values.
fn form(enabled: bool, exact: bool) -> (Mounted, RwSignal<Vec<Value>>) {
    let submitted = RwSignal::new(Vec::new());
    let page = mount(move || {
        let schema = json!({"type": "object", "properties": {"to": {"type": "string"}}});
        let on_submit = move |value| submitted.update(|list| list.push(value));
        view! {
            <SchemaForm
                schema
                initial=json!({"to": "An\u{a0}n"})
                problems=Vec::new()
                submit="Pay"
                on_submit
                enabled=Signal::stored(enabled)
                exact
            >
                <button type="button" class="more">
                    "Later"
                </button>
            </SchemaForm>
        }
    });
    (page, submitted)
}

#[wasm_bindgen_test]
async fn a_schema_form_applies_its_props() {
    let (page, submitted) = form(true, false);
    settle().await;
    let submit = "button[type=submit]";
    assert_eq!(
        (page.text(submit), page.text(".more")),
        ("Pay".into(), "Later".into())
    );
    assert!(page.click(submit));
    settle().await;
    assert_eq!(submitted.get_untracked(), [json!({"to": "An\u{a0}n"})]);
    let grey = |page: &Mounted| page.count("button[type=submit][aria-disabled=true]");
    assert_eq!(grey(&page), 0);
    let (later, _) = form(false, true);
    settle().await;
    assert_eq!(grey(&later), 1);
    let plain = page.root.inner_text();
    assert_ne!(later.root.inner_text(), plain, "the space is made visible");
}

#[wasm_bindgen_test]
async fn a_readable_exact_text_keeps_no_break_spaces() {
    let page = mount(|| {
        view! {
            <p class="exact">
                <ExactText text="10\u{a0}€".to_owned() />
            </p>
            <p class="readable">
                <ExactText text="10\u{a0}€".to_owned() readable=true />
            </p>
        }
    });
    settle().await;
    assert_eq!(page.text(".readable"), "10\u{a0}€");
    assert_ne!(page.text(".exact"), page.text(".readable"));
}
