//! Defines the conditions that a card sets for decisions.

use assistant_core::session::Refusal;
use leptos::prelude::{Callable, Callback, Signal};

/// The conditions under which an approval or an answer counts
/// ([`ToolCallView::can_approve`](super::ToolCallView::can_approve)).
#[derive(Debug, Clone, Copy)]
pub(crate) struct DecisionConditions {
    /// Returns an error if an approval or an answer does not count now, and in that case scrolls to
    /// the part of the card that the user has not read.
    pub(crate) verify: Callback<(), Result<(), Refusal>>,
    /// True if an approval or an answer counts now.
    pub(crate) are_met: Signal<bool>,
}

impl DecisionConditions {
    /// Runs [`Self::verify`]. Returns [`Refusal::TooEarly`] if the card was removed.
    pub(crate) fn check(self) -> Result<(), Refusal> {
        // If the card was removed, `try_run` returns `None`, because the callback is disposed with
        // the card.
        self.verify.try_run(()).unwrap_or(Err(Refusal::TooEarly))
    }
}
