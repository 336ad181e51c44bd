//! Renders a window docked beside the page.

use leptos::prelude::*;

use super::{
    collapsible::{CollapsibleProps, CollapsibleWindow, collapsible_window},
    unread::unread_mark,
};
use crate::ui::effect;

/// A window docked at the inline end of the page, with a button that collapses and opens the
/// window. Input, messages and scroll position are kept while the window is collapsed.
///
/// The sidebar contains a [`ChatWindow`](super::ChatWindow), unless other children are given.
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
/// The element has the class `la-sidebar`, with `data-open` and `data-unread`. `--la-sidebar-width`
/// on the root element sets the width of the sidebar; while the sidebar is open beside the page,
/// `--la-sidebar-room` on the root element is that width, so that the page can make room: `main {
/// margin-inline-end: var(--la-sidebar-room, 0); }`. On a narrow screen the sidebar covers the page.
/// On any screen, `data-la-sidebars` of the root element is the number of open sidebars.
///
/// # Accessibility
///
/// The button has the window's name and `aria-expanded`, precedes the window, and is never
/// replaced; the button announces an answer or a question that arrived while the window was
/// collapsed. If the window collapses with the focus in it, the focus moves to the button.
#[component]
pub fn ChatSidebar(
    /// The open state, for applications that read or control it.
    #[prop(optional)]
    open: Option<RwSignal<bool>>,
    /// The name of the window, instead of [`LabelName::Title`](crate::LabelName::Title).
    #[prop(optional, into)]
    label: Signal<String>,
    /// The content. If omitted, a [`ChatWindow`](super::ChatWindow) is shown.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let props = CollapsibleProps {
        component: "ChatSidebar",
        open,
        label,
        children,
    };
    collapsible_window(props, true, render_sidebar)
}

fn render_sidebar(frame: &CollapsibleWindow, window: AnyView) -> AnyView {
    let (open, has_unread) = (frame.open, frame.has_unread);
    let (name, id) = (frame.name.clone(), frame.id.clone());
    effect(move |counted: Option<Option<CountedSidebar>>| {
        open.get()
            .then(|| counted.flatten().unwrap_or_else(CountedSidebar::new))
    });
    view! {
        <div
            class="la-sidebar la-standalone"
            data-open=move || open.get().then_some("")
            data-unread=move || has_unread.get().then_some("")
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
                {frame.toggle_icon()}
            </button>
            {unread_mark(has_unread)}
            <div class="la-sidebar-body" id=id node_ref=frame.body hidden=move || !open.get()>
                {window}
            </div>
        </div>
    }
    .into_any()
}

/// The attribute of the root element that counts the open sidebars, for the styles of the page. The
/// launcher of the npm package counts its sidebars in the same attribute.
///
/// A style rule could find an open sidebar by `:root:has(…)`, but a browser would then search the
/// page again at each change of it: a third of the style time of a growing answer.
const COUNT: &str = "data-la-sidebars";

/// An open sidebar, counted as long as the value exists.
struct CountedSidebar;

impl CountedSidebar {
    fn new() -> Self {
        change_count(1);
        Self
    }
}

impl Drop for CountedSidebar {
    fn drop(&mut self) {
        change_count(-1);
    }
}

fn change_count(by: i32) {
    let Some(root) = document().document_element() else {
        return;
    };
    let count = root
        .get_attribute(COUNT)
        .and_then(|count| count.parse().ok());
    // The results are ignored, because the name of the attribute is valid.
    let _ = match count.unwrap_or(0i32).saturating_add(by) {
        count @ 1.. => root.set_attribute(COUNT, &count.to_string()),
        _ => root.remove_attribute(COUNT),
    };
}
