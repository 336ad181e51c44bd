//! The conditions under which a decision counts, as the card that asks for it states them.

use assistant_core::session::Refusal;
use leptos::prelude::{Callable, Callback, Signal};

/// The conditions under which an approval or an answer counts: see
/// [`ToolCallView::can_approve`](super::ToolCallView::can_approve).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gate {
    /// Returns why an approval does not count now, if so; calling it shows the user what is left to read.
    pub(crate) passes: Callback<(), Result<(), Refusal>>,
    /// The same as a signal.
    pub(crate) is_open: Signal<bool>,
}

impl Gate {
    /// Returns why a decision does not count now, if so.
    pub(crate) fn check(self) -> Result<(), Refusal> {
        // That of a card that is gone lets nothing pass.
        self.passes.try_run(()).unwrap_or(Err(Refusal::TooEarly))
    }
}
