//! The conversations of an assistant: the current one, and earlier ones.

use assistant_core::session::{Input, Refusal};
use leptos::prelude::ArcReadSignal;
use serde_json::Value;

use super::Assistant;
use crate::ui::fresh_id;

impl Assistant {
    /// Begins a new conversation; everything open in the current one is cancelled, and nothing is
    /// sent.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// assistant.new_conversation();
    /// # }
    /// ```
    pub fn new_conversation(&self) {
        // Starting over is never refused.
        let _ = self.dispatch(Input::NewThread);
        self.runtime().flush();
    }

    /// Opens a conversation that another replaced, or one from the store. Loading from the store is
    /// asynchronous ([`Self::ownership`]); the user is notified of a failure.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// if let Some(last) = assistant.past_conversations().get().last() {
    ///     assistant.open_conversation(last).ok();
    /// }
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if no conversation has this id, or if it cannot be read.
    pub fn open_conversation(&self, thread_id: &str) -> Result<(), Refusal> {
        if let Some(persistence) = self.runtime().persistence() {
            persistence.open(thread_id.to_owned());
            return Ok(());
        }
        let snapshot = self
            .runtime()
            .archived(thread_id)
            .ok_or(Refusal::NothingToDo)?;
        self.dispatch(Input::Load {
            thread_id: thread_id.to_owned(),
            snapshot,
        })?;
        self.runtime().flush();
        Ok(())
    }

    /// Exports the whole conversation with its id, as versioned JSON for [`Self::import`].
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// let text = assistant.export().to_string();
    /// # }
    /// ```
    #[must_use]
    pub fn export(&self) -> Value {
        let exported = self.runtime().read(|session| {
            let mut value = session.export();
            if let Value::Object(object) = &mut value {
                object.insert("threadId".to_owned(), session.thread_id().into());
            }
            value
        });
        exported.unwrap_or_default()
    }

    /// Opens another conversation: the output of [`Self::export`], or messages of another system. These
    /// are a list of AG-UI messages, a list whose entries name their parent (`parentId`), or a tree
    /// (`children`), as they are or as `{messages, active}`. The active message, by default the
    /// newest, ends the branch that is shown.
    ///
    /// Everything open in the current one is cancelled. A conversation without an id gets a fresh
    /// one. Calls that wait for the user wait again. Nothing starts automatically: a call that was
    /// about to start in the exported conversation is answered as interrupted.
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
    /// Fails if it cannot be read; then nothing changes.
    pub fn import(&self, conversation: Value) -> Result<(), Refusal> {
        self.import_as(None, conversation)
    }

    /// Imports a conversation under an id that takes precedence over its own.
    pub(crate) fn import_as(
        &self,
        thread_id: Option<String>,
        mut conversation: Value,
    ) -> Result<(), Refusal> {
        let given = conversation
            .as_object_mut()
            .and_then(|object| object.shift_remove("threadId"));
        let thread_id = thread_id.unwrap_or_else(|| match given {
            Some(Value::String(id)) if !id.is_empty() => id,
            _ => fresh_id(),
        });
        self.dispatch(Input::Load {
            thread_id,
            snapshot: conversation,
        })?;
        self.runtime().flush();
        Ok(())
    }

    /// Returns the ids of the conversations that were replaced, oldest first, as a signal.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// let past = assistant.past_conversations();
    /// let count = move || past.with(Vec::len);
    /// # }
    /// ```
    #[must_use]
    pub fn past_conversations(&self) -> ArcReadSignal<Vec<String>> {
        self.view().archived.read_only()
    }
}
