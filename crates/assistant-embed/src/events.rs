//! Notifies the page of the events in a chat.

use leptos::prelude::*;
use leptos_assistant::{AssistantEvent, use_assistant, use_assistant_events};
use wasm_bindgen::{JsCast, JsValue};

use crate::window_options::get_property;

/// Calls the function in the option `notify` for each event, and each time the chat begins to wait
/// for the user. The arguments are the kind of the event and three texts, as `npm/chat.js` expects
/// them. Does nothing without the option.
pub(crate) fn forward_events(options: &JsValue) {
    let Ok(notify) = get_property(options, "notify").dyn_into::<js_sys::Function>() else {
        return;
    };
    let notify_question = notify.clone();
    use_assistant_events(move |event| {
        let texts = match event {
            AssistantEvent::Message { id, role } => {
                ["message", id.as_str(), role.as_str(), ""].map(JsValue::from)
            }
            AssistantEvent::ApprovalAsked { call, name } => {
                call_event_texts("approval", call.number(), name, "")
            }
            AssistantEvent::CallStarted { call, name } => {
                call_event_texts("action", call.number(), name, "running")
            }
            AssistantEvent::CallEnded { call, name, phase } => {
                call_event_texts("action", call.number(), name, phase.as_str())
            }
            AssistantEvent::Error(notice) => ["error", notice.message(), "", ""].map(JsValue::from),
            // Events that later versions add are not forwarded.
            _ => return,
        };
        notify_page(&notify, &texts);
    });
    let Some(activity) = use_assistant().map(|assistant| assistant.activity()) else {
        return;
    };
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

fn call_event_texts(kind: &str, call: u64, name: &str, phase: &str) -> [JsValue; 4] {
    [kind, &call.to_string(), name, phase].map(JsValue::from)
}

fn notify_page(notify: &js_sys::Function, [kind, id, name, detail]: &[JsValue; 4]) {
    // The result is ignored, so that a failure of the page's function has no effect on the chat.
    let _ = notify.call4(&JsValue::UNDEFINED, kind, id, name, detail);
}
