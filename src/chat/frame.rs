//! The frame of a window: a named section whose parts find each other in it.

use leptos::{ev, prelude::*};

use super::inbox_place;
use crate::{
    assistant::{Assistant, assistant_for},
    store::KeptIn,
    ui::{Words, after_hydration, closest, composes, scope},
    view::Window,
};

/// A window of your own arrangement: a named section, and the parts in it. [`ChatWindow`] is the
/// default arrangement, written with nothing but public parts:
///
/// ```
/// use leptos::{ev, prelude::*};
/// use leptos_assistant::{
///     AssistantProvider,
///     agent::HttpAgent,
///     chat::{
///         Announcer, ChatHeader, ChatRoot, Composer, ConfirmDialogs, EmptyState, Notices, OtherBranch,
///         Transcript,
///     },
///     tool::InterruptInbox,
/// };
///
/// #[component]
/// fn App() -> impl IntoView {
///     view! {
///         <AssistantProvider agent=HttpAgent::new("/agent")>
///             <ChatRoot label="Help">
///                 <ChatHeader />
///                 <Transcript empty=|| view! { <EmptyState title="How can I help?" /> } />
///                 <InterruptInbox />
///                 <OtherBranch />
///                 <Notices />
///                 <Composer />
///                 <Announcer />
///                 <ConfirmDialogs />
///             </ChatRoot>
///         </AssistantProvider>
///     }
/// }
/// ```
///
/// What a window needs whatever it looks like: an [`InterruptInbox`](crate::tool::InterruptInbox)
/// for what waits for the person and has no place in a message, [`Notices`](super::Notices) for what
/// went wrong, an [`OtherBranch`](super::OtherBranch) for what goes on out of sight, [`ConfirmDialogs`](super::ConfirmDialogs) for the questions of handlers.
///
/// # Styling
///
/// `la-chat`, with `data-assistant-chat`, and `data-running` while a run, a handler or a question
/// to the person is open; `data-elsewhere` while another tab acts on the conversation.
///
/// [`ChatWindow`]: super::ChatWindow
#[component]
pub fn ChatRoot(
    /// Whose conversation; the one above without it. The parts inside find this one.
    #[prop(optional)]
    assistant: Option<Assistant>,
    /// What the window is called, to eyes and ears, instead of
    /// [`Labels::title`](crate::Labels::title). Two windows on one page need names that differ.
    #[prop(optional, into)]
    label: Signal<String>,
    /// The parts.
    children: Children,
) -> impl IntoView {
    section(assistant, label, children, "ChatRoot")
}

/// The section, under the name of the component that is drawn with it.
pub(super) fn section(
    assistant: Option<Assistant>,
    label: Signal<String>,
    children: Children,
    component: &str,
) -> AnyView {
    let given = assistant.is_some();
    let assistant = assistant_for(assistant, component);
    let name = Name::of(label);
    let activity = assistant.as_ref().map(Assistant::activity);
    let running = move || {
        activity
            .as_ref()
            .is_some_and(|activity| activity.get().busy)
            .then_some("")
    };
    let kept_in = assistant.as_ref().map(Assistant::kept_in);
    let elsewhere = move || {
        let place = kept_in.as_ref().map(Get::get);
        (place == Some(KeptIn::Elsewhere)).then_some("")
    };
    let own_name = name.clone();
    let stops = assistant.clone();
    let by_key = move |event: ev::KeyboardEvent| {
        if let Some(assistant) = &stops {
            escape(assistant, &event);
        }
    };
    let chat = NodeRef::new();
    // Outside of a provider there is nothing to draw.
    let parts = move || match assistant {
        None => ().into_any(),
        Some(assistant) => scope(Box::new(move || {
            // What stands in one window does not stand in another.
            let (number, called) = (assistant.runtime().number(), name.clone());
            let called = Signal::derive(move || called.get());
            provide_context(Window {
                number,
                name: called,
            });
            provide_context(name);
            if given {
                provide_context(assistant);
            }
            inbox_place::follow(chat);
            children()
        })),
    };
    // A server draws the shell, and the browser as long as it takes that over.
    view! {
        <section
            class="la-chat"
            data-assistant-chat=""
            data-running=running
            data-elsewhere=elsewhere
            aria-label=move || own_name.get()
            node_ref=chat
            on:keydown=by_key
        >
            {after_hydration(|| ().into_any(), parts)}
        </section>
    }
    .into_any()
}

/// Escape stops what runs, when nothing else is open that it would close and nobody is asked.
fn escape(assistant: &Assistant, event: &ev::KeyboardEvent) {
    if event.key() != "Escape" || composes(event) || event.default_prevented() {
        return;
    }
    let target: Option<web_sys::Element> = event
        .target()
        .and_then(|target| wasm_bindgen::JsCast::dyn_into(target).ok());
    let in_dialog = target.is_some_and(|target| closest(&target, "dialog").is_some());
    let activity = assistant.activity().get_untracked();
    if activity.busy && !activity.waiting && !activity.asking && !in_dialog {
        event.prevent_default();
        // Nothing to stop is what was wanted.
        let _ = assistant.stop();
    }
}

/// What a window is called.
#[derive(Clone)]
pub(super) struct Name {
    given: Signal<String>,
    words: Words,
}

impl Name {
    /// The name of the window around, or what every window is called.
    pub(super) fn current() -> Self {
        use_context().unwrap_or_else(|| Self::of(Signal::default()))
    }

    pub(super) fn of(given: Signal<String>) -> Self {
        let words = Words::current();
        Self { given, words }
    }

    pub(super) fn get(&self) -> String {
        let given = self.given.try_get().filter(|name| !name.is_empty());
        given.unwrap_or_else(|| self.words.word(|l| &l.title).into_owned())
    }
}
