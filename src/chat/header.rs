//! The head of a window: its name, a word about what is going on, and what can be done with the
//! conversation as a whole.

use leptos::prelude::*;

use super::{asks::own_asks, frame::Name};
use crate::{
    assistant::{Assistant, assistant_for},
    ui::{Icon, Words, dynamic},
    view::Activity,
};

/// The head of a window: its name, a [`ChatStatus`], and buttons, of which there is one
/// ([`NewConversation`]) unless others are given.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::chat::{ChatHeader, ChatRoot, NewConversation, Transcript};
///
/// # #[component]
/// # fn App() -> impl IntoView {
/// view! {
///     <ChatRoot label="Help">
///         <ChatHeader>
///             <NewConversation />
///             <button type="button" class="la-button">"Share"</button>
///         </ChatHeader>
///         <Transcript />
///     </ChatRoot>
/// }
/// # }
/// ```
#[component]
pub fn ChatHeader(
    /// Whose conversation; the one above without it.
    #[prop(optional)]
    assistant: Option<Assistant>,
    /// What can be done.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let Some(assistant) = assistant_for(assistant, "ChatHeader") else {
        return ().into_any();
    };
    let name = Name::current();
    let buttons = match children {
        Some(children) => children(),
        None => view! { <NewConversation assistant=assistant.clone() /> }.into_any(),
    };
    view! {
        <header class="la-chat-header">
            <div class="la-chat-heading">
                <h2 class="la-chat-title">{dynamic(move || name.get())}</h2>
                <ChatStatus assistant />
            </div>
            <div class="la-chat-actions">{buttons}</div>
        </header>
    }
    .into_any()
}

/// The button that begins another conversation.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::chat::NewConversation;
///
/// # #[component]
/// # fn App() -> impl IntoView {
/// view! { <NewConversation attr:accesskey="n" /> }
/// # }
/// ```
#[component]
pub fn NewConversation(
    /// Whose conversation; the one above without it.
    #[prop(optional)]
    assistant: Option<Assistant>,
) -> impl IntoView {
    let assistant = assistant_for(assistant, "NewConversation")?;
    let words = Words::current();
    Some(view! {
        <button
            type="button"
            class="la-button"
            data-variant="quiet"
            data-size="small"
            on:click=move |_| assistant.new_conversation()
        >
            {Icon::NewChat.view()}
            <span>{words.text(|l| &l.new_conversation)}</span>
        </button>
    })
}

/// One word about what is going on.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::chat::ChatStatus;
///
/// # #[component]
/// # fn App() -> impl IntoView {
/// view! { <ChatStatus attr:title="The assistant" /> }
/// # }
/// ```
///
/// # Styling
///
/// `la-chat-status`, with `data-state`: `ready`, `running`, `waiting` (for the person) or `error`.
#[component]
pub fn ChatStatus(
    /// Whose conversation; the one above without it.
    #[prop(optional)]
    assistant: Option<Assistant>,
) -> impl IntoView {
    let assistant = assistant_for(assistant, "ChatStatus")?;
    let words = Words::current();
    let activity = assistant.activity();
    let notices = assistant.notices();
    let own = own_asks(&assistant);
    let state = Memo::new(move |_| {
        let failed = notices.with(|list| list.iter().any(|notice| notice.kind.is_failure()));
        match activity.get() {
            Activity { waiting: true, .. } | Activity { asking: true, .. } => "waiting",
            _ if own.get() > 0 => "waiting",
            Activity { busy: true, .. } => "running",
            Activity { .. } if failed => "error",
            Activity { .. } => "ready",
        }
    });
    let word = move || match state.get() {
        "waiting" => words.word(|l| &l.waiting),
        "running" => words.word(|l| &l.working),
        "error" => words.word(|l| &l.failed),
        _ => words.word(|l| &l.ready),
    };
    Some(view! {
        <p class="la-chat-status" data-state=move || state.get()>
            {dynamic(word)}
        </p>
    })
}
