//! Navigates the tree by keyboard: moves between rows, and folds branches.

use assistant_core::conversation::MessageId;
use leptos::{ev, prelude::*};

use super::{TreeDialog, TreeState, row::message_preview};
use crate::ui::{is_right_to_left, to_lowercase};

/// The number of rows by which the keys Page Up and Page Down move.
const PAGE_ROWS: usize = 10;

pub(super) fn handle_key(tree: &TreeState, event: &ev::KeyboardEvent) {
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let key = event.key();
    let last_index = tree
        .rows
        .with_untracked(|rows| rows.len())
        .saturating_sub(1);
    let index = tree.current_index.get_untracked();
    let target_index = match key.as_str() {
        "ArrowDown" => (index + 1).min(last_index),
        "ArrowUp" => index.saturating_sub(1),
        "Home" => 0,
        "End" => last_index,
        "PageDown" => (index + PAGE_ROWS).min(last_index),
        "PageUp" => index.saturating_sub(PAGE_ROWS),
        // The arrow that points away from the start of the line leads to the next message.
        "ArrowRight" | "ArrowLeft" => match is_mirrored(tree) == (key == "ArrowLeft") {
            true => unfold_or_descend(tree, index),
            false => fold_or_ascend(tree, index),
        },
        "Enter" | " " | "Delete" => {
            if let Some(id) = row_message_id(tree, index) {
                match key.as_str() {
                    "Delete" => tree.open_dialog(TreeDialog::Delete(id)),
                    _ => tree.show_branch(&id),
                }
            }
            index
        }
        "+" if tree.is_drawn.get_untracked() => {
            tree.zoom_in();
            index
        }
        "-" if tree.is_drawn.get_untracked() => {
            tree.zoom_out();
            index
        }
        character if character.chars().count() == 1 => {
            find_row_by_typed_text(tree, index, character)
        }
        _ => return,
    };
    event.prevent_default();
    if target_index != index {
        tree.go_to_row(target_index);
    }
}

/// Returns true if the tree is drawn from right to left.
fn is_mirrored(tree: &TreeState) -> bool {
    let scroller = tree.scroller.get_untracked();
    scroller.is_some_and(|scroller| is_right_to_left(&scroller))
}

fn row_message_id(tree: &TreeState, index: usize) -> Option<MessageId> {
    let id = |row: &assistant_core::conversation::OutlineRow| row.id().clone();
    tree.rows.with_untracked(|rows| rows.get(index).map(id))
}

/// Unfolds a row if the row is folded. Returns the index of the first version of the next message
/// if the versions were already unfolded. Otherwise returns `index`.
fn unfold_or_descend(tree: &TreeState, index: usize) -> usize {
    let row = tree.rows.with_untracked(|rows| rows.get(index).cloned());
    match row {
        Some(row) if row.branches() > 0 && row.is_closed() => {
            tree.toggle_fold(row.id());
            index
        }
        Some(row) if row.branches() > 0 => index + 1,
        _ => index,
    }
}

/// Folds a row if the row is unfolded. Returns `index` after folding. Otherwise returns the index
/// of the row of the message whose versions include the row, or `index` if there is no such row.
fn fold_or_ascend(tree: &TreeState, index: usize) -> usize {
    let row = tree.rows.with_untracked(|rows| rows.get(index).cloned());
    match row {
        Some(row) if row.branches() > 0 && !row.is_closed() => {
            tree.toggle_fold(row.id());
            index
        }
        Some(row) => row.above().unwrap_or(index),
        None => index,
    }
}

/// Returns the index of the next row whose message begins with the typed character, continuing with
/// the first row after the last row. Returns `index` if there is no such row.
fn find_row_by_typed_text(tree: &TreeState, index: usize, typed: &str) -> usize {
    let prefix = to_lowercase(typed);
    let found_index = tree.assistant.with_conversation(|conversation| {
        tree.rows.with_untracked(|rows| {
            let rows_after = rows.iter().enumerate().skip(index + 1);
            let mut candidates = rows_after.chain(rows.iter().enumerate().take(index));
            let has_prefix = |id: &MessageId| {
                let preview = message_preview(id, conversation);
                preview.is_some_and(|preview| to_lowercase(&preview).starts_with(&prefix))
            };
            let matching_row = candidates.find(|(_, row)| has_prefix(row.id()));
            matching_row.map(|(index, _)| index)
        })
    });
    found_index.flatten().unwrap_or(index)
}

impl TreeState {
    /// Folds or unfolds the messages after a message, even if they include the branch that is
    /// shown, and makes the message current.
    pub(super) fn toggle_fold(&self, message: &MessageId) {
        self.cursor.set(Some(message.clone()));
        self.folded.update(|folded| {
            if !folded.remove(message) {
                folded.insert(message.clone());
            }
        });
    }
}
