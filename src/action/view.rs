//! What a renderer sees of a call.

use std::marker::PhantomData;

use assistant_core::{
    action::{ActionSpec, Remember, ToolError},
    conversation::{CallKey, Decision, Phase, Progress, Status, ToolCall},
    event::{Content, ContentPart, PartBody},
    session::Refusal,
};
use leptos::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Gate;
use crate::{
    assistant::{Assistant, PlaceId},
    view::CallCell,
};

/// A tool call as its renderer sees it. `T` is the type of the arguments.
///
/// What is read inside a reactive closure follows the call:
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
/// It is `Copy`, and may outlive the call and the assistant: then it knows nothing more, and
/// decisions are refused.
pub struct ToolCallView<T = Value> {
    place: PlaceId,
    key: CallKey,
    pub(super) streams_args: bool,
    pub(super) gate: Option<Gate>,
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
            place: assistant.place(),
            key,
            streams_args: false,
            gate: None,
            args: PhantomData,
        }
    }

    /// Lets arguments be seen while they stream in.
    pub(crate) fn streaming(mut self, streams_args: bool) -> Self {
        self.streams_args = streams_args;
        self
    }
}

impl<T> ToolCallView<T> {
    /// Returns the same call with arguments of another type.
    #[must_use]
    pub fn cast<U>(self) -> ToolCallView<U> {
        ToolCallView {
            place: self.place,
            key: self.key,
            streams_args: self.streams_args,
            gate: self.gate,
            args: PhantomData,
        }
    }

    /// Returns the key of the call.
    #[must_use]
    pub const fn key(&self) -> &CallKey {
        &self.key
    }

    pub(crate) fn assistant(&self) -> Option<Assistant> {
        self.place.assistant()
    }

    pub(super) fn cell(&self) -> Option<CallCell> {
        self.assistant()?.call(&self.key)
    }

    /// The id that the agent gave it.
    #[must_use]
    pub fn id(&self) -> String {
        self.cell().map(|cell| cell.id).unwrap_or_default()
    }

    /// The tool's name.
    #[must_use]
    pub fn name(&self) -> String {
        self.cell().map(|cell| cell.name.get()).unwrap_or_default()
    }

    pub(crate) fn name_untracked(&self) -> String {
        let cell = self.cell();
        cell.map(|cell| cell.name.get_untracked())
            .unwrap_or_default()
    }

    /// Returns how far the call has come, in fine steps.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.cell()
            .map_or(Phase::Cancelled, |cell| cell.phase.get())
    }

    /// Returns how far the call has come, in four words.
    #[must_use]
    pub fn status(&self) -> Status {
        self.phase().status()
    }

    /// The arguments exactly as the agent wrote them.
    #[must_use]
    pub fn args_text(&self) -> String {
        self.read(|call| call.args_text().to_owned())
            .unwrap_or_default()
    }

    /// The generation of the arguments' text, and what it has beyond so many bytes; all of it if
    /// those were of another generation.
    pub(crate) fn args_beyond(&self, generation: u32, len: usize) -> (u32, String) {
        self.read(|call| {
            let now = call.args_generation();
            let from = if now == generation { len } else { 0 };
            let text = call.args_text().get(from..).unwrap_or_default();
            (now, text.to_owned())
        })
        .unwrap_or_default()
    }

    /// The effective arguments as JSON, once they are complete: what runs or ran, as a person
    /// changed them or as the agent wrote them.
    #[must_use]
    pub fn args_value(&self) -> Option<Value> {
        self.read(|call| call.effective_args().cloned()).flatten()
    }

    /// The arguments as the agent wrote them, as JSON, once they are complete. They differ from
    /// [`Self::args_value`] where a person changed them.
    #[must_use]
    pub fn original_args(&self) -> Option<Value> {
        self.read(|call| call.args().cloned()).flatten()
    }

    /// Returns whether a person approved the call with other arguments than the agent's.
    #[must_use]
    pub fn is_edited(&self) -> bool {
        let edited = self.read(|call| {
            let edited = call.edited_args.as_ref();
            edited.is_some_and(|edited| Some(edited) != call.args())
        });
        edited.unwrap_or_default()
    }

    /// Returns whether the application cleaned the arguments that the agent wrote
    /// ([`ToolAction::sanitize`](super::ToolAction::sanitize)).
    #[must_use]
    pub fn is_cleaned(&self) -> bool {
        self.read(|call| call.clean_args.is_some())
            .unwrap_or_default()
    }

    /// Returns whether its handler was started before the page was loaded again, and nobody knows whether it
    /// came to its end: the person is asked whether it runs again.
    #[must_use]
    pub fn may_have_run(&self) -> bool {
        self.read(ToolCall::may_have_run).unwrap_or_default()
    }

    /// Returns what a person decided about the call, once they did.
    #[must_use]
    pub fn decision(&self) -> Option<Decision> {
        self.read(|call| call.approval.as_ref()?.decision.clone())
            .flatten()
    }

    /// Why a person denied the call, if they did and said why.
    #[must_use]
    pub fn denial_reason(&self) -> Option<String> {
        match self.decision()? {
            Decision::Denied { reason } => reason,
            Decision::Approved => None,
        }
    }

    /// The newest preliminary result, if it is of this type.
    #[must_use]
    pub fn preliminary<R: DeserializeOwned>(&self) -> Option<R> {
        from_value(self.read(|call| call.preliminary.clone()).flatten())
    }

    /// Returns the progress that the handler reports.
    #[must_use]
    pub fn progress(&self) -> Option<Progress> {
        self.read(|call| call.progress.clone()).flatten()
    }

    /// The result, if it is of this type.
    #[must_use]
    pub fn result<R: DeserializeOwned>(&self) -> Option<R> {
        from_value(self.result_value())
    }

    /// The result as JSON.
    #[must_use]
    pub fn result_value(&self) -> Option<Value> {
        self.read(|call| call.result.as_ref().map(|result| result.value.clone()))
            .flatten()
    }

    /// The files in the result: an agent's own tool may give some.
    #[must_use]
    pub fn result_files(&self) -> Vec<ContentPart> {
        let files = self.read(
            |call| match call.result.as_ref().map(|result| &result.content) {
                Some(Content::Parts(parts)) => parts
                    .iter()
                    .filter(|part| matches!(part.body, PartBody::Media { .. }))
                    .cloned()
                    .collect(),
                _ => Vec::new(),
            },
        );
        files.unwrap_or_default()
    }

    /// Why it failed.
    #[must_use]
    pub fn error(&self) -> Option<String> {
        self.why(|_, message| message.to_owned())
    }

    /// Why it failed, by its kind and in a program's words.
    pub(crate) fn why(&self, say: impl FnOnce(&str, &str) -> String) -> Option<String> {
        self.read(|call| {
            let ended = match (&call.error, call.phase()) {
                (Some(error), _) => return Some(say(error.kind.as_str(), &error.message)),
                (None, Phase::OutputDenied) => "denied",
                (None, Phase::Cancelled) => "cancelled",
                (None, Phase::Skipped) => "skipped",
                (None, _) => return None,
            };
            Some(say(ended, ended))
        })
        .flatten()
    }

    /// Lets the call run as it is shown.
    ///
    /// # Errors
    ///
    /// When it does not wait for a decision, or is another one than was shown
    /// ([`Refusal::Changed`]): then the card shows what it is now. When nobody can have read yet
    /// what is asked ([`Self::can_approve`]).
    pub fn approve(&self) -> Result<(), Refusal> {
        self.in_time()?;
        self.decide(|assistant| assistant.approve(&self.key))
    }

    /// Lets the call run, and does not ask again about calls like it: with these arguments in place
    /// of the agent's, if there are any.
    ///
    /// # Errors
    ///
    /// When it does not wait for a decision, is another one than was shown, or is asked about each
    /// time. When nobody can have read yet what is asked ([`Self::can_approve`]).
    pub fn approve_and_remember(&self, args: Option<Value>, what: Remember) -> Result<(), Refusal> {
        self.in_time()?;
        self.decide(|assistant| assistant.approve_and_remember(&self.key, args, what))
    }

    /// Lets the call run with other arguments.
    ///
    /// # Errors
    ///
    /// When it does not wait for a decision, is another one than was shown, or the arguments break
    /// the schema. When nobody can have read yet what is asked ([`Self::can_approve`]).
    pub fn approve_with(&self, args: Value) -> Result<(), Refusal> {
        self.in_time()?;
        self.decide(|assistant| assistant.approve_with(&self.key, args))
    }

    /// Does not let the call run, even if it has changed since it was shown.
    ///
    /// # Errors
    ///
    /// When it does not wait for a decision.
    pub fn deny(&self, reason: Option<String>) -> Result<(), Refusal> {
        match self.decide(|assistant| assistant.deny(&self.key, reason.clone())) {
            Err(Refusal::Changed) => self.decide(|assistant| assistant.deny(&self.key, reason)),
            outcome => outcome,
        }
    }

    fn decide(&self, say: impl FnOnce(&Assistant) -> Result<(), Refusal>) -> Result<(), Refusal> {
        let assistant = self.assistant().ok_or(Refusal::Ended)?;
        self.or_show_anew(say(&assistant))
    }

    /// Answers a handler that asks through this card ([`super::ToolContext::ask`]).
    ///
    /// A value that cannot be written as JSON is not passed on.
    pub fn reply(&self, value: impl serde::Serialize) {
        if let (Ok(value), Some(assistant)) = (serde_json::to_value(value), self.assistant()) {
            assistant.runtime().reply(&self.key, Ok(value));
        }
    }

    /// Answers a handler that asks by a form, or says why there is no answer.
    pub(crate) fn answer_handler(&self, answer: Result<Value, &str>) {
        if let Some(assistant) = self.assistant() {
            let answer = answer.map_err(ToolError::new);
            assistant.runtime().reply(&self.key, answer);
        }
    }

    /// The description under which the action is registered.
    #[must_use]
    pub fn description(&self) -> Option<String> {
        self.spec(|spec| spec.description.clone())
    }

    /// The schema of its arguments, if the action is registered.
    #[must_use]
    pub fn parameters(&self) -> Option<Value> {
        self.spec(|spec| spec.parameters.clone())
    }

    /// Reads what is registered under its name.
    pub(super) fn spec<R>(&self, read: impl FnOnce(&ActionSpec) -> R) -> Option<R> {
        let name = self.name_untracked();
        let found = self.assistant()?.read(|session| {
            let action = session.registry().named(&name).next();
            action.map(|action| read(&action.spec))
        });
        found.flatten()
    }

    /// Reads the call; who reads inside a reactive closure is told of every change.
    pub(crate) fn read<R>(&self, read: impl FnOnce(&ToolCall) -> R) -> Option<R> {
        self.cell()?.revision.track();
        self.assistant()?
            .read(|session| session.conversation().call(&self.key).map(read))
            .flatten()
    }
}

pub(super) fn from_value<R: DeserializeOwned>(value: Option<Value>) -> Option<R> {
    serde_json::from_value(value?).ok()
}
