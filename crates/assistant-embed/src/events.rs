//! Notifies the page of events of a chat.

use leptos::prelude::*;
use leptos_assistant::{AssistantEvent, use_assistant, use_assistant_events};
use wasm_bindgen::{JsCast, JsValue};

use crate::window_options::get_property;

/// Calls the function in the option `notify` for each event, and when the chat begins to wait for
/// the user, with the kind of the event and three texts, in the form that `npm/chat.js` expects.
/// Does nothing without the option.
pub(crate) fn forward_events(options: &JsValue) {
    let Ok(notify) = get_property(options, "notify").dyn_into::<js_sys::Function>() else {
        return;
    };
    let on_question = notify.clone();
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
            // An event of a later version has no form yet.
            _ => return,
        };
        call_notify(&notify, &texts);
    });
    let Some(activity) = use_assistant().map(|assistant| assistant.activity()) else {
        return;
    };
    // A question to the user that is no approval, such as an agent's interrupt.
    Effect::new(move |before: Option<bool>| {
        let now = activity.get();
        let is_asking = now.is_waiting() || now.is_asking();
        if is_asking && before == Some(false) {
            call_notify(&on_question, &["question", "", "", ""].map(JsValue::from));
        }
        is_asking
    });
}

fn call_event_texts(kind: &str, call: u64, name: &str, phase: &str) -> [JsValue; 4] {
    [kind, &call.to_string(), name, phase].map(JsValue::from)
}

fn call_notify(notify: &js_sys::Function, [kind, id, name, detail]: &[JsValue; 4]) {
    // Nothing depends on whether the page handles an event.
    let _ = notify.call4(&JsValue::UNDEFINED, kind, id, name, detail);
}
