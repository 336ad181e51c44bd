//! What the code of another component draws: cards of actions, parts with a renderer of their own.
//!
//! It is mounted by hand, so that its component can take it away at once when it goes: what it
//! reads may be gone right after (rule "unmounting"). Neighbour: `cards` keeps what is mounted.

use std::borrow::Cow;

use assistant_core::action::RegistrationId;
use leptos::{html, mount::mount_to, prelude::*};
use send_wrapper::SendWrapper;

use crate::{
    assistant::Assistant,
    ui::{Icon, Words},
};

/// Something to draw, and whose it is.
pub(crate) struct Foreign {
    /// The registration that it goes with.
    pub(crate) registration: RegistrationId,
    /// Draws it.
    pub(crate) draw: Box<dyn FnOnce() -> AnyView>,
    /// Draws what stands below the error if that fails.
    pub(crate) instead: Box<dyn Fn() -> AnyView>,
}

/// The place of something that another component draws; empty if `find` finds nothing.
pub(crate) fn foreign(
    assistant: Assistant,
    find: impl Fn() -> Option<Foreign> + 'static,
) -> AnyView {
    let place = NodeRef::<html::Div>::new();
    let card = assistant.runtime().number();
    let owner = Owner::current();
    let words = Words::current();
    let keeper = assistant.clone();
    Effect::new(move |_| {
        let (Some(element), Some(owner)) = (place.get(), owner.clone()) else {
            return;
        };
        let Some(Foreign {
            registration,
            draw,
            instead,
        }) = untrack(&find)
        else {
            return;
        };
        let failed = untrack(|| words.word(|l| &l.render_failed));
        let mounted =
            owner.with(|| mount_to(element.into(), move || guarded(draw, instead, failed)));
        keeper.cards().keep(card, registration, Box::new(mounted));
    });
    on_cleanup(move || assistant.cards().remove(card));
    view! { <div class="la-custom" node_ref=place></div> }.into_any()
}

/// A renderer that gives an error back shows as an error box; the rest of the chat stands.
fn guarded(
    draw: Box<dyn FnOnce() -> AnyView>,
    instead: Box<dyn Fn() -> AnyView>,
    failed: Cow<'static, str>,
) -> impl IntoView {
    let (draw, instead) = (SendWrapper::new(draw), SendWrapper::new(instead));
    view! {
        <ErrorBoundary fallback=move |errors| {
            let list: Vec<String> =
                errors.get().into_iter().map(|(_, error)| error.to_string()).collect();
            view! {
                <div class="la-render-error">
                    <p class="la-tool-line" data-tone="error" role="alert">
                        {Icon::Alert.view()}
                        <span>{failed.clone()} " " {list.join("; ")}</span>
                    </p>
                    {instead()}
                </div>
            }
        }>
            {draw.take()()}
        </ErrorBoundary>
    }
}
