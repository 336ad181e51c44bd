//! Renders the parts of a window that are needed only once there are messages. A build with the
//! feature `split` loads these parts lazily.
//!
//! With the feature `split`, the function that returns the renderers of these parts is a split
//! point. `wasm-split` moves the code that only this function reaches into a separate module,
//! together with the engine. The module is fetched when the pointer or the focus enters the window,
//! or when there is something to do or to show. Until then the window consists of its header, its
//! suggestions and its composer.

use leptos::prelude::*;

use super::{
    ConfirmDialogs, Feedback, Notices, OtherBranch, Speech, Transcript,
    announcer::{ActivityAnnouncer, announce_all},
    inbox_place::update_inbox_position,
};
use crate::{assistant::Assistant, tool::InterruptInbox};

/// A function that renders the content of the transcript before the first message.
type RenderEmptyFn = std::sync::Arc<dyn Fn() -> AnyView + Send + Sync>;

/// Renders the messages, and the elements between the messages and the composer.
fn render_conversation(empty: RenderEmptyFn, on_feedback: Option<Callback<Feedback>>) -> AnyView {
    let render_empty = move || empty();
    update_inbox_position();
    view! {
        <Transcript empty=render_empty on_feedback />
        <InterruptInbox />
        <OtherBranch />
        <Notices />
    }
    .into_any()
}

/// Starts the announcements, and renders the dialogs of handlers.
fn render_announcements(
    assistant: Assistant,
    announcer: ActivityAnnouncer,
    speech: Signal<Speech>,
) -> AnyView {
    announce_all(&assistant, announcer, speech);
    view! { <ConfirmDialogs assistant /> }.into_any()
}

/// The deferred parts of one window.
#[cfg(not(feature = "split"))]
#[derive(Clone, Copy)]
pub(super) struct DeferredParts(ActivityAnnouncer);

#[cfg(not(feature = "split"))]
impl DeferredParts {
    pub(super) const fn new(_: &Assistant, announcer: ActivityAnnouncer) -> Self {
        Self(announcer)
    }

    pub(super) fn conversation(
        self,
        empty: RenderEmptyFn,
        on_feedback: Option<Callback<Feedback>>,
    ) -> AnyView {
        render_conversation(empty, on_feedback)
    }

    pub(super) fn announcements(self, assistant: Assistant, speech: Signal<Speech>) -> AnyView {
        render_announcements(assistant, self.0, speech)
    }
}

#[cfg(feature = "split")]
mod fetched;
#[cfg(feature = "split")]
mod held_message;
#[cfg(feature = "split")]
pub(super) use self::fetched::DeferredParts;
