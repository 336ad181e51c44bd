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

use super::{RenderEmptyFn, held_message, render_announcements, render_conversation};
use crate::{
    assistant::Assistant,
    chat::{Feedback, Speech, announcer::ActivityAnnouncer, notices::NoticeBar},
    runtime::engine,
    store::Ownership,
    ui::{
        Icon, LabelName, Words, after, closest, dynamic, effect, focus, memo, spawn_local, spinner,
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
        conversation: render_conversation,
        announcements: render_announcements,
    })
}

/// The events that report that the pointer or the focus has entered a window.
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

/// The loading state of the deferred parts of one window, and the conditions that start loading.
#[derive(Clone, Copy)]
pub(in crate::chat) struct DeferredParts {
    state: RwSignal<LoadState>,
    /// True once the pointer or the focus has entered the window.
    had_attention: RwSignal<bool>,
    /// True once there was something to show.
    is_needed: RwSignal<bool>,
    assistant: StoredValue<Assistant>,
    announcer: ActivityAnnouncer,
}

impl DeferredParts {
    pub(in crate::chat) fn new(assistant: &Assistant, announcer: ActivityAnnouncer) -> Self {
        let parts = Self {
            state: RwSignal::new(LoadState::Away),
            had_attention: RwSignal::new(false),
            is_needed: RwSignal::new(false),
            assistant: StoredValue::new(assistant.clone()),
            announcer,
        };
        let (messages, notices) = (assistant.messages(), assistant.notices());
        let (interrupts, ownership) = (
            assistant.interrupts(),
            assistant.conversations().ownership(),
        );
        let dialogs = assistant.view().dialogs.clone();
        let is_message_held = assistant.runtime().held.shows.clone();
        effect(move |_| {
            let has_content = is_message_held.get()
                || messages.with(|list| !list.is_empty())
                || notices.with(|list| !list.is_empty())
                || interrupts.with(|list| !list.is_empty())
                || dialogs.with(|list| !list.is_empty())
                || ownership.get() == Ownership::OtherTab;
            if has_content && !parts.is_needed.get_untracked() {
                parts.is_needed.set(true);
            }
        });
        effect(move |was_needed: Option<bool>| {
            let (is_needed, had_attention) = (parts.is_needed.get(), parts.had_attention.get());
            let should_fetch = match parts.state.get_untracked() {
                LoadState::Away => is_needed || had_attention,
                // After a failure, loading is retried once the parts are needed again.
                LoadState::Failed => is_needed && was_needed == Some(false),
                LoadState::Fetching | LoadState::Fetched(_) => false,
            };
            if should_fetch {
                parts.fetch();
            }
            is_needed
        });
        parts.announce_loading();
        parts.fetch_after_engine();
        parts
    }

    /// Fetches the deferred parts once the engine, which is in the same module, is loaded. Does
    /// nothing if the parts are already fetched or being fetched.
    fn fetch_after_engine(self) {
        spawn_local(async move {
            engine::wait_until_loaded().await;
            // The state is `None` if the window was disposed during the wait.
            if let Some(LoadState::Away | LoadState::Failed) = self.state.try_get_untracked() {
                self.fetch();
            }
        });
    }

    /// Announces that the parts are loading, once something waits for the parts for
    /// [`ANNOUNCE_AFTER_MS`].
    fn announce_loading(self) {
        let words = Words::current();
        let is_awaited =
            memo(move || self.is_needed.get() && matches!(self.state.get(), LoadState::Fetching));
        // The number of times that something began to wait, so that earlier timers are ignored.
        let attempt = StoredValue::new(0_u32);
        effect(move |_| {
            if !is_awaited.get() {
                return;
            }
            attempt.update_value(|number| *number = number.wrapping_add(1));
            let words = words.clone();
            let number = attempt.get_value();
            after(ANNOUNCE_AFTER_MS, move || {
                if attempt.try_get_value() == Some(number)
                    && is_awaited.try_get_untracked() == Some(true)
                {
                    self.announcer
                        .announce_status(words.word(LabelName::Loading));
                }
            });
        });
    }

    fn fetch(self) {
        if matches!(self.state.get_untracked(), LoadState::Fetching) {
            return;
        }
        self.state.set(LoadState::Fetching);
        spawn_local(async move {
            let renderers = deferred_renderers().await;
            // The engine is loaded first, so that the conversation is rendered with the messages
            // that waited. The assistant is `None` if the window was disposed in the meantime.
            if let (Ok(_), Some(assistant)) = (&renderers, self.assistant.try_get_value()) {
                engine::load_engine(assistant.runtime().weak()).await;
                // The wait is repeated, because a waiting message starts a run now, and the run
                // sends its request after one such wait. The second wait ends after the wait of the
                // run.
                wait_for_pending_work().await;
                wait_for_pending_work().await;
            }
            let state = renderers.map_or(LoadState::Failed, LoadState::Fetched);
            self.state.try_set(state);
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
            let held_state = &assistant.runtime().held;
            held_state.message.clone()
        });
        let waiting_message = message.clone();
        // The conversation is not shown while a message waits, because the placeholder shows the
        // message until the conversation contains it.
        let shows_conversation = memo(move || {
            let is_fetched = matches!(self.state.get(), LoadState::Fetched(_));
            is_fetched && self.is_needed.get() && waiting_message.with(Option::is_none)
        });
        // The message stays until the conversation is rendered, which may happen after the session
        // has received the message.
        let message = Memo::new(move |previous: Option<&HeldMessage>| match message.get() {
            _ if shows_conversation.get() => None,
            None if engine::step_handler().is_some() => previous.cloned().flatten(),
            message => message,
        });
        let element = NodeRef::<html::Div>::new();
        let render = move || {
            let state = self.state.get_untracked();
            if let (true, LoadState::Fetched(renderers)) = (shows_conversation.get(), state) {
                move_focus_to_transcript(element);
                return (renderers.conversation)(empty.clone(), on_feedback);
            }
            let (empty, words) = (empty.clone(), words.clone());
            let status = self.status_line(&words, message);
            let content = move || self.placeholder_content(&empty, &words, message, status.clone());
            self.render_placeholder(element, dynamic(content).into_any())
        };
        dynamic(render).into_any()
    }

    /// Renders the status line above the suggestions; once there is something to show, renders the
    /// waiting message with the status line below it. A change of the status does not render the
    /// suggestions again, so that a focused suggestion keeps the focus.
    fn placeholder_content(
        self,
        empty: &RenderEmptyFn,
        words: &Words,
        message: Memo<HeldMessage>,
        status: impl Fn() -> Option<AnyView> + Send + 'static,
    ) -> AnyView {
        let status = dynamic(status);
        if !self.is_needed.get() {
            return view! { {status} {empty()} }.into_any();
        }
        let message = (message.get()).map(|content| held_message::view(words, &content));
        view! { {message} {status} }.into_any()
    }

    /// Returns a function that renders the status line if loading has failed, if the agent is
    /// thinking about a waiting message, or if needed parts are loading. The function returns
    /// `None` in other cases.
    fn status_line(
        self,
        words: &Words,
        message: Memo<HeldMessage>,
    ) -> impl Fn() -> Option<AnyView> + Clone + Send + 'static {
        let words = words.clone();
        let has_failed = memo(move || matches!(self.state.get(), LoadState::Failed));
        move || match (has_failed.get(), self.is_needed.get()) {
            (true, _) => Some(self.failure_bar(&words)),
            (false, false) => None,
            (false, true) if message.with(Option::is_some) => Some(thinking_line(&words)),
            (false, true) => Some(loading_line(&words)),
        }
    }

    /// Renders the placeholder of the transcript, and observes when the pointer or the focus enters
    /// the window.
    fn render_placeholder(self, element: NodeRef<html::Div>, content: AnyView) -> AnyView {
        let words = Words::current();
        effect(move |_| {
            let chat = element
                .get()
                .and_then(|element| closest(&element, "[data-assistant-chat]"));
            if let Some(chat) = chat {
                self.watch_attention(chat);
            }
        });
        view! {
            <div class="la-transcript" node_ref=element>
                <div
                    class="la-transcript-scroller"
                    role="log"
                    aria-live="off"
                    aria-label=words.attr(LabelName::Conversation)
                    tabindex="0"
                >
                    <div class="la-transcript-content">{content}</div>
                </div>
            </div>
        }
        .into_any()
    }

    fn watch_attention(self, chat: web_sys::Element) {
        let callback = Closure::<dyn Fn()>::new(move || {
            if self.had_attention.try_get_untracked() == Some(false) {
                self.had_attention.set(true);
            }
        });
        let listener = SendWrapper::new((chat, callback));
        for event in ATTENTION_EVENTS {
            // The result is ignored, because adding a listener to an element in the page cannot
            // fail.
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
        let bar = NoticeBar {
            tone: "error",
            kind: None,
            role: "alert",
            icon: Icon::Alert,
            text: LabelName::NotLoaded,
            button: LabelName::Retry,
        };
        bar.view(words, move |event| {
            focus::focus_after_removal(&event_target(&event), event.detail() == 0);
            self.fetch();
        })
    }

    pub(in crate::chat) fn announcements(
        self,
        assistant: Assistant,
        speech: Signal<Speech>,
    ) -> AnyView {
        let render = move || match self.state.get() {
            LoadState::Fetched(renderers) => {
                (renderers.announcements)(assistant.clone(), self.announcer, speech)
            }
            LoadState::Away | LoadState::Fetching | LoadState::Failed => ().into_any(),
        };
        dynamic(render).into_any()
    }
}

/// Moves the focus from the placeholder to the transcript, which replaces the placeholder. Does
/// nothing if the focus is not in the placeholder.
fn move_focus_to_transcript(placeholder: NodeRef<html::Div>) {
    let placeholder = placeholder.get_untracked();
    let focused_placeholder = placeholder.filter(|placeholder| focus::has_focus_in(placeholder));
    if let Some(chat) =
        focused_placeholder.and_then(|placeholder| closest(&placeholder, "[data-assistant-chat]"))
    {
        focus::focus_descendant(chat, ".la-transcript-scroller");
    }
}

/// Renders the line that shows that the agent is thinking. The conversation shows the same line
/// before an answer begins.
fn thinking_line(words: &Words) -> AnyView {
    let label = words.text(LabelName::Thinking);
    view! { <p class="la-working"><span class="la-working-quiet">{label}</span></p> }.into_any()
}

fn loading_line(words: &Words) -> AnyView {
    let label = words.text(LabelName::Loading);
    view! { <p class="la-working">{spinner()} <span>{label}</span></p> }.into_any()
}
