//! Asks the user questions for a handler, in the card of the handler's call or in a dialog.

use assistant_core::{
    action::ToolError,
    conversation::CallKey,
    session::{Input, InvocationId},
};
use futures_channel::oneshot;
use leptos::prelude::{GetUntracked, Update, WithUntracked};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::ToolContext;
use crate::{
    assistant::{Assistant, WeakAssistant},
    ui::{console_error, spawn_local, wait_for_pending_work},
    view::{ConfirmOptions, ConfirmRequest, HandlerQuestion},
};

impl ToolContext {
    /// Asks the user a question through the call's card. The card's renderer receives `question` as
    /// the preliminary result and answers with [`ToolCallView::reply`](super::ToolCallView::reply).
    ///
    /// ```
    /// use leptos::prelude::*;
    /// use leptos_assistant::{ToolAction, ToolCallView, ToolContext, ToolError};
    ///
    /// let paint = ToolAction::new("paint", "Paints the wall")
    ///     .handler(|(): (), context: ToolContext| async move {
    ///         let colour: String = context.ask("Which colour?").await?;
    ///         Ok::<_, ToolError>(format!("painted {colour}"))
    ///     })
    ///     .render(|call| {
    ///         view! {
    ///             <p>{move || call.preliminary::<String>()}</p>
    ///             <button on:click=move |_| call.reply("red")>"Red"</button>
    ///         }
    ///     });
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if no renderer draws the call or the renderer is removed, since the user then cannot
    /// answer. Also fails if the question cannot be serialized as JSON, if the answer does not have
    /// the type `R`, if the handler asks another question before the answer, or if the assistant is
    /// dropped.
    pub async fn ask<R: DeserializeOwned>(&self, question: impl Serialize) -> Result<R, ToolError> {
        deserialize_answer(
            self.ask_on_card(serde_json::to_value(question)?, None)
                .await?,
        )
    }

    /// Asks the user for a value that a JSON Schema describes. If neither the action nor its tool
    /// has a renderer, the call's card shows a form, below the question if the question is a text.
    /// If there is a renderer, the renderer asks the question, as with [`Self::ask`].
    ///
    /// ```
    /// use leptos_assistant::{ToolAction, ToolContext, ToolError};
    /// use serde_json::json;
    ///
    /// let paint = ToolAction::new("paint", "Paints the wall")
    ///     .handler(|(): (), context: ToolContext| async move {
    ///         let colours = json!({"type": "string", "title": "Colour", "enum": ["red", "blue"]});
    ///         let colour: String = context.ask_with("Which colour?", colours).await?;
    ///         Ok::<_, ToolError>(format!("painted {colour}"))
    ///     });
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the user gives no answer, if the question cannot be serialized as JSON, if the
    /// answer does not have the type `R`, if the handler asks another question before the answer,
    /// or if the assistant is dropped.
    pub async fn ask_with<R: DeserializeOwned>(
        &self,
        question: impl Serialize,
        schema: Value,
    ) -> Result<R, ToolError> {
        let question = serde_json::to_value(question)?;
        deserialize_answer(self.ask_on_card(question, Some(schema)).await?)
    }

    async fn ask_on_card(
        &self,
        question: Value,
        schema: Option<Value>,
    ) -> Result<Value, ToolError> {
        let removed_error = || ToolError::new("The assistant was removed");
        let assistant = self.assistant.upgrade().ok_or_else(removed_error)?;
        let call = self.invocation.call_key();
        let reply = assistant.runtime().await_reply(call);
        let asking_guard = AskingGuard::begin(&assistant, self.invocation.id());
        let id = assistant.runtime().next_number();
        let handler_question = HandlerQuestion {
            id,
            call,
            question: question.clone(),
            schema,
        };
        assistant
            .view()
            .asked
            .update(|list| list.push(handler_question));
        let _guard = QuestionGuard {
            asking: asking_guard,
            id,
            call,
        };
        self.preliminary(question);
        assistant.end_unrenderable_questions();
        drop(assistant);
        let replaced_error = || ToolError::new("The handler asked something else meanwhile.");
        reply.await.map_err(|_| replaced_error())?
    }

    /// Asks the user in a dialog with the buttons Confirm and Cancel. Returns true if the user
    /// confirms. Returns false if the user cancels or closes the dialog, or if the assistant was
    /// dropped.
    ///
    /// ```
    /// use leptos_assistant::{ConfirmOptions, ToolAction, ToolContext};
    ///
    /// let delete = ToolAction::new("delete", "Deletes the project")
    ///     .handler(|(): (), context: ToolContext| async move {
    ///         let options = ConfirmOptions::new("Delete the project?")
    ///             .text("Its 12 files are deleted with it.")
    ///             .danger();
    ///         if context.confirm(options).await { "deleted" } else { "kept" }
    ///     });
    /// ```
    pub async fn confirm(&self, options: ConfirmOptions) -> bool {
        let Some(assistant) = self.assistant.upgrade() else {
            return false;
        };
        let (sender, receiver) = oneshot::channel();
        let id = assistant.runtime().next_number();
        let guard = DialogGuard {
            asking: AskingGuard::begin(&assistant, self.invocation.id()),
            id,
        };
        assistant
            .view()
            .open_dialog(ConfirmRequest::new(id, options, sender));
        drop(assistant);
        let is_confirmed = receiver.await.unwrap_or(false);
        drop(guard);
        is_confirmed
    }
}

fn deserialize_answer<R: DeserializeOwned>(answer: Value) -> Result<R, ToolError> {
    serde_json::from_value(answer)
        .map_err(|error| ToolError::new(format!("The answer is of another type: {error}")))
}

impl Assistant {
    /// Notifies the cards that a renderer was registered or removed, and ends the questions that no
    /// renderer can show any longer.
    pub(crate) fn notify_renderers_changed(&self) {
        self.view().notify_renderers_changed();
        self.end_unrenderable_questions();
    }

    /// Ends the questions that the user cannot answer because no renderer draws their calls. Before
    /// that, waits for pending work, which may mount a component with a renderer.
    fn end_unrenderable_questions(&self) {
        let has_open_question = self.view().asked.with_untracked(|list| {
            let has_no_schema = |asked: &HandlerQuestion| asked.schema.is_none();
            list.iter().any(has_no_schema)
        });
        if !has_open_question {
            return;
        }
        let assistant = self.weak();
        spawn_local(async move {
            wait_for_pending_work().await;
            if let Some(assistant) = assistant.upgrade() {
                assistant.end_questions_without_card();
            }
        });
    }

    fn end_questions_without_card(&self) {
        let questions = self.view().asked.get_untracked();
        for asked in questions.iter().filter(|asked| asked.schema.is_none()) {
            let name = self.with_conversation(|conversation| {
                let call = conversation.call(&asked.call)?;
                Some(call.name().to_owned())
            });
            let name = name.flatten().unwrap_or_default();
            if self.card_renderer(&name).is_some() {
                continue;
            }
            let message = format!(
                "Action {name} asks in its card and has none: give it a renderer, or ask with a schema \
                 (ToolContext::ask_with)"
            );
            console_error(&message);
            self.runtime()
                .reply(&asked.call, Err(ToolError::new(message)));
        }
    }
}

/// A guard that removes a question when the handler has the answer or when the guard is dropped.
struct QuestionGuard {
    asking: AskingGuard,
    id: u64,
    call: CallKey,
}

impl Drop for QuestionGuard {
    fn drop(&mut self) {
        if let Some(assistant) = self.asking.assistant.upgrade() {
            let questions = &assistant.view().asked;
            questions.update(|list| list.retain(|asked| asked.id != self.id));
            assistant.runtime().remove_abandoned_reply(&self.call);
        }
    }
}

/// A guard that closes a dialog when the handler has the answer or when the guard is dropped.
struct DialogGuard {
    asking: AskingGuard,
    id: u64,
}

impl Drop for DialogGuard {
    fn drop(&mut self) {
        if let Some(assistant) = self.asking.assistant.upgrade() {
            assistant.view().close_dialog(self.id);
        }
    }
}

/// A guard that marks the chat as waiting for the user, so that the time limit of the handler does
/// not include the waiting time.
struct AskingGuard {
    assistant: WeakAssistant,
    invocation: InvocationId,
}

impl AskingGuard {
    fn begin(assistant: &Assistant, invocation: InvocationId) -> Self {
        assistant.view().begin_asking();
        dispatch_asking(assistant, invocation, true);
        Self {
            assistant: assistant.weak(),
            invocation,
        }
    }
}

impl Drop for AskingGuard {
    fn drop(&mut self) {
        if let Some(assistant) = self.assistant.upgrade() {
            assistant.view().end_asking();
            dispatch_asking(&assistant, self.invocation, false);
        }
    }
}

fn dispatch_asking(assistant: &Assistant, invocation: InvocationId, is_open: bool) {
    // The result is ignored, because the session never refuses this input.
    let _ = assistant.dispatch(Input::Asking {
        invocation,
        is_open,
    });
}
