//! Defines the objects through which the page's functions draw calls, parts and interrupts.
//! `npm/render.js` wraps these objects.

use assistant_core::event::Object;
use leptos::prelude::*;
use leptos_assistant::{InterruptView, PartHandle, ToolCallView, session::Refusal};
use send_wrapper::SendWrapper;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

use crate::{commands::parse_remember, json};

/// A call, a message part or an interrupt that the page draws.
#[derive(Clone, Copy)]
enum DrawnSubject {
    Call(ToolCallView),
    Part(PartHandle),
    Interrupt(InterruptView),
}

/// The methods of an object that the page draws. They are implemented in the second part of the
/// module.
trait DrawnObject {
    fn current(&self) -> Value;
    fn watch(&self, listener: js_sys::Function);
    fn decide(&self, name: &str, args: &str) -> Result<(), JsError>;
}

/// An object that the page draws, in the form in which the page's function receives it. Values are
/// JSON text.
#[wasm_bindgen]
pub struct DrawnView(Box<dyn DrawnObject>);

impl std::fmt::Debug for DrawnView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DrawnView").finish_non_exhaustive()
    }
}

impl DrawnView {
    fn wrap_subject(subject: DrawnSubject) -> JsValue {
        // A child owner is used because it ends with the view, although JavaScript may hold this
        // object for longer.
        let owner = Owner::current().map(|owner| owner.child());
        Self(Box::new(ScopedSubject { subject, owner })).into()
    }

    pub(crate) fn call(call: ToolCallView) -> JsValue {
        Self::wrap_subject(DrawnSubject::Call(call))
    }

    pub(crate) fn part(part: PartHandle) -> JsValue {
        Self::wrap_subject(DrawnSubject::Part(part))
    }

    pub(crate) fn interrupt(interrupt: InterruptView) -> JsValue {
        Self::wrap_subject(DrawnSubject::Interrupt(interrupt))
    }
}

#[wasm_bindgen]
impl DrawnView {
    /// Returns the current state of the object as JSON text.
    pub fn current(&self) -> String {
        self.0.current().to_string()
    }

    /// Calls the listener with the current state of the object, and with the new state after each
    /// change, until the view is removed.
    pub fn watch(&self, listener: js_sys::Function) {
        self.0.watch(listener);
    }

    /// Calls a method that makes a decision about the object, with a JSON list of arguments. The
    /// conditions for cards in Rust apply: a decision is accepted only after the request was
    /// visible, and only during an event of the user.
    ///
    /// # Errors
    ///
    /// Fails if the decision is refused, or if the object has no method with this name.
    pub fn decide(&self, name: &str, args: &str) -> Result<(), JsError> {
        self.0.decide(name, args)
    }
}

/// An object that the page draws, with the reactive owner of its view. The owner owns the effects
/// that track changes of the object.
struct ScopedSubject {
    subject: DrawnSubject,
    owner: Option<Owner>,
}

impl DrawnObject for ScopedSubject {
    fn current(&self) -> Value {
        untrack(|| self.subject.to_json())
    }

    fn watch(&self, listener: js_sys::Function) {
        let (subject, listener) = (self.subject, SendWrapper::new(listener));
        let Some(owner) = &self.owner else {
            return;
        };
        owner.with(|| {
            Effect::new(move |previous_state: Option<String>| {
                let state = subject.to_json().to_string();
                if previous_state.as_ref() != Some(&state) {
                    // The result is ignored, because the wrapped listener never throws an
                    // exception.
                    let _ = untrack(|| listener.call1(&JsValue::UNDEFINED, &state.as_str().into()));
                }
                state
            });
        });
    }

    fn decide(&self, name: &str, args: &str) -> Result<(), JsError> {
        let args = json::parse(args)?;
        let arg = |index: usize| args.get(index).cloned().unwrap_or_default();
        let outcome = match (self.subject, name) {
            (DrawnSubject::Call(call), "approve") => call.approve(),
            (DrawnSubject::Call(call), "approveWith") => call.approve_with(arg(0)),
            (DrawnSubject::Call(call), "approveAndRemember") => {
                let edited_args = Some(arg(0)).filter(|args| !args.is_null());
                call.approve_and_remember(edited_args, parse_remember(&arg(1)))
            }
            (DrawnSubject::Call(call), "deny") => call.deny(arg(0).as_str().map(str::to_owned)),
            (DrawnSubject::Call(call), "reply") => {
                call.reply(arg(0));
                Ok(())
            }
            (DrawnSubject::Interrupt(interrupt), "answer") => interrupt.answer(arg(0)),
            (DrawnSubject::Interrupt(interrupt), "giveUp") => interrupt.give_up(),
            _ => Err(Refusal::Ended),
        };
        outcome.map_err(|refusal| JsError::new(&refusal.to_string()))
    }
}

impl DrawnSubject {
    /// Returns the state of the object as JSON. If an effect calls this function, the effect runs
    /// again when the state changes.
    fn to_json(self) -> Value {
        match self {
            Self::Call(call) => call_to_json(call),
            Self::Part(part) => json!({
                "messageId": part.message().map(|id| id.as_str().to_owned()),
                "isOpen": part.is_open(),
                "text": part.text(),
                "data": part.data_value(),
            }),
            Self::Interrupt(interrupt) => json!({
                "id": interrupt.id(),
                "reason": interrupt.reason(),
                "message": interrupt.message(),
                "schema": interrupt.schema(),
                "expiresAt": interrupt.expires_at(),
                "isRejected": interrupt.is_rejected(),
                "canAnswer": interrupt.can_answer(),
            }),
        }
    }
}

fn call_to_json(call: ToolCallView) -> Value {
    let progress = call
        .progress()
        .map(|progress| json!({"fraction": progress.fraction(), "text": progress.text()}));
    let preview = call.preview().map(|preview| match preview {
        Ok(change) => json!({"value": change}),
        Err(reason) => json!({"error": reason}),
    });
    let mut state = Object::new();
    for (name, value) in [
        ("key", call.key().number().into()),
        ("id", call.id().into()),
        ("name", call.name().into()),
        ("title", call.title().into()),
        ("risk", call.risk().as_str().into()),
        ("phase", call.phase().as_str().into()),
        ("status", call.status().as_str().into()),
        ("argsText", call.args_text().into()),
        ("args", call.args().unwrap_or_default()),
        ("argsValue", call.args_value().unwrap_or_default()),
        ("originalArgs", call.original_args().unwrap_or_default()),
        ("isEdited", call.is_edited().into()),
        ("progress", progress.unwrap_or_default()),
        ("preliminary", call.preliminary().unwrap_or_default()),
        ("result", call.result_value().unwrap_or_default()),
        ("error", call.error().into()),
        ("preview", preview.unwrap_or_default()),
        ("canApprove", call.can_approve().into()),
        ("hasChanged", call.has_changed().into()),
        ("denialReason", call.denial_reason().into()),
    ] {
        state.insert(name.to_owned(), value);
    }
    state.into()
}
