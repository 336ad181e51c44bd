//! A window beside the page.

use leptos::prelude::*;

use super::{
    collapsible::{Collapsible, Props, collapsible},
    unread::mark,
};

/// A window docked at the inline end of the page: another arrangement, with one button that
/// collapses and opens it. What is written, said and scrolled to stays while it is collapsed.
///
/// Inside of it stands a [`ChatWindow`](super::ChatWindow), or whatever it is given.
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
    /// What stands in it; a [`ChatWindow`](super::ChatWindow) without it.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let props = Props {
        component: "ChatSidebar",
        open,
        label,
        children,
    };
    collapsible(props, true, sidebar)
}

fn sidebar(frame: &Collapsible, window: AnyView) -> AnyView {
    let (open, unread) = (frame.open, frame.unread);
    let (name, id) = (frame.name.clone(), frame.id.clone());
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
                node_ref=frame.button
                on:click=move |_| open.update(|open| *open = !*open)
            >
                {frame.face()}
            </button>
            {mark(unread)}
            <div class="la-sidebar-body" id=id node_ref=frame.body hidden=move || !open.get()>
                {window}
            </div>
        </div>
    }
    .into_any()
}
