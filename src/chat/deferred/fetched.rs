//! Fetches the deferred parts of a window on demand, in a build with a split point.

#![allow(
    unsafe_code,
    reason = "the split point is an import, which its macro declares"
)]

use std::sync::Arc;

use assistant_core::event::Content;
use leptos::{
    html,
    prelude::*,
    wasm_split::{SplitLoaderError, wasm_split},
};
use send_wrapper::SendWrapper;
use wasm_bindgen::{JsCast, closure::Closure};

use super::{RenderEmptyFn, announcements, conversation, held_message};
use crate::{
    assistant::Assistant,
    chat::{Feedback, Speech, announcer::ActivityAnnouncer, notices::NoticeBar},
    runtime::engine,
    store::Ownership,
    ui::{
        Icon, Words, after, closest, dynamic, effect, focus, memo, spawn_local, spinner,
        wait_for_pending_work,
    },
};

/// The functions that render the deferred parts.
#[derive(Clone, Copy)]
struct DeferredRenderers {
    conversation: fn(RenderEmptyFn, Option<Callback<Feedback>>) -> AnyView,
    announcements: fn(Assistant, ActivityAnnouncer, Signal<Speech>) -> AnyView,
}

/// Returns the functions that render the deferred parts. This function is the split point: code
/// that only this function reaches is in a separate module. Fails if that module cannot be loaded.
#[wasm_split(conversation, wasm_split_path = leptos::wasm_split, fallible)]
fn deferred_renderers() -> Result<DeferredRenderers, SplitLoaderError> {
    Ok(DeferredRenderers {
        conversation,
        announcements,
    })
}

/// The events by which the pointer or the focus enters a window.
const ATTENTION_EVENTS: [&str; 2] = ["pointerenter", "focusin"];

/// The time after which loading is announced, in milliseconds.
const ANNOUNCE_AFTER_MS: u32 = 1_000;

/// The user's message that is shown until the deferred parts are loaded.
type HeldMessage = Option<Arc<Content>>;

/// The loading state of the deferred parts.
#[derive(Clone, Copy)]
enum LoadState {
    Away,
    Fetching,
    Fetched(DeferredRenderers),
    Failed,
}

/// The deferred parts of one window.
#[derive(Clone, Copy)]
pub(in crate::chat) struct DeferredParts {
    stage: RwSignal<LoadState>,
    /// True once the pointer or the focus has entered the window.
    turned_to: RwSignal<bool>,
    /// True once there was something to show.
    needed: RwSignal<bool>,
    assistant: StoredValue<Assistant>,
    voice: ActivityAnnouncer,
}

impl DeferredParts {
    pub(in crate::chat) fn new(assistant: &Assistant, voice: ActivityAnnouncer) -> Self {
        let parts = Self {
            stage: RwSignal::new(LoadState::Away),
            turned_to: RwSignal::new(false),
            needed: RwSignal::new(false),
            assistant: StoredValue::new(assistant.clone()),
            voice,
        };
        let (messages, notices) = (assistant.messages(), assistant.notices());
        let (interrupts, ownership) = (
            assistant.interrupts(),
            assistant.conversations().ownership(),
        );
        let dialogs = assistant.view().dialogs.clone();
        let held = assistant.runtime().held.shows.clone();
        effect(move |_| {
            let shows = held.get()
                || messages.with(|list| !list.is_empty())
                || notices.with(|list| !list.is_empty())
                || interrupts.with(|list| !list.is_empty())
                || dialogs.with(|list| !list.is_empty())
                || ownership.get() == Ownership::OtherTab;
            if shows && !parts.needed.get_untracked() {
                parts.needed.set(true);
            }
        });
        let words = Words::current();
        let known = words.clone();
        effect(move |was_needed: Option<bool>| {
            let (needed, turned_to) = (parts.needed.get(), parts.turned_to.get());
            let fetches = match parts.stage.get_untracked() {
                LoadState::Away => needed || turned_to,
                // After a failure, tries again once the parts are needed anew.
                LoadState::Failed => needed && was_needed == Some(false),
                LoadState::Fetching | LoadState::Fetched(_) => false,
            };
            if fetches {
                parts.fetch(&known);
            }
            needed
        });
        parts.fetch_after_engine(words);
        super::restore_refused_messages(assistant);
        parts
    }

    /// Fetches the deferred parts once the engine, which is in the same module, is loaded. Does
    /// nothing if the parts are already fetched or being fetched.
    fn fetch_after_engine(self, words: Words) {
        spawn_local(async move {
            engine::wait_until_loaded().await;
            // The window may be disposed by now.
            if let Some(LoadState::Away | LoadState::Failed) = self.stage.try_get_untracked() {
                self.fetch(&words);
            }
        });
    }

    fn fetch(self, words: &Words) {
        if matches!(self.stage.get_untracked(), LoadState::Fetching) {
            return;
        }
        self.stage.set(LoadState::Fetching);
        spawn_local(async move {
            let renderers = deferred_renderers().await;
            // The engine is loaded first, so that the conversation is drawn with the messages that
            // waited. The window may be disposed by now.
            if let (Ok(_), Some(assistant)) = (&renderers, self.assistant.try_get_value()) {
                engine::load_engine(assistant.runtime().weak()).await;
                // The request of a waiting message is on its way meanwhile: a run opens once the page
                // has settled, and the second wait begins after that of the run.
                wait_for_pending_work().await;
                wait_for_pending_work().await;
            }
            let stage = renderers.map_or(LoadState::Failed, LoadState::Fetched);
            self.stage.try_set(stage);
        });
        let words = words.clone();
        after(ANNOUNCE_AFTER_MS, move || {
            let fetching = matches!(self.stage.try_get_untracked(), Some(LoadState::Fetching));
            if fetching && self.needed.try_get_untracked() == Some(true) {
                self.voice.announce_status(words.word(|l| &l.loading));
            }
        });
    }

    /// Renders the conversation once the parts are fetched and there is something to show. Until
    /// then the suggestions, or the message that waits for the parts, are shown instead.
    pub(in crate::chat) fn conversation(
        self,
        empty: RenderEmptyFn,
        on_feedback: Option<Callback<Feedback>>,
    ) -> AnyView {
        let words = Words::current();
        let message = self.assistant.with_value(|assistant| {
            let held = &assistant.runtime().held;
            held.message.clone()
        });
        let waiting = message.clone();
        // The message is drawn here until the conversation has it.
        let draws = memo(move || {
            let fetched = matches!(self.stage.get(), LoadState::Fetched(_));
            fetched && self.needed.get() && waiting.with(Option::is_none)
        });
        // Kept until the conversation is drawn, which may be a moment after the session has it.
        let message = Memo::new(move |shown: Option<&HeldMessage>| match message.get() {
            _ if draws.get() => None,
            None if engine::step_handler().is_some() => shown.cloned().flatten(),
            message => message,
        });
        let place = NodeRef::<html::Div>::new();
        let conversation = move || {
            let stage = self.stage.get_untracked();
            if let (true, LoadState::Fetched(renderers)) = (draws.get(), stage) {
                move_focus_to_transcript(place);
                return (renderers.conversation)(empty.clone(), on_feedback);
            }
            let (empty, words) = (empty.clone(), words.clone());
            let status = self.status_line(&words, message);
            let inside = move || self.placeholder_content(&empty, &words, message, status.clone());
            self.placeholder(place, dynamic(inside).into_any())
        };
        dynamic(conversation).into_any()
    }

    /// Renders the status line above the suggestions until there is something to show, then below
    /// the waiting message. A suggestion that was just focused therefore keeps the focus.
    fn placeholder_content(
        self,
        empty: &RenderEmptyFn,
        words: &Words,
        message: Memo<HeldMessage>,
        status: impl Fn() -> Option<AnyView> + Send + 'static,
    ) -> AnyView {
        let status = dynamic(status);
        if !self.needed.get() {
            return view! { {status} {empty()} }.into_any();
        }
        let message = (message.get()).map(|content| held_message::view(words, &content));
        view! { {message} {status} }.into_any()
    }

    /// Returns a function that renders the status line: loading has failed, the agent is thinking
    /// about a waiting message, or needed parts are loading. The function returns `None` in other
    /// cases.
    fn status_line(
        self,
        words: &Words,
        message: Memo<HeldMessage>,
    ) -> impl Fn() -> Option<AnyView> + Clone + Send + 'static {
        let words = words.clone();
        let has_failed = memo(move || matches!(self.stage.get(), LoadState::Failed));
        move || match (has_failed.get(), self.needed.get()) {
            (true, _) => Some(self.failure_bar(&words)),
            (false, false) => None,
            (false, true) if message.with(Option::is_some) => Some(thinking_line(&words)),
            (false, true) => Some(loading_line(&words)),
        }
    }

    /// Renders the placeholder of the transcript, and observes when the pointer or the focus enters
    /// the window.
    fn placeholder(self, place: NodeRef<html::Div>, inside: AnyView) -> AnyView {
        let words = Words::current();
        effect(move |_| {
            let chat = place
                .get()
                .and_then(|place| closest(&place, "[data-assistant-chat]"));
            if let Some(chat) = chat {
                self.watch_attention(chat);
            }
        });
        view! {
            <div class="la-transcript" node_ref=place>
                <div
                    class="la-transcript-scroller"
                    role="log"
                    aria-live="off"
                    aria-label=words.attr(|l| &l.conversation)
                    tabindex="0"
                >
                    <div class="la-transcript-content">{inside}</div>
                </div>
            </div>
        }
        .into_any()
    }

    fn watch_attention(self, chat: web_sys::Element) {
        let turned = Closure::<dyn Fn()>::new(move || {
            if self.turned_to.try_get_untracked() == Some(false) {
                self.turned_to.set(true);
            }
        });
        let listener = SendWrapper::new((chat, turned));
        for event in ATTENTION_EVENTS {
            // None of this fails for an element in the page.
            let _ = listener
                .0
                .add_event_listener_with_callback(event, listener.1.as_ref().unchecked_ref());
        }
        on_cleanup(move || {
            for event in ATTENTION_EVENTS {
                let _ = listener.0.remove_event_listener_with_callback(
                    event,
                    listener.1.as_ref().unchecked_ref(),
                );
            }
        });
    }

    fn failure_bar(self, words: &Words) -> AnyView {
        let again = words.clone();
        let bar = NoticeBar {
            tone: "error",
            kind: None,
            role: "alert",
            icon: Icon::Alert,
            text: |l| &l.not_loaded,
            button: |l| &l.retry,
        };
        bar.view(words, move |event| {
            focus::focus_after_removal(&event_target(&event), event.detail() == 0);
            self.fetch(&again);
        })
    }

    pub(in crate::chat) fn announcements(
        self,
        assistant: Assistant,
        speech: Signal<Speech>,
    ) -> AnyView {
        let announcements = move || match self.stage.get() {
            LoadState::Fetched(renderers) => {
                (renderers.announcements)(assistant.clone(), self.voice, speech)
            }
            LoadState::Away | LoadState::Fetching | LoadState::Failed => ().into_any(),
        };
        dynamic(announcements).into_any()
    }
}

/// Moves the focus from the placeholder to the transcript, which replaces the placeholder. Does
/// nothing if the focus is elsewhere.
fn move_focus_to_transcript(place: NodeRef<html::Div>) {
    let place = place.get_untracked();
    let focused = place.filter(|place| focus::has_focus_in(place));
    if let Some(chat) = focused.and_then(|place| closest(&place, "[data-assistant-chat]")) {
        focus::focus_descendant(chat, ".la-transcript-scroller");
    }
}

/// Renders the line that says that the agent is thinking, as it is also shown before an answer
/// begins.
fn thinking_line(words: &Words) -> AnyView {
    let word = words.text(|l| &l.thinking);
    view! { <p class="la-working"><span class="la-working-quiet">{word}</span></p> }.into_any()
}

fn loading_line(words: &Words) -> AnyView {
    let word = words.text(|l| &l.loading);
    view! { <p class="la-working">{spinner()} <span>{word}</span></p> }.into_any()
}
