//! Renders the chat window, which is the default arrangement of the parts.

use std::sync::Arc;

use leptos::prelude::*;

use super::{
    ChatHeader, Composer, ComposerHandle, EmptyState, Feedback, Speech, Suggestion, Suggestions,
    announcer::ActivityAnnouncer, deferred::DeferredParts, frame::chat_section,
};
use crate::{
    assistant::{Assistant, use_assistant},
    attachment::Attachments,
};

/// A chat with the assistant of the nearest provider: messages, tool cards, notices, and a
/// composer.
///
/// The window fills its parent, which must have a height. The window is an arrangement of public
/// parts, and [`ChatRoot`](super::ChatRoot) shows how to write another arrangement;
/// [`ChatSidebar`](super::ChatSidebar) and [`ChatPopup`](super::ChatPopup) put the window beside or
/// above a page.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{AssistantProvider, ChatWindow, Suggestion, agent::HttpAgent};
///
/// #[component]
/// fn App() -> impl IntoView {
///     view! {
///         <AssistantProvider agent=HttpAgent::new("/agent")>
///             <ChatWindow
///                 label="Orders"
///                 empty_title="What about your orders?"
///                 suggestions=vec![Suggestion::new("Where is my last one?")]
///             />
///         </AssistantProvider>
///     }
/// }
/// ```
///
/// # Styling
///
/// All elements have classes `la-…`; [`STYLE`](crate::STYLE) is a style sheet for them, built on
/// custom properties. The root has `data-assistant-chat`, and `data-running` while a run, a handler
/// or a question to the user is open.
#[component]
pub fn ChatWindow(
    /// The visible and accessible name of the window, which replaces
    /// [`LabelName::Title`](crate::LabelName::Title). Two windows on one page need different names.
    #[prop(optional, into)]
    label: Signal<String>,
    /// The title that is shown above the suggestions while there are no messages.
    #[prop(optional, into)]
    empty_title: Signal<String>,
    /// The sentence that is shown below `empty_title`.
    #[prop(optional, into)]
    empty_text: Signal<String>,
    /// The suggested first messages, which are shown while there are no messages.
    #[prop(optional, into)]
    suggestions: Signal<Vec<Suggestion>>,
    /// The suggested next messages, which are shown above the composer once there are messages. The
    /// application updates the list, and leaves it empty while no message is suitable.
    #[prop(optional, into)]
    follow_ups: Signal<Vec<Suggestion>>,
    /// The files that the user may attach. If omitted, the user cannot attach files.
    #[prop(optional)]
    attachments: Option<Attachments>,
    /// The application's handle to the composer's text.
    #[prop(optional)]
    composer: Option<ComposerHandle>,
    /// The callback for the user's feedback on an answer. Without a callback there are no feedback
    /// buttons.
    #[prop(optional, into)]
    on_feedback: Option<Callback<Feedback>>,
    /// Determines at which time answers are announced to assistive technology.
    #[prop(optional, into)]
    speech: Signal<Speech>,
) -> impl IntoView {
    let children = move || {
        // The assistant is always present here, because the frame renders its children only if
        // there is an assistant.
        let Some(assistant) = use_assistant() else {
            return ().into_any();
        };
        let announcer = ActivityAnnouncer::new(&assistant);
        let parts = DeferredParts::new(&assistant, announcer);
        let render_empty = move || {
            view! { <EmptyState title=empty_title text=empty_text suggestions /> }.into_any()
        };
        view! {
            <ChatHeader />
            {parts.conversation(Arc::new(render_empty), on_feedback)}
            {follow_up_suggestions(&assistant, follow_ups)}
            <Composer attachments handle=composer />
            {announcer.regions()}
            {parts.announcements(assistant, speech)}
        }
        .into_any()
    };
    chat_section(None, label, Box::new(children), "ChatWindow")
}

/// Renders the suggested next messages while the assistant is not busy and there are messages.
fn follow_up_suggestions(
    assistant: &Assistant,
    follow_ups: Signal<Vec<Suggestion>>,
) -> impl IntoView + use<> {
    let (activity, messages) = (assistant.activity(), assistant.messages());
    let suggestions = Signal::derive(move || {
        let is_shown = !activity.get().busy && messages.with(|messages| !messages.is_empty());
        if is_shown {
            follow_ups.get()
        } else {
            Vec::new()
        }
    });
    view! { <Suggestions suggestions strip=true /> }
}
