//! Provides the headless handle of an assistant.

mod approvals;
mod audit;
mod branches;
mod call;
mod commands;
mod conditions;
mod conversations;
mod cost;
mod draw;
mod events;
mod id;
mod interrupt;
mod load;
mod observe;
mod part;
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
    render::MountedCards,
    runtime::Runtime,
    ui::{console_error, fresh_id, in_browser},
    view::ViewModel,
};

pub(crate) use id::AssistantId;

use id::AssistantRegistration;
use thread_bound::ThreadBound;

pub use approvals::RememberedApprovals;
pub use audit::{AuditLog, AuditSink};
pub use branches::Branches;
pub use call::ToolCallView;
pub(crate) use conditions::DecisionConditions;
pub use conversations::{ConversationSearch, Conversations};
pub use draw::{RendererGuard, use_interrupt_renderer, use_part_renderer, use_tool_renderer};
pub use events::{AssistantEvent, use_assistant_events};
pub use interrupt::InterruptView;
pub(crate) use interrupt::ShownQuestion;
pub use load::load_parts;
pub use part::PartHandle;
pub(crate) use renderers::{
    CallRenderers, FoundRenderer, Renderer, Renderers, erase_call_renderer,
};
pub use tools::Tools;
#[cfg(feature = "records")]
pub use updates::Updates;

/// A handle to an assistant: a conversation, an agent, and the page's actions.
///
/// The handle is cheap to clone. Methods take effect at once; signals are updated at the next
/// animation frame. The handle does not depend on the components of this crate, so an application
/// can build its own chat window on the handle.
#[derive(Clone)]
pub struct Assistant(Arc<ThreadBound>);

/// The state shared by the clones of a handle.
struct SharedState {
    registration: AssistantRegistration,
    runtime: Rc<Runtime>,
    view: Rc<ViewModel>,
    renderers: Renderers,
    cards: MountedCards,
}

/// A weak handle, for closures that the assistant itself owns.
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

/// The context that a provider sets on a server, where there is no assistant.
#[derive(Clone, Copy)]
pub(crate) struct ServerMarker;

/// Returns the assistant of the current context. Returns `None` on a server. Outside of a provider,
/// logs an error and returns `None` (rule "a hook without a provider").
pub(crate) fn assistant_or_log_error(hook: &str) -> Option<Assistant> {
    find_assistant(None, || {
        format!("{hook} was called outside of <AssistantProvider>: nothing is registered")
    })
}

/// Returns the assistant that was passed to a component, or else the assistant of the current
/// context. Logs an error if there is neither. If the result is `None`, the component renders
/// nothing.
pub(crate) fn assistant_for(given: Option<Assistant>, component: &str) -> Option<Assistant> {
    find_assistant(given, || {
        format!("{component} is used outside of <AssistantProvider>")
    })
}

/// Returns the given assistant, or else the assistant of the current context. If there is neither,
/// logs the error `complaint`, except below a provider on a server. Returns `None` on a server,
/// even if an assistant was created there.
fn find_assistant(
    given: Option<Assistant>,
    complaint: impl FnOnce() -> String,
) -> Option<Assistant> {
    let assistant = given.or_else(use_assistant);
    if assistant.is_none() && use_context::<ServerMarker>().is_none() {
        console_error(&complaint());
    }
    assistant.filter(|_| in_browser())
}

/// Returns the assistant of the nearest `<AssistantProvider>` above. Returns `None` if there is no
/// provider.
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

/// Methods that create an assistant, and access to its parts.
impl Assistant {
    /// Creates an assistant for an agent. `<AssistantProvider>` creates one automatically.
    ///
    /// The assistant and its clones must stay on the thread that created the assistant.
    ///
    /// ```no_run
    /// use leptos_assistant::{Assistant, SessionOptions, ToolAction, agent::HttpAgent};
    ///
    /// let assistant = Assistant::new(HttpAgent::new("/agent"), SessionOptions::default());
    /// // The agent may call the action until the guard is dropped.
    /// let guard = assistant.register(ToolAction::new("time", "The time").handler(|| "12:00"))?;
    /// assistant.send("What time is it?")?;
    /// # drop(guard);
    /// # Ok::<(), leptos_assistant::Refusal>(())
    /// ```
    #[must_use]
    pub fn new(agent: impl Agent, options: SessionOptions) -> Self {
        Self::with_thread_id(agent, options, fresh_id())
    }

    /// Creates an assistant whose conversation has the given id.
    #[must_use]
    pub fn with_thread_id(
        agent: impl Agent,
        options: SessionOptions,
        thread_id: impl Into<String>,
    ) -> Self {
        let options = options.with_agent(agent.traits());
        let thread_id = thread_id.into();
        let view = Rc::new(ViewModel::new(thread_id.clone()));
        let state = Arc::new(ThreadBound::new(SharedState {
            registration: AssistantRegistration::new(),
            runtime: Runtime::new(Rc::new(agent), options, thread_id, Rc::clone(&view)),
            view,
            renderers: Renderers::default(),
            cards: MountedCards::default(),
        }));
        state
            .registration
            .register(WeakAssistant(Arc::downgrade(&state)));
        Self(state)
    }

    /// Returns an id for this assistant in this page. The id changes with each load of the page,
    /// and distinguishes records of this page from those of other tabs.
    #[must_use]
    pub fn client_id(&self) -> &str {
        self.runtime().client_id()
    }

    pub(crate) fn weak(&self) -> WeakAssistant {
        WeakAssistant(Arc::downgrade(&self.0))
    }

    /// Returns the number of the assistant, which is a `Copy` reference to the assistant.
    pub(crate) fn id(&self) -> AssistantId {
        self.0.registration.id()
    }

    pub(crate) fn runtime(&self) -> &Runtime {
        &self.0.runtime
    }

    pub(crate) fn view(&self) -> &ViewModel {
        &self.0.view
    }

    /// Returns the application's renderers.
    pub(crate) fn renderers(&self) -> &Renderers {
        &self.0.renderers
    }

    /// Returns the cards that are mounted by renderers.
    pub(crate) fn cards(&self) -> &MountedCards {
        &self.0.cards
    }

    /// Calls `read` with the session. Returns `None` only while the session calls a function of the
    /// application, such as a stop rule.
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
