//! Plays scripts as an agent in the page, for demos, documentation and tests.

#[cfg(feature = "callouts")]
mod transcript;

use std::{rc::Rc, time::Duration};

use assistant_core::{
    event::{Content, EventKind, Interrupt, MessageBody, Outcome, RunInput},
    session::{AgentTraits, StreamEnd},
};
use futures_util::future::LocalBoxFuture;
use serde_json::Value;

use super::{Agent, EventSink};
use crate::ui::{fresh_id, sleep};

#[cfg(feature = "callouts")]
pub use transcript::Transcript;

/// An agent that answers each run with a script, which is computed from the run's input.
///
/// ```
/// use leptos_assistant::agent::{Script, ScriptedAgent};
///
/// let agent = ScriptedAgent::new(|input| {
///     Script::new().text(format!("You have sent {} messages.", input.messages.len()))
/// });
/// ```
#[derive(Clone)]
pub struct ScriptedAgent {
    answer: Rc<dyn Fn(&RunInput) -> Script>,
    pace: Duration,
}

impl std::fmt::Debug for ScriptedAgent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScriptedAgent")
            .field("pace", &self.pace)
            .finish_non_exhaustive()
    }
}

impl ScriptedAgent {
    /// Creates an agent whose answers are computed by a function.
    pub fn new(answer: impl Fn(&RunInput) -> Script + 'static) -> Self {
        Self {
            answer: Rc::new(answer),
            pace: Duration::ZERO,
        }
    }

    /// Sets the delay after each piece of text or arguments, so that the streaming is visible.
    #[must_use]
    pub fn pace(mut self, pace: Duration) -> Self {
        self.pace = pace;
        self
    }
}

impl Agent for ScriptedAgent {
    fn traits(&self) -> AgentTraits {
        // The agent does not run tools: a script ends with its run, so that no result of a call can
        // follow later.
        AgentTraits::default().with_runs_tools(false)
    }

    fn run(&self, input: RunInput, events: EventSink) -> LocalBoxFuture<'static, StreamEnd> {
        let script = (self.answer)(&input);
        let pace = self.pace;
        Box::pin(async move {
            events.emit_run_started(&input);
            let mut has_ended = false;
            for step in script.steps {
                match step {
                    ScriptStep::Wait(duration) => sleep(duration).await,
                    ScriptStep::Piece(kind) => {
                        events.event(kind);
                        if !pace.is_zero() {
                            sleep(pace).await;
                        }
                    }
                    ScriptStep::Event(kind) => {
                        has_ended |= matches!(
                            kind,
                            EventKind::RunFinished { .. } | EventKind::RunError { .. }
                        );
                        events.event(kind);
                    }
                    ScriptStep::Finish(outcome) => {
                        has_ended = true;
                        events.event(run_finished_event(&input, outcome));
                    }
                    ScriptStep::Break => return StreamEnd::Closed,
                }
            }
            if !has_ended {
                events.event(run_finished_event(&input, None));
            }
            StreamEnd::Closed
        })
    }
}

fn run_finished_event(input: &RunInput, outcome: Option<Outcome>) -> EventKind {
    EventKind::RunFinished {
        thread_id: input.thread_id.clone(),
        run_id: input.run_id.clone(),
        result: None,
        outcome,
        usage: Vec::new(),
    }
}

/// The events that a scripted agent emits in one run. The events that begin and end the run are
/// added automatically.
#[derive(Debug, Clone, Default)]
pub struct Script {
    steps: Vec<ScriptStep>,
    message: Option<String>,
}

#[derive(Debug, Clone)]
enum ScriptStep {
    /// A piece of text or arguments. The delay of the agent's pace follows the piece.
    Piece(EventKind),
    Event(EventKind),
    Wait(Duration),
    Finish(Option<Outcome>),
    Break,
}

impl Script {
    /// Creates an empty script.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Emits a text as a separate message, word by word.
    #[must_use]
    pub fn text(mut self, text: impl AsRef<str>) -> Self {
        let id = fresh_id();
        self.push(EventKind::TextMessageStart {
            message_id: id.clone(),
            role: None,
            name: None,
        });
        for word in text.as_ref().split_inclusive(' ') {
            let (message_id, delta) = (id.clone(), word.to_owned());
            self.steps
                .push(ScriptStep::Piece(EventKind::TextMessageContent {
                    message_id,
                    delta,
                }));
        }
        self.push(EventKind::TextMessageEnd {
            message_id: id.clone(),
        });
        self.message = Some(id);
        self
    }

    /// Calls a tool with a new call id. The arguments are emitted in pieces. The call belongs to
    /// the same message as the preceding text or call.
    #[must_use]
    pub fn call(self, name: impl Into<String>, args: &Value) -> Self {
        self.call_as(fresh_id(), name, &args.to_string())
    }

    /// Calls a tool with a given call id. The arguments are not necessarily valid JSON.
    #[must_use]
    pub fn call_as(mut self, id: impl Into<String>, name: impl Into<String>, args: &str) -> Self {
        let id = id.into();
        let message = self.message.get_or_insert_with(fresh_id).clone();
        self.push(EventKind::ToolCallStart {
            tool_call_id: id.clone(),
            tool_call_name: name.into(),
            parent_message_id: Some(message),
        });
        for piece in split_args(args) {
            let tool_call_id = id.clone();
            self.steps.push(ScriptStep::Piece(EventKind::ToolCallArgs {
                tool_call_id,
                delta: piece,
            }));
        }
        self.push(EventKind::ToolCallEnd { tool_call_id: id });
        self
    }

    /// Emits the result of a call that the agent runs itself.
    ///
    /// ```
    /// use leptos_assistant::agent::Script;
    ///
    /// let script = Script::new().call_as("call-1", "search", "{}").result("call-1", "3 hits");
    /// ```
    #[must_use]
    pub fn result(mut self, tool_call_id: impl Into<String>, content: impl Into<String>) -> Self {
        self.push(EventKind::ToolCallResult {
            message_id: fresh_id(),
            tool_call_id: tool_call_id.into(),
            content: Content::Text(content.into()),
        });
        self
    }

    /// Emits the given event.
    #[must_use]
    pub fn event(mut self, event: EventKind) -> Self {
        self.push(event);
        self
    }

    /// Waits for a duration before the next event.
    #[must_use]
    pub fn wait(mut self, duration: Duration) -> Self {
        self.steps.push(ScriptStep::Wait(duration));
        self
    }

    /// Ends the run with an error.
    #[must_use]
    pub fn error(mut self, message: impl Into<String>) -> Self {
        self.push(EventKind::RunError {
            message: message.into(),
            code: None,
            usage: Vec::new(),
        });
        self
    }

    /// Ends the run with interrupts, which wait for the user.
    ///
    /// ```
    /// use leptos_assistant::{agent::Script, event::interrupt_from_value};
    /// use serde_json::json;
    ///
    /// let question = json!({"id": "q", "reason": "input", "message": "Which berth?"});
    /// let script = Script::new().interrupt(vec![interrupt_from_value(question)?]);
    /// # Ok::<(), leptos_assistant::event::ProtocolError>(())
    /// ```
    #[must_use]
    pub fn interrupt(mut self, interrupts: Vec<Interrupt>) -> Self {
        self.steps
            .push(ScriptStep::Finish(Some(Outcome::Interrupt { interrupts })));
        self
    }

    /// Ends the stream without a final event, as a lost connection does.
    #[must_use]
    pub fn cut(mut self) -> Self {
        self.steps.push(ScriptStep::Break);
        self
    }

    fn push(&mut self, event: EventKind) {
        self.steps.push(ScriptStep::Event(event));
    }
}

/// Splits arguments into pieces of eight characters, similar to the pieces that models stream.
fn split_args(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars
        .chunks(8)
        .map(|piece| piece.iter().collect())
        .collect()
}

/// Returns the text of the newest user message in a run's input, or an empty string.
///
/// ```
/// use leptos_assistant::agent::{Script, ScriptedAgent, last_user_text};
///
/// let agent = ScriptedAgent::new(|input| match last_user_text(input).as_str() {
///     "Hello" => Script::new().text("Good morning"),
///     _ => Script::new().text("Pardon?"),
/// });
/// ```
#[must_use]
pub fn last_user_text(input: &RunInput) -> String {
    let text = input
        .messages
        .iter()
        .rev()
        .find_map(|message| match &message.body {
            MessageBody::User { content } => Some(content.display_text()),
            _ => None,
        });
    text.unwrap_or_default()
}

/// Returns the results of the tool calls since the newest user message, in order. Each result is a
/// pair of the tool's name and the content.
///
/// ```
/// use leptos_assistant::agent::{Script, ScriptedAgent, results_since_user};
/// use serde_json::json;
///
/// let agent = ScriptedAgent::new(|input| match results_since_user(input).first() {
///     None => Script::new().call("get_weather", &json!({"city": "Oslo"})),
///     Some((tool, result)) => Script::new().text(format!("{tool} says {result}")),
/// });
/// ```
#[must_use]
pub fn results_since_user(input: &RunInput) -> Vec<(String, String)> {
    let last_user_index = input
        .messages
        .iter()
        .rposition(|m| matches!(m.body, MessageBody::User { .. }));
    let recent_messages = input
        .messages
        .iter()
        .skip(last_user_index.map_or(0, |index| index + 1));
    let tool_name = |id: &str| {
        input
            .messages
            .iter()
            .find_map(|message| match &message.body {
                MessageBody::Assistant { tool_calls, .. } => tool_calls
                    .iter()
                    .find(|call| call.id == id)
                    .map(|call| call.name.clone()),
                _ => None,
            })
    };
    recent_messages
        .filter_map(|message| match &message.body {
            MessageBody::Tool {
                tool_call_id,
                content,
                ..
            } => Some((
                tool_name(tool_call_id).unwrap_or_default(),
                content.display_text(),
            )),
            _ => None,
        })
        .collect()
}
