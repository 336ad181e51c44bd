//! The final state of a call, with the way in which the call ended and its result.

use super::{CallError, CallResult, Phase, Review};

/// The data of a call that has ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EndedCall {
    pub(crate) end: CallEnd,
    /// The author of the result.
    pub(crate) by: Author,
    /// True if the result need not be sent to the agent: the agent sent the result, a run that has
    /// begun contained it, or the call's run is over.
    pub(crate) sent: bool,
    /// The time at which the call ended, in milliseconds since 1970, if known.
    pub(crate) at: Option<i64>,
    /// The result, which is sent to the agent, or `None` if the call ended without a result.
    pub(crate) result: Option<CallResult>,
    /// The error of a failed call.
    pub(crate) error: Option<CallError>,
    /// The call's review before the call ended.
    pub(crate) review: Box<Review>,
    /// True if the result has no position in the received order, because a snapshot omitted the
    /// tool message.
    pub(crate) unlisted: bool,
}

impl EndedCall {
    /// Creates the data of a call that ended without a result.
    pub(crate) fn new(end: CallEnd, by: Author, sent: bool) -> Self {
        Self {
            end,
            by,
            sent,
            at: None,
            result: None,
            error: None,
            review: Box::default(),
            unlisted: false,
        }
    }
}

/// The way in which a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallEnd {
    Output,
    Error,
    Denied,
    Skipped,
    Cancelled,
}

impl CallEnd {
    /// Returns the end of a call in this phase, or `None` if the phase is not final.
    pub(crate) const fn from_phase(phase: Phase) -> Option<Self> {
        Some(match phase {
            Phase::OutputAvailable => Self::Output,
            Phase::OutputError => Self::Error,
            Phase::OutputDenied => Self::Denied,
            Phase::Skipped => Self::Skipped,
            Phase::Cancelled => Self::Cancelled,
            _ => return None,
        })
    }
}

/// The author of a result or of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Author {
    /// This page: the result of a handler, or a decision or message of the user.
    Page,
    /// The agent.
    Agent,
    /// A stored conversation or list of messages that the application loaded.
    Record,
}

impl Author {
    /// Returns the name of the author in stored conversations.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Agent => "agent",
            Self::Record => "record",
        }
    }

    /// Parses the name of an author in stored conversations. Returns `None` for other names.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let authors = [Self::Page, Self::Agent, Self::Record];
        authors.into_iter().find(|author| author.as_str() == word)
    }
}
