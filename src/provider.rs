//! The component that creates an assistant and provides it to its children.

use std::{rc::Rc, sync::Arc};

use assistant_core::{
    limits::Limits,
    session::{NoticeAction, NoticeKind, SessionOptions},
    text::address::MediaPolicy,
};
use leptos::{prelude::*, tachys::reactive_graph::OwnedView};
use send_wrapper::SendWrapper;
use serde_json::Value;

use crate::{
    agent::Agent,
    assistant::{Assistant, ServerMarker},
    runtime::StorePersistence,
    store::Store,
    ui::{console_error, fresh_id, in_browser},
};

/// The agent of a provider. Any type that implements [`Agent`] converts to this type.
pub struct AgentProp {
    /// The function that creates the assistant; `None` on a server.
    make: Option<MakeAssistant>,
    /// True if the assistant ends when the provider is unmounted.
    is_owned: bool,
}

type MakeAssistant = Box<dyn FnOnce(SessionOptions, Option<String>) -> Assistant + Send>;

impl std::fmt::Debug for AgentProp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AgentProp")
    }
}

impl<A: Agent> From<A> for AgentProp {
    fn from(agent: A) -> Self {
        let make_in_browser = move || {
            let agent = SendWrapper::new(agent);
            let make_assistant: MakeAssistant = Box::new(move |options, thread_id| {
                let thread_id = thread_id.unwrap_or_else(fresh_id);
                Assistant::with_thread_id(agent.take(), options, thread_id)
            });
            make_assistant
        };
        Self {
            make: in_browser().then(make_in_browser),
            is_owned: true,
        }
    }
}

impl AgentProp {
    /// Uses an existing assistant, with the options and the conversation of that assistant. The
    /// assistant outlives the provider, and another provider may use it afterwards.
    ///
    /// ```no_run
    /// use leptos::prelude::*;
    /// use leptos_assistant::{
    ///     AgentProp, Assistant, AssistantProvider, ChatWindow, SessionOptions, agent::HttpAgent,
    /// };
    ///
    /// #[component]
    /// fn App() -> impl IntoView {
    ///     let assistant = Assistant::new(HttpAgent::new("/agent"), SessionOptions::default());
    ///     view! {
    ///         <AssistantProvider agent=AgentProp::existing(assistant)>
    ///             <ChatWindow />
    ///         </AssistantProvider>
    ///     }
    /// }
    /// ```
    #[must_use]
    pub fn existing(assistant: Assistant) -> Self {
        Self {
            make: in_browser().then(|| -> MakeAssistant { Box::new(move |_, _| assistant) }),
            is_owned: false,
        }
    }
}

/// The store of a provider. Any type that implements [`Store`] converts to this type. By default,
/// nothing is stored.
#[derive(Default)]
pub struct StoreProp(Option<SendWrapper<BeginPersistence>>);

/// A function that begins to persist the conversation of an assistant, with a thread id and an
/// initial conversation. The function is created together with the store, so that a program without
/// a store contains no persistence code.
type BeginPersistence = Box<dyn FnOnce(&Assistant, Option<String>, Option<Value>)>;

impl std::fmt::Debug for StoreProp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StoreProp")
    }
}

impl<S: Store> From<S> for StoreProp {
    fn from(store: S) -> Self {
        let begin_persistence: BeginPersistence = Box::new(move |assistant, thread_id, initial| {
            StorePersistence::start(assistant.runtime(), Rc::new(store), thread_id, initial);
        });
        Self(in_browser().then(|| SendWrapper::new(begin_persistence)))
    }
}

/// Creates an assistant and provides it to the children, such as chat windows and components that
/// register actions or context.
///
/// Several providers on one page share nothing. When a provider is unmounted, everything that runs
/// in its assistant ends, and commands through remaining handles are refused
/// ([`Refusal::Ended`](crate::Refusal::Ended)), unless the provider uses an existing assistant
/// ([`AgentProp::existing`]).
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{
///     AssistantProvider, ChatWindow, agent::HttpAgent, store::IndexedDbStore, use_assistant,
/// };
///
/// /// A component below the provider, anywhere on the page.
/// #[component]
/// fn Stop() -> impl IntoView {
///     let assistant = use_assistant()?;
///     Some(view! { <button on:click=move |_| drop(assistant.stop())>"Stop"</button> })
/// }
///
/// #[component]
/// fn App() -> impl IntoView {
///     view! {
///         // Conversations survive a reload of the page.
///         <AssistantProvider agent=HttpAgent::new("/agent") store=IndexedDbStore::new("orders")>
///             <Stop />
///             <ChatWindow />
///         </AssistantProvider>
///     }
/// }
/// ```
#[component]
pub fn AssistantProvider(
    /// The agent that performs the runs of the assistant.
    #[prop(into)]
    agent: AgentProp,
    /// The options of the session.
    #[prop(optional)]
    options: SessionOptions,
    /// The limits on content from agents. These limits take precedence over the limits in
    /// `options`.
    #[prop(optional, into)]
    limits: Option<Limits>,
    /// The initial conversation, in a form that [`Assistant::import`] accepts. The conversation is
    /// opened once the actions of the children are registered. A value that cannot be parsed is
    /// skipped with an error in the console; call [`Assistant::import`] yourself to show the error
    /// to the user.
    #[prop(optional_no_strip, into)]
    initial: Option<Value>,
    /// The id of the conversation. This id takes precedence over the id in `initial`. If the id is
    /// missing or empty, an id is generated.
    #[prop(optional, into)]
    thread_id: String,
    /// The store that persists conversations. By default, nothing is stored. The conversation with
    /// `thread_id` is opened, or else the conversation that this tab had before a reload. A stored
    /// conversation takes precedence over `initial`.
    #[prop(optional, into)]
    store: StoreProp,
    /// The policy for the images and other media that the chat may fetch. By default, the chat
    /// fetches no media.
    #[prop(optional)]
    media: MediaPolicy,
    /// The components that may use the assistant.
    children: Children,
) -> impl IntoView {
    // Contexts are provided in a child owner: a component has no owner of its own, and the next
    // provider would replace the contexts of this provider.
    let owner = Owner::current().map_or_else(Owner::new, |owner| owner.child());
    let children = owner.with(|| {
        provide_context(Arc::new(media));
        let Some(make_assistant) = agent.make else {
            // Marks the context as a server, where the hooks of the children have no effect (rule
            // "on a server").
            provide_context(ServerMarker);
            return children();
        };
        let thread_id = Some(thread_id).filter(|id| !id.is_empty());
        let options = match limits {
            Some(limits) => options.limits(limits),
            None => options,
        };
        let assistant = make_assistant(options, thread_id.clone());
        provide_context(assistant.clone());
        retry_when_online(&assistant);
        if agent.is_owned {
            let owned_assistant = assistant.clone();
            on_cleanup(move || owned_assistant.shut_down());
        }
        let children = children();
        match (store.0, initial) {
            (Some(begin_persistence), initial) => {
                begin_persistence.take()(&assistant, thread_id, initial);
            }
            (None, Some(initial)) => {
                if let Err(refusal) = assistant.import_as(thread_id, initial) {
                    console_error(&format!("AssistantProvider: {refusal}"));
                }
            }
            (None, None) => {}
        }
        children
    });
    OwnedView::new_with_owner(children, owner)
}

/// Retries a run that failed because the browser was offline, once the browser is online again
/// (rule "offline").
///
/// Listens for `online` events until the owner is disposed, and handles them like a click on the
/// Retry button of the notice. Nothing is retried if the notice was removed, because the
/// application has dismissed the notice, or the user has sent another message or pressed the button.
fn retry_when_online(assistant: &Assistant) {
    if !in_browser() {
        return;
    }
    // The browser may free a removed listener late, so the listener holds only a weak handle.
    let assistant = assistant.weak();
    let listener = window_event_listener_untyped("online", move |_| {
        let Some(assistant) = assistant.upgrade() else {
            return;
        };
        let can_retry = assistant.runtime().read(|session| {
            session.notices().iter().any(|notice| {
                let is_retryable = notice.action() == Some(NoticeAction::Retry);
                is_retryable && notice.kind() == NoticeKind::Offline
            })
        });
        if can_retry == Some(true) {
            // The retry is refused only if the notice no longer applies.
            let _ = assistant.retry();
        }
    });
    on_cleanup(move || listener.remove());
}
