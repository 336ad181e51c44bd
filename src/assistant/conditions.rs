//! The conditions that a card sets for decisions.

use assistant_core::session::Refusal;
use leptos::prelude::{Callable, Callback, Signal};

/// The conditions under which an approval or an answer counts: see
/// [`ToolCallView::can_approve`](super::ToolCallView::can_approve).
#[derive(Debug, Clone, Copy)]
pub(crate) struct DecisionConditions {
    /// Returns the reason why an approval does not count now, and shows the user the unread
    /// part.
    pub(crate) verify: Callback<(), Result<(), Refusal>>,
    /// True if an approval counts.
    pub(crate) are_met: Signal<bool>,
}

impl DecisionConditions {
    /// Returns an error if a decision does not count now.
    pub(crate) fn check(self) -> Result<(), Refusal> {
        // The callback of a removed card refuses.
        self.verify.try_run(()).unwrap_or(Err(Refusal::TooEarly))
    }
}
