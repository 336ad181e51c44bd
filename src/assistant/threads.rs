//! The conversations of an assistant: the one that is shown, and those before it.

use assistant_core::session::{Input, Refusal};
use leptos::prelude::ArcReadSignal;
use serde_json::Value;

use super::Assistant;
use crate::ui::fresh_id;

impl Assistant {
    /// Begins another conversation; what is open in this one is cancelled, and nothing is sent.
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

    /// Goes back to a conversation that another took the place of, or opens one out of the store.
    /// That takes a moment ([`Self::kept_in`]); what cannot be read is told the person.
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
    /// When there is none with this id, or it cannot be read.
    pub fn open_conversation(&self, thread_id: &str) -> Result<(), Refusal> {
        if let Some(keeper) = self.runtime().keeper() {
            keeper.open(thread_id.to_owned());
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

    /// The whole conversation with its id, as versioned JSON for [`Self::import`].
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

    /// Shows another conversation: what [`Self::export`] wrote, or a list of AG-UI messages.
    ///
    /// What is open in the one before is cancelled. A conversation without an id gets a fresh one.
    /// Calls that wait for a user wait again. Nothing starts by itself: a call that was about to start
    /// where the conversation comes from is answered as interrupted.
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
    /// When it cannot be read; then everything stays as it is.
    pub fn import(&self, conversation: Value) -> Result<(), Refusal> {
        self.import_as(None, conversation)
    }

    /// The same, under an id that goes before the conversation's own.
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

    /// The ids of the conversations that others took the place of, oldest first.
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
