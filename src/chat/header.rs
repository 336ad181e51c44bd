//! Renders the header of a window: its name, its status, and the actions on the conversation.

use assistant_core::session::NoticeKind;
use leptos::prelude::*;

use super::{
    frame::WindowName, previous_conversation::PreviousConversation,
    requested_announcement::RequestedAnnouncement,
};
use crate::{
    assistant::{Assistant, assistant_for},
    tool::page_call_keys,
    ui::{Icon, LabelName, Words, dynamic, focus, memo},
    view::Activity,
};

/// The header of a window: its name, a [`ChatStatus`], and buttons, by default [`NewConversation`].
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
    /// The assistant. If omitted, the assistant in context is used.
    #[prop(optional)]
    assistant: Option<Assistant>,
    /// The buttons.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let Some(assistant) = assistant_for(assistant, "ChatHeader") else {
        return ().into_any();
    };
    let name = WindowName::current();
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

/// The button that begins a new conversation, unless the current conversation is empty. Until the
/// first message, [`Notices`](super::Notices) offer to return to the previous conversation.
#[component]
pub fn NewConversation(
    /// The assistant. If omitted, the assistant in context is used.
    #[prop(optional)]
    assistant: Option<Assistant>,
) -> impl IntoView {
    let assistant = assistant_for(assistant, "NewConversation")?;
    let words = Words::current();
    let (announcement, previous) = (
        use_context::<RequestedAnnouncement>(),
        use_context::<PreviousConversation>(),
    );
    let (messages, thread) = (assistant.messages(), assistant.thread_id());
    let on_click = move |event: leptos::ev::MouseEvent| {
        // An empty conversation is not replaced, because it is already new, for example after the
        // first click of a double click.
        if messages.with_untracked(|list| !list.is_empty()) {
            if let Some(previous) = previous {
                previous.set(Some(thread.get_untracked()));
            }
            assistant.new_conversation();
            if let Some(announcement) = announcement {
                announcement.announce(LabelName::ConversationBegun);
            }
        }
        focus::focus_after_removal(&event_target(&event), event.detail() == 0);
    };
    Some(view! {
        <button
            type="button"
            class="la-button"
            data-variant="quiet"
            data-size="small"
            on:click=on_click
        >
            {Icon::NewChat.view()}
            <span>{words.text(LabelName::NewConversation)}</span>
        </button>
    })
}

/// Shows the state of the chat in one word.
///
/// # Styling
///
/// The element has the class `la-chat-status` and the attribute `data-state`: `ready`, `running`,
/// `waiting` (for the user), `offline` or `error`.
#[component]
pub fn ChatStatus(
    /// The assistant. If omitted, the assistant in context is used.
    #[prop(optional)]
    assistant: Option<Assistant>,
) -> impl IntoView {
    let assistant = assistant_for(assistant, "ChatStatus")?;
    let words = Words::current();
    let activity = assistant.activity();
    let notices = assistant.notices();
    let own_approvals = count_own_approvals(&assistant);
    let state = memo(move || {
        let has_failed = notices.with(|list| list.iter().any(|notice| notice.is_failure()));
        let is_offline =
            notices.with(|list| (list.iter()).any(|notice| notice.kind() == NoticeKind::Offline));
        match activity.get() {
            Activity { waiting: true, .. } | Activity { asking: true, .. } => "waiting",
            _ if own_approvals.get() > 0 => "waiting",
            Activity { busy: true, .. } => "running",
            Activity { .. } if is_offline => "offline",
            Activity { .. } if has_failed => "error",
            Activity { .. } => "ready",
        }
    });
    let label = move || match state.get() {
        "waiting" => words.word(LabelName::Waiting),
        "running" => words.word(LabelName::Working),
        "offline" => words.word(LabelName::Offline),
        "error" => words.word(LabelName::Failed),
        _ => words.word(LabelName::Ready),
    };
    Some(view! {
        <p class="la-chat-status" data-state=move || state.get()>
            {dynamic(label)}
        </p>
    })
}

/// Returns a signal with the number of calls that the page itself has started and that wait for the
/// user. These approvals belong to no message.
fn count_own_approvals(assistant: &Assistant) -> Memo<usize> {
    let (assistant, keys) = (assistant.clone(), assistant.pending_approvals());
    memo(move || keys.with(|keys| page_call_keys(&assistant, keys).len()))
}
