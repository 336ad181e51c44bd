//! Begins, exports and imports conversations.

use assistant_core::session::{Input, Refusal};
use serde_json::Value;

use super::Assistant;
use crate::ui::fresh_id;

/// Methods that begin, export and import conversations.
impl Assistant {
    /// Begins a new conversation. Everything open in the current conversation is cancelled, and
    /// nothing is sent.
    pub fn new_conversation(&self) {
        // The result is ignored, because the session never refuses this input.
        let _ = self.dispatch(Input::NewThread);
        self.runtime().apply_queued_changes();
    }

    /// Exports the complete conversation with its id, as versioned JSON for [`Self::import`].
    #[must_use]
    pub fn export(&self) -> Value {
        let conversation = self.runtime().read(|session| {
            let mut value = session.export();
            if let Value::Object(object) = &mut value {
                object.insert("threadId".to_owned(), session.thread_id().into());
            }
            value
        });
        conversation.unwrap_or_default()
    }

    /// Opens another conversation: the output of [`Self::export`], or messages from another system.
    /// Such messages are a list of AG-UI messages, a list whose entries name their parent
    /// (`parentId`), or a tree (`children`). Each form may be wrapped as `{messages, active}`. The
    /// active message, by default the newest, ends the branch that is shown.
    ///
    /// Everything open in the current conversation is cancelled. A conversation without an id gets
    /// a new id. Calls that waited for the user wait again. Nothing starts automatically: a call
    /// that was about to start in the exported conversation is answered as interrupted.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// use serde_json::json;
    ///
    /// let message = json!({"id": "1", "role": "user", "content": "Hello"});
    /// assistant.import(json!({"threadId": "order-17", "messages": [message]})).ok();
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the value is not a readable conversation. In this case nothing changes.
    pub fn import(&self, conversation: Value) -> Result<(), Refusal> {
        self.import_as(None, conversation)
    }

    /// Imports a conversation under the given id, or else under its own id, or else under a new id.
    pub(crate) fn import_as(
        &self,
        thread_id: Option<String>,
        mut conversation: Value,
    ) -> Result<(), Refusal> {
        let own_id = conversation
            .as_object_mut()
            .and_then(|object| object.shift_remove("threadId"));
        let thread_id = thread_id.unwrap_or_else(|| match own_id {
            Some(Value::String(id)) if !id.is_empty() => id,
            _ => fresh_id(),
        });
        self.dispatch(Input::Load {
            thread_id,
            snapshot: conversation,
        })?;
        self.runtime().apply_queued_changes();
        Ok(())
    }
}
