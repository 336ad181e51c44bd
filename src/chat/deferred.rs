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
    announcer::{Voice, announce_all},
    inbox_place::update_position,
};
use crate::{assistant::Assistant, tool::InterruptInbox};

/// The renderer of the content of the transcript before the first message.
type Empty = std::sync::Arc<dyn Fn() -> AnyView + Send + Sync>;

/// Renders the messages, and everything between them and the composer.
fn conversation(empty: Empty, on_feedback: Option<Callback<Feedback>>) -> AnyView {
    let empty = move || empty();
    update_position();
    view! {
        <Transcript empty on_feedback />
        <InterruptInbox />
        <OtherBranch />
        <Notices />
    }
    .into_any()
}

/// Starts the announcements, and renders the dialogs of handlers.
fn voices(assistant: Assistant, voice: Voice, speech: Signal<Speech>) -> AnyView {
    announce_all(&assistant, voice, speech);
    view! { <ConfirmDialogs assistant /> }.into_any()
}

/// The deferred parts of one window.
#[cfg(not(feature = "split"))]
#[derive(Clone, Copy)]
pub(super) struct Deferred(Voice);

#[cfg(not(feature = "split"))]
impl Deferred {
    pub(super) fn new(_: &Assistant, voice: Voice) -> Self {
        Self(voice)
    }

    pub(super) fn conversation(
        self,
        empty: Empty,
        on_feedback: Option<Callback<Feedback>>,
    ) -> AnyView {
        conversation(empty, on_feedback)
    }

    pub(super) fn voices(self, assistant: Assistant, speech: Signal<Speech>) -> AnyView {
        voices(assistant, self.0, speech)
    }
}

#[cfg(feature = "split")]
mod fetched;
#[cfg(feature = "split")]
mod held_message;
#[cfg(feature = "split")]
pub(super) use self::fetched::Deferred;
