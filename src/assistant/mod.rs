//! The handle: everything an application can do with an assistant, without any view.

mod events;
mod interrupt;
mod kept;
mod observe;
mod part;
mod place;
mod signals;
mod threads;

use std::{
    fmt,
    rc::Rc,
    sync::{Arc, Weak},
};

use assistant_core::{
    action::ToolError,
    conversation::CallKey,
    event::{Content, ResumeStatus},
    session::{Input, NoticeId, Refusal, Session, SessionOptions, TreeChange, Verdict},
};
use leptos::prelude::*;
use serde_json::Value;

use crate::{
    action::ToolCallView,
    agent::Agent,
    render::{CallTable, Cards, NamedTable, PartTable},
    runtime::Runtime,
    ui::{console_error, fresh_id, in_browser},
    view::ViewModel,
};

pub(crate) use place::PlaceId;

use kept::Kept;
use place::Place;

pub use events::{AssistantEvent, use_assistant_events};
pub use interrupt::{InterruptRendererGuard, InterruptView, use_interrupt_renderer};
pub use part::{PartHandle, PartRendererGuard, use_part_renderer};

/// One assistant: a conversation, an agent, and what the page offers to it.
///
/// Cheap to clone. Methods act at once; signals follow at the next animation frame. Nothing here
/// needs our components: whoever wants another chat window builds it on this handle.
#[derive(Clone)]
pub struct Assistant(Arc<Kept>);

/// What the clones of a handle share.
struct Shared {
    place: Place,
    runtime: Rc<Runtime>,
    view: Rc<ViewModel>,
    calls: CallTable<ToolCallView>,
    parts: PartTable<PartHandle>,
    interrupts: NamedTable<InterruptView>,
    cards: Cards,
}

/// An assistant, for what it holds itself.
#[derive(Clone)]
pub(crate) struct WeakAssistant(Weak<Kept>);

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
        let screen = Box::new(Rc::clone(&view));
        let shared = Arc::new(Kept::new(Shared {
            place: Place::new(),
            runtime: Runtime::new(Rc::new(agent), options, thread_id, screen),
            view,
            calls: CallTable::default(),
            parts: PartTable::default(),
            interrupts: NamedTable::default(),
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

    /// What actions draw for their calls.
    pub(crate) fn calls(&self) -> &CallTable<ToolCallView> {
        &self.0.calls
    }

    /// What draws parts in place of the built-in look.
    pub(crate) fn parts(&self) -> &PartTable<PartHandle> {
        &self.0.parts
    }

    /// What draws interrupts in place of the built-in question.
    pub(crate) fn interrupt_renderers(&self) -> &NamedTable<InterruptView> {
        &self.0.interrupts
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

    /// Says something to the agent.
    ///
    /// ```no_run
    /// # use leptos_assistant::{Assistant, Refusal};
    /// # fn example(assistant: &Assistant) -> Result<(), Refusal> {
    /// assistant.send("Which projects are late?")
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When there is nothing in it, or something is under way that must end first.
    pub fn send(&self, text: impl Into<String>) -> Result<(), Refusal> {
        self.send_content(Content::Text(text.into()))
    }

    /// Says something to the agent that is more than a text, such as files.
    ///
    /// ```no_run
    /// # use leptos_assistant::{Assistant, Refusal};
    /// # fn example(assistant: &Assistant) -> Result<(), Refusal> {
    /// use leptos_assistant::core::event::Content;
    ///
    /// assistant.send_content(Content::Text("Hello".to_owned()))
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When there is nothing in it, or something is under way that must end first.
    pub fn send_content(&self, content: Content) -> Result<(), Refusal> {
        self.dispatch(Input::Send { content })
    }

    /// Stops the run, the handlers and the open questions.
    ///
    /// ```no_run
    /// # use leptos_assistant::{Assistant, Refusal};
    /// # fn example(assistant: &Assistant) -> Result<(), Refusal> {
    /// assistant.stop()
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When nothing is under way.
    pub fn stop(&self) -> Result<(), Refusal> {
        self.dispatch(Input::Stop)
    }

    /// Tries the run that failed again.
    ///
    /// ```no_run
    /// # use leptos_assistant::{Assistant, Refusal};
    /// # fn example(assistant: &Assistant) -> Result<(), Refusal> {
    /// assistant.retry()
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When none failed.
    pub fn retry(&self) -> Result<(), Refusal> {
        self.dispatch(Input::Retry)
    }

    /// Lets the loop go on after a limit.
    ///
    /// ```no_run
    /// # use leptos_assistant::{Assistant, Refusal};
    /// # fn example(assistant: &Assistant) -> Result<(), Refusal> {
    /// assistant.go_on()
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When it did not end at one.
    pub fn go_on(&self) -> Result<(), Refusal> {
        self.dispatch(Input::Continue)
    }

    /// Lets a call run.
    ///
    /// ```no_run
    /// # use leptos_assistant::{Assistant, Refusal, core::conversation::CallKey};
    /// # fn example(assistant: &Assistant, call: &CallKey) -> Result<(), Refusal> {
    /// assistant.approve(call)
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When it does not wait for a decision.
    pub fn approve(&self, call: &CallKey) -> Result<(), Refusal> {
        self.decide(call, Verdict::Approve { args: None })
    }

    /// Lets a call run with other arguments.
    ///
    /// ```no_run
    /// # use leptos_assistant::{Assistant, Refusal, core::conversation::CallKey};
    /// # fn example(assistant: &Assistant, call: &CallKey) -> Result<(), Refusal> {
    /// assistant.approve_with(call, serde_json::json!({"euros": 10}))
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When it does not wait for a decision, or the arguments break the schema.
    pub fn approve_with(&self, call: &CallKey, args: Value) -> Result<(), Refusal> {
        self.decide(call, Verdict::Approve { args: Some(args) })
    }

    /// Does not let a call run.
    ///
    /// ```no_run
    /// # use leptos_assistant::{Assistant, Refusal, core::conversation::CallKey};
    /// # fn example(assistant: &Assistant, call: &CallKey) -> Result<(), Refusal> {
    /// assistant.deny(call, Some("too much".to_owned()))
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When it does not wait for a decision.
    pub fn deny(&self, call: &CallKey, reason: Option<String>) -> Result<(), Refusal> {
        self.decide(call, Verdict::Deny { reason })
    }

    fn decide(&self, call: &CallKey, verdict: Verdict) -> Result<(), Refusal> {
        // A denial lets nothing run, whatever the call has become since it was drawn.
        let shown = match verdict {
            Verdict::Approve { .. } => self.view().shown(call),
            Verdict::Deny { .. } => None,
        };
        self.dispatch(Input::Decide {
            call: *call,
            shown,
            verdict,
        })
    }

    /// Answers what the agent waits for; `None` gives it up.
    ///
    /// ```no_run
    /// # use leptos_assistant::{Assistant, Refusal};
    /// # fn example(assistant: &Assistant) -> Result<(), Refusal> {
    /// assistant.answer("seat-1", Some(serde_json::json!("12A")))
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When it does not wait for it, or the answer breaks its schema.
    pub fn answer(&self, interrupt_id: &str, payload: Option<Value>) -> Result<(), Refusal> {
        let status = if payload.is_some() {
            ResumeStatus::Resolved
        } else {
            ResumeStatus::Cancelled
        };
        self.dispatch(Input::Answer {
            interrupt_id: interrupt_id.to_owned(),
            status,
            payload,
        })
    }

    /// Takes a notice away.
    ///
    /// ```no_run
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// for notice in assistant.notices().get_untracked() {
    ///     assistant.dismiss(notice.id);
    /// }
    /// # }
    /// ```
    pub fn dismiss(&self, notice: NoticeId) {
        // A notice that is gone needs no dismissal.
        let _ = self.dispatch(Input::Dismiss { notice });
    }

    /// Changes the state shared with the agent; the next run sends it.
    ///
    /// ```no_run
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// assistant.set_state(serde_json::json!({"step": 2}));
    /// # }
    /// ```
    pub fn set_state(&self, state: Value) {
        // State is never refused.
        let _ = self.dispatch(Input::SetState { state });
    }

    /// Changes the state shared with the agent where it stands, so that what an agent or another
    /// component changed meanwhile is not lost; the next run sends it.
    ///
    /// ```no_run
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// assistant.update_state(|state| state["visits"] = (state["visits"].as_u64().unwrap_or(0) + 1).into());
    /// # }
    /// ```
    pub fn update_state(&self, change: impl FnOnce(&mut Value) + 'static) {
        self.runtime().update_state(Box::new(change));
    }

    /// Passes something through to the agent with every run.
    ///
    /// ```no_run
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// assistant.set_forwarded_props(serde_json::json!({"model": "large"}));
    /// # }
    /// ```
    pub fn set_forwarded_props(&self, props: Value) {
        // Props are never refused.
        let _ = self.dispatch(Input::SetForwardedProps { props });
    }

    /// Talks to another agent from the next run on.
    ///
    /// ```no_run
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// use leptos_assistant::agent::HttpAgent;
    ///
    /// assistant.set_agent(HttpAgent::new("/agent/sales"));
    /// # }
    /// ```
    pub fn set_agent(&self, agent: impl Agent) {
        self.runtime().set_agent(Rc::new(agent));
    }

    /// Gives up a question whose answer the agent did not take: it is not told.
    ///
    /// ```no_run
    /// # use leptos_assistant::{Assistant, Refusal};
    /// # fn example(assistant: &Assistant) -> Result<(), Refusal> {
    /// assistant.give_up("seat-1")
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When the agent did not reject an answer to it.
    pub fn give_up(&self, interrupt_id: &str) -> Result<(), Refusal> {
        let interrupt_id = interrupt_id.to_owned();
        self.dispatch(Input::GiveUp { interrupt_id })
    }

    /// Does something to the tree of messages: shows another branch, edits, deletes.
    ///
    /// ```no_run
    /// # use leptos_assistant::{Assistant, Refusal};
    /// # fn example(assistant: &Assistant) -> Result<(), Refusal> {
    /// use leptos_assistant::core::session::TreeChange;
    ///
    /// let last = assistant.with_conversation(|all| all.path().last().map(|message| message.id.clone()));
    /// match last.flatten() {
    ///     Some(message) => assistant.change_tree(TreeChange::Delete { message }),
    ///     None => Ok(()),
    /// }
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When the tree does not allow it, or something is under way that must end first.
    pub fn change_tree(&self, change: TreeChange) -> Result<(), Refusal> {
        self.dispatch(Input::Tree { change })
    }

    /// Asks for an action as the agent would, but outside of the conversation: checked arguments,
    /// the person's approval where the action asks for it, its limits, its handler. No agent is
    /// told of it.
    ///
    /// ```no_run
    /// # use leptos_assistant::{Assistant, ToolError};
    /// # async fn example(assistant: &Assistant) -> Result<(), ToolError> {
    /// let cart = assistant.execute("open_cart", serde_json::json!({})).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// "Action X not found", "Action X has no handler", what is wrong with the arguments, that the
    /// person denied it, or what the handler says.
    pub async fn execute(&self, name: &str, args: Value) -> Result<Value, ToolError> {
        self.runtime().execute(name, args).await
    }

    pub(crate) fn shut_down(&self) {
        self.runtime().shut_down();
        self.cards().clear();
        self.parts().clear();
        self.interrupt_renderers().clear();
        self.calls().clear();
    }
}
