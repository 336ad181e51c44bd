//! How a session behaves.

use serde_json::Value;

use super::{Host, TurnSummary};
use crate::conversation::{AgentUserMessages, Conversation, MarkdownTools};

/// Writes a conversation in the form that an agent takes.
pub type HistoryForm = fn(&Conversation) -> Value;

/// The options of a session.
#[derive(Debug, Clone)]
pub struct SessionOptions {
    /// When the loop of runs and tool results ends by itself.
    pub stop_when: StopCondition,
    /// Calls of one response run one after the other, in order (rule "order of calls").
    pub sequential: bool,
    /// Every action runs as soon as its arguments are complete, for agents that hold the stream
    /// open until the result comes (rule "when a tool starts").
    pub eager: bool,
    /// A new message denies what still waits for a decision, instead of being refused.
    pub auto_deny: bool,
    /// A person may have approvals remembered, as far as the action lets them; without it they are
    /// asked each time.
    pub remember_approvals: bool,
    /// The most questions to which an agent may lead (rule "attention").
    pub questions: QuestionLimits,
    /// The treatment of tool callouts in what an assistant writes (rule "callouts run by permission"). Needs the
    /// feature `callouts`.
    pub markdown_tools: MarkdownTools,
    /// How the history is written for agents that take it in a form of their own, beside
    /// [`RunInput::messages`](crate::event::RunInput::messages).
    pub history: Option<HistoryForm>,
    /// A stored conversation that was left in the middle of an answer reads it on: the agent keeps
    /// its streams for those who come back.
    pub takes_up: bool,
    /// A run that ends without a word after results is followed by one more, where the loop is
    /// here alone: a model endpoint does not go on by itself (rule "silence after results").
    pub asks_again: bool,
    /// A person may say something while the loop goes on ([`TreeChange::Interject`](super::TreeChange::Interject)).
    pub interjections: bool,
    /// The form in which messages that the agent added under the user's role are sent back.
    pub agent_user_messages: AgentUserMessages,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self {
            stop_when: StopCondition::RunCount(10),
            sequential: false,
            eager: false,
            auto_deny: false,
            remember_approvals: true,
            questions: QuestionLimits::default(),
            markdown_tools: MarkdownTools::Off,
            history: None,
            takes_up: false,
            asks_again: false,
            interjections: true,
            agent_user_messages: AgentUserMessages::Marked,
        }
    }
}

/// Limits on the questions that an agent puts to the user, by calls that need an approval and by
/// interrupts. A call above them is answered with an error and does not run; an interrupt above them
/// is held back until the user asks to see it.
///
/// ```
/// use assistant_core::session::{QuestionLimits, SessionOptions};
///
/// let options = SessionOptions {
///     questions: QuestionLimits { per_run: Some(5), per_minute: None },
///     ..SessionOptions::default()
/// };
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuestionLimits {
    /// The most questions that one run of the agent leads to; 20 by default, no limit for `None`.
    pub per_run: Option<u32>,
    /// The most questions within a minute; 30 by default, no limit for `None`.
    pub per_minute: Option<u32>,
}

impl Default for QuestionLimits {
    fn default() -> Self {
        Self {
            per_run: Some(20),
            per_minute: Some(30),
        }
    }
}

/// When the loop of runs and tool results ends by itself.
#[derive(Debug, Clone)]
pub enum StopCondition {
    /// After this many runs since the last user message.
    RunCount(u32),
    /// Once a tool of this name was called.
    HasToolCall(String),
    /// When so many runs one after the other made the same calls with the same arguments: the agent
    /// goes round in circles.
    RepeatedCalls(u32),
    /// When a rule of the application says so, which has this name: the host is asked
    /// ([`super::Host::stops`]).
    Rule(String),
    /// When one of these holds.
    Any(Vec<Self>),
    /// When all of these hold.
    All(Vec<Self>),
}

impl StopCondition {
    /// Returns whether the loop ends here.
    #[must_use]
    pub fn is_met(&self, summary: &TurnSummary, host: &mut dyn Host) -> bool {
        match self {
            Self::RunCount(limit) => summary.runs.len() >= usize::try_from(*limit).unwrap_or(0),
            Self::HasToolCall(name) => summary
                .runs
                .iter()
                .any(|run| run.tools.iter().any(|tool| tool == name)),
            Self::RepeatedCalls(limit) => {
                summary.repeats() >= usize::try_from(*limit).unwrap_or(usize::MAX).max(1)
            }
            Self::Rule(name) => host.stops(name, summary),
            Self::Any(list) => list.iter().any(|condition| condition.is_met(summary, host)),
            Self::All(list) => list.iter().all(|condition| condition.is_met(summary, host)),
        }
    }

    /// The number of runs at which it holds, if it is the number that makes it hold.
    pub(super) fn run_limit(&self, summary: &TurnSummary) -> Option<u32> {
        let reached = |limit: u32| summary.runs.len() >= usize::try_from(limit).unwrap_or(0);
        match self {
            Self::RunCount(limit) => Some(*limit).filter(|limit| reached(*limit)),
            Self::Any(list) => list
                .iter()
                .find_map(|condition| condition.run_limit(summary)),
            Self::HasToolCall(_) | Self::RepeatedCalls(_) | Self::Rule(_) | Self::All(_) => None,
        }
    }
}
