//! The branches of a conversation: versions of a message, and interjections.

use assistant_core::{
    conversation::{MessageId, Sibling},
    event::Content,
    session::{Refusal, TreeChange},
};
use leptos::prelude::*;

use super::Assistant;

impl Assistant {
    /// Returns the number of a message's version, counted from 1, and the number of versions, as a
    /// signal; `None` after the message was removed.
    ///
    /// ```no_run
    /// use leptos::prelude::*;
    /// use leptos_assistant::{chat::use_message, use_assistant};
    ///
    /// #[component]
    /// fn Version() -> impl IntoView {
    ///     let version = use_assistant()?.version(&use_message()?.id);
    ///     Some(move || version.get().map(|(number, count)| format!("{number} of {count}")))
    /// }
    /// ```
    #[must_use]
    pub fn version(&self, message: &MessageId) -> ArcSignal<Option<(usize, usize)>> {
        let (assistant, message) = (self.clone(), message.clone());
        ArcSignal::derive(move || assistant.version_now(&message))
    }

    /// Returns the current version; tracks changes when called in a reactive closure.
    pub(crate) fn version_now(&self, message: &MessageId) -> Option<(usize, usize)> {
        self.view().tree.track();
        self.with_conversation(|conversation| conversation.version(message))?
    }

    /// Returns a count of the changes of the message tree, on all branches, as a signal.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// let changes = assistant.tree_changes();
    /// let again = Memo::new(move |_| changes.get());
    /// # }
    /// ```
    #[must_use]
    pub fn tree_changes(&self) -> ArcReadSignal<u64> {
        self.view().tree.read_only()
    }

    /// Shows the previous or next version of a message, with the messages that followed it when it
    /// was last shown. Running work continues on its branch.
    ///
    /// ```
    /// # use leptos_assistant::{Assistant, Refusal, conversation::{MessageId, Sibling}};
    /// # fn example(assistant: &Assistant, answer: &MessageId) -> Result<(), Refusal> {
    /// assistant.show_version(answer, Sibling::Previous)
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if there is no such version.
    pub fn show_version(&self, message: &MessageId, to: Sibling) -> Result<(), Refusal> {
        let message = message.clone();
        self.change_tree(TreeChange::Switch { message, to })
    }

    /// Replaces the text of a user message in a new version, and sends it. Its attachments and the
    /// previous version are kept, with all that followed.
    ///
    /// ```
    /// # use leptos_assistant::{Assistant, Refusal, conversation::MessageId};
    /// # fn example(assistant: &Assistant, question: &MessageId) -> Result<(), Refusal> {
    /// assistant.edit(question, "And in Bergen?")
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the text is empty, if it is not a user message, or if something is running that
    /// must end first.
    pub fn edit(&self, message: &MessageId, text: impl Into<String>) -> Result<(), Refusal> {
        let text = text.into();
        let content =
            self.with_conversation(|all| all.message(message).map(|known| known.reworded(&text)));
        let content = content.flatten().unwrap_or(Content::Text(text));
        let message = message.clone();
        self.change_tree(TreeChange::Edit { message, content })
    }

    /// Regenerates an answer as a new version; the previous one is kept.
    ///
    /// ```
    /// # use leptos_assistant::{Assistant, Refusal, conversation::MessageId};
    /// # fn example(assistant: &Assistant, answer: &MessageId) -> Result<(), Refusal> {
    /// assistant.regenerate(answer)
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if it is not an answer, or if something is running that must end first.
    pub fn regenerate(&self, message: &MessageId) -> Result<(), Refusal> {
        let message = message.clone();
        self.change_tree(TreeChange::Regenerate { message })
    }

    /// Sends a message during the loop: it is delivered at the next boundary between tools. Calls
    /// that have not started by then are skipped. Without a running loop it is sent at once.
    ///
    /// ```
    /// # use leptos_assistant::{Assistant, Refusal};
    /// # fn example(assistant: &Assistant) -> Result<(), Refusal> {
    /// assistant.interject("Only the northern berths, please.")
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the text is empty, if the agent waits for an answer, or if the session does not
    /// allow interjections.
    pub fn interject(&self, text: impl Into<String>) -> Result<(), Refusal> {
        self.interject_content(Content::Text(text.into()))
    }

    /// Sends content other than plain text, such as files, during the loop.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// use leptos_assistant::event::Content;
    ///
    /// assistant.interject_content(Content::Text("Wait".to_owned())).ok();
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// See [`Self::interject`].
    pub fn interject_content(&self, content: Content) -> Result<(), Refusal> {
        self.change_tree(TreeChange::Interject { content })
    }

    /// Shows the branch of the running work, if another one is shown
    /// ([`Activity::elsewhere`](crate::view::Activity::elsewhere)).
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// let (activity, shows) = (assistant.activity(), assistant.clone());
    /// let elsewhere = move || activity.get().elsewhere;
    /// let lead = move || shows.show_run_branch();
    /// # }
    /// ```
    pub fn show_run_branch(&self) {
        // Showing the current branch again is not refused.
        let _ = self.change_tree(TreeChange::ShowRun);
    }
}
