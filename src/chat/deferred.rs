//! The parts of a window for which something must have been said: a build may fetch them later.
//!
//! With the feature `split` the function that names what draws them is a split point. `wasm-split`
//! cuts what is reached through it alone out of the module, and it is fetched when somebody turns to
//! the window, or when there is something to show. Until then the window is its header, its
//! suggestions and its composer.

use leptos::prelude::*;

use super::{
    ConfirmDialogs, Feedback, Notices, OtherBranch, Speech, Transcript,
    announcer::{Voice, speak},
    inbox_place::look_again,
};
use crate::{assistant::Assistant, tool::InterruptInbox};

/// What stands in the transcript before the first message.
type Empty = std::sync::Arc<dyn Fn() -> AnyView + Send + Sync>;

/// The messages, and all that stands between them and the composer.
fn conversation(empty: Empty, on_feedback: Option<Callback<Feedback>>) -> AnyView {
    let empty = move || empty();
    look_again();
    view! {
        <Transcript empty on_feedback />
        <InterruptInbox />
        <OtherBranch />
        <Notices />
    }
    .into_any()
}

/// What is said, and asked in dialogs.
fn voices(assistant: Assistant, voice: Voice, speech: Signal<Speech>) -> AnyView {
    speak(&assistant, voice, speech);
    view! { <ConfirmDialogs assistant /> }.into_any()
}

/// The parts of one window.
#[cfg(not(feature = "split"))]
#[derive(Clone, Copy)]
pub(super) struct Deferred(Voice);

#[cfg(not(feature = "split"))]
impl Deferred {
    pub(super) fn of(_: &Assistant, voice: Voice) -> Self {
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
pub(super) use self::fetched::Deferred;
