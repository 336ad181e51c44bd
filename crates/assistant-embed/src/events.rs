//! Notifies the page of the events in a chat.

use leptos::prelude::*;
use leptos_assistant::{Assistant, AssistantEvent, CallKey, use_assistant, use_assistant_events};
use wasm_bindgen::{JsCast, JsValue};

use crate::window_options::get_property;

/// Calls the function in the option `notify` for each event, and each time the chat begins to wait
/// for the user. The arguments are the kind of the event and three texts, as `npm/chat.js` expects
/// them. Does nothing without the option.
pub(crate) fn forward_events(options: &JsValue) {
    let Ok(notify) = get_property(options, "notify").dyn_into::<js_sys::Function>() else {
        return;
    };
    let Some(assistant) = use_assistant() else {
        return;
    };
    let (notify_question, activity) = (notify.clone(), assistant.activity());
    use_assistant_events(move |event| {
        let texts = match event {
            AssistantEvent::Message { id, role } => {
                ["message", id.as_str(), role.as_str(), ""].map(JsValue::from)
            }
            AssistantEvent::ApprovalAsked { call, name } => {
                call_event_texts(&assistant, "approval", call, name, "")
            }
            AssistantEvent::CallStarted { call, name } => {
                call_event_texts(&assistant, "action", call, name, "running")
            }
            AssistantEvent::CallEnded { call, name, phase } => {
                call_event_texts(&assistant, "action", call, name, phase.as_str())
            }
            AssistantEvent::Error(notice) => ["error", notice.message(), "", ""].map(JsValue::from),
            // Events that later versions add are not forwarded.
            _ => return,
        };
        notify_page(&notify, &texts);
    });
    // Notifies the page when the chat begins to wait for the user, for example for an answer to an
    // agent's interrupt.
    Effect::new(move |was_asking: Option<bool>| {
        let activity = activity.get();
        let is_asking = activity.is_waiting() || activity.is_asking();
        if is_asking && was_asking == Some(false) {
            notify_page(
                &notify_question,
                &["question", "", "", ""].map(JsValue::from),
            );
        }
        is_asking
    });
}

/// Returns the arguments for an event of a call, with the id that the agent gave the call.
fn call_event_texts(
    assistant: &Assistant,
    kind: &str,
    call: &CallKey,
    name: &str,
    phase: &str,
) -> [JsValue; 4] {
    let id = assistant.with_conversation(|conversation| {
        let call = conversation.call(call);
        call.map(|call| call.id().to_owned())
    });
    let id = id.flatten().unwrap_or_default();
    [kind, id.as_str(), name, phase].map(JsValue::from)
}

fn notify_page(notify: &js_sys::Function, [kind, id, name, detail]: &[JsValue; 4]) {
    // The result is ignored, so that a failure of the page's function has no effect on the chat.
    let _ = notify.call4(&JsValue::UNDEFINED, kind, id, name, detail);
}
