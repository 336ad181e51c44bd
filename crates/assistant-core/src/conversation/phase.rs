//! The phase of a tool call, for views.

/// The progress of a tool call, in fine steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Arguments are arriving.
    InputStreaming,
    /// Arguments are complete.
    InputAvailable,
    /// A person is asked.
    ApprovalRequested,
    /// A person has answered; the handler is not running yet.
    ApprovalResponded,
    /// The handler runs, or the agent runs the tool.
    Running,
    /// There is a result.
    OutputAvailable,
    /// It failed.
    OutputError,
    /// A person said no.
    OutputDenied,
    /// Something the person said came first.
    Skipped,
    /// The run was stopped or what would have run it went away.
    Cancelled,
}

impl Phase {
    const ALL: [(Self, &'static str); 10] = [
        (Self::InputStreaming, "input-streaming"),
        (Self::InputAvailable, "input-available"),
        (Self::ApprovalRequested, "approval-requested"),
        (Self::ApprovalResponded, "approval-responded"),
        (Self::Running, "running"),
        (Self::OutputAvailable, "output-available"),
        (Self::OutputError, "output-error"),
        (Self::OutputDenied, "output-denied"),
        (Self::Skipped, "skipped"),
        (Self::Cancelled, "cancelled"),
    ];

    /// The word for it in JSON and in `data-phase`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(phase, _)| *phase == self)
            .map_or("", |(_, word)| word)
    }

    /// The phase with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let known = Self::ALL.iter().find(|(_, known)| *known == word);
        known.map(|(phase, _)| *phase)
    }

    /// Returns whether nothing can change it any more, a snapshot apart.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(
            self,
            Self::OutputAvailable
                | Self::OutputError
                | Self::OutputDenied
                | Self::Skipped
                | Self::Cancelled
        )
    }

    /// The coarse word that renderers see.
    #[must_use]
    pub const fn status(self) -> Status {
        match self {
            Self::InputStreaming
            | Self::InputAvailable
            | Self::ApprovalRequested
            | Self::ApprovalResponded => Status::Pending,
            Self::Running => Status::Executing,
            Self::OutputAvailable => Status::Complete,
            Self::OutputError | Self::OutputDenied | Self::Skipped | Self::Cancelled => {
                Status::Failed
            }
        }
    }
}

/// The progress of a tool call, in the four words that renderers see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// Not running yet.
    Pending,
    /// Running.
    Executing,
    /// Done, with a result.
    Complete,
    /// Failed, denied, skipped or cancelled.
    Failed,
}

impl Status {
    /// The word for it, as in `data-status`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Executing => "executing",
            Self::Complete => "complete",
            Self::Failed => "failed",
        }
    }
}
