//! Renders the frame of a window: a named section that provides the context of the parts.

use leptos::{ev, prelude::*};

use super::{
    composer::ComposerSlot, edited_message::EditedMessage, inbox_place,
    previous_conversation::PreviousConversation, requested_announcement::RequestedAnnouncement,
};
use crate::{
    assistant::{Assistant, assistant_for},
    store::Ownership,
    ui::{LabelName, LiveRegions, Words, after_hydration, closest, is_composing, scope},
    view::ClaimingWindow,
};

/// The signal that is true while the popup or sidebar around a window is open.
#[derive(Clone, Copy)]
pub(super) struct WindowOpen(pub(super) RwSignal<bool>);

/// A window with a custom arrangement: a named section, and the parts in it. [`ChatWindow`] is the
/// default arrangement, which consists of public parts only:
///
/// ```
/// use leptos::{ev, prelude::*};
/// use leptos_assistant::{
///     AssistantProvider,
///     agent::HttpAgent,
///     chat::{
///         Announcer, ChatHeader, ChatRoot, Composer, ConfirmDialogs, EmptyState, Notices, OtherBranch,
///         Transcript,
///     },
///     tool::InterruptInbox,
/// };
///
/// #[component]
/// fn App() -> impl IntoView {
///     view! {
///         <AssistantProvider agent=HttpAgent::new("/agent")>
///             <ChatRoot label="Help">
///                 <ChatHeader />
///                 <Transcript empty=|| view! { <EmptyState title="How can I help?" /> } />
///                 <InterruptInbox />
///                 <OtherBranch />
///                 <Notices />
///                 <Composer />
///                 <Announcer />
///                 <ConfirmDialogs />
///             </ChatRoot>
///         </AssistantProvider>
///     }
/// }
/// ```
///
/// Every window needs these parts: an [`InterruptInbox`](crate::tool::InterruptInbox) for questions
/// that belong to no message, [`Notices`](super::Notices) for errors, an
/// [`OtherBranch`](super::OtherBranch) for activity on another branch, and
/// [`ConfirmDialogs`](super::ConfirmDialogs) for the questions of handlers.
///
/// # Styling
///
/// The section has the class `la-chat` and the attributes `data-assistant-chat`, `data-running`
/// while a run, a handler or a question to the user is open, and `data-elsewhere` while another tab
/// owns the conversation.
///
/// [`ChatWindow`]: super::ChatWindow
#[component]
pub fn ChatRoot(
    /// The assistant. If omitted, the assistant in context is used. The component provides the
    /// assistant to its parts.
    #[prop(optional)]
    assistant: Option<Assistant>,
    /// The visible and accessible name of the window, instead of
    /// [`LabelName::Title`](crate::LabelName::Title). Two windows on one page need different names.
    #[prop(optional, into)]
    label: Signal<String>,
    /// The parts.
    children: Children,
) -> impl IntoView {
    chat_section(assistant, label, children, "ChatRoot")
}

/// Renders the section of a window. Error messages contain the name `component`.
pub(super) fn chat_section(
    assistant: Option<Assistant>,
    label: Signal<String>,
    children: Children,
    component: &str,
) -> AnyView {
    let has_own_assistant = assistant.is_some();
    let assistant = assistant_for(assistant, component);
    let name = WindowName::new(label);
    let activity = assistant.as_ref().map(Assistant::activity);
    let running_attribute = move || {
        activity
            .as_ref()
            .is_some_and(|activity| activity.get().busy)
            .then_some("")
    };
    let ownership = assistant
        .as_ref()
        .map(|assistant| assistant.conversations().ownership());
    let elsewhere_attribute = move || {
        let ownership = ownership.as_ref().map(Get::get);
        (ownership == Some(Ownership::OtherTab)).then_some("")
    };
    let aria_name = name.clone();
    let key_assistant = assistant.clone();
    let on_keydown = move |event: ev::KeyboardEvent| {
        if let Some(assistant) = &key_assistant {
            handle_escape(assistant, &event);
        }
    };
    let chat = NodeRef::new();
    // If there is no assistant, nothing is rendered.
    let render_parts = move || match assistant {
        None => ().into_any(),
        Some(assistant) => scope(Box::new(move || {
            // The number identifies the window when it claims a question, so that only one window
            // shows the question.
            let (window_number, window_name) = (assistant.runtime().next_number(), name.clone());
            let window_name = Signal::derive(move || window_name.get());
            provide_context(ClaimingWindow {
                number: window_number,
                name: window_name,
                is_open: use_context::<WindowOpen>()
                    .map_or_else(|| Signal::stored(true), |WindowOpen(open)| open.into()),
            });
            provide_context(name);
            provide_context(ComposerSlot::new());
            provide_context(EditedMessage::new());
            provide_context(RequestedAnnouncement::new());
            provide_context(LiveRegions::new());
            provide_context(PreviousConversation::new());
            if has_own_assistant {
                provide_context(assistant);
            }
            inbox_place::provide_inbox_position(chat);
            children()
        })),
    };
    // On a server, and in the browser during hydration, only the section is rendered, without its
    // parts.
    view! {
        <section
            class="la-chat"
            data-assistant-chat=""
            data-running=running_attribute
            data-elsewhere=elsewhere_attribute
            aria-label=move || aria_name.get()
            node_ref=chat
            on:keydown=on_keydown
        >
            {after_hydration(|| ().into_any(), render_parts)}
        </section>
    }
    .into_any()
}

/// Stops the running activity on Escape, unless Escape closes another open element, or a question
/// to the user is open.
fn handle_escape(assistant: &Assistant, event: &ev::KeyboardEvent) {
    if event.key() != "Escape" || is_composing(event) || event.default_prevented() {
        return;
    }
    let target: Option<web_sys::Element> = event
        .target()
        .and_then(|target| wasm_bindgen::JsCast::dyn_into(target).ok());
    let in_dialog = target.is_some_and(|target| closest(&target, "dialog").is_some());
    let activity = assistant.activity().get_untracked();
    if activity.busy && !activity.waiting && !activity.asking && !in_dialog {
        event.prevent_default();
        // The result is ignored, because a refusal means that nothing is running.
        let _ = assistant.stop();
    }
}

#[derive(Clone)]
pub(super) struct WindowName {
    given: Signal<String>,
    words: Words,
}

impl WindowName {
    /// Returns the name of the surrounding window, or the default name.
    pub(super) fn current() -> Self {
        use_context().unwrap_or_else(|| Self::new(Signal::default()))
    }

    pub(super) fn new(given: Signal<String>) -> Self {
        let words = Words::current();
        Self { given, words }
    }

    pub(super) fn get(&self) -> String {
        let custom_name = self.given.try_get().filter(|name| !name.is_empty());
        custom_name.unwrap_or_else(|| self.words.word(LabelName::Title).into_owned())
    }
}
