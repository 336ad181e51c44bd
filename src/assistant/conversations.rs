//! Lists, opens and changes stored conversations, and persists the current conversation.

use std::{cell::Cell, fmt, rc::Rc};

use assistant_core::{
    event::Content,
    session::{Input, Refusal},
};
use leptos::prelude::{ArcReadSignal, GetUntracked, Update as _, WithUntracked};
use send_wrapper::SendWrapper;

use super::Assistant;
use crate::{
    runtime::{StorePersistence, ThreadSearch},
    store::{Label, Ownership, Store, ThreadInfo},
    ui::now,
};

/// Methods for stored conversations.
impl Assistant {
    /// Returns the conversations of the assistant and their store.
    ///
    /// ```no_run
    /// use leptos::prelude::*;
    /// use leptos_assistant::use_assistant;
    ///
    /// #[component]
    /// fn Past() -> impl IntoView {
    ///     let conversations = use_assistant()?.conversations();
    ///     conversations.refresh();
    ///     let threads = conversations.list();
    ///     let titles = move || threads.get().into_iter().map(|thread| thread.title);
    ///     Some(view! { <p>{move || titles().collect::<Vec<_>>().join(", ")}</p> })
    /// }
    /// ```
    #[must_use]
    pub fn conversations(&self) -> Conversations {
        Conversations(self.clone())
    }
}

/// The conversations of an assistant and their store ([`Assistant::conversations`]).
#[derive(Debug, Clone)]
pub struct Conversations(Assistant);

impl Conversations {
    /// Persists conversations in a store from now on, and opens the conversation that this tab had
    /// before a reload. Call this method once, after the actions are registered;
    /// [`AssistantProvider`](crate::AssistantProvider) does it automatically.
    pub fn persist_in(&self, store: impl Store) {
        StorePersistence::start(self.0.runtime(), Rc::new(store), None, None);
    }

    /// Returns the ownership of the conversation, as a signal: whether the conversation is loaded,
    /// and whether this tab or another tab acts on the conversation.
    #[must_use]
    pub fn ownership(&self) -> ArcReadSignal<Ownership> {
        self.0.view().ownership.read_only()
    }

    /// Returns the messages that were refused after [`Assistant::send`] had accepted them, oldest
    /// first, as a signal. A message that is sent while the conversation is being read is refused
    /// if another tab turns out to own the conversation.
    ///
    /// A composer of this crate moves the messages back into its text box. Any other view shows
    /// them, and removes them with [`Conversations::take_returned_messages`].
    #[must_use]
    pub fn returned_messages(&self) -> ArcReadSignal<Vec<Content>> {
        self.0.runtime().returned.read_only()
    }

    /// Removes and returns the messages of [`Conversations::returned_messages`].
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(conversations: leptos_assistant::Conversations, text: RwSignal<String>) {
    /// let returned = conversations.returned_messages();
    /// Effect::new(move |_| {
    ///     if returned.with(|messages| !messages.is_empty()) {
    ///         let messages = conversations.take_returned_messages();
    ///         let texts = messages.iter().map(|content| content.display_text());
    ///         text.set(texts.collect::<Vec<_>>().join("\n\n"));
    ///     }
    /// });
    /// # }
    /// ```
    #[must_use]
    pub fn take_returned_messages(&self) -> Vec<Content> {
        let returned = &self.0.runtime().returned;
        returned.try_update(std::mem::take).unwrap_or_default()
    }

    /// Takes over the conversation from the tab that acts on the conversation. That tab writes its
    /// state and releases the conversation; calls whose handlers had started are shown to the user
    /// in this tab for a decision.
    pub fn use_here(&self) {
        if let Some(persistence) = self.0.runtime().persistence() {
            persistence.take_ownership();
        }
    }

    /// Returns the stored conversations, most recently written first, as a signal. The list is
    /// empty until [`Self::refresh`] was called. Deleted conversations stay in the list for a
    /// while, with [`ThreadInfo::deleted_at`] set.
    #[must_use]
    pub fn list(&self) -> ArcReadSignal<Vec<ThreadInfo>> {
        self.0.view().listed.read_only()
    }

    /// Loads the list of conversations from the store, and updates the signal of [`Self::list`].
    /// Changes by other tabs appear with the next load. Without a store nothing is loaded.
    pub fn refresh(&self) {
        if let Some(persistence) = self.0.runtime().persistence() {
            persistence.refresh_threads();
        }
    }

    /// Returns the ids of the conversations that were replaced in this page, oldest first, as a
    /// signal. With a store, replaced conversations are in the store, and this list is empty.
    #[must_use]
    pub fn replaced(&self) -> ArcReadSignal<Vec<String>> {
        self.0.view().archived.read_only()
    }

    /// Opens a conversation from the store, or a conversation that was replaced in this page.
    /// Loading from the store is asynchronous ([`Self::ownership`]); the user is notified of a
    /// failure.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// let conversations = assistant.conversations();
    /// if let Some(last) = conversations.replaced().get().last() {
    ///     conversations.open(last).ok();
    /// }
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Without a store, fails if no replaced conversation has this id or if the conversation cannot
    /// be read.
    pub fn open(&self, thread_id: &str) -> Result<(), Refusal> {
        if self.0.runtime().persistence().is_some() {
            self.0.runtime().open_thread(thread_id.to_owned());
            return Ok(());
        }
        let snapshot = self
            .0
            .runtime()
            .archived_snapshot(thread_id)
            .ok_or(Refusal::NothingToDo)?;
        self.0.dispatch(Input::Load {
            thread_id: thread_id.to_owned(),
            snapshot,
        })?;
        self.0.runtime().apply_queued_changes();
        Ok(())
    }

    /// Sets the user's title for a conversation; an empty title restores the generated title.
    /// Without a store nothing is set.
    pub fn rename(&self, thread_id: &str, title: impl Into<String>) {
        let deleted_at = self
            .listed_thread(thread_id)
            .and_then(|thread| thread.deleted_at);
        let title = Some(title.into()).filter(|title| !title.trim().is_empty());
        self.store_label(thread_id, Label { title, deleted_at });
    }

    /// Marks a conversation as deleted; the first [`Self::refresh`] after an hour removes the
    /// conversation permanently. If the conversation is open in this tab, a new conversation is
    /// started first. Without a store, nothing is marked.
    pub fn delete(&self, thread_id: &str) {
        if self.0.thread_id().get_untracked() == thread_id {
            self.0.new_conversation();
        }
        let label = Label {
            deleted_at: Some(now()),
            title: self.user_title(thread_id),
        };
        self.store_label(thread_id, label);
    }

    /// Undoes the deletion of a conversation that has not been removed yet. Without a store,
    /// nothing is undone.
    pub fn restore(&self, thread_id: &str) {
        let title = self.user_title(thread_id);
        let deleted_at = None;
        self.store_label(thread_id, Label { title, deleted_at });
    }

    /// Searches the messages of the listed conversations ([`Self::refresh`]), newest first, without
    /// regard to case. Calls back with the id of each conversation that contains the words, and
    /// with `None` at the end, until the search is dropped.
    ///
    /// The store loads one conversation after the other, at most 500 conversations and 32 MB of
    /// messages, and the page can handle input in between. Without a store nothing is found.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// let ids = RwSignal::new(Vec::new());
    /// let search = assistant.conversations().search("late tea", move |id| {
    ///     ids.update(|ids| ids.extend(id.map(str::to_owned)));
    /// });
    /// on_cleanup(move || drop(search));
    /// # }
    /// ```
    pub fn search(
        &self,
        words: impl Into<String>,
        found: impl Fn(Option<&str>) + 'static,
    ) -> ConversationSearch {
        let is_wanted = Rc::new(Cell::new(true));
        let search = ThreadSearch {
            words: words.into(),
            found: Box::new(found),
            wanted: Rc::clone(&is_wanted),
        };
        match self.0.runtime().persistence() {
            Some(persistence) => persistence.search_threads(search),
            None => (search.found)(None),
        }
        ConversationSearch(SendWrapper::new(is_wanted))
    }

    fn listed_thread(&self, thread_id: &str) -> Option<ThreadInfo> {
        let find =
            |list: &Vec<ThreadInfo>| list.iter().find(|thread| thread.id == thread_id).cloned();
        self.0.view().listed.with_untracked(find)
    }

    fn user_title(&self, thread_id: &str) -> Option<String> {
        let named_thread = self.listed_thread(thread_id).filter(|thread| thread.named);
        named_thread.map(|thread| thread.title)
    }

    fn store_label(&self, thread_id: &str, label: Label) {
        if let Some(persistence) = self.0.runtime().persistence() {
            persistence.store_label(thread_id.to_owned(), label);
        }
    }
}

/// A running search of stored conversations, which ends when this handle is dropped.
#[must_use = "dropping it ends the search"]
pub struct ConversationSearch(SendWrapper<Rc<Cell<bool>>>);

impl fmt::Debug for ConversationSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConversationSearch").finish_non_exhaustive()
    }
}

impl Drop for ConversationSearch {
    fn drop(&mut self) {
        self.0.set(false);
    }
}
