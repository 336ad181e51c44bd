//! The branches of a conversation: versions of a message, and saying something in between.

use assistant_core::{
    conversation::{MessageId, Sibling},
    event::Content,
    session::{Refusal, TreeChange},
};
use leptos::prelude::*;

use super::Assistant;

impl Assistant {
    /// Returns the number of a message's version, counted from 1, and the number of versions, as a
    /// signal. `None` once it is gone.
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

    /// The same; who asks inside a reactive closure follows it.
    pub(crate) fn version_now(&self, message: &MessageId) -> Option<(usize, usize)> {
        self.view().tree.track();
        self.with_conversation(|conversation| conversation.version(message))?
    }

    /// Counts the changes of the tree of messages, on whichever branch: who wants it reads it.
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

    /// Shows the version of a message before or after it, with what followed it when it was shown
    /// last. What is under way goes on where it is.
    ///
    /// ```
    /// # use leptos_assistant::{Assistant, Refusal, engine::conversation::{MessageId, Sibling}};
    /// # fn example(assistant: &Assistant, answer: &MessageId) -> Result<(), Refusal> {
    /// assistant.show_version(answer, Sibling::Previous)
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn show_version(&self, message: &MessageId, to: Sibling) -> Result<(), Refusal> {
        let message = message.clone();
        self.change_tree(TreeChange::Switch { message, to })
    }

    /// Says something else than a message of the person says, as another version of it, and sends
    /// it. Its files stay, and so does the version before, with all that followed.
    ///
    /// ```
    /// # use leptos_assistant::{Assistant, Refusal, engine::conversation::MessageId};
    /// # fn example(assistant: &Assistant, question: &MessageId) -> Result<(), Refusal> {
    /// assistant.edit(question, "And in Bergen?")
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When there is nothing in it, it is not a person's message, or something is under way that
    /// must end first.
    pub fn edit(&self, message: &MessageId, text: impl Into<String>) -> Result<(), Refusal> {
        let text = text.into();
        let content =
            self.with_conversation(|all| all.message(message).map(|known| known.reworded(&text)));
        let content = content.flatten().unwrap_or(Content::Text(text));
        let message = message.clone();
        self.change_tree(TreeChange::Edit { message, content })
    }

    /// Asks the agent for another version of an answer; the one before stays.
    ///
    /// ```
    /// # use leptos_assistant::{Assistant, Refusal, engine::conversation::MessageId};
    /// # fn example(assistant: &Assistant, answer: &MessageId) -> Result<(), Refusal> {
    /// assistant.regenerate(answer)
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When it is not an answer, or something is under way that must end first.
    pub fn regenerate(&self, message: &MessageId) -> Result<(), Refusal> {
        let message = message.clone();
        self.change_tree(TreeChange::Regenerate { message })
    }

    /// Says something while the loop goes on: it is delivered at the next boundary between tools.
    /// Calls that have not begun by then are skipped. When nothing is under way it is sent.
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
    /// When there is nothing in it, the agent waits for an answer, or the session does not take
    /// interjections.
    pub fn interject(&self, text: impl Into<String>) -> Result<(), Refusal> {
        self.interject_content(Content::Text(text.into()))
    }

    /// The same with more than a text, such as files.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// use leptos_assistant::engine::event::Content;
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

    /// Shows the branch on which something is under way, where another one is shown
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
        // To show what is shown already is not refused.
        let _ = self.change_tree(TreeChange::ShowRun);
    }
}
