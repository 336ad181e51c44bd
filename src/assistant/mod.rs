//! The handle: everything an application can do with an assistant, without any view.

mod approvals;
mod audit;
mod branches;
mod call;
mod commands;
mod cost;
mod draw;
mod events;
mod gate;
mod interrupt;
mod keeping;
mod observe;
mod part;
mod place;
mod renderers;
mod signals;
mod thread_bound;
mod threads;
mod tools;
#[cfg(feature = "records")]
mod updates;

use std::{
    fmt,
    rc::Rc,
    sync::{Arc, Weak},
};

use assistant_core::session::{Input, Refusal, Session, SessionOptions};
use leptos::prelude::*;

use crate::{
    agent::Agent,
    render::Cards,
    runtime::Runtime,
    ui::{console_error, fresh_id, in_browser},
    view::ViewModel,
};

pub(crate) use place::PlaceId;

use place::Place;
use thread_bound::ThreadBound;

pub use audit::AuditLog;
pub use call::ToolCallView;
pub use draw::{RendererGuard, use_interrupt_renderer, use_part_renderer, use_tool_renderer};
pub use events::{AssistantEvent, use_assistant_events};
pub(crate) use gate::Gate;
pub use interrupt::InterruptView;
pub(crate) use interrupt::ShownQuestion;
pub use part::PartHandle;
pub(crate) use renderers::{CallRenderers, Found, Renderer, Renderers, call_renderer};

/// One assistant: a conversation, an agent, and what the page offers to it.
///
/// Cheap to clone. Methods act at once; signals follow at the next animation frame. Nothing here
/// needs our components: whoever wants another chat window builds it on this handle.
#[derive(Clone)]
pub struct Assistant(Arc<ThreadBound>);

/// What the clones of a handle share.
struct Shared {
    place: Place,
    runtime: Rc<Runtime>,
    view: Rc<ViewModel>,
    renderers: Renderers,
    cards: Cards,
}

/// An assistant, for what it holds itself.
#[derive(Clone)]
pub(crate) struct WeakAssistant(Weak<ThreadBound>);

impl WeakAssistant {
    pub(crate) fn upgrade(&self) -> Option<Assistant> {
        self.0.upgrade().map(Assistant)
    }
}

impl fmt::Debug for Assistant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Assistant")
            .field(&self.thread_id().get_untracked())
            .finish()
    }
}

/// Stands below a provider on a server, where there is no assistant.
#[derive(Clone, Copy)]
pub(crate) struct OnServer;

/// The assistant above, or an error for the programmer (rule "a hook without a provider").
pub(crate) fn assistant_or_complain(hook: &str) -> Option<Assistant> {
    assistant_or(None, || {
        format!("{hook} was called outside of <AssistantProvider>: nothing is registered")
    })
}

/// The assistant that a component was given, else the one above. Without either the component draws
/// nothing, and the programmer is told.
pub(crate) fn assistant_for(given: Option<Assistant>, component: &str) -> Option<Assistant> {
    assistant_or(given, || {
        format!("{component} stands outside of <AssistantProvider>")
    })
}

/// Nothing on a server, whether or not one was made there.
fn assistant_or(given: Option<Assistant>, complaint: impl FnOnce() -> String) -> Option<Assistant> {
    let assistant = given.or_else(use_assistant);
    if assistant.is_none() && use_context::<OnServer>().is_none() {
        console_error(&complaint());
    }
    assistant.filter(|_| in_browser())
}

/// The assistant of the nearest `<AssistantProvider>` above.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::use_assistant;
///
/// #[component]
/// fn Stop() -> impl IntoView {
///     let assistant = use_assistant()?;
///     Some(view! { <button on:click=move |_| drop(assistant.stop())>"Stop"</button> })
/// }
/// ```
#[must_use]
pub fn use_assistant() -> Option<Assistant> {
    use_context::<Assistant>()
}

impl Assistant {
    /// An assistant that talks to an agent. `<AssistantProvider>` makes one by itself.
    ///
    /// Its clones must stay on the thread that made it.
    ///
    /// ```no_run
    /// use leptos_assistant::{Assistant, SessionOptions, agent::HttpAgent};
    ///
    /// let assistant = Assistant::new(HttpAgent::new("/agent"), SessionOptions::default());
    /// ```
    #[must_use]
    pub fn new(agent: impl Agent, options: SessionOptions) -> Self {
        Self::with_thread_id(agent, options, fresh_id())
    }

    /// An assistant whose conversation has an id that the application chose.
    ///
    /// ```no_run
    /// use leptos_assistant::{Assistant, SessionOptions, agent::HttpAgent};
    ///
    /// let agent = HttpAgent::new("/agent");
    /// let assistant = Assistant::with_thread_id(agent, SessionOptions::default(), "order-17");
    /// ```
    #[must_use]
    pub fn with_thread_id(
        agent: impl Agent,
        mut options: SessionOptions,
        thread_id: impl Into<String>,
    ) -> Self {
        agent.adapt(&mut options);
        let thread_id = thread_id.into();
        let view = Rc::new(ViewModel::new(thread_id.clone()));
        let shared = Arc::new(ThreadBound::new(Shared {
            place: Place::new(),
            runtime: Runtime::new(Rc::new(agent), options, thread_id, Rc::clone(&view)),
            view,
            renderers: Renderers::default(),
            cards: Cards::default(),
        }));
        shared.place.take(WeakAssistant(Arc::downgrade(&shared)));
        Self(shared)
    }

    pub(crate) fn weak(&self) -> WeakAssistant {
        WeakAssistant(Arc::downgrade(&self.0))
    }

    /// A copyable way back to it.
    pub(crate) fn place(&self) -> PlaceId {
        self.0.place.id()
    }

    pub(crate) fn runtime(&self) -> &Runtime {
        &self.0.runtime
    }

    pub(crate) fn view(&self) -> &ViewModel {
        &self.0.view
    }

    /// The application's renderers.
    pub(crate) fn renderers(&self) -> &Renderers {
        &self.0.renderers
    }

    /// What they have drawn.
    pub(crate) fn cards(&self) -> &Cards {
        &self.0.cards
    }

    /// Reads the session. `None` only from inside a rule that is being asked.
    pub(crate) fn read<R>(&self, read: impl FnOnce(&Session) -> R) -> Option<R> {
        self.runtime().read(read)
    }

    pub(crate) fn dispatch(&self, input: Input) -> Result<(), Refusal> {
        self.runtime().dispatch(input)
    }

    pub(crate) fn shut_down(&self) {
        self.runtime().shut_down();
        self.cards().clear();
        self.renderers().clear();
    }
}
