//! Defines the view of a call, which the renderer of the call receives. The module `action` adds
//! the outcome of the call and the decisions about the call.

use std::marker::PhantomData;

use assistant_core::{
    action::ActionSpec,
    conversation::{CallKey, Phase, Status, ToolCall},
};
use leptos::prelude::*;
use serde_json::Value;

use super::{Assistant, AssistantId, DecisionConditions};
use crate::view::CallCell;

/// A view of a tool call, for its renderer. `T` is the type of the arguments.
///
/// Values read inside a reactive closure are tracked:
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{Status, ToolCallView};
/// use serde::Deserialize;
///
/// #[derive(Deserialize)]
/// struct Search {
///     query: String,
/// }
///
/// fn search_card(call: ToolCallView<Search>) -> impl IntoView {
///     move || match call.status() {
///         Status::Pending => "Preparing".to_owned(),
///         Status::Executing => {
///             format!("Searching for {:?}", call.args().map(|args| args.query))
///         }
///         Status::Complete => "Found it".to_owned(),
///         Status::Failed => format!("Search failed: {}", call.error().unwrap_or_default()),
///     }
/// }
/// ```
///
/// The view is `Copy`, and may outlive the call and the assistant: its getters then return nothing,
/// and decisions are refused.
pub struct ToolCallView<T = Value> {
    owner: AssistantId,
    key: CallKey,
    pub(crate) streams_args: bool,
    pub(crate) conditions: Option<DecisionConditions>,
    args: PhantomData<fn() -> T>,
}

impl<T> Clone for ToolCallView<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ToolCallView<T> {}

impl<T> std::fmt::Debug for ToolCallView<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolCallView")
            .field("call", &self.key)
            .finish_non_exhaustive()
    }
}

impl ToolCallView<Value> {
    pub(crate) fn new(assistant: &Assistant, key: CallKey) -> Self {
        Self {
            owner: assistant.id(),
            key,
            streams_args: false,
            conditions: None,
            args: PhantomData,
        }
    }

    /// Sets whether the view returns arguments while they stream in.
    pub(crate) fn with_streamed_args(mut self, streams_args: bool) -> Self {
        self.streams_args = streams_args;
        self
    }
}

impl<T> ToolCallView<T> {
    /// Returns a view of the same call with another type of arguments.
    #[must_use]
    pub fn cast<U>(self) -> ToolCallView<U> {
        ToolCallView {
            owner: self.owner,
            key: self.key,
            streams_args: self.streams_args,
            conditions: self.conditions,
            args: PhantomData,
        }
    }

    /// Returns the key of the call.
    ///
    /// ```
    /// # use leptos_assistant::{Assistant, ToolCallView};
    /// # fn is_running(assistant: &Assistant, call: ToolCallView) -> bool {
    /// # use leptos::prelude::*;
    /// assistant.tools().running_calls().with(|calls| calls.contains(call.key()))
    /// # }
    /// ```
    #[must_use]
    pub const fn key(&self) -> &CallKey {
        &self.key
    }

    pub(crate) fn assistant(&self) -> Option<Assistant> {
        self.owner.assistant()
    }

    pub(crate) fn cell(&self) -> Option<CallCell> {
        self.assistant()?.call(&self.key)
    }

    /// Returns the id that the agent gave the call.
    #[must_use]
    pub fn id(&self) -> String {
        self.cell().map(|cell| cell.id).unwrap_or_default()
    }

    /// Returns the tool's name.
    #[must_use]
    pub fn name(&self) -> String {
        self.cell().map(|cell| cell.name.get()).unwrap_or_default()
    }

    pub(crate) fn name_untracked(&self) -> String {
        let cell = self.cell();
        cell.map(|cell| cell.name.get_untracked())
            .unwrap_or_default()
    }

    /// Returns the phase of the call. Returns [`Phase::Cancelled`] if the call does not exist any
    /// more.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.cell()
            .map_or(Phase::Cancelled, |cell| cell.phase.get())
    }

    /// Returns the phase of the call, reduced to four states.
    #[must_use]
    pub fn status(&self) -> Status {
        self.phase().status()
    }

    /// Returns the text of the arguments exactly as the agent wrote it.
    #[must_use]
    pub fn args_text(&self) -> String {
        self.read(|call| call.args_text().to_owned())
            .unwrap_or_default()
    }

    /// Returns the generation of the arguments' text, and the text after `len` bytes, or the
    /// complete text if `generation` is outdated.
    pub(crate) fn args_text_after(&self, generation: u32, len: usize) -> (u32, String) {
        self.read(|call| {
            let current_generation = call.args_generation();
            let start = if current_generation == generation {
                len
            } else {
                0
            };
            let text = call.args_text().get(start..).unwrap_or_default();
            (current_generation, text.to_owned())
        })
        .unwrap_or_default()
    }

    /// Returns the arguments that a handler receives, as JSON: the arguments that were edited in
    /// the approval, or else those that the application sanitized, or else those of the agent.
    /// Returns `None` until the arguments are complete.
    #[must_use]
    pub fn args_value(&self) -> Option<Value> {
        self.read(|call| call.effective_args().cloned()).flatten()
    }

    /// Returns the agent's arguments as JSON. Returns `None` until the arguments are complete. The
    /// arguments differ from [`Self::args_value`] if the arguments were edited in the approval or
    /// sanitized by the application.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// let original_args = move || call.original_args().filter(|_| call.is_edited());
    /// move || original_args().map(|args| format!("Asked for: {args}"))
    /// # }
    /// ```
    #[must_use]
    pub fn original_args(&self) -> Option<Value> {
        self.read(|call| call.args().cloned()).flatten()
    }

    /// Returns true if the call was approved with arguments that differ from the agent's arguments.
    #[must_use]
    pub fn is_edited(&self) -> bool {
        let is_edited = self.read(|call| {
            let edited_args = call.edited_args();
            edited_args.is_some_and(|edited| Some(edited) != call.args())
        });
        is_edited.unwrap_or_default()
    }

    /// Returns true if the application sanitized the agent's arguments
    /// ([`ToolAction::sanitize`](crate::ToolAction::sanitize)).
    #[must_use]
    pub fn is_cleaned(&self) -> bool {
        self.read(|call| call.clean_args().is_some())
            .unwrap_or_default()
    }

    /// Returns true if the handler was started before a reload of the page and its outcome is
    /// unknown. The user decides whether the handler runs again.
    #[must_use]
    pub fn has_unknown_outcome(&self) -> bool {
        self.read(ToolCall::has_unknown_outcome).unwrap_or_default()
    }

    /// Returns the description of the action. Returns `None` if the action is not registered.
    #[must_use]
    pub fn description(&self) -> Option<String> {
        self.spec(|spec| spec.description().to_owned())
    }

    /// Returns the schema of the arguments, if the action is registered.
    #[must_use]
    pub fn parameters(&self) -> Option<Value> {
        self.spec(|spec| spec.parameters().clone())
    }

    /// Calls `read` with the definition of the action that handles the call or, if all actions of
    /// its name are disabled, of the newest. Returns `None` if there is no such action. In a
    /// reactive closure, the registration of actions is tracked.
    pub(crate) fn spec<R>(&self, read: impl FnOnce(&ActionSpec) -> R) -> Option<R> {
        let (assistant, name) = (self.assistant()?, self.name());
        assistant.view().renderers.track();
        let result = assistant.read(|session| {
            let registry = session.registry();
            let active_action = registry.active_registration(&name);
            let action = active_action.or_else(|| registry.named(&name).next());
            action.map(|action| read(action.spec()))
        });
        result.flatten()
    }

    /// Calls `read` with the call. Returns `None` if the call does not exist any more. In a
    /// reactive closure, every change of the call is tracked.
    pub(crate) fn read<R>(&self, read: impl FnOnce(&ToolCall) -> R) -> Option<R> {
        self.cell()?.revision.track();
        self.assistant()?
            .read(|session| session.conversation().call(&self.key).map(read))
            .flatten()
    }
}
