//! Decisions require an event of the user; scripted events are ignored.

use leptos::prelude::*;
use leptos_assistant::{
    Approval, AuditLog, ConfirmOptions, Refusal, ToolAction, ToolCallView, ToolError,
    action::{Remember, RememberScope},
    agent::Script,
    testing::{MockAgent, settle, until},
    use_assistant_action,
};
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    allowed::{DURATION_BUTTON, open_scopes, scope},
    approval::button,
    interrupts::{click, fill},
    support::{Chat, chat, question},
};

/// Mounts a chat with a payment that needs approval, which may be remembered.
async fn pays() -> (Chat, RwSignal<Vec<Value>>) {
    let ran = RwSignal::new(Vec::new());
    let agent = MockAgent::new()
        .answer(Script::new().call("pay", &json!({"euros": 5})))
        .answer(Script::new().call("pay", &json!({"euros": 5})))
        .answer(Script::new().text("Paid."));
    let chat = chat(agent, move || {
        let euros = json!({"type": "object", "properties": {"euros": {"type": "integer"}}});
        use_assistant_action(
            ToolAction::new("pay", "")
                .parameters(euros)
                .approval(Approval::Always)
                .handler(move |args: Value| ran.update(|list| list.push(args))),
        );
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.reads(".la-approval").await;
    (chat, ran)
}

/// Stops accepting the scripted events of this test.
fn reject_scripted_events(chat: &Chat) {
    drop(chat.scripted.take());
}

fn key(on: &web_sys::HtmlElement, key: &str) {
    let init = web_sys::KeyboardEventInit::new();
    init.set_key(key);
    init.set_bubbles(true);
    let event = web_sys::KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init);
    on.dispatch_event(&event.unwrap()).unwrap();
}

#[wasm_bindgen_test]
async fn a_scripted_click_does_not_approve() {
    let (chat, ran) = pays().await;
    reject_scripted_events(&chat);
    let approve = button(&chat, "Approve");
    approve.click();
    key(&approve, "Enter");
    settle().await;
    assert_eq!(chat.agent.inputs().len(), 1, "nothing was decided");
    assert_eq!(chat.assistant.pending_approvals().get_untracked().len(), 1);
    // The same with accepted scripted events.
    assert!(chat.page.click(".la-approval-approve"));
    assert!(until(|| ran.with_untracked(Vec::len) == 1).await);
}

#[wasm_bindgen_test]
async fn a_scripted_choice_of_duration_is_reverted() {
    let (chat, _) = pays().await;
    open_scopes(&chat).await;
    reject_scripted_events(&chat);
    let (this_time, wider) = (scope(&chat, "once"), scope(&chat, "conversation"));
    let shown = || (this_time.checked(), wider.checked());
    wider.set_checked(true);
    for name in ["input", "change"] {
        let init = web_sys::EventInit::new();
        init.set_bubbles(true);
        let changed = web_sys::Event::new_with_event_init_dict(name, &init).unwrap();
        wider.dispatch_event(&changed).unwrap();
    }
    assert_eq!(shown(), (true, false), "it is put back");
    wider.click();
    assert_eq!(shown(), (true, false), "a click is cancelled");
    let label: web_sys::HtmlElement = wider.parent_element().unwrap().unchecked_into();
    label.click();
    settle().await;
    assert_eq!(shown(), (true, false), "a click of its label is cancelled");
    key(&wider, "ArrowDown");
    chat.page.find(DURATION_BUTTON).unwrap().click();
    settle().await;
    assert_eq!(shown(), (true, false), "the group stays open");
    assert!(chat.page.click(".la-approval-approve"));
    assert!(until(|| chat.agent.inputs().len() == 2).await);
    assert!(
        chat.assistant
            .remembered_approvals()
            .list()
            .with_untracked(Vec::is_empty)
    );
}

#[wasm_bindgen_test]
async fn a_scripted_form_submission_does_not_run_the_call() {
    let (chat, ran) = pays().await;
    click(&chat, ".la-approval", "Change…");
    chat.appears(".la-form input").await;
    fill(&chat, ".la-form input", "9");
    chat.reads(".la-approval").await;
    reject_scripted_events(&chat);
    let form: web_sys::HtmlFormElement = chat.page.find(".la-form").unwrap().unchecked_into();
    // Its event is trusted even if a script causes it.
    form.request_submit().unwrap();
    let submit = chat.page.find(".la-form [type=submit]").unwrap();
    submit.click();
    form.request_submit_with_submitter(Some(&submit)).unwrap();
    settle().await;
    assert_eq!(chat.agent.inputs().len(), 1);
    assert!(chat.page.click(".la-form [type=submit]"));
    assert!(until(|| ran.get_untracked() == [json!({"euros": 9})]).await);
}

#[wasm_bindgen_test]
async fn a_scripted_click_does_not_answer_an_interrupt() {
    let yes = question("q", None, json!({"type": "boolean"}));
    let agent = MockAgent::new()
        .answer(Script::new().interrupt(vec![yes]))
        .answer(Script::new().text("Well."));
    let chat = chat(agent, || ()).await;
    chat.assistant.send("go").unwrap();
    chat.reads(".la-question").await;
    reject_scripted_events(&chat);
    click(&chat, ".la-question", "Yes");
    click(&chat, ".la-question", "No");
    settle().await;
    assert_eq!(chat.agent.inputs().len(), 1);
    assert!(chat.page.click(".la-question [data-variant=primary]"));
    chat.idle().await;
    assert_eq!(chat.agent.inputs()[1].resume.len(), 1);
}

/// A view of the application decides in an event of the user, or not at all.
#[wasm_bindgen_test]
async fn a_custom_card_approves_only_in_an_event_of_the_user() {
    let outcomes = RwSignal::new(Vec::new());
    let kept = RwSignal::new(None::<ToolCallView<Value>>);
    let agent = MockAgent::new()
        .answer(Script::new().call("pay", &json!({})))
        .answer(Script::new().text("Paid."));
    let chat = chat(agent, move || {
        let draw = move |call: ToolCallView<Value>| {
            kept.set(Some(call));
            let early = move || (!call.can_approve()).then_some("true");
            let pay = move |_| outcomes.update(|outcomes| outcomes.push(call.approve()));
            view! {
                <button class="yes" data-variant="primary" aria-disabled=early on:click=pay>
                    "Pay"
                </button>
            }
        };
        use_assistant_action(
            ToolAction::new("pay", "")
                .approval(Approval::Always)
                .render_approval(draw)
                .handler(|_: Value| async { Ok::<_, ToolError>("paid") }),
        );
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.reads(".la-approval-custom").await;
    reject_scripted_events(&chat);
    chat.page.find(".yes").unwrap().click();
    let call = kept.get_untracked().unwrap();
    assert_eq!(
        call.approve(),
        Err(Refusal::Scripted),
        "outside of any event"
    );
    assert!(chat.page.click(".yes"));
    assert_eq!(outcomes.get_untracked(), [Err(Refusal::Scripted), Ok(())]);
    chat.idle().await;
    assert_eq!(chat.results(1), ["\"paid\""]);
}

/// Returns the deciders of allowed and denied calls in the audit, in order.
pub fn deciders(log: &AuditLog) -> Vec<Value> {
    let entries = log.entries().into_iter().map(|entry| entry.to_value());
    let decisions =
        entries.filter(|entry| entry["event"] == "allowed" || entry["event"] == "denied");
    decisions.map(|entry| entry["by"].clone()).collect()
}

#[wasm_bindgen_test]
async fn decisions_by_the_application_are_recorded_as_such() {
    let (chat, ran) = pays().await;
    let log = chat.assistant.start_audit(|_| ());
    reject_scripted_events(&chat);
    let first = chat.assistant.pending_approvals().get_untracked()[0];
    chat.assistant.approve(&first).unwrap();
    assert!(until(|| ran.with_untracked(Vec::len) == 1).await);
    chat.reads(".la-approval").await;
    click(&chat, ".la-approval", "Deny");
    chat.idle().await;
    assert_eq!(deciders(&log), ["application", "application"]);
}

#[wasm_bindgen_test]
async fn decisions_by_clicks_of_the_user_are_recorded_as_such() {
    let (chat, _) = pays().await;
    let log = chat.assistant.start_audit(|_| ());
    assert!(chat.page.click(".la-approval-approve"));
    assert!(until(|| chat.agent.inputs().len() == 2).await);
    chat.reads(".la-approval").await;
    click(&chat, ".la-approval", "Deny");
    chat.idle().await;
    assert_eq!(deciders(&log), ["person", "person"]);
}

/// A view outside of an approval card decides as the application outside of an event of the user.
#[wasm_bindgen_test]
async fn a_decision_outside_a_card_is_recorded_as_the_applications() {
    let (chat, ran) = pays().await;
    let log = chat.assistant.start_audit(|_| ());
    reject_scripted_events(&chat);
    let pending = || chat.assistant.pending_approvals().get_untracked()[0];
    chat.assistant
        .tool_call(&pending())
        .unwrap()
        .approve()
        .unwrap();
    assert!(until(|| ran.with_untracked(Vec::len) == 1).await);
    chat.reads(".la-approval").await;
    chat.assistant
        .tool_call(&pending())
        .unwrap()
        .deny(None)
        .unwrap();
    chat.idle().await;
    assert_eq!(deciders(&log), ["application", "application"]);
}

#[wasm_bindgen_test]
async fn only_user_approves_refuses_approvals_of_the_application() {
    let ran = RwSignal::new(0);
    let agent = MockAgent::new()
        .answer(Script::new().call("pay", &json!({})))
        .answer(Script::new().text("Paid."));
    let chat = chat(agent, move || {
        use_assistant_action(
            ToolAction::new("pay", "")
                .approval(Approval::Always)
                .only_user_approves()
                .handler(move |_: Value| ran.update(|count| *count += 1)),
        );
    })
    .await;
    let log = chat.assistant.start_audit(|_| ());
    chat.assistant.send("go").unwrap();
    chat.reads(".la-approval").await;
    let call = chat.assistant.pending_approvals().get_untracked()[0];
    let (pay, only_user) = (&chat.assistant, Err(Refusal::OnlyUser));
    let what = Remember::new(RememberScope::Session, true);
    assert_eq!(pay.approve(&call), only_user);
    assert_eq!(pay.approve_with(&call, json!({})), only_user);
    assert_eq!(pay.approve_and_remember(&call, None, what), only_user);
    settle().await;
    assert_eq!((ran.get_untracked(), chat.agent.inputs().len()), (0, 1));
    assert!(chat.page.click(".la-approval-approve"));
    chat.idle().await;
    assert_eq!(ran.get_untracked(), 1);
    assert_eq!(deciders(&log), ["person"]);
}

#[wasm_bindgen_test]
async fn a_scripted_close_does_not_confirm_a_dialog() {
    let sure = RwSignal::new(None);
    let agent = MockAgent::new().answer(Script::new().call("erase", &json!({})));
    let chat = chat(agent, move || {
        use_assistant_action(ToolAction::new("erase", "").handler(
            move |_: Value, context: leptos_assistant::ToolContext| async move {
                sure.set(Some(context.confirm(ConfirmOptions::new("Sure?")).await));
            },
        ));
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears("dialog button[value=confirm]:not([aria-disabled])")
        .await;
    reject_scripted_events(&chat);
    let dialog = chat.page.find("dialog").unwrap();
    let dialog: web_sys::HtmlDialogElement = dialog.unchecked_into();
    dialog.close_with_return_value("confirm");
    assert!(until(|| sure.get_untracked().is_some()).await);
    assert_eq!(sure.get_untracked(), Some(false));
}
