//! Regenerates an answer as a new branch.

use assistant_core::{conversation::MessageId, event::Role};
use leptos::{ev, prelude::*};

use super::super::{message_context::MessageContext, transcript_context::TranscriptContext};
use crate::{
    assistant::Assistant,
    ui::{Icon, IconButton, LabelName, Words, closest, focus::focus_descendant, when},
};

/// The button that regenerates an answer as a new version; the previous version stays, and a
/// [`BranchPicker`](super::BranchPicker) switches to the previous version. The button is shown only
/// below answers, and is disabled while the assistant is busy. A
/// [`Transcript`](crate::chat::Transcript) shows the button below each answer; outside of a
/// transcript, put the button into a [`MessageRoot`](crate::chat::MessageRoot).
#[component]
pub fn MessageRegenerate() -> impl IntoView {
    let message_context = MessageContext::find_surrounding("MessageRegenerate")?;
    let (transcript, message) = (message_context.transcript(), &message_context.message);
    let (id, is_streaming) = (message.id.clone(), message.streaming.clone());
    let is_available = can_regenerate(&transcript.assistant, &id);
    let button = move || regenerate_button(&transcript, &id);
    is_available.then(|| when(move || !is_streaming.get(), button))
}

/// Returns true if a message is an answer of the agent and follows another message.
pub(in crate::chat) fn can_regenerate(assistant: &Assistant, id: &MessageId) -> bool {
    let is_possible = assistant.with_conversation(|conversation| {
        let is_answer = conversation.message(id).is_some_and(|message| {
            matches!(
                message.author_role(),
                Role::Assistant | Role::Reasoning | Role::Activity
            )
        });
        is_answer && conversation.parent(id).is_some()
    });
    is_possible.unwrap_or_default()
}

pub(in crate::chat) fn regenerate_button(
    transcript: &TranscriptContext,
    id: &MessageId,
) -> AnyView {
    let words = Words::current();
    let activity = transcript.assistant.activity();
    let (transcript, id) = (transcript.clone(), id.clone());
    let on_click = move |event: ev::MouseEvent| {
        let chat = closest(&event_target::<web_sys::Element>(&event), ".la-chat");
        if transcript.assistant.regenerate(&id).is_ok() {
            transcript.scroll_to_end();
            // The focus moves to the list, because the pressed button is removed with the previous
            // version.
            if let Some(chat) = chat {
                focus_descendant(chat, ".la-transcript-scroller");
            }
        }
    };
    IconButton {
        class: "la-button la-message-regenerate",
        disabled: Signal::derive(move || activity.get().busy),
        ..IconButton::new(LabelName::Regenerate, Icon::Refresh, on_click)
    }
    .view(&words)
}
