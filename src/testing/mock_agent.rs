//! An agent with predefined answers.

use std::{cell::RefCell, collections::VecDeque, rc::Rc};

use assistant_core::{
    event::RunInput,
    session::{AgentTraits, StreamEnd},
};
use futures_util::future::LocalBoxFuture;

use crate::agent::{Agent, EventSink, Failure, Script, ScriptedAgent};

/// An agent that plays predefined answers in order and records its inputs.
///
/// ```no_run
/// use leptos_assistant::{agent::Script, testing::MockAgent};
/// use serde_json::json;
///
/// let agent = MockAgent::new()
///     .answer(Script::new().call("confirmAction", &json!({"action": "deploy"})))
///     .answer(Script::new().text("Done."));
/// assert!(agent.inputs().is_empty());
/// ```
#[derive(Clone, Default)]
pub struct MockAgent {
    answers: Rc<RefCell<VecDeque<MockAnswer>>>,
    inputs: Rc<RefCell<Vec<RunInput>>>,
}

enum MockAnswer {
    Script(Box<Script>),
    Failure(Failure),
}

impl std::fmt::Debug for MockAgent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MockAgent")
            .field("inputs", &self.inputs.borrow().len())
            .finish_non_exhaustive()
    }
}

impl MockAgent {
    /// Creates an agent without predefined answers. A run for which no predefined answer is left
    /// receives the text "(no answer)".
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an answer. Each run receives the next answer or failure, in the order in which they
    /// were added.
    #[must_use]
    pub fn answer(self, script: Script) -> Self {
        self.answers
            .borrow_mut()
            .push_back(MockAnswer::Script(Box::new(script)));
        self
    }

    /// Adds a failure, such as a lost connection or an error status. The run that receives the
    /// failure gets no answer.
    ///
    /// ```
    /// use leptos_assistant::{
    ///     agent::{Failure, FailureKind, Script},
    ///     testing::MockAgent,
    /// };
    ///
    /// // The first run fails, the second answers.
    /// let agent = MockAgent::new()
    ///     .fail(Failure::new(FailureKind::Network, "offline"))
    ///     .answer(Script::new().text("Here I am again."));
    /// ```
    #[must_use]
    pub fn fail(self, failure: Failure) -> Self {
        self.answers
            .borrow_mut()
            .push_back(MockAnswer::Failure(failure));
        self
    }

    /// Returns the inputs that the agent has received, one for each run.
    #[must_use]
    pub fn inputs(&self) -> Vec<RunInput> {
        self.inputs.borrow().clone()
    }
}

impl Agent for MockAgent {
    fn traits(&self) -> AgentTraits {
        // The agent runs no tools of its own: it sends no results after its run has ended.
        AgentTraits::default().with_runs_tools(false)
    }

    fn run(&self, input: RunInput, events: EventSink) -> LocalBoxFuture<'static, StreamEnd> {
        self.inputs.borrow_mut().push(input.clone());
        let answer = self.answers.borrow_mut().pop_front();
        let script = match answer {
            Some(MockAnswer::Script(script)) => *script,
            Some(MockAnswer::Failure(failure)) => {
                return Box::pin(async move { StreamEnd::Failed(failure) });
            }
            None => Script::new().text("(no answer)"),
        };
        ScriptedAgent::new(move |_| script.clone()).run(input, events)
    }
}
