//! The chat window: the default arrangement of the parts.

use std::sync::Arc;

use leptos::prelude::*;

use super::{
    ChatHeader, Composer, ComposerHandle, EmptyState, Feedback, Speech, Suggestion, Suggestions,
    announcer::Voice, deferred::Deferred, frame::section,
};
use crate::{
    assistant::{Assistant, use_assistant},
    attachment::Attachments,
};

/// A chat with the assistant of the nearest provider: messages, tool cards, notices, composer.
///
/// It fills its parent, which must have a height. It is an arrangement of public parts, and
/// [`ChatRoot`](super::ChatRoot) shows how to write another; [`ChatSidebar`](super::ChatSidebar) and
/// [`ChatPopup`](super::ChatPopup) put it beside or above a page.
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
/// Everything has a class `la-…`; [`STYLE`](crate::STYLE) is a sheet for them, built on custom properties. The
/// root carries `data-assistant-chat`, and `data-running` while a run, a handler or a question to
/// the person is open.
#[component]
pub fn ChatWindow(
    /// What the window is called, to eyes and ears, instead of
    /// [`Labels::title`](crate::Labels::title). Two windows on one page need names that differ.
    #[prop(optional, into)]
    label: Signal<String>,
    /// What stands there before the first message, above the suggestions.
    #[prop(optional, into)]
    empty_title: Signal<String>,
    /// A sentence below it.
    #[prop(optional, into)]
    empty_text: Signal<String>,
    /// What the person could say first.
    #[prop(optional, into)]
    suggestions: Signal<Vec<Suggestion>>,
    /// What the person could say next, above the composer once there are messages. It is for the
    /// application to say what fits, and to give none while nothing does.
    #[prop(optional, into)]
    follow_ups: Signal<Vec<Suggestion>>,
    /// Which files the person may send along; none without it.
    #[prop(optional)]
    attachments: Option<Attachments>,
    /// What the application writes along with in the composer.
    #[prop(optional)]
    composer: Option<ComposerHandle>,
    /// Called when the person says what they think of an answer; without it they are not asked.
    #[prop(optional, into)]
    on_feedback: Option<Callback<Feedback>>,
    /// When answers are read out to who listens.
    #[prop(optional, into)]
    speech: Signal<Speech>,
) -> impl IntoView {
    let children = move || {
        // Its frame draws them for an assistant alone.
        let Some(assistant) = use_assistant() else {
            return ().into_any();
        };
        let voice = Voice::of(&assistant);
        let parts = Deferred::of(&assistant, voice);
        let empty = move || {
            view! { <EmptyState title=empty_title text=empty_text suggestions /> }.into_any()
        };
        view! {
            <ChatHeader />
            {parts.conversation(Arc::new(empty), on_feedback)}
            {next(&assistant, follow_ups)}
            <Composer attachments handle=composer />
            {voice.regions()}
            {parts.voices(assistant, speech)}
        }
        .into_any()
    };
    section(None, label, Box::new(children), "ChatWindow")
}

/// What can follow, while nothing runs and something was said.
fn next(assistant: &Assistant, follow_ups: Signal<Vec<Suggestion>>) -> impl IntoView + use<> {
    let (activity, messages) = (assistant.activity(), assistant.messages());
    let suggestions = Signal::derive(move || {
        let fits = !activity.get().busy && messages.with(|messages| !messages.is_empty());
        if fits { follow_ups.get() } else { Vec::new() }
    });
    view! { <Suggestions suggestions strip=true /> }
}
