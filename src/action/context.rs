//! Gives a running handler access to its call and the chat. The module `ask` adds the methods that
//! ask the user questions.

use std::{cell::Cell, rc::Rc, time::Duration};

use assistant_core::{
    action::ToolError,
    conversation::{CallKey, Conversation, Message, MessageId, Progress},
    session::{Input, Invocation, InvocationId, ToolHistory},
};
use futures_util::{
    FutureExt,
    future::{Either, select},
};
use serde::Serialize;
use serde_json::Value;

use crate::{
    assistant::{Assistant, WeakAssistant},
    render::Cancellation,
    ui::sleep,
};

/// A handle through which a running handler accesses its call and the chat.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{ConfirmOptions, ToolAction, ToolContext};
///
/// let action = ToolAction::new("import", "Imports the new customers")
///     .handler(|(): (), context: ToolContext| async move {
///         context.progress(0.5, "Waiting for you");
///         // Shown by the renderer below while the user decides.
///         context.preliminary(["Ann", "Ben"]);
///         let options = ConfirmOptions::new("Import two customers?");
///         if context.confirm(options).await { "imported" } else { "not imported" }
///     })
///     .render(|call| {
///         let fraction = move || call.progress().and_then(|progress| progress.fraction());
///         let names = move || call.preliminary::<Vec<String>>().unwrap_or_default();
///         view! { <progress value=fraction></progress> <p>{move || names().join(", ")}</p> }
///     });
/// ```
#[derive(Clone)]
pub struct ToolContext {
    pub(super) assistant: WeakAssistant,
    pub(super) invocation: Rc<Invocation>,
    cancellation: Cancellation,
    stop: Rc<Cell<bool>>,
}

impl ToolContext {
    pub(crate) fn new(
        assistant: WeakAssistant,
        invocation: Invocation,
        cancellation: Cancellation,
    ) -> Self {
        let invocation = Rc::new(invocation);
        Self {
            assistant,
            invocation,
            cancellation,
            stop: Rc::default(),
        }
    }

    /// Returns the id that the agent assigned to the call.
    #[must_use]
    pub fn call_id(&self) -> &str {
        self.invocation.call_id()
    }

    /// Returns the key of the call in the conversation. Unlike the id, the key is unique.
    #[must_use]
    pub fn call_key(&self) -> CallKey {
        self.invocation.call_key()
    }

    /// Returns the id of the message that made the call. Returns `None` if the page called the
    /// action itself.
    #[must_use]
    pub fn message_id(&self) -> Option<&MessageId> {
        self.invocation.message_id()
    }

    /// Returns the id of the message before the message that contains the call. Returns `None` if
    /// the page called the action itself, or if there is no earlier message.
    #[must_use]
    pub fn parent_message_id(&self) -> Option<MessageId> {
        let message = self.message_id()?;
        self.with_conversation(|all| all.parent(message).cloned())?
    }

    /// Returns the id of the assistant in this page ([`Assistant::client_id`]). Returns `None` if
    /// the assistant was dropped.
    #[must_use]
    pub fn client_id(&self) -> Option<String> {
        let assistant = self.assistant.upgrade()?;
        Some(assistant.client_id().to_owned())
    }

    /// Returns the calls of the conversation so far, including this call
    /// ([`Tools::history`](crate::Tools::history)).
    #[must_use]
    pub fn tool_history(&self) -> ToolHistory {
        let assistant = self.assistant.upgrade();
        assistant.map_or_else(ToolHistory::default, |assistant| {
            assistant.tools().history()
        })
    }

    /// Returns the number of runs between the last user message and the run that made the call.
    #[must_use]
    pub fn iteration(&self) -> u32 {
        self.invocation.iteration()
    }

    /// Returns the messages of the displayed branch, oldest first. Returns no messages if the
    /// assistant was dropped.
    #[must_use]
    pub fn history(&self) -> Vec<Message> {
        let read = |assistant: Assistant| {
            assistant.with_conversation(|conversation| conversation.path().cloned().collect())
        };
        self.assistant.upgrade().and_then(read).unwrap_or_default()
    }

    /// Returns a token that signals the cancellation of the call. On cancellation, the handler's
    /// future is dropped; the token is for work that continues outside of this future.
    ///
    /// ```
    /// # use leptos_assistant::{ToolAction, ToolContext};
    /// let action = ToolAction::new("upload", "Uploads the file").handler(
    ///     |(): (), context: ToolContext| async move {
    ///         let token = context.cancellation().clone();
    ///         leptos::task::spawn_local(async move {
    ///             token.cancelled().await;
    ///             leptos::logging::log!("The upload is aborted");
    ///         });
    ///         // … the upload …
    ///     },
    /// );
    /// ```
    #[must_use]
    pub fn cancellation(&self) -> &Cancellation {
        &self.cancellation
    }

    /// Reports the progress of the call. `fraction` is a number from 0 to 1, or `None` for progress
    /// without a number. `text` may be empty.
    pub fn progress(&self, fraction: impl Into<Option<f64>>, text: impl Into<String>) {
        let text = text.into();
        let progress = Progress::new(fraction.into(), (!text.is_empty()).then_some(text));
        self.dispatch_for_call(|invocation| Input::Progress {
            invocation,
            progress,
        });
    }

    /// Shows a preliminary result, which is never sent to the agent
    /// ([`ToolCallView::preliminary`](super::ToolCallView::preliminary)). A value that cannot be
    /// serialized as JSON is ignored.
    pub fn preliminary(&self, value: impl Serialize) {
        if let Ok(value) = serde_json::to_value(value) {
            self.dispatch_for_call(|invocation| Input::Preliminary { invocation, value });
        }
    }

    /// Ends the loop of runs after this call. The result is sent to the agent with the next user
    /// message.
    pub fn stop_loop(&self) {
        self.stop.set(true);
    }

    pub(crate) fn should_stop_loop(&self) -> bool {
        self.stop.get()
    }

    /// Calls another action of the page in the same way as an agent does: the arguments are
    /// validated, limits apply, and the user is asked for any required approval. The nested call is
    /// cancelled when this call ends.
    ///
    /// ```
    /// # use leptos_assistant::{ToolAction, ToolContext, ToolError};
    /// use serde_json::json;
    ///
    /// let action = ToolAction::new("check_out", "Buys what is in the cart").handler(
    ///     |(): (), context: ToolContext| async move {
    ///         context.execute("open_cart", json!({})).await?;
    ///         Ok::<_, ToolError>("bought")
    ///     },
    /// );
    /// ```
    ///
    /// # Errors
    ///
    /// Fails with the errors of [`Assistant::execute`]. Also fails if this call is over, if the
    /// assistant was removed, or if actions are nested too deeply.
    pub async fn execute(&self, name: &str, args: Value) -> Result<Value, ToolError> {
        let removed_error = || ToolError::new("The assistant was removed");
        let assistant = self.assistant.upgrade().ok_or_else(removed_error)?;
        let parent = Some(self.invocation.id());
        assistant.runtime().execute(name, args, parent).await
    }

    /// Reads the whole current conversation with all its branches. Returns `None` if the assistant
    /// was dropped.
    pub fn with_conversation<R>(&self, read: impl FnOnce(&Conversation) -> R) -> Option<R> {
        self.assistant.upgrade()?.with_conversation(read)
    }

    /// Waits until an action is registered. Handlers that change the page, for example by
    /// navigation, can use this method so that the agent is offered the actions of the new page.
    ///
    /// ```
    /// use leptos_assistant::{ToolAction, ToolContext, ToolError};
    ///
    /// let open_cart = ToolAction::new("open_cart", "Show the cart")
    ///     .handler(|(): (), ctx: ToolContext| async move {
    ///         // use_navigate()("/cart", Default::default());
    ///         ctx.until_registered("check_out").await?;
    ///         Ok::<_, ToolError>("The cart is open")
    ///     });
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the action is not registered within five seconds, or if the assistant was dropped.
    pub async fn until_registered(&self, name: &str) -> Result<(), ToolError> {
        let timeout_error = || ToolError::new(format!("Action {name} was not registered in time"));
        let assistant = self.assistant.upgrade().ok_or_else(timeout_error)?;
        let registration = assistant.runtime().await_action(name);
        drop(assistant);
        let timeout = sleep(Duration::from_secs(5)).boxed_local();
        match select(registration, timeout).await {
            Either::Left((Ok(()), _)) => Ok(()),
            _ => Err(timeout_error()),
        }
    }

    fn dispatch_for_call(&self, input: impl FnOnce(InvocationId) -> Input) {
        if let Some(assistant) = self.assistant.upgrade() {
            // The result is ignored, because the session refuses the input only if the call is
            // over, and the input is then not needed.
            let _ = assistant.dispatch(input(self.invocation.id()));
        }
    }
}

impl std::fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolContext")
            .field("invocation", &self.invocation)
            .finish_non_exhaustive()
    }
}
