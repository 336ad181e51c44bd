//! Remembered approvals: the choice on the card, the mark, the list.

use leptos::prelude::*;
use leptos_assistant::{
    Approval, Assistant, ToolAction,
    agent::Script,
    testing::{MockAgent, settle, until},
    tool::AllowedActions,
    use_assistant_action,
};
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    approval::{button, deny},
    support::{Chat, chat},
};

/// Mounts a chat whose agent pays Ann, then Ann, then Bob, then Ann; returns a count of payments.
pub async fn payments(
    configure: fn(ToolAction<Value>) -> ToolAction<Value>,
) -> (Chat, RwSignal<u32>) {
    let paid = RwSignal::new(0);
    let mut agent = MockAgent::new();
    for to in ["Ann", "Ann", "Bob", "Ann"] {
        agent = agent
            .answer(Script::new().call("pay", &json!({"to": to, "sum": 1})))
            .answer(Script::new().text("Done."));
    }
    let chat = chat(agent, move || {
        let pay = ToolAction::new("pay", "Pays somebody").handler(move |_: Value| {
            paid.update(|count| *count += 1);
            "paid"
        });
        use_assistant_action(configure(pay.approval(Approval::Always)));
        view! { <AllowedActions /> }
    })
    .await;
    (chat, paid)
}

pub const DURATION_BUTTON: &str = ".la-approval-longer";
const SCOPES: &str = ".la-approval-scopes";

/// Opens the choice of how long an approval applies.
pub async fn open_scopes(chat: &Chat) {
    assert!(chat.page.click(DURATION_BUTTON));
    chat.appears(SCOPES).await;
}

/// Returns the radio button of a scope in the open group.
pub fn scope(chat: &Chat, value: &str) -> web_sys::HtmlInputElement {
    let radio = chat.page.find(&format!("{SCOPES} [value={value}]"));
    radio.unwrap().unchecked_into()
}

pub async fn choose(chat: &Chat, value: &str) {
    open_scopes(chat).await;
    scope(chat, value).click();
}

pub async fn approve_and_finish(chat: &Chat) {
    chat.reads(".la-approval").await;
    button(chat, "Approve").click();
    chat.idle().await;
}

pub async fn request_approval(chat: &Chat) {
    chat.assistant.send("Pay").unwrap();
    chat.appears(".la-approval").await;
}

pub async fn run_without_approval(chat: &Chat) {
    chat.assistant.send("Pay").unwrap();
    chat.idle().await;
    assert!(chat.page.find(".la-approval").is_none());
}

/// Rule "remembered approvals"
#[wasm_bindgen_test]
async fn an_approval_for_the_conversation_applies_again_and_can_be_revoked() {
    let (chat, paid) = payments(|pay| pay).await;
    assert!(chat.page.text(".la-allowed").contains("asked every time"));
    request_approval(&chat).await;
    choose(&chat, "conversation").await;
    approve_and_finish(&chat).await;
    assert!(
        chat.page.find(".la-tool-allowed").is_none(),
        "this one was asked about"
    );
    assert!(
        chat.page.text(".la-allowed-item").contains("Ann"),
        "the list has it"
    );
    run_without_approval(&chat).await;
    assert_eq!(paid.get_untracked(), 2);
    assert_eq!(chat.page.text(".la-tool-allowed").trim(), "Allowed earlier");
    // It leads to the list in which it can be revoked, in plain words.
    assert!(chat.page.click(".la-tool-allowed button"));
    let dialog = "dialog[open] .la-allowed-item[data-current]";
    chat.appears(dialog).await;
    assert_eq!(
        chat.page.text(&format!("{dialog} .la-approval-rows")),
        "toAnnsum1"
    );
    assert_eq!(chat.page.count(&format!("{dialog} > pre")), 0);
    assert!(chat.page.click("dialog[open] .la-dialog-actions button"));
    assert!(until(|| chat.page.find("dialog[open]").is_none()).await);
    // Other arguments need approval.
    request_approval(&chat).await;
    deny(&chat);
    chat.idle().await;
    let revoke = chat.page.find(".la-allowed-item button").unwrap();
    assert_eq!(
        revoke.get_attribute("aria-label").as_deref(),
        Some("Revoke pay")
    );
    revoke.unchecked_into::<web_sys::HtmlElement>().click();
    assert!(until(|| chat.page.find(".la-allowed-item").is_none()).await);
    request_approval(&chat).await;
    assert_eq!(paid.get_untracked(), 2);
}

/// Rule "remembered approvals": one control for the duration, another for the arguments
#[wasm_bindgen_test]
async fn an_approval_covers_other_arguments_only_if_the_box_is_checked() {
    let (chat, paid) = payments(|pay| pay).await;
    request_approval(&chat).await;
    let wider = ".la-approval [type=checkbox]";
    assert!(chat.page.find(wider).is_none(), "this time only");
    choose(&chat, "session").await;
    chat.appears(wider).await;
    let extent = || chat.page.text(&format!("{SCOPES} .la-field-hint"));
    assert_eq!(extent(), "Only these exact values");
    let tick = chat.page.find(wider).unwrap();
    tick.unchecked_into::<web_sys::HtmlElement>().click();
    assert!(until(|| chat.page.count(&format!("{SCOPES} .la-field-hint")) == 0).await);
    approve_and_finish(&chat).await;
    assert!(chat.page.text(".la-allowed-which").contains("Any values"));
    run_without_approval(&chat).await;
    run_without_approval(&chat).await;
    assert_eq!(paid.get_untracked(), 3, "to Bob, too");
    let args = || chat.page.find(".la-allowed-item pre").is_none();
    assert!(args());
}

/// Rule "remembered approvals": the action may exclude them
#[wasm_bindgen_test]
async fn always_ask_and_remember_for_limit_remembered_approvals() {
    let (chat, _) = payments(ToolAction::always_ask).await;
    request_approval(&chat).await;
    assert!(chat.page.find(DURATION_BUTTON).is_none());
    let key = chat.assistant.pending_approvals().get_untracked()[0];
    use leptos_assistant::action::{Remember, RememberScope};
    let what = Remember::new(RememberScope::Session, true);
    let refused = chat.assistant.approve_and_remember(&key, None, what);
    assert_eq!(refused, Err(leptos_assistant::Refusal::NotRemembered));

    let (chat, paid) = payments(|pay| pay.remember_for(["to"])).await;
    request_approval(&chat).await;
    choose(&chat, "session").await;
    let wider = ".la-approval .la-field-check:has([type=checkbox])";
    chat.appears(wider).await;
    assert!(chat.page.text(wider).contains("same to"));
    let tick = chat.page.find(".la-approval [type=checkbox]").unwrap();
    tick.unchecked_into::<web_sys::HtmlElement>().click();
    approve_and_finish(&chat).await;
    run_without_approval(&chat).await;
    request_approval(&chat).await;
    assert_eq!(paid.get_untracked(), 2, "Bob is another recipient");
}

/// Rule "remembered approvals": the choice is in the page only while it is open, and closed it is
/// the approval of one call
#[wasm_bindgen_test]
async fn the_duration_of_an_approval_is_chosen_in_a_disclosed_group() {
    let (chat, _) = payments(|pay| pay).await;
    request_approval(&chat).await;
    let expanded = || {
        let longer = chat.page.find(DURATION_BUTTON).unwrap();
        longer.get_attribute("aria-expanded").unwrap()
    };
    let named = |selector: &'static str| {
        let active = document().active_element();
        active.is_some_and(|active| active.matches(selector).unwrap())
    };
    assert_eq!(expanded(), "false");
    assert_eq!(chat.page.count(".la-approval input"), 0);
    open_scopes(&chat).await;
    assert_eq!(expanded(), "true");
    assert_eq!(
        chat.page.text(SCOPES),
        "AllowJust this onceFor this conversationUntil I close this page"
    );
    assert!(scope(&chat, "once").checked());
    assert!(until(|| named("[type=radio][value=once]")).await);
    let card = chat.page.find(".la-approval").unwrap();
    scope(&chat, "session").click();
    settle().await;
    assert!(scope(&chat, "session").checked() && !scope(&chat, "once").checked());
    let still = chat.page.find(".la-approval").unwrap();
    assert!(still.is_same_node(Some(&card)), "the card stays");
    let init = web_sys::KeyboardEventInit::new();
    init.set_key("Escape");
    init.set_bubbles(true);
    let escape = web_sys::KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init);
    let radio = scope(&chat, "session");
    radio.dispatch_event(&escape.unwrap()).unwrap();
    assert!(until(|| named(DURATION_BUTTON)).await);
    assert_eq!((expanded().as_str(), chat.page.count(SCOPES)), ("false", 0));
    open_scopes(&chat).await;
    assert!(
        scope(&chat, "once").checked(),
        "what is closed is not chosen"
    );
    scope(&chat, "session").click();
    assert!(chat.page.click(DURATION_BUTTON));
    approve_and_finish(&chat).await;
    assert_eq!(count(&chat.assistant), 0);
}

/// Returns the number of remembered approvals.
pub fn count(assistant: &Assistant) -> usize {
    assistant
        .remembered_approvals()
        .list()
        .get_untracked()
        .len()
}

fn set(chat: &Chat, selector: &str, value: &str) {
    let field = chat.page.find(selector).unwrap();
    js_sys::Reflect::set(&field, &"value".into(), &value.into()).unwrap();
    for name in ["input", "change"] {
        let event = web_sys::Event::new(name).unwrap();
        field.dispatch_event(&event).unwrap();
    }
}

fn bounded(pay: ToolAction<Value>) -> ToolAction<Value> {
    pay.title("Pay somebody")
        .remember_uses(5)
        .remember_lasts(std::time::Duration::from_secs(3_600))
        .remember_up_to("/sum", 50)
}

/// Rule "remembered approvals": bounds narrowed by the user, and the remaining bounds in the list
#[wasm_bindgen_test]
async fn bounds_are_narrowed_on_the_card_and_remaining_uses_are_listed() {
    let (chat, paid) = payments(bounded).await;
    request_approval(&chat).await;
    assert!(chat.page.find(".la-approval-bounds").is_none());
    choose(&chat, "session").await;
    chat.appears(".la-approval-bounds [name=uses]").await;
    let most = chat.page.find("[name=uses]").unwrap();
    assert_eq!(most.get_attribute("max").as_deref(), Some("5"));
    assert!(chat.page.find("[name=maximum]").is_none(), "the same sum");
    let tick = chat.page.find(".la-approval [type=checkbox]").unwrap();
    tick.unchecked_into::<web_sys::HtmlElement>().click();
    chat.appears("[name=maximum]").await;
    let label = chat.page.text(".la-approval-bounds");
    assert!(label.contains("Highest sum"), "{label}");
    set(&chat, "[name=uses]", "1");
    set(&chat, "[name=maximum]", "20");
    approve_and_finish(&chat).await;
    let kept = chat.assistant.remembered_approvals().list().get_untracked();
    assert_eq!(kept[0].uses(), Some(1));
    assert_eq!(*kept[0].maxima()[0].max(), 20.into());
    let item = || chat.page.text(".la-allowed-item");
    assert!(item().contains("1 of 1 uses left"), "{}", item());
    assert!(item().contains("sum up to 20") && item().contains("until "));
    // The title, and the name in the details only.
    assert_eq!(chat.page.text(".la-allowed-name"), "Pay somebody");
    assert_eq!(chat.page.count(".la-allowed-head code"), 0);
    let details = ".la-allowed-item details:not([open])";
    assert_eq!(chat.page.text(&format!("{details} code")), "pay");
    let revoke = chat.page.find(".la-allowed-item button").unwrap();
    let label = revoke.get_attribute("aria-label");
    assert_eq!(label.as_deref(), Some("Revoke Pay somebody"));
    run_without_approval(&chat).await;
    assert_eq!(paid.get_untracked(), 2);
    assert!(until(|| item().contains("Used up")).await, "{}", item());
    request_approval(&chat).await;
    deny(&chat);
}
