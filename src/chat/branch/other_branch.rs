//! Shows a notice about activity on a branch that is not displayed.

use leptos::{ev, prelude::*};

use crate::{
    assistant::{Assistant, assistant_for},
    ui::{Icon, LabelName, Words, closest, dynamic, focus::focus_descendant, when},
};

/// Shows that work is running or waits for the user on a branch that is not shown, with a button
/// that switches to that branch. Renders nothing if there is no such work. A
/// [`ChatWindow`](crate::ChatWindow) shows this notice between its messages and its composer.
///
/// # Accessibility
///
/// An [`Announcer`](super::super::Announcer) announces the activity. The button moves the focus to
/// the list of messages.
#[component]
pub fn OtherBranch(
    /// The assistant. If omitted, the assistant in context is used.
    #[prop(optional)]
    assistant: Option<Assistant>,
) -> impl IntoView {
    let assistant = assistant_for(assistant, "OtherBranch")?;
    let words = Words::current();
    let (activity, notice_activity) = (assistant.activity(), assistant.activity());
    let render_notice = move || {
        let (words, notice_activity, assistant) =
            (words.clone(), notice_activity.clone(), assistant.clone());
        let button_label = words.text(LabelName::ShowElsewhere);
        let text = move || {
            let activity = notice_activity.get();
            match activity.waiting || activity.asking {
                true => words.word(LabelName::ElsewhereWaiting),
                false => words.word(LabelName::Elsewhere),
            }
        };
        let on_click = move |event: ev::MouseEvent| {
            let chat = closest(&event_target::<web_sys::Element>(&event), ".la-chat");
            assistant.branches().show_run();
            if let Some(chat) = chat {
                focus_descendant(chat, ".la-transcript-scroller");
            }
        };
        view! {
            <div class="la-chat-notices">
                <div class="la-notice la-elsewhere">
                    {Icon::Branch.view()}
                    <div class="la-notice-body">
                        <p class="la-notice-text">{dynamic(text)}</p>
                    </div>
                    <div class="la-notice-actions">
                        <button type="button" class="la-button" data-size="small" on:click=on_click>
                            <span>{button_label}</span>
                        </button>
                    </div>
                </div>
            </div>
        }
        .into_any()
    };
    Some(when(move || activity.get().elsewhere, render_notice))
}
