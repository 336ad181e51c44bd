//! Buttons that show an icon and are named by a word.

use leptos::{ev::MouseEvent, html, prelude::*};

use super::{Icon, Labels, Words, dynamic, labels::Word};

/// Whether the buttons below it are reached by Tab. Those that are not are pressed like all others,
/// and found by who reads the page piece by piece.
#[derive(Clone, Copy)]
pub(crate) struct TabStop(pub(crate) Memo<bool>);

/// A small button with an icon. Its word is its name, and its tip.
pub(crate) struct IconButton {
    pub class: &'static str,
    pub name: fn(&Labels) -> &Word,
    pub icon: Signal<Icon>,
    /// Says so, and is reached by keyboard anyway.
    pub disabled: Signal<bool>,
    /// Whether what it switches is on, for a button that switches something.
    pub pressed: Signal<Option<bool>>,
    pub node: NodeRef<html::Button>,
    pub act: Box<dyn FnMut(MouseEvent)>,
}

impl IconButton {
    pub(crate) fn new(
        name: fn(&Labels) -> &Word,
        icon: Icon,
        act: impl FnMut(MouseEvent) + 'static,
    ) -> Self {
        Self {
            class: "la-button",
            name,
            icon: Signal::stored(icon),
            disabled: Signal::stored(false),
            pressed: Signal::stored(None),
            node: NodeRef::new(),
            act: Box::new(act),
        }
    }

    pub(crate) fn view(self, words: &Words) -> AnyView {
        let stops = use_context::<TabStop>();
        let Self {
            class,
            name,
            icon,
            disabled,
            pressed,
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
                tabindex=move || stops.and_then(|stops| (!stops.0.get()).then_some("-1"))
                aria-disabled=move || disabled.get().then_some("true")
                aria-pressed=move || pressed.get().map(|pressed| pressed.to_string())
                node_ref=node
                on:click=act
            >
                {dynamic(move || icon.get().view())}
            </button>
        }
        .into_any()
    }
}
