//! Defines agents that are reached over HTTP ([`HttpAgent`]) or that play scripts in the page
//! ([`ScriptedAgent`]).

mod http;
mod scripted;

use std::{fmt, rc::Rc};

use assistant_core::{
    conversation::Conversation,
    event::{Diagnostic, Event, EventKind, RunInput},
    limits::Limits,
    session::{Input, RunKey, StreamEnd},
};
use assistant_protocols::stream::Sink;
use futures_util::future::LocalBoxFuture;
use serde_json::Value;

pub use assistant_core::session::{AgentTraits, Failure, FailureKind};
#[cfg(feature = "completions")]
pub use assistant_protocols::Completions;
#[cfg(feature = "ui-stream")]
pub use assistant_protocols::UiStream;
pub use assistant_protocols::{AgUi, Protocol};
#[cfg(feature = "completions")]
pub use http::CompletionsAgent;
#[cfg(feature = "ui-stream")]
pub use http::UiStreamAgent;
pub use http::{Credentials, HttpAgent, ResumeMessages};
#[cfg(feature = "callouts")]
pub use scripted::Transcript;
pub use scripted::{Script, ScriptedAgent, last_user_text, results_since_user};

/// An agent, which performs runs: it takes the input of a run and emits the run's events.
///
/// The future of [`Self::run`] is dropped if its run is stopped. Dropping the future must end the
/// request.
pub trait Agent: 'static {
    /// Returns the traits of the agent on which the session depends. This method is called once,
    /// when the assistant is created.
    fn traits(&self) -> AgentTraits {
        AgentTraits::default()
    }

    /// Returns the history of a run in the agent's own format, for [`RunInput::history`]. Returns
    /// `None` if the agent has no such format. This method is called before [`Self::run`], with the
    /// conversation at that time.
    fn history(&self, conversation: &Conversation) -> Option<Value> {
        let _ = conversation;
        None
    }

    /// Ends a run on the agent's server, for agents whose runs outlive their connection. The method
    /// is called after the future of [`Self::run`] was dropped because the user stopped the run or
    /// the session ended it. If the agent replays events ([`AgentTraits::with_replays`]), the method
    /// is also called after the future has completed without the end of the run and the session
    /// does not resume the run. The method is not called when the user leaves the page, or when a
    /// provider with a store is unmounted, so that the run can be resumed.
    fn stop(&self, thread_id: &str, run_id: &str) {
        let _ = (thread_id, run_id);
    }

    /// Performs one run, emits its events to the sink, and returns how the stream ended. If
    /// [`RunInput::resumes`] is true, resumes the interrupted answer instead of requesting a new
    /// answer. Events must be emitted in order, with `RunStarted` first and `RunFinished` or
    /// `RunError` last. Chunk events must be expanded before they are emitted.
    fn run(&self, input: RunInput, events: EventSink) -> LocalBoxFuture<'static, StreamEnd>;
}

impl Agent for Box<dyn Agent> {
    fn traits(&self) -> AgentTraits {
        (**self).traits()
    }

    fn history(&self, conversation: &Conversation) -> Option<Value> {
        (**self).history(conversation)
    }

    fn stop(&self, thread_id: &str, run_id: &str) {
        (**self).stop(thread_id, run_id);
    }

    fn run(&self, input: RunInput, events: EventSink) -> LocalBoxFuture<'static, StreamEnd> {
        (**self).run(input, events)
    }
}

/// The receiver of the events that an agent emits in a run.
#[derive(Clone)]
pub struct EventSink {
    send: Rc<dyn Fn(Input)>,
    run: RunKey,
    limits: Rc<Limits>,
}

impl EventSink {
    pub(crate) fn new(run: RunKey, limits: Rc<Limits>, send: impl Fn(Input) + 'static) -> Self {
        Self {
            send: Rc::new(send),
            run,
            limits,
        }
    }

    /// Returns the limits for content from agents. [`Protocol::decoder`] takes these limits.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Emits one event. The event is ignored if the session has ended the run.
    pub fn event(&self, event: impl Into<Event>) {
        (self.send)(Input::Event {
            run: self.run,
            event: Box::new(event.into()),
        });
    }

    /// Emits a diagnostic about data from the agent that was tolerated or dropped.
    pub fn diagnostic(&self, diagnostic: Diagnostic) {
        (self.send)(Input::Diagnostic { diagnostic });
    }

    /// Emits the `RunStarted` event of a run.
    pub(crate) fn emit_run_started(&self, input: &RunInput) {
        self.event(EventKind::run_started(&input.thread_id, &input.run_id));
    }
}

impl Sink for EventSink {
    fn event(&mut self, event: Event) {
        Self::event(self, event);
    }

    fn diagnostic(&mut self, diagnostic: Diagnostic) {
        Self::diagnostic(self, diagnostic);
    }
}

impl fmt::Debug for EventSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventSink")
            .field("run", &self.run)
            .finish_non_exhaustive()
    }
}
