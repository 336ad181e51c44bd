//! Provides the code that handles inputs, once that code is loaded.
//!
//! With the feature `split`, the session's transitions and the effects are in a module that is
//! fetched on demand. Until that module is loaded, inputs are queued in the order of their arrival
//! and count as accepted. The module is fetched when an input may start a run or a handler, or has
//! a visible result.

use assistant_core::session::Refusal;

use super::Runtime;

/// A function that handles the next queued step of a runtime, and returns `None` if the queue is
/// empty.
pub(super) type StepHandler = fn(&Runtime) -> Option<Result<(), Refusal>>;

#[cfg(not(feature = "split"))]
#[allow(
    clippy::unnecessary_wraps,
    reason = "a split build may have no engine yet"
)]
pub(super) const fn step_handler() -> Option<StepHandler> {
    Some(Runtime::handle_next_step)
}

#[cfg(feature = "split")]
mod fetched;
#[cfg(feature = "split")]
pub(crate) use self::fetched::{HeldInputs, load_engine, step_handler, wait_until_loaded};
