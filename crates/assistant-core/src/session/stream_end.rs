//! Defines the end of a run's stream, its failures, and the end of a run as reported by its events.

use crate::event::{EventKind, fault::ProtocolError};
use crate::limits::{Exceeded, LimitKind, Limits};

/// The end of a run's stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StreamEnd {
    /// The stream ended normally. The events determine whether the run had finished.
    Closed,
    /// There was no answer in progress to resume.
    Nothing,
    /// The stream could not be opened or read.
    Failed(Failure),
}

impl StreamEnd {
    /// Returns true if this end of the stream is a failure of the run that reported `finish`. A
    /// connection that is lost after a reported end is not a failure.
    pub(super) fn is_failure_after(&self, finish: &Option<ReportedEnd>) -> bool {
        match self {
            Self::Closed | Self::Nothing => false,
            Self::Failed(failure) => finish.is_none() || !failure.kind.is_of_connection(),
        }
    }
}

/// The failure of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    pub(crate) kind: FailureKind,
    pub(crate) message: String,
    pub(crate) retry_after_ms: Option<u64>,
    pub(crate) exceeded: Option<Exceeded>,
}

impl Failure {
    /// Returns the exceeded limit, if the failure has the kind [`FailureKind::Limit`].
    #[must_use]
    pub const fn exceeded(&self) -> Option<Exceeded> {
        self.exceeded
    }

    /// Returns the message for the user.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the kind of the failure.
    #[must_use]
    pub const fn kind(&self) -> FailureKind {
        self.kind
    }

    /// Returns the delay that the server requests before the next request, in milliseconds; `None`
    /// if the server requests no delay.
    #[must_use]
    pub const fn retry_after_ms(&self) -> Option<u64> {
        self.retry_after_ms
    }

    /// Creates a failure without a requested delay.
    #[must_use]
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            retry_after_ms: None,
            exceeded: None,
        }
    }

    /// Creates the failure for a response that a decoder could not read.
    #[must_use]
    pub fn of_decoder(error: &ProtocolError, limits: &Limits) -> Self {
        let limit = match error.code {
            "limit" => LimitKind::Response,
            "event-limit" => LimitKind::Event,
            "too-many-streams" => LimitKind::Streams,
            _ => return Self::new(FailureKind::Protocol, error.to_string()),
        };
        let mut failure = Self::new(FailureKind::Limit, error.to_string());
        failure.exceeded = Some(Exceeded {
            limit,
            most: limits.maximum_for(limit),
            dropped: 0,
        });
        failure
    }

    /// Changes the kind to [`FailureKind::Offline`], because the browser is offline.
    pub fn set_offline(&mut self) {
        self.kind = FailureKind::Offline;
    }

    /// Sets the delay that the server requests before the next request, in milliseconds.
    #[must_use]
    pub const fn with_retry_after_ms(mut self, ms: u64) -> Self {
        self.retry_after_ms = Some(ms);
        self
    }
}

/// The kind of a run's failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureKind {
    /// There is no connection, for example because the address is wrong, the server refused the
    /// connection, or the browser blocked the request.
    Network,
    /// There is no connection, because the browser is offline.
    Offline,
    /// The request could not be made, since its address or a header is invalid.
    Request,
    /// The response has an error status.
    Http {
        /// The HTTP status.
        status: u16,
    },
    /// The response is not an event stream.
    NotAStream,
    /// The response contains events that violate the protocol.
    Protocol,
    /// The response exceeds a limit.
    Limit,
}

impl FailureKind {
    /// Returns true if no connection could be made, or if the connection was lost.
    #[must_use]
    pub const fn is_of_connection(self) -> bool {
        matches!(self, Self::Network | Self::Offline)
    }
}

/// The end of a run, as reported by its events.
#[derive(Debug, Clone)]
pub(super) enum ReportedEnd {
    Success,
    Cancelled,
    RunError(String),
}

impl ReportedEnd {
    /// Returns true if an event of this kind may follow the end: the start of the next run in the
    /// same stream, or an error that revokes the end.
    pub(super) fn may_be_followed_by(&self, kind: &EventKind) -> bool {
        match kind {
            EventKind::RunStarted { .. } => true,
            EventKind::RunError { .. } => !matches!(self, Self::RunError(_)),
            _ => false,
        }
    }
}
