//! Restores the last deleted branch.

use assistant_core::session::TreeChange;
use leptos::prelude::*;

use super::TreeState;
use crate::{
    chat::counts::insert_count,
    ui::{Icon, dynamic, memo},
};

/// Shows the last deletion, with an Undo button as long as the branch can be restored.
pub(super) fn view(tree: &TreeState) -> AnyView {
    let (of, activity) = (tree.clone(), tree.assistant.activity());
    let deleted = memo(move || {
        of.assistant.branches().changes().track();
        // A run that begins makes the deletion final.
        activity.track();
        let last = |all: &assistant_core::conversation::Conversation| {
            let last = all.last_deleted();
            last.map(|(_, count)| count)
        };
        of.assistant.with_conversation(last).flatten()
    });
    let words = tree.words.clone();
    let text = move || match deleted.get() {
        None => String::new(),
        Some(1) => words.word(|l| &l.deleted_one).into_owned(),
        Some(count) => insert_count(&words.word(|l| &l.deleted_many), count),
    };
    let of = tree.clone();
    let restore = move |_| {
        let first = of
            .assistant
            .with_conversation(|all| all.last_deleted().map(|(first, _)| first.clone()));
        let done = of.assistant.branches().change(TreeChange::Restore).is_ok();
        if let Some(first) = first.flatten().filter(|_| done) {
            of.cursor.set(Some(first));
        }
        // The button is hidden by then.
        of.focus();
    };
    view! {
        <div class="la-tree-undo" data-some=move || deleted.get().map(|_| "")>
            <p class="la-tree-removed" aria-live="polite" aria-atomic="true">
                {dynamic(text)}
            </p>
            <button
                type="button"
                class="la-button"
                data-variant="quiet"
                data-size="small"
                hidden=move || deleted.get().is_none()
                on:click=restore
            >
                {Icon::Undo.view()}
                <span>{tree.words.text(|l| &l.undo)}</span>
            </button>
        </div>
    }
    .into_any()
}
