//! Renders the actions on the current message of the tree.

use assistant_core::{conversation::Message, event::Role};
use leptos::prelude::*;

use super::{TreeDialog, TreeState};
use crate::ui::{Icon, Labels, Word, dynamic, memo};

/// Renders the toolbar below the tree, or a line that says that the tree is empty.
pub(super) fn view(tree: &TreeState) -> AnyView {
    let words = tree.words.clone();
    let is_there = {
        let tree = tree.clone();
        memo(move || tree.current_row().is_some())
    };
    let by_person = {
        let tree = tree.clone();
        memo(move || {
            let current = tree.current_row();
            let role = current.and_then(|row| {
                tree.assistant
                    .with_conversation(|all| all.message(row.id()).map(Message::author_role))
            });
            role.flatten() == Some(Role::User)
        })
    };
    let activity = tree.assistant.activity();
    let busy = memo(move || activity.get().busy);
    let shows = tree.clone();
    let show = move |_| {
        if let Some(row) = untrack(|| shows.current_row()) {
            shows.show_branch(row.id());
        }
    };
    let edits = tree.clone();
    let edit = move |_| {
        if let Some(row) = untrack(|| edits.current_row()).filter(|_| !busy.get_untracked()) {
            edits.open_dialog(TreeDialog::Edit(row.id().clone()));
        }
    };
    let deletes = tree.clone();
    let delete = move |_| {
        if let Some(row) = untrack(|| deletes.current_row()) {
            deletes.open_dialog(TreeDialog::Delete(row.id().clone()));
        }
    };
    let of = tree.clone();
    let empty_note = move || {
        let is_empty = !is_there.get();
        is_empty.then(|| view! { <p class="la-tree-empty">{of.words.text(|l| &l.no_branches)}</p> })
    };
    view! {
        {dynamic(empty_note)}
        <div
            class="la-tree-bar"
            role="group"
            aria-label=words.attr(|l| &l.message_actions)
            hidden=move || !is_there.get()
        >
            {toolbar_button(tree, Icon::Chat, |l| &l.show_branch, Signal::stored(false), Box::new(show))}
            <span hidden=move || {
                !by_person.get()
            }>{toolbar_button(tree, Icon::Pencil, |l| &l.edit_message, busy.into(), Box::new(edit))}</span>
            {toolbar_button(tree, Icon::Trash, |l| &l.delete, Signal::stored(false), Box::new(delete))}
        </div>
    }
    .into_any()
}

fn toolbar_button(
    tree: &TreeState,
    icon: Icon,
    word: fn(&Labels) -> &Word,
    waits: Signal<bool>,
    act: Box<dyn FnMut(web_sys::MouseEvent)>,
) -> AnyView {
    view! {
        <button
            type="button"
            class="la-button"
            data-size="small"
            aria-disabled=move || waits.get().then_some("true")
            on:click=act
        >
            {icon.view()}
            <span>{tree.words.text(word)}</span>
        </button>
    }
    .into_any()
}
