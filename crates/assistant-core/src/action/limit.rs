//! Limits on the calls of an action.

/// Limits on the starts of an action; what is over them is answered with an error that says when to try
/// again.
///
/// ```
/// use assistant_core::action::CallLimits;
///
/// // Twice a minute, and one at a time.
/// let limits = CallLimits::default().calls(2, 60_000).concurrent(1);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct CallLimits {
    /// The most starts within a time, and that time in milliseconds.
    pub window: Option<(u32, u32)>,
    /// The most that run at the same time.
    pub concurrent: Option<u32>,
    /// The most of the calls that one run of the agent makes.
    pub per_run: Option<u32>,
}

impl CallLimits {
    /// No more than so many starts within so many milliseconds.
    #[must_use]
    pub const fn calls(mut self, count: u32, ms: u32) -> Self {
        self.window = Some((count, ms));
        self
    }

    /// No more than so many at the same time. For calls that are to wait for each other, see
    /// [`super::ActionSpec::exclusive`].
    #[must_use]
    pub const fn concurrent(mut self, count: u32) -> Self {
        self.concurrent = Some(count);
        self
    }

    /// No more than so many of the calls that one run of the agent makes.
    #[must_use]
    pub const fn per_run(mut self, count: u32) -> Self {
        self.per_run = Some(count);
        self
    }
}
