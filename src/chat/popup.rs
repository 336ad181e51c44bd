//! A window above the page.

use leptos::{ev, prelude::*};

use super::{
    collapsible::{Collapsible, Props, collapsible},
    unread::mark,
};
use crate::ui::{composes, find, focus};

/// A floating button that opens a window above it: another arrangement. The page stays usable
/// beside it, and what is written, said and scrolled to stays while it is closed.
///
/// Inside of it stands a [`ChatWindow`](super::ChatWindow), or whatever it is given.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{AssistantProvider, agent::HttpAgent, chat::ChatPopup};
///
/// #[component]
/// fn App() -> impl IntoView {
///     view! {
///         <AssistantProvider agent=HttpAgent::new("/agent")>
///             <main>"The page"</main>
///             <ChatPopup label="Help" />
///         </AssistantProvider>
///     }
/// }
/// ```
///
/// # Styling
///
/// `la-popup`, with `data-open` and `data-unread`. `--la-popup-width` and `--la-popup-height` say
/// how large it may be, `--la-popup-inset` how far from the edges it stands.
///
/// # Accessibility
///
/// The button has the window's name and `aria-expanded`, and says when an answer or a question came
/// while it was closed. Opening puts the focus into the text box; Escape closes, unless a dialog is
/// open, and the focus goes back to the button.
#[component]
pub fn ChatPopup(
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
        component: "ChatPopup",
        open,
        label,
        children,
    };
    collapsible(props, false, popup)
}

fn popup(frame: &Collapsible, window: AnyView) -> AnyView {
    let (open, unread, body) = (frame.open, frame.unread, frame.body);
    let (name, id) = (frame.name.clone(), frame.id.clone());
    let toggle = move |_| {
        open.update(|open| *open = !*open);
        if let (true, Some(body)) = (open.get_untracked(), body.get_untracked()) {
            focus::focus_in(body.into(), ".la-composer-input");
        }
    };
    let by_key = move |event: ev::KeyboardEvent| {
        let is_escape = event.key() == "Escape" && !composes(&event);
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
            data-unread=move || unread.get().then_some("")
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
                {frame.face()}
            </button>
            {mark(unread)}
            <div
                class="la-popup-body"
                id=id
                node_ref=body
                hidden=move || !open.get()
                on:keydown=by_key
            >
                {window}
            </div>
        </div>
    }
    .into_any()
}
