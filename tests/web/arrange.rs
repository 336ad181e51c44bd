//! Custom arrangements of a window: each part works, finds its context, and takes attributes.

use leptos::prelude::*;
use leptos_assistant::{
    AssistantProvider, Attachments, Suggestion,
    agent::Script,
    chat::{
        Announcer, ChatHeader, ChatRoot, ChatStatus, ComposerAttach, ComposerAttachments,
        ComposerHandle, ComposerHint, ComposerInput, ComposerRoot, ComposerSend, ComposerStop,
        EmptyState, Feedback, MessageActions, MessageNotes, MessageParts, MessageRoot,
        MessageSpeaker, NewConversation, PartView, Suggestions, Transcript, use_composer,
        use_message,
    },
    event::EventKind,
    part::RunSteps,
    testing::{MockAgent, Mounted, mount, settle, until},
    tool::ToolCallSlot,
    use_assistant,
    view::{MessageCell, PartKind},
};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;

use super::support::console_errors;

fn attribute(page: &Mounted, selector: &str, name: &str) -> Option<String> {
    page.find(selector).unwrap().get_attribute(name)
}

fn textarea(page: &Mounted) -> web_sys::HtmlTextAreaElement {
    page.find("textarea").unwrap().unchecked_into()
}

fn type_in(page: &Mounted, text: &str) {
    textarea(page).set_value(text);
    let init = web_sys::EventInit::new();
    init.set_bubbles(true);
    let event = web_sys::Event::new_with_event_init_dict("input", &init).unwrap();
    textarea(page).dispatch_event(&event).unwrap();
}

/// Returns an agent that waits in the middle of its answer.
fn slow() -> MockAgent {
    let second = std::time::Duration::from_secs(60);
    MockAgent::new().answer(Script::new().text("So far").wait(second).text("never"))
}

#[wasm_bindgen_test]
async fn a_custom_composer_sends_and_stops() {
    let agent = slow();
    let asked = agent.clone();
    let page = mount(move || {
        view! {
            <AssistantProvider agent>
                <ComposerRoot attr:id="ask" attr:data-mine="">
                    <ComposerStop attr:data-part="stop">"Halt"</ComposerStop>
                    <ComposerSend attr:data-part="send">"Go"</ComposerSend>
                    <ComposerInput attr:data-part="input" attr:placeholder="Ask" />
                    <ComposerHint attr:data-part="hint" />
                </ComposerRoot>
            </AssistantProvider>
        }
    });
    settle().await;
    assert_eq!(attribute(&page, "form", "id").as_deref(), Some("ask"));
    assert_eq!(
        attribute(&page, "form", "data-state").as_deref(),
        Some("idle")
    );
    assert_eq!(
        attribute(&page, "textarea", "placeholder").as_deref(),
        Some("Ask")
    );
    assert_eq!(
        attribute(&page, "textarea", "data-part").as_deref(),
        Some("input")
    );
    let described = || attribute(&page, "textarea", "aria-description").unwrap();
    let keys = described();
    assert!(keys.contains("Enter sends"), "{keys}");
    assert_eq!(attribute(&page, "textarea", "aria-describedby"), None);
    assert!(page.text("[data-part=hint]").contains("Enter sends"));
    assert_eq!(page.text("[data-part=send]"), "Go");
    type_in(&page, "hello");
    assert!(page.click("[data-part=send]"));
    assert!(until(|| asked.inputs().len() == 1).await, "Send sends");
    settle().await;
    assert_eq!(textarea(&page).value(), "");
    assert!(page.find("[data-part=send]").unwrap().hidden());
    assert!(
        page.text("[data-part=hint]")
            .contains("sends your message next")
    );
    assert_eq!(described(), keys, "screen readers announce each change");
    assert_eq!(page.text("[data-part=stop]"), "Halt");
    assert!(page.click("[data-part=stop]"));
    let stopped = || page.find("[data-part=stop]").unwrap().hidden();
    assert!(until(stopped).await, "Stop stops");
}

#[wasm_bindgen_test]
async fn a_custom_composer_with_attachment_parts_accepts_files() {
    let page = mount(move || {
        view! {
            <AssistantProvider agent=MockAgent::new()>
                <ComposerRoot attachments=Attachments::new().accept(".pdf")>
                    <ComposerAttachments />
                    <ComposerAttach attr:data-part="attach">"Add"</ComposerAttach>
                    <ComposerInput />
                </ComposerRoot>
            </AssistantProvider>
        }
    });
    settle().await;
    assert_eq!(page.text("button[data-part=attach]"), "Add");
    assert_eq!(
        attribute(&page, "input[type=file]", "accept").as_deref(),
        Some(".pdf")
    );
    let clicked = std::rc::Rc::new(std::cell::Cell::new(false));
    let flag = std::rc::Rc::clone(&clicked);
    let listen = wasm_bindgen::closure::Closure::<dyn Fn(web_sys::Event)>::new(
        move |event: web_sys::Event| {
            event.prevent_default();
            flag.set(true);
        },
    );
    let input = page.find("input[type=file]").unwrap();
    input
        .add_event_listener_with_callback("click", listen.as_ref().unchecked_ref())
        .unwrap();
    assert!(page.click("[data-part=attach]"));
    assert!(clicked.get(), "the button opens the field");
    assert_eq!(page.count("[role=alert]"), 1, "a place for what is refused");
}

#[wasm_bindgen_test]
async fn a_composer_handle_reads_and_writes_the_text() {
    let agent = MockAgent::new();
    let asked = agent.clone();
    let entered = RwSignal::new(String::new());
    let handle = ComposerHandle::new();
    handle.set_text("before it is there");
    let page = mount(move || {
        Effect::new(move |_| entered.set(handle.text()));
        view! {
            <AssistantProvider agent>
                <ComposerRoot handle>
                    <ComposerInput />
                    <Insert />
                </ComposerRoot>
            </AssistantProvider>
        }
    });
    settle().await;
    assert_eq!(textarea(&page).value(), "before it is there");
    type_in(&page, "typed");
    settle().await;
    assert_eq!(entered.get_untracked(), "typed");
    assert!(page.click(".insert"));
    settle().await;
    assert_eq!(textarea(&page).value(), "inserted");
    assert_eq!(entered.get_untracked(), "inserted");
    let focused = document().active_element();
    assert!(focused.is_some_and(|focused| focused.tag_name() == "TEXTAREA"));
    let form: web_sys::HtmlFormElement = page.find("form").unwrap().unchecked_into();
    form.request_submit().unwrap();
    assert!(until(|| asked.inputs().len() == 1).await);
    settle().await;
    assert_eq!(handle.text(), "", "the sent text is removed");
}

#[component]
fn Insert() -> impl IntoView {
    let composer = use_composer().expect("inside of a composer");
    let insert = move |_| {
        composer.set_text("inserted");
        composer.focus();
    };
    view! { <button type="button" class="insert" on:click=insert></button> }
}

#[wasm_bindgen_test]
async fn a_custom_message_renders_parts_and_actions() {
    let agent = MockAgent::new().answer(Script::new().text("An answer"));
    let given = RwSignal::new(Vec::<Feedback>::new());
    let on_feedback = move |feedback: Feedback| given.update(|list| list.push(feedback));
    let bubble = move |message: MessageCell| {
        view! {
            <MessageRoot message attr:data-bubble="">
                <MessageSpeaker />
                <Who />
                <MessageParts attr:data-part="parts" />
                <MessageNotes />
                <MessageActions on_feedback attr:data-part="actions" />
            </MessageRoot>
        }
    };
    let page = mount(move || {
        view! {
            <AssistantProvider agent>
                <Say text="A question" />
                <Transcript message=bubble attr:id="log" />
            </AssistantProvider>
        }
    });
    let answered = || page.count("article[data-role=assistant] .la-message-bar") == 1;
    assert!(until(answered).await, "{}", page.root.inner_html());
    settle().await;
    assert!(page.find("#log.la-transcript").is_some());
    assert_eq!(page.count("article[data-bubble]"), 2);
    assert_eq!(
        page.text("article[data-role=user] [data-part=parts]")
            .trim(),
        "A question"
    );
    assert!(
        page.text("article[data-role=assistant] [data-part=parts]")
            .contains("An answer")
    );
    assert_eq!(page.text("article[data-role=assistant] .who"), "assistant");
    assert_eq!(
        page.count(".la-turn > .la-message-bar"),
        0,
        "no bar but the message's own"
    );
    let thumb = "article[data-role=assistant] [data-part=actions] [data-icon=thumb-up]";
    let button = page.find("article[data-role=assistant] [aria-pressed]");
    assert!(page.find("article[data-role=assistant]").is_some() && page.count(thumb) == 1);
    button.unwrap().click();
    assert!(given.get_untracked()[0].positive.is_some());
}

#[component]
fn Who() -> impl IntoView {
    let message = use_message().expect("inside of a message");
    view! { <i class="who">{message.role().as_str()}</i> }
}

#[component]
fn Say(text: &'static str) -> impl IntoView {
    use_assistant().unwrap().send(text).unwrap();
}

#[wasm_bindgen_test]
async fn a_custom_window_has_label_header_and_announcer() {
    let agent = MockAgent::new().answer(Script::new().text("Yes"));
    let label = RwSignal::new("Help".to_owned());
    let page = mount(move || {
        view! {
            <AssistantProvider agent>
                <ChatRoot label attr:id="window">
                    <ChatHeader attr:data-part="header">
                        <NewConversation attr:data-part="new" attr:class="own" />
                        <ChatStatus attr:data-part="status" {..} class:mine=true />
                    </ChatHeader>
                    <Transcript empty=|| {
                        view! { <EmptyState title="Hello" text="Ask." attr:data-part="empty" /> }
                    } />
                    <Announcer attr:data-part="voice" />
                    <Suggestions
                        suggestions=vec![Suggestion::new("Really?")]
                        attr:data-part="next"
                    />
                </ChatRoot>
            </AssistantProvider>
        }
    });
    settle().await;
    assert_eq!(
        attribute(&page, "section#window", "aria-label").as_deref(),
        Some("Help")
    );
    assert_eq!(page.text("[data-part=header] h2"), "Help");
    label.set("Support".to_owned());
    settle().await;
    assert_eq!(
        attribute(&page, "#window", "aria-label").as_deref(),
        Some("Support")
    );
    assert_eq!(page.text("[data-part=header] h2"), "Support");
    assert_eq!(page.text("[data-part=empty] h3"), "Hello");
    assert_eq!(page.text("[data-part=empty] p"), "Ask.");
    assert_eq!(page.text("[data-part=status]"), "Ready");
    assert_eq!(page.count(".la-chat-status.mine"), 1, "a class beside ours");
    assert_eq!(
        attribute(&page, "[data-part=new]", "class").as_deref(),
        Some("own")
    );
    assert!(page.click(".la-suggestion"));
    assert!(
        until(|| page.text("[data-part=voice]").contains("Yes")).await,
        "{}",
        page.text("[data-part=voice]")
    );
    assert_eq!(page.count("article:not([role])"), 2);
    assert!(page.click("[data-part=new]"));
    settle().await;
    assert_eq!(page.count("article:not([role])"), 0, "another conversation");
}

#[wasm_bindgen_test]
async fn parts_outside_their_root_log_an_error_and_render_nothing() {
    let errors = console_errors();
    let page = mount(|| {
        view! {
            <AssistantProvider agent=MockAgent::new()>
                <ComposerInput />
                <ComposerSend />
                <MessageParts />
            </AssistantProvider>
            <ChatStatus />
            <Transcript />
        }
    });
    settle().await;
    let logged = errors.take().join("\n");
    for part in [
        "ComposerInput is used outside of <ComposerRoot>",
        "ComposerSend is used outside of <ComposerRoot>",
        "MessageParts is used outside of <MessageRoot>",
        "ChatStatus is used outside of <AssistantProvider>",
        "Transcript is used outside of <AssistantProvider>",
    ] {
        assert!(logged.contains(part), "{part} in {logged}");
    }
    assert_eq!(page.root.child_element_count(), 0);
}

#[component]
fn Pieces() -> impl IntoView {
    let assistant = use_assistant().unwrap();
    let messages = assistant.messages();
    move || {
        let cells = messages.with(|list| {
            let cells = list
                .iter()
                .filter_map(|entry| assistant.message(entry.id()));
            cells.collect::<Vec<_>>()
        });
        let pieces = cells.into_iter().flat_map(|message| {
            let parts = message.parts().get();
            let id = message.id().clone();
            parts
                .into_iter()
                .map(move |part| match part.kind().clone() {
                    PartKind::Call(call) => view! { <ToolCallSlot call /> }.into_any(),
                    _ => view! { <PartView message=id.clone() part /> }.into_any(),
                })
        });
        pieces.collect_view()
    }
}

#[wasm_bindgen_test]
async fn part_views_and_call_slots_find_their_assistant() {
    let step = |name: &str| EventKind::StepStarted {
        step_name: name.to_owned(),
    };
    let agent = MockAgent::new().answer(
        Script::new()
            .event(step("look_up"))
            .text("Found it")
            .call("unknown", &serde_json::json!({}))
            .wait(std::time::Duration::from_millis(400)),
    );
    let page = mount(move || {
        view! {
            <AssistantProvider agent>
                <Pieces />
                <RunSteps />
                <Say text="Look" />
            </AssistantProvider>
        }
    });
    let there = || page.count("[data-tool-name=unknown]") == 1 && page.count(".la-run-step") == 1;
    assert!(until(there).await, "{}", page.root.inner_html());
    settle().await;
    assert!(page.root.inner_text().contains("Found it"));
}
