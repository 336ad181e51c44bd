//! What the windows have that open and close by a button: [`ChatSidebar`](super::ChatSidebar) and
//! [`ChatPopup`](super::ChatPopup), which arrange it.

use leptos::{html, prelude::*};

use super::{
    ChatWindow,
    frame::Name,
    unread::{Unread, follow},
};
use crate::{
    assistant::{Assistant, assistant_for},
    ui::{Icon, after_hydration, dynamic, effect, focus, fresh_id},
};

/// The props of such a component.
pub(super) struct Props {
    pub component: &'static str,
    pub open: Option<RwSignal<bool>>,
    pub label: Signal<String>,
    pub children: Option<Children>,
}

/// A button, and the window that it opens and closes.
pub(super) struct Collapsible {
    pub open: RwSignal<bool>,
    pub unread: Unread,
    pub body: NodeRef<html::Div>,
    pub button: NodeRef<html::Button>,
    pub name: Name,
    pub id: String,
}

/// Draws one as `arrange` says. It begins open or closed where the application does not say.
pub(super) fn collapsible(
    props: Props,
    begins_open: bool,
    arrange: fn(&Collapsible, AnyView) -> AnyView,
) -> AnyView {
    let assistant = assistant_for(None, props.component);
    let draw = move || match assistant {
        Some(assistant) => {
            let open = props.open.unwrap_or_else(|| RwSignal::new(begins_open));
            let frame = Collapsible::new(&assistant, open, props.label);
            arrange(&frame, window(props.children, props.label))
        }
        None => ().into_any(),
    };
    // A server draws nothing of it.
    after_hydration(|| ().into_any(), draw).into_any()
}

impl Collapsible {
    fn new(assistant: &Assistant, open: RwSignal<bool>, label: Signal<String>) -> Self {
        let frame = Self {
            open,
            unread: follow(assistant, open),
            body: NodeRef::new(),
            button: NodeRef::new(),
            name: Name::of(label),
            id: format!("la-window-{}", fresh_id()),
        };
        keep_focus(open, frame.body, frame.button);
        frame
    }

    /// Returns the content of the button.
    pub fn face(&self) -> AnyView {
        let open = self.open;
        dynamic(move || match open.get() {
            true => Icon::X.view(),
            false => Icon::Chat.view(),
        })
        .into_any()
    }
}

/// What stands in the window.
fn window(children: Option<Children>, label: Signal<String>) -> AnyView {
    match children {
        Some(children) => children(),
        None => view! { <ChatWindow label /> }.into_any(),
    }
}

/// The focus goes to the button when what had it is hidden.
fn keep_focus(open: RwSignal<bool>, body: NodeRef<html::Div>, button: NodeRef<html::Button>) {
    // Before anything is hidden: afterwards nothing says where the focus was.
    effect(move |known: Option<bool>| {
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
