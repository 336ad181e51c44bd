//! Persistence of conversations.

use std::{cell::Cell, fmt, rc::Rc};

use leptos::prelude::{ArcReadSignal, GetUntracked, WithUntracked};
use send_wrapper::SendWrapper;
use serde_json::Value;

use super::Assistant;
use crate::{
    runtime::{Search, StorePersistence},
    store::{Label, Ownership, Store, ThreadInfo},
    ui::now,
};

impl Assistant {
    /// Persists conversations in a store from now on, and opens the one that this tab had before a
    /// reload. Call it once, after the actions are registered;
    /// [`AssistantProvider`](crate::AssistantProvider) does it automatically.
    ///
    /// ```
    /// use leptos_assistant::{Assistant, store::IndexedDbStore};
    ///
    /// # fn example(assistant: &Assistant) {
    /// assistant.persist_in(IndexedDbStore::new("orders"));
    /// # }
    /// ```
    pub fn persist_in(&self, store: impl Store) {
        self.keep(Rc::new(store), None, None);
    }

    pub(crate) fn keep(
        &self,
        store: Rc<dyn Store>,
        thread_id: Option<String>,
        mut initial: Option<Value>,
    ) {
        let own = initial.as_mut().and_then(Value::as_object_mut);
        let own = own.and_then(|own| own.shift_remove("threadId"));
        let own = own.and_then(|id| id.as_str().map(str::to_owned));
        let thread_id = thread_id.or(own).filter(|id| !id.is_empty());
        StorePersistence::begin(self.runtime(), store, thread_id, initial);
    }

    /// Returns the location of the conversation and whether this tab acts on it, as a signal.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// use leptos_assistant::store::Ownership;
    ///
    /// let ownership = assistant.ownership();
    /// let elsewhere = move || ownership.get() == Ownership::OtherTab;
    /// # }
    /// ```
    #[must_use]
    pub fn ownership(&self) -> ArcReadSignal<Ownership> {
        self.view().ownership.read_only()
    }

    /// Takes over the conversation from the tab that acts on it. That tab writes its state and
    /// releases the conversation; calls that its handlers had started are shown to the user for a
    /// decision here.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// assistant.use_here();
    /// # }
    /// ```
    pub fn use_here(&self) {
        if let Some(persistence) = self.runtime().persistence() {
            persistence.use_here();
        }
    }

    /// Returns the stored conversations, most recently written first, as a signal; empty until
    /// [`Self::list_conversations`] was called. Deleted conversations stay in it for a while, with
    /// [`ThreadInfo::deleted_at`].
    ///
    /// ```no_run
    /// use leptos::prelude::*;
    /// use leptos_assistant::use_assistant;
    ///
    /// #[component]
    /// fn Past() -> impl IntoView {
    ///     let assistant = use_assistant()?;
    ///     assistant.list_conversations();
    ///     let listed = assistant.conversations();
    ///     let titles = move || listed.get().into_iter().map(|thread| thread.title);
    ///     Some(view! { <p>{move || titles().collect::<Vec<_>>().join(", ")}</p> })
    /// }
    /// ```
    #[must_use]
    pub fn conversations(&self) -> ArcReadSignal<Vec<ThreadInfo>> {
        self.view().listed.read_only()
    }

    /// Loads the list of conversations, which [`Self::conversations`] then reflects. Changes by
    /// other tabs appear with the next load.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// assistant.list_conversations();
    /// let listed = assistant.conversations();
    /// let count = move || listed.with(Vec::len);
    /// # }
    /// ```
    pub fn list_conversations(&self) {
        if let Some(persistence) = self.runtime().persistence() {
            persistence.list();
        }
    }

    /// Sets the user's title of a conversation; an empty one removes it.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// assistant.rename_conversation("order-17", "The late tea");
    /// # }
    /// ```
    pub fn rename_conversation(&self, thread_id: &str, title: impl Into<String>) {
        let deleted_at = self.listed(thread_id).and_then(|thread| thread.deleted_at);
        let title = Some(title.into()).filter(|title| !title.trim().is_empty());
        self.label(thread_id, Label { title, deleted_at });
    }

    /// Marks a conversation as deleted; after an hour it is removed permanently. If it is open
    /// here, another one is begun first.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// assistant.delete_conversation("order-17");
    /// # }
    /// ```
    pub fn delete_conversation(&self, thread_id: &str) {
        if self.thread_id().get_untracked() == thread_id {
            self.new_conversation();
        }
        let label = Label {
            deleted_at: Some(now()),
            title: self.own_title(thread_id),
        };
        self.label(thread_id, label);
    }

    /// Undoes the deletion of a conversation.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// assistant.restore_conversation("order-17");
    /// # }
    /// ```
    pub fn restore_conversation(&self, thread_id: &str) {
        let title = self.own_title(thread_id);
        let deleted_at = None;
        self.label(thread_id, Label { title, deleted_at });
    }

    /// Searches the messages of the listed conversations ([`Self::list_conversations`]), newest first,
    /// without regard to case. Calls back with the id of each that contains the words, and with `None`
    /// at the end, until the search is dropped.
    ///
    /// The store loads one conversation after the other, at most 500 and 32 MB of messages, and the
    /// page can do its work in between. Without a store nothing is found.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// let found = RwSignal::new(Vec::new());
    /// let search = assistant.search_conversations("late tea", move |id| {
    ///     found.update(|found| found.extend(id.map(str::to_owned)));
    /// });
    /// on_cleanup(move || drop(search));
    /// # }
    /// ```
    pub fn search_conversations(
        &self,
        words: impl Into<String>,
        found: impl Fn(Option<&str>) + 'static,
    ) -> ConversationSearch {
        let wanted = Rc::new(Cell::new(true));
        let search = Search {
            words: words.into(),
            found: Box::new(found),
            wanted: Rc::clone(&wanted),
        };
        match self.runtime().persistence() {
            Some(persistence) => persistence.search(search),
            None => (search.found)(None),
        }
        ConversationSearch(SendWrapper::new(wanted))
    }

    fn listed(&self, thread_id: &str) -> Option<ThreadInfo> {
        let of = |list: &Vec<ThreadInfo>| list.iter().find(|it| it.id == thread_id).cloned();
        self.view().listed.with_untracked(of)
    }

    fn own_title(&self, thread_id: &str) -> Option<String> {
        let listed = self.listed(thread_id).filter(|thread| thread.named);
        listed.map(|thread| thread.title)
    }

    fn label(&self, thread_id: &str, label: Label) {
        if let Some(persistence) = self.runtime().persistence() {
            persistence.label(thread_id.to_owned(), label);
        }
    }
}

/// A search of stored conversations. Dropping it ends it.
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
