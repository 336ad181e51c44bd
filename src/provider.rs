//! The component that makes an assistant and gives it to everything below.

use std::{rc::Rc, sync::Arc};

use assistant_core::{session::SessionOptions, text::address::MediaPolicy};
use leptos::{prelude::*, tachys::reactive_graph::OwnedView};
use send_wrapper::SendWrapper;
use serde_json::Value;

use crate::{
    agent::Agent,
    assistant::{Assistant, OnServer},
    store::Store,
    ui::{console_error, fresh_id, in_browser},
};

/// The agent that a provider talks to; made from anything that is an [`Agent`].
pub struct AgentProp {
    /// Nothing on a server.
    make: Option<Make>,
    /// Whether the assistant ends with the provider.
    is_owned: bool,
}

type Make = Box<dyn FnOnce(SessionOptions, Option<String>) -> Assistant + Send>;

impl std::fmt::Debug for AgentProp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AgentProp")
    }
}

impl<A: Agent> From<A> for AgentProp {
    fn from(agent: A) -> Self {
        let make = move || {
            let agent = SendWrapper::new(agent);
            let make: Make = Box::new(move |options, thread_id| {
                let thread_id = thread_id.unwrap_or_else(fresh_id);
                Assistant::with_thread_id(agent.take(), options, thread_id)
            });
            make
        };
        Self {
            make: in_browser().then(make),
            is_owned: true,
        }
    }
}

impl AgentProp {
    /// An assistant that was made elsewhere: with its own options and its own conversation. It
    /// goes on when the provider goes, and another provider may take it up.
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
            make: in_browser().then(|| -> Make { Box::new(move |_, _| assistant) }),
            is_owned: false,
        }
    }
}

/// The store of a provider; made from anything that is a [`Store`]. The default is nowhere.
#[derive(Default)]
pub struct StoreProp(Option<SendWrapper<Box<dyn Store>>>);

impl std::fmt::Debug for StoreProp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StoreProp")
    }
}

impl<S: Store> From<S> for StoreProp {
    fn from(store: S) -> Self {
        let wrap = || SendWrapper::new(Box::new(store) as Box<dyn Store>);
        Self(in_browser().then(wrap))
    }
}

/// Makes an assistant and gives it to everything below: chat windows, actions, context.
///
/// Several providers on one page are strangers to each other. When it goes, everything that runs
/// in its assistant ends, and handles that are still around are refused
/// ([`Refusal::Ended`](crate::Refusal::Ended)); unless the assistant was there before
/// ([`AgentProp::existing`]).
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{AssistantProvider, ChatWindow, agent::HttpAgent};
///
/// #[component]
/// fn App() -> impl IntoView {
///     view! {
///         <AssistantProvider agent=HttpAgent::new("/agent")>
///             <ChatWindow />
///         </AssistantProvider>
///     }
/// }
/// ```
#[component]
pub fn AssistantProvider(
    /// The agent to talk to.
    #[prop(into)]
    agent: AgentProp,
    /// How the session behaves.
    #[prop(optional)]
    options: SessionOptions,
    /// The conversation to begin with, in a form that [`Assistant::import`] takes. It is opened
    /// once the actions below are registered. One that cannot be read is left out, with an error
    /// in the console; call [`Assistant::import`] yourself to show it to the person.
    #[prop(optional_no_strip, into)]
    initial: Option<Value>,
    /// The conversation's id, where the application knows it; it goes before the one in `initial`.
    /// Without it, or if it is empty, the conversation has a fresh one.
    #[prop(optional, into)]
    thread_id: String,
    /// Where conversations are kept beyond the page; nowhere without it. The conversation with
    /// `thread_id` is gone on with, else the one that this tab had before it was loaded again; what is
    /// stored goes before `initial`.
    #[prop(optional, into)]
    store: StoreProp,
    /// Which images and other media the chat may fetch; none unless it says so.
    #[prop(optional)]
    media: MediaPolicy,
    /// What may use the assistant.
    children: Children,
) -> impl IntoView {
    // A scope of its own: a component has none, and the next provider would take this one's place.
    let owner = Owner::current().map_or_else(Owner::new, |owner| owner.child());
    let children = owner.with(|| {
        provide_context(Arc::new(media));
        let Some(make) = agent.make else {
            // Hooks below are inert (rule "on a server").
            provide_context(OnServer);
            return children();
        };
        let thread_id = Some(thread_id).filter(|id| !id.is_empty());
        let assistant = make(options, thread_id.clone());
        provide_context(assistant.clone());
        if agent.is_owned {
            let stopped = assistant.clone();
            on_cleanup(move || stopped.shut_down());
        }
        let children = children();
        let begins = store.0.is_some();
        if let Some(store) = store.0 {
            assistant.keep(Rc::new(store.take()), thread_id.clone(), initial.clone());
        }
        let initial = initial.filter(|_| !begins);
        if let Some(Err(refusal)) = initial.map(|initial| assistant.import_as(thread_id, initial)) {
            console_error(&format!("AssistantProvider: {refusal}"));
        }
        children
    });
    OwnedView::new_with_owner(children, owner)
}
