//! Audit records for the page.

use leptos_assistant::{Assistant, AuditLog};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use crate::function::PageFunction;

/// The audit records since they were started.
#[wasm_bindgen]
pub struct Audit(AuditLog);

impl std::fmt::Debug for Audit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Audit {
    /// Starts the records. Arguments that `redact` fails to redact are left out.
    pub(crate) fn start(
        chat: &Assistant,
        redact: Option<js_sys::Function>,
        tell: js_sys::Function,
    ) -> Self {
        let redact = redact.map(|redact| PageFunction::new(redact, true));
        let log = chat.start_audit(move |entry| {
            if let Some(redact) = &redact {
                let args = redact.ask_now(&entry.to_value(), &Value::Null);
                entry.args = args.unwrap_or_default();
            }
        });
        let tell = send_wrapper::SendWrapper::new(tell);
        log.on_entry(move |entry| {
            // It never throws.
            let _ = tell.call1(&JsValue::UNDEFINED, &entry.to_value().to_string().into());
        });
        Self(log)
    }
}

#[wasm_bindgen]
impl Audit {
    /// Returns the stored records as a JSON list.
    pub fn entries(&self) -> String {
        let entries = self.0.entries();
        let values: Value = entries.iter().map(|entry| entry.to_value()).collect();
        values.to_string()
    }

    /// Returns the records with the number of dropped ones, as JSON.
    pub fn export(&self) -> String {
        self.0.export().to_string()
    }
}
