//! The summary of the turn so far, for stop conditions and pages: a turn has runs, a run has steps.

use std::fmt;

pub use crate::conversation::AgentStep;
use crate::{conversation::MessageId, event::TokenUsage};

/// A turn: all runs since the last user message.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct TurnSummary {
    /// One entry for each run.
    pub runs: Vec<RunSummary>,
    /// The reason for the end of the turn; `None` while it continues.
    pub finish: Option<FinishReason>,
}

impl TurnSummary {
    /// Returns the number of latest runs with the same calls and arguments.
    #[must_use]
    pub fn repeats(&self) -> usize {
        let mut newest_first = self.runs.iter().rev();
        let Some(calls_hash) = newest_first.next().and_then(|run| run.calls_hash) else {
            return 0;
        };
        1 + newest_first
            .take_while(|run| run.calls_hash == Some(calls_hash))
            .count()
    }
}

/// Formats a line for each run and a line for the end, for logs and consoles.
///
/// ```text
/// run 1 (r-7): called get_weather; tokens in 120, out 18
/// run 2 (r-8): answered
/// ended: Stop
/// ```
impl fmt::Display for TurnSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, run) in self.runs.iter().enumerate() {
            writeln!(f, "run {} {run}", at + 1)?;
        }
        match self.finish {
            Some(finish) => write!(f, "ended: {finish:?}"),
            None => f.write_str("in progress"),
        }
    }
}

/// A run of a turn.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct RunSummary {
    /// The run's id.
    pub run_id: String,
    /// The chat's newest message at the start of the run, to which Retry returns.
    pub base: Option<MessageId>,
    /// The tools that were called, in order.
    pub tools: Vec<String>,
    /// A hash of the names and arguments of the run's calls, in order; `None` if the run made no
    /// call or has not ended.
    pub(super) calls_hash: Option<u64>,
    /// The reported token usage.
    pub usage: Vec<TokenUsage>,
    /// True if the run produced text.
    pub has_text: bool,
    /// True if the run did anything besides beginning, reasoning and ending.
    pub has_effect: bool,
    /// The steps that the agent reported, in order. Steps beyond about a hundred are dropped.
    pub steps: Vec<AgentStep>,
    /// True if the steps are stored with a message, and shown there.
    pub steps_stored: bool,
}

impl fmt::Display for RunSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}): ", self.run_id)?;
        match (self.tools.as_slice(), self.has_text) {
            ([], true) => f.write_str("answered")?,
            ([], false) => f.write_str("no text")?,
            (tools, false) => write!(f, "called {}", tools.join(", "))?,
            (tools, true) => write!(f, "answered, called {}", tools.join(", "))?,
        }
        let sum = |of: fn(&TokenUsage) -> Option<u64>| {
            let counts: Vec<u64> = self.usage.iter().filter_map(of).collect();
            let total = |sum: u64, count: &u64| sum.saturating_add(*count);
            (!counts.is_empty()).then(|| counts.iter().fold(0, total))
        };
        let counts = [
            ("in", sum(|usage| usage.input_tokens)),
            ("out", sum(|usage| usage.output_tokens)),
        ];
        let mut before = "; tokens";
        for (way, count) in counts {
            if let Some(count) = count {
                write!(f, "{before} {way} {count}")?;
                before = ",";
            }
        }
        Ok(())
    }
}

/// The reason for the end of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FinishReason {
    /// The agent finished.
    Stop,
    /// The stop condition was met while results were waiting to be sent.
    Limit,
    /// A handler ended the loop.
    StopLoop,
    /// The agent waits for an answer.
    Interrupt,
    /// The agent stopped deliberately.
    Cancelled,
    /// The user stopped the assistant.
    Stopped,
    /// The run failed.
    Error,
}
