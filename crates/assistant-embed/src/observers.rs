//! Calls functions of the page when the state changes or an event occurs. `npm/handle.js` has
//! wrapped the functions, which take JSON and never throw.

use assistant_core::{conversation::MessageId, loop_events::LoopEvent};
use leptos::prelude::*;
use leptos_assistant::{
    Assistant, AssistantEvent, CallEvent, CallEventKind, CallKey, use_assistant_events,
};
use send_wrapper::SendWrapper;
use serde_json::{Value, json};
use wasm_bindgen::JsValue;

use crate::{
    part::Guard,
    state::{self, variant_name},
};

/// Creates an owner without a parent. If the page calls a method in a listener, the current owner
/// is that of the effect that called the listener, and its children end when the effect runs again.
pub(crate) fn create_owner() -> Owner {
    let current_owner = Owner::current();
    if let Some(current_owner) = current_owner.clone() {
        current_owner.unset();
    }
    let owner = Owner::new();
    if let Some(current_owner) = current_owner {
        current_owner.set();
    }
    owner
}

/// Calls the listener with the value of a named part of the state, now and after each change, until
/// the returned owner is dropped. The value is null for an unknown name.
pub(crate) fn watch(chat: Assistant, name: String, listener: js_sys::Function) -> Owner {
    let owner = create_owner();
    owner.with(|| {
        Effect::new(move |previous_value: Option<String>| {
            let value = state::state_value(&chat, &name)
                .unwrap_or_default()
                .to_string();
            if previous_value.as_ref() != Some(&value) {
                untrack(|| call_listener(&listener, &value));
            }
            value
        });
    });
    owner
}

/// Calls the listener for each event of a kind, until the returned guard is dropped. Returns `None`
/// for an unknown kind.
pub(crate) fn observe(chat: &Assistant, kind: &str, listener: js_sys::Function) -> Option<Guard> {
    let listener = SendWrapper::new(listener);
    let listener = move |event: &Value| call_listener(&listener, &event.to_string());
    let subscription = match kind {
        "onEvent" => {
            let owner = create_owner();
            owner.with(|| {
                provide_context(chat.clone());
                use_assistant_events(move |event| listener(&chat_event_to_json(event)));
            });
            return Some(Box::new(owner));
        }
        "onCallEvent" => chat.on_call_event(move |event| listener(&call_event_to_json(event))),
        "onLoopEvent" => chat.on_loop_event(move |event| listener(&loop_event_to_json(event))),
        #[cfg(feature = "full")]
        "onUpdate" => chat
            .updates()
            .observe(move |update| listener(&update.to_json())),
        "onDiagnostic" => chat.on_diagnostic(move |diagnostic| {
            listener(&json!({"code": diagnostic.code(), "message": diagnostic.message()}));
        }),
        _ => return None,
    };
    Some(Box::new(subscription))
}

fn call_listener(listener: &js_sys::Function, json: &str) {
    // The result is ignored, since the wrapped listener never throws.
    let _ = listener.call1(&JsValue::UNDEFINED, &json.into());
}

fn chat_event_to_json(event: &AssistantEvent) -> Value {
    let call_event = |kind: &str, call: &CallKey, name: &str| json!({"type": kind, "call": call.number(), "name": name});
    match event {
        AssistantEvent::Message { id, role } => {
            json!({"type": "message", "id": id.as_str(), "role": role.as_str()})
        }
        AssistantEvent::ApprovalAsked { call, name } => call_event("approvalAsked", call, name),
        AssistantEvent::CallStarted { call, name } => call_event("callStarted", call, name),
        AssistantEvent::CallEnded { call, name, phase } => {
            json!({"type": "callEnded", "call": call.number(), "name": name, "phase": phase.as_str()})
        }
        AssistantEvent::Error(notice) => {
            json!({"type": "error", "notice": state::notice_to_json(notice)})
        }
        _ => Value::Null,
    }
}

fn call_event_to_json(event: &CallEvent) -> Value {
    let (reason, error) = match event.kind() {
        CallEventKind::Denied { reason, .. } | CallEventKind::DeniedBefore { reason } => {
            (reason.as_deref(), None)
        }
        CallEventKind::Ended { error, .. } => {
            (None, error.as_ref().map(|(_, message)| message.as_str()))
        }
        _ => (None, None),
    };
    json!({
        "call": event.call_key().number(),
        "name": event.name(),
        "kind": variant_name(event.kind()),
        "before": event.before().map(|phase| phase.as_str()),
        "phase": event.phase().as_str(),
        "reason": reason,
        "error": error,
    })
}

fn loop_event_to_json(event: &LoopEvent) -> Value {
    let message_event =
        |kind: &str, message: &MessageId| json!({"type": kind, "message": message.as_str()});
    match event {
        LoopEvent::UserMessage { message } => message_event("userMessage", message),
        LoopEvent::Interjection { message } => message_event("interjection", message),
        LoopEvent::AssistantMessage { message, is_new } => {
            json!({"type": "assistantMessage", "message": message.as_str(), "isNew": is_new})
        }
        LoopEvent::ToolCalls { message, calls } => {
            let calls: Vec<u64> = calls.iter().map(|call| call.number()).collect();
            json!({"type": "toolCalls", "message": message.as_str(), "calls": calls})
        }
        LoopEvent::ToolStarted { call, name } => {
            json!({"type": "toolStarted", "call": call.number(), "name": name})
        }
        LoopEvent::ToolExecuted { call, name, phase } => {
            json!({"type": "toolExecuted", "call": call.number(), "name": name, "phase": phase.as_str()})
        }
        LoopEvent::FinalResponse {
            message,
            reason,
            cost,
        } => json!({
            "type": "finalResponse",
            "message": message.as_ref().map(MessageId::as_str),
            "reason": variant_name(reason),
            "cost": state::cost_to_json(cost),
        }),
        _ => Value::Null,
    }
}
