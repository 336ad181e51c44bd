//! Options of a session.

use serde_json::Value;

use super::{Host, TurnSummary};
use crate::{
    conversation::{AgentUserMessages, Conversation, MarkdownTools},
    limits::Limits,
};

/// A function that writes the history in the agent's format.
pub type HistoryForm = fn(&Conversation) -> Value;

/// The options of a session.
#[derive(Debug, Clone)]
pub struct SessionOptions {
    /// The condition that ends the loop of runs and tool results.
    pub stop_when: StopCondition,
    /// True to run the calls of a response one after the other (rule "order of calls").
    pub sequential: bool,
    /// True to run every action as soon as its arguments are complete, for agents that hold the
    /// stream open until the result arrives (rule "when a tool starts").
    pub eager: bool,
    /// True if a new message denies the pending calls, instead of being refused.
    pub auto_deny: bool,
    /// True if approvals may be remembered, as far as the action permits; otherwise the user is
    /// asked each time.
    pub remember_approvals: bool,
    /// The limits on questions by an agent (rule "attention").
    pub questions: QuestionLimits,
    /// The treatment of tool callouts in the text of an assistant (rule "callouts run by
    /// permission"). Needs the feature `callouts`.
    pub markdown_tools: MarkdownTools,
    /// True if code fences whose first word is `tool` are callouts, too, wherever
    /// [`Self::markdown_tools`] reads callouts.
    pub markdown_fences: bool,
    /// A function that writes the history for agents with a format of their own, in addition to
    /// [`RunInput::messages`](crate::event::RunInput::messages).
    pub history: Option<HistoryForm>,
    /// True to resume reading the answer of a stored conversation that was left during the answer,
    /// for agents that store their streams.
    pub resumes: bool,
    /// True if a resumed answer begins again with its first event, as with servers that store the
    /// events of a run. Events that were applied before are then skipped (rule "reattaching to a
    /// run").
    pub replays: bool,
    /// True to start another run if a run ends without an answer to results, for model endpoints,
    /// which do not continue by themselves (rule "silence after results").
    pub asks_again: bool,
    /// True to send each branch under a thread id of its own, for servers that keep the history of
    /// a thread and append the messages of each request. The conversation keeps its id.
    pub fork_thread: bool,
    /// True if the agent may run tools of its own: a call of a tool that the page did not offer is
    /// remote, and starts no run if it gets no result. False for model endpoints, which run no
    /// tools: a call of an unknown tool is answered with an error, and the loop continues (rule
    /// "every call is answered").
    pub agent_runs_tools: bool,
    /// True if the user may interject while the loop is running
    /// ([`TreeChange::Interject`](super::TreeChange::Interject)).
    pub interjections: bool,
    /// The treatment of queued messages of the user when the user stops the assistant.
    pub leftovers: Leftovers,
    /// The form in which messages that the agent added in the user's role are sent back.
    pub agent_user_messages: AgentUserMessages,
    /// The limits on content from agents.
    pub limits: Limits,
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
            markdown_fences: false,
            history: None,
            resumes: false,
            replays: false,
            asks_again: false,
            fork_thread: false,
            agent_runs_tools: true,
            interjections: true,
            leftovers: Leftovers::Keep,
            agent_user_messages: AgentUserMessages::Marked,
            limits: Limits::default(),
        }
    }
}

/// The treatment of messages that the user queued during a run and that were not sent when the user
/// stopped the assistant.
///
/// ```
/// use assistant_core::session::{Leftovers, SessionOptions};
///
/// let options = SessionOptions {
///     leftovers: Leftovers::Drop,
///     ..SessionOptions::default()
/// };
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Leftovers {
    /// The queued messages appear in the chat and are sent with the next request.
    #[default]
    Keep,
    /// The queued messages are dropped.
    Drop,
    /// The queued messages are sent at once, with the results so far.
    Send,
}

/// Limits on the questions that an agent causes, by calls that need an approval and by interrupts.
/// A call over a limit is answered with an error and does not run; an interrupt over a limit is
/// held back until the user asks to see it.
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
    /// The maximum number of questions caused by one run of the agent; 20 by default, no limit for
    /// `None`.
    pub per_run: Option<u32>,
    /// The maximum number of questions per minute; 30 by default, no limit for `None`.
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

/// The condition that ends the loop of runs and tool results.
#[derive(Debug, Clone)]
pub enum StopCondition {
    /// Met after this many runs since the last user message.
    RunCount(u32),
    /// Met after a call of this tool.
    HasToolCall(String),
    /// Met after this many consecutive runs with the same calls and arguments, which indicate that
    /// the agent is stuck in a loop.
    RepeatedCalls(u32),
    /// A rule of the application with this name, evaluated by the host ([`super::Host::stops`]).
    Rule(String),
    /// Met if any of these conditions is met.
    Any(Vec<Self>),
    /// Met if all of these conditions are met.
    All(Vec<Self>),
}

impl StopCondition {
    /// Returns true if the loop ends here.
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

    /// Returns the limit on the number of runs, if that limit meets the condition.
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
