//! What is asked before a branch goes, and where one is begun.

use assistant_core::{
    conversation::MessageId,
    session::{Refusal, TreeChange},
};
use leptos::{ev, html, prelude::*};

use super::{Asked, Tree, row::beginning};
use crate::{
    chat::counts::with_count,
    ui::{dynamic, each, effect, fresh_id},
};

/// The dialog, while something is asked.
pub(super) fn view(tree: &Tree) -> AnyView {
    let (asked, tree) = (tree.asked, tree.clone());
    each(
        move || asked.get().into_iter().collect(),
        |(turn, _)| turn.clone(),
        move |(turn, asked)| match asked {
            Asked::Delete(id) => deletion(&tree, turn, &id),
            Asked::Edit(id) => edit(&tree, turn, &id),
        },
    )
}

fn open(element: NodeRef<html::Dialog>) {
    effect(move |_| {
        if let Some(element) = element.get() {
            // Fails only for a dialog that is open already.
            let _ = element.show_modal();
        }
    });
}

/// Returns whether the dialog was left by the button that does it.
fn agreed(element: NodeRef<html::Dialog>) -> bool {
    let dialog = element.get_untracked();
    dialog.is_some_and(|dialog| dialog.return_value() == "confirm")
}

fn deletion(tree: &Tree, turn: String, id: &MessageId) -> AnyView {
    let words = tree.words.clone();
    let element = NodeRef::<html::Dialog>::new();
    open(element);
    let found = tree.assistant.with_conversation(|all| {
        let begins = all.message(id).map(beginning).unwrap_or_default();
        (begins, all.subtree_len(id))
    });
    let (begins, count) = found.unwrap_or_default();
    let text = {
        let words = words.clone();
        move || match count {
            0 | 1 => words.word(|l| &l.delete_one).into_owned(),
            count => with_count(&words.word(|l| &l.delete_text), count),
        }
    };
    let name = format!("la-dialog-{}", fresh_id());
    let (title, told) = (format!("{name}-title"), format!("{name}-text"));
    let closed = {
        let (tree, message) = (tree.clone(), id.clone());
        move |_| {
            let message = message.clone();
            if agreed(element) {
                // It is gone already if this is refused.
                let _ = tree.assistant.change_tree(TreeChange::Delete { message });
            }
            tree.answered(&turn);
        }
    };
    view! {
        <dialog
            class="la-dialog"
            aria-labelledby=title
            aria-describedby=told
            node_ref=element
            on:close=closed
        >
            <form class="la-dialog-form" method="dialog">
                <h2 class="la-dialog-title" id=title.clone()>
                    {words.text(|l| &l.delete_title)}
                </h2>
                <blockquote class="la-tree-quote" dir="auto">
                    {begins}
                </blockquote>
                <p class="la-dialog-text" id=told.clone()>
                    {dynamic(text)}
                </p>
                <div class="la-dialog-actions">
                    <button type="submit" class="la-button" value="cancel" autofocus>
                        <span>{words.text(|l| &l.cancel)}</span>
                    </button>
                    <button type="submit" class="la-button" data-variant="danger" value="confirm">
                        <span>{words.text(|l| &l.delete)}</span>
                    </button>
                </div>
            </form>
        </dialog>
    }
    .into_any()
}

fn edit(tree: &Tree, turn: String, id: &MessageId) -> AnyView {
    let words = tree.words.clone();
    let (element, input) = (
        NodeRef::<html::Dialog>::new(),
        NodeRef::<html::Textarea>::new(),
    );
    open(element);
    let text = tree
        .assistant
        .with_conversation(|all| all.message(id).map(|message| message.written()));
    let text = text.flatten().unwrap_or_default();
    effect(move |_| {
        if let Some(input) = input.get() {
            input.set_value(&text);
        }
    });
    let refused = RwSignal::new(None::<String>);
    let title = format!("la-dialog-{}", fresh_id());
    let sent = {
        let (tree, id) = (tree.clone(), id.clone());
        move |event: ev::SubmitEvent| {
            let by = event.submitter();
            let cancels =
                by.is_some_and(|by| by.get_attribute("value").as_deref() == Some("cancel"));
            let Some(input) = input.get_untracked().filter(|_| !cancels) else {
                return;
            };
            match tree.assistant.edit(&id, input.value().trim_end()) {
                // What was said is where the person goes on.
                Ok(()) => tree.cursor.set(None),
                Err(Refusal::EmptyMessage) => event.prevent_default(),
                Err(refusal) => {
                    event.prevent_default();
                    refused.set(Some(tree.words.now().refusal(&refusal)));
                }
            }
        }
    };
    let closed = {
        let tree = tree.clone();
        move |_| {
            tree.answered(&turn);
        }
    };
    view! {
        <dialog
            class="la-dialog"
            aria-labelledby=title
            node_ref=element
            on:close=closed
        >
            <form class="la-dialog-form" method="dialog" on:submit=sent>
                <h2 class="la-dialog-title" id=title.clone()>
                    {words.text(|l| &l.edit_message)}
                </h2>
                <textarea
                    class="la-input la-tree-edit"
                    rows="4"
                    aria-label=words.attr(|l| &l.your_message)
                    node_ref=input
                    autofocus
                ></textarea>
                <p class="la-composer-reason" role="alert">
                    {dynamic(move || refused.get())}
                </p>
                <div class="la-dialog-actions">
                    <button type="submit" class="la-button" value="cancel">
                        <span>{words.text(|l| &l.cancel)}</span>
                    </button>
                    <button type="submit" class="la-button" data-variant="primary" value="send">
                        <span>{words.text(|l| &l.send)}</span>
                    </button>
                </div>
            </form>
        </dialog>
    }
    .into_any()
}
