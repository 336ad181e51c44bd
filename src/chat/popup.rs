//! Renders a window that floats above the page.

use leptos::{ev, prelude::*};

use super::{
    collapsible::{CollapsibleProps, CollapsibleWindow, collapsible_window},
    unread::unread_mark,
};
use crate::ui::{find, focus, is_composing};

/// A floating button that opens a window above the button. The page stays usable, and input,
/// messages and scroll position are kept while the window is closed.
///
/// The popup contains a [`ChatWindow`](super::ChatWindow), unless other children are given.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{AssistantProvider, agent::HttpAgent, chat::ChatPopup};
///
/// #[component]
/// fn App() -> impl IntoView {
///     let open = RwSignal::new(false);
///     view! {
///         <AssistantProvider agent=HttpAgent::new("/agent")>
///             // The page opens the window, too.
///             <button on:click=move |_| open.set(true)>"Ask about this page"</button>
///             <ChatPopup open label="Help" />
///         </AssistantProvider>
///     }
/// }
/// ```
///
/// # Styling
///
/// The element has the class `la-popup`, with `data-open` and `data-unread`. `--la-popup-width` and
/// `--la-popup-height` set the window's maximum size, and `--la-popup-inset` sets the distance of
/// the window from the edges.
///
/// # Accessibility
///
/// The button has the window's name and `aria-expanded`, and announces an answer or a question that
/// arrived while the window was closed. Opening focuses the text box. Unless a dialog is open,
/// Escape stops a run, or closes the window if nothing runs or the user is asked, and closing
/// returns the focus to the button.
#[component]
pub fn ChatPopup(
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
        component: "ChatPopup",
        open,
        label,
        children,
    };
    collapsible_window(props, false, render_popup)
}

fn render_popup(frame: &CollapsibleWindow, window: AnyView) -> AnyView {
    let (open, has_unread, body) = (frame.open, frame.has_unread, frame.body);
    let (name, id) = (frame.name.clone(), frame.id.clone());
    let toggle = move |_| {
        open.update(|open| *open = !*open);
        if let (true, Some(body)) = (open.get_untracked(), body.get_untracked()) {
            focus::focus_descendant(body.into(), ".la-composer-input");
        }
    };
    let on_keydown = move |event: ev::KeyboardEvent| {
        let is_escape = event.key() == "Escape" && !is_composing(&event);
        let dialog = body
            .get_untracked()
            .and_then(|body| find(&body, "dialog[open]"));
        if is_escape && !event.default_prevented() && dialog.is_none() {
            event.prevent_default();
            open.set(false);
        }
    };
    view! {
        <div
            class="la-popup la-standalone"
            data-open=move || open.get().then_some("")
            data-unread=move || has_unread.get().then_some("")
        >
            <button
                type="button"
                class="la-popup-button"
                aria-label=move || name.get()
                aria-expanded=move || if open.get() { "true" } else { "false" }
                aria-controls=id.clone()
                node_ref=frame.button
                on:click=toggle
            >
                {frame.toggle_icon()}
            </button>
            {unread_mark(has_unread)}
            <div
                class="la-popup-body"
                id=id
                node_ref=body
                hidden=move || !open.get()
                on:keydown=on_keydown
            >
                {window}
            </div>
        </div>
    }
    .into_any()
}
