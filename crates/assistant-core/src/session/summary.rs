//! Summarizes the turn so far, for stop conditions and pages. A turn consists of runs, and a run
//! consists of steps.

use std::fmt;

pub use crate::conversation::AgentStep;
use crate::{conversation::MessageId, event::TokenUsage};

/// A turn, which consists of all runs since the last user message.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct TurnSummary {
    pub(crate) runs: Vec<RunSummary>,
    pub(crate) finish: Option<FinishReason>,
}

impl TurnSummary {
    /// Returns the reason for the end of the turn, or `None` while the turn continues.
    #[must_use]
    pub const fn finish(&self) -> Option<FinishReason> {
        self.finish
    }

    /// Returns an entry for each run of the turn.
    #[must_use]
    pub fn runs(&self) -> &[RunSummary] {
        &self.runs
    }

    /// Returns the number of consecutive runs, up to the newest run, with the same calls and
    /// arguments. Returns 0 if the newest run made no call or has not ended.
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

/// Formats the turn for logs and consoles, with a line for each run and a final line for the status
/// of the turn.
///
/// ```text
/// run 1 (r-7): called get_weather; tokens in 120, out 18
/// run 2 (r-8): answered
/// ended: Stop
/// ```
impl fmt::Display for TurnSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, run) in self.runs.iter().enumerate() {
            writeln!(f, "run {} {run}", index + 1)?;
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
    pub(crate) run_id: String,
    pub(crate) base: Option<MessageId>,
    pub(crate) tools: Vec<String>,
    /// A hash of the names and arguments of the run's calls, in order, or `None` if the run made no
    /// call or has not ended.
    pub(super) calls_hash: Option<u64>,
    pub(crate) usage: Vec<TokenUsage>,
    pub(crate) has_text: bool,
    /// True if the run sent an event other than its start, its end, reasoning and empty text.
    pub(crate) has_effect: bool,
    pub(crate) steps: Vec<AgentStep>,
    pub(crate) steps_stored: bool,
}

impl RunSummary {
    /// Returns the id of the run.
    #[must_use]
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// Returns the id of the newest message in the chat at the start of the run, or `None` if the
    /// chat was empty. Retry returns to this message.
    #[must_use]
    pub const fn base(&self) -> Option<&MessageId> {
        self.base.as_ref()
    }

    /// Returns the names of the tools that were called, in order.
    #[must_use]
    pub fn tools(&self) -> &[String] {
        &self.tools
    }

    /// Returns the token usage that the agent reported.
    #[must_use]
    pub fn usage(&self) -> &[TokenUsage] {
        &self.usage
    }

    /// Returns true if the run produced text.
    #[must_use]
    pub const fn has_text(&self) -> bool {
        self.has_text
    }

    /// Returns the steps that the agent reported, in order. At most 128 steps of a run are stored.
    #[must_use]
    pub fn steps(&self) -> &[AgentStep] {
        &self.steps
    }

    /// Returns true if the steps are stored with a message, and shown with that message.
    #[must_use]
    pub const fn has_stored_steps(&self) -> bool {
        self.steps_stored
    }
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
        let sum = |count: fn(&TokenUsage) -> Option<u64>| {
            let counts: Vec<u64> = self.usage.iter().filter_map(count).collect();
            let total = |sum: u64, count: &u64| sum.saturating_add(*count);
            (!counts.is_empty()).then(|| counts.iter().fold(0, total))
        };
        let counts = [
            ("in", sum(|usage| usage.input_tokens)),
            ("out", sum(|usage| usage.output_tokens)),
        ];
        let mut separator = "; tokens";
        for (label, count) in counts {
            if let Some(count) = count {
                write!(f, "{separator} {label} {count}")?;
                separator = ",";
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
    /// The agent waits for an answer to an interrupt.
    Interrupt,
    /// The agent stopped deliberately.
    Cancelled,
    /// The user stopped the assistant.
    Stopped,
    /// The run failed.
    Error,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_summary_lists_its_runs_with_their_tokens() {
        let usage = |input, output| TokenUsage {
            input_tokens: input,
            output_tokens: output,
            ..TokenUsage::default()
        };
        let mut run = RunSummary {
            run_id: "r".to_owned(),
            usage: vec![usage(Some(7), None), usage(Some(u64::MAX), Some(2))],
            ..RunSummary::default()
        };
        let mut turn = TurnSummary::default();
        assert_eq!(turn.to_string(), "in progress");
        turn.runs = vec![run.clone()];
        let tokens = format!("tokens in {}, out 2", u64::MAX);
        assert_eq!(
            turn.to_string(),
            format!("run 1 (r): no text; {tokens}\nin progress")
        );
        run.tools = vec!["f".to_owned(), "g".to_owned()];
        run.has_text = true;
        run.usage.clear();
        assert_eq!(run.to_string(), "(r): answered, called f, g");
    }
}
