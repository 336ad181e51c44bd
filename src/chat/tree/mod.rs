//! All branches of a conversation at once.
//!
//! Neighbours: `keys` is how it is walked, `row` what a message looks like in it, `deeds` what can
//! be done with one, `dialog` what is asked first.

mod deeds;
mod dialog;
mod keys;
mod row;

use std::{collections::HashSet, sync::Arc};

use assistant_core::{
    conversation::{MessageId, OutlineRow},
    session::TreeChange,
};
use leptos::{html, prelude::*};
use send_wrapper::SendWrapper;
use wasm_bindgen::{JsCast, closure::Closure};

use crate::{
    assistant::{Assistant, assistant_for},
    ui::{Words, each, effect, fresh_id, scope, written},
};

/// The height that a row is taken to have until one was seen, in pixels.
const FIRST_GUESS: f64 = 40.0;
/// The number of rows in the page above and below those in view.
const AROUND: usize = 6;
/// The most rows in the page, whatever room the application gives them.
const MOST: usize = 200;
/// The number that is taken to be in view before there is any room.
const LEAST: usize = 2 * AROUND + 1;

/// All branches of a conversation as a tree: what is shown is marked, any message can be gone to,
/// and branches can be deleted, or begun by writing a message anew.
///
/// What follows without a choice stands below what it follows; where there are versions they stand
/// one level further in. Only the rows in view are in the page, however large the tree is. It fills
/// its parent, which should have a height; without one it grows up to a limit.
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
/// Delete asks whether it is to go. Below the tree stands a toolbar for the message that the
/// keyboard is at.
///
/// # Styling
///
/// `la-tree`, with rows `la-tree-row` that carry `data-role`, `data-shown` on the branch that is
/// shown and `data-cursor` where the keyboard is; `--la-tree-level` is how far in a row stands.
#[component]
pub fn TreeView(
    /// Whose conversation; the one above without it.
    #[prop(optional)]
    assistant: Option<Assistant>,
) -> impl IntoView {
    let Some(assistant) = assistant_for(assistant, "TreeView") else {
        return ().into_any();
    };
    scope(Box::new(move || draw(&Tree::new(assistant))))
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
    /// The height of a row, in pixels.
    height: RwSignal<f64>,
    /// The rows in view.
    window: RwSignal<(usize, usize)>,
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
    fn new(assistant: Assistant) -> Self {
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
        Self {
            assistant,
            words: Words::current(),
            rows,
            closed,
            cursor,
            at,
            height: RwSignal::new(FIRST_GUESS),
            window: RwSignal::new((0, LEAST)),
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

    fn bring_into_view(&self, at: usize) {
        let Some(scroller) = self.scroller.get_untracked() else {
            return;
        };
        let height = self.height.get_untracked();
        let top = as_pixels(at) * height;
        let (from, room) = (
            f64::from(scroller.scroll_top()),
            f64::from(scroller.client_height()),
        );
        let to = match () {
            () if top < from => top,
            () if top + height > from + room => top + height - room,
            () => return,
        };
        #[allow(clippy::cast_possible_truncation, reason = "pixels of a page")]
        scroller.set_scroll_top(to.ceil() as i32);
        self.look();
    }

    /// The focus came. By a pointer it came to a row, which must not move away below it.
    fn came(&self) {
        let by_key = self.scroller.get_untracked().is_some_and(|scroller| {
            // It fails only for a selector that is none.
            scroller.matches(":focus-visible").unwrap_or_default()
        });
        if by_key {
            self.bring_into_view(self.at.get_untracked());
        }
    }

    /// Sees which rows are in view, and how high they are.
    fn look(&self) {
        let Some(scroller) = self.scroller.get_untracked() else {
            return;
        };
        let row = scroller.query_selector(".la-tree-row").ok().flatten();
        let seen = row.map(|row| row.get_bounding_client_rect().height());
        if let Some(seen) = seen.filter(|seen| *seen > 1.0)
            && (seen - self.height.get_untracked()).abs() > 0.01
        {
            self.height.set(seen);
        }
        let height = self.height.get_untracked();
        let whole = |pixels: f64| {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a place in a list"
            )]
            let rows = (pixels / height).max(0.0) as usize;
            rows
        };
        let first = whole(f64::from(scroller.scroll_top())).saturating_sub(AROUND);
        let count = whole(f64::from(scroller.client_height())) + LEAST;
        let count = count.min(MOST);
        if self.window.get_untracked() != (first, count) {
            self.window.set((first, count));
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

#[allow(clippy::cast_precision_loss, reason = "pixels of a page")]
fn as_pixels(rows: usize) -> f64 {
    rows as f64
}

fn draw(tree: &Tree) -> AnyView {
    let (words, of_rows, of_keys) = (tree.words.clone(), tree.clone(), tree.clone());
    let (rows, height, window) = (tree.rows, tree.height, tree.window);
    let items = move || {
        rows.with(|rows| {
            let (first, count) = window.get();
            let first = first.min(rows.len().saturating_sub(count));
            let shown = rows.iter().enumerate().skip(first).take(count);
            shown.map(|(at, row)| (at, row.clone())).collect::<Vec<_>>()
        })
    };
    let key = |(at, row): &(usize, OutlineRow)| format!("{at} {row:?}");
    let list = each(items, key, move |(at, row)| row::view(&of_rows, at, &row));
    let total = move || written(rows.with(|rows| as_pixels(rows.len())) * height.get()) + "px";
    let active = {
        let tree = tree.clone();
        move || {
            let some = tree.rows.with(|rows| !rows.is_empty());
            some.then(|| tree.row_id(tree.at.get()))
        }
    };
    let (looks, comes, keys) = (tree.clone(), tree.clone(), of_keys);
    begin(tree);
    view! {
        <div class="la-tree la-standalone">
            <div
                class="la-tree-scroller"
                role="tree"
                tabindex="0"
                aria-label=words.attr(|l| &l.branches)
                aria-activedescendant=active
                node_ref=tree.scroller
                on:scroll=move |_| looks.look()
                on:focus=move |_| comes.came()
                on:keydown=move |event| keys::pressed(&keys, &event)
            >
                <div class="la-tree-rows" role="presentation" style:block-size=total>
                    {list}
                </div>
            </div>
            {deeds::bar(tree)}
            {dialog::view(tree)}
        </div>
    }
    .into_any()
}

/// Looks at once, and whenever there is more or less room; where the keyboard is comes into view
/// once there is any.
fn begin(tree: &Tree) {
    let of = tree.clone();
    effect(move |_| {
        of.rows.track();
        of.look();
    });
    let of = tree.clone();
    let sized = move || {
        let had_room = of
            .window
            .try_get_untracked()
            .is_some_and(|(_, count)| count > LEAST);
        of.look();
        if !had_room {
            of.bring_into_view(of.at.get_untracked());
        }
    };
    let of = tree.clone();
    effect(move |_| {
        let Some(scroller) = of.scroller.get() else {
            return;
        };
        let changed = Closure::<dyn FnMut()>::new(sized.clone());
        let Ok(observer) = web_sys::ResizeObserver::new(changed.as_ref().unchecked_ref()) else {
            return;
        };
        observer.observe(&scroller);
        let watching = SendWrapper::new((observer, changed));
        on_cleanup(move || watching.0.disconnect());
    });
}
