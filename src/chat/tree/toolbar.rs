//! Renders the actions on the current message of the tree.

use assistant_core::{conversation::Message, event::Role};
use leptos::prelude::*;

use super::{TreeDialog, TreeState};
use crate::ui::{Icon, LabelName, dynamic, memo};

/// Renders the toolbar below the tree, or a line that says that the tree is empty.
pub(super) fn view(tree: &TreeState) -> AnyView {
    let words = tree.words.clone();
    let has_row = {
        let tree = tree.clone();
        memo(move || tree.current_row().is_some())
    };
    let is_by_user = {
        let tree = tree.clone();
        memo(move || {
            let current = tree.current_row();
            let role = current.and_then(|row| {
                tree.assistant.with_conversation(|conversation| {
                    conversation.message(row.id()).map(Message::author_role)
                })
            });
            role.flatten() == Some(Role::User)
        })
    };
    let activity = tree.assistant.activity();
    let is_busy = memo(move || activity.get().busy);
    let show = {
        let tree = tree.clone();
        move |_| {
            if let Some(row) = untrack(|| tree.current_row()) {
                tree.show_branch(row.id());
            }
        }
    };
    let edit = {
        let tree = tree.clone();
        move |_| {
            if let Some(row) = untrack(|| tree.current_row()).filter(|_| !is_busy.get_untracked()) {
                tree.open_dialog(TreeDialog::Edit(row.id().clone()));
            }
        }
    };
    let delete = {
        let tree = tree.clone();
        move |_| {
            if let Some(row) = untrack(|| tree.current_row()) {
                tree.open_dialog(TreeDialog::Delete(row.id().clone()));
            }
        }
    };
    let empty_note = {
        let words = words.clone();
        move || {
            let is_empty = !has_row.get();
            is_empty
                .then(|| view! { <p class="la-tree-empty">{words.text(LabelName::NoBranches)}</p> })
        }
    };
    view! {
        {dynamic(empty_note)}
        <div
            class="la-tree-bar"
            role="group"
            aria-label=words.attr(LabelName::MessageActions)
            hidden=move || !has_row.get()
        >
            {toolbar_button(tree, Icon::Chat, LabelName::ShowBranch, Signal::stored(false), Box::new(show))}
            <span hidden=move || {
                !is_by_user.get()
            }>{toolbar_button(tree, Icon::Pencil, LabelName::EditMessage, is_busy.into(), Box::new(edit))}</span>
            {toolbar_button(tree, Icon::Trash, LabelName::Delete, Signal::stored(false), Box::new(delete))}
        </div>
    }
    .into_any()
}

fn toolbar_button(
    tree: &TreeState,
    icon: Icon,
    label: LabelName,
    is_disabled: Signal<bool>,
    on_click: Box<dyn FnMut(web_sys::MouseEvent)>,
) -> AnyView {
    view! {
        <button
            type="button"
            class="la-button"
            data-size="small"
            aria-disabled=move || is_disabled.get().then_some("true")
            on:click=on_click
        >
            {icon.view()}
            <span>{tree.words.text(label)}</span>
        </button>
    }
    .into_any()
}
