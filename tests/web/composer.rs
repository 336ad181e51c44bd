//! The composer: keys, Stop, and the text that is kept.

use leptos::prelude::*;
use leptos_assistant::{
    SessionOptions,
    agent::Script,
    testing::{MockAgent, settle, until},
};
use serde_json::json;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    support::{Chat, chat, chat_with, register_with_approval},
    trusted::deciders,
};

fn input(chat: &Chat) -> web_sys::HtmlTextAreaElement {
    chat.page.find("textarea").unwrap().unchecked_into()
}

fn press(chat: &Chat, key: &str, shift: bool, composing: bool) -> bool {
    let init = web_sys::KeyboardEventInit::new();
    init.set_key(key);
    init.set_shift_key(shift);
    init.set_is_composing(composing);
    init.set_bubbles(true);
    init.set_cancelable(true);
    let event =
        web_sys::KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init).unwrap();
    input(chat).dispatch_event(&event).unwrap()
}

#[wasm_bindgen_test]
async fn enter_sends_but_shift_enter_and_composition_do_not() {
    let chat = chat(MockAgent::new(), || ()).await;
    input(&chat).set_value("hello");
    assert!(
        press(&chat, "Enter", true, false),
        "Shift+Enter breaks the line"
    );
    assert!(
        press(&chat, "Enter", false, true),
        "an input method's Enter is its own"
    );
    assert_eq!(chat.agent.inputs().len(), 0);
    assert!(!press(&chat, "Enter", false, false));
    chat.idle().await;
    assert_eq!(chat.agent.inputs().len(), 1);
    assert_eq!(
        input(&chat).value(),
        "",
        "the sent text is removed from the box"
    );
}

#[wasm_bindgen_test]
async fn enter_during_a_run_queues_the_text() {
    let slow = Script::new()
        .text("A")
        .wait(std::time::Duration::from_millis(150))
        .text("B");
    let agent = MockAgent::new()
        .answer(slow)
        .answer(Script::new().text("C"));
    let chat = chat(agent, || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears("[data-role=assistant]").await;
    input(&chat).set_value("later");
    press(&chat, "Enter", false, false);
    assert_eq!(input(&chat).value(), "", "it is queued");
    assert!(until(|| chat.agent.inputs().len() == 2).await);
    chat.idle().await;
    let log = chat.page.text("[role=log]");
    let place = |text| log.find(text).unwrap_or_else(|| panic!("{text} in {log}"));
    assert!(
        place("B") < place("later") && place("later") < place("C"),
        "{log}"
    );
}

/// Without interjections the text stays, and the reason is shown.
#[wasm_bindgen_test]
async fn enter_during_a_run_keeps_the_text_without_interjections() {
    let slow = std::time::Duration::from_millis(150);
    let agent = MockAgent::new().answer(Script::new().text("A").wait(slow).text("B"));
    let options = SessionOptions::default().interjections(false);
    let chat = chat_with(agent, options, || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears("[data-role=assistant]").await;
    type_in(&chat, "later");
    settle().await;
    assert!(send_button(&chat).hidden());
    press(&chat, "Enter", false, false);
    assert_eq!(input(&chat).value(), "later");
    chat.idle().await;
    assert_eq!(chat.agent.inputs().len(), 1);
}

/// Send is shown beside Stop once there is text, with a label for its effect. The description of
/// the text box does not change.
#[wasm_bindgen_test]
async fn the_send_button_changes_its_label_during_a_run() {
    let slow = std::time::Duration::from_millis(300);
    let agent = MockAgent::new()
        .answer(Script::new().text("A").wait(slow).text("B"))
        .answer(Script::new().text("C"));
    let chat = chat(agent, || ()).await;
    let described = || input(&chat).get_attribute("aria-description");
    let keys = described();
    assert!(keys.is_some());
    let shown = || {
        let buttons = chat.page.root.query_selector_all(BUTTONS).unwrap();
        let buttons = (0..buttons.length()).filter_map(|place| buttons.item(place));
        let texts: Vec<String> = buttons.filter_map(|button| button.text_content()).collect();
        texts.join(" ")
    };
    assert_eq!(shown(), "Send");
    chat.assistant.send("go").unwrap();
    assert!(until(|| shown() == "Stop").await, "{}", shown());
    assert_eq!(described(), keys);
    input(&chat).focus().unwrap();
    type_in(&chat, "later");
    assert!(until(|| shown() == "Send next Stop").await, "{}", shown());
    send_button(&chat).focus().unwrap();
    send_button(&chat).click();
    assert!(until(|| shown() == "Stop").await, "{}", shown());
    let active = document().active_element().unwrap();
    assert_eq!(active, **input(&chat), "the focus stays in the composer");
    assert_eq!(described(), keys);
    assert!(until(|| chat.agent.inputs().len() == 2).await);
    chat.idle().await;
    assert_eq!(shown(), "Send");
    assert_eq!(described(), keys);
}

const BUTTONS: &str = ".la-composer-actions button:not([hidden])";

fn type_in(chat: &Chat, text: &str) {
    input(chat).set_value(text);
    let init = web_sys::EventInit::new();
    init.set_bubbles(true);
    let event = web_sys::Event::new_with_event_init_dict("input", &init).unwrap();
    input(chat).dispatch_event(&event).unwrap();
}

#[wasm_bindgen_test]
async fn stop_ends_the_run_and_keeps_the_partial_answer() {
    let agent = MockAgent::new().answer(
        Script::new()
            .text("So far")
            .wait(std::time::Duration::from_secs(60))
            .text("never"),
    );
    let chat = chat(agent, || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears("[data-role=assistant]").await;
    let stop = chat.page.find(".la-composer-actions button:last-child");
    let stop = stop.unwrap();
    assert_eq!(stop.text_content().as_deref(), Some("Stop"));
    assert!(!stop.hidden());
    stop.focus().unwrap();
    stop.click();
    chat.idle().await;
    settle().await;
    assert!(chat.page.text("[role=log]").contains("So far"));
    assert!(stop.hidden());
    assert!(
        document()
            .active_element()
            .is_some_and(|active| active == **input(&chat)),
        "the focus passes to the text box"
    );
    assert_eq!(chat.page.count(".la-notice:not([role])"), 1);
}

#[wasm_bindgen_test]
async fn a_blank_text_is_not_sent() {
    let chat = chat(MockAgent::new(), || ()).await;
    input(&chat).set_value("  \n ");
    press(&chat, "Enter", false, false);
    settle().await;
    assert_eq!(chat.agent.inputs().len(), 0);
    assert_eq!(chat.page.count("[data-message-id]"), 0);
}

/// Mounts a chat in which a call waits for the user.
async fn asking(auto_deny: bool) -> Chat {
    let agent = MockAgent::new()
        .answer(Script::new().call("deploy", &json!({})))
        .answer(Script::new().text("As you wish."));
    let options = SessionOptions::default().auto_deny(auto_deny);
    let chat = chat_with(agent, options, || {
        register_with_approval("deploy");
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-approval").await;
    chat
}

fn send_button(chat: &Chat) -> web_sys::HtmlElement {
    chat.page.find(".la-composer button[type=submit]").unwrap()
}

/// Typing is always possible; if sending is not, the reason is shown, and the text stays.
#[wasm_bindgen_test]
async fn a_pending_approval_refuses_a_message_and_keeps_its_text() {
    let chat = asking(false).await;
    assert!(!input(&chat).read_only());
    input(&chat).set_value("wait");
    press(&chat, "Enter", false, false);
    settle().await;
    assert_eq!(input(&chat).value(), "wait");
    let reason = chat.page.text(".la-composer-reason[role=alert]");
    assert_eq!(reason, "Approve or deny the request above to continue.");
    assert!(send_button(&chat).hidden());
    assert_eq!(chat.page.count(".la-approval"), 1);
    chat.reads(".la-approval").await;
    assert!(
        chat.page
            .click(".la-approval-actions button[data-variant=primary]")
    );
    chat.idle().await;
    assert_eq!(input(&chat).value(), "wait");
    assert!(!send_button(&chat).hidden());
}

#[wasm_bindgen_test]
async fn with_auto_deny_a_message_denies_the_pending_approval() {
    let chat = asking(true).await;
    assert!(!send_button(&chat).hidden());
    let hint = chat.page.text(".la-composer-reason");
    assert_eq!(hint, "Sending denies the open request.");
    input(&chat).set_value("better not");
    send_button(&chat).click();
    chat.idle().await;
    assert_eq!(input(&chat).value(), "");
    assert_eq!(chat.page.count(".la-approval"), 0);
    assert!(chat.results(1)[0].contains("auto-denied"));
    assert!(format!("{:?}", chat.agent.inputs()[1].messages).contains("better not"));
}

const DENY: &str = ".la-composer-actions .la-composer-deny:not([hidden])";

/// While one request is open, the text can be the reason of its denial; it is sent once.
#[wasm_bindgen_test]
async fn the_text_of_the_composer_is_the_reason_of_a_denial() {
    let chat = asking(false).await;
    assert_eq!(chat.page.count(DENY), 0, "there is no text yet");
    type_in(&chat, "  ");
    settle().await;
    assert_eq!(chat.page.count(DENY), 0, "blanks are no reason");
    type_in(&chat, " too risky today\n");
    chat.appears(DENY).await;
    assert_eq!(chat.page.text(DENY), "Send as reason for denying");
    let button: web_sys::HtmlElement = chat.page.find(DENY).unwrap();
    assert!(button.tab_index() >= 0, "the Tab key reaches it");
    button.focus().unwrap();
    button.click();
    button.click();
    chat.idle().await;
    assert_eq!(chat.page.count(".la-approval"), 0);
    assert_eq!(input(&chat).value(), "");
    assert_eq!(chat.page.count(DENY), 0);
    let active = document().active_element().unwrap();
    assert_eq!(active, **input(&chat), "the focus stays in the composer");
    let inputs = chat.agent.inputs();
    assert_eq!(inputs.len(), 2, "one request continues the run");
    let results = chat.results(1);
    assert_eq!(results.len(), 1);
    assert!(results[0].contains("too risky today"), "{results:?}");
    let sent = format!("{:?}", inputs[1].messages);
    assert_eq!(
        sent.matches("too risky today").count(),
        1,
        "it is no message: {sent}"
    );
}

/// A denial by a script is recorded as the application's, as with the button of the card.
#[wasm_bindgen_test]
async fn a_scripted_denial_is_recorded_as_the_applications() {
    let chat = asking(false).await;
    let log = chat.assistant.start_audit(|_| ());
    type_in(&chat, "no");
    chat.appears(DENY).await;
    drop(chat.scripted.take());
    chat.page.find(DENY).unwrap().click();
    chat.idle().await;
    assert_eq!(deciders(&log), ["application"]);
}

/// With several pending approvals the text cannot be matched to one of them.
#[wasm_bindgen_test]
async fn with_two_pending_approvals_the_text_denies_neither() {
    let agent = MockAgent::new().answer(
        Script::new()
            .call("deploy", &json!({"to": 1}))
            .call("deploy", &json!({"to": 2})),
    );
    let chat = chat(agent, || {
        register_with_approval("deploy");
    })
    .await;
    chat.assistant.send("go").unwrap();
    assert!(until(|| chat.page.count(".la-approval") == 2).await);
    type_in(&chat, "not these");
    settle().await;
    assert_eq!(chat.page.count(DENY), 0);
    let key = chat.assistant.pending_approvals().get_untracked()[0];
    chat.assistant.deny(&key, None).unwrap();
    chat.appears(DENY).await;
}
