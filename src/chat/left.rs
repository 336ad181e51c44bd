//! Offers to return to the conversation that the user has left with "New conversation".

use leptos::{ev, html, prelude::*};

use super::spoken::RequestedAnnouncement;
use crate::{
    assistant::Assistant,
    ui::{Icon, IconButton, Words, focus, memo, when},
};

/// The id of the conversation that the user has left in the surrounding window; `None` if no return
/// is offered.
#[derive(Clone, Copy)]
pub(super) struct PreviousConversation(RwSignal<Option<String>>);

impl PreviousConversation {
    pub(super) fn new() -> Self {
        Self(RwSignal::new(None))
    }

    /// Offers to return to a conversation; with `None`, withdraws the offer.
    pub(super) fn set(self, thread: Option<String>) {
        // The window may be disposed.
        let _ = self.0.try_set(thread);
    }
}

/// Renders the notice that a new conversation has begun, as long as that conversation is empty,
/// with a button that returns to the previous conversation, and a button that dismisses the notice.
/// `None` outside of a window.
pub(super) fn undo_notice(assistant: &Assistant) -> Option<AnyView> {
    let (left, assistant) = (use_context::<PreviousConversation>()?, assistant.clone());
    let (messages, thread) = (assistant.messages(), assistant.thread_id());
    let before = memo(move || {
        let before = left.0.get()?;
        let is_new = messages.with(|list| list.is_empty()) && thread.with(|now| *now != before);
        is_new.then_some(before)
    });
    let (words, spoken) = (Words::current(), use_context::<RequestedAnnouncement>());
    let notice = move || {
        let (words, place) = (words.clone(), NodeRef::<html::Div>::new());
        let leave = move |by_key: bool| {
            if let Some(place) = place.get_untracked() {
                focus::focus_after_removal(&place, by_key);
            }
            left.set(None);
        };
        let assistant = assistant.clone();
        let undo = move |event: ev::MouseEvent| {
            let Some(before) = before.get_untracked() else {
                return;
            };
            leave(event.detail() == 0);
            // Refused only if it no longer exists.
            let _ = assistant.conversations().open(&before);
            if let Some(spoken) = spoken {
                spoken.announce(|l| &l.conversation_back);
            }
        };
        let dismiss = IconButton::new(
            |l| &l.dismiss,
            Icon::X,
            move |event| leave(event.detail() == 0),
        );
        view! {
            <div class="la-notice la-toast" data-kind="undo" node_ref=place>
                <p class="la-notice-text">{words.text(|l| &l.conversation_begun)}</p>
                <div class="la-notice-actions">
                    <button type="button" class="la-button" data-size="small" on:click=undo>
                        {Icon::Undo.view()}
                        <span>{words.text(|l| &l.undo)}</span>
                    </button>
                    {dismiss.view(&words)}
                </div>
            </div>
        }
        .into_any()
    };
    Some(when(move || before.with(Option::is_some), notice).into_any())
}
