//! A window beside the page.

use leptos::{html, prelude::*};

use super::{
    ChatWindow,
    frame::Name,
    unread::{follow, mark},
};
use crate::{
    assistant::{Assistant, assistant_for},
    ui::{Icon, after_hydration, dynamic, focus, fresh_id},
};

/// A window docked at the inline end of the page: another arrangement, with one button that
/// collapses and opens it. What is written, said and scrolled to stays while it is collapsed.
///
/// Inside of it stands a [`ChatWindow`], or whatever it is given.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{AssistantProvider, ChatWindow, agent::HttpAgent, chat::ChatSidebar};
///
/// #[component]
/// fn App() -> impl IntoView {
///     let open = RwSignal::new(true);
///     view! {
///         <AssistantProvider agent=HttpAgent::new("/agent")>
///             <main>"The page"</main>
///             <ChatSidebar open label="Help">
///                 <ChatWindow label="Help" empty_title="How can I help?" />
///             </ChatSidebar>
///         </AssistantProvider>
///     }
/// }
/// ```
///
/// # Styling
///
/// `la-sidebar`, with `data-open` and `data-unread`. `--la-sidebar-width` says how wide it is; while
/// it is open beside the page, `--la-sidebar-room` on the root element is that width, for the page
/// to make room: `main { margin-inline-end: var(--la-sidebar-room, 0); }`. On a narrow screen it
/// covers the page.
///
/// # Accessibility
///
/// The button has the window's name and `aria-expanded`, comes before the window, and stays the same
/// one; it says when something came meanwhile. When the window collapses with the focus in it, the
/// focus goes to the button.
#[component]
pub fn ChatSidebar(
    /// Whether it is open, for an application that wants to know or to say.
    #[prop(optional)]
    open: Option<RwSignal<bool>>,
    /// What it is called, instead of [`Labels::title`](crate::Labels::title).
    #[prop(optional, into)]
    label: Signal<String>,
    /// What stands in it; a [`ChatWindow`] without it.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let assistant = assistant_for(None, "ChatSidebar");
    // A server draws nothing of it.
    let draw = move || match assistant {
        Some(assistant) => sidebar(&assistant, open, label, children),
        None => ().into_any(),
    };
    after_hydration(|| ().into_any(), draw)
}

fn sidebar(
    assistant: &Assistant,
    open: Option<RwSignal<bool>>,
    label: Signal<String>,
    children: Option<Children>,
) -> AnyView {
    let open = open.unwrap_or_else(|| RwSignal::new(true));
    let unread = follow(assistant, open);
    let (body, button) = (NodeRef::<html::Div>::new(), NodeRef::<html::Button>::new());
    keep_focus(open, body, button);
    let name = Name::of(label);
    let id = format!("la-sidebar-{}", fresh_id());
    view! {
        <div
            class="la-sidebar la-standalone"
            data-open=move || open.get().then_some("")
            data-unread=move || unread.get().then_some("")
        >
            <button
                type="button"
                class="la-button la-sidebar-button"
                data-variant="quiet"
                data-shape="icon"
                aria-label=move || name.get()
                aria-expanded=move || if open.get() { "true" } else { "false" }
                aria-controls=id.clone()
                node_ref=button
                on:click=move |_| open.update(|open| *open = !*open)
            >
                {face(open)}
            </button>
            {mark(unread)}
            <div class="la-sidebar-body" id=id node_ref=body hidden=move || !open.get()>
                {window(children, label)}
            </div>
        </div>
    }
    .into_any()
}

/// What the button of a frame shows.
pub(super) fn face(open: RwSignal<bool>) -> AnyView {
    dynamic(move || match open.get() {
        true => Icon::X.view(),
        false => Icon::Chat.view(),
    })
    .into_any()
}

/// What stands in a frame.
pub(super) fn window(children: Option<Children>, label: Signal<String>) -> AnyView {
    match children {
        Some(children) => children(),
        None => view! { <ChatWindow label /> }.into_any(),
    }
}

/// The focus goes to the button when what had it is hidden.
pub(super) fn keep_focus(
    open: RwSignal<bool>,
    body: NodeRef<html::Div>,
    button: NodeRef<html::Button>,
) {
    // Before anything is hidden: afterwards nothing says where the focus was.
    Effect::new(move |known: Option<bool>| {
        let now = open.get();
        if let (Some(true), false) = (known, now)
            && let (Some(body), Some(button)) = (body.get_untracked(), button.get_untracked())
            && focus::is_in(&body)
        {
            // Focusing an element that is in the page does not fail.
            let _ = button.focus();
        }
        now
    });
}
