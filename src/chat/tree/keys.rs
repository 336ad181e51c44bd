//! Navigates the tree by keyboard: moves between rows, and folds branches.

use assistant_core::conversation::MessageId;
use leptos::{ev, prelude::*};

use super::{TreeDialog, TreeState, row::message_preview};
use crate::ui::to_lowercase;

/// The number of rows in a page.
const PAGE: usize = 10;

pub(super) fn handle_key(tree: &TreeState, event: &ev::KeyboardEvent) {
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let key = event.key();
    let last = tree
        .rows
        .with_untracked(|rows| rows.len())
        .saturating_sub(1);
    let at = tree.at.get_untracked();
    let to = match key.as_str() {
        "ArrowDown" => (at + 1).min(last),
        "ArrowUp" => at.saturating_sub(1),
        "Home" => 0,
        "End" => last,
        "PageDown" => (at + PAGE).min(last),
        "PageUp" => at.saturating_sub(PAGE),
        "ArrowRight" => unfold_or_descend(tree, at),
        "ArrowLeft" => fold_or_ascend(tree, at),
        "Enter" | " " | "Delete" => {
            if let Some(id) = row_message_id(tree, at) {
                match key.as_str() {
                    "Delete" => tree.open_dialog(TreeDialog::Delete(id)),
                    _ => tree.show_branch(&id),
                }
            }
            at
        }
        "+" if tree.drawn.get_untracked() => {
            tree.zoom_in();
            at
        }
        "-" if tree.drawn.get_untracked() => {
            tree.zoom_out();
            at
        }
        typed if typed.chars().count() == 1 => find_row_by_typed_text(tree, at, typed),
        _ => return,
    };
    event.prevent_default();
    if to != at {
        tree.go_to_row(to);
    }
}

fn row_message_id(tree: &TreeState, at: usize) -> Option<MessageId> {
    let id = |row: &assistant_core::conversation::OutlineRow| row.id().clone();
    tree.rows.with_untracked(|rows| rows.get(at).map(id))
}

/// Unfolds a row if it is folded. Returns the index of the row to move to: the first version of the
/// next message, if the versions are unfolded; otherwise the same row.
fn unfold_or_descend(tree: &TreeState, at: usize) -> usize {
    let row = tree.rows.with_untracked(|rows| rows.get(at).cloned());
    match row {
        Some(row) if row.branches() > 0 && row.is_closed() => {
            tree.toggle_fold(row.id());
            at
        }
        Some(row) if row.branches() > 0 => at + 1,
        _ => at,
    }
}

/// Folds a row if it is unfolded. Returns the index of the row to move to: the same row after
/// folding; otherwise the row of the message whose versions include the row.
fn fold_or_ascend(tree: &TreeState, at: usize) -> usize {
    let row = tree.rows.with_untracked(|rows| rows.get(at).cloned());
    match row {
        Some(row) if row.branches() > 0 && !row.is_closed() => {
            tree.toggle_fold(row.id());
            at
        }
        Some(row) => row.above().unwrap_or(at),
        None => at,
    }
}

/// Returns the index of the next row whose message begins with the typed character, continuing from
/// the first row after the last; the current index if no message does.
fn find_row_by_typed_text(tree: &TreeState, at: usize, typed: &str) -> usize {
    let typed = to_lowercase(typed);
    let found = tree.assistant.with_conversation(|all| {
        tree.rows.with_untracked(|rows| {
            let after = rows.iter().enumerate().skip(at + 1);
            let mut others = after.chain(rows.iter().enumerate().take(at));
            let has_prefix = |id: &MessageId| {
                let words = message_preview(id, all);
                words.is_some_and(|words| to_lowercase(&words).starts_with(&typed))
            };
            let found = others.find(|(_, row)| has_prefix(row.id()));
            found.map(|(place, _)| place)
        })
    });
    found.flatten().unwrap_or(at)
}

impl TreeState {
    /// Folds or unfolds the messages after a message, even if they include the branch that is
    /// shown, and makes the message the current one.
    pub(super) fn toggle_fold(&self, message: &MessageId) {
        self.cursor.set(Some(message.clone()));
        self.closed.update(|closed| {
            if !closed.remove(message) {
                closed.insert(message.clone());
            }
        });
    }
}
