//! Renders the dialogs that delete a branch or begin a new branch.

use assistant_core::{
    conversation::MessageId,
    session::{Refusal, TreeChange},
};
use leptos::{ev, html, prelude::*};

use super::{TreeDialog, TreeState, row::message_preview};
use crate::{
    chat::counts::insert_count,
    ui::{LabelSelector, Labels, Word, dynamic, each, effect, fresh_id, live_in_dialog},
};

/// Renders the open dialog of the tree, if any.
pub(super) fn view(tree: &TreeState) -> AnyView {
    let (asked, tree) = (tree.asked, tree.clone());
    each(
        move || asked.get().into_iter().collect(),
        |(turn, _)| turn.clone(),
        move |(turn, asked)| match asked {
            TreeDialog::Delete(id) => deletion_dialog(&tree, turn, &id),
            TreeDialog::Edit(id) => edit_dialog(&tree, turn, &id),
        },
    )
}

fn open_dialog_when_mounted(element: NodeRef<html::Dialog>) {
    effect(move |_| {
        if let Some(element) = element.get() {
            // Fails only if the dialog is already open.
            let _ = element.show_modal();
        }
    });
}

/// Returns true if the dialog was closed by a button with the value `confirm`.
fn is_confirmed(element: NodeRef<html::Dialog>) -> bool {
    let dialog = element.get_untracked();
    dialog.is_some_and(|dialog| dialog.return_value() == "confirm")
}

fn deletion_dialog(tree: &TreeState, turn: String, id: &MessageId) -> AnyView {
    let words = tree.words.clone();
    let element = NodeRef::<html::Dialog>::new();
    let found = tree.assistant.with_conversation(|all| {
        let begins = message_preview(id, all).unwrap_or_default();
        (begins, all.subtree_len(id))
    });
    let (begins, count) = found.unwrap_or_default();
    let text = {
        let words = words.clone();
        move || match count {
            0 | 1 => words.word(|l| &l.delete_one).into_owned(),
            count => insert_count(&words.word(|l| &l.delete_text), count),
        }
    };
    let description_id = format!("la-dialog-{}", fresh_id());
    let inside = view! {
        <blockquote class="la-tree-quote" dir="auto">
            {begins}
        </blockquote>
        <p class="la-dialog-text" id=description_id.clone()>
            {dynamic(text)}
        </p>
    };
    let message = id.clone();
    let of = tree.clone();
    DialogFrame {
        element,
        title: |l| &l.delete_title,
        description_id: Some(description_id),
        inside: inside.into_any(),
        cancels_first: true,
        does: |l| &l.delete,
        variant: "danger",
        value: "confirm",
        sent: Box::new(|_| ()),
        closed: Box::new(move || {
            if is_confirmed(element) {
                // A refusal means that the branch was already removed.
                let message = message.clone();
                let _ = of
                    .assistant
                    .branches()
                    .change(TreeChange::Delete { message });
            }
        }),
    }
    .view(tree, turn)
}

/// The shared frame of the dialogs: a title, the content, and two buttons of which the second
/// confirms.
struct DialogFrame {
    element: NodeRef<html::Dialog>,
    title: fn(&Labels) -> &Word,
    /// The id of the element that describes the dialog.
    description_id: Option<String>,
    inside: AnyView,
    /// True if Cancel has the initial focus.
    cancels_first: bool,
    does: fn(&Labels) -> &Word,
    variant: &'static str,
    value: &'static str,
    sent: Box<dyn FnMut(ev::SubmitEvent)>,
    closed: Box<dyn Fn()>,
}

impl DialogFrame {
    fn view(self, tree: &TreeState, turn: String) -> AnyView {
        let (words, of, closed) = (tree.words.clone(), tree.clone(), self.closed);
        let title = format!("la-dialog-{}", fresh_id());
        open_dialog_when_mounted(self.element);
        let closed = move |_| {
            closed();
            of.close_dialog(&turn);
        };
        view! {
            <dialog
                class="la-dialog"
                aria-labelledby=title
                aria-describedby=self.description_id
                node_ref=self.element
                on:close=closed
            >
                <form class="la-dialog-form" method="dialog" on:submit=self.sent>
                    <h2 class="la-dialog-title" id=title.clone()>
                        {words.text(self.title)}
                    </h2>
                    {self.inside}
                    <div class="la-dialog-actions">
                        <button
                            type="submit"
                            class="la-button"
                            value="cancel"
                            autofocus=self.cancels_first
                        >
                            <span>{words.text(|l| &l.cancel)}</span>
                        </button>
                        <button
                            type="submit"
                            class="la-button"
                            data-variant=self.variant
                            value=self.value
                        >
                            <span>{words.text(self.does)}</span>
                        </button>
                    </div>
                </form>
                {live_in_dialog()}
            </dialog>
        }
        .into_any()
    }
}

fn edit_dialog(tree: &TreeState, turn: String, id: &MessageId) -> AnyView {
    let words = tree.words.clone();
    let (element, input) = (
        NodeRef::<html::Dialog>::new(),
        NodeRef::<html::Textarea>::new(),
    );
    let text = tree
        .assistant
        .with_conversation(|all| all.message(id).map(|message| message.written()));
    let text = text.flatten().unwrap_or_default();
    effect(move |_| {
        if let Some(input) = input.get() {
            input.set_value(&text);
        }
    });
    let refused = RwSignal::new(None::<LabelSelector>);
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
                // The user continues at the message that was sent.
                Ok(()) => tree.cursor.set(None),
                Err(Refusal::EmptyMessage) => event.prevent_default(),
                Err(refusal) => {
                    event.prevent_default();
                    refused.set(Some(Labels::refusal(&refusal)));
                }
            }
        }
    };
    let dialog_words = words.clone();
    let inside = view! {
        <textarea
            class="la-input la-tree-edit"
            rows="4"
            aria-label=words.attr(|l| &l.your_message)
            node_ref=input
            autofocus
        ></textarea>
        <p class="la-composer-reason" role="alert">
            {dynamic(move || refused.get().map(|word| dialog_words.word(word)))}
        </p>
    };
    DialogFrame {
        element,
        title: |l| &l.edit_message,
        description_id: None,
        inside: inside.into_any(),
        cancels_first: false,
        does: |l| &l.send,
        variant: "primary",
        value: "send",
        sent: Box::new(sent),
        closed: Box::new(|| ()),
    }
    .view(tree, turn)
}
