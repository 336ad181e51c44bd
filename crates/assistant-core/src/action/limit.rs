//! Defines the rate limits for calls of an action.

/// Limits on the calls of an action. A call that exceeds a limit ends with an error. If the limit
/// is that of a time window, the error contains the time after which the call may be repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct CallLimits {
    /// The maximum number of starts in a time window, and the length of the window in milliseconds.
    pub(crate) window: Option<(u32, u32)>,
    /// The maximum number of calls that run at the same time.
    pub(crate) concurrent: Option<u32>,
    /// The maximum number of calls in one run of the agent.
    pub(crate) per_run: Option<u32>,
}

impl CallLimits {
    /// Limits the number of starts to `count` in a time window of `ms` milliseconds.
    #[must_use]
    pub const fn calls(mut self, count: u32, ms: u32) -> Self {
        self.window = Some((count, ms));
        self
    }

    /// Limits the number of calls that run at the same time. To make calls wait for each other
    /// instead, see [`super::ActionSpec::is_exclusive`].
    #[must_use]
    pub const fn concurrent(mut self, count: u32) -> Self {
        self.concurrent = Some(count);
        self
    }

    /// Limits the number of calls in one run of the agent.
    #[must_use]
    pub const fn per_run(mut self, count: u32) -> Self {
        self.per_run = Some(count);
        self
    }
}
