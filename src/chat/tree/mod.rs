//! All branches of a conversation at once.
//!
//! Neighbours: `keys` is how it is walked, `row` what a message looks like in it, `view` which rows
//! are in view, `drawn` the same as a drawing, `deeds` what can be done with one, `dialog` what is
//! asked first, `undo` how a deletion is taken back.

mod deeds;
mod dialog;
mod drawn;
mod keys;
mod row;
mod undo;
mod view;

use std::{collections::HashSet, sync::Arc};

use assistant_core::{
    conversation::{Drawing, MessageId, OutlineRow, Spot},
    session::TreeChange,
};
use leptos::{html, prelude::*};

use crate::{
    assistant::{Assistant, assistant_for},
    ui::{Words, each, fresh_id, scope},
};

/// All branches of a conversation as a tree: what is shown is marked, any message can be gone to,
/// and branches can be deleted, or begun by rewriting a message.
///
/// What follows without a choice stands below what it follows; where there are versions they stand
/// one level further in. Only the rows in view are in the page, however large the tree is. It fills
/// its parent, which should have a height; without one it grows up to a limit.
///
/// A button draws the same tree with lines from message to message, with Fit and zoom. Whichever
/// form it has, a deletion can be undone until the assistant is at work again.
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
/// A `tree` with one stop for the keyboard: the arrows go up, down, in and out, Home and End to the
/// ends, letters to the next message that begins with them; Enter shows the branch up to a message,
/// Delete asks whether it is to go. Drawn, it is the same `tree` with the same keys, and `+` and `-`
/// zoom. Above the tree stands a toolbar for its form, below it one for the message that the
/// keyboard is at.
///
/// # Styling
///
/// `la-tree`, with rows `la-tree-row` that carry `data-role`, `data-shown` on the branch that is
/// shown and `data-cursor` where the keyboard is; `--la-tree-level` is how far in a row stands. Drawn,
/// it has `data-drawn`, and `--la-tree-column` and `--la-tree-step` are the sizes of a place.
#[component]
pub fn TreeView(
    /// Whose conversation; the one above without it.
    #[prop(optional)]
    assistant: Option<Assistant>,
    /// Begins as a drawing.
    #[prop(optional)]
    drawn: bool,
) -> impl IntoView {
    let Some(assistant) = assistant_for(assistant, "TreeView") else {
        return ().into_any();
    };
    scope(Box::new(move || draw(&Tree::new(assistant, drawn))))
}

/// What the pieces of the tree share.
#[derive(Clone)]
struct Tree {
    assistant: Assistant,
    words: Words,
    rows: Memo<Arc<Vec<OutlineRow>>>,
    closed: RwSignal<HashSet<MessageId>>,
    /// Where the keyboard is.
    cursor: RwSignal<Option<MessageId>>,
    /// The same as a row.
    at: Memo<usize>,
    /// What of the list is in view.
    list: view::List,
    /// Whether it is drawn.
    drawn: RwSignal<bool>,
    /// Where everything stands while it is drawn.
    drawing: Memo<Option<Arc<Drawing>>>,
    /// What of the drawing is in view.
    plane: drawn::Plane,
    scroller: NodeRef<html::Div>,
    /// What is asked first, and which question it is: a dialog that was left says so later than the next one opens.
    asked: RwSignal<Option<(String, Asked)>>,
    /// Names the rows, which the tree points at.
    name: Arc<str>,
}

/// What a person is asked before something is done.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Asked {
    /// Asks whether a message goes, with all below it.
    Delete(MessageId),
    /// What it shall say instead, as another version.
    Edit(MessageId),
}

impl Tree {
    fn new(assistant: Assistant, drawn: bool) -> Self {
        let closed = RwSignal::new(HashSet::new());
        let (of, path) = (assistant.clone(), assistant.messages());
        let rows = Memo::new_with_compare(
            move |_| {
                of.tree_changes().track();
                path.track();
                let outline = closed.with(|closed| of.with_conversation(|all| all.outline(closed)));
                Arc::new(outline.unwrap_or_default())
            },
            |_, _| true,
        );
        let cursor = RwSignal::new(None::<MessageId>);
        // A row that is gone leaves the cursor where it was.
        let at = Memo::new(move |before: Option<&usize>| {
            rows.with(|rows| {
                let of = |id: &MessageId| rows.iter().position(|row| row.id == *id);
                let tip = || rows.iter().rposition(|row| row.shown);
                let found = match cursor.get() {
                    Some(id) => of(&id).or(before.copied()),
                    None => tip(),
                };
                found.unwrap_or(0).min(rows.len().saturating_sub(1))
            })
        });
        let drawn = RwSignal::new(drawn);
        let drawing = Memo::new_with_compare(
            move |_| {
                drawn
                    .get()
                    .then(|| rows.with(|rows| Arc::new(Drawing::of(rows))))
            },
            |_, _| true,
        );
        Self {
            assistant,
            words: Words::current(),
            rows,
            closed,
            cursor,
            at,
            list: view::List::new(),
            drawn,
            drawing,
            plane: drawn::Plane::new(),
            scroller: NodeRef::new(),
            asked: RwSignal::new(None),
            name: format!("la-tree-{}", fresh_id()).into(),
        }
    }

    fn ask(&self, what: Asked) {
        self.asked.set(Some((fresh_id(), what)));
    }

    /// A question was answered, and the person goes on in the tree, unless the next one stands.
    fn answered(&self, turn: &str) {
        let stands = self
            .asked
            .with_untracked(|asked| asked.as_ref().is_some_and(|(now, _)| now == turn));
        if stands {
            self.asked.set(None);
            self.focus();
        }
    }

    /// The message that the keyboard is at.
    fn current(&self) -> Option<OutlineRow> {
        let at = self.at.get();
        self.rows.with(|rows| rows.get(at).cloned())
    }

    /// The branch that ends with a message is shown.
    fn show(&self, message: &MessageId) {
        self.cursor.set(Some(message.clone()));
        let message = message.clone();
        // It is gone by now if there is none.
        let _ = self.assistant.change_tree(TreeChange::Select {
            message,
            exact: true,
        });
    }

    /// Goes to a row, which comes into view.
    fn go_to(&self, at: usize) {
        let id = self
            .rows
            .with_untracked(|rows| rows.get(at).map(|row| row.id.clone()));
        if let Some(id) = id {
            self.cursor.set(Some(id));
            self.bring_into_view(at);
        }
    }

    fn row_id(&self, at: usize) -> String {
        format!("{}-{at}", self.name)
    }

    /// Puts the focus back on the tree once a dialog is gone.
    fn focus(&self) {
        if let Some(scroller) = self.scroller.get_untracked() {
            // Focusing an element that is in the page does not fail.
            let _ = scroller.focus();
        }
    }
}

fn draw(tree: &Tree) -> AnyView {
    let (words, of_rows, of_keys) = (tree.words.clone(), tree.clone(), tree.clone());
    let of_items = tree.clone();
    let items = move || match of_items.drawing.get() {
        Some(drawing) => of_items.drawn_rows(&drawing),
        None => of_items.listed_rows(),
    };
    let key = |(at, row, spot): &Entry| format!("{at} {row:?} {spot:?}");
    let rows = each(items, key, move |(at, row, spot)| {
        row::view(&of_rows, at, &row, spot)
    });
    let active = {
        let tree = tree.clone();
        move || {
            let some = tree.rows.with(|rows| !rows.is_empty());
            some.then(|| tree.row_id(tree.at.get()))
        }
    };
    let (looks, comes, keys) = (tree.clone(), tree.clone(), of_keys);
    let (turns, drawn) = (tree.clone(), tree.drawn);
    let height = tree.list_height();
    view::begin(tree);
    view! {
        <div class="la-tree la-standalone" data-drawn=move || drawn.get().then_some("")>
            {drawn::tools(tree)}
            <div
                class="la-tree-scroller"
                role="tree"
                tabindex="0"
                aria-label=words.attr(|l| &l.branches)
                aria-activedescendant=active
                node_ref=tree.scroller
                on:scroll=move |_| looks.look()
                on:focus=move |_| comes.came()
                on:wheel=move |event| turns.wheel(&event)
                on:keydown=move |event| keys::pressed(&keys, &event)
            >
                <div
                    class="la-tree-rows"
                    role="presentation"
                    node_ref=tree.plane.element
                    style:block-size=height
                >
                    {drawn::ways(tree)}
                    {rows}
                </div>
            </div>
            {undo::view(tree)}
            {deeds::bar(tree)}
            {dialog::view(tree)}
        </div>
    }
    .into_any()
}

/// A row, its number, and where it stands if it is drawn.
type Entry = (usize, OutlineRow, Option<Spot>);
