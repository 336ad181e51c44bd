//! How a session behaves.

use serde_json::Value;

use super::{Host, RunSummary};
use crate::conversation::{Conversation, MarkdownTools};

/// Writes a conversation in the form that an agent takes.
pub type HistoryForm = fn(&Conversation) -> Value;

/// How a session behaves.
#[derive(Debug, Clone)]
pub struct Options {
    /// When the loop of runs and tool results ends by itself.
    pub stop_when: StopCondition,
    /// Calls of one response run one after the other, in order (rule "order of calls").
    pub sequential: bool,
    /// Every action runs as soon as its arguments are complete, for agents that hold the stream
    /// open until the result comes (rule "when a tool starts").
    pub eager: bool,
    /// A new message denies what still waits for a decision, instead of being refused.
    pub auto_deny: bool,
    /// What becomes of tool callouts in what an assistant writes (rule "callouts run by permission"). Needs the
    /// feature `callouts`.
    pub markdown_tools: MarkdownTools,
    /// How the history is written for agents that take it in a form of their own, beside
    /// [`RunInput::messages`](crate::event::RunInput::messages).
    pub history: Option<HistoryForm>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            stop_when: StopCondition::StepCount(10),
            sequential: false,
            eager: false,
            auto_deny: false,
            markdown_tools: MarkdownTools::Off,
            history: None,
        }
    }
}

/// When the loop of runs and tool results ends by itself.
#[derive(Debug, Clone)]
pub enum StopCondition {
    /// After this many runs since the last user message.
    StepCount(u32),
    /// Once a tool of this name was called.
    HasToolCall(String),
    /// When a rule of the application says so, which has this name: the host is asked
    /// ([`super::Host::stops`]).
    Rule(String),
    /// When one of these holds.
    Any(Vec<Self>),
    /// When all of these hold.
    All(Vec<Self>),
}

impl StopCondition {
    /// Whether the loop ends here.
    #[must_use]
    pub fn is_met(&self, summary: &RunSummary, host: &mut dyn Host) -> bool {
        match self {
            Self::StepCount(limit) => summary.steps.len() >= usize::try_from(*limit).unwrap_or(0),
            Self::HasToolCall(name) => summary
                .steps
                .iter()
                .any(|step| step.tools.iter().any(|tool| tool == name)),
            Self::Rule(name) => host.stops(name, summary),
            Self::Any(list) => list.iter().any(|condition| condition.is_met(summary, host)),
            Self::All(list) => list.iter().all(|condition| condition.is_met(summary, host)),
        }
    }

    /// The number of steps at which it holds, if it is the number that makes it hold.
    pub(super) fn step_limit(&self, summary: &RunSummary) -> Option<u32> {
        let reached = |limit: u32| summary.steps.len() >= usize::try_from(limit).unwrap_or(0);
        match self {
            Self::StepCount(limit) => Some(*limit).filter(|limit| reached(*limit)),
            Self::Any(list) => list
                .iter()
                .find_map(|condition| condition.step_limit(summary)),
            Self::HasToolCall(_) | Self::Rule(_) | Self::All(_) => None,
        }
    }
}
