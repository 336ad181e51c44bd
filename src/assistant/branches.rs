//! Creates and shows versions of messages, and sends interjections.

use assistant_core::{
    conversation::{MessageId, Sibling},
    event::Content,
    session::{Input, Refusal, TreeChange},
};
use leptos::prelude::*;

use super::Assistant;

/// Methods for versions of messages, and for messages that are sent during a run.
impl Assistant {
    /// Returns the branches of the conversation.
    #[must_use]
    pub fn branches(&self) -> Branches {
        Branches(self.clone())
    }

    /// Sends a new version of a user message with this text. The new version keeps the attachments;
    /// the previous version and all replies to it stay on their own branch.
    ///
    /// # Errors
    ///
    /// Fails if the text is empty, if the message is not a user message, or if running work must
    /// end first.
    pub fn edit(&self, message: &MessageId, text: impl Into<String>) -> Result<(), Refusal> {
        let text = text.into();
        let content =
            self.with_conversation(|all| all.message(message).map(|found| found.reworded(&text)));
        let content = content.flatten().unwrap_or(Content::Text(text));
        let message = message.clone();
        self.branches()
            .change(TreeChange::Edit { message, content })
    }

    /// Regenerates an answer as a new version; the previous version is kept.
    ///
    /// # Errors
    ///
    /// Fails if the message is not an answer, or if running work must end first.
    pub fn regenerate(&self, message: &MessageId) -> Result<(), Refusal> {
        let message = message.clone();
        self.branches().change(TreeChange::Regenerate { message })
    }

    /// Queues a text or other content while the loop is running. The message is delivered after the
    /// running tools have ended, and calls that have not started by then are skipped. If no loop is
    /// running, the message is sent at once.
    ///
    /// # Errors
    ///
    /// Fails if the content is empty, if the agent waits for an answer, or if the session does not
    /// allow interjections.
    pub fn interject(&self, content: impl Into<Content>) -> Result<(), Refusal> {
        let content = content.into();
        self.branches().change(TreeChange::Interject { content })
    }

    /// Returns the number of a message's version, counted from 1, and the number of versions.
    /// Returns `None` if there is no such message. In a reactive closure, the value is tracked.
    pub(crate) fn current_version(&self, message: &MessageId) -> Option<(usize, usize)> {
        self.view().tree.track();
        self.with_conversation(|conversation| conversation.version(message))?
    }
}

/// The branches of a conversation ([`Assistant::branches`]).
#[derive(Debug, Clone)]
pub struct Branches(Assistant);

impl Branches {
    /// Returns the number of a message's version, counted from 1, and the number of versions, as a
    /// signal. The value of the signal is `None` if the message does not exist.
    ///
    /// ```no_run
    /// use leptos::prelude::*;
    /// use leptos_assistant::{chat::use_message, use_assistant};
    ///
    /// #[component]
    /// fn Version() -> impl IntoView {
    ///     let version = use_assistant()?.branches().version(use_message()?.id());
    ///     Some(move || version.get().map(|(number, count)| format!("{number} of {count}")))
    /// }
    /// ```
    #[must_use]
    pub fn version(&self, message: &MessageId) -> ArcSignal<Option<(usize, usize)>> {
        let (assistant, message) = (self.0.clone(), message.clone());
        ArcSignal::derive(move || assistant.current_version(&message))
    }

    /// Returns the number of changes to the message tree, on all branches, as a signal.
    #[must_use]
    pub fn changes(&self) -> ArcReadSignal<u64> {
        self.0.view().tree.read_only()
    }

    /// Shows the previous or next version of a message, with the messages that followed the version
    /// when it was last shown. Running work continues on its branch.
    ///
    /// # Errors
    ///
    /// Fails if the message has no such version.
    pub fn show(&self, message: &MessageId, to: Sibling) -> Result<(), Refusal> {
        let message = message.clone();
        self.change(TreeChange::Switch { message, to })
    }

    /// Shows the branch of the running work, if another branch is shown
    /// ([`Activity::is_elsewhere`](crate::view::Activity::is_elsewhere)).
    pub fn show_run(&self) {
        // The result is ignored, because the branch may already be shown.
        let _ = self.change(TreeChange::ShowRun);
    }

    /// Changes the tree of messages. For example, shows another branch, or edits or deletes a
    /// message.
    ///
    /// ```
    /// # use leptos_assistant::{Assistant, Refusal};
    /// # fn example(assistant: &Assistant) -> Result<(), Refusal> {
    /// use leptos_assistant::session::TreeChange;
    ///
    /// let last_id = assistant.with_conversation(|all| all.path().last().map(|message| message.id().clone()));
    /// match last_id.flatten() {
    ///     Some(message) => assistant.branches().change(TreeChange::Delete { message }),
    ///     None => Ok(()),
    /// }
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the tree does not allow the change, or if running work must end first.
    pub fn change(&self, change: TreeChange) -> Result<(), Refusal> {
        self.0.dispatch(Input::Tree { change })
    }
}
