//! The end of a run's stream, and the failures that cut it.

/// The end of a run's stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StreamEnd {
    /// It ended by itself. Whether the run was over is known from its events.
    Closed,
    /// There was no answer under way that could be read on.
    Nothing,
    /// It could not be opened or read on.
    Failed(Failure),
}

impl StreamEnd {
    /// Returns whether a run that ended its events like this has failed. A connection that is lost
    /// after the last event takes nothing away.
    pub(super) fn breaks(&self, finish: &Option<super::finish::Finish>) -> bool {
        match self {
            Self::Closed | Self::Nothing => false,
            Self::Failed(failure) => finish.is_none() || failure.kind != FailureKind::Network,
        }
    }
}

/// The reason why a run failed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// The kind of the failure.
    pub kind: FailureKind,
    /// A sentence for the person.
    pub message: String,
    /// The time that the server asks to wait before the next request, in milliseconds.
    pub retry_after_ms: Option<u64>,
}

impl Failure {
    /// Returns a failure after which nobody has to wait.
    #[must_use]
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            retry_after_ms: None,
        }
    }

    /// Sets how long the server asks to wait before the next request.
    #[must_use]
    pub fn retry_after_ms(mut self, ms: u64) -> Self {
        self.retry_after_ms = Some(ms);
        self
    }
}

/// The kind of a run's failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureKind {
    /// No connection: wrong address, refused, blocked by the browser.
    Network,
    /// The request could not be made: its address or one of its headers is not valid.
    Request,
    /// An answer with an error status.
    Http {
        /// The status.
        status: u16,
    },
    /// An answer that is no event stream.
    NotAStream,
    /// Events that break the protocol.
    Protocol,
}
