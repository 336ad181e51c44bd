//! The branches in the window: versions, editing, regenerating, and activity on other branches.

use std::time::Duration;

use leptos::prelude::*;
use leptos_assistant::{
    ToolAction,
    agent::Script,
    chat::{BranchPicker, MessageEdit, MessageEditor, MessageParts, MessageRoot, Transcript},
    testing::{MockAgent, Mounted, settle, until},
    use_assistant_action,
    view::MessageCell,
};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    interrupts::fill,
    support::{Chat, chat, provided, register_with_approval},
};

fn says(text: &str) -> Script {
    Script::new().text(text)
}

async fn asked(answers: &[&str]) -> Chat {
    let agent = answers
        .iter()
        .fold(MockAgent::new(), |agent, text| agent.answer(says(text)));
    let chat = chat(agent, || ()).await;
    chat.assistant.send("one").unwrap();
    chat.idle().await;
    chat
}

fn log(chat: &Chat) -> String {
    let messages = chat.page.root.query_selector_all(".la-message").unwrap();
    let texts = (0..messages.length()).filter_map(|at| messages.item(at)?.text_content());
    texts.collect::<Vec<_>>().join(" | ")
}

fn place(chat: &Chat) -> String {
    chat.page.text(".la-branch-picker .la-visually-hidden")
}

fn button(page: &Mounted, name: &str) -> web_sys::HtmlElement {
    page.find(&format!("button[aria-label='{name}']")).unwrap()
}

fn focused() -> Option<web_sys::Element> {
    document().active_element()
}

fn press(element: &web_sys::Element, key: &str, ctrl: bool) {
    let init = web_sys::KeyboardEventInit::new();
    init.set_key(key);
    init.set_ctrl_key(ctrl);
    init.set_bubbles(true);
    init.set_cancelable(true);
    let event = web_sys::KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init);
    element.dispatch_event(&event.unwrap()).unwrap();
}

#[wasm_bindgen_test]
async fn regenerate_adds_a_version_and_buttons_switch_versions() {
    let chat = asked(&["A", "B"]).await;
    assert_eq!(chat.page.count(".la-branch-picker"), 0, "one version");
    button(&chat.page, "Regenerate").click();
    chat.idle().await;
    assert_eq!(log(&chat), "one | B");
    assert_eq!(place(&chat), "Version 2 of 2");
    let next = button(&chat.page, "Next version");
    assert_eq!(next.get_attribute("aria-disabled").as_deref(), Some("true"));
    next.click();
    settle().await;
    assert_eq!(log(&chat), "one | B", "no version follows the last");
    button(&chat.page, "Previous version").click();
    chat.appears(".la-branch-picker").await;
    assert!(until(|| place(&chat) == "Version 1 of 2").await);
    assert_eq!(log(&chat), "one | A");
    let back = button(&chat.page, "Previous version");
    assert!(
        until(|| focused().as_ref() == Some(back.as_ref())).await,
        "the focus stays"
    );
    let announced = chat.page.text(".la-transcript > [aria-live=polite]");
    assert_eq!(announced, "Version 1 of 2");
    press(&back, "ArrowRight", false);
    assert!(until(|| place(&chat) == "Version 2 of 2").await);
    let on = button(&chat.page, "Next version");
    assert!(until(|| focused().as_ref() == Some(on.as_ref())).await);
}

#[wasm_bindgen_test]
async fn a_message_is_edited_in_place_as_a_new_version() {
    let chat = asked(&["A", "B"]).await;
    button(&chat.page, "Edit message").click();
    chat.appears(".la-message-editor").await;
    let input: web_sys::HtmlTextAreaElement = chat
        .page
        .find(".la-message-editor textarea")
        .unwrap()
        .unchecked_into();
    assert_eq!(input.value(), "one");
    assert!(until(|| focused().as_ref() == Some(input.as_ref())).await);
    input.set_value("two");
    press(&input, "Enter", false);
    chat.idle().await;
    assert_eq!(log(&chat), "two | B");
    assert_eq!(place(&chat), "Version 2 of 2");
    assert_eq!(chat.page.count(".la-message-editor"), 0);
    let composer = chat.page.find(".la-composer-input").unwrap();
    assert!(until(|| focused().as_ref() == Some(composer.as_ref())).await);
    button(&chat.page, "Previous version").click();
    assert!(
        until(|| log(&chat) == "one | A").await,
        "the branch is kept"
    );
}

/// The next version follows the previous version in the direction of the text.
#[wasm_bindgen_test]
async fn the_arrow_keys_of_the_picker_are_mirrored_in_right_to_left_text() {
    let chat = asked(&["A", "B"]).await;
    chat.page.root.set_attribute("dir", "rtl").unwrap();
    button(&chat.page, "Regenerate").click();
    chat.idle().await;
    assert_eq!(place(&chat), "Version 2 of 2");
    press(&button(&chat.page, "Next version"), "ArrowRight", false);
    assert!(until(|| place(&chat) == "Version 1 of 2").await);
    press(&button(&chat.page, "Next version"), "ArrowLeft", false);
    assert!(until(|| place(&chat) == "Version 2 of 2").await);
}

/// Only cancelling and sending discard the text of an editor.
#[wasm_bindgen_test]
async fn an_unsent_edit_survives_the_edit_of_another_message() {
    let chat = asked(&["A", "B"]).await;
    chat.assistant.send("two").unwrap();
    chat.idle().await;
    let editor = || {
        let input = chat.page.find(".la-message-editor textarea")?;
        Some(input.unchecked_into::<web_sys::HtmlTextAreaElement>())
    };
    let shows = |text: &'static str| {
        until(move || {
            let input = editor();
            input.is_some_and(|input| input.value() == text && focused() == Some(input.into()))
        })
    };
    // A message that is being edited has no button.
    let edit_other = || button(&chat.page, "Edit message").click();
    edit_other();
    assert!(shows("one").await);
    fill(&chat, ".la-message-editor textarea", "unsent");
    edit_other();
    assert!(shows("two").await);
    edit_other();
    assert!(shows("unsent").await);
    press(&editor().unwrap(), "Escape", false);
    assert!(until(|| editor().is_none()).await);
    edit_other();
    assert!(shows("one").await, "a cancelled edit is discarded");
}

/// Up in the empty text box, without a modifier, edits the user's last message. Escape leads back.
#[wasm_bindgen_test]
async fn up_in_an_empty_text_box_edits_the_last_message() {
    let chat = asked(&["A", "B", "C"]).await;
    chat.assistant.send("two").unwrap();
    chat.idle().await;
    let composer: web_sys::HtmlTextAreaElement = chat
        .page
        .find(".la-composer-input")
        .unwrap()
        .unchecked_into();
    composer.focus().unwrap();
    for (text, ctrl) in [("a draft", false), ("", true)] {
        composer.set_value(text);
        press(&composer, "ArrowUp", ctrl);
        settle().await;
        assert_eq!(chat.page.count(".la-message-editor"), 0, "{text} {ctrl}");
    }
    let editor = || {
        let input = chat.page.find(".la-message-editor textarea")?;
        Some(input.unchecked_into::<web_sys::HtmlTextAreaElement>())
    };
    press(&composer, "ArrowUp", false);
    chat.appears(".la-message-editor").await;
    assert!(until(|| focused() == editor().map(Into::into)).await);
    assert_eq!(editor().unwrap().value(), "two");
    press(&editor().unwrap(), "Escape", false);
    assert!(until(|| focused().as_ref() == Some(composer.as_ref())).await);
    assert!(editor().is_none());
    press(&composer, "ArrowUp", false);
    chat.appears(".la-message-editor").await;
    editor().unwrap().set_value("three");
    press(&editor().unwrap(), "Enter", false);
    chat.idle().await;
    assert_eq!(log(&chat), "one | A | three | C");
}

/// While something runs, Up edits nothing, as the buttons that edit are disabled.
#[wasm_bindgen_test]
async fn up_edits_nothing_while_something_runs() {
    let slow = Script::new().wait(Duration::from_secs(60)).text("A");
    let chat = chat(MockAgent::new().answer(slow), || ()).await;
    let composer = chat.page.find(".la-composer-input").unwrap();
    press(&composer, "ArrowUp", false);
    chat.assistant.send("one").unwrap();
    chat.appears("[data-role=user]").await;
    press(&composer, "ArrowUp", false);
    settle().await;
    assert_eq!(chat.page.count(".la-message-editor"), 0);
    chat.assistant.stop().unwrap();
    chat.idle().await;
    press(&composer, "ArrowUp", false);
    chat.appears(".la-message-editor").await;
}

#[wasm_bindgen_test]
async fn escape_cancels_an_edit_of_a_message() {
    let chat = asked(&["A"]).await;
    button(&chat.page, "Edit message").click();
    chat.appears(".la-message-editor").await;
    let input: web_sys::HtmlTextAreaElement = chat
        .page
        .find(".la-message-editor textarea")
        .unwrap()
        .unchecked_into();
    input.set_value(" ");
    press(&input, "Enter", false);
    settle().await;
    assert_eq!(
        chat.page.count(".la-message-editor"),
        1,
        "an empty message is not sent"
    );
    press(&input, "Escape", false);
    settle().await;
    assert_eq!(chat.page.count(".la-message-editor"), 0);
    assert_eq!(log(&chat), "one | A");
    let edit = button(&chat.page, "Edit message");
    assert!(until(|| focused().as_ref() == Some(edit.as_ref())).await);
    assert_eq!(chat.agent.inputs().len(), 1);
}

#[wasm_bindgen_test]
async fn a_notice_links_to_the_version_with_the_active_run() {
    let agent = MockAgent::new()
        .answer(says("A"))
        .answer(says("B").wait(Duration::from_millis(400)).text("and more"));
    let chat = chat(agent, || ()).await;
    chat.assistant.send("one").unwrap();
    chat.idle().await;
    button(&chat.page, "Regenerate").click();
    chat.appears(".la-branch-picker").await;
    assert_eq!(chat.page.count(".la-elsewhere"), 0);
    button(&chat.page, "Previous version").click();
    chat.appears(".la-elsewhere").await;
    assert_eq!(log(&chat), "one | A");
    assert_eq!(chat.page.count(".la-working"), 0, "nothing runs here");
    let input: web_sys::HtmlTextAreaElement = chat
        .page
        .find(".la-composer-input")
        .unwrap()
        .unchecked_into();
    input.set_value("later");
    press(&input, "Enter", false);
    settle().await;
    assert_eq!(
        input.value(),
        "later",
        "nothing is sent to the other version"
    );
    assert_eq!(
        chat.page.count(".la-composer [type=submit]:not([hidden])"),
        0
    );
    let shown = chat.page.text(".la-elsewhere .la-notice-text");
    assert_eq!(shown, "The assistant is working on another version.");
    chat.page.click(".la-elsewhere button");
    assert!(until(|| log(&chat).starts_with("one | B")).await);
    let in_log = || focused().is_some_and(|node| node.matches("[role=log]").unwrap());
    assert!(until(in_log).await, "the focus is not lost");
    assert_eq!(chat.page.count(".la-elsewhere"), 0);
    chat.idle().await;
    assert_eq!(log(&chat), "one | B | and more");
}

#[wasm_bindgen_test]
async fn an_approval_on_another_version_is_linked_and_decided_there() {
    let agent = MockAgent::new()
        .answer(says("A"))
        .answer(Script::new().call("pay", &serde_json::json!({})))
        .answer(says("Paid."));
    let chat = chat(agent, || register_with_approval("pay")).await;
    chat.assistant.send("one").unwrap();
    chat.idle().await;
    button(&chat.page, "Regenerate").click();
    chat.appears(".la-approval").await;
    button(&chat.page, "Previous version").click();
    chat.appears(".la-elsewhere").await;
    assert_eq!(chat.page.count(".la-approval"), 0);
    let shown = chat.page.text(".la-elsewhere .la-notice-text");
    assert_eq!(shown, "Another version is waiting for you.");
    chat.page.click(".la-elsewhere button");
    chat.appears(".la-approval").await;
    chat.reads(".la-approval").await;
    let approve = ".la-approval-actions button[data-variant=primary]";
    assert!(chat.page.click(approve));
    chat.idle().await;
    assert_eq!(chat.results(2), ["1"]);
    assert!(log(&chat).contains("Paid."), "{}", log(&chat));
}

#[component]
fn Slow() -> impl IntoView {
    use_assistant_action(ToolAction::new("slow", "Takes its time").handler(|| async {
        for _ in 0..20 {
            settle().await;
        }
        "done"
    }));
}

#[wasm_bindgen_test]
async fn an_interjection_is_marked_and_clears_the_composer() {
    let call = Script::new().call("slow", &serde_json::json!({}));
    let agent = MockAgent::new().answer(call).answer(says("Understood."));
    let chat = chat(agent, || view! { <Slow /> }).await;
    let send = chat.page.find(".la-composer [type=submit]").unwrap();
    chat.assistant.send("go").unwrap();
    assert!(until(|| send.has_attribute("hidden")).await);
    let input: web_sys::HtmlTextAreaElement = chat
        .page
        .find(".la-composer-input")
        .unwrap()
        .unchecked_into();
    input.set_value("only the north");
    press(&input, "Enter", false);
    chat.appears("[data-role=user][data-pending]").await;
    assert_eq!(input.value(), "");
    chat.idle().await;
    assert_eq!(chat.page.count("[data-interjected]"), 1);
    assert!(
        log(&chat).contains("only the northSent while the assistant was working"),
        "{}",
        log(&chat)
    );
    assert!(log(&chat).ends_with("Understood."));
    assert!(!send.has_attribute("hidden"));
}

#[wasm_bindgen_test]
async fn branch_picker_and_editor_work_in_a_custom_message() {
    fn bubble(message: MessageCell) -> impl IntoView {
        view! {
            <MessageRoot message>
                <MessageParts />
                <MessageEditor />
                <MessageEdit />
                <BranchPicker />
            </MessageRoot>
        }
    }
    let agent = MockAgent::new().answer(says("A")).answer(says("B"));
    let answers = agent.clone();
    let page = provided(
        agent,
        Default::default(),
        || view! { <Transcript message=bubble /> },
    );
    let chat = Chat {
        agent: answers,
        ..page.await
    };
    chat.assistant.send("one").unwrap();
    chat.idle().await;
    let answer = chat.assistant.messages().get_untracked()[1].id().clone();
    chat.assistant.regenerate(&answer).unwrap();
    chat.idle().await;
    assert_eq!(chat.page.count(".la-branch-picker"), 1);
    button(&chat.page, "Previous version").click();
    assert!(until(|| log(&chat).contains('A')).await);
    button(&chat.page, "Edit message").click();
    chat.appears(".la-message-editor").await;
}
