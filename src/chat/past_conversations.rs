//! Lists the stored conversations, which the user can open, rename and delete.

use std::collections::HashMap;

use leptos::{
    ev::{KeyboardEvent, SubmitEvent},
    html,
    prelude::*,
};

use super::{day, past_search};
use crate::{
    assistant::{Assistant, assistant_for},
    store::ThreadInfo,
    ui::{
        Icon, IconButton, LabelName, Words, after, dynamic, each, effect, focus, is_composing,
        memo,
        time::{self, TimeFormat},
        truncate, when,
    },
};

/// The stored conversations, newest first, each with the time of its last change. The user can
/// open, rename and delete each conversation, and undo a deletion. If there are several
/// conversations, a field finds conversations whose title or messages contain a text. The list is
/// empty without a store.
///
/// # Accessibility
///
/// The component is a named region with a list of buttons; the open conversation is `aria-current`.
/// A deleted conversation is replaced by a `status` with Undo. A search without results is also
/// shown as a `status`. Deleting a conversation moves the focus to Undo, undoing the deletion moves
/// the focus to the conversation, and renaming or Escape returns the focus to the Rename button.
///
/// # Styling
///
/// The region has the class `la-past`, with `la-past-search` for the field and `la-past-item` for
/// each conversation.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{
///     AssistantProvider, ChatWindow, agent::HttpAgent, chat::PastConversations,
///     store::IndexedDbStore,
/// };
///
/// #[component]
/// fn App() -> impl IntoView {
///     view! {
///         <AssistantProvider agent=HttpAgent::new("/agent") store=IndexedDbStore::new("orders")>
///             <PastConversations />
///             <ChatWindow />
///         </AssistantProvider>
///     }
/// }
/// ```
#[component]
pub fn PastConversations(
    /// The assistant whose conversations are listed. If omitted, the assistant in context is used.
    #[prop(optional)]
    assistant: Option<Assistant>,
    /// The callback for the choice of a conversation, for example to close the surrounding panel.
    #[prop(optional, into)]
    on_open: Option<Callback<()>>,
) -> impl IntoView {
    let Some(assistant) = assistant_for(assistant, "PastConversations") else {
        return ().into_any();
    };
    let words = Words::current();
    let (unfiltered_threads, threads) = (
        assistant.conversations().list(),
        assistant.conversations().list(),
    );
    let ownership = assistant.conversations().ownership();
    let query = RwSignal::new(String::new());
    let store_assistant = assistant.clone();
    // The ownership is tracked, because the store is available only once the provider is mounted.
    effect(move |_| {
        ownership.track();
        store_assistant.conversations().refresh();
    });
    let all_threads = threads.clone();
    let threads_by_id = memo(move || {
        let entry = |thread: &ThreadInfo| (thread.id.clone(), thread.clone());
        all_threads.with(|list| list.iter().map(entry).collect::<HashMap<_, _>>())
    });
    let list = PastList {
        assistant,
        threads_by_id,
        words: words.clone(),
        renaming_id: RwSignal::new(None),
        next_focus: StoredValue::new(None),
        on_open,
    };
    let search_results = past_search::search_conversations(list.assistant.clone(), query);
    let matching_threads = memo(move || {
        let query = query.with(|query| query.trim().to_lowercase());
        let ids_by_content = search_results.ids.get();
        let is_match = |thread: &&ThreadInfo| {
            thread.title.to_lowercase().contains(&query) || ids_by_content.contains(&thread.id)
        };
        unfiltered_threads.with(|list| match query.is_empty() {
            true => list.clone(),
            false => list.iter().filter(is_match).cloned().collect(),
        })
    });
    let has_several = {
        let threads = threads.clone();
        move || threads.with(Vec::len) > 1
    };
    let search = when(has_several, search_field(&words, query));
    let render_no_match = {
        let words = words.clone();
        move || {
            view! { <p class="la-past-empty" role="status">{words.text(LabelName::NoMatch)}</p> }
                .into_any()
        }
    };
    let has_no_match = {
        let threads = threads.clone();
        move || {
            let is_empty =
                matching_threads.with(Vec::is_empty) && threads.with(|list| !list.is_empty());
            is_empty && search_results.is_over.get()
        }
    };
    let items = each(
        move || matching_threads.get(),
        |thread| thread.id.clone(),
        move |thread| list.render_item(thread),
    );
    let render_empty = {
        let words = words.clone();
        move || {
            view! { <p class="la-past-empty">{words.text(LabelName::NoConversations)}</p> }
                .into_any()
        }
    };
    view! {
        <section class="la-past" aria-label=words.attr(LabelName::PastConversations)>
            {search} {when(move || threads.with(Vec::is_empty), render_empty)}
            {when(has_no_match, render_no_match)} <ul class="la-past-list">{items}</ul>
        </section>
    }
    .into_any()
}

/// Returns a function that renders the search field. Typing in the field sets `query`.
fn search_field(words: &Words, query: RwSignal<String>) -> impl Fn() -> AnyView + Send + use<> {
    let words = words.clone();
    move || {
        view! {
            <input
                class="la-input la-past-search"
                type="search"
                autocomplete="off"
                aria-label=words.attr(LabelName::SearchConversations)
                placeholder=words.attr(LabelName::SearchConversations)
                prop:value=query
                on:input=move |event| query.set(event_target_value(&event))
            />
        }
        .into_any()
    }
}

/// The maximum length of a title in the list, in characters.
const MAX_TITLE_CHARS: usize = 200;

/// The state that the items of the list share.
#[derive(Clone)]
struct PastList {
    assistant: Assistant,
    threads_by_id: Memo<HashMap<String, ThreadInfo>>,
    words: Words,
    /// The id of the conversation that is being renamed.
    renaming_id: RwSignal<Option<String>>,
    /// The element that gets the focus after an action that removes the pressed button.
    next_focus: StoredValue<Option<NextFocus>>,
    on_open: Option<Callback<()>>,
}

/// The form in which an item of the list is shown.
#[derive(Clone, Copy, PartialEq)]
enum ItemState {
    Row,
    Form,
    Deleted,
}

/// The element that gets the focus once an item is shown in a given state.
struct NextFocus {
    id: String,
    state: ItemState,
    selector: &'static str,
}

const OPEN_BUTTON: &str = ".la-past-open";
const RENAME_BUTTON: &str = ".la-past-rename";
const UNDO_BUTTON: &str = "button";

impl PastList {
    /// Returns a function that returns the displayed title of a conversation. The function tracks
    /// the title and the language.
    fn title(&self, thread: Memo<ThreadInfo>) -> impl Fn() -> String + Send + use<> {
        let words = self.words.clone();
        move || {
            thread.with(|thread| match thread.title.trim() {
                "" => words.word(LabelName::Untitled).into_owned(),
                title => truncate(title, MAX_TITLE_CHARS).into_owned(),
            })
        }
    }

    fn render_item(&self, thread: ThreadInfo) -> AnyView {
        let (list, threads_by_id, renaming_id) =
            (self.clone(), self.threads_by_id, self.renaming_id);
        let (id, item) = (thread.id.clone(), NodeRef::<html::Li>::new());
        // The item stays mounted while its conversation changes, so the item tracks the
        // conversation.
        let thread = memo(move || {
            threads_by_id.with(|threads| threads.get(&thread.id).unwrap_or(&thread).clone())
        });
        let state_id = id.clone();
        let state = memo(move || {
            let is_deleted = thread.with(|thread| thread.deleted_at.is_some());
            let is_renaming = renaming_id.with(|it| it.as_ref() == Some(&state_id));
            match (is_deleted, is_renaming) {
                (true, _) => ItemState::Deleted,
                (false, true) => ItemState::Form,
                (false, false) => ItemState::Row,
            }
        });
        let content = move || {
            let state = state.get();
            list.recover_focus(&id, state, item);
            match state {
                ItemState::Deleted => list.render_deleted_row(&id, thread),
                ItemState::Form => list.render_rename_form(&id, thread),
                ItemState::Row => list.render_row(&id, thread),
            }
        };
        view! { <li class="la-past-item" node_ref=item>{dynamic(content)}</li> }.into_any()
    }

    /// Sets the element that gets the focus after an action on a conversation.
    fn set_next_focus(&self, id: &str, state: ItemState, selector: &'static str) {
        let id = id.to_owned();
        self.next_focus.set_value(Some(NextFocus {
            id,
            state,
            selector,
        }));
    }

    /// Focuses the element that was set for this item and state once the item is rendered, if the
    /// focus was lost in the meantime.
    fn recover_focus(&self, id: &str, state: ItemState, item: NodeRef<html::Li>) {
        let next_focus = self.next_focus.try_update_value(|next_focus| {
            next_focus.take_if(|it| it.id == id && it.state == state)
        });
        if let Some(next_focus) = next_focus.flatten() {
            after(0, move || {
                if let Some(item) = item.try_get_untracked().flatten() {
                    focus::recover_focus(&item, next_focus.selector);
                }
            });
        }
    }

    fn render_row(&self, id: &str, thread: Memo<ThreadInfo>) -> AnyView {
        let (open_id, row_id) = (self.assistant.thread_id(), id.to_owned());
        let aria_current = move || (open_id.get() == row_id).then_some("true");
        let (assistant, opened_id, on_open) = (self.assistant.clone(), id.to_owned(), self.on_open);
        let open = move |_| {
            if assistant.thread_id().get_untracked() != opened_id {
                // The result is ignored, because a conversation that cannot be opened is reported
                // in the chat.
                let _ = assistant.conversations().open(&opened_id);
            }
            if let Some(on_open) = on_open {
                on_open.run(());
            }
        };
        let (renaming_id, renamed_id) = (self.renaming_id, id.to_owned());
        let rename = Box::new(move || renaming_id.set(Some(renamed_id.clone())));
        let (list, deleted_id) = (self.clone(), id.to_owned());
        let delete = Box::new(move || {
            list.set_next_focus(&deleted_id, ItemState::Deleted, UNDO_BUTTON);
            list.assistant.conversations().delete(&deleted_id);
        });
        let updated_at = move || thread.with(|thread| thread.updated_at);
        let words = self.words.clone();
        let full_time = {
            let words = words.clone();
            move || words.get().format_time(updated_at(), TimeFormat::Full)
        };
        let last_change = move || day::format_last_change(&words, updated_at());
        view! {
            <button type="button" class="la-past-open" aria-current=aria_current on:click=open>
                <span class="la-past-title" dir="auto">{dynamic(self.title(thread))}</span>
                <time
                    class="la-past-time"
                    datetime=move || time::format_iso(updated_at())
                    title=full_time
                >
                    {dynamic(last_change)}
                </time>
            </button>
            {self.render_button("la-button la-past-rename", Icon::Pencil, LabelName::Rename, rename)}
            {self.render_button("la-button", Icon::Trash, LabelName::Delete, delete)}
        }
        .into_any()
    }

    fn render_button(
        &self,
        class: &'static str,
        icon: Icon,
        label: LabelName,
        act: Box<dyn Fn()>,
    ) -> AnyView {
        IconButton {
            class,
            ..IconButton::new(label, icon, move |_| act())
        }
        .view(&self.words)
    }

    fn render_deleted_row(&self, id: &str, thread: Memo<ThreadInfo>) -> AnyView {
        let (words, title) = (self.words.clone(), self.title(thread));
        let text = move || words.word(LabelName::Deleted).replace("{text}", &title());
        let (list, id) = (self.clone(), id.to_owned());
        let undo = move |_| {
            list.set_next_focus(&id, ItemState::Row, OPEN_BUTTON);
            list.assistant.conversations().restore(&id);
        };
        view! {
            <p class="la-past-deleted" role="status">{dynamic(text)}</p>
            <button
                type="button"
                class="la-button"
                data-variant="quiet"
                data-size="small"
                on:click=undo
            >
                {Icon::Undo.view()}
                <span>{self.words.text(LabelName::Undo)}</span>
            </button>
        }
        .into_any()
    }

    fn render_rename_form(&self, id: &str, thread: Memo<ThreadInfo>) -> AnyView {
        let input = NodeRef::<html::Input>::new();
        let (list, renamed_id) = (self.clone(), id.to_owned());
        let save = move |event: SubmitEvent| {
            event.prevent_default();
            let title = input.get_untracked().map(|input| input.value());
            let title = title.unwrap_or_default().trim().to_owned();
            list.set_next_focus(&renamed_id, ItemState::Row, RENAME_BUTTON);
            list.assistant.conversations().rename(&renamed_id, title);
            list.renaming_id.set(None);
        };
        let (list, id) = (self.clone(), id.to_owned());
        let cancel = move |event: KeyboardEvent| {
            if event.key() == "Escape" && !is_composing(&event) {
                event.stop_propagation();
                list.set_next_focus(&id, ItemState::Row, RENAME_BUTTON);
                list.renaming_id.set(None);
            }
        };
        let title = thread.with_untracked(|thread| thread.title.clone());
        effect(move |_| {
            let Some(input) = input.get() else { return };
            input.set_value(&title);
            // The focus moves immediately, so that no typed key is lost. The result is ignored,
            // because focusing an element in the page cannot fail.
            let _ = input.focus();
            input.select();
        });
        view! {
            <form class="la-past-form" on:submit=save on:keydown=cancel>
                <input
                    class="la-input"
                    type="text"
                    autocomplete="off"
                    aria-label=self.words.attr(LabelName::TitleOf)
                    node_ref=input
                />
                <button type="submit" class="la-button" data-size="small">
                    <span>{self.words.text(LabelName::Save)}</span>
                </button>
            </form>
        }
        .into_any()
    }
}
