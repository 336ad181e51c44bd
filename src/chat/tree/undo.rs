//! Restores the last deleted branch.

use assistant_core::session::TreeChange;
use leptos::prelude::*;

use super::TreeState;
use crate::ui::{Icon, LabelName, dynamic, memo};

/// Shows the last deletion, with an Undo button as long as the branch can be restored.
pub(super) fn view(tree: &TreeState) -> AnyView {
    let (assistant, activity) = (tree.assistant.clone(), tree.assistant.activity());
    let deleted_count = memo(move || {
        assistant.branches().changes().track();
        // Tracks the activity, because the start of a run makes the deletion final.
        activity.track();
        let last_deleted_count = |conversation: &assistant_core::conversation::Conversation| {
            let last_deleted = conversation.last_deleted();
            last_deleted.map(|(_, count)| count)
        };
        assistant.with_conversation(last_deleted_count).flatten()
    });
    let words = tree.words.clone();
    let text = move || match deleted_count.get() {
        None => String::new(),
        Some(count) => words.count(LabelName::DeletedMessages, count),
    };
    let restore_tree = tree.clone();
    let restore = move |_| {
        let restored_id = restore_tree.assistant.with_conversation(|conversation| {
            conversation
                .last_deleted()
                .map(|(restored_id, _)| restored_id.clone())
        });
        let is_restored = restore_tree
            .assistant
            .branches()
            .change(TreeChange::Restore)
            .is_ok();
        if let Some(restored_id) = restored_id.flatten().filter(|_| is_restored) {
            restore_tree.cursor.set(Some(restored_id));
        }
        // Moves the focus to the tree, because the Undo button, which had the focus, is now hidden.
        restore_tree.focus();
    };
    view! {
        <div class="la-tree-undo" data-some=move || deleted_count.get().map(|_| "")>
            <p class="la-tree-removed" aria-live="polite" aria-atomic="true">
                {dynamic(text)}
            </p>
            <button
                type="button"
                class="la-button"
                data-variant="quiet"
                data-size="small"
                hidden=move || deleted_count.get().is_none()
                on:click=restore
            >
                {Icon::Undo.view()}
                <span>{tree.words.text(LabelName::Undo)}</span>
            </button>
        </div>
    }
    .into_any()
}
