//! The turn so far, as stop conditions and pages read it: a turn has runs, a run has steps.

pub use crate::conversation::AgentStep;
use crate::{conversation::MessageId, event::TokenUsage};

/// A turn: what has happened since the last user message.
#[derive(Debug, Clone, Default)]
pub struct TurnSummary {
    /// One entry for each run.
    pub runs: Vec<RunSummary>,
    /// Why it ended; `None` while it goes on.
    pub finish: Option<FinishReason>,
}

impl TurnSummary {
    /// Counts the last runs that made the same calls with the same arguments.
    #[must_use]
    pub fn repeats(&self) -> usize {
        let mut newest_first = self.runs.iter().rev();
        let Some(made) = newest_first.next().and_then(|run| run.made) else {
            return 0;
        };
        1 + newest_first
            .take_while(|run| run.made == Some(made))
            .count()
    }
}

/// One run.
#[derive(Debug, Clone, Default)]
pub struct RunSummary {
    /// The run's id.
    pub run_id: String,
    /// The chat's newest message when it started; Retry goes back to it.
    pub base: Option<MessageId>,
    /// The tools that were called, in order.
    pub tools: Vec<String>,
    /// What tells the calls of this run from those of another: names and arguments, in order; none
    /// where it made no call, or is not over.
    pub(super) made: Option<u64>,
    /// Tokens used, if the agent says.
    pub usage: Vec<TokenUsage>,
    /// Whether it said anything in words.
    pub spoke: bool,
    /// Whether it did anything beside beginning, thinking and ending.
    pub acted: bool,
    /// The steps that the agent says it takes, in order; no more than the first hundred or so.
    pub steps: Vec<AgentStep>,
    /// Whether they are kept with a message, and shown there.
    pub steps_kept: bool,
}

/// Why the loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FinishReason {
    /// The agent had its say.
    Stop,
    /// The stop condition held while results were waiting to go out.
    Limit,
    /// A handler ended the loop.
    StopLoop,
    /// The agent waits for an answer.
    Interrupt,
    /// The agent stopped on purpose.
    Cancelled,
    /// The person stopped it.
    Stopped,
    /// It failed.
    Error,
}
