//! Renders the windows that a button opens and closes: [`ChatSidebar`](super::ChatSidebar) and
//! [`ChatPopup`](super::ChatPopup).

use leptos::{html, prelude::*};

use super::{
    ChatWindow,
    frame::{WindowName, WindowOpen},
    unread::{UnreadSignal, track_unread},
};
use crate::{
    assistant::{Assistant, assistant_for},
    ui::{Icon, after_hydration, dynamic, effect, focus, fresh_id, scope},
};

/// The props of a collapsible window.
pub(super) struct CollapsibleProps {
    pub component: &'static str,
    pub open: Option<RwSignal<bool>>,
    pub label: Signal<String>,
    pub children: Option<Children>,
}

/// The state of a button, and of the window that it opens and closes.
pub(super) struct CollapsibleWindow {
    pub open: RwSignal<bool>,
    pub has_unread: UnreadSignal,
    pub body: NodeRef<html::Div>,
    pub button: NodeRef<html::Button>,
    pub name: WindowName,
    pub id: String,
}

/// Renders a collapsible window as arranged by `arrange`. `begins_open` is the initial state if the
/// application passes no `open` signal. Renders nothing on a server or without an assistant.
pub(super) fn collapsible_window(
    props: CollapsibleProps,
    begins_open: bool,
    arrange: fn(&CollapsibleWindow, AnyView) -> AnyView,
) -> AnyView {
    let assistant = assistant_for(None, props.component);
    let render = move || match assistant {
        Some(assistant) => scope(Box::new(move || {
            let open = props.open.unwrap_or_else(|| RwSignal::new(begins_open));
            provide_context(WindowOpen(open));
            let frame = CollapsibleWindow::new(&assistant, open, props.label);
            arrange(&frame, window_content(props.children, props.label))
        })),
        None => ().into_any(),
    };
    // The window is rendered after hydration, because a server does not render the window.
    after_hydration(|| ().into_any(), render).into_any()
}

impl CollapsibleWindow {
    fn new(assistant: &Assistant, open: RwSignal<bool>, label: Signal<String>) -> Self {
        let frame = Self {
            open,
            has_unread: track_unread(assistant, open),
            body: NodeRef::new(),
            button: NodeRef::new(),
            name: WindowName::new(label),
            id: format!("la-window-{}", fresh_id()),
        };
        focus_button_on_close(open, frame.body, frame.button);
        frame
    }

    /// Renders the icon of the button: a cross while the window is open, or else a speech bubble.
    pub fn toggle_icon(&self) -> AnyView {
        let open = self.open;
        dynamic(move || match open.get() {
            true => Icon::X.view(),
            false => Icon::Chat.view(),
        })
        .into_any()
    }
}

fn window_content(children: Option<Children>, label: Signal<String>) -> AnyView {
    match children {
        Some(children) => children(),
        None => view! { <ChatWindow label /> }.into_any(),
    }
}

/// Moves the focus to the button when the window is closed while the focus is in the window.
fn focus_button_on_close(
    open: RwSignal<bool>,
    body: NodeRef<html::Div>,
    button: NodeRef<html::Button>,
) {
    // The focus moves before the window is hidden, because hiding the window loses the focus.
    effect(move |was_open: Option<bool>| {
        let is_open = open.get();
        if let (Some(true), false) = (was_open, is_open)
            && let (Some(body), Some(button)) = (body.get_untracked(), button.get_untracked())
            && focus::has_focus_in(&body)
        {
            // The result is ignored, because focusing an element in the page cannot fail.
            let _ = button.focus();
        }
        is_open
    });
}
