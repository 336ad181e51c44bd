//! Renders the panel of remembered approvals. Permanent approvals are stored in the browser.

use std::{future::ready, pin::Pin};

use leptos::prelude::*;
use leptos_assistant::{ApprovalStore, tool::AllowedActions, use_assistant};
use serde_json::Value;

/// The key of the approvals in the browser's local storage.
const STORAGE_KEY: &str = "harbor:allowed";

#[component]
pub(crate) fn Approvals() -> impl IntoView {
    if let Some(assistant) = use_assistant() {
        assistant.remembered_approvals().persist_in(LocalStorage);
    }
    view! {
        <div class="demo-panel">
            <AllowedActions />
        </div>
    }
}

/// A store of approvals in the browser's local storage.
struct LocalStorage;

impl ApprovalStore for LocalStorage {
    fn load(&self) -> Pin<Box<dyn Future<Output = Result<Vec<Value>, String>>>> {
        Box::pin(ready(Ok(stored())))
    }

    fn change(&self, added: Vec<Value>, removed: Vec<String>) {
        let mut approvals = stored();
        approvals.extend(added);
        approvals.retain(|approval| removed.iter().all(|id| approval["id"] != *id));
        if let Some(storage) = storage() {
            // The result is ignored, because the only effect of a failure is that the user is asked
            // again after the page is reloaded.
            let _ = storage.set_item(STORAGE_KEY, &Value::from(approvals).to_string());
        }
    }
}

fn stored() -> Vec<Value> {
    let text = storage().and_then(|storage| storage.get_item(STORAGE_KEY).ok()?);
    let approvals = text.and_then(|text| serde_json::from_str(&text).ok());
    approvals.unwrap_or_default()
}

fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}
