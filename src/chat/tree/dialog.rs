//! Renders the dialogs that delete a branch or begin a new branch.

use assistant_core::{
    conversation::MessageId,
    session::{Refusal, TreeChange},
};
use leptos::{ev, html, prelude::*};

use super::{TreeDialog, TreeState, row::message_preview};
use crate::ui::{LabelName, Labels, dynamic, each, effect, fresh_id, live_in_dialog};

/// Renders the open dialog of the tree, if any.
pub(super) fn view(tree: &TreeState) -> AnyView {
    let (open_dialog, tree) = (tree.dialog, tree.clone());
    each(
        move || open_dialog.get().into_iter().collect(),
        |(dialog_id, _)| dialog_id.clone(),
        move |(dialog_id, dialog)| match dialog {
            TreeDialog::Delete(id) => deletion_dialog(&tree, dialog_id, &id),
            TreeDialog::Edit(id) => edit_dialog(&tree, dialog_id, &id),
        },
    )
}

fn open_dialog_when_mounted(element: NodeRef<html::Dialog>) {
    effect(move |_| {
        if let Some(element) = element.get() {
            // The result is ignored, because the call fails only if the dialog is already open.
            let _ = element.show_modal();
        }
    });
}

/// Returns true if the dialog was closed by a button with the value `confirm`.
fn is_confirmed(element: NodeRef<html::Dialog>) -> bool {
    let dialog = element.get_untracked();
    dialog.is_some_and(|dialog| dialog.return_value() == "confirm")
}

fn deletion_dialog(tree: &TreeState, dialog_id: String, id: &MessageId) -> AnyView {
    let words = tree.words.clone();
    let element = NodeRef::<html::Dialog>::new();
    let preview_and_count = tree.assistant.with_conversation(|conversation| {
        let preview = message_preview(id, conversation).unwrap_or_default();
        (preview, conversation.subtree_len(id))
    });
    let (preview, count) = preview_and_count.unwrap_or_default();
    let text = {
        let words = words.clone();
        move || match count {
            0 | 1 => words.word(LabelName::DeleteOne).into_owned(),
            count => words.count(LabelName::DeleteText, count),
        }
    };
    let description_id = format!("la-dialog-{}", fresh_id());
    let content = view! {
        <blockquote class="la-tree-quote" dir="auto">
            {preview}
        </blockquote>
        <p class="la-dialog-text" id=description_id.clone()>
            {dynamic(text)}
        </p>
    };
    let message = id.clone();
    DialogFrame {
        element,
        title: LabelName::DeleteTitle,
        description_id: Some(description_id),
        content: content.into_any(),
        focuses_cancel: true,
        confirm_label: LabelName::Delete,
        variant: "danger",
        value: "confirm",
        on_submit: Box::new(|_| ()),
        on_close: Box::new({
            let tree = tree.clone();
            move || {
                if is_confirmed(element) {
                    let message = message.clone();
                    // The result is ignored, because a refusal means that the branch was already
                    // removed.
                    let _ = tree
                        .assistant
                        .branches()
                        .change(TreeChange::Delete { message });
                }
            }
        }),
    }
    .view(tree, dialog_id)
}

/// The shared frame of the dialogs: a title, the content, and two buttons of which the second
/// confirms.
struct DialogFrame {
    element: NodeRef<html::Dialog>,
    title: LabelName,
    /// The id of the element that describes the dialog.
    description_id: Option<String>,
    content: AnyView,
    /// True if Cancel has the initial focus.
    focuses_cancel: bool,
    confirm_label: LabelName,
    variant: &'static str,
    value: &'static str,
    on_submit: Box<dyn FnMut(ev::SubmitEvent)>,
    on_close: Box<dyn Fn()>,
}

impl DialogFrame {
    fn view(self, tree: &TreeState, dialog_id: String) -> AnyView {
        let (words, tree, on_close) = (tree.words.clone(), tree.clone(), self.on_close);
        let title_id = format!("la-dialog-{}", fresh_id());
        open_dialog_when_mounted(self.element);
        let on_close = move |_| {
            on_close();
            tree.close_dialog(&dialog_id);
        };
        view! {
            <dialog
                class="la-dialog"
                aria-labelledby=title_id
                aria-describedby=self.description_id
                node_ref=self.element
                on:close=on_close
            >
                <form class="la-dialog-form" method="dialog" on:submit=self.on_submit>
                    <h2 class="la-dialog-title" id=title_id.clone()>
                        {words.text(self.title)}
                    </h2>
                    {self.content}
                    <div class="la-dialog-actions">
                        <button
                            type="submit"
                            class="la-button"
                            value="cancel"
                            autofocus=self.focuses_cancel
                        >
                            <span>{words.text(LabelName::Cancel)}</span>
                        </button>
                        <button
                            type="submit"
                            class="la-button"
                            data-variant=self.variant
                            value=self.value
                        >
                            <span>{words.text(self.confirm_label)}</span>
                        </button>
                    </div>
                </form>
                {live_in_dialog()}
            </dialog>
        }
        .into_any()
    }
}

fn edit_dialog(tree: &TreeState, dialog_id: String, id: &MessageId) -> AnyView {
    let words = tree.words.clone();
    let (element, input) = (
        NodeRef::<html::Dialog>::new(),
        NodeRef::<html::Textarea>::new(),
    );
    let text = tree.assistant.with_conversation(|conversation| {
        conversation.message(id).map(|message| message.written())
    });
    let text = text.flatten().unwrap_or_default();
    effect(move |_| {
        if let Some(input) = input.get() {
            input.set_value(&text);
        }
    });
    let refusal_label = RwSignal::new(None::<LabelName>);
    let submit = {
        let (tree, id) = (tree.clone(), id.clone());
        move |event: ev::SubmitEvent| {
            let submitter = event.submitter();
            let is_cancelled = submitter.is_some_and(|submitter| {
                submitter.get_attribute("value").as_deref() == Some("cancel")
            });
            let Some(input) = input.get_untracked().filter(|_| !is_cancelled) else {
                return;
            };
            match tree.assistant.edit(&id, input.value().trim_end()) {
                // The cursor moves to the sent message, which is the last message of the branch
                // that is shown.
                Ok(()) => tree.cursor.set(None),
                Err(Refusal::EmptyMessage) => event.prevent_default(),
                Err(refusal) => {
                    event.prevent_default();
                    refusal_label.set(Some(Labels::refusal(&refusal)));
                }
            }
        }
    };
    let dialog_words = words.clone();
    let content = view! {
        <textarea
            class="la-input la-tree-edit"
            rows="4"
            aria-label=words.attr(LabelName::YourMessage)
            node_ref=input
            autofocus
        ></textarea>
        <p class="la-composer-reason" role="alert">
            {dynamic(move || refusal_label.get().map(|word| dialog_words.word(word)))}
        </p>
    };
    DialogFrame {
        element,
        title: LabelName::EditMessage,
        description_id: None,
        content: content.into_any(),
        focuses_cancel: false,
        confirm_label: LabelName::Send,
        variant: "primary",
        value: "send",
        on_submit: Box::new(submit),
        on_close: Box::new(|| ()),
    }
    .view(tree, dialog_id)
}
