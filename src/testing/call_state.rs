//! Sets the states of calls in tests.

use assistant_core::{records::Update, session::Refusal};
use serde_json::Value;

use crate::assistant::Assistant;

/// Merges fields into the state of a call: `status`, `result`, `toolName` and `messageId`, as in an
/// update from a server ([`ToolUpdate`](crate::records::ToolUpdate)). Missing fields keep their
/// values, except that a result ends a call that has not ended. A call with a new id is created as
/// pending, with the current time. No handler is started, and a call whose handler runs in the page
/// is not changed.
///
/// ```no_run
/// use leptos_assistant::{testing::update_state, use_assistant};
/// use serde_json::json;
///
/// let assistant = use_assistant().expect("below a provider");
/// update_state(&assistant, "call-1", json!({"toolName": "search", "status": "executing"}))?;
/// update_state(&assistant, "call-1", json!({"result": "3 books"}))?;
/// # Ok::<(), leptos_assistant::Refusal>(())
/// ```
///
/// # Errors
///
/// Fails while a run is open.
pub fn update_state(
    assistant: &Assistant,
    call_id: &str,
    mut fields: Value,
) -> Result<(), Refusal> {
    if let Value::Object(fields) = &mut fields {
        fields.insert("toolCallId".to_owned(), call_id.into());
    }
    match Update::from_json(&fields) {
        Some(update) => assistant.updates().apply(update),
        None => Ok(()),
    }
}
