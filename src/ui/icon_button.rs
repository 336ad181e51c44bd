//! Renders buttons with an icon and an accessible name.

use leptos::{ev::MouseEvent, html, prelude::*};

use super::{Icon, LabelName, Words, dynamic};

/// A context with a memo that is true while the buttons inside are reachable by Tab. If the memo is
/// false, the buttons can still be pressed, and are accessible to assistive technology.
#[derive(Clone, Copy)]
pub(crate) struct TabStop(pub(crate) Memo<bool>);

/// A small button with an icon. The label is the button's accessible name and tooltip.
pub(crate) struct IconButton {
    pub class: &'static str,
    pub name: LabelName,
    pub icon: Signal<Icon>,
    /// True if the button is marked as disabled; the button stays focusable.
    pub disabled: Signal<bool>,
    /// The state of a toggle button.
    pub pressed: Signal<Option<bool>>,
    /// The state of a button that shows and hides the content after it.
    pub expanded: Signal<Option<bool>>,
    pub node: NodeRef<html::Button>,
    pub act: Box<dyn FnMut(MouseEvent)>,
}

impl IconButton {
    pub(crate) fn new(name: LabelName, icon: Icon, act: impl FnMut(MouseEvent) + 'static) -> Self {
        Self {
            class: "la-button",
            name,
            icon: Signal::stored(icon),
            disabled: Signal::stored(false),
            pressed: Signal::stored(None),
            expanded: Signal::stored(None),
            node: NodeRef::new(),
            act: Box::new(act),
        }
    }

    pub(crate) fn view(self, words: &Words) -> AnyView {
        let tab_stop = use_context::<TabStop>();
        let Self {
            class,
            name,
            icon,
            disabled,
            pressed,
            expanded,
            node,
            act,
        } = self;
        view! {
            <button
                type="button"
                class=class
                data-variant="quiet"
                data-size="small"
                data-shape="icon"
                aria-label=words.attr(name)
                title=words.attr(name)
                tabindex=move || tab_stop.and_then(|tab_stop| (!tab_stop.0.get()).then_some("-1"))
                aria-disabled=move || disabled.get().then_some("true")
                aria-pressed=move || pressed.get().map(|pressed| pressed.to_string())
                aria-expanded=move || expanded.get().map(|expanded| expanded.to_string())
                node_ref=node
                on:click=act
            >
                {dynamic(move || icon.get().view())}
            </button>
        }
        .into_any()
    }
}
