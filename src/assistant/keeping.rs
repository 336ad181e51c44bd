//! Keeping conversations beyond the page.

use std::rc::Rc;

use leptos::prelude::{ArcReadSignal, GetUntracked, WithUntracked};
use serde_json::Value;

use super::Assistant;
use crate::{
    runtime::Keeping,
    store::{KeptIn, Label, Store, ThreadInfo},
    ui::now,
};

impl Assistant {
    /// Keeps conversations in a store from now on, and goes on with the one that this tab had before
    /// it was loaded again. To be called once, after the actions are registered;
    /// [`AssistantProvider`](crate::AssistantProvider) does by itself.
    ///
    /// ```
    /// use leptos_assistant::{Assistant, store::IndexedDbStore};
    ///
    /// # fn example(assistant: &Assistant) {
    /// assistant.keep_in(IndexedDbStore::new("orders"));
    /// # }
    /// ```
    pub fn keep_in(&self, store: impl Store) {
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
        Keeping::begin(self.runtime(), store, thread_id, initial);
    }

    /// Returns where the conversation is kept and whether this tab acts on it, as a signal.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// use leptos_assistant::store::KeptIn;
    ///
    /// let kept = assistant.kept_in();
    /// let elsewhere = move || kept.get() == KeptIn::Elsewhere;
    /// # }
    /// ```
    #[must_use]
    pub fn kept_in(&self) -> ArcReadSignal<KeptIn> {
        self.view().kept_in.read_only()
    }

    /// Acts on the conversation in this tab, where another one does. That one writes down what it has
    /// and lets go; what its handlers had begun is shown to the person for a decision here.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// assistant.use_here();
    /// # }
    /// ```
    pub fn use_here(&self) {
        if let Some(keeper) = self.runtime().keeper() {
            keeper.use_here();
        }
    }

    /// The conversations in the store, the one that was written last first; empty until
    /// [`Self::list_conversations`] was called. Those that were deleted stay in it for a while, with
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

    /// Reads the list of conversations, from now on followed by [`Self::conversations`]. What other
    /// tabs write is seen when it is read.
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
        if let Some(keeper) = self.runtime().keeper() {
            keeper.list();
        }
    }

    /// Gives a conversation a title of the person's own; an empty one takes it back.
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

    /// Marks a conversation as deleted; after an hour it is removed for good. One that is open here is
    /// left first.
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

    /// Takes the deletion of a conversation back.
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

    fn listed(&self, thread_id: &str) -> Option<ThreadInfo> {
        let of = |list: &Vec<ThreadInfo>| list.iter().find(|it| it.id == thread_id).cloned();
        self.view().listed.with_untracked(of)
    }

    fn own_title(&self, thread_id: &str) -> Option<String> {
        let listed = self.listed(thread_id).filter(|thread| thread.named);
        listed.map(|thread| thread.title)
    }

    fn label(&self, thread_id: &str, label: Label) {
        if let Some(keeper) = self.runtime().keeper() {
            keeper.label(thread_id.to_owned(), label);
        }
    }
}
