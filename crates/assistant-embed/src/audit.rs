//! Passes audit records to the page.

use leptos_assistant::{Assistant, AuditLog, CallEventKind, session::AuditEntry};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use crate::function::PageFunction;

/// The methods that read the audit records, as JSON.
trait AuditRecords {
    fn entries(&self) -> Value;
    fn export(&self) -> Value;
}

impl AuditRecords for AuditLog {
    fn entries(&self) -> Value {
        let entries = Self::entries(self);
        entries.iter().map(|entry| entry.to_value()).collect()
    }

    fn export(&self) -> Value {
        Self::export(self)
    }
}

/// The audit records of a chat since the audit was started.
#[wasm_bindgen]
pub struct Audit(Box<dyn AuditRecords>);

impl std::fmt::Debug for Audit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Audit").finish_non_exhaustive()
    }
}

/// Starts the audit, and passes each new record to the listener. `redact` returns the record with
/// the texts to store ([`replace_texts`]).
pub(crate) fn start_audit(
    chat: &Assistant,
    redact: Option<js_sys::Function>,
    listener: js_sys::Function,
) -> Audit {
    let redact = redact.map(|redact| PageFunction::new(redact, true));
    let log = chat.start_audit(move |entry| {
        if let Some(redact) = &redact {
            let redacted = redact.call_sync(&entry.to_value(), &Value::Null);
            replace_texts(entry, &redacted.unwrap_or_default());
        }
    });
    let listener = send_wrapper::SendWrapper::new(listener);
    log.on_entry(move |entry| {
        // The result is ignored, since the wrapped listener never throws.
        let _ = listener.call1(&JsValue::UNDEFINED, &entry.to_value().to_string().into());
    })
    // The listener is never removed: `npm/handle.js` adds and removes the observers that the
    // listener calls.
    .forget();
    Audit(Box::new(log))
}

/// Replaces the arguments, the reason and the error message of a record with those of a redacted
/// record. If the redacted record lacks one of them, it is removed.
fn replace_texts(entry: &mut AuditEntry, redacted: &Value) {
    *entry.args_mut() = redacted.get("args").cloned().unwrap_or_default();
    let text = |path| redacted.pointer(path).and_then(Value::as_str);
    match entry.event_mut() {
        CallEventKind::Denied { reason, .. } | CallEventKind::DeniedBefore { reason } => {
            *reason = text("/reason").map(str::to_owned);
        }
        CallEventKind::Ended {
            error: Some((_, message)),
            ..
        } => text("/error/message")
            .unwrap_or_default()
            .clone_into(message),
        _ => {}
    }
}

#[wasm_bindgen]
impl Audit {
    /// Returns the stored records as a JSON list.
    pub fn entries(&self) -> String {
        self.0.entries().to_string()
    }

    /// Returns the stored records and the number of dropped records, as JSON.
    pub fn export(&self) -> String {
        self.0.export().to_string()
    }
}
