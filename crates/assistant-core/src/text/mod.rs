//! What agents write: markdown as it streams, tool calls written as callouts in it, addresses, and
//! what cannot be seen in any of it.
//!
//! Text is read on from where reading stopped, and no copy of it is kept; nothing here knows a
//! screen or a session.

pub mod address;
#[cfg(feature = "callouts")]
pub mod callout;
pub mod confusable;
pub mod hidden;
pub mod host;
#[cfg(feature = "markdown")]
pub mod markdown;
