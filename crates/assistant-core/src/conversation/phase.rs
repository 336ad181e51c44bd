//! The phase of a tool call, for views.

/// The phase of a tool call. [`Status`] summarizes the phases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// The arguments are arriving.
    InputStreaming,
    /// The arguments are complete.
    InputAvailable,
    /// The call waits for a decision of the user, or until its action is registered.
    ApprovalRequested,
    /// The call was allowed or denied, and has not started or ended yet.
    ApprovalResponded,
    /// The call's handler is running, or the agent runs the tool.
    Running,
    /// The call has a result.
    OutputAvailable,
    /// The call failed.
    OutputError,
    /// The user or the application denied the call.
    OutputDenied,
    /// The call was not run on this page, because the user sent a new message, or because the agent
    /// runs the tool itself and needs no result from the page.
    Skipped,
    /// The call was cancelled, for example because the run was stopped or the action was removed.
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

    /// Returns the name that is used in JSON and in `data-phase`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(phase, _)| *phase == self)
            .map_or("", |(_, name)| name)
    }

    /// Parses the name that is used in JSON. Returns `None` for other names.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let entry = Self::ALL.iter().find(|(_, name)| *name == word);
        entry.map(|(phase, _)| *phase)
    }

    /// Returns true if a call in this phase has ended. The agent may still repeat the result that
    /// it sent, or the arguments.
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

    /// Returns the status of a call in this phase.
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

/// A summary of a tool call's phase, for renderers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// The call is not running yet.
    Pending,
    /// The call is running.
    Executing,
    /// The call has a result.
    Complete,
    /// The call failed, or was denied, skipped or cancelled.
    Failed,
}

impl Status {
    /// Returns the name that is used in `data-status`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Executing => "executing",
            Self::Complete => "complete",
            Self::Failed => "failed",
        }
    }

    /// Parses a status as other systems spell it, in any case and with words joined by underscores,
    /// hyphens, spaces or capitals. For the name of a [`Phase`], returns the status of that phase.
    /// Returns `None` for other names.
    ///
    /// ```
    /// use assistant_core::conversation::Status;
    ///
    /// assert_eq!(Status::parse("in_progress"), Some(Status::Executing));
    /// assert_eq!(Status::parse("inProgress"), Some(Status::Executing));
    /// assert_eq!(Status::parse("done"), Some(Status::Complete));
    /// assert_eq!(Status::parse("lost"), None);
    /// ```
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let letters = word.trim().chars();
        let letters = letters.filter(|c| !matches!(c, '_' | '-' | ' '));
        let letters: String = letters.map(|c| c.to_ascii_lowercase()).collect();
        Some(match letters.as_str() {
            "pending" | "queued" | "inputstreaming" | "inputavailable" | "approvalrequested"
            | "approvalresponded" => Self::Pending,
            "executing" | "running" | "inprogress" => Self::Executing,
            "complete" | "completed" | "success" | "done" | "outputavailable" => Self::Complete,
            "failed" | "error" | "outputerror" | "rejected" | "denied" | "outputdenied"
            | "skipped" | "cancelled" | "canceled" => Self::Failed,
            _ => return None,
        })
    }
}
