//! Which interrupts a renderer draws.

/// The interrupts that a renderer draws. A text is the reason that the agent gives.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum InterruptTarget {
    /// Interrupts of one reason.
    Reason(String),
    /// All interrupts whose reason has no renderer of its own.
    All,
}

impl InterruptTarget {
    /// The reason; none for all interrupts.
    pub(crate) fn name(self) -> Option<String> {
        match self {
            Self::Reason(reason) => Some(reason),
            Self::All => None,
        }
    }
}

impl From<&str> for InterruptTarget {
    fn from(reason: &str) -> Self {
        Self::Reason(reason.to_owned())
    }
}

impl From<String> for InterruptTarget {
    fn from(reason: String) -> Self {
        Self::Reason(reason)
    }
}
