//! Offers to return to the conversation that the user has left with "New conversation".

use leptos::{ev, html, prelude::*};

use super::requested_announcement::RequestedAnnouncement;
use crate::{
    assistant::Assistant,
    ui::{Icon, IconButton, LabelName, Words, focus, memo, when},
};

/// The id of the conversation that the user has left in the surrounding window. The value is `None`
/// if no return is offered.
#[derive(Clone, Copy)]
pub(super) struct PreviousConversation(RwSignal<Option<String>>);

impl PreviousConversation {
    pub(super) fn new() -> Self {
        Self(RwSignal::new(None))
    }

    /// Offers to return to a conversation, or withdraws the offer if `thread` is `None`.
    pub(super) fn set(self, thread: Option<String>) {
        // The result is ignored, because the call fails only if the window was disposed.
        let _ = self.0.try_set(thread);
    }
}

/// Renders the notice that a new conversation has begun, as long as that conversation is empty,
/// with a button that returns to the previous conversation, and a button that dismisses the notice.
/// Returns `None` outside of a window.
pub(super) fn undo_notice(assistant: &Assistant) -> Option<AnyView> {
    let (previous, assistant) = (use_context::<PreviousConversation>()?, assistant.clone());
    let (messages, thread) = (assistant.messages(), assistant.thread_id());
    let previous_id = memo(move || {
        let previous_id = previous.0.get()?;
        let is_new = messages.with(|list| list.is_empty())
            && thread.with(|current_id| *current_id != previous_id);
        is_new.then_some(previous_id)
    });
    let (words, announcement) = (Words::current(), use_context::<RequestedAnnouncement>());
    let render_notice = move || {
        let (words, element) = (words.clone(), NodeRef::<html::Div>::new());
        let close_notice = move |by_key: bool| {
            if let Some(element) = element.get_untracked() {
                focus::focus_after_removal(&element, by_key);
            }
            previous.set(None);
        };
        let assistant = assistant.clone();
        let undo = move |event: ev::MouseEvent| {
            let Some(previous_id) = previous_id.get_untracked() else {
                return;
            };
            close_notice(event.detail() == 0);
            // The result is ignored, because the call fails only if the conversation no longer
            // exists.
            let _ = assistant.conversations().open(&previous_id);
            if let Some(announcement) = announcement {
                announcement.announce(LabelName::ConversationBack);
            }
        };
        let dismiss = IconButton::new(LabelName::Dismiss, Icon::X, move |event| {
            close_notice(event.detail() == 0);
        });
        view! {
            <div class="la-notice la-toast" data-kind="undo" node_ref=element>
                <p class="la-notice-text">{words.text(LabelName::ConversationBegun)}</p>
                <div class="la-notice-actions">
                    <button type="button" class="la-button" data-size="small" on:click=undo>
                        {Icon::Undo.view()}
                        <span>{words.text(LabelName::Undo)}</span>
                    </button>
                    {dismiss.view(&words)}
                </div>
            </div>
        }
        .into_any()
    };
    Some(when(move || previous_id.with(Option::is_some), render_notice).into_any())
}
