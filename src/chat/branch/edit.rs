//! Edits user messages in place.

use assistant_core::{conversation::MessageId, event::Role, session::Refusal};
use leptos::{ev, html, prelude::*};

use super::super::{
    edited_message::DraftKey, message_context::MessageContext,
    transcript_context::TranscriptContext,
};
use crate::ui::{
    Icon, IconButton, LabelName, Labels, Words, closest, dynamic, effect, focus::focus_descendant,
    fresh_id, is_composing, when,
};

/// The button that replaces a user message's text with a [`MessageEditor`]. The button is shown
/// only below user messages, and is disabled while the assistant is busy. A
/// [`Transcript`](crate::chat::Transcript) shows the button below each user message.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{
///     chat::{MessageEdit, MessageEditor, MessageParts, MessageRoot},
///     view::MessageCell,
/// };
///
/// fn bubble(message: MessageCell) -> impl IntoView {
///     view! {
///         <MessageRoot message><MessageParts /> <MessageEditor /> <MessageEdit /></MessageRoot>
///     }
/// }
/// ```
#[component]
pub fn MessageEdit() -> impl IntoView {
    let message_context = MessageContext::find_surrounding("MessageEdit")?;
    let is_by_user = message_context.message.role == Role::User;
    is_by_user.then(|| edit_button(&message_context.transcript(), &message_context.message.id))
}

pub(in crate::chat) fn edit_button(transcript: &TranscriptContext, id: &MessageId) -> AnyView {
    let words = Words::current();
    let (activity, edited_message, id) = (
        transcript.assistant.activity(),
        transcript.edited_message,
        id.clone(),
    );
    let assistant = transcript.assistant.clone();
    let on_click = move |_| edited_message.edit_message(&assistant, id.clone());
    IconButton {
        class: "la-button la-message-edit",
        disabled: Signal::derive(move || activity.get().busy),
        ..IconButton::new(LabelName::EditMessage, Icon::Pencil, on_click)
    }
    .view(&words)
}

/// The editor of a user message, mounted while the user edits the message. Enter sends the text as
/// another version of the message, with the files of the message; Shift+Enter inserts a line break;
/// Escape cancels. See [`MessageEdit`] for an example.
///
/// # Accessibility
///
/// The text box gets the focus, with the cursor after the text. Pressing Up in an empty composer of
/// the same window opens the editor of the user's last message. Cancelling returns the focus to the
/// button or the composer that opened the editor; sending moves the focus to the composer. A
/// refusal is announced, and the text stays. The text also stays while another message is edited,
/// and if the editor is unmounted because its message is far from the view; an editor that is
/// mounted again does not take the focus.
///
/// # Styling
///
/// The editor has the class `la-message-editor`; the surrounding message has `data-editing`.
#[component]
pub fn MessageEditor() -> impl IntoView {
    let Some(message_context) = MessageContext::find_surrounding("MessageEditor") else {
        return ().into_any();
    };
    if message_context.message.role != Role::User {
        return ().into_any();
    }
    let (transcript, id) = (
        message_context.transcript(),
        message_context.message.id.clone(),
    );
    let (edited_message, edited_id) = (transcript.edited_message, id.clone());
    let is_editing = move || edited_message.is_editing(&edited_id);
    when(is_editing, move || render_editor(&transcript, &id)).into_any()
}

/// An open editor: its elements, and the state that its buttons and keys change.
#[derive(Clone)]
struct Draft {
    transcript: TranscriptContext,
    id: MessageId,
    key: DraftKey,
    words: Words,
    form: NodeRef<html::Form>,
    input: NodeRef<html::Textarea>,
    refusal: RwSignal<Option<LabelName>>,
}

impl Draft {
    /// Closes the editor without sending, and returns the focus to the composer or the button that
    /// opened the editor.
    fn close(&self) {
        let container = self.closest_element(".la-turn");
        let container = container.or_else(|| self.closest_element(".la-message"));
        let chat = self.closest_element(".la-chat");
        match (
            self.transcript.edited_message.close_editor(&self.key),
            chat,
            container,
        ) {
            (true, Some(chat), _) => focus_descendant(chat, ".la-composer-input"),
            (_, _, Some(container)) => focus_descendant(container, ".la-message-edit"),
            _ => {}
        }
    }

    fn send(&self) {
        let Some(input) = self.input.get_untracked() else {
            return;
        };
        let chat = self.closest_element(".la-chat");
        match self
            .transcript
            .assistant
            .edit(&self.id, input.value().trim_end())
        {
            Ok(()) => {
                self.transcript.edited_message.close_editor(&self.key);
                self.transcript.scroll_to_end();
                if let Some(chat) = chat {
                    focus_descendant(chat, ".la-composer-input");
                }
            }
            // An empty message is ignored, as in the composer.
            Err(Refusal::EmptyMessage) => {}
            Err(refusal) => self.refusal.set(Some(Labels::refusal(&refusal))),
        }
    }

    /// Stores the text, and clears the reason for a refusal.
    fn handle_input(&self) {
        self.refusal.set(None);
        if let Some(input) = self.input.get_untracked() {
            let edited_message = self.transcript.edited_message;
            edited_message.store_draft(&self.key, input.value());
        }
    }

    fn closest_element(&self, selector: &str) -> Option<web_sys::Element> {
        let form = self.form.get_untracked()?;
        closest(&form, selector)
    }

    fn handle_key(&self, event: &ev::KeyboardEvent) {
        let in_composition = is_composing(event);
        match event.key().as_str() {
            "Escape" if !in_composition => {
                // The event is stopped, so that Escape closes only this editor and not a
                // surrounding window.
                event.stop_propagation();
                event.prevent_default();
                self.close();
            }
            "Enter" if !in_composition && !event.shift_key() => {
                event.prevent_default();
                self.send();
            }
            _ => {}
        }
    }
}

fn render_editor(transcript: &TranscriptContext, id: &MessageId) -> AnyView {
    let assistant = &transcript.assistant;
    let key = (assistant.thread_id().get_untracked(), id.clone());
    let written_text = || {
        let text = assistant.with_conversation(|conversation| {
            conversation.message(id).map(|message| message.written())
        });
        text.flatten()
    };
    let text = transcript.edited_message.draft(&key).or_else(written_text);
    let draft = Draft {
        transcript: transcript.clone(),
        id: id.clone(),
        key,
        words: Words::current(),
        form: NodeRef::new(),
        input: NodeRef::new(),
        refusal: RwSignal::new(None),
    };
    initialize_editor(&draft, text.unwrap_or_default());
    let (words, refusal, reason_id) = (
        draft.words.clone(),
        draft.refusal,
        format!("la-edit-{}", fresh_id()),
    );
    let reason = {
        let words = words.clone();
        move || refusal.get().map(|word| words.word(word))
    };
    let (submit_draft, cancel_draft) = (draft.clone(), draft.clone());
    let (key_draft, input_draft) = (draft.clone(), draft.clone());
    view! {
        <form
            class="la-message-editor"
            node_ref=draft.form
            on:submit=move |event: ev::SubmitEvent| {
                event.prevent_default();
                submit_draft.send();
            }
            on:keydown=move |event| key_draft.handle_key(&event)
        >
            <textarea
                class="la-input la-message-editor-input"
                rows="1"
                aria-label=words.attr(LabelName::YourMessage)
                aria-describedby=reason_id.clone()
                node_ref=draft.input
                on:input=move |_| input_draft.handle_input()
            ></textarea>
            <p class="la-composer-reason" id=reason_id role="alert">
                {dynamic(reason)}
            </p>
            <div class="la-message-editor-actions">
                <button
                    type="button"
                    class="la-button"
                    data-size="small"
                    on:click=move |_| cancel_draft.close()
                >
                    <span>{words.text(LabelName::Cancel)}</span>
                </button>
                <button type="submit" class="la-button" data-variant="primary" data-size="small">
                    <span>{words.text(LabelName::Send)}</span>
                </button>
            </div>
        </form>
    }
    .into_any()
}

/// Fills the text box once it is mounted, focuses the text box if the user has just opened the
/// editor, and clears the reason for a refusal when the activity of the assistant changes.
fn initialize_editor(draft: &Draft, text: String) {
    let (input, refusal) = (draft.input, draft.refusal);
    effect(move |_| {
        if let Some(input) = input.get() {
            input.set_value(&text);
        }
    });
    let (edited_message, id) = (draft.transcript.edited_message, draft.id.clone());
    effect(move |_| {
        if let Some(input) = input.get()
            && edited_message.take_focus_request(&id)
        {
            // The results are ignored, because these calls cannot fail for an element in the page.
            let _ = input.focus();
            let end = input.text_length();
            let _ = input.set_selection_range(end, end);
        }
    });
    // The reason for a refusal is cleared when the activity changes, because the reason may no
    // longer apply.
    let activity = draft.transcript.assistant.activity();
    effect(move |_| {
        activity.track();
        refusal.set(None);
    });
}
