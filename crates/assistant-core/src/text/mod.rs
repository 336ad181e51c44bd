//! Text written by agents: streamed markdown, tool calls as callouts, addresses, and hidden
//! characters.
//!
//! Text is parsed incrementally without keeping a copy; nothing here depends on a screen or a
//! session.

pub mod address;
#[cfg(feature = "callouts")]
pub mod callout;
pub mod confusable;
pub mod hidden;
pub mod host;
#[cfg(feature = "markdown")]
pub mod markdown;
