//! Defines the options of a session, and the traits of its agent.

use super::{Host, TurnSummary};
use crate::{
    conversation::{AgentUserMessages, MarkdownTools},
    limits::Limits,
};

/// The options of a session. Each option that the application sets has its own method; the traits
/// of the agent are set as one value ([`Self::with_agent`]).
///
/// ```
/// use assistant_core::limits::Limits;
/// use assistant_core::session::{QuestionLimits, Session, SessionOptions, StopCondition};
///
/// // The loop ends after five runs, or after three consecutive runs with the same calls.
/// let conditions = [StopCondition::RunCount(5), StopCondition::RepeatedCalls(3)];
/// let options = SessionOptions::default()
///     .stop_when(StopCondition::Any(conditions.to_vec()))
///     .questions(QuestionLimits::default().per_run(5).per_minute(None))
///     .limits(Limits::default().with_calls(50));
/// let session = Session::new("order-17", options);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SessionOptions {
    pub(crate) stop_when: StopCondition,
    pub(crate) sequential: bool,
    pub(crate) eager: bool,
    pub(crate) auto_deny: bool,
    pub(crate) remember_approvals: bool,
    pub(crate) questions: QuestionLimits,
    pub(crate) markdown_tools: MarkdownTools,
    pub(crate) markdown_fences: bool,
    pub(crate) fork_thread: bool,
    pub(crate) interjections: bool,
    pub(crate) leftovers: Leftovers,
    pub(crate) agent_user_messages: AgentUserMessages,
    pub(crate) limits: Limits,
    pub(crate) agent: AgentTraits,
}

impl SessionOptions {
    /// Sets the condition that ends the loop of runs and tool results. The default is a limit of 10
    /// runs.
    #[must_use]
    pub fn stop_when(mut self, condition: StopCondition) -> Self {
        self.stop_when = condition;
        self
    }

    /// Sets whether the calls of a response run one after the other (rule "order of calls"). The
    /// default is `false`.
    #[must_use]
    pub fn sequential(mut self, enabled: bool) -> Self {
        self.sequential = enabled;
        self
    }

    /// Sets whether every action runs as soon as its arguments are complete, for agents that hold
    /// the stream open until the result arrives (rule "start of a tool"). The default is
    /// `false`.
    #[must_use]
    pub fn eager(mut self, enabled: bool) -> Self {
        self.eager = enabled;
        self
    }

    /// Sets whether a message from the user denies the pending calls instead of being refused. The
    /// default is `false`.
    #[must_use]
    pub fn auto_deny(mut self, enabled: bool) -> Self {
        self.auto_deny = enabled;
        self
    }

    /// Sets whether approvals may be remembered, as far as the action permits. If `enabled` is
    /// false, the user is asked each time. The default is `true`.
    #[must_use]
    pub fn remember_approvals(mut self, enabled: bool) -> Self {
        self.remember_approvals = enabled;
        self
    }

    /// Sets the limits on the questions that an agent causes.
    #[must_use]
    pub fn questions(mut self, limits: QuestionLimits) -> Self {
        self.questions = limits;
        self
    }

    /// Sets the treatment of tool callouts in the assistant's text (rule "callouts run by
    /// permission"). By default, callouts are text. Requires the feature `callouts`.
    #[must_use]
    pub fn markdown_tools(mut self, treatment: MarkdownTools) -> Self {
        self.markdown_tools = treatment;
        self
    }

    /// Sets whether code fences whose first word is `tool` are also read as callouts, if
    /// [`Self::markdown_tools`] enables callouts. The default is `false`.
    #[must_use]
    pub fn markdown_fences(mut self, enabled: bool) -> Self {
        self.markdown_fences = enabled;
        self
    }

    /// Sets whether each branch, and the messages after a deletion, are sent under a separate
    /// thread id, for servers that keep the history of a thread and append the messages of each
    /// request. The conversation keeps its id. The default is `false`.
    #[must_use]
    pub fn fork_thread(mut self, enabled: bool) -> Self {
        self.fork_thread = enabled;
        self
    }

    /// Sets whether the user may interject while the loop is running
    /// ([`TreeChange::Interject`](super::TreeChange::Interject)). The default is `true`.
    #[must_use]
    pub fn interjections(mut self, enabled: bool) -> Self {
        self.interjections = enabled;
        self
    }

    /// Sets the treatment of messages that the user has queued when the user stops the assistant.
    /// The default is [`Leftovers::Keep`].
    #[must_use]
    pub fn leftovers(mut self, treatment: Leftovers) -> Self {
        self.leftovers = treatment;
        self
    }

    /// Sets the form in which messages that the agent added with the user's role are sent back to
    /// the agent.
    #[must_use]
    pub fn agent_user_messages(mut self, form: AgentUserMessages) -> Self {
        self.agent_user_messages = form;
        self
    }

    /// Sets the limits on content from agents.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the traits of the agent. When an assistant is created, it calls this method with the
    /// traits of its agent, which replace any traits that were set before.
    #[must_use]
    pub fn with_agent(mut self, traits: AgentTraits) -> Self {
        self.agent = traits;
        self
    }

    /// Returns true if a message from the user denies the pending calls ([`Self::auto_deny`]).
    #[must_use]
    pub const fn has_auto_deny(&self) -> bool {
        self.auto_deny
    }

    /// Returns true if the user may interject while the loop is running.
    #[must_use]
    pub const fn may_interject(&self) -> bool {
        self.interjections
    }

    /// Returns the limits on content from agents.
    #[must_use]
    pub const fn content_limits(&self) -> Limits {
        self.limits
    }
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
            fork_thread: false,
            interjections: true,
            leftovers: Leftovers::Keep,
            agent_user_messages: AgentUserMessages::Marked,
            limits: Limits::default(),
            agent: AgentTraits::default(),
        }
    }
}

/// The traits of an agent that a session depends on. They are set by a protocol or an agent, not by
/// the application.
///
/// ```
/// use assistant_core::session::{AgentTraits, Session, SessionOptions};
///
/// // A model endpoint.
/// let traits = AgentTraits::default()
///     .with_retries_empty_answers(true)
///     .with_runs_tools(false);
/// let options = SessionOptions::default().with_agent(traits);
/// let session = Session::new("order-17", options);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentTraits {
    pub(crate) resumes: bool,
    pub(crate) replays: bool,
    pub(crate) retries_empty_answers: bool,
    pub(crate) runs_tools: bool,
}

impl AgentTraits {
    /// Sets whether the session resumes reading an answer after a reload or a lost connection, for
    /// agents that store their streams. The default is `false`.
    #[must_use]
    pub const fn with_resumes(mut self, enabled: bool) -> Self {
        self.resumes = enabled;
        self
    }

    /// Sets whether a resumed answer begins again with its first event, as with servers that store
    /// the events of a run. Events that were applied before are then skipped (rule "reattaching to
    /// a run"). The default is `false`.
    #[must_use]
    pub const fn with_replays(mut self, enabled: bool) -> Self {
        self.replays = enabled;
        self
    }

    /// Sets whether the session starts another run if a run ends without an answer to the results
    /// of calls, for model endpoints, which do not continue by themselves (rule "silence after
    /// results"). The default is `false`.
    #[must_use]
    pub const fn with_retries_empty_answers(mut self, enabled: bool) -> Self {
        self.retries_empty_answers = enabled;
        self
    }

    /// Sets whether the agent may run its own tools. The default is `true`. A call of a tool that
    /// the page did not offer is then remote, and starts no run if it gets no result. The trait is
    /// off for model endpoints, which run no tools: a call of an unknown tool is then answered with
    /// an error, and the loop continues (rule "every call is answered").
    #[must_use]
    pub const fn with_runs_tools(mut self, enabled: bool) -> Self {
        self.runs_tools = enabled;
        self
    }
}

impl Default for AgentTraits {
    fn default() -> Self {
        Self {
            resumes: false,
            replays: false,
            retries_empty_answers: false,
            runs_tools: true,
        }
    }
}

/// The treatment of messages that the user queued during a run and that were not sent when the user
/// stopped the assistant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Leftovers {
    /// The queued messages appear in the chat and are sent with the next request.
    #[default]
    Keep,
    /// The queued messages are dropped.
    Drop,
    /// The queued messages are sent at once, together with the results of calls that are ready.
    Send,
}

/// Limits on the questions that an agent causes, by calls that need an approval and by interrupts.
/// A call over a limit is answered with an error and does not run; an interrupt over a limit is
/// held back until the user asks to see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuestionLimits {
    pub(crate) per_run: Option<u32>,
    pub(crate) per_minute: Option<u32>,
}

impl QuestionLimits {
    /// Sets the maximum number of questions caused by one run of the agent. The default is 20.
    /// `None` removes the limit.
    #[must_use]
    pub fn per_run(mut self, limit: impl Into<Option<u32>>) -> Self {
        self.per_run = limit.into();
        self
    }

    /// Sets the maximum number of questions per minute. The default is 30. `None` removes the
    /// limit.
    #[must_use]
    pub fn per_minute(mut self, limit: impl Into<Option<u32>>) -> Self {
        self.per_minute = limit.into();
        self
    }
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
    /// Ends the loop after this many runs since the last user message.
    RunCount(u32),
    /// Ends the loop after a call of this tool.
    HasToolCall(String),
    /// Ends the loop after this many consecutive runs with the same calls and arguments, which
    /// indicate that the agent is stuck.
    RepeatedCalls(u32),
    /// Ends the loop if the application's rule with this name is met. The host evaluates the rule
    /// ([`super::Host::stops`]).
    Rule(String),
    /// Ends the loop if any of these conditions is met.
    Any(Vec<Self>),
    /// Ends the loop if all of these conditions are met.
    All(Vec<Self>),
}

impl StopCondition {
    /// Returns true if the runs of the turn meet the condition. Rules are evaluated by the host.
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

    /// Returns the limit of the [`Self::RunCount`] that the turn has reached, if this condition is
    /// a `RunCount` or a [`Self::Any`] that contains a `RunCount`. Returns `None` for all other
    /// conditions.
    pub(super) fn reached_run_limit(&self, summary: &TurnSummary) -> Option<u32> {
        let is_reached = |limit: u32| summary.runs.len() >= usize::try_from(limit).unwrap_or(0);
        match self {
            Self::RunCount(limit) => Some(*limit).filter(|limit| is_reached(*limit)),
            Self::Any(list) => list
                .iter()
                .find_map(|condition| condition.reached_run_limit(summary)),
            Self::HasToolCall(_) | Self::RepeatedCalls(_) | Self::Rule(_) | Self::All(_) => None,
        }
    }
}
