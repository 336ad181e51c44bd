//! Shows all branches of a conversation as a tree.
//!
//! The module `keys` contains the keyboard navigation, `row` renders a message, `view` selects the
//! visible rows of the list, `drawing` selects the visible rows of the drawing, `toolbar` contains
//! the actions, `dialog` renders the dialogs of the actions, and `undo` restores deleted branches.

mod dialog;
mod drawing;
mod keys;
mod row;
mod toolbar;
mod undo;
mod view;

use std::{collections::HashSet, sync::Arc};

use assistant_core::{
    conversation::{Conversation, Drawing, MessageId, OutlineRow, Spot},
    session::TreeChange,
};
use leptos::{html, prelude::*};

use crate::{
    assistant::{Assistant, assistant_for},
    ui::{LabelName, Words, each, fresh_id, memo, scope},
};

/// All branches of a conversation as a tree. The branch that is shown is marked, any message can be
/// selected, and branches can be deleted, or begun by editing a message.
///
/// Messages without alternatives are listed below the message that they follow; versions are
/// indented by one level. Only visible rows are mounted, however large the tree is. The tree fills
/// its parent, which should have a height; otherwise the tree grows up to a limit.
///
/// A button switches to a drawing of the same tree with lines between messages. The drawing can be
/// fitted to the view and zoomed. In both forms, a deletion can be undone until the assistant is
/// running again.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{AssistantProvider, ChatWindow, agent::HttpAgent, chat::TreeView};
///
/// #[component]
/// fn App() -> impl IntoView {
///     view! {
///         <AssistantProvider agent=HttpAgent::new("/agent")>
///             <TreeView />
///             <ChatWindow />
///         </AssistantProvider>
///     }
/// }
/// ```
///
/// # Accessibility
///
/// The component is a `tree` with one tab stop. The arrow keys move up, down, in and out, Home and
/// End move to the ends, and a letter moves to the next message that begins with the letter. Enter
/// shows the branch up to the current message, and Delete asks before the current message is
/// deleted. The drawing is the same `tree` with the same keys, and `+` and `-` zoom. A toolbar
/// above the tree switches the form of the tree, and a toolbar below the tree acts on the current
/// message.
///
/// # Styling
///
/// The tree has the class `la-tree`, and its rows have the class `la-tree-row`, with `data-role`,
/// `data-shown` on the branch that is shown and `data-cursor` on the current message;
/// `--la-tree-level` is the indentation of a row. The drawing has `data-drawn`, and
/// `--la-tree-column` and `--la-tree-step` are the sizes of a cell.
#[component]
pub fn TreeView(
    /// The assistant. If omitted, the assistant in context is used.
    #[prop(optional)]
    assistant: Option<Assistant>,
    /// True if the tree is first shown as a drawing.
    #[prop(optional)]
    drawn: bool,
) -> impl IntoView {
    let Some(assistant) = assistant_for(assistant, "TreeView") else {
        return ().into_any();
    };
    scope(Box::new(move || {
        tree_view(&TreeState::new(assistant, drawn))
    }))
}

/// The state that the parts of the tree share.
#[derive(Clone)]
struct TreeState {
    assistant: Assistant,
    words: Words,
    rows: Memo<Arc<Vec<OutlineRow>>>,
    /// The id of the last message of the branch that is shown.
    tip: Memo<Option<MessageId>>,
    folded: RwSignal<HashSet<MessageId>>,
    /// The id of the current message of keyboard navigation. The value `None` selects the last
    /// message of the branch that is shown.
    cursor: RwSignal<Option<MessageId>>,
    /// The index of the row of the current message.
    current_index: Memo<usize>,
    /// The visible part of the list.
    list: view::RowList,
    /// True while the tree is shown as a drawing.
    is_drawn: RwSignal<bool>,
    drawing: Memo<Option<Arc<Drawing>>>,
    /// The visible area of the drawing.
    viewport: drawing::DrawingViewport,
    scroller: NodeRef<html::Div>,
    /// The open dialog with its id. The id is needed, because a dialog may report its closing only
    /// after the next dialog has opened.
    dialog: RwSignal<Option<(String, TreeDialog)>>,
    /// The prefix of the ids of rows, to which `aria-activedescendant` refers.
    id_prefix: Arc<str>,
}

/// A dialog that the user confirms before a branch is deleted or begun.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TreeDialog {
    /// The confirmation of the deletion of a message and all messages below it.
    Delete(MessageId),
    /// An editor whose text becomes another version of a message.
    Edit(MessageId),
}

impl TreeState {
    fn new(assistant: Assistant, drawn: bool) -> Self {
        let folded = RwSignal::new(HashSet::new());
        let (outline_assistant, messages) = (assistant.clone(), assistant.messages());
        let rows = Memo::new_with_compare(
            move |_| {
                outline_assistant.branches().changes().track();
                messages.track();
                let outline = folded.with(|folded| {
                    outline_assistant.with_conversation(|conversation| conversation.outline(folded))
                });
                Arc::new(outline.unwrap_or_default())
            },
            |_, _| true,
        );
        let tip_assistant = assistant.clone();
        let tip = memo(move || {
            rows.track();
            let tip = |conversation: &Conversation| conversation.tip().cloned();
            tip_assistant.with_conversation(tip).flatten()
        });
        let cursor = RwSignal::new(None::<MessageId>);
        // If the current message is removed, the row at the same index becomes the current row.
        let current_index = Memo::new(move |previous: Option<&usize>| {
            rows.with(|rows| {
                let row_index = |id: &MessageId| rows.iter().position(|row| *row.id() == *id);
                let last_shown_index = || rows.iter().rposition(|row| row.is_shown());
                let index = match cursor.get() {
                    Some(id) => row_index(&id).or(previous.copied()),
                    None => last_shown_index(),
                };
                index.unwrap_or(0).min(rows.len().saturating_sub(1))
            })
        });
        let is_drawn = RwSignal::new(drawn);
        let drawing = Memo::new_with_compare(
            move |_| {
                is_drawn
                    .get()
                    .then(|| rows.with(|rows| Arc::new(Drawing::of(rows))))
            },
            |_, _| true,
        );
        Self {
            assistant,
            words: Words::current(),
            rows,
            tip,
            folded,
            cursor,
            current_index,
            list: view::RowList::new(),
            is_drawn,
            drawing,
            viewport: drawing::DrawingViewport::new(),
            scroller: NodeRef::new(),
            dialog: RwSignal::new(None),
            id_prefix: format!("la-tree-{}", fresh_id()).into(),
        }
    }

    fn open_dialog(&self, dialog: TreeDialog) {
        self.dialog.set(Some((fresh_id(), dialog)));
    }

    /// Handles the end of a dialog: clears the open dialog and focuses the tree, unless another
    /// dialog has opened since.
    fn close_dialog(&self, dialog_id: &str) {
        let is_open = self.dialog.with_untracked(|dialog| {
            dialog
                .as_ref()
                .is_some_and(|(open_id, _)| open_id == dialog_id)
        });
        if is_open {
            self.dialog.set(None);
            self.focus();
        }
    }

    fn current_row(&self) -> Option<OutlineRow> {
        let index = self.current_index.get();
        self.rows.with(|rows| rows.get(index).cloned())
    }

    /// Shows the branch that ends with a message, and makes the message current.
    fn show_branch(&self, message: &MessageId) {
        self.cursor.set(Some(message.clone()));
        let message = message.clone();
        // The result is ignored, because a refusal means that the message was removed.
        let _ = self.assistant.branches().change(TreeChange::Select {
            message,
            exact: true,
        });
    }

    /// Makes a row the current row, and scrolls the row into view.
    fn go_to_row(&self, index: usize) {
        let id = self
            .rows
            .with_untracked(|rows| rows.get(index).map(|row| row.id().clone()));
        if let Some(id) = id {
            self.cursor.set(Some(id));
            self.bring_row_into_view(index);
        }
    }

    fn row_id(&self, index: usize) -> String {
        format!("{}-{index}", self.id_prefix)
    }

    /// Focuses the tree after a dialog or an undone deletion.
    fn focus(&self) {
        if let Some(scroller) = self.scroller.get_untracked() {
            // The result is ignored, because focusing an element in the page cannot fail.
            let _ = scroller.focus();
        }
    }
}

fn tree_view(tree: &TreeState) -> AnyView {
    let (words, row_tree, key_tree) = (tree.words.clone(), tree.clone(), tree.clone());
    let item_tree = tree.clone();
    let items = move || match item_tree.drawing.get() {
        Some(drawing) => item_tree.drawn_rows(&drawing),
        None => item_tree.listed_rows(),
    };
    let key = |(index, row, spot): &TreeItem| format!("{index} {row:?} {spot:?}");
    let rows = each(items, key, move |(index, row, spot)| {
        row::view(&row_tree, index, &row, spot)
    });
    let active_row_id = {
        let tree = tree.clone();
        move || {
            let has_rows = tree.rows.with(|rows| !rows.is_empty());
            has_rows.then(|| tree.row_id(tree.current_index.get()))
        }
    };
    let (scroll_tree, focus_tree) = (tree.clone(), tree.clone());
    let (wheel_tree, is_drawn) = (tree.clone(), tree.is_drawn);
    let height = tree.list_height();
    view::watch_rows(tree);
    view! {
        <div class="la-tree la-standalone" data-drawn=move || is_drawn.get().then_some("")>
            {drawing::drawing_toolbar(tree)}
            <div
                class="la-tree-scroller"
                role="tree"
                tabindex="0"
                aria-label=words.attr(LabelName::Branches)
                aria-activedescendant=active_row_id
                node_ref=tree.scroller
                on:scroll=move |_| scroll_tree.update_rows()
                on:focus=move |_| focus_tree.handle_focus()
                on:wheel=move |event| wheel_tree.handle_wheel(&event)
                on:keydown=move |event| keys::handle_key(&key_tree, &event)
            >
                <div
                    class="la-tree-rows"
                    role="presentation"
                    node_ref=tree.viewport.element
                    style:block-size=height
                >
                    {drawing::render_edges(tree)}
                    {rows}
                </div>
            </div>
            {undo::view(tree)}
            {toolbar::view(tree)}
            {dialog::view(tree)}
        </div>
    }
    .into_any()
}

/// The index of a row, the row, and its position in the drawing, which is `None` in the list.
type TreeItem = (usize, OutlineRow, Option<Spot>);
